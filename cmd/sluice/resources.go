package main

import (
	"strconv"
	"time"

	"github.com/sluicemq/sluice"
)

// resources are the sections of the file that name what is there from the start.
type resources struct {
	Queues        []queueText        `yaml:"queues,omitempty"`
	Topics        []topicText        `yaml:"topics,omitempty"`
	Subscriptions []subscriptionText `yaml:"subscriptions,omitempty"`
}

type queueText struct {
	Name         *text               `yaml:"name,omitempty"`
	Namespace    *text               `yaml:"namespace,omitempty"`
	FIFO         *text               `yaml:"fifo,omitempty"`
	ContentDedup *text               `yaml:"content-dedup,omitempty"`
	DeadLetter   *deadLetterText     `yaml:"dead-letter,omitempty"`
	Tags         map[string]text     `yaml:"tags,omitempty"`
	Attributes   map[string]document `yaml:"attributes,omitempty"`
	Logging      *text               `yaml:"logging,omitempty"`
	Delay        *text               `yaml:"delay,omitempty"`
	Visibility   *text               `yaml:"visibility,omitempty"`
	Retention    *text               `yaml:"retention,omitempty"`
	Wait         *text               `yaml:"wait,omitempty"`
	MaxSize      *text               `yaml:"max-size,omitempty"`
	TenantRate   *text               `yaml:"tenant-rate,omitempty"`
}

type deadLetterText struct {
	Queue       *text `yaml:"queue,omitempty"`
	MaxReceives *text `yaml:"max-receives,omitempty"`
}

type topicText struct {
	Name      *text `yaml:"name,omitempty"`
	Namespace *text `yaml:"namespace,omitempty"`
	FIFO      *text `yaml:"fifo,omitempty"`
	MaxSize   *text `yaml:"max-size,omitempty"`
	Logging   *text `yaml:"logging,omitempty"`
}

type subscriptionText struct {
	Topic      *text `yaml:"topic,omitempty"`
	Name       *text `yaml:"name,omitempty"`
	Namespace  *text `yaml:"namespace,omitempty"`
	Endpoint   *text `yaml:"endpoint,omitempty"`
	Queue      *text `yaml:"queue,omitempty"`
	FilterTag  *text `yaml:"filter-tag,omitempty"`
	Strategy   *text `yaml:"strategy,omitempty"`
	Format     *text `yaml:"format,omitempty"`
	DeadLetter *text `yaml:"dead-letter,omitempty"`
}

// nameOf returns the name of an entry, or nil if it has none.
func (r *resources) nameOf(at place) *text {
	switch i := at.index; at.section {
	case "queues":
		return r.Queues[i].Name
	case "topics":
		return r.Topics[i].Name
	case "subscriptions":
		return r.Subscriptions[i].Name
	}
	return nil
}

// resources returns what the sections say. The homes are what sqs and mns stand for as namespaces.
func (c *config) resources(sqs, mns sluice.Home) sluice.Resources {
	v, r := values{c: c, homes: map[string]sluice.Home{"sqs": sqs, "mns": mns}}, &c.Resources
	var all sluice.Resources
	for i := range r.Queues {
		v.at = place{"queues", i}
		all.Queues = append(all.Queues, v.queue(&r.Queues[i]))
	}
	for i, t := range r.Topics {
		v.at = place{"topics", i}
		all.Topics = append(all.Topics, sluice.Topic{
			Namespace: v.namespace(t.Namespace), Name: t.Name.orEmpty(), FIFO: v.is("fifo", t.FIFO), MaxSize: v.number("max-size", t.MaxSize),
			Logging: v.flag("logging", t.Logging),
		})
	}
	for i, s := range r.Subscriptions {
		v.at = place{"subscriptions", i}
		all.Subscriptions = append(all.Subscriptions, sluice.Subscription{
			Namespace: v.namespace(s.Namespace), Topic: s.Topic.orEmpty(), Name: s.Name.orEmpty(),
			Endpoint: s.Endpoint.orEmpty(), Queue: s.Queue.orEmpty(), FilterTag: s.FilterTag.orEmpty(),
			Strategy: s.Strategy.orEmpty(), Format: s.Format.orEmpty(), DeadLetter: s.DeadLetter.orEmpty(),
		})
	}
	return all
}

func (v *values) queue(q *queueText) sluice.Queue {
	queue := sluice.Queue{
		Namespace:    v.namespace(q.Namespace),
		Name:         q.Name.orEmpty(),
		ContentDedup: v.flag("content-dedup", q.ContentDedup),
		Delay:        v.duration("delay", q.Delay),
		Visibility:   v.duration("visibility", q.Visibility),
		Retention:    v.duration("retention", q.Retention),
		Wait:         v.duration("wait", q.Wait),
		MaxSize:      v.number("max-size", q.MaxSize),
		TenantRate:   v.number("tenant-rate", q.TenantRate),
		FIFO:         v.is("fifo", q.FIFO),
		Logging:      v.flag("logging", q.Logging),
	}
	for name, value := range q.Attributes {
		if queue.Attributes == nil {
			queue.Attributes = map[string]string{}
		}
		queue.Attributes[name] = value.value
	}
	if d := q.DeadLetter; d != nil {
		queue.DeadLetter = &sluice.DeadLetter{Queue: d.Queue.orEmpty()}
		if n := v.number("max-receives", d.MaxReceives); n != nil {
			queue.DeadLetter.MaxReceives = *n
		}
	}
	for name, value := range q.Tags {
		if queue.Tags == nil {
			queue.Tags = map[string]string{}
		}
		queue.Tags[name] = value.value
	}
	return queue
}

// values reads scalars and notes what is wrong with them. What the file leaves out is nil.
type values struct {
	c     *config
	at    place // whose values are read
	homes map[string]sluice.Home
}

func (v *values) fail(t *text, format string, args ...any) { v.c.wrongText(t, v.at, format, args...) }

// namespace reads sqs, mns or account/region.
func (v *values) namespace(t *text) sluice.Home {
	if t == nil {
		return sluice.Home{}
	}
	if home, known := v.homes[t.value]; known {
		return home
	}
	home, err := sluice.ParseMNS(t.value) // an account of SQS is one of MNS by its form
	if err != nil {
		v.fail(t, "namespace is %q, want sqs, mns or account/region", t.value)
	}
	return home
}

func (v *values) flag(name string, t *text) *bool {
	if t == nil {
		return nil
	}
	b, err := strconv.ParseBool(t.value)
	if err != nil {
		v.fail(t, "%s is %q, want true or false", name, t.value)
	}
	return &b
}

// is reads a flag that is off where the file leaves it out.
func (v *values) is(name string, t *text) bool {
	b := v.flag(name, t)
	return b != nil && *b
}

func (v *values) number(name string, t *text) *int {
	if t == nil {
		return nil
	}
	n, err := strconv.Atoi(t.value)
	if err != nil {
		v.fail(t, "%s is %q, want a number", name, t.value)
	}
	return &n
}

// duration reads 90, 90s or 1m30s. Both providers know whole seconds only.
func (v *values) duration(name string, t *text) *time.Duration {
	if t == nil {
		return nil
	}
	d, err := parseDuration(t.value)
	if err != nil || d%time.Second != 0 {
		v.fail(t, "%s is %q, want seconds, as in 90, 90s or 1m30s", name, t.value)
	}
	return &d
}

// parseDuration reads a duration of Go; a number alone is in seconds.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		d, err = time.ParseDuration(s + "s")
	}
	return d, err
}
