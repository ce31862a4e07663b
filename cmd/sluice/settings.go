package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sluicemq/sluice"
)

// settings are what serve runs with, once flags, variables, file and defaults have been weighed.
type settings struct {
	listen   []string
	security security
	options  sluice.Options
	admin    adminSettings
	logs     logs
	signals  signals                  // what OpenTelemetry's variables ask for
	again    func() (settings, error) // weighs the sources again
	where    func(error) error        // adds to an error of a resource where in the file that is; nil without a file
}

// lookup is os.LookupEnv or a test's stand-in.
type lookup func(name string) (string, bool)

// settle weighs the sources of settings: a flag wins over its variable, a variable over the file, the file over the
// default. All of them end up in the flags, so that what a setting means is written once.
func settle(f *pflag.FlagSet, env lookup) (settings, error) {
	s := settings{again: settleAgain(f, env)}
	if err := fromEnvironment(f, env); err != nil {
		return settings{}, err
	}
	if path := value(f, "config"); path != "" {
		var err error
		if s.options, s.where, err = fromFile(f, path); err != nil {
			return settings{}, err
		}
	}
	s.listen = strings.Split(value(f, "listen"), ",")
	s.security = security{mode: value(f, "tls"), cert: value(f, "tls-cert"), key: value(f, "tls-key")}
	s.options.QueueURLs = sluice.QueueURLStyle(value(f, "queue-url-style"))
	s.logs = logs{format: value(f, "log-format"), requests: value(f, "log-requests") == "true"}
	s.signals = askedFor(env)
	s.admin = settleAdmin(f)
	s.options.Data = value(f, "data")
	s.options.Sync = sluice.Sync(value(f, "sync"))
	s.options.Strict = value(f, "strict") == "true"
	s.options.AccountPerKey = value(f, "account-per-key") == "true"
	if s.options.Data == "" {
		return settings{}, errors.New(`data is empty, want a directory or "memory"`)
	}
	if err := s.security.validate(); err != nil {
		return settings{}, err
	}
	return s, s.authorize(value(f, "auth"))
}

// settleAgain weighs the sources once more later on, with the flags that the command line has given by now: variables
// and file may have changed by then.
func settleAgain(f *pflag.FlagSet, env lookup) func() (settings, error) {
	given := map[string]string{}
	f.Visit(func(flag *pflag.Flag) { given[flag.Name] = flag.Value.String() })
	return func() (settings, error) {
		fresh := serveCommand().Flags()
		for name, v := range given {
			if err := fresh.Set(name, v); err != nil {
				return settings{}, err
			}
		}
		return settle(fresh, env)
	}
}

func value(f *pflag.FlagSet, name string) string { return f.Lookup(name).Value.String() }

// variable is the name of a flag's variable.
func variable(flag string) string {
	return "SLUICE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets each flag that was not given from its variable.
func fromEnvironment(f *pflag.FlagSet, env lookup) error {
	var failed error
	f.VisitAll(func(flag *pflag.Flag) {
		name := variable(flag.Name)
		v, _ := env(name)
		if flag.Changed || v == "" || failed != nil || flag.Name == "help" {
			return
		}
		if f.Set(flag.Name, v) != nil {
			failed = fmt.Errorf("%s is %q, want %s", name, v, wanted(flag))
		}
	})
	return failed
}

// wanted says what values a flag takes.
func wanted(flag *pflag.Flag) string {
	if flag.Value.Type() == "bool" {
		return "true or false"
	}
	return flag.Value.Type()
}

// fromFile sets each flag that neither the command line nor the environment gave, and returns the settings that have
// no flag.
func fromFile(f *pflag.FlagSet, path string) (o sluice.Options, where func(error) error, err error) {
	c, err := readConfig(path)
	if err != nil {
		return o, nil, err
	}
	for name, t := range c.flags() {
		if t == nil || f.Changed(name) {
			continue
		}
		if f.Set(name, t.value) != nil {
			err := t.errorf("%s is %q, want %s", name, t.value, wanted(f.Lookup(name)))
			return o, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if o, err = c.options(); err != nil {
		return o, nil, fmt.Errorf("%s: %w", path, err)
	}
	return o, func(err error) error { return c.place(path, err) }, nil
}

// placed says where in the file a resource is of which an error tells.
func (s *settings) placed(err error) error {
	if s.where == nil {
		return err
	}
	return s.where(err)
}

// syncFlag is a flag that knows its values, wherever they come from.
type syncFlag sluice.Sync

// String returns the value.
func (s *syncFlag) String() string { return string(*s) }

// Set takes "os" or "always".
func (s *syncFlag) Set(v string) error {
	return oneOf(s, v, string(sluice.SyncOS), string(sluice.SyncAlways))
}

// Type shows the values in the usage text and in errors.
func (s *syncFlag) Type() string { return "os|always" }

// urlStyleFlag is one as well.
type urlStyleFlag sluice.QueueURLStyle

// String returns the value.
func (u *urlStyleFlag) String() string { return string(*u) }

// Set takes one of the forms of queue URLs.
func (u *urlStyleFlag) Set(v string) error {
	return oneOf(u, v, string(sluice.QueueURLHost), string(sluice.QueueURLPath), string(sluice.QueueURLStandard), string(sluice.QueueURLDomain))
}

// Type shows the values in the usage text and in errors.
func (u *urlStyleFlag) Type() string { return "host|path|standard|domain" }

// authFlag is one as well.
type authFlag string

// String returns the value.
func (a *authFlag) String() string { return string(*a) }

// Set takes "off" or "verify".
func (a *authFlag) Set(v string) error { return oneOf(a, v, authOff, authVerify) }

// Type shows the values in the usage text and in errors.
func (a *authFlag) Type() string { return authOff + "|" + authVerify }

// oneOf sets a flag to one of its values.
func oneOf[F ~string](f *F, v string, values ...string) error {
	if !slices.Contains(values, v) {
		return fmt.Errorf("want %s", strings.Join(values, "|"))
	}
	*f = F(v)
	return nil
}

// What auth can be. Without it, whether there are credentials decides.
const (
	authOff    = "off"
	authVerify = "verify"
)

// authorize decides whether the credentials count.
func (s *settings) authorize(auth string) error {
	switch {
	case auth == authOff:
		s.options.Credentials = nil
	case auth == authVerify && s.options.Credentials == nil:
		return errors.New("auth is verify, but the configuration has no credentials to verify with")
	}
	return nil
}
