package memory_test

import (
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

func TestStoreKeepsTheContract(t *testing.T) {
	persistencetest.Run(t,
		func(*testing.T) persistence.Store { return memory.New() },
		func(t *testing.T, s persistence.Store) persistence.Store {
			if err := s.Close(); err != nil {
				t.Fatalf("Close() = %v, want nil", err)
			}
			return s
		})
}

func TestCommitKeepsTheBatchesSlices(t *testing.T) {
	s := memory.New()
	value := []byte("body")
	var b persistence.Batch
	b.Put([]byte("k"), value)
	if err := s.Commit(&b); err != nil {
		t.Fatalf("Commit() = %v, want nil", err)
	}
	got, err := s.Get([]byte("k"))
	if err != nil || &got[0] != &value[0] {
		t.Errorf("Get(%q) = %q, %v, want the very slice that was committed", "k", got, err)
	}
}

func TestDeletingABacklogGivesItsMemoryBack(t *testing.T) {
	const records = 200_000
	s := memory.New()
	var settings persistence.Batch
	settings.Put([]byte("settings"), nil)
	before := heap(t, s)
	for _, b := range []*persistence.Batch{&settings, backlog(records, false), backlog(records, true)} {
		if err := s.Commit(b); err != nil {
			t.Fatalf("Commit() = %v, want nil", err)
		}
	}
	if grown := heap(t, s) - before; grown > 1<<20 {
		t.Errorf("the heap after %d records came and went grew by %d bytes, want under 1 MiB", records, grown)
	}
	if _, err := s.Get([]byte("settings")); err != nil {
		t.Errorf("Get(%q) = %v, want the record that was not deleted", "settings", err)
	}
}

func backlog(records uint64, remove bool) *persistence.Batch {
	var b persistence.Batch
	for i := range records {
		key := binary.BigEndian.AppendUint64([]byte("m/"), i)
		if remove {
			b.Delete(key)
		} else {
			b.Put(key, key)
		}
	}
	return &b
}

func heap(t *testing.T, s *memory.Store) int64 {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(s)
	return int64(m.HeapAlloc)
}

func BenchmarkCommit(b *testing.B) {
	persistencetest.Benchmark(b, memory.New())
}
