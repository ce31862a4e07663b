package core

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluicemq/sluice/persistence"
)

// outboxSize is how many deliveries the outbox of a namespace keeps; the oldest go first.
const outboxSize = 1000

// outbox holds what was published to endpoints that Sluice does not serve, such as mail addresses, for people and
// tests to look at. The records are in the store alone.
type outbox struct {
	mu      sync.Mutex             // after every other lock
	records map[Namespace][]uint64 // none is empty
	stale   atomic.Bool
}

func (b *outbox) staleness() *atomic.Bool { return &b.stale }

// add lays a delivery into the outbox, which is locked.
func (b *outbox) add(sequence uint64, d *Delivery, c *changes) {
	ns := d.Topic.Namespace
	b.records[ns] = append(b.records[ns], sequence)
	c.batch.Put(outboxKey(sequence), encodeOutboxed(d))
	if kept := b.records[ns]; len(kept) > outboxSize {
		c.batch.Delete(outboxKey(kept[0]))
		b.records[ns] = slices.Delete(kept, 0, 1)
	}
}

// load reads which deliveries the store holds.
func (b *outbox) load(e *Engine) error {
	b.records = map[Namespace][]uint64{}
	return e.journal.store.Load([]byte{outboxPrefix}, nil, func(key, value []byte) error { return b.read(e, key, value) })
}

// read notes a delivery that the store holds.
func (b *outbox) read(e *Engine, key, value []byte) error {
	r := newReader(value)
	topic := r.topicKey()
	sequence := outboxOf(key)
	b.records[topic.Namespace] = append(b.records[topic.Namespace], sequence)
	e.sequence.reach(sequence)
	return r.err
}

func (b *outbox) reread(e *Engine) error { return e.rereadSmall(b, &b.mu, b.load, "the outbox") }

func (b *outbox) lock(e *Engine) error { return e.lockSmall(b, &b.mu) }

// Outbox implements Broker.
func (v *view) Outbox(_ context.Context, ns Namespace, limit int) ([]Delivery, error) {
	b := &v.e.outbox
	if err := b.lock(v.e); err != nil {
		return nil, err
	}
	sequences := b.records[ns]
	sequences = slices.Clone(sequences[max(len(sequences)-max(limit, 0), 0):])
	b.mu.Unlock()
	if err := v.e.journal.barrier(); err != nil {
		return nil, err
	}
	slices.Reverse(sequences)
	deliveries := make([]Delivery, 0, len(sequences))
	for _, sequence := range sequences {
		record, err := v.e.journal.store.Get(outboxKey(sequence))
		if errors.Is(err, persistence.ErrNotFound) {
			continue // gone since
		}
		var d Delivery
		if err == nil {
			err = decodeOutboxed(record, &d)
		}
		if err != nil {
			return nil, &Error{Kind: Internal, Err: err}
		}
		deliveries = append(deliveries, d)
	}
	return deliveries, nil
}

// ClearOutbox implements Broker.
func (v *view) ClearOutbox(_ context.Context, ns Namespace) error {
	b := &v.e.outbox
	if err := b.lock(v.e); err != nil {
		return err
	}
	c := changes{parts: []part{b}}
	for _, sequence := range b.records[ns] {
		c.batch.Delete(outboxKey(sequence))
	}
	delete(b.records, ns)
	return v.e.journal.commit(&c, &b.mu)
}
