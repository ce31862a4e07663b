package core

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sluicemq/sluice/persistence"
)

// load reads everything that the store holds and returns what is there of queues and topics that were deleted.
func (e *Engine) load() ([]grave, error) {
	if err := e.checkFormat(); err != nil {
		return nil, err
	}
	if err := e.loadSequence(); err != nil {
		return nil, err
	}
	err := e.journal.store.Load([]byte{queuePrefix}, nil, func(key, value []byte) error {
		q := newQueue(queueOf(key), QueueKey{}, &Settings{})
		if err := decodeQueue(value, q); err != nil {
			return fmt.Errorf("queue %d: %w", q.id, err)
		}
		e.register(q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, q := range e.queues {
		if err := errors.Join(e.loadMessages(q), e.loadMoves(q)); err != nil {
			return nil, fmt.Errorf("queue %q: %w", q.key.Name, err)
		}
	}
	ofQueues, err := e.loadGraves()
	if err != nil {
		return nil, err
	}
	ofTopics, err := e.loadTopics()
	return append(ofQueues, ofTopics...), err
}

func (e *Engine) checkFormat() error {
	value, err := e.journal.store.Get([]byte{formatKey})
	if errors.Is(err, persistence.ErrNotFound) {
		var b persistence.Batch
		b.Put([]byte{formatKey}, []byte{formatVersion})
		return e.journal.store.Commit(&b)
	}
	if err == nil && (len(value) != 1 || value[0] > formatVersion) {
		err = ErrNewerFormat
	}
	return err
}

func (e *Engine) loadSequence() error {
	value, err := e.journal.store.Get([]byte{sequenceKey})
	if errors.Is(err, persistence.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r := newReader(value)
	e.sequence.last = r.uint()
	return r.err
}

func (e *Engine) loadGraves() ([]grave, error) {
	var graves []grave
	err := e.journal.store.Load([]byte{deletedPrefix}, nil, func(key, _ []byte) error {
		id := queueOf(key)
		e.lastQueue = max(e.lastQueue, id)
		graves = append(graves, queueGrave(id))
		return nil
	})
	err = errors.Join(err, e.buried.load(e), e.topics.buried.load(e))
	for _, q := range e.queues {
		if q.unswept() {
			graves = append(graves, q.purgeGrave())
		}
	}
	return graves, err
}

// register makes a queue known. The engine's lock must be held, or nobody else know the engine yet.
func (e *Engine) register(q *queue) {
	q.resident = &e.resident
	e.queues[q.key] = q
	e.lastQueue = max(e.lastQueue, q.id)
	e.names.add(q.key.Namespace, q.key.Name)
}

// unregister makes a queue unknown.
func (e *Engine) unregister(q *queue) {
	delete(e.queues, q.key)
	e.names.remove(q.key.Namespace, q.key.Name)
}

// loadMessages fills an empty queue with what the store holds of it.
func (e *Engine) loadMessages(q *queue) error {
	q.clear()
	loaded, groups, err := e.loadHeads(q)
	if err != nil {
		return err
	}
	if err := e.loadStates(q, loaded); err != nil {
		return err
	}
	now := e.now()
	if !q.settings().FIFO {
		sortByVisibility(loaded, groups)
	}
	for i, m := range loaded {
		q.enter(m, groups[i], now)
	}
	if err := e.loadDedup(q); err != nil {
		return err
	}
	return e.loadAttempts(q)
}

// sortByVisibility orders messages as they became visible, which is the order in which a standard queue delivers.
func sortByVisibility(messages []*message, groups []string) {
	byVisibility := func(a, b *message) int {
		return cmp.Or(cmp.Compare(a.visibleAt, b.visibleAt), cmp.Compare(a.sequence, b.sequence))
	}
	if slices.IsSortedFunc(messages, byVisibility) {
		return
	}
	group := make(map[*message]string, len(messages))
	for i, m := range messages {
		if groups[i] != "" {
			group[m] = groups[i]
		}
	}
	slices.SortFunc(messages, byVisibility)
	for i, m := range messages {
		groups[i] = group[m]
	}
}

// loadHeads reads the messages of a queue in the order of their sequence numbers.
func (e *Engine) loadHeads(q *queue) ([]*message, []string, error) {
	var loaded []*message
	var groups []string
	e.sequence.reach(max(q.lowWater, q.purgedThrough)) // which a dump may have from another store
	from := messageKey(messagePrefix, q.id, max(q.lowWater, q.purgedThrough+1))
	err := e.journal.store.Load(queueKey(messagePrefix, q.id), from, func(key, value []byte) error {
		m := &message{sequence: sequenceOf(key), size: int32(len(value)), hiddenAt: -1}
		r := newReader(value)
		sentAt, group := decodeHead(r, m)
		groups = append(groups, group)
		if r.err != nil || m.priority < 1 || m.priority > maxPriority {
			return fmt.Errorf("message %d: %w", m.sequence, errRecord)
		}
		m.fresh = m.visibleAt > sentAt && m.receives == 0
		if e.keeps(m) {
			m.keep(value)
		}
		loaded = append(loaded, m)
		return nil
	})
	if n := len(loaded); n > 0 {
		e.sequence.reach(loaded[n-1].sequence)
	}
	return loaded, groups, err
}

// loadStates reads what has happened to the messages; both come in the order of their sequence numbers.
func (e *Engine) loadStates(q *queue, messages []*message) error {
	i := 0
	from := messageKey(statePrefix, q.id, max(q.lowWater, q.purgedThrough+1))
	return e.journal.store.Load(queueKey(statePrefix, q.id), from, func(key, value []byte) error {
		for i < len(messages) && messages[i].sequence < sequenceOf(key) {
			i++
		}
		if i == len(messages) || messages[i].sequence != sequenceOf(key) {
			return nil
		}
		messages[i].stated = true
		if err := decodeState(value, messages[i]); err != nil {
			return fmt.Errorf("state of message %d: %w", sequenceOf(key), err)
		}
		return nil
	})
}

func (e *Engine) loadDedup(q *queue) error {
	entries := map[string]dedupEntry{}
	err := e.journal.store.Load(queueKey(dedupPrefix, q.id), nil, func(key, value []byte) error {
		entry, err := decodeDedup(value)
		if err != nil {
			return err
		}
		if entry.sequence > q.purgedThrough {
			entries[nameOf(key)] = entry
		}
		return nil
	})
	fillWindow(&q.dedup, entries)
	return err
}

// fillWindow adds entries to an empty window in the order in which they end.
func fillWindow[T ending](w *window[T], entries map[string]T) {
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		return cmp.Compare(entries[a].end(), entries[b].end())
	})
	for _, name := range names {
		w.set(name, entries[name])
	}
}

func (e *Engine) loadAttempts(q *queue) error {
	attempts := map[string]attempt{}
	err := e.journal.store.Load(queueKey(attemptPrefix, q.id), nil, func(key, value []byte) error {
		a, err := decodeAttempt(value)
		if err != nil {
			return err
		}
		if len(a.deliveries) > 0 && a.deliveries[0].sequence > q.purgedThrough {
			attempts[nameOf(key)] = a
		}
		return nil
	})
	fillWindow(&q.attempts, attempts)
	return err
}

// restore reads parts back from the store after a commit has failed, so that what is in memory is what is durable.
func (e *Engine) restore(stale []part) {
	e.sequence.distrust()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.lost {
		if !slices.Contains(stale, p) {
			stale = append(stale, p)
		}
	}
	e.lost = nil
	for _, p := range stale {
		if err := p.reread(e); err != nil {
			e.lost = append(e.lost, p)
			e.onError(err)
		}
	}
}

func (q *queue) staleness() *atomic.Bool { return &q.stale }

func (q *queue) reread(e *Engine) error {
	if err := q.readBack(e); err != nil {
		return fmt.Errorf("reading queue %q back: %w", q.key.Name, err)
	}
	return nil
}

// breath is how long a queue's timer waits after a failure, lest it tries over and over what a full disk refuses.
const breath = time.Second

func (q *queue) readBack(e *Engine) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.stale.Load() {
		return nil
	}
	q.dropAll()
	q.last = nil
	record, err := e.journal.store.Get(queueKey(queuePrefix, q.id))
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		q.clear()
		q.deleted = true
		if e.queues[q.key] == q {
			e.unregister(q)
		}
	case err != nil:
		return err
	default:
		if err := decodeQueue(record, q); err != nil {
			return err
		}
		if err := errors.Join(e.loadMessages(q), e.loadMoves(q)); err != nil {
			return err
		}
		q.deleted = false
		e.register(q)
	}
	e.journal.settled(q)
	q.waiters.wakeAll()
	e.timer.drop(q)
	if next := q.next(); next != 0 {
		e.timer.set(q, max(next, e.now().add(breath)))
	}
	return nil
}
