package core

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func (w *world) sendGroup(q QueueKey, group string, bodies ...string) {
	w.Helper()
	for _, body := range bodies {
		w.post(q, Outgoing{Body: body, Group: &group})
	}
}

func TestTenantGetsItsShareOfASecond(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{TenantRate: new(2)})
	w.sendGroup(q, "a", "a1", "a2", "a3", "a4", "a5")
	w.sendGroup(q, "b", "b1")
	w.send(q, "free1", "free2", "free3")
	w.expect(q, 16, "a1", "a2", "b1", "free1", "free2", "free3")
	w.expect(q, 16)
	w.counts(q, 3, 6, 0)
	w.pass(time.Second - time.Millisecond)
	w.expect(q, 16)
	w.pass(time.Millisecond)
	w.expect(q, 16, "a3", "a4")
	w.pass(time.Second)
	w.sendGroup(q, "a", "a6", "a7")
	w.expect(q, 1, "a5")
	w.expect(q, 1, "a6")
	w.expect(q, 1)
}

// A tenant that has nothing left keeps what it has used up, and one that has not used it up does not rest.
func TestTenantIsRememberedWithoutMessages(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{TenantRate: new(2)})
	for i := range 4 {
		w.sendGroup(q, "a", fmt.Sprint("a", i))
		if i < 2 {
			w.drop(q, w.one(q).Receipt)
		} else {
			w.expect(q, 1)
		}
	}
	w.pass(time.Second)
	w.expect(q, 4, "a2", "a3")
}

func TestTenantsOverTheirShareAreSeenByPeeks(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{TenantRate: new(1)})
	w.sendGroup(q, "a", "a1", "a2")
	w.sendGroup(q, "b", "b1")
	w.expect(q, 1, "a1")
	got, err := w.Peek(t.Context(), q, new(16))
	if err != nil || len(got) != 2 || got[0].Body != "a2" || got[1].Body != "b1" {
		t.Errorf("Peek() = %+v, %v, want a2 and b1", got, err)
	}
	w.expect(q, 1, "b1")
}

// A message that comes back while its tenant rests waits with the others, whatever its priority.
func TestRestingTenantHoldsAllPriorities(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{TenantRate: new(1), Visibility: new(time.Second)})
	w.post(q, Outgoing{Body: "low", Group: new("a"), Priority: new(16)})
	w.post(q, Outgoing{Body: "high", Group: new("a"), Priority: new(1)})
	w.expect(q, 2, "high")
	w.post(q, Outgoing{Body: "higher", Group: new("a"), Priority: new(1)})
	w.post(q, Outgoing{Body: "other", Group: new("b"), Priority: new(16)})
	w.expect(q, 2, "other")
	w.pass(time.Second)
	w.expect(q, 2, "higher", "other")
}

func TestLongPollEndsWithTheTenantsRest(t *testing.T) {
	inBubble(t, func(s *station) {
		q := s.create("q", Patch{TenantRate: new(1)})
		s.sendGroup(q, "a", "a1", "a2")
		s.expect(q, 1, "a1")
		got := make(chan []string)
		go func() {
			messages, _ := s.Receive(context.Background(), q, ReceiveRequest{Wait: new(20 * time.Second)})
			got <- bodies(messages)
		}()
		synctest.Wait()
		s.pass(time.Second)
		if messages := <-got; !slices.Equal(messages, []string{"a2"}) {
			s.Errorf("Receive() = %q, want a2", messages)
		}
	})
}

func TestTenantRateIsASettingLikeOthers(t *testing.T) {
	for name, world := range map[string]func(*testing.T) *world{
		"memory": func(t *testing.T) *world { return newWorld(t, strict()) },
		"badger": func(t *testing.T) *world { return newStoredWorld(t, strict(), true) },
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			q := w.create("q", Patch{TenantRate: new(1)})
			w.restart()
			if got := w.info(q).Settings.TenantRate; got != 1 {
				t.Fatalf("the rate is %d after a restart, want 1", got)
			}
			w.sendGroup(q, "a", "a1", "a2", "a3")
			w.expect(q, 16, "a1")
			w.amend(q, Patch{TenantRate: new(0)})
			w.pass(time.Second)
			w.expect(q, 16, "a2", "a3")
			// Nobody who makes the queue again in words that have no limit is told that it has one.
			if _, made, err := w.Create(t.Context(), q, Patch{}, nil); made || err != nil {
				t.Errorf("Create() again = %v, %v", made, err)
			}
			_, _, err := w.Create(t.Context(), q, Patch{TenantRate: new(7)}, nil)
			wantKind(t, "Create() with another rate", err, QueueExists)
		})
	}
}

func TestTenantRateIsForStandardQueues(t *testing.T) {
	w := newWorld(t, strict())
	_, _, err := w.Create(t.Context(), named("f"), Patch{FIFO: new(true), TenantRate: new(1)}, nil)
	wantKind(t, "Create(FIFO)", err, NotForQueueType)
	_, _, err = w.Create(t.Context(), named("q"), Patch{TenantRate: new(-1)}, nil)
	wantKind(t, "Create(-1)", err, OutOfRange)
	f := w.create("f", Patch{FIFO: new(true)})
	err = w.Amend(t.Context(), f, func(QueueInfo) (Patch, error) { return Patch{TenantRate: new(1)}, nil })
	wantKind(t, "Amend(FIFO)", err, NotForQueueType)
}

// No tenant ever gets more than its share of a window, nothing is lost, and whoever has something to deliver is served.
func TestTenantsShareWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, strict())
		rate := rapid.IntRange(1, 3).Draw(t, "rate")
		q := w.create("q", Patch{TenantRate: &rate, Visibility: new(3 * time.Second)})
		served := map[string][]time.Time{}
		sent, gone := 0, 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				w.pass(rapid.SampledFrom([]time.Duration{time.Millisecond, 400 * time.Millisecond, time.Second}).Draw(t, "pass"))
			case 1, 2:
				priority := rapid.IntRange(1, 2).Draw(t, "priority")
				w.post(q, Outgoing{Body: "m", Group: new(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "group")), Priority: &priority})
				sent++
			case 3:
				for _, m := range w.receive(q, rapid.IntRange(1, 5).Draw(t, "max")) {
					served[m.Group] = append(served[m.Group], w.clock.Now())
					if rapid.Bool().Draw(t, "delete") {
						w.drop(q, m.Receipt)
						gone++
					}
				}
			}
		}
		for group, times := range served {
			for i := range times {
				if j := i + 2*rate; j < len(times) && times[j].Sub(times[i]) < time.Second {
					t.Errorf("tenant %s got %v: more than two shares within a second", group, times[i:j+1])
				}
			}
		}
		w.amend(q, Patch{TenantRate: new(0)})
		w.pass(5 * time.Second)
		if n := len(w.receive(q, 16)); n != min(16, sent-gone) {
			t.Errorf("%d messages are left, want %d", n, min(16, sent-gone))
		}
	})
}
