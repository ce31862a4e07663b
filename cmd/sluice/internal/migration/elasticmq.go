package migration

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/hocon"
)

// elasticDefaults are the includes of the server's own defaults, with which its documented example begins.
var elasticDefaults = []string{`classpath("application.conf")`, `"application.conf"`, `classpath("reference.conf")`}

// elasticMQ reads the configuration of ElasticMQ. Its settings and their meaning are those of its documentation.
func elasticMQ(r *Result, text []byte, _ map[string]string) error {
	o, includes, err := hocon.Parse(string(text))
	if err != nil {
		return err
	}
	for _, i := range includes {
		if !slices.Contains(elasticDefaults, i.What) {
			return fmt.Errorf("line %d: include %s cannot be read: put what that file says in its place", i.Line, i.What)
		}
	}
	if err := r.elasticServer(o); err != nil {
		return err
	}
	queues := o.Get("queues")
	if queues == nil {
		r.warn("there is no section queues")
		return nil
	}
	if queues.Object == nil {
		return fmt.Errorf("line %d: queues is not a section", queues.Line)
	}
	for _, name := range queues.Object.Names {
		if err := r.elasticQueue(name, queues.Object.Get(name)); err != nil {
			return err
		}
	}
	return nil
}

// scalar returns a value as a text; empty for one that is not there.
func scalar(v *hocon.Value) (string, error) {
	switch {
	case v == nil:
		return "", nil
	case v.Object != nil || v.List != nil:
		return "", fmt.Errorf("line %d: want a single value", v.Line)
	}
	return v.Text, nil
}

func isOn(v *hocon.Value) bool {
	return v != nil && slices.Contains([]string{"true", "yes", "on"}, v.Text)
}

// elasticServer reads all but the queues.
func (r *Result) elasticServer(o *hocon.Object) error {
	r.Data = sluice.Memory
	for _, name := range o.Names {
		v := o.Get(name)
		enabled := v.Object.Get("enabled")
		switch name {
		case "queues":
		case "aws", "node-address", "rest-sqs":
			if v.Object == nil {
				return fmt.Errorf("line %d: %s is not a section", v.Line, name)
			}
		case "messages-storage":
			if isOn(enabled) {
				r.Data = ""
				r.warn("line %d: messages are kept in Sluice's own data directory, which starts empty", v.Line)
			}
		case "queues-storage", "rest-stats", "generate-node-address":
			if isOn(enabled) && name == "rest-stats" {
				r.warn("line %d: %s has no counterpart", v.Line, name)
			}
		case "auto-create-queues":
			if isOn(enabled) {
				r.warn("line %d: auto-create-queues has no counterpart: queues have to be made or declared", v.Line)
			}
		default:
			r.warn("line %d: %s has no counterpart", v.Line, name)
		}
	}
	r.elasticHome(o)
	r.elasticAddresses(o)
	return nil
}

func (r *Result) elasticHome(o *hocon.Object) {
	region, account := o.Get("aws", "region"), o.Get("aws", "accountId")
	home := r.Options.SQS
	if region != nil {
		home.Region = region.Text
	}
	if account != nil {
		home.Account = account.Text
	}
	parsed, err := sluice.ParseSQS(home.Account + "/" + home.Region)
	if err != nil {
		r.warn("aws: %v: the account and region are those of Sluice", err)
		return
	}
	r.Options.SQS = parsed
}

// elasticPort is where ElasticMQ listens by default.
const elasticPort = "9324"

func textOr(v *hocon.Value, absent string) string {
	if v == nil {
		return absent
	}
	return v.Text
}

func (r *Result) elasticAddresses(o *hocon.Object) {
	host, port := o.Get("rest-sqs", "bind-hostname"), o.Get("rest-sqs", "bind-port")
	if host != nil || port != nil {
		r.Listen = r.addressOf(textOr(host, "0.0.0.0"), textOr(port, elasticPort), "0.0.0.0", elasticPort)
	}
	if limits := o.Get("rest-sqs", "sqs-limits"); limits != nil && limits.Text == "relaxed" {
		r.warn("line %d: sqs-limits = relaxed has no counterpart: the provider's limits hold", limits.Line)
	}
	if path := o.Get("node-address", "context-path"); path != nil && path.Text != "" {
		r.warn("line %d: context-path has no counterpart", path.Line)
	}
	name := textOr(o.Get("node-address", "host"), "")
	if slices.Contains([]string{"", "*", "localhost", "127.0.0.1", "0.0.0.0"}, name) {
		return // queue URLs show the host of the request
	}
	public, err := url.Parse(textOr(o.Get("node-address", "protocol"), "http") + "://" +
		net.JoinHostPort(name, textOr(o.Get("node-address", "port"), elasticPort)))
	if err != nil || public.Host == "" || public.Scheme != "http" && public.Scheme != "https" {
		r.warn("line %d: node-address is no address: queue URLs show the host of the request", o.Get("node-address").Line)
		return
	}
	r.Options.PublicURL = public.Scheme + "://" + public.Host
}

func (r *Result) elasticQueue(name string, v *hocon.Value) error {
	if v.Object == nil {
		return fmt.Errorf("line %d: queue %s is not a section", v.Line, name)
	}
	q := sluice.Queue{Name: name, FIFO: isOn(v.Object.Get("fifo"))}
	if q.FIFO && !strings.HasSuffix(name, ".fifo") {
		q.Name += ".fifo" // as ElasticMQ does
	}
	for _, setting := range v.Object.Names {
		if err := r.elasticSetting(&q, setting, v.Object.Get(setting)); err != nil {
			return err
		}
	}
	r.add(q)
	return nil
}

func (r *Result) elasticSetting(q *sluice.Queue, name string, v *hocon.Value) (err error) {
	d := map[string]**time.Duration{
		"defaultVisibilityTimeout": &q.Visibility, "delay": &q.Delay, "receiveMessageWait": &q.Wait,
	}[name]
	if d != nil {
		*d, err = r.elasticDuration(q, name, v)
		return err
	}
	switch name {
	case "fifo":
	case "contentBasedDeduplication":
		if on := isOn(v); on || q.FIFO {
			q.ContentDedup = &on
		}
	case "deadLettersQueue":
		q.DeadLetter, err = deadLetter(textOr(v.Object.Get("name"), ""), textOr(v.Object.Get("maxReceiveCount"), ""))
		if err != nil {
			err = fmt.Errorf("line %d: deadLettersQueue of %s needs a name and a maxReceiveCount", v.Line, q.Name)
		}
	case "tags":
		q.Tags, err = elasticTags(v)
	case "copyTo", "moveTo":
		if v.Text != "" {
			r.warn("line %d: queue %s: %s has no counterpart", v.Line, q.Name, name)
		}
	case "created", "lastModified": // of a file that the server itself has written
	default:
		r.warn("line %d: queue %s: %s has no counterpart", v.Line, q.Name, name)
	}
	return err
}

func elasticTags(v *hocon.Value) (map[string]string, error) {
	if v.Object == nil {
		return nil, fmt.Errorf("line %d: tags is not a section", v.Line)
	}
	tags := map[string]string{}
	for _, name := range v.Object.Names {
		text, err := scalar(v.Object.Get(name))
		if err != nil {
			return nil, err
		}
		tags[name] = text
	}
	return tags, nil
}

// units of HOCON. A number without one is in milliseconds.
var units = map[string]time.Duration{
	"":   time.Millisecond,
	"ns": time.Nanosecond, "nano": time.Nanosecond, "nanos": time.Nanosecond, "nanosecond": time.Nanosecond, "nanoseconds": time.Nanosecond,
	"us": time.Microsecond, "micro": time.Microsecond, "micros": time.Microsecond, "microsecond": time.Microsecond, "microseconds": time.Microsecond,
	"ms": time.Millisecond, "milli": time.Millisecond, "millis": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// elasticDuration reads a duration and cuts it to whole seconds, as the server does.
func (r *Result) elasticDuration(q *sluice.Queue, name string, v *hocon.Value) (*time.Duration, error) {
	text, err := scalar(v)
	if err != nil {
		return nil, err
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	unit, known := units[text[len(digits):]]
	d := n * float64(unit)
	if err != nil || !known || d < 0 || d > float64(365*24*time.Hour) {
		return nil, fmt.Errorf("line %d: %s of queue %s is %q, want a duration such as 10 seconds", v.Line, name, q.Name, text)
	}
	whole := time.Duration(d).Truncate(time.Second)
	if float64(whole) != d {
		r.warn("line %d: queue %s: %s = %s is %v in whole seconds", v.Line, q.Name, name, cmp.Or(text, "0"), whole)
	}
	return &whole, nil
}
