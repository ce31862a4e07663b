package sluice

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/mns"
	"github.com/sluicemq/sluice/protocols/sqs"
)

// declaration brings resources about. Doing it again changes nothing, not even the times of modification.
type declaration struct {
	site   *protocols.Site
	broker func(core.Rules) core.Broker
}

// Documented, by both providers but for the sizes.
func newDefaults(size int) core.Rules {
	return core.Rules{
		Defaults:          core.Settings{Visibility: 30 * time.Second, Retention: 4 * 24 * time.Hour, MaxSize: size},
		TopicDefaults:     core.TopicSettings{MaxSize: mnsSize},
		SubscriptionLimit: 100,
	}
}

// The largest message of a new queue.
const (
	sqsSize = 1 << 20
	mnsSize = 1 << 16
)

// declare makes what is not there. Dead-letter queues are named once all queues are there, in whatever order they come.
func (d *declaration) declare(ctx context.Context, r *Resources) error {
	if err := d.checkNames(r); err != nil {
		return err
	}
	for i := range r.Queues {
		if err := d.queue(ctx, &r.Queues[i]); err != nil {
			return r.queueError(i, err)
		}
	}
	for i := range r.Queues {
		if err := d.deadLetter(ctx, &r.Queues[i]); err != nil {
			return r.queueError(i, err)
		}
	}
	for i := range r.Topics {
		if err := d.topic(ctx, &r.Topics[i]); err != nil {
			return r.topicError(i, err)
		}
	}
	for i := range r.Subscriptions {
		if err := d.subscription(ctx, &r.Subscriptions[i]); err != nil {
			return r.subscriptionError(i, err)
		}
	}
	return nil
}

// checkNames refuses what would be made silently and is not meant: one queue in two places, and FIFO queues under names
// that SQS knows for standard ones.
func (d *declaration) checkNames(r *Resources) error {
	seen := map[core.QueueKey]bool{}
	for i := range r.Queues {
		q := &r.Queues[i]
		if seen[d.key(q)] {
			return r.queueError(i, errors.New("it is there twice"))
		}
		seen[d.key(q)] = true
		if q.FIFO && !d.ofMNS(q) && !strings.HasSuffix(q.Name, fifoSuffix) {
			return r.queueError(i, errors.New("the names of FIFO queues of SQS end with .fifo (or say namespace: mns)"))
		}
	}
	return nil
}

// ofMNS reports whether a queue is in an account of MNS.
func (d *declaration) ofMNS(q *Queue) bool {
	ns := home(q.Namespace, d.site.SQS)
	return ns == d.site.MNS.Namespace() || sqsHomes.check(Home(ns)) != nil
}

// home returns a namespace of a resource as the providers see it.
func home(given, otherwise Home) core.Namespace {
	if given == (Home{}) {
		given = otherwise
	}
	return given.Namespace()
}

func (d *declaration) key(q *Queue) core.QueueKey { return d.named(q, q.Name) }

func (d *declaration) named(q *Queue, name string) core.QueueKey {
	return core.QueueKey{Namespace: d.site.Inside(home(q.Namespace, d.site.SQS)), Name: core.QueueName(name)}
}

// under returns the engine with the defaults of the provider whose account the queue is in.
func (d *declaration) under(q *Queue) core.Broker {
	size := sqsSize
	if d.ofMNS(q) {
		size = mnsSize
	}
	return d.broker(newDefaults(size))
}

func (d *declaration) queue(ctx context.Context, q *Queue) error {
	key, broker := d.key(q), d.under(q)
	p, err := d.patch(q, nil)
	if err != nil {
		return err
	}
	info, _, err := broker.Create(ctx, key, p, q.Tags)
	if differs, ok := errors.AsType[*core.Error](err); ok && differs.Kind == core.QueueExists {
		if differs.Field == core.QueueFIFO {
			return errors.New("there is one of the other type: delete it or give this one another name")
		}
		if err = broker.Amend(ctx, key, func(i core.QueueInfo) (core.Patch, error) { return d.patch(q, &i.Settings) }); err == nil {
			info, err = broker.Queue(ctx, key)
		}
	}
	if err != nil {
		return err
	}
	tags := maps.Clone(q.Tags)
	maps.DeleteFunc(tags, func(name, value string) bool { had, ok := info.Tags[name]; return ok && had == value })
	if len(tags) == 0 {
		return nil
	}
	return broker.Tag(ctx, key, tags, nil)
}

// patch is what the settings of a queue are to become, but for its dead-letter queue. Current is nil for a new queue.
func (d *declaration) patch(q *Queue, current *core.Settings) (core.Patch, error) {
	p, err := sqs.Patch(d.site, q.FIFO, current, q.Attributes)
	if err != nil {
		return p, err
	}
	p.FIFO, p.ContentDedup, p.TenantRate = &q.FIFO, q.ContentDedup, q.TenantRate
	p.Delay, p.Visibility, p.Retention, p.Wait, p.MaxSize = q.Delay, q.Visibility, q.Retention, q.Wait, q.MaxSize
	if logging := mns.LoggingNotes(q.Logging); logging != nil {
		if p.Notes == nil {
			p.Notes = map[string]*string{}
		}
		maps.Copy(p.Notes, logging)
	}
	return p, nil
}

func (d *declaration) deadLetter(ctx context.Context, q *Queue) error {
	if q.DeadLetter == nil {
		return nil
	}
	key, broker := d.key(q), d.under(q)
	wanted := &core.Redrive{Target: d.named(q, q.DeadLetter.Queue), MaxReceives: q.DeadLetter.MaxReceives}
	info, err := broker.Queue(ctx, key)
	if err != nil || reflect.DeepEqual(info.Settings.Redrive, wanted) {
		return err
	}
	err = broker.Amend(ctx, key, func(core.QueueInfo) (core.Patch, error) { return core.Patch{Redrive: &wanted}, nil })
	if failed, ok := errors.AsType[*core.Error](err); ok {
		if text, known := deadLetterErrors[failed.Kind]; known {
			return fmt.Errorf("its dead-letter queue %s %s", q.DeadLetter.Queue, text)
		}
	}
	return err
}

var deadLetterErrors = map[core.Kind]string{ //nolint:exhaustive // the others are faults
	core.RedriveTargetNotFound: "does not exist",
	core.RedriveTargetType:     "is not of the same type",
	core.RedriveDenied:         "does not allow it",
}

func (d *declaration) topic(ctx context.Context, t *Topic) error {
	key := core.TopicKey{Namespace: d.site.Inside(home(t.Namespace, d.site.MNS)), Name: core.TopicName(t.Name)}
	broker, p := d.broker(newDefaults(mnsSize)), core.TopicPatch{MaxSize: t.MaxSize, FIFO: &t.FIFO, Notes: mns.LoggingNotes(t.Logging)}
	_, _, err := broker.CreateTopic(ctx, key, p)
	differs, ok := errors.AsType[*core.Error](err)
	switch {
	case !ok || differs.Kind != core.TopicExists:
		return err
	case differs.Field == core.TopicFIFO:
		return errors.New("there is one of the other type: delete it or give this one another name")
	}
	return broker.AmendTopic(ctx, key, p)
}

func (d *declaration) subscription(ctx context.Context, s *Subscription) error {
	outside := home(s.Namespace, d.site.MNS)
	inside, endpoint := d.site.Inside(outside), s.Endpoint
	if s.Queue != "" {
		endpoint = mns.QueueEndpoint(outside, s.Queue)
	}
	settings, err := mns.Subscription{
		Endpoint: endpoint, FilterTag: s.FilterTag, NotifyStrategy: s.Strategy, NotifyContentFormat: s.Format,
	}.Settings(d.site, outside)
	if err != nil {
		return err
	}
	if s.DeadLetter != "" {
		settings.DeadLetter = &core.QueueKey{Namespace: inside, Name: core.QueueName(s.DeadLetter)}
	}
	topic, name := core.TopicKey{Namespace: inside, Name: core.TopicName(s.Topic)}, core.SubscriptionName(s.Name)
	broker := d.broker(newDefaults(mnsSize))
	_, _, err = broker.Subscribe(ctx, topic, name, settings)
	differs, ok := errors.AsType[*core.Error](err)
	switch {
	case !ok:
		return err
	case differs.Kind == core.TopicNotFound:
		return errors.New("there is no such topic")
	case differs.Kind == core.SubscriptionTargetType:
		return errors.New("the topic is a FIFO topic, and this is not a FIFO queue")
	case differs.Kind == core.SubscriptionExists && differs.Field == core.SubscriptionEndpoint:
		return errors.New("there is one with another endpoint: unsubscribe it or give this one another name")
	case differs.Kind == core.SubscriptionExists:
		return broker.AmendSubscription(ctx, topic, name, core.SubscriptionPatch{
			Tag: &settings.Tag, Strategy: &settings.Strategy, Format: &settings.Format, DeadLetter: &settings.DeadLetter,
		})
	}
	return err
}
