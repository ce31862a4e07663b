package core

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicemq/sluice/persistence/memory"
)

// scribe is an observer that notes what it is told, as words.
type scribe struct {
	mu    sync.Mutex
	hold  chan struct{} // when not nil, each event waits for it
	lines []string
}

var eventNames = map[EventKind]string{
	EventSent: "sent", EventReceived: "received", EventVisibilitySet: "set", EventVisible: "visible", EventDeleted: "deleted",
	EventDeadLettered: "dead", EventMoved: "moved", EventDeduplicated: "duplicate", EventRetentionExpired: "expired",
	EventPurged: "purged", EventQueueCreated: "created", EventQueueDeleted: "removed",
}

func (s *scribe) Observe(e Event) {
	if s.hold != nil {
		<-s.hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	line := fmt.Sprintf("%s %s %v", eventNames[e.Kind], e.Queue.Name, e.At.Sub(epoch))
	if e.Receives > 0 {
		line += fmt.Sprintf(" receives=%d", e.Receives)
	}
	if e.Other.Name != "" {
		line += " to " + string(e.Other.Name)
	}
	s.lines = append(s.lines, line)
}

func (s *scribe) told() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

func observed(t *testing.T, o ...Observer) *world {
	w := &world{TB: t, clock: newManual(), store: memory.New(), rules: forgiving()}
	e, err := Open(w.store, Options{Clock: w.clock, Observers: o})
	if err != nil {
		t.Fatal(err)
	}
	w.engine, w.Broker = e, e.Under(w.rules)
	t.Cleanup(w.close)
	return w
}

func TestEventsTellTheLifeOfMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scribe{}
		w := observed(t, s)
		dead := w.fifo("dead")
		q := w.dying("q", dead, 2, Patch{FIFO: new(true), ContentDedup: new(true), Retention: new(time.Minute)})
		w.send(q, "g:m", "g:m")
		m := w.one(q)
		w.mustHide(q, m.Receipt, 0)
		w.one(q)
		w.pass(time.Second)
		w.expect(q, 1)
		w.drop(dead, w.one(dead).Receipt)
		w.send(q, "g:n")
		w.pass(time.Minute)
		synctest.Wait()
		w.purge(q)
		if err := w.DeleteQueue(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"created dead 0s", "created q 0s", "sent q 0s", "duplicate q 0s", "received q 0s receives=1", "set q 0s receives=1",
			"received q 0s receives=2", "visible q 1s receives=2", "dead q 1s receives=2 to dead", "received dead 1s receives=3",
			"deleted dead 1s receives=3", "sent q 1s", "expired q 1m1s", "purged q 1m1s", "removed q 1m1s",
		}
		if got := s.told(); !slices.Equal(got, want) {
			t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// What was not stored has not happened.
func TestEventsAreOfWhatWasStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scribe{}
		w, store := newFaultyWorld(t, forgiving())
		w.engine.watched = true
		w.engine.journal.audiences = []*audience{newAudience(s)}
		q := w.create("q", Patch{})
		store.FailCommits(1, errDisk)
		wantKind(t, "Send()", second(w.Send(t.Context(), q, []Outgoing{{Body: "m"}})), Internal)
		w.send(q, "m")
		if got, want := s.told(), []string{"created q 0s", "sent q 0s"}; !slices.Equal(got, want) {
			t.Errorf("events = %v, want %v", got, want)
		}
	})
}

// A slow observer loses events for itself and holds nobody up.
func TestSlowObserverLosesEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := &scribe{hold: make(chan struct{})}, &scribe{}
		w := observed(t, slow, quick)
		q := w.create("q", Patch{})
		synctest.Wait() // the slow one has taken the first event
		for range eventBuffer + 5 {
			w.send(q, "m")
			synctest.Wait()
		}
		if got := w.engine.Dropped(); !slices.Equal(got, []int64{5, 0}) {
			t.Errorf("Dropped() = %v, want 5 and 0", got)
		}
		close(slow.hold)
		if n := len(slow.told()); n != eventBuffer+1 {
			t.Errorf("the slow observer was told %d events, want %d", n, eventBuffer+1)
		}
		if n := len(quick.told()); n != eventBuffer+6 {
			t.Errorf("the quick observer was told %d events, want %d", n, eventBuffer+6)
		}
	})
}

func TestKindsAreAll(t *testing.T) {
	all := Kinds()
	for i, k := range all {
		if int(k) != i {
			t.Errorf("Kinds()[%d] = %d", i, k)
		}
	}
	if len(all) == 0 || all[0] != Internal {
		t.Errorf("Kinds() = %v", all)
	}
}
