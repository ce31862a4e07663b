package core

import "time"

// The name of a deleted queue may be blocked for a while (Rules.RecreateAfter). Where a provider has that rule, the
// time of the deletion is stored; where it has not, nothing is.

// buriedNames is how many deletions are remembered before those that block nothing any more are looked for.
const buriedNames = 1024

// remember notes that a queue was deleted now. The engine's lock is held.
func (e *Engine) remember(key QueueKey, now instant, blocks time.Duration, c *changes) {
	if len(e.buried) >= buriedNames {
		for k, at := range e.buried {
			if at.add(blocks) <= now && len(c.batch.Ops) < commitOps {
				e.exhume(k, c)
			}
		}
	}
	e.buried[key] = now
	w := newWriter(64)
	w.key(key)
	w.instant(now)
	c.batch.Put(buriedKey(key), w.b)
}

// exhume forgets that a queue was deleted.
func (e *Engine) exhume(key QueueKey, c *changes) {
	delete(e.buried, key)
	c.batch.Delete(buriedKey(key))
}

func (e *Engine) loadBuried() error {
	return e.journal.store.Load([]byte{buriedPrefix}, nil, func(_, value []byte) error {
		r := newReader(value)
		key := r.key()
		e.buried[key] = r.instant()
		return r.err
	})
}
