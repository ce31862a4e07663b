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
	listen  string
	options sluice.Options
}

// lookup is os.LookupEnv or a test's stand-in.
type lookup func(name string) (string, bool)

// settle weighs the sources of settings: a flag wins over its variable, a variable over the file, the file over the
// default. All of them end up in the flags, so that what a setting means is written once.
func settle(f *pflag.FlagSet, env lookup) (settings, error) {
	if err := fromEnvironment(f, env); err != nil {
		return settings{}, err
	}
	var s settings
	if path := value(f, "config"); path != "" {
		var err error
		if s.options, err = fromFile(f, path); err != nil {
			return settings{}, err
		}
	}
	s.listen = value(f, "listen")
	s.options.Data = value(f, "data")
	s.options.Sync = sluice.Sync(value(f, "sync"))
	s.options.Strict = value(f, "strict") == "true"
	if s.options.Data == "" {
		return settings{}, errors.New(`data is empty, want a directory or "memory"`)
	}
	return s, s.authorize(value(f, "auth"))
}

func value(f *pflag.FlagSet, name string) string { return f.Lookup(name).Value.String() }

// fromEnvironment sets each flag that was not given from its variable: SLUICE_ and the flag's name.
func fromEnvironment(f *pflag.FlagSet, env lookup) error {
	var failed error
	f.VisitAll(func(flag *pflag.Flag) {
		name := "SLUICE_" + strings.ToUpper(flag.Name)
		v, _ := env(name)
		if flag.Changed || v == "" || failed != nil || flag.Name == "help" {
			return
		}
		if f.Set(flag.Name, v) != nil {
			failed = fmt.Errorf("%s is %q, want %s", name, v, flag.Value.Type())
		}
	})
	return failed
}

// fromFile sets each flag that neither the command line nor the environment gave, and returns the settings that have
// no flag.
func fromFile(f *pflag.FlagSet, path string) (sluice.Options, error) {
	c, err := readConfig(path)
	if err != nil {
		return sluice.Options{}, err
	}
	for name, t := range c.flags() {
		if t == nil || f.Changed(name) {
			continue
		}
		if f.Set(name, t.value) != nil {
			err := t.errorf("%s is %q, want %s", name, t.value, f.Lookup(name).Value.Type())
			return sluice.Options{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	o, err := c.options()
	if err != nil {
		return o, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
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
