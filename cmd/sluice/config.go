package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
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
		InFlight   *text `yaml:"in-flight,omitempty"`
		BodyBudget *text `yaml:"body-budget,omitempty"`
	} `yaml:"limits,omitempty"`
	Faults    []faultText `yaml:"faults,omitempty"`
	Resources resources   `yaml:",inline"`

	path     string
	empty    bool // there is nothing in it
	problems problems
	lines    map[string][]int // of the entries of its lists, by the names of these
	damaged  map[place]int    // entries with problems, by the look that has found them
	look     int              // how often the file was looked at before: for its shape, its values, what comes of them
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
	Role         *text     `yaml:"role,omitempty"`
	Session      *text     `yaml:"session,omitempty"`
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
	if n.ShortTag() == "!!null" || misread(n) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n, nil
}

// misread reports whether YAML makes another text of a plain scalar: a moment of the version of a policy, which is a day, and
// a number without the leading zeros of an account.
func misread(n *yaml.Node) bool {
	zero := len(n.Value) > 1 && n.Value[0] == '0'
	switch n.ShortTag() {
	case "!!timestamp":
		return true
	case "!!int":
		return zero
	case "!!float":
		return zero && n.Value[1] >= '0' && n.Value[1] <= '9'
	}
	return false
}

// literally makes texts of what would be misread.
func literally(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && misread(n) {
		n.Tag = "!!str"
	}
	if n.Alias != nil {
		literally(n.Alias)
	}
	for _, each := range n.Content {
		literally(each)
	}
}

// document is a scalar, or a list or section that stands for the JSON with the same content, as access policies have it.
type document struct{ text }

// UnmarshalYAML takes anything that is not in itself.
func (d *document) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return d.text.UnmarshalYAML(n)
	}
	literally(n)
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

// readConfig reads a file, as far as it can be read: what is wrong with it is among the problems of what is returned.
func readConfig(path string) *config {
	c := &config{path: path, lines: map[string][]int{}}
	data, err := readAtMost(path, maxFile)
	if err != nil {
		c.path = "" // which the error names
		c.wrong(0, place{}, fmt.Errorf("cannot read the configuration: %w", err))
		c.path = path
		return c
	}
	c.parse(data)
	return c
}

// parse reads the one document that a file is to have.
func (c *config) parse(data []byte) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := d.Decode(&doc)
	c.empty = errors.Is(err, io.EOF)
	if err == nil {
		c.decode(doc.Content[0])
		if err = d.Decode(&second); err == nil {
			c.wrong(second.Line, place{}, errors.New("a second document begins here, want one"))
		}
	}
	if err != nil && !errors.Is(err, io.EOF) { // EOF: the file is empty, or has one document
		line, text := lineIn(err.Error())
		c.wrong(line, place{}, errors.New(text))
	}
}

// readAtMost reads a file that is not larger than a bound, whatever it is: some have no size before they are read.
func readAtMost(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d MiB", path, limit>>20)
	}
	return data, err
}

// decode reads the settings of a document, and leaves out what cannot be read.
func (c *config) decode(root *yaml.Node) {
	s := &shape{c: c, fitted: map[fitKey]*yaml.Node{}, weights: map[*yaml.Node]int{}}
	if !s.light(root, place{}, maxValues) {
		return
	}
	if fitted := s.fit(root, reflect.TypeFor[config](), place{}); fitted != nil {
		if err := fitted.Decode(c); err != nil {
			line, text := lineIn(err.Error())
			c.wrong(line, place{}, errors.New(text))
		}
	}
	c.look++
}

// whereYAML is how the decoder says where something is.
var whereYAML = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?((?s).*)$`)

// lineIn takes the line out of an error of the decoder.
func lineIn(text string) (line int, rest string) {
	parts := whereYAML.FindStringSubmatch(text)
	line, _ = strconv.Atoi(parts[1])
	return line, parts[2]
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

// options are the settings that only the file has, as far as they are right: what is wrong with them is noted.
func (c *config) options() (o sluice.Options) {
	o.SQS = c.home(c.SQS.Account, c.SQS.Region, sluice.DefaultSQS, sluice.ParseSQS)
	o.MNS = c.home(c.MNS.Account, c.MNS.Region, sluice.DefaultMNS, sluice.ParseMNS)
	o.Bridges = c.bridges()
	o.Credentials = c.credentials()
	o.Resources = c.resources(o.SQS, o.MNS)
	o.MicrosecondVisibleTime = c.microseconds(c.MNS.NextVisibleTime)
	o.Faults = c.faults()
	o.MaxInFlight = c.bound("in-flight", c.Limits.InFlight)
	o.BodyBudget = int64(c.bound("body-budget", c.Limits.BodyBudget))
	for _, host := range c.AdminHosts {
		if o.Admin == nil {
			o.Admin = &sluice.Admin{}
		}
		o.Admin.Hosts = append(o.Admin.Hosts, host.value)
	}
	for _, host := range c.MNS.PushHosts {
		o.PushHosts = append(o.PushHosts, host.value)
	}
	o.PublicURL = c.publicURL(c.PublicURL)
	return o
}

// home judges account and region each for itself.
func (c *config) home(account, region *text, h sluice.Home, parse func(string) (sluice.Home, error)) sluice.Home {
	given := h
	for _, part := range []struct {
		value *text
		of    func(*sluice.Home) *string
	}{
		{account, func(h *sluice.Home) *string { return &h.Account }},
		{region, func(h *sluice.Home) *string { return &h.Region }},
	} {
		if part.value == nil {
			continue
		}
		alone := h
		*part.of(&alone) = part.value.value
		if _, err := parse(alone.Account + "/" + alone.Region); err != nil {
			c.wrongText(part.value, place{}, "%w", err)
			continue
		}
		*part.of(&given) = part.value.value
	}
	return given
}

// bridges keeps an empty list apart from none: the first joins nothing, the second is the default bridge.
func (c *config) bridges() []sluice.Bridge {
	if c.Bridges == nil {
		return nil
	}
	list := make([]sluice.Bridge, 0, len(*c.Bridges))
	for i, b := range *c.Bridges {
		at := place{"bridges", i}
		if b.MNS == nil || b.SQS == nil {
			c.wrong(c.lineOf(at), at, errors.New("a bridge needs both mns and sqs, each as account/region"))
			continue
		}
		mns, mnsWrong := sluice.ParseMNS(b.MNS.value)
		if mnsWrong != nil {
			c.wrongText(b.MNS, at, "%w", mnsWrong)
		}
		sqs, sqsWrong := sluice.ParseSQS(b.SQS.value)
		if sqsWrong != nil {
			c.wrongText(b.SQS, at, "%w", sqsWrong)
		}
		joined := slices.ContainsFunc(list, func(other sluice.Bridge) bool { return other.MNS == mns || other.SQS == sqs })
		switch {
		case mnsWrong != nil || sqsWrong != nil:
		case joined:
			c.wrong(c.lineOf(at), at, errors.New("one of the two is in another bridge already"))
		default:
			list = append(list, sluice.Bridge{MNS: mns, SQS: sqs})
		}
	}
	return list
}

// credentials keeps an empty list apart from none: the first refuses every request, the second reads no signature.
func (c *config) credentials() map[string]sluice.Credential {
	if c.Credentials == nil {
		return nil
	}
	keys := make(map[string]sluice.Credential, len(*c.Credentials))
	for i := range *c.Credentials {
		k, at := &(*c.Credentials)[i], place{"credentials", i}
		if k.ID.orEmpty() == "" || k.Secret.orEmpty() == "" {
			c.wrong(c.lineOf(at), at, errors.New("a credential needs both id and secret"))
			continue
		}
		if _, twice := keys[k.ID.value]; twice {
			c.wrongText(k.ID, at, "the access key %s is there twice", k.ID.value)
			continue
		}
		keys[k.ID.value] = c.credential(k, at)
	}
	return keys
}

func (c *config) credential(k *credentialText, at place) sluice.Credential {
	credential := sluice.Credential{
		Secret: k.Secret.value, Account: k.Account.orEmpty(), SessionToken: k.SessionToken.orEmpty(), User: k.User.orEmpty(),
		Role: k.Role.orEmpty(), Session: k.Session.orEmpty(),
	}
	where := k.ID
	if k.Policy != nil {
		credential.Policy, where = k.Policy.value, &k.Policy.text
	}
	if err := sluice.CheckCredential(credential); err != nil {
		c.wrongText(where, at, "access key %s: %w", k.ID.value, err)
		credential.Policy, credential.User, credential.Role, credential.Session = "", "", "", ""
	}
	return credential
}

func (c *config) microseconds(t *text) bool {
	switch t.orEmpty() {
	case "microseconds":
		return true
	case "milliseconds":
		return false
	}
	if t != nil {
		c.wrongText(t, place{}, "next-visible-time is %q, want milliseconds or microseconds", t.value)
	}
	return false
}

func (c *config) bound(name string, t *text) int {
	if t == nil {
		return 0
	}
	n, err := strconv.Atoi(t.value)
	if err != nil || n < 1 {
		c.wrongText(t, place{}, "%s is %q, want a number of at least 1", name, t.value)
		return 0
	}
	return n
}

func (c *config) publicURL(t *text) string {
	if t == nil {
		return ""
	}
	if strings.Contains(t.value, "@") { // and is not repeated: it may come with a password
		c.wrongText(t, place{}, "public-url names a user, which has no meaning there")
		return ""
	}
	u, err := url.Parse(t.value)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		c.wrongText(t, place{}, "public-url is %q, want http:// or https:// and a host", t.value)
		return ""
	}
	return u.Scheme + "://" + u.Host
}
