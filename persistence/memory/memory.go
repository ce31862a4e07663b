// Package memory keeps records in a map for as long as the process lives: the store of `--data=memory` and the double
// in the engine's tests. It is not Badger's own in-memory mode, which was measured at 8 to 18 µs a write, more than a
// whole send, receive and delete cost in the engine.
package memory

import (
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/sluicemq/sluice/persistence"
)

// shrinkFrom is the number of records below which the map is never rebuilt: what it could give back is less than the
// rebuilding costs.
const shrinkFrom = 4096

// Store implements persistence.Store. It holds the slices of the batches themselves, keys and values alike, and hands
// the same slices out: nothing is copied on any path. Use New.
type Store struct {
	mu      sync.RWMutex
	records map[string][]byte
	peak    int // the most records since records was made: what its memory was sized for
}

var _ persistence.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	return &Store{records: map[string][]byte{}}
}

// Get implements persistence.Store.
func (s *Store) Get(key []byte) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	value, ok := s.records[string(key)]
	if !ok {
		return nil, persistence.ErrNotFound
	}
	return value, nil
}

// Load implements persistence.Store. It looks at every key of the store and sorts those it wants, so it costs the
// same for a short prefix as for a long one; fn sees the records as they were when Load began.
func (s *Store) Load(prefix, from []byte, fn func(key, value []byte) error) error {
	for _, r := range s.sorted(string(prefix), string(from)) {
		if err := fn([]byte(r.key), r.value); err != nil {
			return err
		}
	}
	return nil
}

type record struct {
	key   string
	value []byte
}

func (s *Store) sorted(prefix, from string) []record {
	s.mu.RLock()
	var found []record
	for key, value := range s.records {
		if strings.HasPrefix(key, prefix) && key >= from {
			found = append(found, record{key, value})
		}
	}
	s.mu.RUnlock()
	slices.SortFunc(found, func(a, b record) int { return strings.Compare(a.key, b.key) })
	return found
}

// Commit implements persistence.Store. It never fails.
func (s *Store) Commit(b *persistence.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range b.Ops {
		op := &b.Ops[i]
		if op.Value == nil {
			delete(s.records, string(op.Key))
			continue
		}
		s.records[keep(op.Key)] = op.Value
		s.peak = max(s.peak, len(s.records))
	}
	s.shrink()
	return nil
}

// Close waits for a running Commit and does nothing else: the records stay, and the same Store can be given to a
// second engine, as if it had been opened again.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return nil
}

// shrink gives memory back once a backlog is gone, which a Go map never does by itself. It rebuilds only when seven of
// eight records have been deleted since the peak, so each deletion pays for a seventh of one copied record, and an
// empty store (or one with nothing left but its queues' settings) holds nothing of the backlog.
func (s *Store) shrink() {
	if s.peak < shrinkFrom || len(s.records) > s.peak/8 {
		return
	}
	rest := make(map[string][]byte, len(s.records))
	for key, value := range s.records {
		rest[key] = value
	}
	s.records, s.peak = rest, len(rest)
}

// keep views key as a string without copying it. That is safe because a batch's slices belong to the store once they
// are committed, and it saves an allocation a record on the engine's hot path.
func keep(key []byte) string {
	return unsafe.String(unsafe.SliceData(key), len(key))
}
