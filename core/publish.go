package core

import (
	"context"
	"time"
)

// Publication is what is published on a topic.
type Publication struct {
	Body       string
	Tag        string // see SubscriptionSettings.Tag
	Attributes []Attribute
	Notes      map[string]string // not read by the engine: for who renders or pushes it, such as the fields of a mail
	Trace      Trace
	Sender     string
	Group      *string
}

// Published is the outcome of publishing.
type Published struct {
	ID MessageID
	At time.Time
}

// Delivery is a publication on its way to one subscription.
type Delivery struct {
	Topic        TopicKey
	Subscription SubscriptionInfo
	ID           MessageID // of the publication
	At           time.Time // of the publication
	Attempt      int       // 1 is the first
	Publication
}

// publishedBytes bounds what one publication adds to queues and the outbox in its own commit, since a commit has a
// bound too. The subscriptions that are beyond it get a delivery instead, which is as durable and reaches them
// a moment later.
const publishedBytes = 256 << 10

// publicationBytes bounds a publication with all that does not count for its size, such as its properties. Rendered for
// a queue it may be a few times as large.
const publicationBytes = 256 << 10

// Publish implements Broker.
func (v *view) Publish(_ context.Context, key TopicKey, m Publication) (Published, error) {
	t, err := v.e.findTopic(key)
	if err != nil {
		return Published{}, err
	}
	var p Published
	reach := func() []*subscription { return t.matching(m.Tag) }
	err = v.e.post(t, reach, func(o *posting) error {
		if t.settings.FIFO && m.Group == nil {
			return &Error{Kind: GroupMissing, Field: MessageGroup}
		}
		if size := v.rules.size(&Outgoing{Body: m.Body, Attributes: m.Attributes}); size > t.settings.MaxSize {
			return &Error{Kind: MessageTooLarge, Value: size, Max: t.settings.MaxSize}
		}
		if weight := m.weight(); weight > publicationBytes {
			return &Error{Kind: MessageTooLarge, Value: weight, Max: publicationBytes}
		}
		p = o.publish(&m, v.rules.TopicRetention)
		return nil
	})
	if err != nil {
		return Published{}, err
	}
	return p, nil
}

// weight is about the size of a publication's record.
func (m *Publication) weight() int {
	n := (&Outgoing{Body: m.Body, Attributes: m.Attributes, Trace: m.Trace, Sender: m.Sender, Group: m.Group}).weight()
	for name, note := range m.Notes {
		n += len(name) + len(note)
	}
	return n + len(m.Tag)
}

// matching returns the subscriptions that want what is published with a tag.
func (t *topic) matching(tag string) []*subscription {
	var matching []*subscription
	for _, s := range t.subscriptions {
		if s.settings.Tag == "" || s.settings.Tag == tag {
			matching = append(matching, s)
		}
	}
	return matching
}

// publish brings a new publication to all subscriptions that it reaches, or makes them wait for it.
func (o *posting) publish(m *Publication, retention time.Duration) Published {
	t := o.topic
	p := &publication{sequence: o.e.sequence.next(&o.c), id: newMessageID(), at: o.now, until: never}
	if retention > 0 {
		p.until = o.now.add(retention)
	}
	if o.e.watched {
		o.c.events = append(o.c.events, Event{Kind: EventPublished, At: o.now.time(), Topic: t.key, ID: p.id, Trace: m.Trace})
	}
	for _, s := range o.reached {
		if s.settings.Endpoint.Kind == EndpointPush || len(s.pending) > 0 || o.c.batch.Size > publishedBytes {
			o.postpone(s, &parcel{publication: p, at: o.now})
			continue
		}
		d := p.delivery(s.info(), m, 1)
		if err := o.deliver(s, &d); err != nil {
			o.giveUp(s, &d, err)
		}
	}
	if p.deliveries > 0 {
		t.pending[p.sequence] = p
		o.c.batch.Put(messageKey(publicationPrefix, t.id, p.sequence), encodePublication(p, m))
	}
	return Published{ID: p.id, At: p.at.time()}
}

// postpone makes a subscription wait for a publication.
func (o *posting) postpone(s *subscription, d *parcel) {
	s.add(d)
	o.c.batch.Put(deliveryKey(o.topic.id, s.id, d.publication.sequence), encodeParcel(d))
	o.e.postman.set(s, o.e.postman.next(s))
}

func (p *publication) delivery(to SubscriptionInfo, m *Publication, attempt int) Delivery {
	return Delivery{
		Topic: to.Topic, Subscription: to, ID: p.id, At: p.at.time(), Attempt: attempt, Publication: *m,
	}
}

// deliver brings a publication to a subscription's queue or into the outbox, or returns why that cannot be.
func (o *posting) deliver(s *subscription, d *Delivery) error {
	if s.settings.Endpoint.Kind == EndpointOutbox {
		o.e.outbox.add(o.e.sequence.next(&o.c), d, &o.c)
		o.pushed(s, d)
		return nil
	}
	if err := s.checkTarget(o); err != nil { // the queue has been replaced by another since
		return err
	}
	if err := o.deposit(s.settings.Endpoint.Queue, d); err != nil {
		return err
	}
	o.pushed(s, d)
	return nil
}

// checkTarget refuses a queue in which what a FIFO topic has put into an order would lose it.
func (s *subscription) checkTarget(o *posting) error {
	q := o.queue(s.settings.Endpoint.Queue)
	if q != nil && s.topic.settings.FIFO && !q.settings().FIFO {
		return &Error{Kind: SubscriptionTargetType, Field: SubscriptionEndpoint, Value: s.settings.Endpoint.Queue}
	}
	return nil
}

// deposit sends a publication to a queue as a new message. Returns QueueNotFound, or GroupMissing for a FIFO queue.
func (o *posting) deposit(key QueueKey, d *Delivery) error {
	q := o.queue(key)
	if q == nil {
		return &Error{Kind: QueueNotFound, Value: key}
	}
	m := o.e.render(*d)
	if q.settings().FIFO && m.Group == nil {
		return &Error{Kind: GroupMissing, Field: MessageGroup}
	}
	q.advance(o.now, &o.c, o.e.watched)
	o.send(q, &m)
	return nil
}

// giveUp ends a delivery that cannot be made: what there is goes to the subscription's dead-letter queue.
func (o *posting) giveUp(s *subscription, d *Delivery, reason error) {
	var target QueueKey
	if t := s.settings.DeadLetter; t != nil && o.deposit(*t, d) == nil {
		target = *t
	}
	if o.e.watched {
		event := s.event(EventPushFailed, d, o.now)
		event.Err, event.Other = reason, target
		o.c.events = append(o.c.events, event)
	}
}

func (o *posting) pushed(s *subscription, d *Delivery) {
	if o.e.watched {
		o.c.events = append(o.c.events, s.event(EventPushed, d, o.now))
	}
}

// event is what happened to a delivery.
func (s *subscription) event(kind EventKind, d *Delivery, at instant) Event {
	return Event{
		Kind: kind, At: at.time(), Topic: d.Topic, Subscription: s.name, Queue: s.settings.Endpoint.Queue, ID: d.ID,
		Receives: d.Attempt, Trace: d.Trace,
	}
}

// plain is how a publication becomes a message where Options has no other way.
func plain(d Delivery) Outgoing {
	return Outgoing{Body: d.Body, Attributes: d.Attributes, Trace: d.Trace, Sender: d.Sender, Group: d.Group}
}
