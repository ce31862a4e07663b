package sqs

import (
	"strconv"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

type attributeMap = wire.Map[*string]

// attribute is one row of the table of queue attributes.
type attribute struct {
	name  string
	field core.Field // what the engine's errors call it
	// standard is what a standard queue says to its setting; nil if it is for every queue.
	standard func(name string) *fault
	// show returns its value; it is left out of answers when that is empty.
	show func(s *service, q *core.QueueInfo) string
	// set enters a value into a draft; nil: clients cannot set it.
	set func(d *draft, value string) error
}

// attributes is the table of queue attributes in the order of answers (Recorded 2012, 2018 and 2022, but for the last
// five, whose place is not known). What is said to standard queues is Recorded 2024-05-15.
var attributes = []attribute{
	{name: "QueueArn", show: func(s *service, q *core.QueueInfo) string { return s.arn(q.Key) }},
	counter("ApproximateNumberOfMessages", func(q *core.QueueInfo) int { return q.Visible }),
	counter("ApproximateNumberOfMessagesNotVisible", func(q *core.QueueInfo) int { return q.InFlight }),
	counter("ApproximateNumberOfMessagesDelayed", func(q *core.QueueInfo) int { return q.Delayed }),
	{name: "CreatedTimestamp", show: func(_ *service, q *core.QueueInfo) string { return epochSeconds(q.Created) }},
	{name: "LastModifiedTimestamp", show: func(_ *service, q *core.QueueInfo) string { return epochSeconds(q.Modified) }},
	period("VisibilityTimeout", core.QueueVisibility,
		func(s *core.Settings) time.Duration { return s.Visibility },
		func(p *core.Patch, d *time.Duration) { p.Visibility = d }),
	{
		name: "MaximumMessageSize", field: core.QueueMaxSize,
		show: func(_ *service, q *core.QueueInfo) string { return strconv.Itoa(q.Settings.MaxSize) },
		set: func(d *draft, value string) error {
			n, ok := parseCount(value)
			d.patch.MaxSize = &n
			return d.unless(ok, "MaximumMessageSize")
		},
	},
	period("MessageRetentionPeriod", core.QueueRetention,
		func(s *core.Settings) time.Duration { return s.Retention },
		func(p *core.Patch, d *time.Duration) { p.Retention = d }),
	period("DelaySeconds", core.QueueDelay,
		func(s *core.Settings) time.Duration { return s.Delay },
		func(p *core.Patch, d *time.Duration) { p.Delay = d }),
	{name: notePolicy, show: note(notePolicy), set: (*draft).setPolicy},
	{name: "RedrivePolicy", field: core.QueueRedrive, show: (*service).showRedrive, set: (*draft).setRedrive},
	period("ReceiveMessageWaitTimeSeconds", core.QueueWait,
		func(s *core.Settings) time.Duration { return s.Wait },
		func(p *core.Patch, d *time.Duration) { p.Wait = d }),
	{name: noteKey, show: note(noteKey), set: (*draft).setKey},
	{name: noteReuse, show: showReuse, set: (*draft).setReuse},
	{name: noteManaged, show: showManaged, set: (*draft).setManaged},
	{
		name: "FifoQueue", field: core.QueueFIFO, standard: unknownAttribute, set: (*draft).setFIFO,
		show: onlyFIFO(func(*core.Settings) string { return "true" }),
	},
	{
		name: "ContentBasedDeduplication", field: core.QueueContentDedup, standard: unknownAttribute,
		show: onlyFIFO(func(s *core.Settings) string { return strconv.FormatBool(s.ContentDedup) }),
		set: func(d *draft, value string) error {
			return d.choose(&d.patch.ContentDedup, "ContentBasedDeduplication", value, "false", "true")
		},
	},
	{
		name: "DeduplicationScope", field: core.QueueDedupScope, standard: specifyOnlyForFIFO,
		show: onlyFIFO(func(s *core.Settings) string { return oneOf(s.DedupPerGroup, scopeQueue, scopeGroup) }),
		set: func(d *draft, value string) error {
			return d.choose(&d.patch.DedupPerGroup, "DeduplicationScope", value, scopeQueue, scopeGroup)
		},
	},
	{
		name: "FifoThroughputLimit", field: core.QueueGroupLimit, standard: specifyOnlyForFIFO,
		show: onlyFIFO(func(s *core.Settings) string { return oneOf(s.GroupLimit, limitQueue, limitGroup) }),
		set: func(d *draft, value string) error {
			return d.choose(&d.patch.GroupLimit, "FifoThroughputLimit", value, limitQueue, limitGroup)
		},
	},
	{name: noteRedriveAllow, field: core.QueueRedriveAllow, show: (*service).showRedriveAllow, set: (*draft).setRedriveAllow},
}

const (
	scopeQueue, scopeGroup = "queue", "messageGroup"
	limitQueue, limitGroup = "perQueue", "perMessageGroupId"
)

func attributeNamed(name string) (*attribute, error) {
	for i := range attributes {
		if attributes[i].name == name {
			return &attributes[i], nil
		}
	}
	return nil, unknownAttribute(name)
}

func specifyOnlyForFIFO(name string) *fault {
	return invalidAttributeName.say("You can specify the %s only when FifoQueue is set to true.", name)
}

func counter(name string, count func(*core.QueueInfo) int) attribute {
	return attribute{name: name, show: func(_ *service, q *core.QueueInfo) string { return strconv.Itoa(count(q)) }}
}

// period is an attribute in whole seconds; the engine checks its range.
func period(name string, field core.Field, get func(*core.Settings) time.Duration, set func(*core.Patch, *time.Duration)) attribute {
	return attribute{
		name: name, field: field,
		show: func(_ *service, q *core.QueueInfo) string { return inSeconds(get(&q.Settings)) },
		set: func(d *draft, value string) error {
			t, ok := parseSeconds(value)
			set(&d.patch, &t)
			return d.unless(ok, name)
		},
	}
}

func onlyFIFO(show func(*core.Settings) string) func(*service, *core.QueueInfo) string {
	return func(_ *service, q *core.QueueInfo) string {
		if !q.Settings.FIFO {
			return ""
		}
		return show(&q.Settings)
	}
}

func note(name string) func(*service, *core.QueueInfo) string {
	return func(_ *service, q *core.QueueInfo) string { return q.Settings.Notes[name] }
}

func oneOf(second bool, a, b string) string {
	if second {
		return b
	}
	return a
}

// showAll returns the values of the attributes with the given names, in the order of the table. Names that are
// unknown are an error; those of attributes that a queue does not have are not.
func (s *service) showAll(q *core.QueueInfo, names []string) (wire.Map[string], error) {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		if name != "All" {
			if _, err := attributeNamed(name); err != nil {
				return nil, err
			}
		}
		wanted[name] = true
	}
	var shown wire.Map[string]
	for i := range attributes {
		a := &attributes[i]
		if !wanted["All"] && !wanted[a.name] {
			continue
		}
		if value := a.show(s, q); value != "" {
			shown = append(shown, wire.Entry[string]{Key: a.name, Value: value})
		}
	}
	return shown, nil
}
