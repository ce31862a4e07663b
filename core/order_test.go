package core

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func (w *world) sendPriority(q QueueKey, priority int, bodies ...string) {
	w.Helper()
	for _, body := range bodies {
		w.post(q, Outgoing{Body: body, Priority: &priority})
	}
}

func TestPriorityComesBeforeTime(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{})
	w.sendPriority(q, 16, "p16")
	w.send(q, "p8 first")
	w.sendPriority(q, 9, "p9")
	w.sendPriority(q, 1, "p1 first", "p1 second")
	w.sendPriority(q, 8, "p8 second")
	w.expect(q, 4, "p1 first", "p1 second", "p8 first", "p8 second")
	w.sendPriority(q, 15, "p15")
	w.expect(q, 16, "p9", "p15", "p16")
}

// Among messages of one priority the one that is visible for longest goes first, not the one sent first.
func TestStandardQueueDeliversByTimeOfBecomingVisible(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.post(q, Outgoing{Body: "delayed", Delay: new(10 * time.Second)})
	w.send(q, "received", "1")
	m := w.one(q)
	w.pass(time.Second)
	w.send(q, "2")
	w.pass(10 * time.Second)
	w.send(q, "3")
	w.pass(time.Millisecond)
	w.mustHide(q, m.Receipt, 0)
	w.restart()
	w.expect(q, 10, "1", "2", "delayed", "3", "received")
}

func TestPeekShowsTheOrderOfDeliveryAndChangesNothing(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		t.Run(fmt.Sprintf("FIFO=%v", fifo), func(t *testing.T) {
			w := newWorld(t, strict())
			q := w.create("q", Patch{FIFO: &fifo})
			w.send(q, "a:1", "b:2", "a:3", "c:4", "b:5")
			w.post(q, Outgoing{Body: "delayed", Group: new("d"), Delay: new(time.Hour)})
			m := w.one(q)
			var peeked []string
			for range 2 {
				got, err := w.Peek(t.Context(), q, new(16))
				if err != nil {
					t.Fatal(err)
				}
				peeked = nil
				for _, m := range got {
					peeked = append(peeked, m.Body)
					if m.Receives != 0 || !m.FirstReceivedAt.IsZero() || !m.SentAt.Equal(epoch) {
						t.Errorf("Peek() = %+v, want what was never received", m)
					}
				}
			}
			w.counts(q, 4, 1, 1)
			w.expect(q, 16, peeked...)
			if slices.Contains(peeked, m.Body) {
				t.Errorf("Peek() = %v, shows %q, which is in flight", peeked, m.Body)
			}
			if fifo {
				if diff := cmp.Diff([]string{"b:2", "b:5", "c:4"}, peeked); diff != "" {
					t.Errorf("Peek() (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestPeekRefusesWhatRulesForbid(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{})
	w.send(q, "m")
	for _, n := range []int{-1, 0, 17} {
		_, err := w.Peek(t.Context(), q, &n)
		wantKind(t, fmt.Sprintf("Peek(%d)", n), err, OutOfRange)
	}
	for n, want := range map[int]int{-1: 0, 0: 0, 1 << 62: 1} {
		got, err := w.engine.Under(forgiving()).Peek(t.Context(), q, &n)
		if err != nil || len(got) != want {
			t.Errorf("Peek(%d) without a rule = %d messages, %v, want %d", n, len(got), err, want)
		}
	}
	if got, err := w.Peek(t.Context(), q, nil); err != nil || len(got) != 1 {
		t.Errorf("Peek(nil) = %d messages, %v, want one", len(got), err)
	}
}

// Documented: a tenant with 30 messages in flight that are over a tenth of all does not starve the others.
func TestNoisyTenantGoesLast(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	for i := range 100 {
		w.send(q, fmt.Sprint("noisy:", i))
	}
	for range 3 {
		w.receive(q, 10)
	}
	w.send(q, "quiet:1", "quiet:2", "other:1")
	w.post(q, Outgoing{Body: "alone"})
	w.expect(q, 5, "quiet:1", "quiet:2", "other:1", "alone", "noisy:30")
	w.sendPriority(q, 16, "late")
	w.expect(q, 1, "noisy:31") // priorities come first
}

func TestTenantIsQuietAgainWhenItsMessagesAreGone(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	for i := range 60 {
		w.send(q, fmt.Sprint("noisy:", i))
	}
	var held []Received
	for range 3 {
		held = append(held, w.receive(q, 10)...)
	}
	w.send(q, "quiet:1")
	w.drop(q, held[0].Receipt)
	w.expect(q, 2, "noisy:30", "noisy:31") // 29, then 30 in flight
	w.expect(q, 1, "quiet:1")
}

// Among noisy tenants the one with the fewest messages in flight goes first. With more than nine messages in ten in
// flight without a group, nobody is noisy.
func TestNoisyTenantsTakeTurns(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	for i := range 100 {
		w.send(q, fmt.Sprint("a:", i))
	}
	for range 4 {
		w.receive(q, 10)
	}
	for i := range 60 {
		w.send(q, fmt.Sprint("b:", i))
	}
	for range 3 {
		w.receive(q, 10)
	}
	w.expect(q, 1, "b:30")
	for i := range 600 {
		w.sendPriority(q, 1, fmt.Sprint(i))
	}
	for range 60 {
		w.receive(q, 10)
	}
	w.expect(q, 1, "a:40")
}
