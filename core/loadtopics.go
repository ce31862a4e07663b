package core

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/sluicemq/sluice/persistence"
)

// loadTopics reads all topics, the outbox and the notes of namespaces, and returns what is left of deleted topics and subscriptions.
func (e *Engine) loadTopics() ([]grave, error) {
	store := e.journal.store
	err := store.Load([]byte{topicPrefix}, nil, func(key, value []byte) error {
		t := &topic{id: queueOf(key)}
		if err := decodeTopic(value, t); err != nil {
			return fmt.Errorf("topic %d: %w", t.id, err)
		}
		e.topics.register(t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var graves []grave
	for _, t := range e.topics.byKey {
		orphans, err := e.loadTopic(t)
		if err != nil {
			return nil, fmt.Errorf("topic %q: %w", t.key.Name, err)
		}
		if len(orphans) > 0 {
			graves = append(graves, grave{keys: orphans})
		}
		e.setAlarms(t)
	}
	err = store.Load([]byte{deletedTopicPrefix}, nil, func(key, _ []byte) error {
		e.topics.last = max(e.topics.last, queueOf(key))
		graves = append(graves, topicGrave(queueOf(key)))
		return nil
	})
	return graves, errors.Join(err, e.outbox.load(e), e.notebook.load(e))
}

// topicRecords are what the store holds of a topic. Only when all could be read do they become its state.
type topicRecords struct {
	subscriptions map[uint64]*subscription
	publications  map[uint64]*publication
	parcels       map[*subscription][]*parcel
	orphans       [][]byte // keys of what belongs to nobody
}

// loadTopic makes a topic what the store holds of it, and returns the keys of what belongs to nobody.
func (e *Engine) loadTopic(t *topic) (orphans [][]byte, err error) {
	r := &topicRecords{
		subscriptions: map[uint64]*subscription{}, publications: map[uint64]*publication{}, parcels: map[*subscription][]*parcel{},
	}
	for _, load := range []func(*topic, *topicRecords) error{e.loadSubscriptions, e.loadPublications, e.loadParcels} {
		if err := load(t, r); err != nil {
			return nil, err
		}
	}
	t.adopt(r)
	return r.orphans, nil
}

func (e *Engine) loadSubscriptions(t *topic, r *topicRecords) error {
	known := map[uint64]*subscription{}
	for _, s := range t.subscriptions {
		known[s.id] = s
	}
	return e.journal.store.Load(queueKey(subscriptionPrefix, t.id), nil, func(key, value []byte) error {
		id := sequenceOf(key)
		s := known[id]
		if s == nil {
			s = newSubscription(t, id)
		}
		e.sequence.reach(id)
		r.subscriptions[id] = s
		return decodeSubscription(value, s)
	})
}

func (e *Engine) loadPublications(t *topic, r *topicRecords) error {
	return e.journal.store.Load(queueKey(publicationPrefix, t.id), nil, func(key, value []byte) error {
		p := t.pending[sequenceOf(key)]
		if p == nil {
			p = &publication{sequence: sequenceOf(key)}
			head := newReader(value)
			if decodePublicationHead(head, p); head.err != nil {
				return fmt.Errorf("publication %d: %w", p.sequence, head.err)
			}
		}
		e.sequence.reach(p.sequence)
		r.publications[p.sequence] = p
		return nil
	})
}

func (e *Engine) loadParcels(t *topic, r *topicRecords) error {
	return e.journal.store.Load(queueKey(deliveryPrefix, t.id), nil, func(key, value []byte) error {
		id, sequence := deliveryOf(key)
		s, p := r.subscriptions[id], r.publications[sequence]
		if s == nil || p == nil {
			r.orphans = append(r.orphans, slices.Clone(key))
			return nil
		}
		d := &parcel{publication: p}
		if err := decodeParcel(value, d); err != nil {
			return fmt.Errorf("delivery of publication %d: %w", sequence, err)
		}
		r.parcels[s] = append(r.parcels[s], d)
		return nil
	})
}

// adopt makes a topic what was read of it. A parcel that is under way stays the same, so that who carries it knows it
// again; it goes back to those that wait when that one is done.
func (t *topic) adopt(r *topicRecords) {
	for _, s := range t.subscriptions {
		s.gone = true
	}
	for _, p := range r.publications {
		p.deliveries = 0
	}
	t.pending = r.publications
	t.subscriptions = slices.SortedFunc(maps.Values(r.subscriptions), func(a, b *subscription) int {
		return cmp.Compare(a.name, b.name)
	})
	for _, s := range t.subscriptions {
		known := s.pending
		s.gone = false
		s.clear()
		for _, d := range r.parcels[s] {
			if k := known[d.publication.sequence]; k != nil && k.index < 0 {
				k.publication.deliveries++
				s.pending[k.publication.sequence] = k
				continue
			}
			s.add(d)
		}
	}
	for sequence, p := range t.pending {
		if p.deliveries == 0 {
			delete(t.pending, sequence)
			r.orphans = append(r.orphans, messageKey(publicationPrefix, t.id, sequence))
		}
	}
}

func (t *topic) staleness() *atomic.Bool { return &t.stale }

func (t *topic) reread(e *Engine) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stale.Load() {
		return nil
	}
	if err := t.readBack(e); err != nil {
		return fmt.Errorf("reading topic %q back: %w", t.key.Name, err)
	}
	e.journal.settled(t)
	for _, s := range t.subscriptions {
		s.resumeAt = e.now().add(faultPause) // an endpoint must not be hammered for as long as the store fails
	}
	e.setAlarms(t)
	return nil
}

func (e *Engine) setAlarms(t *topic) {
	for _, s := range t.subscriptions {
		e.postman.set(s, e.postman.next(s))
	}
}

func (t *topic) readBack(e *Engine) error {
	record, err := e.journal.store.Get(queueKey(topicPrefix, t.id))
	if errors.Is(err, persistence.ErrNotFound) {
		t.deleted = true
		for _, s := range t.subscriptions {
			t.abandon(s)
		}
		if e.topics.byKey[t.key] == t {
			e.topics.unregister(t)
		}
		return nil
	}
	if err == nil {
		err = decodeTopic(record, t)
	}
	if err == nil {
		_, err = e.loadTopic(t)
	}
	if err == nil {
		t.deleted = false
		e.topics.register(t)
	}
	return err
}
