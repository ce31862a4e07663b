package migration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice"
)

// state is a state file of Terraform or OpenTofu, in the form that both have written since Terraform 0.12.
type state struct {
	Version   int             `json:"version"`
	Resources []stateResource `json:"resources"`
}

type stateResource struct {
	Mode      string `json:"mode"`
	Type      string `json:"type"`
	Name      string `json:"name"`
	Module    string `json:"module"`
	Instances []struct {
		Attributes map[string]any `json:"attributes"`
		Deposed    string         `json:"deposed"` // one that has been replaced and waits to be destroyed
	} `json:"instances"`
}

// stateReaders are the resources that are read, by their types: those of SQS, and those of MNS under both of the names
// that its provider has had for them. Policies come after the queues that they are for.
var stateReaders = map[string]struct {
	turn int
	read func(r *Result, name string, a attributes)
}{
	"aws_sqs_queue":                         {0, (*Result).stateQueue},
	"alicloud_mns_queue":                    {0, (*Result).stateMNSQueue},
	"alicloud_message_service_queue":        {0, (*Result).stateMNSQueue},
	"alicloud_mns_topic":                    {0, (*Result).stateTopic},
	"alicloud_message_service_topic":        {0, (*Result).stateTopic},
	"aws_sqs_queue_policy":                  {1, statePolicy("Policy", "policy")},
	"aws_sqs_queue_redrive_allow_policy":    {1, statePolicy("RedriveAllowPolicy", "redrive_allow_policy")},
	"aws_sqs_queue_redrive_policy":          {1, (*Result).stateRedrive},
	"alicloud_mns_topic_subscription":       {1, (*Result).stateSubscription},
	"alicloud_message_service_subscription": {1, (*Result).stateSubscription},
}

// messaging are the types of which each one is worth a warning.
var messaging = []string{"aws_sqs_", "aws_sns_", "alicloud_mns_", "alicloud_message_service_"}

func terraformState(r *Result, text []byte, _ map[string]string) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var s state
	if err := d.Decode(&s); err != nil {
		return err
	}
	if s.Version != 4 {
		return fmt.Errorf("version of the state is %d, want 4", s.Version)
	}
	r.warnUnknown(&s)
	found := false
	for turn := range 2 {
		for _, resource := range s.Resources {
			reader, known := stateReaders[resource.Type]
			if !known || resource.Mode != managed || reader.turn != turn {
				continue
			}
			for _, i := range resource.Instances {
				if i.Deposed == "" {
					found = true
					reader.read(r, resource.address(), i.Attributes)
				}
			}
		}
	}
	if !found {
		return errors.New("there are no queues in the state")
	}
	return nil
}

// managed is the mode of resources that are not only looked up.
const managed = "managed"

// address is how Terraform calls a resource.
func (s *stateResource) address() string {
	return strings.TrimPrefix(s.Module+"."+s.Type+"."+s.Name, ".")
}

func (r *Result) warnUnknown(s *state) {
	others := map[string]int{}
	for _, resource := range s.Resources {
		_, known := stateReaders[resource.Type]
		switch {
		case known || resource.Mode != managed:
		case isMessaging(resource.Type):
			r.warn("%s has no counterpart", resource.address())
		default:
			others[resource.Type]++
		}
	}
	r.warnOthers(others)
}

func isMessaging(kind string) bool {
	for _, prefix := range messaging {
		if strings.HasPrefix(kind, prefix) {
			return true
		}
	}
	return false
}

// attributes of an instance. Null, and what is empty, is what nobody has set.
type attributes map[string]any

// text returns the first of the attributes that has a value.
func (a attributes) text(names ...string) string {
	for _, name := range names {
		if v := a[name]; v != nil && fmt.Sprint(v) != "" {
			return fmt.Sprint(v)
		}
	}
	return ""
}

func (a attributes) number(names ...string) *int {
	n, err := strconv.Atoi(a.text(names...))
	if err != nil {
		return nil
	}
	return &n
}

func (a attributes) seconds(name string) *time.Duration {
	n := a.number(name)
	if n == nil {
		return nil
	}
	return whole(int64(*n))
}

func (a attributes) is(name string) bool { return a.text(name) == "true" }

// block returns the attributes of a block within a resource, of which there is at most one.
func (a attributes) block(name string) (inner attributes) {
	if list, _ := a[name].([]any); len(list) > 0 {
		inner, _ = list[0].(map[string]any)
	}
	return inner
}

// place puts the first account and region that a state names at home, so that resource names in policies hold.
func (r *Result) place(arn string) sluice.Home {
	home, ok := homeOf(arn)
	if !ok || home == r.Options.SQS {
		return sluice.Home{}
	}
	if len(r.Options.Resources.Queues) == 0 {
		r.Options.SQS = home
		return sluice.Home{}
	}
	return home
}

func (r *Result) stateQueue(name string, a attributes) {
	q := sluice.Queue{
		Namespace:  r.place(a.text("arn")),
		Name:       a.text("name"),
		FIFO:       a.is("fifo_queue"),
		Delay:      a.seconds("delay_seconds"),
		Visibility: a.seconds("visibility_timeout_seconds"),
		Retention:  a.seconds("message_retention_seconds"),
		Wait:       a.seconds("receive_wait_time_seconds"),
		MaxSize:    a.number("max_message_size"),
	}
	if q.FIFO {
		q.ContentDedup = new(a.is("content_based_deduplication"))
		copyAttribute(&q, a, "DeduplicationScope", "deduplication_scope")
		copyAttribute(&q, a, "FifoThroughputLimit", "fifo_throughput_limit")
	}
	copyAttribute(&q, a, "Policy", "policy")
	copyAttribute(&q, a, "RedriveAllowPolicy", "redrive_allow_policy")
	if copyAttribute(&q, a, "KmsMasterKeyId", "kms_master_key_id"); a.text("kms_master_key_id") != "" {
		copyAttribute(&q, a, "KmsDataKeyReusePeriodSeconds", "kms_data_key_reuse_period_seconds")
	} else if a.text("sqs_managed_sse_enabled") == "false" {
		setAttribute(&q, "SqsManagedSseEnabled", "false")
	}
	q.Tags = tagMap(a["tags_all"], a["tags"])
	r.setRedrive(&q, name, a.text("redrive_policy"))
	r.add(q)
}

func copyAttribute(q *sluice.Queue, a attributes, attribute, name string) {
	if text := a.text(name); text != "" {
		setAttribute(q, attribute, text)
	}
}

// tagMap returns the first of the maps that has anything in it.
func tagMap(given ...any) map[string]string {
	for _, g := range given {
		m, _ := g.(map[string]any)
		tags := map[string]string{}
		for name, value := range m {
			tags[name] = fmt.Sprint(value)
		}
		if len(tags) > 0 {
			return tags
		}
	}
	return nil
}

func (r *Result) setRedrive(q *sluice.Queue, name, policy string) {
	if policy == "" {
		return
	}
	d, err := redrive(policy)
	if err != nil {
		r.warn("%s: %v: it is left out", name, err)
		return
	}
	q.DeadLetter = d
}

func statePolicy(attribute, name string) func(*Result, string, attributes) {
	return func(r *Result, resource string, a attributes) {
		r.policyFor(resource, a.text("queue_url"), attribute, a.text(name))
	}
}

func (r *Result) stateRedrive(name string, a attributes) {
	if q := r.queueAt(name, a.text("queue_url")); q != nil {
		r.setRedrive(q, name, a.text("redrive_policy"))
	}
}

func (r *Result) stateMNSQueue(name string, a attributes) {
	q := sluice.Queue{
		Namespace:  r.Options.MNS,
		Name:       a.text("queue_name", "name"),
		Delay:      a.seconds("delay_seconds"),
		Visibility: a.seconds("visibility_timeout"),
		Retention:  a.seconds("message_retention_period"),
		Wait:       a.seconds("polling_wait_seconds"),
		MaxSize:    a.number("maximum_message_size"),
	}
	if a["logging_enabled"] != nil {
		q.Logging = new(a.is("logging_enabled"))
	}
	q.Tags = tagMap(a["tags"])
	if p := a.block("dlq_policy"); p.is("enabled") {
		var err error
		if q.DeadLetter, err = deadLetter(p.text("dead_letter_target_queue"), p.text("max_receive_count")); err != nil {
			r.warn("%s: %v: it is left out", name, err)
		}
	}
	r.add(q)
}

func (r *Result) stateTopic(_ string, a attributes) {
	t := sluice.Topic{Name: a.text("topic_name", "name"), MaxSize: a.number("max_message_size", "maximum_message_size")}
	if a["logging_enabled"] != nil {
		t.Logging = new(a.is("logging_enabled"))
	}
	r.Options.Resources.Topics = append(r.Options.Resources.Topics, t)
}

// stateSubscription reads a subscription. An endpoint that is a queue of MNS, in whatever account, is one of ours.
func (r *Result) stateSubscription(_ string, a attributes) {
	s := sluice.Subscription{
		Topic:     a.text("topic_name"),
		Name:      a.text("subscription_name", "name"),
		Endpoint:  a.text("endpoint"),
		FilterTag: a.text("filter_tag"),
		Strategy:  a.text("notify_strategy"),
		Format:    a.text("notify_content_format"),
	}
	if _, queue, ok := strings.Cut(s.Endpoint, ":queues/"); ok && strings.HasPrefix(s.Endpoint, "acs:mns:") {
		s.Endpoint, s.Queue = "", queue
	} else if a.text("push_type") == "queue" {
		s.Endpoint, s.Queue = "", s.Endpoint
	}
	if p := a.block("dlq_policy"); p.is("enabled") {
		s.DeadLetter = p.text("dead_letter_target_queue")
	}
	r.Options.Resources.Subscriptions = append(r.Options.Resources.Subscriptions, s)
}
