package core

import (
	"cmp"
	"maps"
	"slices"
)

// everything is all parts of an engine, locked in the order in which locks are taken: the engine's lock, topics, queues by
// their ids, the outbox, the notes.
type everything struct {
	e      *Engine
	topics []*topic
	queues []*queue
	now    instant

	c       changes
	tickets []ticket
	graves  []grave
	err     error  // of appending
	spoiled []part // changed, and not appended
}

// lockEverything takes all locks. What is stale is read back first. On an error no lock is held.
func (e *Engine) lockEverything() (*everything, error) {
	for range 3 {
		a := &everything{e: e, now: e.now()}
		stale, err := a.lock()
		if err != nil {
			a.unlock()
			return nil, err
		}
		if len(stale) == 0 {
			return a, nil
		}
		a.unlock()
		_ = e.journal.barrier() // a failure is what is being mended
		e.restore(stale)
	}
	return nil, errStale
}

func (a *everything) lock() (stale []part, err error) {
	e := a.e
	e.mu.Lock()
	if e.closed {
		err = errClosed
	}
	note := func(p part) {
		if p.staleness().Load() {
			stale = append(stale, p)
		}
	}
	a.topics = slices.SortedFunc(maps.Values(e.topics.byKey), func(a, b *topic) int { return cmp.Compare(a.id, b.id) })
	for _, t := range a.topics {
		t.mu.Lock()
		note(t)
	}
	a.queues = slices.SortedFunc(maps.Values(e.queues), func(a, b *queue) int { return cmp.Compare(a.id, b.id) })
	for _, q := range a.queues {
		q.mu.Lock()
		note(q)
	}
	e.outbox.mu.Lock()
	note(&e.outbox)
	e.notebook.mu.Lock()
	note(&e.notebook)
	return stale, err
}

func (a *everything) unlock() {
	a.e.notebook.mu.Unlock()
	a.e.outbox.mu.Unlock()
	for _, q := range a.queues {
		q.mu.Unlock()
	}
	for _, t := range a.topics {
		t.mu.Unlock()
	}
	a.e.mu.Unlock()
}

// flush appends what has gathered. What is a few thousand queues is more than one commit; a crash between two of those
// leaves some of them. The parts of one are parts of the next as well, so that none is stored once one before has failed.
func (a *everything) flush() {
	if a.c.empty() {
		return
	}
	if a.err != nil {
		a.spoil()
		return
	}
	t, err := a.e.journal.append(&a.c)
	if err != nil {
		a.err = err
		a.spoil()
		return
	}
	a.tickets = append(a.tickets, t)
	a.c = changes{parts: a.c.parts}
}

// spoil makes the parts stale whose changes cannot be appended any more.
func (a *everything) spoil() {
	a.e.journal.mu.Lock()
	a.c.spoil()
	a.e.journal.mu.Unlock()
	a.spoiled = append(a.spoiled, a.c.parts...)
	a.c = changes{}
}

// touch notes that a part is being changed. What has many changes comes here for each of them, one after the other.
func (a *everything) touch(p part) {
	if n := len(a.c.parts); n == 0 || a.c.parts[n-1] != p {
		a.c.parts = append(a.c.parts, p)
	}
}

// room makes room for what is about to be added, of at most so many bytes.
func (a *everything) room(size int) {
	if a.c.batch.Size+size > commitBytes || len(a.c.batch.Ops) > commitOps-16 || len(a.c.events) > commitOps {
		a.flush()
	}
}

// finish appends the rest, unlocks everything and returns when all is durable. The remains in the store go later.
func (a *everything) finish() error {
	a.flush()
	a.unlock()
	err := a.err
	for _, t := range a.tickets {
		if failed := a.e.journal.wait(t); err == nil {
			err = failed
		}
	}
	if err != nil {
		a.e.restore(a.spoiled)
		return err
	}
	for _, g := range a.graves {
		a.e.sweeper.add(g)
	}
	return nil
}

// Reset removes everything: queues, topics, the outbox, the notes of namespaces. It takes as long as their number asks
// for, not that of the messages. Receives that wait end with QueueNotFound.
func (e *Engine) Reset() error {
	a, err := e.lockEverything()
	if err != nil {
		return err
	}
	a.clear()
	return a.finish()
}

// clear removes everything.
func (a *everything) clear() {
	for _, t := range a.topics {
		a.buryTopic(t)
	}
	for _, q := range a.queues {
		a.buryQueue(q)
	}
	a.clearOutbox()
	a.room(0)
	a.c.parts = append(a.c.parts, &a.e.notebook)
	for ns := range a.e.notebook.notes {
		a.c.batch.Delete(noteKey(ns))
	}
	a.e.notebook.notes = map[Namespace]map[string]string{}
	for _, b := range []*cemetery{&a.e.buried, &a.e.topics.buried} {
		for key := range b.at {
			a.room(0)
			b.exhume(key, &a.c)
		}
	}
}

func (a *everything) buryTopic(t *topic) {
	a.room(0)
	a.c.batch.Delete(queueKey(topicPrefix, t.id))
	a.c.batch.Put(queueKey(deletedTopicPrefix, t.id), nil)
	a.c.parts = append(a.c.parts, t)
	a.e.forgetTopic(t)
	a.graves = append(a.graves, t.grave())
}

func (a *everything) buryQueue(q *queue) {
	a.room(0)
	a.c.batch.Delete(queueKey(queuePrefix, q.id))
	a.c.batch.Put(queueKey(deletedPrefix, q.id), nil)
	a.c.note(a.e, q, EventQueueDeleted, a.now)
	a.c.parts = append(a.c.parts, q)
	a.e.forget(q)
	a.graves = append(a.graves, queueGrave(q.id))
}

func (a *everything) clearOutbox() {
	b := &a.e.outbox
	for _, sequences := range b.records {
		for _, sequence := range sequences {
			a.room(0)
			a.touch(b)
			a.c.batch.Delete(outboxKey(sequence))
		}
	}
	b.records = map[Namespace][]uint64{}
}

// ResetMessages removes all messages, what is remembered of them for deduplication, what subscriptions have not got yet
// and the outbox. Queues and topics stay as they are, and receives that wait go on waiting.
func (e *Engine) ResetMessages() error {
	a, err := e.lockEverything()
	if err != nil {
		return err
	}
	for _, t := range a.topics {
		a.emptyTopic(t)
	}
	for _, q := range a.queues {
		a.purge(q)
	}
	a.clearOutbox()
	return a.finish()
}

// purge is Purge for one of many. It is no purge of a client's, which would have to wait for the next one.
func (a *everything) purge(q *queue) {
	q.dropAll()
	q.clear()
	q.purgedAt, q.purgedThrough = 0, a.e.sequence.current()
	record := encodeQueue(q)
	a.room(len(record))
	a.c.batch.Put(queueKey(queuePrefix, q.id), record)
	a.c.note(a.e, q, EventPurged, a.now)
	a.c.parts = append(a.c.parts, q)
	a.graves = append(a.graves, q.purgeGrave())
}

// emptyTopic forgets what the subscriptions of a topic have not got. Attempts that are under way come to nothing.
func (a *everything) emptyTopic(t *topic) {
	for _, s := range t.subscriptions {
		for _, d := range s.pending {
			a.room(0)
			a.touch(t)
			t.done(s, d, &a.c)
		}
		s.clear()
		a.e.postman.set(s, 0)
	}
}
