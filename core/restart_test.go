package core

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/badger"
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
			left := filepath.Join(t.TempDir(), "left")
			if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			dir = left
		}
	}
	return w
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
		rich := Outgoing{
			Body: "rich", Sender: "me", Group: new("tenant"), Priority: new(2), Trace: Trace{XRay: "x", Parent: "p", State: "s", Baggage: "b"},
			Attributes: []Attribute{{Name: "n", Kind: Number, Label: "int", Value: []byte("1")}, {Name: "b", Kind: Binary, Value: []byte{0}}},
		}
		w.post(q, rich)
		w.send(q, "received", "deleted", "visible")
		delayed := w.post(q, Outgoing{Body: "delayed", Delay: new(time.Hour)})
		first := w.receive(q, 3)
		w.drop(q, first[2].Receipt)
		w.pass(5 * time.Second)
		changed := w.mustHide(q, first[0].Receipt, time.Minute)

		w.restart()
		w.counts(q, 1, 2, 1)
		w.expect(q, 10, "visible")
		w.pass(25*time.Second - time.Millisecond)
		w.expect(q, 10)
		wantKind(t, "Delete(old)", w.deleting(q, first[0].Receipt), ReceiptExpired)
		w.pass(time.Millisecond)
		second := w.one(q)
		want := first[1]
		want.Receives = 2
		want.Receipt, want.VisibleAt = second.Receipt, w.Now().Add(30*time.Second)
		if diff := cmp.Diff(want, second); diff != "" {
			t.Errorf("Receive() (-want +got):\n%s", diff)
		}

		w.restart()
		w.pass(35 * time.Second)
		again := w.mustHide(q, second.Receipt, 0+time.Second).Err
		wantKind(t, "ChangeVisibility(expired)", again, none)
	}, )
	_ = changedReceipt
}
