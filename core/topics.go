package core

import (
	"context"
	"errors"
	"maps"
)

// topics are all topics of the engine, guarded by its lock.
type topics struct {
	byKey map[TopicKey]*topic
	names directory[TopicName]
	last  uint32 // the last id that was given to one

	buried cemetery
}

func newTopics() topics {
	return topics{byKey: map[TopicKey]*topic{}, names: directory[TopicName]{}, buried: newCemetery(buriedTopicPrefix)}
}

func (l *topics) register(t *topic) {
	l.byKey[t.key] = t
	l.last = max(l.last, t.id)
	l.names.add(t.key.Namespace, t.key.Name)
}

func (l *topics) unregister(t *topic) {
	delete(l.byKey, t.key)
	l.names.remove(t.key.Namespace, t.key.Name)
}

// findTopic returns a topic.
func (e *Engine) findTopic(key TopicKey) (*topic, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, errClosed
	}
	if t := e.topics.byKey[key]; t != nil {
		return t, nil
	}
	return nil, &Error{Kind: TopicNotFound}
}

// lockTopic takes a topic's lock, as lock does a queue's.
func (e *Engine) lockTopic(t *topic) error {
	e.refresh(t)
	t.mu.Lock()
	if err := t.usable(); err != nil {
		t.mu.Unlock()
		return err
	}
	return nil
}

func (t *topic) usable() error {
	switch {
	case t.stale.Load():
		return errStale
	case t.shut:
		return errClosed
	case t.deleted:
		return &Error{Kind: TopicNotFound}
	}
	return nil
}

// openTopic finds and locks a topic.
func (e *Engine) openTopic(key TopicKey) (*topic, error) {
	t, err := e.findTopic(key)
	if err != nil {
		return nil, err
	}
	return t, e.lockTopic(t)
}

// commitTopic appends what a verb did to a topic, unlocks it and returns when all is durable.
func (e *Engine) commitTopic(t *topic, c *changes) error {
	c.parts = append(c.parts, t)
	return e.journal.commit(c, &t.mu)
}

// CreateTopic implements Broker.
func (v *view) CreateTopic(_ context.Context, key TopicKey, p TopicPatch) (TopicInfo, bool, error) {
	if err := checkGiven(v.rules.TopicMaxSize, TopicMaxSize, p.MaxSize); err != nil {
		return TopicInfo{}, false, err
	}
	e := v.e
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return TopicInfo{}, false, errClosed
	}
	if t := e.topics.byKey[key]; t != nil {
		e.mu.Unlock()
		info, err := v.existingTopic(t, &p)
		return info, false, err
	}
	var c changes
	t, err := v.addTopic(key, &p, &c)
	e.mu.Unlock()
	if err != nil {
		return TopicInfo{}, false, err
	}
	info := t.info()
	if err := e.commitTopic(t, &c); err != nil {
		return TopicInfo{}, false, err
	}
	return info, true, nil
}

// addTopic makes a new topic known and returns it locked. The engine's lock is held. Returns TopicDeletedRecently.
func (v *view) addTopic(key TopicKey, p *TopicPatch, c *changes) (*topic, error) {
	e, now := v.e, v.e.now()
	at, buried := e.topics.buried.at[key.plain()]
	if buried && now < at.add(v.rules.RecreateAfter) {
		return nil, &Error{Kind: TopicDeletedRecently, Value: v.rules.RecreateAfter}
	}
	t := &topic{
		id: e.topics.last + 1, key: key, settings: v.rules.initialTopic(p), created: now, modified: now,
		pending: map[uint64]*publication{},
	}
	t.mu.Lock()
	e.topics.register(t)
	if buried {
		e.topics.buried.exhume(key.plain(), c)
	}
	c.batch.Put(queueKey(topicPrefix, t.id), encodeTopic(t))
	return t, nil
}

// plain is the key as what the store and the engine keep of queues and topics alike.
func (k TopicKey) plain() QueueKey { return QueueKey{k.Namespace, QueueName(k.Name)} }

func (r *Rules) initialTopic(p *TopicPatch) TopicSettings {
	s := r.TopicDefaults
	assign(&s.FIFO, p.FIFO)
	p.apply(&s)
	return s
}

// apply sets what the patch names, except FIFO, which only a new topic can be given.
func (p *TopicPatch) apply(s *TopicSettings) {
	assign(&s.MaxSize, p.MaxSize)
	s.Notes = maps.Clone(s.Notes)
	applyNotes(&s.Notes, p.Notes)
}

// existingTopic answers CreateTopic for a topic that is there already.
func (v *view) existingTopic(t *topic, p *TopicPatch) (TopicInfo, error) {
	_ = v.e.journal.barrier() // it may have been made a moment ago, in vain
	if err := v.e.lockTopic(t); err != nil {
		return TopicInfo{}, err
	}
	info := t.info()
	t.mu.Unlock()
	wanted := info.Settings
	if v.rules.CompareOmitted {
		wanted = v.rules.initialTopic(p)
	} else {
		p.apply(&wanted)
	}
	if wanted.FIFO = defaultTo(p.FIFO, info.Settings.FIFO); wanted.FIFO != info.Settings.FIFO {
		return TopicInfo{}, &Error{Kind: TopicExists, Field: TopicFIFO}
	}
	if wanted.MaxSize != info.Settings.MaxSize {
		return TopicInfo{}, &Error{Kind: TopicExists, Field: TopicMaxSize}
	}
	if name, differ := notesDiffer(info.Settings.Notes, wanted.Notes, v.rules.CompareOmitted); differ {
		return TopicInfo{}, &Error{Kind: TopicExists, Field: TopicNote, Name: name}
	}
	return info, nil
}

// AmendTopic implements Broker.
func (v *view) AmendTopic(_ context.Context, key TopicKey, p TopicPatch) error {
	t, err := v.e.openTopic(key)
	if err != nil {
		return err
	}
	if err := checkGiven(v.rules.TopicMaxSize, TopicMaxSize, p.MaxSize); err != nil {
		t.mu.Unlock()
		return err
	}
	p.apply(&t.settings)
	t.modified = v.e.now()
	var c changes
	c.batch.Put(queueKey(topicPrefix, t.id), encodeTopic(t))
	return v.e.commitTopic(t, &c)
}

// Topic implements Broker.
func (v *view) Topic(_ context.Context, key TopicKey) (TopicInfo, error) {
	t, err := v.e.openTopic(key)
	if err != nil {
		return TopicInfo{}, err
	}
	info := t.info()
	t.mu.Unlock()
	return info, v.e.journal.barrier()
}

// Topics implements Broker.
func (v *view) Topics(_ context.Context, ns Namespace, prefix string, after TopicName, limit int) ([]TopicInfo, bool, error) {
	found, more := v.e.listTopics(ns, prefix, after, limit)
	infos := make([]TopicInfo, 0, len(found))
	for _, t := range found {
		err := v.e.lockTopic(t)
		if errors.Is(err, &Error{Kind: TopicNotFound}) {
			continue // deleted since it was found
		}
		if err != nil {
			return nil, false, err
		}
		infos = append(infos, t.info())
		t.mu.Unlock()
	}
	return infos, more, v.e.journal.barrier()
}

func (e *Engine) listTopics(ns Namespace, prefix string, after TopicName, limit int) ([]*topic, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return page(e.topics.names[ns], TopicName(prefix), after, limit, func(name TopicName) (*topic, bool) {
		return e.topics.byKey[TopicKey{ns, name}], true
	})
}

// DeleteTopic implements Broker.
func (v *view) DeleteTopic(_ context.Context, key TopicKey) error {
	e := v.e
	t, err := e.openTopic(key)
	if err != nil {
		return err
	}
	t.mu.Unlock()
	e.mu.Lock()
	t.mu.Lock()
	ticket, err := v.buryTopic(t)
	t.mu.Unlock()
	e.mu.Unlock()
	if err != nil {
		return err
	}
	if err := e.journal.wait(ticket); err != nil {
		return err
	}
	e.sweeper.add(t.grave())
	return nil
}

// buryTopic makes a topic unknown. The engine's lock and the topic's are held.
func (v *view) buryTopic(t *topic) (ticket, error) {
	if err := t.usable(); err != nil {
		return ticket{}, err
	}
	var c changes
	c.batch.Delete(queueKey(topicPrefix, t.id))
	c.batch.Put(queueKey(deletedTopicPrefix, t.id), nil)
	e := v.e
	if v.rules.RecreateAfter > 0 {
		e.topics.buried.remember(t.key.plain(), e.now(), v.rules.RecreateAfter, &c)
	}
	c.parts = []part{t}
	ticket, err := e.journal.append(&c)
	if err != nil {
		return ticket, err
	}
	e.forgetTopic(t)
	return ticket, nil
}

// forgetTopic makes a topic unknown, as forget does a queue.
func (e *Engine) forgetTopic(t *topic) {
	e.topics.unregister(t)
	t.deleted = true
	for _, s := range t.subscriptions {
		s.gone = true
		e.postman.set(s, 0)
	}
}

// grave is what a deleted topic has left in the store.
func (t *topic) grave() grave { return topicGrave(t.id) }

func topicGrave(id uint32) grave {
	g := grave{keys: [][]byte{queueKey(deletedTopicPrefix, id)}}
	for _, prefix := range []byte{subscriptionPrefix, publicationPrefix, deliveryPrefix} {
		g.ranges = append(g.ranges, queueKey(prefix, id))
	}
	return g
}
