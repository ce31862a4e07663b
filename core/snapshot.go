package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A dump is the records of the store that make up the state: those of queues first, then those of topics, then what
// belongs to either. Records of queues and topics that were deleted are left out, and so is what says how far sequence
// numbers have come, since that never goes back.
//
// Restoring one makes new queues and topics of it, with ids of their own, beside those that are there: their records
// are written under a mark that says that they are remains of something deleted, so that a crash leaves nothing but
// work for the sweeper. Then, in one step for everybody who asks, all that was there goes and they take its place.

// dumped are the prefixes of a dump in the order in which they come.
var dumped = []byte{
	queuePrefix, topicPrefix,
	messagePrefix, statePrefix, dedupPrefix, attemptPrefix, movePrefix,
	subscriptionPrefix, publicationPrefix, deliveryPrefix,
	outboxPrefix, notePrefix, buriedPrefix, buriedTopicPrefix,
}

// ErrDump is wrapped by the errors of Restore for what no Dump has made.
var ErrDump = errors.New("core: not a dump of this program")

// Dump gives every record of the state to fn, as of one instant: all that was answered before the call is in it and
// nothing that is answered after fn has seen the last. Until then changes wait, and looking does not. The value must
// not be changed, the key not kept.
func (e *Engine) Dump(fn func(key, value []byte) error) error {
	e.mu.RLock()
	closed := e.closed
	e.mu.RUnlock()
	if closed {
		return errClosed
	}
	return e.journal.exclusive(func() error {
		known := map[byte]map[uint32]bool{queuePrefix: {}, topicPrefix: {}}
		for _, prefix := range dumped {
			owner := ownerOf(prefix)
			err := e.journal.store.Load([]byte{prefix}, nil, func(key, value []byte) error {
				if prefix == owner {
					known[owner][queueOf(key)] = true
				}
				if owner != 0 && !known[owner][queueOf(key)] {
					return nil
				}
				return fn(key, value)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ownerOf returns the prefix of the records that own those of another prefix, 0 when they own themselves.
func ownerOf(prefix byte) byte {
	switch prefix {
	case queuePrefix, messagePrefix, statePrefix, dedupPrefix, attemptPrefix, movePrefix:
		return queuePrefix
	case topicPrefix, subscriptionPrefix, publicationPrefix, deliveryPrefix:
		return topicPrefix
	}
	return 0
}

// exclusive calls fn when all that was appended before is durable, and lets nothing that is appended later be stored
// before fn has returned.
func (j *journal) exclusive(fn func() error) error {
	j.mu.Lock()
	c := j.open()
	c.sealed = true
	j.mu.Unlock()
	if c.after != nil {
		<-c.after
	}
	j.mu.Lock()
	err := c.err
	j.mu.Unlock()
	if err == nil {
		err = fn()
	}
	j.end(c)
	return err
}

// Restore makes the state what a dump says, which records gives to its argument in the order of Dump. Receipts from
// before are not good any more, and receives that wait end with QueueNotFound. The clock stays as it is: what was to
// become visible in the meantime does. Returns an error that wraps ErrDump for a dump that cannot be read; then, as
// after every error but one of a store that fails in the midst of more than one commit, nothing has changed.
func (e *Engine) Restore(records func(fn func(key, value []byte) error) error) error {
	s := &restoring{e: e, queues: map[uint32]*queue{}, topics: map[uint32]*topic{}}
	err := records(s.take)
	if err == nil {
		err = s.flush()
	}
	if err == nil {
		err = s.load()
	}
	if err != nil {
		s.abandon()
		return err
	}
	if err := s.swap(); err != nil {
		s.abandon()
		return err
	}
	return nil
}

// restoring is what Restore has made so far. Nobody else knows any of it.
type restoring struct {
	e      *Engine
	queues map[uint32]*queue // by their ids in the dump
	topics map[uint32]*topic
	heads  []restoredHead // which come last
	rest   [][2][]byte    // records of the outbox and of notes, likewise
	batch  changes
}

// restoredHead is the record of a queue or topic.
type restoredHead struct {
	key, value []byte
	of         part
}

// take takes one record.
func (s *restoring) take(key, value []byte) error {
	if len(key) == 0 || !slices.Contains(dumped, key[0]) {
		return fmt.Errorf("%w: unknown record", ErrDump)
	}
	key = slices.Clone(key)
	owner := ownerOf(key[0])
	if owner == 0 {
		if err := checkRest(key, value); err != nil {
			return fmt.Errorf("%w: %w", ErrDump, err)
		}
		s.rest = append(s.rest, [2][]byte{key, value})
		return nil
	}
	if len(key) < queueKeyLength {
		return fmt.Errorf("%w: short key", ErrDump)
	}
	if key[0] == owner {
		return s.begin(key, value)
	}
	id, ok := s.id(owner, queueOf(key))
	if !ok {
		return fmt.Errorf("%w: a record of nobody", ErrDump)
	}
	binary.BigEndian.PutUint32(key[1:], id)
	return s.put(key, value)
}

// put stores a record, with others.
func (s *restoring) put(key, value []byte) error {
	if s.batch.batch.Size+len(value) > commitBytes || len(s.batch.batch.Ops) >= commitOps {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.batch.batch.Put(key, value)
	return nil
}

// id returns the new id of a queue or topic.
func (s *restoring) id(owner byte, old uint32) (uint32, bool) {
	if owner == queuePrefix {
		q := s.queues[old]
		if q == nil {
			return 0, false
		}
		return q.id, true
	}
	t := s.topics[old]
	if t == nil {
		return 0, false
	}
	return t.id, true
}

// begin makes a queue or topic with a new id, marked as deleted in the store for now.
func (s *restoring) begin(key, value []byte) error {
	e, old := s.e, queueOf(key)
	mark := byte(deletedPrefix)
	var id uint32
	e.mu.Lock()
	if key[0] == queuePrefix {
		e.lastQueue++
		id = e.lastQueue
	} else {
		e.topics.last++
		id, mark = e.topics.last, deletedTopicPrefix
	}
	e.mu.Unlock()
	var err error
	var of part
	if key[0] == queuePrefix {
		q := newQueue(id, QueueKey{}, &Settings{})
		q.resident = &e.resident
		s.queues[old], of, err = q, q, decodeQueue(value, q)
	} else {
		t := &topic{id: id}
		s.topics[old], of, err = t, t, decodeTopic(value, t)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDump, err)
	}
	binary.BigEndian.PutUint32(key[1:], id)
	s.heads = append(s.heads, restoredHead{key, value, of})
	return s.put(queueKey(mark, id), nil)
}

// flush stores what has gathered. It belongs to nobody yet, so there is nothing to lock.
func (s *restoring) flush() error {
	if s.batch.empty() {
		return nil
	}
	t, err := s.e.journal.append(&s.batch)
	s.batch = changes{}
	if err != nil {
		return err
	}
	return s.e.journal.wait(t)
}

// load reads what was stored, as Open does.
func (s *restoring) load() error {
	for _, q := range s.queues {
		if err := errors.Join(s.e.loadMessages(q), s.e.loadMoves(q)); err != nil {
			return fmt.Errorf("%w: queue %q: %w", ErrDump, q.key.Name, err)
		}
	}
	for _, t := range s.topics {
		t.mu.Lock()
		_, err := s.e.loadTopic(t)
		t.mu.Unlock()
		if err != nil {
			return fmt.Errorf("%w: topic %q: %w", ErrDump, t.key.Name, err)
		}
	}
	return nil
}

// swap puts what was made into the place of what is there.
func (s *restoring) swap() error {
	e := s.e
	a, err := e.lockEverything()
	if err != nil {
		return err
	}
	a.clear()
	for _, q := range s.queues {
		q.mu.Lock()
		a.queues = append(a.queues, q)
		e.register(q)
		e.timer.set(q, q.next())
		e.resumeMove(q)
		if q.unswept() {
			a.graves = append(a.graves, q.purgeGrave())
		}
	}
	for _, t := range s.topics {
		t.mu.Lock()
		a.topics = append(a.topics, t)
		e.topics.register(t)
		e.setAlarms(t)
	}
	for _, head := range s.heads {
		a.unveil(head)
	}
	a.restoreRest(s.rest)
	return a.finish()
}

// unveil takes the mark from a queue or topic.
func (a *everything) unveil(head restoredHead) {
	a.room(len(head.value))
	mark := byte(deletedTopicPrefix)
	if q, ok := head.of.(*queue); ok {
		mark = deletedPrefix
		a.c.note(a.e, q, EventQueueCreated, a.now)
	}
	a.c.batch.Delete(queueKey(mark, queueOf(head.key)))
	a.c.batch.Put(head.key, head.value)
	a.c.parts = append(a.c.parts, head.of)
}

// restoreRest stores the outbox and what is kept of namespaces, and reads it.
func (a *everything) restoreRest(records [][2][]byte) {
	e := a.e
	for _, record := range records {
		key, value := record[0], record[1]
		a.room(len(value))
		a.c.batch.Put(key, value)
		switch key[0] { // what checkRest has read without an error
		case outboxPrefix:
			_ = e.outbox.read(e, key, value)
			a.touch(&e.outbox)
		case notePrefix:
			_ = e.notebook.read(value)
			a.touch(&e.notebook)
		case buriedPrefix:
			_ = e.buried.read(value)
		case buriedTopicPrefix:
			_ = e.topics.buried.read(value)
		}
	}
}

// checkRest tells whether restoreRest will be able to read a record.
func checkRest(key, value []byte) error {
	r := newReader(value)
	switch key[0] {
	case outboxPrefix:
		if len(key) != len(outboxKey(0)) {
			r.fail()
		}
		r.topicKey()
	case notePrefix:
		r.text()
		r.text()
		decodeTexts(r)
	default:
		r.key()
		r.instant()
	}
	return r.err
}

// abandon leaves what was stored to the sweeper, but for what has got its place before a later commit failed.
func (s *restoring) abandon() {
	s.e.mu.RLock()
	defer s.e.mu.RUnlock()
	for _, q := range s.queues {
		if s.e.queues[q.key] == q {
			continue
		}
		q.mu.Lock()
		q.dropAll()
		q.mu.Unlock()
		s.e.sweeper.add(queueGrave(q.id))
	}
	for _, t := range s.topics {
		if s.e.topics.byKey[t.key] != t {
			s.e.sweeper.add(t.grave())
		}
	}
}
