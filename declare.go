package sluice

import (
	"cmp"
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

// declaration brings resources about, once. Another one of the same changes nothing, not even the times of modification.
type declaration struct {
	site   *protocols.Site
	broker func(core.Rules) core.Broker

	// What has had its turn; nil where it could not be made, so that what leans on it is not wrong as well.
	queues        map[core.QueueKey]*Queue
	topics        map[core.TopicKey]*Topic
	subscriptions map[subscriptionKey]bool

	redrives map[core.QueueKey]*core.Redrive // what queues have of which there is a copy without it, see sameAs
}

type subscriptionKey struct {
	topic core.TopicKey
	name  core.SubscriptionName
}

func newDeclaration(site *protocols.Site, broker func(core.Rules) core.Broker) *declaration {
	return &declaration{
		site: site, broker: broker,
		queues: map[core.QueueKey]*Queue{}, topics: map[core.TopicKey]*Topic{}, subscriptions: map[subscriptionKey]bool{},
	}
}

// Documented, by both providers but for the sizes.
func newDefaults(size int) core.Rules {
	return core.Rules{
		Defaults:          core.Settings{Visibility: 30 * time.Second, Retention: 4 * 24 * time.Hour, MaxSize: size},
		TopicDefaults:     core.TopicSettings{MaxSize: mnsSize},
		SubscriptionLimit: 100,
		MaxTags:           maxTags,
	}
}

var errTwice = errors.New("it is there twice")

// The largest message of a new queue.
const (
	sqsSize = 1 << 20
	mnsSize = 1 << 16
)

// declare makes what is not there, and goes on after what cannot be made: all of that is told, in the order in which it
// is declared within each kind. Dead-letter queues are named once all queues are there, in whatever order they come.
func (d *declaration) declare(ctx context.Context, r *Resources) error {
	var wrong []error
	note := func(err error) {
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	for i := range r.Queues {
		note(r.queueError(i, d.declareQueue(ctx, &r.Queues[i])))
	}
	for i := range r.Queues {
		if q := &r.Queues[i]; d.queues[d.key(q)] == q {
			note(r.queueError(i, d.deadLetter(ctx, q)))
		}
	}
	for i := range r.Topics {
		note(r.topicError(i, d.declareTopic(ctx, &r.Topics[i])))
	}
	for i := range r.Subscriptions {
		note(r.subscriptionError(i, d.declareSubscription(ctx, &r.Subscriptions[i])))
	}
	return errors.Join(wrong...)
}

// declareQueue refuses what would be made silently and is not meant: one queue in two places, and names that its provider
// has no words for.
func (d *declaration) declareQueue(ctx context.Context, q *Queue) error {
	key := d.key(q)
	if _, twice := d.queues[key]; twice {
		return errTwice
	}
	d.queues[key] = nil
	err := firstOf(d.checkQueueName(q), q.validate())
	if err == nil {
		err = d.queue(ctx, q)
	}
	if err == nil {
		d.queues[key] = q
	}
	return err
}

func (d *declaration) checkQueueName(q *Queue) error {
	switch {
	case d.ofMNS(q):
		return checkName(strings.TrimSuffix(q.Name, fifoSuffix), mnsQueueName)
	case q.FIFO && !strings.HasSuffix(q.Name, fifoSuffix):
		return errors.New("the names of FIFO queues of SQS end with .fifo (or say namespace: mns)")
	}
	return checkName(q.Name, sqsQueueName)
}

func (d *declaration) declareTopic(ctx context.Context, t *Topic) error {
	key := d.topicKey(t.Namespace, t.Name)
	if _, twice := d.topics[key]; twice {
		return errTwice
	}
	d.topics[key] = nil
	err := t.validate()
	if err == nil {
		err = d.topic(ctx, key, t)
	}
	if err == nil {
		d.topics[key] = t
	}
	return err
}

func (d *declaration) topicKey(ns Home, name string) core.TopicKey {
	return core.TopicKey{Namespace: d.site.Inside(home(ns, d.site.MNS)), Name: core.TopicName(name)}
}

func (d *declaration) declareSubscription(ctx context.Context, s *Subscription) error {
	key := subscriptionKey{d.topicKey(s.Namespace, s.Topic), core.SubscriptionName(s.Name)}
	if d.subscriptions[key] {
		return errTwice
	}
	d.subscriptions[key] = true
	if err := s.validate(); err != nil {
		return err
	}
	if t, declared := d.topics[key.topic]; declared && t == nil {
		return nil
	}
	return d.subscription(ctx, key, s)
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
	if err != nil || reflect.DeepEqual(cmp.Or(info.Settings.Redrive, d.redrives[key]), wanted) {
		return err
	}
	if target, declared := d.queues[wanted.Target]; declared && target == nil {
		return nil // which is told of the target
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

func (d *declaration) topic(ctx context.Context, key core.TopicKey, t *Topic) error {
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

// settings reads what a subscription is to have.
func (d *declaration) settings(s *Subscription) (core.SubscriptionSettings, error) {
	outside, endpoint := home(s.Namespace, d.site.MNS), s.Endpoint
	if s.Queue != "" {
		endpoint = mns.QueueEndpoint(outside, s.Queue)
	}
	settings, err := mns.Subscription{
		Endpoint: endpoint, FilterTag: s.FilterTag, NotifyStrategy: s.Strategy, NotifyContentFormat: s.Format,
	}.Settings(d.site, outside)
	if err == nil && s.DeadLetter != "" {
		settings.DeadLetter = &core.QueueKey{Namespace: d.site.Inside(outside), Name: core.QueueName(s.DeadLetter)}
	}
	return settings, err
}

func (d *declaration) subscription(ctx context.Context, key subscriptionKey, s *Subscription) error {
	settings, err := d.settings(s)
	if err != nil {
		return err
	}
	broker := d.broker(newDefaults(mnsSize))
	_, _, err = broker.Subscribe(ctx, key.topic, key.name, settings)
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
		return broker.AmendSubscription(ctx, key.topic, key.name, core.SubscriptionPatch{
			Tag: &settings.Tag, Strategy: &settings.Strategy, Format: &settings.Format, DeadLetter: &settings.DeadLetter,
		})
	}
	return err
}
