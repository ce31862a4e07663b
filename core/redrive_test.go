package core

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence/memory"
)

// dying makes a queue whose messages go to the target after n receives, with a timeout of one second.
func (w *world) dying(name string, target QueueKey, n int, p Patch) QueueKey {
	w.Helper()
	p.Redrive = new(&Redrive{target, n})
	p.Visibility = new(time.Second)
	return w.create(name, p)
}

// K18: exactly as many deliveries as the policy says; the next receive moves the message.
func TestRedriveAfterMaxReceives(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		for n := 1; n <= 4; n++ {
			t.Run(fmt.Sprintf("FIFO=%v/%d", fifo, n), func(t *testing.T) {
				w := newWorld(t, forgiving())
				p := Patch{FIFO: &fifo, ContentDedup: new(true)}
				dead := w.create("dead", p)
				q := w.dying("q", dead, n, p)
				sent := w.post(q, Outgoing{Body: "m", Group: new("g")})
				for i := 1; i <= n; i++ {
					if got := w.one(q); got.Receives != i {
						t.Errorf("Receive() number %d = receives %d", i, got.Receives)
					}
					w.pass(time.Second)
					w.restart()
				}
				w.counts(q, 1, 0, 0) // it moves when it is asked for, not before
				w.counts(dead, 0, 0, 0)
				w.expect(q, 10)
				w.counts(q, 0, 0, 0)
				w.restart()
				if got := w.one(dead); got.ID != sent.ID || got.Receives != n+1 {
					t.Errorf("Receive() of the dead = %v, receives %d, want %v, %d", got.ID, got.Receives, sent.ID, n+1)
				}
			})
		}
	}
}

// K19.
func TestRedriveKeepsTheMessage(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		t.Run(fmt.Sprintf("FIFO=%v", fifo), func(t *testing.T) {
			w := newWorld(t, forgiving())
			p := Patch{FIFO: &fifo, ContentDedup: new(true)}
			dead := w.create("dead", p)
			q := w.dying("q", dead, 1, p)
			w.post(q, Outgoing{
				Body: "m", Group: new("g"), Sender: "me", Priority: new(2), Trace: Trace{XRay: "x", Baggage: "b"},
				Attributes: []Attribute{{Name: "n", Kind: Binary, Label: "l", Value: []byte{1}}},
			})
			w.pass(time.Minute)
			first := w.one(q)
			w.pass(time.Minute)
			w.expect(q, 10)
			w.restart()
			got := w.one(dead)
			want := first.Message
			want.Receives = 2
			want.Source = &q
			want.Sequence = got.Sequence
			if fifo {
				want.DeduplicationID = want.ID.String()
			}
			if diff := cmp.Diff(want, got.Message); diff != "" {
				t.Errorf("Receive() of the dead (-want +got):\n%s", diff)
			}
			if got.Sequence <= first.Sequence {
				t.Errorf("sequence number %d, want one above %d", got.Sequence, first.Sequence)
			}
			w.drop(q, first.Receipt) // harmless: the message is not there any more
			w.drop(dead, got.Receipt)
		})
	}
}

// K20: it moves on like any other message.
func TestRedriveChain(t *testing.T) {
	w := newWorld(t, forgiving())
	third := w.create("q3", Patch{})
	second := w.dying("q2", third, 1, Patch{})
	first := w.dying("q1", second, 1, Patch{})
	sent := w.post(first, Outgoing{Body: "m"})
	w.expect(first, 1, "m")
	w.pass(time.Second)
	w.expect(first, 1)
	w.restart()
	w.expect(second, 1, "m")
	w.restart()
	w.pass(time.Second)
	w.expect(second, 1)
	if got := w.one(third); got.ID != sent.ID || got.Receives != 3 || *got.Source != second {
		t.Errorf("Receive() at the end = %+v", got)
	}
}

func TestRedriveReceiveGoesOnWithTheRest(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.create("dead", Patch{})
	q := w.dying("q", dead, 1, Patch{})
	w.send(q, "1", "2", "3")
	w.expect(q, 2, "1", "2")
	w.pass(time.Second)
	w.send(q, "4")
	w.expect(q, 2, "3", "4")
	w.counts(dead, 2, 0, 0) // they stood between the two
	w.pass(time.Second)
	w.expect(q, 2)
	w.expect(dead, 10, "1", "2", "3", "4")
}

// A moved head opens its group, and the rest comes in the same receive.
func TestRedriveOpensAGroup(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.fifo("dead")
	q := w.dying("q", dead, 1, Patch{FIFO: new(true), ContentDedup: new(true)})
	w.send(q, "g:1", "g:2", "h:1")
	w.expect(q, 1, "g:1")
	w.pass(time.Second)
	w.expect(q, 10, "h:1", "g:2")
	w.expect(dead, 10, "g:1")
	w.send(q, "g:3")
	w.expect(q, 10)
	w.pass(time.Second)
	w.expect(q, 10, "g:3")
}

// The deduplication id of the queue does not suppress sends to the dead-letter queue, nor the other way round.
func TestRedriveLeavesDeduplicationAlone(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.fifo("dead")
	q := w.dying("q", dead, 1, Patch{FIFO: new(true), ContentDedup: new(true)})
	w.send(q, "g:1")
	w.one(q)
	w.pass(time.Second)
	w.expect(q, 1)
	w.send(dead, "g:1")
	w.expect(dead, 10, "g:1", "g:1")
	if got := w.post(q, Outgoing{Body: "g:1", Group: new("g")}); !got.Duplicate {
		t.Error("Send() to the queue is no duplicate any more")
	}
}

// Documented: on a standard queue the age counts from the sending, on a FIFO queue from the move.
func TestRedriveAge(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		w := newWorld(t, forgiving())
		p := Patch{FIFO: &fifo, ContentDedup: new(true), Retention: new(time.Hour)}
		dead := w.create("dead", p)
		q := w.dying("q", dead, 1, p)
		w.send(q, "g:1")
		w.one(q)
		w.pass(30 * time.Minute)
		w.expect(q, 1)
		w.restart()
		w.pass(30*time.Minute - time.Millisecond)
		w.counts(dead, 1, 0, 0)
		w.pass(time.Millisecond)
		w.counts(dead, map[bool]int{true: 1}[fifo], 0, 0)
		w.pass(30 * time.Minute)
		w.counts(dead, 0, 0, 0)
	}
}

func TestRedriveWithoutItsTargetDeliversOn(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.create("dead", Patch{})
	q := w.dying("q", dead, 1, Patch{})
	w.send(q, "m")
	if err := w.DeleteQueue(t.Context(), dead); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if got := w.one(q); got.Receives != i+1 {
			t.Errorf("Receive() = receives %d, want %d", got.Receives, i+1)
		}
		w.pass(time.Second)
		w.restart()
	}
	w.create("dead", Patch{})
	w.expect(q, 1)
	w.expect(dead, 1, "m")
}

func TestAmendedPolicyCountsForMessagesThatAreThere(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.create("dead", Patch{})
	q := w.dying("q", dead, 5, Patch{})
	w.send(q, "m")
	for range 3 {
		w.one(q)
		w.pass(time.Second)
	}
	w.amend(q, Patch{Redrive: new(&Redrive{dead, 3})})
	w.expect(q, 1)
	w.counts(dead, 1, 0, 0)
	w.send(q, "n")
	w.one(q)
	w.amend(q, Patch{Redrive: new((*Redrive)(nil))})
	for range 5 {
		w.pass(time.Second)
		w.expect(q, 1, "n")
	}
}

func TestRedriveWakesPollsOfTheDeadLetterQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		dead := w.create("dead", Patch{})
		q := w.dying("q", dead, 1, Patch{})
		w.send(q, "m")
		w.one(q)
		p := w.poll(dead, ReceiveRequest{})
		w.pass(time.Second)
		p.wantWaiting(t)
		w.expect(q, 1)
		p.want(t, "m")
	})
}

// A waiting receive moves what it may not deliver and waits on.
func TestPollMovesAndWaitsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		dead := w.create("dead", Patch{})
		q := w.dying("q", dead, 1, Patch{})
		w.send(q, "m")
		w.one(q)
		p := w.poll(q, ReceiveRequest{})
		w.pass(time.Second)
		p.wantWaiting(t)
		w.counts(dead, 1, 0, 0)
		w.send(q, "n")
		p.want(t, "n")
	})
}

// A queue that is its own dead-letter queue, or that of its own, must neither loop nor hang, nor lose a message.
func TestRedriveInCircles(t *testing.T) {
	for _, length := range []int{1, 2, 3} {
		for _, fifo := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/FIFO=%v", length, fifo), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, forgiving())
					var circle []QueueKey
					for i := range length {
						circle = append(circle, w.create(fmt.Sprint("q", i), Patch{FIFO: &fifo, ContentDedup: new(true), Visibility: new(time.Second)}))
					}
					for i, q := range circle {
						w.amend(q, Patch{Redrive: new(&Redrive{circle[(i+1)%length], 1})})
					}
					for i := range 20 {
						w.send(circle[0], fmt.Sprint("g:", i), fmt.Sprint("h:", i))
					}
					for range 5 {
						var polls []*poll
						for _, q := range circle {
							polls = append(polls, w.poll(q, ReceiveRequest{Max: new(10)}), w.poll(q, ReceiveRequest{Max: new(10)}))
						}
						before := w.engine.journal.commits.Load()
						for range 20 {
							w.pass(time.Second)
							synctest.Wait()
						}
						for _, p := range polls {
							if !p.ended() || p.err != nil {
								t.Fatalf("the poll was answered with %v, %v", bodies(p.got), p.err)
							}
						}
						if n := w.engine.journal.commits.Load() - before; n > 200 {
							t.Errorf("20 s of waiting took %d commits", n)
						}
					}
					all := 0
					for _, q := range circle {
						i := w.info(q)
						all += i.Visible + i.InFlight
					}
					if all != 40 {
						t.Errorf("%d messages are left, want 40", all)
					}
				})
			})
		}
	}
}

// New messages of a queue that is its own dead-letter queue come through, behind any number that do not.
func TestOwnDeadLetterQueueDeliversNewMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{Visibility: new(time.Second)})
		w.amend(q, Patch{Redrive: new(&Redrive{q, 1})})
		big := strings.Repeat("x", 200_000)
		for range 10 {
			w.send(q, big)
			w.one(q)
		}
		w.pass(time.Second)
		w.expect(q, 10)
		p := w.poll(q, ReceiveRequest{})
		p.wantWaiting(t)
		w.send(q, "m")
		p.want(t, "m")
		w.pass(time.Second)
		w.send(q, "n")
		w.expect(q, 10, "n")
	})
}

// A backlog of large messages moves in commits that a store takes.
func TestLargeMessagesMoveInSmallCommits(t *testing.T) {
	store := &measured{Store: memory.New()}
	w := newWorldOn(t, store, forgiving())
	dead := w.create("dead", Patch{})
	q := w.create("q", Patch{})
	for i := range 30 {
		w.send(q, fmt.Sprint(i)+strings.Repeat("x", 1<<20-10))
	}
	for i := range 3000 {
		w.send(q, fmt.Sprint("small ", i))
	}
	for range 303 {
		w.receive(q, 10)
	}
	w.amend(q, Patch{Redrive: new(&Redrive{dead, 1})})
	w.pass(time.Minute)
	w.send(q, "new")
	store.reset()
	w.expect(q, 10, "new")
	w.counts(dead, 3030, 0, 0)
	w.counts(q, 0, 1, 0)
	if ops, size := store.largest(); size+commitBytes > 2_411_724 || ops+commitOps > 20_000 {
		t.Errorf("the largest commits had %d bytes and %d changes, too many for one that gathers others", size, ops)
	}
}

// What is due in the dead-letter queue stands before what comes now, even when nobody has looked since it was due.
func TestDeadLettersGoBehindWhatIsDue(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.create("dead", Patch{})
	q := w.create("q", Patch{Redrive: new(&Redrive{dead, 1})})
	w.send(q, "worn")
	w.one(q)
	w.post(dead, Outgoing{Body: "due", Delay: new(30 * time.Second)})
	w.pass(30 * time.Second)
	w.expect(q, 1)
	w.expect(dead, 1, "due")
	w.expect(dead, 1, "worn")
}
