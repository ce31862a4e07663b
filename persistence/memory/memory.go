// Package memory keeps records in a map for as long as the process lives: the store of `--data=memory` and the double
// in the engine's tests. It is not Badger's own in-memory mode, which was measured at 8 to 18 µs a write, more than a
// whole send, receive and delete cost in the engine.
package memory

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/sluicemq/sluice/persistence"
)

// familyLength is how many leading bytes of a key name its family. The engine's keys begin with what the record is and
// whose, in five bytes, so all that a queue has of one kind is a family, and reading it back looks at nothing else.
// Other keys work as well; only their Load looks at more than it needs.
const familyLength = 5

type family [familyLength]byte

// shrinkFrom is the number of records below which a family's map is never rebuilt: what it could give back is less
// than the rebuilding costs.
const shrinkFrom = 4096

// Store implements persistence.Store. It holds the slices of the batches themselves, keys and values alike, and hands
// the same slices out: nothing is copied on any path. Use New.
type Store struct {
	mu      sync.RWMutex
	shelves map[family]*shelf // none is empty
}

// shelf is the records of one family.
type shelf struct {
	records map[string][]byte
	peak    int // the most records since records was made: what its memory was sized for
}

var _ persistence.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	return &Store{shelves: map[family]*shelf{}}
}

// familyOf returns the family of a key; a short key is filled up with zeros.
func familyOf(key []byte) (f family) {
	copy(f[:], key)
	return f
}

// Get implements persistence.Store.
func (s *Store) Get(key []byte) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if shelf := s.shelves[familyOf(key)]; shelf != nil {
		if value, ok := shelf.records[string(key)]; ok {
			return value, nil
		}
	}
	return nil, persistence.ErrNotFound
}

// Load implements persistence.Store. It sorts the records it wants before it begins, so fn sees them as they were
// then.
func (s *Store) Load(prefix, from []byte, fn func(key, value []byte) error) error {
	for _, r := range s.sorted(prefix, string(from)) {
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

func (s *Store) sorted(prefix []byte, from string) []record {
	s.mu.RLock()
	var found []record
	if len(prefix) >= familyLength {
		if shelf := s.shelves[familyOf(prefix)]; shelf != nil {
			found = shelf.find(nil, string(prefix), from)
		}
	} else {
		for f, shelf := range s.shelves {
			if bytes.HasPrefix(f[:], prefix) {
				found = shelf.find(found, string(prefix), from)
			}
		}
	}
	s.mu.RUnlock()
	slices.SortFunc(found, func(a, b record) int { return strings.Compare(a.key, b.key) })
	return found
}

// find appends the records whose keys have the prefix and are not below from.
func (s *shelf) find(found []record, prefix, from string) []record {
	for key, value := range s.records {
		if strings.HasPrefix(key, prefix) && key >= from {
			found = append(found, record{key, value})
		}
	}
	return found
}

// Commit implements persistence.Store. It never fails.
func (s *Store) Commit(b *persistence.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range b.Ops {
		op := &b.Ops[i]
		f := familyOf(op.Key)
		switch shelf := s.shelves[f]; {
		case op.Value != nil:
			s.put(f, op)
		case shelf != nil && shelf.remove(op.Key):
			delete(s.shelves, f)
		}
	}
	return nil
}

func (s *Store) put(f family, op *persistence.Op) {
	kept := s.shelves[f]
	if kept == nil {
		kept = &shelf{records: map[string][]byte{}}
		s.shelves[f] = kept
	}
	kept.records[keep(op.Key)] = op.Value
	kept.peak = max(kept.peak, len(kept.records))
}

// Close waits for a running Commit and does nothing else: the records stay, and the same Store can be given to a
// second engine, as if it had been opened again.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return nil
}

// remove takes a record out and reports whether the shelf is empty. It gives memory back once a backlog is gone,
// which a Go map never does by itself: it rebuilds the map when seven of eight records have been deleted since the
// peak, so each deletion pays for a seventh of one copied record.
func (s *shelf) remove(key []byte) (empty bool) {
	delete(s.records, string(key))
	if s.peak >= shrinkFrom && len(s.records) <= s.peak/8 {
		rest := make(map[string][]byte, len(s.records))
		maps.Copy(rest, s.records)
		s.records, s.peak = rest, len(rest)
	}
	return len(s.records) == 0
}

// keep views key as a string without copying it. That is safe because a batch's slices belong to the store once they
// are committed, and it saves an allocation a record on the engine's hot path.
func keep(key []byte) string {
	return unsafe.String(unsafe.SliceData(key), len(key))
}
