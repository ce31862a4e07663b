package main

import (
	"bytes"
	"encoding/json"
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
	Listen        texts `yaml:"listen,omitempty"`
	Data          *text `yaml:"data,omitempty"`
	Sync          *text `yaml:"sync,omitempty"`
	Strict        *text `yaml:"strict,omitempty"`
	AccountPerKey *text `yaml:"account-per-key,omitempty"`
	Auth          *text `yaml:"auth,omitempty"`
	TLS           *text `yaml:"tls,omitempty"`
	TLSCert       *text `yaml:"tls-cert,omitempty"`
	TLSKey        *text `yaml:"tls-key,omitempty"`
	PublicURL     *text `yaml:"public-url,omitempty"`
	LogFormat     *text `yaml:"log-format,omitempty"`
	LogRequests   *text `yaml:"log-requests,omitempty"`
	QueueURLStyle *text `yaml:"queue-url-style,omitempty"`
	Admin         *text `yaml:"admin,omitempty"`
	AdminToken    *text `yaml:"admin-token,omitempty"`
	AdminHosts    texts `yaml:"admin-hosts,omitempty"`

	SQS struct {
		Account *text `yaml:"account,omitempty"`
		Region  *text `yaml:"region,omitempty"`
	} `yaml:"sqs,omitempty"`
	MNS struct {
		Account         *text `yaml:"account,omitempty"`
		Region          *text `yaml:"region,omitempty"`
		NextVisibleTime *text `yaml:"next-visible-time,omitempty"`
		PushHosts       texts `yaml:"push-hosts,omitempty"`
	} `yaml:"mns,omitempty"`
	Bridges     *[]bridgeText     `yaml:"bridges,omitempty"`
	Credentials *[]credentialText `yaml:"credentials,omitempty"`
	Limits      struct {
		InFlight *text `yaml:"in-flight,omitempty"`
	} `yaml:"limits,omitempty"`
	Faults    []faultText `yaml:"faults,omitempty"`
	Resources resources   `yaml:",inline"`
}

type bridgeText struct {
	MNS *text `yaml:"mns,omitempty"`
	SQS *text `yaml:"sqs,omitempty"`
}

type credentialText struct {
	ID           *text     `yaml:"id,omitempty"`
	Secret       *text     `yaml:"secret,omitempty"`
	Account      *text     `yaml:"account,omitempty"`
	SessionToken *text     `yaml:"session-token,omitempty"`
	User         *text     `yaml:"user,omitempty"`
	Policy       *document `yaml:"policy,omitempty"`
}

// text is a scalar of the file as it is written there.
type text struct {
	value string
	line  int
	note  string // a comment, where the file is written by us
}

// UnmarshalYAML takes any scalar.
func (t *text) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: want a single value, not a list or a section", n.Line)
	}
	*t = text{value: n.Value, line: n.Line}
	return nil
}

// MarshalYAML writes the value so that every reader of YAML takes it for the same one: a text that looks like a number
// with a leading zero, as accounts do, or like nothing at all, is quoted.
func (t text) MarshalYAML() (any, error) {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: t.value, LineComment: t.note}
	if tag := n.ShortTag(); tag == "!!null" || tag == "!!timestamp" || len(t.value) > 1 && t.value[0] == '0' && tag == "!!int" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n, nil
}

// document is a scalar, or a list or section that stands for the JSON with the same content, as access policies have it.
type document struct{ text }

// UnmarshalYAML takes anything.
func (d *document) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return d.text.UnmarshalYAML(n)
	}
	var content any
	if err := n.Decode(&content); err != nil {
		return err
	}
	b, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("line %d: what is here cannot be put into JSON", n.Line)
	}
	d.text = text{value: string(b), line: n.Line}
	return nil
}

// texts is a list of values; a single one may stand without a list.
type texts []text

// UnmarshalYAML takes a scalar or a list of them.
func (l *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		*l = make(texts, 1)
		return (*l)[0].UnmarshalYAML(n)
	}
	*l = make(texts, len(n.Content))
	for i, each := range n.Content {
		if err := (*l)[i].UnmarshalYAML(each); err != nil {
			return err
		}
	}
	return nil
}

// MarshalYAML writes a single value without a list.
func (l texts) MarshalYAML() (any, error) {
	if len(l) == 1 {
		return l[0], nil
	}
	return []text(l), nil
}

// joined returns the values as a flag takes them, or nil for what the file leaves out.
func (l texts) joined() *text {
	if len(l) == 0 {
		return nil
	}
	values := make([]string, len(l))
	for i, t := range l {
		values[i] = t.value
	}
	return &text{value: strings.Join(values, ","), line: l[0].line}
}

// orEmpty returns the value, or nothing for what the file leaves out.
func (t *text) orEmpty() string {
	if t == nil {
		return ""
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

// unexpected says what the decoder has found in words of the file.
var unexpected = strings.NewReplacer(
	"cannot unmarshal !!map", "did not expect a section",
	"cannot unmarshal !!seq", "did not expect a list",
	"cannot unmarshal !!str", "did not expect the text",
	"cannot unmarshal !!", "did not expect the ",
)

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
		line = unexpected.Replace(line)
		lines[i] = strings.Replace(line, ": field ", ": unknown setting ", 1)
	}
	return strings.Join(lines, "; ")
}

// flags are the settings that serve has flags for, by the flag's name.
func (c *config) flags() map[string]*text {
	return map[string]*text{
		"listen": c.Listen.joined(), "data": c.Data, "sync": c.Sync, "strict": c.Strict, "auth": c.Auth,
		"account-per-key": c.AccountPerKey,
		"tls":             c.TLS, "tls-cert": c.TLSCert, "tls-key": c.TLSKey, "queue-url-style": c.QueueURLStyle,
		"log-format": c.LogFormat, "log-requests": c.LogRequests, "admin": c.Admin, "admin-token": c.AdminToken,
	}
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
	if o.Faults, err = readFaults(c.Faults); err != nil {
		return o, err
	}
	if o.MaxInFlight, err = bound(c.Limits.InFlight); err != nil {
		return o, err
	}
	for _, host := range c.AdminHosts {
		if o.Admin == nil {
			o.Admin = &sluice.Admin{}
		}
		o.Admin.Hosts = append(o.Admin.Hosts, host.value)
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
		if k.ID.orEmpty() == "" || k.Secret.orEmpty() == "" {
			return nil, fmt.Errorf("credentials: entry %d needs both id and secret", i+1)
		}
		if _, twice := keys[k.ID.value]; twice {
			return nil, k.ID.errorf("the access key %s is there twice", k.ID.value)
		}
		c := sluice.Credential{
			Secret: k.Secret.value, Account: k.Account.orEmpty(), SessionToken: k.SessionToken.orEmpty(), User: k.User.orEmpty(),
		}
		if k.Policy != nil {
			c.Policy = k.Policy.value
		}
		if err := sluice.CheckCredential(c); err != nil {
			at := k.ID
			if k.Policy != nil {
				at = &k.Policy.text
			}
			return nil, at.errorf("access key %s: %w", k.ID.value, err)
		}
		keys[k.ID.value] = c
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
