package core

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/badger"
	"github.com/sluicemq/sluice/persistence/memory"
)

// newStoredWorld is a world that keeps its records in a directory. With crash, a restart opens a copy that was taken
// of the directory while the engine had it open, as a killed process leaves it.
func newStoredWorld(t *testing.T, r Rules, crash bool) *world {
	t.Helper()
	dir := t.TempDir()
	opened := func() persistence.Store {
		t.Helper()
		s, err := badger.Open(dir, badger.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	w := newWorldOn(t, opened(), r)
	w.reopen = opened
	if crash {
		w.crash = func() {
			t.Helper()
			dir = copyQuiet(t, dir)
		}
	}
	return w
}

// copyQuiet copies a directory as it is at one instant: again if the store was at work in it meanwhile.
func copyQuiet(t *testing.T, dir string) string {
	t.Helper()
	var err error
	for range 100 {
		before := listing(t, dir)
		left := filepath.Join(t.TempDir(), "left")
		if err = os.CopyFS(left, os.DirFS(dir)); err == nil && listing(t, dir) == before {
			return left
		}
	}
	t.Fatalf("the store does not come to rest: %v", err)
	return ""
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			text += fmt.Sprintln(e.Name(), info.Size(), info.ModTime())
		}
	}
	return text
}

// bothRestarts runs a test with an orderly end and with a crash between.
func bothRestarts(t *testing.T, r Rules, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, crash := range []bool{false, true} {
		t.Run(fmt.Sprintf("Crash=%v", crash), func(t *testing.T) { test(t, newStoredWorld(t, r, crash)) })
	}
}

func TestMessagesSurviveARestart(t *testing.T) {
	bothRestarts(t, strict(), func(t *testing.T, w *world) {
		q := w.create("q", Patch{})
		w.post(q, Outgoing{
			Body: "rich", Sender: "me", Group: new("tenant"), Priority: new(2), Trace: Trace{XRay: "x", Parent: "p", State: "s", Baggage: "b"},
			Attributes: []Attribute{{Name: "n", Kind: Number, Label: "int", Value: []byte("1")}, {Name: "b", Kind: Binary, Value: []byte{0}}},
		})
		w.send(q, "deleted", "visible")
		delayed := w.post(q, Outgoing{Body: "delayed", Delay: new(time.Hour)})
		first := w.receive(q, 2)
		w.drop(q, first[1].Receipt)
		w.pass(5 * time.Second)
		changed := w.mustHide(q, first[0].Receipt, time.Minute)

		w.restart()
		w.counts(q, 1, 1, 1)
		w.expect(q, 10, "visible")
		wantKind(t, "Delete(replaced receipt)", w.deleting(q, first[0].Receipt), ReceiptExpired)
		w.pass(time.Minute - time.Millisecond)
		w.expect(q, 1, "visible")
		w.pass(time.Millisecond)
		wantKind(t, "Delete(expired receipt)", w.deleting(q, changed.Receipt), ReceiptExpired)
		second := w.one(q)
		want := first[0]
		want.Receives, want.Receipt, want.VisibleAt = 2, second.Receipt, w.Now().Add(30*time.Second)
		if diff := cmp.Diff(want, second); diff != "" {
			t.Errorf("Receive() (-want +got):\n%s", diff)
		}

		w.restart()
		w.drop(q, second.Receipt)
		w.mustHide(q, delayed.Receipt, 2*time.Hour)
		w.restart()
		w.counts(q, 0, 1, 1)
		w.pass(2*time.Hour - time.Millisecond)
		w.counts(q, 1, 0, 1)
		w.pass(time.Millisecond)
		w.expect(q, 10, "visible", "delayed")
		w.restart()
		w.counts(q, 0, 2, 0)
	})
}

// The bound on the whole visibility counts from a receive before the restart.
func TestTotalVisibilitySurvivesARestart(t *testing.T) {
	w := newStoredWorld(t, forgiving(), true)
	q := w.create("q", Patch{})
	w.send(q, "m")
	m := w.one(q)
	w.mustHide(q, m.Receipt, 12*time.Hour)
	w.pass(11 * time.Hour)
	w.restart()
	wantKind(t, "ChangeVisibility()", w.hide(q, m.Receipt, time.Hour+time.Millisecond).Err, VisibilityBeyondTotal)
	w.mustHide(q, m.Receipt, time.Hour)
}

func TestFIFOStateSurvivesARestart(t *testing.T) {
	bothRestarts(t, forgiving(), func(t *testing.T, w *world) {
		q := w.create("q", Patch{FIFO: new(true), ContentDedup: new(true), DedupPerGroup: new(true)})
		sent := w.post(q, Outgoing{Body: "1", Group: new("g")})
		w.send(q, "g:2", "h:3")
		got := w.take(q, ReceiveRequest{Max: new(2), AttemptID: new("a")})
		w.pass(time.Second)

		w.restart()
		if again := w.post(q, Outgoing{Body: "1", Group: new("g")}); !again.Duplicate || again.ID != sent.ID || again.Sequence != sent.Sequence {
			t.Errorf("Send() again = %+v, want a duplicate of %+v", again, sent)
		}
		w.send(q, "g:4")
		if again := w.take(q, attemptOf("a")); len(again) != 2 || again[0].Receipt != got[0].Receipt || again[1].ID != got[1].ID {
			t.Errorf("Receive() again = %+v, want %+v", again, got)
		}
		w.expect(q, 10, "h:3")

		w.restart()
		w.drop(q, got[0].Receipt)
		wantKind(t, "Receive() again", second(w.Receive(t.Context(), q, attemptOf("a"))), AttemptInvalid)
		w.drop(q, got[1].Receipt)
		w.restart()
		w.expect(q, 10, "g:4")
		w.pass(5 * time.Minute)
		w.restart()
		if again := w.post(q, Outgoing{Body: "1", Group: new("g")}); again.Duplicate {
			t.Error("Send() after five minutes is a duplicate")
		}
	})
}

func TestQueuesSurviveARestart(t *testing.T) {
	bothRestarts(t, forgiving(), func(t *testing.T, w *world) {
		dead := w.create("dead", Patch{RedriveAllow: &RedriveAllow{Sources: []QueueKey{named("q"), named("p")}}})
		p := Patch{
			Delay: new(time.Second), Visibility: new(2 * time.Second), Retention: new(time.Hour), Wait: new(3 * time.Second),
			MaxSize: new(2048), Redrive: new(&Redrive{dead, 7}), Notes: map[string]*string{"policy": new("{}"), "empty": new("")},
		}
		q := named("q")
		if _, _, err := w.Create(t.Context(), q, p, map[string]string{"k": "v"}); err != nil {
			t.Fatal(err)
		}
		f := w.create("f.fifo", Patch{FIFO: new(true), ContentDedup: new(true), DedupPerGroup: new(true), GroupLimit: new(true), RedriveAllow: &RedriveAllow{DenyAll: true}})
		w.pass(time.Minute)
		w.amend(q, Patch{Wait: new(4 * time.Second)})
		before := []QueueInfo{w.info(dead), w.info(q), w.info(f)}
		w.restart()
		if diff := cmp.Diff(before, []QueueInfo{w.info(dead), w.info(q), w.info(f)}); diff != "" {
			t.Errorf("Queue() after a restart (-before +after):\n%s", diff)
		}
		_, made, err := w.Create(t.Context(), q, p, nil)
		if made {
			t.Error("Create() with the old wait made a queue")
		}
		wantKind(t, "Create() with the old wait", err, QueueExists)
		p.Wait = new(4 * time.Second)
		if _, made, err = w.Create(t.Context(), q, p, nil); made || err != nil {
			t.Errorf("Create() again = made %v, %v", made, err)
		}
		if page, _, _ := w.RedriveSources(t.Context(), dead, "", 10); !slices.Equal(page, []QueueKey{q}) {
			t.Errorf("RedriveSources() = %v", page)
		}
	})
}

func TestDeadLettersSurviveARestart(t *testing.T) {
	bothRestarts(t, forgiving(), func(t *testing.T, w *world) {
		end := w.create("end", Patch{})
		dead := w.dying("dead", end, 2, Patch{})
		q := w.dying("q", dead, 1, Patch{})
		w.send(q, "m", "gone")
		w.receive(q, 2)
		w.pass(time.Second)
		w.expect(q, 2)
		got := w.receive(dead, 2)
		w.drop(dead, got[1].Receipt) // K23: a deleted dead letter stays deleted
		w.restart()
		w.pass(time.Second)
		if again := w.one(dead); again.Receives != 3 || *again.Source != q || again.ID != got[0].ID {
			t.Errorf("Receive() = %+v", again)
		}
		w.restart()
		w.pass(time.Second)
		w.expect(dead, 10)
		w.restart()
		w.expect(end, 10, "m")
	})
}

func TestPurgeSurvivesARestart(t *testing.T) {
	bothRestarts(t, forgiving(), func(t *testing.T, w *world) {
		q := w.fifo("q")
		for i := range 20 {
			w.send(q, fmt.Sprint("g:", i))
		}
		got := w.take(q, attemptOf("a"))
		w.engine.sweeper.closing = true // as if the process ended before it began
		w.purge(q)
		w.send(q, "g:0", "g:new")
		w.restart()
		w.settle()
		wantKeys(t, w.store, map[string]int{"q": 1, "m": 2, "d": 2})
		w.expect(q, 10, "g:0", "g:new")
		w.drop(q, got[0].Receipt) // gone
		w.restart()
		w.settle()
		w.counts(q, 0, 2, 0)
		wantKeys(t, w.store, map[string]int{"q": 1, "m": 2, "s": 2, "d": 2})
	})
}

func TestDeletedQueueLeavesNothing(t *testing.T) {
	bothRestarts(t, strict(), func(t *testing.T, w *world) {
		for _, swept := range []bool{true, false} {
			w.engine.sweeper.closing = !swept
			for _, fifo := range []bool{false, true} {
				q := w.create("q", Patch{FIFO: &fifo, ContentDedup: new(true)})
				for i := range 2500 {
					w.send(q, fmt.Sprint("g:", i))
				}
				w.take(q, ReceiveRequest{Max: new(10), AttemptID: new("a")})
				w.post(q, Outgoing{Body: "delayed", Group: new("h"), Delay: new(time.Hour)})
				if err := w.DeleteQueue(t.Context(), q); err != nil {
					t.Fatal(err)
				}
				wantKind(t, "Queue()", second(w.Queue(t.Context(), q)), QueueNotFound)
			}
			if !swept {
				w.restart()
				wantKind(t, "Queue() after a restart", second(w.Queue(t.Context(), named("q"))), QueueNotFound)
			}
			w.settle()
			wantKeys(t, w.store, map[string]int{})
		}
	})
}

// Numbers and receipts are never used twice, whatever was deleted before the end.
func TestNothingIsReusedAfterARestart(t *testing.T) {
	bothRestarts(t, forgiving(), func(t *testing.T, w *world) {
		var last uint64
		receipts := map[Receipt]bool{}
		for range 5 {
			q := w.create("q", Patch{})
			m := w.post(q, Outgoing{Body: "m"})
			r := w.one(q).Receipt
			if m.Sequence <= last || receipts[r] {
				t.Errorf("sequence number %d after %d, receipt seen %v", m.Sequence, last, receipts[r])
			}
			last, receipts[r] = m.Sequence, true
			w.drop(q, r)
			if err := w.DeleteQueue(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			w.settle()
			w.restart()
		}
	})
}

func TestOpenRefusesANewerFormat(t *testing.T) {
	w := newWorld(t, forgiving())
	w.close()
	var b persistence.Batch
	b.Put([]byte{formatKey}, []byte{formatVersion + 1})
	if err := w.store.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(w.store, Options{}); !errors.Is(err, ErrNewerFormat) {
		t.Errorf("Open() = %v, want ErrNewerFormat", err)
	}
}

func TestOpenThatFailsLeavesNothingRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails while one of its goroutines is left
		store := memory.New()
		var b persistence.Batch
		b.Put([]byte{formatKey}, []byte{formatVersion + 1})
		if err := store.Commit(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(store, Options{Observers: []Observer{&scribe{}}}); err == nil {
			t.Error("Open() = nil, want an error")
		}
	})
}

// A damaged store is refused in words, not with a panic and not by forgetting what is in it.
func TestOpenRefusesDamage(t *testing.T) {
	for _, prefix := range []byte{queuePrefix, messagePrefix, statePrefix, dedupPrefix, attemptPrefix, sequenceKey} {
		for _, damage := range [][]byte{{}, {0}, {recordVersion}, {recordVersion, 0xff}, {99, 1, 2, 3}} {
			w := newWorld(t, forgiving())
			q := w.fifo("q")
			w.send(q, "g:m")
			w.take(q, attemptOf("a"))
			w.close()
			var b persistence.Batch
			_ = w.store.Load([]byte{prefix}, nil, func(key, _ []byte) error { b.Put(key, damage); return nil })
			if err := w.store.Commit(&b); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(w.store, Options{Clock: w.clock}); !errors.Is(err, errRecord) {
				t.Errorf("Open() of a damaged %c record %v = %v, want errRecord", prefix, damage, err)
			}
		}
	}
}
