package core

import "time"

// cemetery is when queues, or topics, were deleted. The names of those may be blocked for a while
// (Rules.RecreateAfter). Where a provider has that rule, the time of the deletion is stored; where it has not, nothing
// is. It is guarded by the engine's lock.
type cemetery struct {
	prefix byte // of its keys in the store
	at     map[QueueKey]instant
}

func newCemetery(prefix byte) cemetery { return cemetery{prefix: prefix, at: map[QueueKey]instant{}} }

// buriedNames is how many deletions are remembered before those that block nothing any more are looked for.
const buriedNames = 1024

// remember notes that what had a name was deleted now.
func (b *cemetery) remember(key QueueKey, now instant, blocks time.Duration, c *changes) {
	if len(b.at) >= buriedNames {
		for k, at := range b.at {
			if at.add(blocks) <= now && len(c.batch.Ops) < commitOps {
				b.exhume(k, c)
			}
		}
	}
	b.at[key] = now
	w := newWriter(64)
	w.key(key)
	w.instant(now)
	c.batch.Put(buriedKey(b.prefix, key), w.b)
}

// exhume forgets that something was deleted.
func (b *cemetery) exhume(key QueueKey, c *changes) {
	delete(b.at, key)
	c.batch.Delete(buriedKey(b.prefix, key))
}

func (b *cemetery) load(e *Engine) error {
	return e.journal.store.Load([]byte{b.prefix}, nil, func(_, value []byte) error { return b.read(value) })
}

// read notes a deletion that the store remembers.
func (b *cemetery) read(value []byte) error {
	r := newReader(value)
	key := r.key()
	b.at[key] = r.instant()
	return r.err
}
