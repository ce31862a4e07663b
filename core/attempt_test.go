package core

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func attemptOf(id string) ReceiveRequest { return ReceiveRequest{Max: new(10), AttemptID: &id} }

func TestAttemptRepeatsItsMessages(t *testing.T) {
	for _, restart := range []bool{false, true} {
		w := newWorld(t, forgiving())
		q := w.fifo("q")
		w.send(q, "g:1", "g:2", "h:3")
		first := w.take(q, ReceiveRequest{Max: new(2), AttemptID: new("a")})
		for range 2 {
			w.pass(20 * time.Second)
			if restart {
				w.restart()
			}
			again := w.take(q, attemptOf("a"))
			for i := range again {
				if !again[i].VisibleAt.Equal(w.Now().Add(30 * time.Second)) {
					t.Errorf("Receive() again = visible at %v, want a new timeout", again[i].VisibleAt)
				}
				again[i].VisibleAt = first[i].VisibleAt
			}
			if diff := cmp.Diff(first, again); diff != "" {
				t.Errorf("Receive() again (-first +again):\n%s", diff)
			}
		}
		w.pass(29 * time.Second)
		w.counts(q, 1, 2, 0) // the timeout was reset
		if got := w.take(q, attemptOf("b")); len(got) != 1 || got[0].Body != "h:3" {
			t.Errorf("Receive() under another id = %v, want the rest", bodies(got))
		}
		w.drop(q, first[0].Receipt, first[1].Receipt)
	}
}

func TestAttemptIsOverOnceSomethingHappened(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w *world, q QueueKey, got []Received)
		want Kind
	}{
		{"nothing", func(*world, QueueKey, []Received) {}, none},
		{"its timeout", func(w *world, q QueueKey, got []Received) { w.pass(30 * time.Second) }, none},
		{"a delete", func(w *world, q QueueKey, got []Received) { w.drop(q, got[1].Receipt) }, AttemptInvalid},
		{"a change", func(w *world, q QueueKey, got []Received) { w.mustHide(q, got[1].Receipt, time.Hour) }, AttemptInvalid},
		{"a change to now", func(w *world, q QueueKey, got []Received) { w.mustHide(q, got[0].Receipt, 0) }, AttemptInvalid},
		{"another receive", func(w *world, q QueueKey, got []Received) { w.pass(30 * time.Second); w.receive(q, 10) }, AttemptInvalid},
		{"retention", func(w *world, q QueueKey, got []Received) {
			w.pass(4 * time.Minute)
			w.amend(q, Patch{Retention: new(time.Minute)})
		}, AttemptInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, forgiving())
			q := w.fifo("q")
			w.send(q, "g:1", "g:2", "h:3")
			tt.do(w, q, w.take(q, ReceiveRequest{Max: new(2), AttemptID: new("a")}))
			for range 2 {
				got, err := w.Receive(t.Context(), q, attemptOf("a"))
				wantKind(t, "Receive() again", err, tt.want)
				if tt.want == none && len(got) != 2 {
					t.Errorf("Receive() again = %v, want the same two", bodies(got))
				}
				if e, ok := errors.AsType[*Error](err); ok && e.Value != "a" {
					t.Errorf("Receive() again = %v, want the id", e)
				}
				w.restart()
			}
		})
	}
}

func TestAttemptLastsFiveMinutes(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.fifo("q")
	w.send(q, "g:1")
	w.take(q, attemptOf("a"))
	w.pass(5*time.Minute - time.Millisecond)
	if got := w.take(q, attemptOf("a")); len(got) != 1 || got[0].Receives != 1 {
		t.Fatalf("Receive() again = %+v, want the same", got)
	}
	w.pass(time.Millisecond)
	if got := w.take(q, attemptOf("a")); len(got) != 0 {
		t.Fatalf("Receive() after five minutes = %+v, want nothing: the message is in flight", got)
	}
	w.pass(30 * time.Second)
	if got := w.take(q, attemptOf("a")); len(got) != 1 || got[0].Receives != 2 {
		t.Fatalf("Receive() = %+v, want a new delivery", got)
	}
}

// K13: a standard queue takes an attempt id and pays it no attention. An empty receive is not remembered.
func TestAttemptIsForFIFOOnly(t *testing.T) {
	w := newWorld(t, forgiving())
	q, f := w.create("q", Patch{}), w.fifo("f")
	w.send(q, "1", "2")
	w.take(f, attemptOf("a"))
	w.send(f, "g:1")
	if got := w.take(f, attemptOf("a")); len(got) != 1 {
		t.Errorf("Receive() after an empty one = %v", bodies(got))
	}
	for _, want := range []string{"1", "2"} {
		if got := w.take(q, ReceiveRequest{AttemptID: new("a")}); len(got) != 1 || got[0].Body != want {
			t.Errorf("Receive() = %v, want %q", bodies(got), want)
		}
	}
}

func TestPurgeForgetsAttempts(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.fifo("q")
	w.send(q, "g:1")
	w.take(q, attemptOf("a"))
	w.purge(q)
	w.restart()
	if got := w.take(q, attemptOf("a")); len(got) != 0 {
		t.Errorf("Receive() = %v, want nothing", bodies(got))
	}
}
