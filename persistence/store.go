// Package persistence is the seam between the engine and whatever keeps its records: an ordered key-value log that
// commits one batch at a time. It knows nothing of queues or messages; core/keys.go owns the layout of the keys.
//
// The interface is deliberately small. The engine holds its state in memory and uses a store for two things only:
// to make an ordered batch durable, and to read back what was durable. No request ever iterates a store.
package persistence

import "errors"

// ErrNotFound is returned by Get for a key that holds nothing.
var ErrNotFound = errors.New("persistence: not found")

// ErrInUse is returned by the open functions of stores whose data another process has open.
var ErrInUse = errors.New("persistence: data directory is in use by another process")

// ErrFull is returned by Commit when the medium has no room for the batch. Nothing of the batch was stored; later
// commits succeed once there is room again.
var ErrFull = errors.New("persistence: no space left")

// ErrDamaged is returned by the open functions of stores whose data is not what was written: to go on would drop what
// was stored, without a word. The error around it is one line that names the file.
var ErrDamaged = errors.New("persistence: the data is damaged")

// Store keeps records by key.
//
// Commit is called by one goroutine at a time; Get and Load may run at the same time as a Commit and as each other.
type Store interface {
	// Get returns the value of key, or ErrNotFound. The caller must not change the value.
	Get(key []byte) ([]byte, error)

	// Load calls fn for each record whose key has the given prefix and is not below from, in ascending order of
	// keys, until fn returns an error, which Load then returns. An empty from means the start. The key is valid
	// only during the call of fn; the value stays valid and must not be changed.
	Load(prefix, from []byte, fn func(key, value []byte) error) error

	// Commit applies the batch atomically and in order: all of it or, when it returns an error, nothing. When it
	// returns nil the batch is as durable as the store was opened to be. The store keeps the batch's slices.
	Commit(b *Batch) error

	// Close waits for a running Commit and releases the store.
	Close() error
}

// Batch is an ordered list of changes. Of two changes to one key the later wins. The zero value is empty and ready.
type Batch struct {
	Ops  []Op
	Size int // bytes of all keys and values
}

// Op sets a key, or removes it when Value is nil. An empty, non-nil Value is a value.
type Op struct {
	Key   []byte
	Value []byte
}

// Put appends the setting of key to value; a nil value counts as an empty one.
func (b *Batch) Put(key, value []byte) {
	if value == nil {
		value = []byte{}
	}
	b.Ops = append(b.Ops, Op{Key: key, Value: value})
	b.Size += len(key) + len(value)
}

// Append appends changes that were made for another batch.
func (b *Batch) Append(ops []Op) {
	b.Ops = append(b.Ops, ops...)
	for _, op := range ops {
		b.Size += len(op.Key) + len(op.Value)
	}
}

// Delete appends the removal of key. Removing what is not there is not an error.
func (b *Batch) Delete(key []byte) {
	b.Ops = append(b.Ops, Op{Key: key})
	b.Size += len(key)
}
