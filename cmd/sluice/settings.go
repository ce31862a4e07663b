package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sluicemq/sluice"
)

// settings are what serve runs with, once flags, variables, file and defaults have been weighed.
type settings struct {
	listen     []string
	security   security
	options    sluice.Options
	admin      adminSettings
	adminHosts []string
	logs       logs
	signals    signals                  // what OpenTelemetry's variables ask for
	again      func() (settings, error) // weighs the sources again
	strangers  []stranger               // among the variables
	path       string                   // of the file; empty without one
	file       *config                  // nil without one
}

// lookup is os.LookupEnv or a test's stand-in.
type lookup func(name string) (string, bool)

// settle weighs the sources of settings: a flag wins over its variable, a variable over the file, the file over the
// default. All of them end up in the flags, so that what a setting means is written once. The error tells everything that
// is wrong; the settings are there all the same, with what is right.
func settle(c *cobra.Command, env lookup) (settings, error) {
	f := c.Flags()
	s := settings{again: settleAgain(f, env)}
	wrong := fromEnvironment(c, env)
	if path := value(f, "config"); path != "" {
		s.path, s.file = path, readConfig(path)
		s.file.fill(f)
		s.options = s.file.options()
		wrong = append(wrong, s.file.problems...)
	}
	s.listen = strings.Split(value(f, "listen"), ",")
	s.security = security{mode: value(f, "tls"), cert: value(f, "tls-cert"), key: value(f, "tls-key")}
	s.options.QueueURLs = sluice.QueueURLStyle(value(f, "queue-url-style"))
	s.logs = logs{format: value(f, "log-format"), requests: value(f, "log-requests") == "true"}
	s.signals = askedFor(env)
	s.admin = settleAdmin(f)
	if s.options.Admin != nil {
		s.adminHosts = s.options.Admin.Hosts
	}
	s.options.Data = value(f, "data")
	s.options.Sync = sluice.Sync(value(f, "sync"))
	s.options.Strict = value(f, "strict") == "true"
	s.options.AccountPerKey = value(f, "account-per-key") == "true"
	for _, err := range []error{s.security.validate(), s.admin.validate(), s.authorize(value(f, "auth"))} {
		if err != nil {
			wrong = append(wrong, &problem{err: err})
		}
	}
	if s.options.Data == "" {
		wrong = append(wrong, &problem{err: errors.New(`data is empty, want a directory or "memory"`)})
	}
	return s, wrong.err()
}

// settleAgain weighs the sources once more later on, with the flags that the command line has given by now: the file may
// have changed by then. One that is empty by then, and was not before, is most likely being written at this moment.
func settleAgain(f *pflag.FlagSet, env lookup) func() (settings, error) {
	given := map[string]string{}
	f.Visit(func(flag *pflag.Flag) { given[flag.Name] = flag.Value.String() })
	return func() (settings, error) {
		fresh := serveCommand()
		for name, v := range given {
			if err := fresh.Flags().Set(name, v); err != nil {
				return settings{}, err
			}
		}
		return settle(fresh, env)
	}
}

func value(f *pflag.FlagSet, name string) string { return f.Lookup(name).Value.String() }

// wanted says what values a flag takes.
func wanted(flag *pflag.Flag) string {
	if flag.Value.Type() == "bool" {
		return "true or false"
	}
	return flag.Value.Type()
}

// fill sets each flag that neither the command line nor the environment gave.
func (c *config) fill(f *pflag.FlagSet) {
	for name, t := range c.flags() {
		if t == nil || f.Changed(name) {
			continue
		}
		if f.Set(name, t.value) != nil {
			c.wrongText(t, place{}, "%s is %q, want %s", name, t.value, wanted(f.Lookup(name)))
		}
	}
}

// choice is a flag that knows its values, wherever they come from.
type choice struct {
	value  string
	values []string
}

// newChoice returns a flag with its default and the values that it can be set to.
func newChoice[V ~string](value V, values ...V) *choice {
	c := &choice{value: string(value)}
	for _, v := range values {
		c.values = append(c.values, string(v))
	}
	return c
}

// String returns the value.
func (c *choice) String() string { return c.value }

// Set takes one of the values.
func (c *choice) Set(v string) error {
	if !slices.Contains(c.values, v) {
		return fmt.Errorf("want %s", c.Type())
	}
	c.value = v
	return nil
}

// Type shows the values in the usage text and in errors.
func (c *choice) Type() string { return strings.Join(c.values, "|") }

// syncChoice is the flag that says when a change is durable.
func syncChoice() *choice { return newChoice(sluice.SyncOS, sluice.SyncOS, sluice.SyncAlways) }

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
