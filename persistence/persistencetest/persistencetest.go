// Package persistencetest holds what every store and every test of the engine on a store needs: the contract of
// persistence.Store as a test (Run), one benchmark for all stores (Benchmark), and a store that fails on demand (Faulty).
package persistencetest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
)

// suite is one store under test with the means to make more.
type suite struct {
	open   func(*testing.T) persistence.Store
	reopen func(*testing.T, persistence.Store) persistence.Store
}

// Run tests that the stores made by open keep the contract of persistence.Store. open returns an empty store each
// time. reopen closes the store that it is given and opens the same data once more; nil means that the store keeps
// nothing, and skips what needs it. Run closes the stores it opens.
func Run(t *testing.T, open func(*testing.T) persistence.Store, reopen func(*testing.T, persistence.Store) persistence.Store) {
	s := suite{open, reopen}
	t.Run("Get", s.testGet)
	t.Run("Commit", s.testCommit)
	t.Run("Load", s.testLoad)
	t.Run("LoadStops", s.testLoadStops)
	t.Run("LoadAllowsCallsToTheStore", s.testLoadAllowsCalls)
	t.Run("LargeValues", s.testLargeValues)
	t.Run("ValuesStayValid", s.testValuesStayValid)
	t.Run("ReadsDuringCommits", s.testReadsDuringCommits)
	t.Run("Reopen", s.testReopen)
	t.Run("RandomHistory", s.testRandomHistory)
	t.Run("CloseTwice", s.testCloseTwice)
}

func (s suite) start(t *testing.T) persistence.Store {
	t.Helper()
	store := s.open(t)
	t.Cleanup(func() { stop(t, store) })
	return store
}

func stop(t *testing.T, store persistence.Store) {
	t.Helper()
	if err := store.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
}

// change is a step of a batch in the tables: "k=v" sets, "k=" sets to nothing, "-k" removes.
type change string

func batch(changes ...change) *persistence.Batch {
	var b persistence.Batch
	for _, c := range changes {
		if key, value, ok := bytes.Cut([]byte(c), []byte("=")); ok {
			b.Put(key, value)
			continue
		}
		b.Delete([]byte(c[1:]))
	}
	return &b
}

func commit(t *testing.T, store persistence.Store, changes ...change) {
	t.Helper()
	if err := store.Commit(batch(changes...)); err != nil {
		t.Fatalf("Commit(%v) = %v, want nil", changes, err)
	}
}

// contents returns the records that Load shows, as "key=value".
func contents(t *testing.T, store persistence.Store, prefix, from string) []string {
	t.Helper()
	var got []string
	err := store.Load([]byte(prefix), []byte(from), func(key, value []byte) error {
		if value == nil {
			return fmt.Errorf("the value of %q is nil", key)
		}
		got = append(got, string(key)+"="+string(value))
		return nil
	})
	if err != nil {
		t.Fatalf("Load(%q, %q) = %v, want nil", prefix, from, err)
	}
	return got
}

func wantContents(t *testing.T, store persistence.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, contents(t, store, "", "")); diff != "" {
		t.Errorf("Load() of everything (-want +got):\n%s", diff)
	}
	for _, record := range want {
		key, value, _ := bytes.Cut([]byte(record), []byte("="))
		wantValue(t, store, key, value)
	}
}

func wantValue(t *testing.T, store persistence.Store, key, want []byte) {
	t.Helper()
	got, err := store.Get(key)
	if err != nil || got == nil || !bytes.Equal(got, want) {
		t.Errorf("Get(%q) = %.40q, %v, want %.40q (%d bytes, got %d)", key, got, err, want, len(want), len(got))
	}
}

func wantNothing(t *testing.T, store persistence.Store, key string) {
	t.Helper()
	if got, err := store.Get([]byte(key)); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("Get(%q) = %q, %v, want ErrNotFound", key, got, err)
	}
}
