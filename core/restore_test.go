package core

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
)

// A dump of another store has its sequence numbers, and may say that all up to one of them are purged.
func TestRestoreOfAnotherStoreKeepsWhatIsSentLater(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, numbers(1, 100)...)
	w.purge(q)
	records := w.dump()
	for _, when := range []string{"before a restart", "after a restart"} {
		t.Run(when, func(t *testing.T) {
			other := newWorldOn(t, memory.New(), forgiving())
			if err := other.restore(records); err != nil {
				t.Fatalf("Restore() = %v", err)
			}
			if when == "after a restart" {
				other.restart()
			}
			other.send(q, "later")
			other.settle()
			other.restart()
			other.expect(q, 10, "later")
		})
	}
}

// limping fails one commit.
type limping struct {
	persistence.Store
	left atomic.Int64 // commits until then
}

func (s *limping) Commit(b *persistence.Batch) error {
	if s.left.Add(-1) == 0 {
		return errDisk
	}
	return s.Store.Commit(b)
}

// What is more than one commit may come to nothing half way. What is there then is there for good.
func TestRestoreOfManyQueuesThatFailsBetweenCommits(t *testing.T) {
	const many = 11_500 // more than a commit takes
	w := newWorld(t, forgiving())
	for i := range many {
		w.send(w.create(fmt.Sprintf("q%d", i), Patch{}), "old")
	}
	records := w.dump()
	for _, before := range []bool{false, true} {
		for failing := int64(1); failing < 20; failing++ {
			store := &limping{Store: memory.New()}
			other := newWorldOn(t, store, forgiving())
			if before {
				other.send(other.create("q7", Patch{}), "before")
			}
			store.left.Store(failing)
			err := other.restore(records)
			if err == nil {
				break
			}
			other.settle()
			found, _, _ := other.Queues(t.Context(), home, "", "", many+1)
			for _, q := range found[:min(len(found), 3)] {
				other.send(q.Key, "new")
			}
			other.settle()
			other.restart()
			again, _, _ := other.Queues(t.Context(), home, "", "", many+1)
			if len(again) != len(found) {
				t.Errorf("commit %d failed: %d queues, and %d after a restart", failing, len(found), len(again))
			}
			for _, q := range found[:min(len(found), 3)] {
				if got := texts(other.browse(q.Key, BrowseRequest{Limit: 10})); len(got) != 2 || got[1] != "new" {
					t.Errorf("commit %d failed: %v has %q, want an older one and a new one", failing, q.Key.Name, got)
				}
			}
		}
	}
}
