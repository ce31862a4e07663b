package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sluicemq/sluice"
)

// config is the configuration file. Every value is a text with its line, so that whatever is wrong with it can be told
// by line, and so that an account such as 000000000000 does not turn into the number 0. Nil is what the file leaves out.
type config struct {
	Listen    *text `yaml:"listen"`
	Data      *text `yaml:"data"`
	Sync      *text `yaml:"sync"`
	Strict    *text `yaml:"strict"`
	Auth      *text `yaml:"auth"`
	PublicURL *text `yaml:"public-url"`

	SQS struct {
		Account *text `yaml:"account"`
		Region  *text `yaml:"region"`
	} `yaml:"sqs"`
	MNS struct {
		Account         *text  `yaml:"account"`
		Region          *text  `yaml:"region"`
		NextVisibleTime *text  `yaml:"next-visible-time"`
		PushHosts       []text `yaml:"push-hosts"`
	} `yaml:"mns"`
	Bridges *[]struct {
		MNS *text `yaml:"mns"`
		SQS *text `yaml:"sqs"`
	} `yaml:"bridges"`
	Credentials *[]struct {
		ID           *text `yaml:"id"`
		Secret       *text `yaml:"secret"`
		Account      *text `yaml:"account"`
		SessionToken *text `yaml:"session-token"`
	} `yaml:"credentials"`
	Limits struct {
		InFlight *text `yaml:"in-flight"`
	} `yaml:"limits"`
	Resources resources `yaml:",inline"`
}

// text is a scalar of the file as it is written there.
type text struct {
	value string
	line  int
}

// UnmarshalYAML takes any scalar.
func (t *text) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: want a single value, not a list or a section", n.Line)
	}
	*t = text{value: n.Value, line: n.Line}
	return nil
}

// or returns the value, or another one for what the file leaves out.
func (t *text) or(absent string) string {
	if t == nil {
		return absent
	}
	return t.value
}

func (t *text) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{t.line}, args...)...)
}

// readConfig reads a file and refuses settings that it does not know. Every error names the file and, where there is
// one, the line.
func readConfig(path string) (config, error) {
	var c config
	data, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("cannot read the configuration: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) { // EOF: the file is empty
		return c, fmt.Errorf("%s: %s", path, inWords(err))
	}
	return c, nil
}

// inWords rids the decoder's errors of what only a Go programmer can read.
func inWords(err error) string {
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		return strings.TrimPrefix(err.Error(), "yaml: ")
	}
	lines := make([]string, len(wrong.Errors))
	for i, line := range wrong.Errors {
		line, _, _ = strings.Cut(line, " not found in type ")
		line, _, _ = strings.Cut(line, " into ")
		lines[i] = strings.Replace(line, ": field ", ": unknown setting ", 1)
	}
	return strings.Join(lines, "; ")
}

// flags are the settings that serve has flags for, by the flag's name.
func (c *config) flags() map[string]*text {
	return map[string]*text{"listen": c.Listen, "data": c.Data, "sync": c.Sync, "strict": c.Strict, "auth": c.Auth}
}

// options are the settings that only the file has.
func (c *config) options() (o sluice.Options, err error) {
	if o.SQS, err = home(c.SQS.Account, c.SQS.Region, sluice.DefaultSQS, sluice.ParseSQS); err != nil {
		return o, err
	}
	if o.MNS, err = home(c.MNS.Account, c.MNS.Region, sluice.DefaultMNS, sluice.ParseMNS); err != nil {
		return o, err
	}
	if o.Bridges, err = c.bridges(); err != nil {
		return o, err
	}
	if o.Credentials, err = c.credentials(); err != nil {
		return o, err
	}
	if o.Resources, err = c.Resources.read(o.SQS, o.MNS); err != nil {
		return o, err
	}
	if o.MicrosecondVisibleTime, err = microseconds(c.MNS.NextVisibleTime); err != nil {
		return o, err
	}
	if o.MaxInFlight, err = bound(c.Limits.InFlight); err != nil {
		return o, err
	}
	for _, host := range c.MNS.PushHosts {
		o.PushHosts = append(o.PushHosts, host.value)
	}
	o.PublicURL, err = publicURL(c.PublicURL)
	return o, err
}

func home(account, region *text, h sluice.Home, parse func(string) (sluice.Home, error)) (sluice.Home, error) {
	var last *text
	if account != nil {
		h.Account, last = account.value, account
	}
	if region != nil {
		h.Region, last = region.value, region
	}
	if last == nil {
		return h, nil
	}
	h, err := parse(h.Account + "/" + h.Region)
	if err != nil {
		return h, last.errorf("%w", err)
	}
	return h, nil
}

// bridges keeps an empty list apart from none: the first joins nothing, the second is the default bridge.
func (c *config) bridges() ([]sluice.Bridge, error) {
	if c.Bridges == nil {
		return nil, nil
	}
	list := make([]sluice.Bridge, 0, len(*c.Bridges))
	for i, b := range *c.Bridges {
		if b.MNS == nil || b.SQS == nil {
			return nil, fmt.Errorf("bridges: entry %d needs both mns and sqs, each as account/region", i+1)
		}
		mns, err := sluice.ParseMNS(b.MNS.value)
		if err != nil {
			return nil, b.MNS.errorf("%w", err)
		}
		sqs, err := sluice.ParseSQS(b.SQS.value)
		if err != nil {
			return nil, b.SQS.errorf("%w", err)
		}
		list = append(list, sluice.Bridge{MNS: mns, SQS: sqs})
	}
	return list, nil
}

// credentials keeps an empty list apart from none: the first refuses every request, the second reads no signature.
func (c *config) credentials() (map[string]sluice.Credential, error) {
	if c.Credentials == nil {
		return nil, nil
	}
	keys := make(map[string]sluice.Credential, len(*c.Credentials))
	for i, k := range *c.Credentials {
		if k.ID.or("") == "" || k.Secret.or("") == "" {
			return nil, fmt.Errorf("credentials: entry %d needs both id and secret", i+1)
		}
		if _, twice := keys[k.ID.value]; twice {
			return nil, k.ID.errorf("the access key %s is there twice", k.ID.value)
		}
		keys[k.ID.value] = sluice.Credential{
			Secret: k.Secret.value, Account: k.Account.or(""), SessionToken: k.SessionToken.or(""),
		}
	}
	return keys, nil
}

func microseconds(t *text) (bool, error) {
	if t == nil || t.value == "milliseconds" {
		return false, nil
	}
	if t.value != "microseconds" {
		return false, t.errorf("next-visible-time is %q, want milliseconds or microseconds", t.value)
	}
	return true, nil
}

func bound(t *text) (int, error) {
	if t == nil {
		return 0, nil
	}
	n, err := strconv.Atoi(t.value)
	if err != nil || n < 1 {
		return 0, t.errorf("in-flight is %q, want a number of at least 1", t.value)
	}
	return n, nil
}

func publicURL(t *text) (string, error) {
	if t == nil {
		return "", nil
	}
	u, err := url.Parse(t.value)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", t.errorf("public-url is %q, want http:// or https:// and a host", t.value)
	}
	return u.Scheme + "://" + u.Host, nil
}
