package core

import (
	"errors"
	"slices"
	"sync"
)

// grave is the records that a purge or the deletion of a queue has left in the store: those of the messages up to a
// sequence number. They are removed in the background, in small commits, while the store serves everybody else; a
// store's own way to drop a range makes other writes fail meanwhile.
type grave struct {
	queue   uint32
	through uint64
	purged  *queue // nil when the queue was deleted

	// What a topic or a subscription has left, instead of the above: all keys with one of these prefixes, then keys.
	ranges, keys [][]byte
}

// queueGrave is what a deleted queue has left in the store.
func queueGrave(id uint32) grave { return grave{queue: id, through: ^uint64(0)} }

// purgeGrave is what the last purge of a queue has left in the store.
func (q *queue) purgeGrave() grave {
	return grave{queue: q.id, through: q.purgedThrough, purged: q}
}

// sweepSize is how many records one commit of the sweeper removes, and sweepLook how many it looks up at a time: a
// look may cost as much as the store is large.
const (
	sweepSize = 1000
	sweepLook = 128 * sweepSize
)

// sweeper removes what graves hold, one after another, in a goroutine of its own that ends when there is nothing
// left to do.
type sweeper struct {
	e *Engine

	mu      sync.Mutex
	graves  []grave
	running bool
	closing bool
	done    sync.WaitGroup
}

func newSweeper(e *Engine, graves []grave) *sweeper {
	s := &sweeper{e: e}
	for _, g := range graves {
		s.add(g)
	}
	return s
}

func (s *sweeper) add(g grave) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.graves = append(s.graves, g)
	if !s.running && !s.closing {
		s.running = true
		s.done.Add(1)
		go s.run()
	}
}

// close stops after the commit that is under way; the next Open goes on.
func (s *sweeper) close() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.done.Wait()
}

func (s *sweeper) next() (grave, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || len(s.graves) == 0 {
		s.running = false
		return grave{}, false
	}
	g := s.graves[0]
	s.graves = s.graves[1:]
	return g, true
}

func (s *sweeper) run() {
	defer s.done.Done()
	for {
		g, ok := s.next()
		if !ok {
			return
		}
		// A purged queue that is deleted meanwhile gets a grave of its own.
		err := s.sweep(g)
		if err != nil && !errors.Is(err, errSweepStopped) && !errors.Is(err, &Error{Kind: QueueNotFound}) {
			s.e.onError(err)
		}
	}
}

var (
	errSweepStopped = errors.New("core: the engine is closing")
	errSweepFull    = errors.New("core: enough for one commit")
)

// sweep removes one grave. On an error the rest stays until the next Open.
func (s *sweeper) sweep(g grave) error {
	if g.queue == 0 {
		return s.sweepTopic(g)
	}
	for _, prefix := range []byte{messagePrefix, statePrefix} {
		if err := s.each(prefix, g, s.remove); err != nil {
			return err
		}
	}
	if g.purged == nil {
		if err := s.each(movePrefix, g, s.remove); err != nil {
			return err
		}
	}
	for _, prefix := range []byte{dedupPrefix, attemptPrefix} {
		if err := s.each(prefix, g, s.removeNamed); err != nil {
			return err
		}
	}
	return s.finish(g)
}

// sweepTopic removes what a topic or a subscription has left; nobody writes it any more.
func (s *sweeper) sweepTopic(g grave) error {
	for _, prefix := range g.ranges {
		if err := s.eachUnder(prefix, g, s.remove); err != nil {
			return err
		}
	}
	for keys := range slices.Chunk(g.keys, sweepSize) {
		if err := s.remove(g, keys); err != nil {
			return err
		}
	}
	return nil
}

// each gives the keys under a prefix to remove, a commit's worth at a time.
func (s *sweeper) each(prefix byte, g grave, remove func(g grave, keys [][]byte) error) error {
	return s.eachUnder(queueKey(prefix, g.queue), g, remove)
}

func (s *sweeper) eachUnder(prefix []byte, g grave, remove func(g grave, keys [][]byte) error) error {
	var from []byte
	for {
		keys, more, err := s.collect(prefix, g, from)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			return nil
		}
		for some := range slices.Chunk(keys, sweepSize) {
			if err := s.stopped(); err != nil {
				return err
			}
			if err := remove(g, some); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		from = append(keys[len(keys)-1], 0)
	}
}

func (s *sweeper) collect(prefix []byte, g grave, from []byte) (keys [][]byte, more bool, err error) {
	if err := s.stopped(); err != nil {
		return nil, false, err
	}
	err = s.e.journal.store.Load(prefix, from, func(key, _ []byte) error {
		numbered := prefix[0] == messagePrefix || prefix[0] == statePrefix
		if len(keys) == sweepLook || numbered && sequenceOf(key) > g.through {
			return errSweepFull
		}
		keys = append(keys, append([]byte(nil), key...))
		return nil
	})
	if errors.Is(err, errSweepFull) {
		err = nil
	}
	return keys, len(keys) == sweepLook, err
}

func (s *sweeper) stopped() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return errSweepStopped
	}
	return nil
}

// remove removes records that nobody writes any more.
func (s *sweeper) remove(_ grave, keys [][]byte) error {
	var c changes
	for _, key := range keys {
		c.batch.Delete(key)
	}
	t, err := s.e.journal.append(&c)
	if err != nil {
		return err
	}
	return s.e.journal.wait(t)
}

// removeNamed removes the records of ids. Those of a purged queue may have been used again since.
func (s *sweeper) removeNamed(g grave, keys [][]byte) error {
	q := g.purged
	if q == nil {
		return s.remove(g, keys)
	}
	if err := s.e.lock(q); err != nil {
		return err
	}
	var c changes
	for _, key := range keys {
		_, used := q.dedup.entries[nameOf(key)]
		if key[0] == attemptPrefix {
			_, used = q.attempts.entries[nameOf(key)]
		}
		if !used {
			c.batch.Delete(key)
		}
	}
	return s.e.commit(q, &c)
}

// finish notes that nothing is left.
func (s *sweeper) finish(g grave) error {
	if g.purged == nil {
		return s.remove(g, [][]byte{queueKey(deletedPrefix, g.queue)})
	}
	q := g.purged
	if err := s.e.lock(q); err != nil {
		return err
	}
	var c changes
	if q.lowWater <= g.through {
		q.lowWater = g.through + 1
		c.batch.Put(queueKey(queuePrefix, q.id), encodeQueue(q))
	}
	return s.e.commit(q, &c)
}
