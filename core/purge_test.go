package core

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

// keys returns how many records a store holds under each prefix, without those of the engine itself.
func keys(t TB, s persistence.Store) map[string]int {
	t.Helper()
	found := map[string]int{}
	err := s.Load(nil, nil, func(key, _ []byte) error {
		if key[0] != formatKey && key[0] != sequenceKey {
			found[string(key[:1])]++
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Load() = %v", err)
	}
	return found
}

func wantKeys(t TB, s persistence.Store, want map[string]int) {
	t.Helper()
	if diff := cmp.Diff(want, keys(t, s)); diff != "" {
		t.Errorf("records in the store (-want +got):\n%s", diff)
	}
}

// settle waits for the sweeper.
func (w *world) settle() { w.engine.sweeper.done.Wait() }

func TestPurgeRemovesMessagesInEveryState(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{})
	w.send(q, "in flight", "visible")
	w.post(q, Outgoing{Body: "delayed", Delay: new(time.Second)})
	m := w.one(q)
	w.counts(q, 1, 1, 1)
	w.purge(q)
	w.counts(q, 0, 0, 0)
	wantKind(t, "Delete()", w.deleting(q, m.Receipt), MessageGone)
	w.pass(time.Hour)
	w.expect(q, 10)
	w.settle()
	wantKeys(t, w.store, map[string]int{"q": 1})
}

func TestPurgeForgetsDeduplication(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.fifo("q")
	w.send(q, "g:m")
	w.purge(q)
	w.send(q, "g:m")
	w.settle()
	w.restart()
	if got := w.post(q, Outgoing{Body: "g:m", Group: new("g")}); !got.Duplicate {
		t.Error("Send() after a purge and a restart is no duplicate of the send after the purge")
	}
	w.expect(q, 10, "g:m")
	wantKeys(t, w.store, map[string]int{"q": 1, "m": 1, "s": 1, "d": 1})
}

// What is sent while the sweeper is at work, or before it could work at all, survives it and the restart.
func TestMessagesSentAfterAPurgeSurvive(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			store := persistencetest.NewFaulty(memory.New())
			w := newWorldOn(t, store, forgiving())
			q := w.create("q", Patch{FIFO: &fifo, ContentDedup: new(true)})
			for i := range 2500 {
				w.send(q, fmt.Sprint("g:old ", i))
			}
			w.receive(q, 10)
			w.purge(q)
			w.send(q, "g:1", "g:old 7")
			w.settle()
			w.restart()
			w.settle()
			w.expect(q, 10, "g:1", "g:old 7")
			want := map[string]int{"q": 1, "m": 2, "s": 2}
			if fifo {
				want["d"] = 2
			}
			wantKeys(t, store, want)
		})
	}
}

func TestSweepGoesOnAfterARestart(t *testing.T) {
	store := persistencetest.NewFaulty(memory.New())
	w := newWorldOn(t, store, forgiving())
	purged, deleted := w.fifo("purged"), w.fifo("deleted")
	for _, q := range []QueueKey{purged, deleted} {
		for i := range 3 {
			w.send(q, fmt.Sprint("g:", i))
		}
		w.take(q, ReceiveRequest{AttemptID: new("a")})
	}
	w.engine.sweeper.closing = true // as if the process ended before it began
	w.purge(purged)
	if err := w.DeleteQueue(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.expect(purged, 10)
	w.settle()
	wantKeys(t, store, map[string]int{"q": 1})
	w.restart()
	w.settle()
	if w.engine.queues[purged].unswept() {
		t.Error("the queue still counts as unswept")
	}
}

// pretendRemoved makes a queue believe that so many messages have come and gone.
func (w *world) pretendRemoved(key QueueKey, n int) {
	q := w.engine.queues[key]
	q.mu.Lock()
	defer q.mu.Unlock()
	q.removed = n
}

// A purge that is not swept must stay known as such, however many messages come and go meanwhile.
func TestSweepIsNotForgottenUnderLoad(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "old")
	w.engine.sweeper.closing = true
	w.purge(q)
	w.pretendRemoved(q, 1<<20)
	w.send(q, "new")
	w.drop(q, w.one(q).Receipt)
	w.restart()
	w.settle()
	wantKeys(t, w.store, map[string]int{"q": 1})
}

// Recovery must not walk over the remains of everything that ever was in a queue that is mostly empty.
func TestLowWaterRisesOnAnEmptyQueue(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.pretendRemoved(q, 1<<16)
	w.send(q, "m")
	m := w.one(q)
	w.drop(q, m.Receipt)
	w.restart()
	if got := w.engine.queues[q].lowWater; got != m.Sequence+1 {
		t.Errorf("low water = %d, want %d", got, m.Sequence+1)
	}
	w.send(q, "next")
	w.restart()
	w.expect(q, 10, "next")
}

func TestPurgeInProgress(t *testing.T) {
	r := forgiving()
	r.PurgeInterval = time.Minute
	w := newWorld(t, r)
	q := w.create("q", Patch{})
	w.purge(q)
	w.send(q, "m")
	w.pass(time.Minute - time.Millisecond)
	w.restart()
	err := w.Purge(t.Context(), q)
	wantKind(t, "Purge() again", err, PurgeInProgress)
	if e, ok := errors.AsType[*Error](err); ok && e.Value != time.Minute {
		t.Errorf("Purge() = %+v, want the interval", e)
	}
	w.counts(q, 1, 0, 0)
	w.pass(time.Millisecond)
	w.purge(q)
	w.counts(q, 0, 0, 0)
	if err := w.engine.Under(forgiving()).Purge(t.Context(), q); err != nil {
		t.Errorf("Purge() without the rule = %v", err)
	}
}

func TestRetentionDropsMessagesInEveryState(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{Retention: new(time.Hour)})
	w.send(q, "in flight", "visible")
	w.post(q, Outgoing{Body: "delayed", Delay: new(2 * time.Hour)})
	m := w.one(q)
	w.mustHide(q, m.Receipt, 2*time.Hour)
	w.pass(time.Hour - time.Millisecond)
	w.counts(q, 1, 1, 1)
	w.send(q, "new")
	w.pass(time.Millisecond)
	w.counts(q, 1, 0, 0)
	w.expect(q, 10, "new")
	wantKeys(t, w.store, map[string]int{"q": 1, "m": 1, "s": 1})
}

func TestRetentionFollowsTheQueue(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{Retention: new(time.Hour)})
	w.send(q, "m")
	w.amend(q, Patch{Retention: new(2 * time.Hour)})
	w.pass(time.Hour)
	w.counts(q, 1, 0, 0)
	w.amend(q, Patch{Retention: new(time.Hour)})
	w.counts(q, 0, 0, 0)
}

// The timer drops messages that nobody asks for.
func TestRetentionNeedsNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{})
		for i := range 3 * expiries {
			w.send(q, fmt.Sprint(i))
		}
		w.pass(4 * 24 * time.Hour)
		synctest.Wait()
		wantKeys(t, w.store, map[string]int{"q": 1})
	})
}

// A receive finds the one message that is left behind any number that are too old, in commits that a store can take.
func TestReceivePassesOverExpiredMessages(t *testing.T) {
	store := &measured{Store: memory.New()}
	w := newWorldOn(t, store, forgiving())
	q := w.create("q", Patch{})
	for i := range 5*expiries + 7 {
		w.send(q, fmt.Sprint(i))
	}
	w.pass(4*24*time.Hour - time.Second)
	w.send(q, "m")
	w.close()
	w.pass(time.Second)
	w.open()
	w.expect(q, 10, "m")
	wantKeys(t, w.store, map[string]int{"q": 1, "m": 1, "s": 1})
	if ops, _ := store.largest(); ops > 20_000 {
		t.Errorf("the largest commit had %d changes", ops)
	}
}

// measured notes the largest commits.
type measured struct {
	persistence.Store

	mu        sync.Mutex
	ops, size int
}

// reset forgets what was noted.
func (m *measured) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ops, m.size = 0, 0
}

// largest returns the most changes and the most bytes of a commit.
func (m *measured) largest() (ops, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ops, m.size
}

func (m *measured) Commit(b *persistence.Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ops, m.size = max(m.ops, len(b.Ops)), max(m.size, b.Size)
	return m.Store.Commit(b)
}

// The bytes that count for the budget are those of the messages that are there, however they go.
func TestBodyBudgetIsGivenBack(t *testing.T) {
	w := &world{TB: t, clock: newManual(), store: memory.New(), budget: 1 << 20, rules: forgiving()}
	w.open()
	t.Cleanup(w.close)
	dead := w.create("dead", Patch{})
	q := w.create("q", Patch{Redrive: new(&Redrive{Target: dead, MaxReceives: 1}), Retention: new(time.Hour)})
	other := w.create("other", Patch{})
	for range 10 {
		w.send(q, "m")
	}
	w.send(other, "m", "m")
	w.drop(q, w.one(q).Receipt)
	w.receive(q, 1)
	w.pass(time.Minute)
	w.take(q, ReceiveRequest{Max: new(10), Visibility: new(time.Duration(0))}) // the rest, once
	w.purge(other)
	if got := w.engine.resident.Load(); got <= 0 {
		t.Errorf("resident bytes = %d, want some", got)
	}
	w.receive(q, 10) // moves them
	w.counts(dead, 9, 0, 0)
	w.drop(dead, w.one(dead).Receipt)
	w.pass(time.Hour)
	w.counts(q, 0, 0, 0)
	w.pass(30 * 24 * time.Hour)
	w.counts(dead, 0, 0, 0)
	if got := w.engine.resident.Load(); got != 0 {
		t.Errorf("resident bytes = %d, want 0", got)
	}
	w.send(other, "m")
	if err := w.DeleteQueue(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got := w.engine.resident.Load(); got != 0 {
		t.Errorf("resident bytes after DeleteQueue = %d, want 0", got)
	}
}

// What finds no room in memory is read from the store.
func TestBodiesBeyondTheBudgetComeFromTheStore(t *testing.T) {
	w := &world{TB: t, clock: newManual(), store: memory.New(), budget: 300, rules: forgiving()}
	w.open()
	t.Cleanup(w.close)
	q := w.fifo("q")
	for i := range 20 {
		w.send(q, fmt.Sprint("g:", i))
	}
	for round := range 2 {
		got := append(w.receive(q, 10), w.receive(q, 10)...)
		if len(got) != 10 { // the group is closed
			t.Fatalf("round %d: Receive() = %d messages, want 10", round, len(got))
		}
		for i, m := range got {
			if want := fmt.Sprint("g:", i); m.Body != want {
				t.Errorf("Receive() number %d = %q, want %q", i, m.Body, want)
			}
		}
		if got := w.engine.resident.Load(); got > 300 {
			t.Errorf("resident bytes = %d, want at most 300", got)
		}
		w.pass(time.Minute)
		w.restart()
	}
}
