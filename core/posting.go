package core

import (
	"cmp"
	"slices"
)

// posting is one commit that spans a topic, the queues that what is published on it goes to, and the outbox. Locks are
// taken in this order: the engine's for reading, so that no queue comes or goes, the topic's, the queues' in the
// order of their ids, the outbox's.
type posting struct {
	e       *Engine
	topic   *topic
	reached []*subscription
	queues  []*queue // of the subscriptions that are reached, as far as they exist
	now     instant
	c       changes

	outboxed bool // a subscription that is reached has the outbox as its endpoint
	homeless []lodger
}

// lodger is a message for whose record there is no room in memory, see Engine.evict.
type lodger struct {
	q *queue
	m *message
}

// post locks a topic and all that is reached, does the work and returns when it is durable. Both functions are called
// with the topic locked. When the work returns an error, it must have done nothing; post returns it.
func (e *Engine) post(t *topic, reach func() []*subscription, work func(*posting) error) error {
	o := &posting{e: e, topic: t}
	if err := o.lock(reach); err != nil {
		return err
	}
	o.now = e.now()
	if err := work(o); err != nil {
		o.unlock()
		return err
	}
	return o.commit()
}

// lock takes all locks. What is stale is read back first. On an error no lock is held.
func (o *posting) lock(reach func() []*subscription) error {
	for range 2 {
		stale, err := o.tryLock(reach)
		if err != nil || len(stale) == 0 {
			return err
		}
		o.e.restore(stale)
	}
	return errStale
}

// tryLock is lock for which a stale part is no error.
func (o *posting) tryLock(reach func() []*subscription) (stale []part, err error) {
	o.e.mu.RLock()
	o.topic.mu.Lock()
	o.queues, o.outboxed = nil, false
	switch {
	case o.topic.shut:
		err = errClosed
	case o.topic.stale.Load():
		stale = []part{o.topic}
	case o.topic.deleted:
		err = &Error{Kind: TopicNotFound}
	default:
		o.reached = reach()
		o.findQueues()
		stale = o.lockReached()
	}
	if err != nil || len(stale) > 0 {
		o.unlock()
	}
	return stale, err
}

// findQueues looks up the queues that may get something, in the order in which they are locked.
func (o *posting) findQueues() {
	for _, s := range o.reached {
		if o.outboxed = o.outboxed || s.settings.Endpoint.Kind == EndpointOutbox; s.settings.Endpoint.Kind == EndpointQueue {
			o.findQueue(s.settings.Endpoint.Queue)
		}
		if s.settings.DeadLetter != nil {
			o.findQueue(*s.settings.DeadLetter)
		}
	}
	slices.SortFunc(o.queues, func(a, b *queue) int { return cmp.Compare(a.id, b.id) })
	o.queues = slices.Compact(o.queues)
}

func (o *posting) findQueue(key QueueKey) {
	if q := o.e.queues[key]; q != nil {
		o.queues = append(o.queues, q)
	}
}

// lockReached locks the queues and, if need be, the outbox, and returns those of them that are stale.
func (o *posting) lockReached() (stale []part) {
	for _, q := range o.queues {
		q.mu.Lock()
		if q.stale.Load() {
			stale = append(stale, q)
		}
	}
	if o.outboxed {
		o.e.outbox.mu.Lock()
		if o.e.outbox.stale.Load() {
			stale = append(stale, &o.e.outbox)
		}
	}
	return stale
}

func (o *posting) unlock() {
	if o.outboxed {
		o.e.outbox.mu.Unlock()
	}
	for _, q := range slices.Backward(o.queues) {
		q.mu.Unlock()
	}
	o.topic.mu.Unlock()
	o.e.mu.RUnlock()
}

// queue returns a queue that is locked, nil if it does not exist.
func (o *posting) queue(key QueueKey) *queue {
	if q := o.e.queues[key]; q != nil && !q.deleted {
		return q
	}
	return nil
}

// send adds a message to a queue that is locked.
func (o *posting) send(q *queue, m *Outgoing) {
	v := view{e: o.e, rules: &Rules{FIFODelay: true}}
	var sent Sent
	added := v.send(q, m, &sent, o.now, &o.c)
	if added == nil {
		return
	}
	if !o.e.keeps(added) {
		o.homeless = append(o.homeless, lodger{q, added})
	}
}

// commit wakes receivers, appends what was done, unlocks everything and returns when all is durable.
func (o *posting) commit() error {
	o.c.parts = append(o.c.parts, o.topic)
	if o.outboxed {
		o.c.parts = append(o.c.parts, &o.e.outbox)
	}
	for _, q := range o.queues {
		o.c.parts = append(o.c.parts, q)
		q.notify()
		o.e.timer.set(q, q.next())
	}
	var t ticket
	var err error
	if !o.c.empty() {
		t, err = o.e.journal.append(&o.c)
	}
	o.unlock()
	if err != nil {
		return err
	}
	if err := o.e.journal.wait(t); err != nil {
		return err
	}
	for _, l := range o.homeless {
		o.e.evict(l.q, []*message{l.m})
	}
	return nil
}
