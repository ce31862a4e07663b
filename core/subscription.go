package core

import (
	"context"
	"errors"
	"slices"
	"time"
)

// EndpointKind is how a subscription gets what is published.
type EndpointKind uint8

// The kinds of endpoints.
const (
	EndpointQueue  EndpointKind = iota + 1 // a message to Endpoint.Queue
	EndpointPush                           // Options.Pusher takes it to Endpoint.Address
	EndpointOutbox                         // it is laid into the outbox, see Broker.Outbox
)

// Endpoint is where a subscription wants what is published. The engine does not read the address.
type Endpoint struct {
	Kind    EndpointKind
	Queue   QueueKey // EndpointQueue. It need not exist: what is published meanwhile is lost to the subscription
	Address string   // EndpointPush and EndpointOutbox
}

// SubscriptionSettings are what a subscription is configured with.
type SubscriptionSettings struct {
	Endpoint   Endpoint  // fixed when the subscription is made
	Tag        string    // not empty: only publications with the same tag
	Strategy   Strategy  // of a push that fails
	Format     string    // not read by the engine: the form in which the dialect renders what is published
	Owner      string    // not read by the engine: who subscribed
	DeadLetter *QueueKey // gets what could not be delivered; nil: nobody does
}

// SubscriptionPatch is a partial SubscriptionSettings: a nil field is one that the caller did not name.
type SubscriptionPatch struct {
	Tag        *string
	Strategy   *Strategy
	Format     *string
	DeadLetter **QueueKey // a pointer to nil removes it
}

// SubscriptionInfo describes a subscription at one instant.
type SubscriptionInfo struct {
	Topic    TopicKey
	Name     SubscriptionName
	Settings SubscriptionSettings
	Created  time.Time
	Modified time.Time // when the settings last changed
}

// Subscribe implements Broker.
func (v *view) Subscribe(_ context.Context, key TopicKey, name SubscriptionName, settings SubscriptionSettings) (SubscriptionInfo, bool, error) {
	fits := v.e.takesGroups(&settings.Endpoint)
	t, err := v.e.openTopic(key)
	if err != nil {
		return SubscriptionInfo{}, false, err
	}
	if t.settings.FIFO && !fits {
		t.mu.Unlock()
		return SubscriptionInfo{}, false, &Error{Kind: SubscriptionTargetType, Field: SubscriptionEndpoint, Value: settings.Endpoint}
	}
	i, found := t.find(name)
	if found {
		info := t.subscriptions[i].info()
		t.mu.Unlock()
		_ = v.e.journal.barrier() // it may have been made a moment ago, in vain
		return info, false, info.Settings.conflict(&settings)
	}
	if limit := v.rules.SubscriptionLimit; limit > 0 && len(t.subscriptions) >= limit {
		t.mu.Unlock()
		return SubscriptionInfo{}, false, &Error{Kind: SubscriptionLimit, Max: limit}
	}
	var c changes
	s := newSubscription(t, v.e.sequence.next(&c))
	s.name, s.settings, s.created = name, settings, v.e.now()
	s.modified = s.created
	t.subscriptions = slices.Insert(t.subscriptions, i, s)
	info := s.info()
	s.save(&c)
	if err := v.e.commitTopic(t, &c); err != nil {
		return SubscriptionInfo{}, false, err
	}
	return info, true, nil
}

// takesGroups reports whether an endpoint keeps the order of groups: a FIFO queue, or one that is not there yet. Whether
// it has become one is seen when something is published.
func (e *Engine) takesGroups(to *Endpoint) bool {
	if to.Kind != EndpointQueue {
		return false
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	q := e.queues[to.Queue]
	return q == nil || q.settings().FIFO
}

func (s *subscription) save(c *changes) {
	c.batch.Put(messageKey(subscriptionPrefix, s.topic.id, s.id), encodeSubscription(s))
}

// conflict tells whether a subscription can be taken for one with the wanted settings. Whose it is does not matter.
func (s *SubscriptionSettings) conflict(wanted *SubscriptionSettings) error {
	sameTarget := s.DeadLetter == nil && wanted.DeadLetter == nil || s.DeadLetter != nil && wanted.DeadLetter != nil && *s.DeadLetter == *wanted.DeadLetter
	for _, f := range []struct {
		field Field
		same  bool
	}{
		{SubscriptionEndpoint, s.Endpoint == wanted.Endpoint},
		{SubscriptionTag, s.Tag == wanted.Tag},
		{SubscriptionStrategy, s.Strategy == wanted.Strategy},
		{SubscriptionFormat, s.Format == wanted.Format},
		{SubscriptionDeadLetter, sameTarget},
	} {
		if !f.same {
			return &Error{Kind: SubscriptionExists, Field: f.field}
		}
	}
	return nil
}

// AmendSubscription implements Broker.
func (v *view) AmendSubscription(_ context.Context, key TopicKey, name SubscriptionName, p SubscriptionPatch) error {
	t, err := v.e.openTopic(key)
	if err != nil {
		return err
	}
	s, err := t.subscription(name)
	if err != nil {
		t.mu.Unlock()
		return err
	}
	assign(&s.settings.Tag, p.Tag)
	assign(&s.settings.Strategy, p.Strategy)
	assign(&s.settings.Format, p.Format)
	assign(&s.settings.DeadLetter, p.DeadLetter)
	s.modified = v.e.now()
	var c changes
	s.save(&c)
	return v.e.commitTopic(t, &c)
}

// Subscription implements Broker.
func (v *view) Subscription(_ context.Context, key TopicKey, name SubscriptionName) (SubscriptionInfo, error) {
	t, err := v.e.openTopic(key)
	if err != nil {
		return SubscriptionInfo{}, err
	}
	var info SubscriptionInfo
	s, err := t.subscription(name)
	if err == nil {
		info = s.info()
	}
	t.mu.Unlock()
	return info, errors.Join(err, v.e.journal.barrier())
}

// Subscriptions implements Broker.
func (v *view) Subscriptions(_ context.Context, key TopicKey, prefix string, after SubscriptionName, limit int) ([]SubscriptionInfo, bool, error) {
	t, err := v.e.openTopic(key)
	if err != nil {
		return nil, false, err
	}
	infos, more := t.list(prefix, after, limit)
	t.mu.Unlock()
	return infos, more, v.e.journal.barrier()
}

// Unsubscribe implements Broker.
func (v *view) Unsubscribe(_ context.Context, key TopicKey, name SubscriptionName) error {
	e := v.e
	t, err := e.openTopic(key)
	if err != nil {
		return err
	}
	i, found := t.find(name)
	if !found {
		t.mu.Unlock()
		return nil
	}
	s := t.subscriptions[i]
	t.subscriptions = slices.Delete(t.subscriptions, i, i+1)
	g := grave{ranges: [][]byte{messageKey(deliveryPrefix, t.id, s.id)}, keys: t.abandon(s)}
	e.postman.set(s, 0)
	var c changes
	c.batch.Delete(messageKey(subscriptionPrefix, t.id, s.id))
	if err := e.commitTopic(t, &c); err != nil {
		return err
	}
	e.sweeper.add(g)
	return nil
}
