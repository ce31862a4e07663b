package core

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// poll is a receive that waits, in a goroutine of its own.
type poll struct {
	cancel context.CancelFunc
	done   chan struct{}
	got    []Received
	err    error
}

func (w *world) poll(q QueueKey, r ReceiveRequest) *poll {
	if r.Wait == nil {
		r.Wait = new(20 * time.Second)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &poll{cancel: cancel, done: make(chan struct{})}
	w.Cleanup(cancel)
	go func() {
		defer close(p.done)
		p.got, p.err = w.Receive(ctx, q, r)
	}()
	synctest.Wait()
	return p
}

// ended reports whether the poll was answered, once everybody has done what there is to do.
func (p *poll) ended() bool {
	synctest.Wait()
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *poll) wantWaiting(t testing.TB) {
	t.Helper()
	if p.ended() {
		t.Fatalf("the poll was answered with %v, %v, want it to wait", bodies(p.got), p.err)
	}
}

func (p *poll) want(t testing.TB, want ...string) {
	t.Helper()
	if !p.ended() {
		t.Fatal("the poll waits")
	}
	if got := bodies(p.got); p.err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("the poll was answered with %v, %v, want %v", got, p.err, want)
	}
}

func TestPollIsWoken(t *testing.T) {
	for _, tt := range []struct {
		name string
		fifo bool
		// hide brings a message into a state in which it cannot be received, and returns what ends that.
		hide func(w *world, q QueueKey) func()
	}{
		{"by a send", false, func(w *world, q QueueKey) func() {
			return func() { w.send(q, "g:m") }
		}},
		{"by the end of a visibility timeout", false, func(w *world, q QueueKey) func() {
			w.send(q, "g:m")
			w.take(q, ReceiveRequest{Visibility: new(5 * time.Second)})
			return func() { w.pass(5 * time.Second) }
		}},
		{"by the end of a delay", false, func(w *world, q QueueKey) func() {
			w.post(q, Outgoing{Body: "g:m", Delay: new(5 * time.Second)})
			return func() { w.pass(5 * time.Second) }
		}},
		{"by a change of visibility", false, func(w *world, q QueueKey) func() {
			w.send(q, "g:m")
			m := w.one(q)
			return func() { w.mustHide(q, m.Receipt, 0) }
		}},
		{"by a shorter visibility", false, func(w *world, q QueueKey) func() {
			w.send(q, "g:m")
			m := w.one(q)
			return func() { w.mustHide(q, m.Receipt, time.Second); w.pass(time.Second) }
		}},
		{"by a delete that opens a group", true, func(w *world, q QueueKey) func() {
			w.send(q, "g:head", "g:m")
			m := w.one(q)
			return func() { w.drop(q, m.Receipt) }
		}},
		{"by the retention of a group's head", true, func(w *world, q QueueKey) func() {
			w.amend(q, Patch{Retention: new(time.Minute)})
			w.send(q, "g:head")
			w.pass(50 * time.Second)
			w.send(q, "g:m")
			w.one(q)
			return func() { w.pass(10 * time.Second) }
		}},
		{"by a receive that dead-letters a group's head", true, func(w *world, q QueueKey) func() {
			dead := w.fifo("dead")
			w.amend(q, Patch{Redrive: new(&Redrive{dead, 1})})
			w.send(q, "g:head", "g:m")
			w.one(q)
			return func() { w.pass(30 * time.Second) }
		}},
		{"by a shorter delay of a FIFO queue", true, func(w *world, q QueueKey) func() {
			w.amend(q, Patch{Delay: new(time.Minute)})
			w.send(q, "g:m")
			return func() { w.amend(q, Patch{Delay: new(time.Duration(0))}) }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, forgiving())
				w.rules.Wait = Range[time.Duration]{}
				w.Broker = w.engine.Under(w.rules)
				q := w.create("q", Patch{FIFO: &tt.fifo, ContentDedup: new(true)})
				end := tt.hide(w, q)
				p := w.poll(q, ReceiveRequest{Wait: new(time.Hour)})
				p.wantWaiting(t)
				end()
				p.want(t, "g:m")
			})
		})
	}
}

func TestPollEndsEmptyAfterItsWait(t *testing.T) {
	for _, tt := range []struct {
		name         string
		queue, given *time.Duration
		want         time.Duration
	}{
		{"none", nil, nil, 0},
		{"the queue's", new(5 * time.Second), nil, 5 * time.Second},
		{"its own", new(5 * time.Second), new(20 * time.Second), 20 * time.Second},
		{"zero is not the queue's", new(5 * time.Second), new(time.Duration(0)), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, forgiving())
				q := w.create("q", Patch{Wait: tt.queue})
				p := &poll{done: make(chan struct{})}
				go func() {
					defer close(p.done)
					p.got, p.err = w.Receive(t.Context(), q, ReceiveRequest{Wait: tt.given})
				}()
				if tt.want > 0 {
					synctest.Wait()
					w.pass(tt.want - time.Millisecond)
					p.wantWaiting(t)
					w.pass(time.Millisecond)
				}
				p.want(t)
				if n := w.clock.Waiting(); n != 0 {
					t.Errorf("%d waits are left on the clock", n)
				}
			})
		})
	}
}

// A clock that jumps over the end of a wait brings what became visible before it.
func TestPollTakesALastLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 {
			w := newWorld(t, forgiving())
			q := w.create("q", Patch{})
			w.post(q, Outgoing{Body: "m", Delay: new(5 * time.Second)})
			p := w.poll(q, ReceiveRequest{})
			w.pass(time.Minute)
			p.want(t, "m")
		}
	})
}

func TestPollEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{})
		p := w.poll(q, ReceiveRequest{})
		p.cancel()
		p.want(t)
		w.send(q, "m")
		w.counts(q, 1, 0, 0)
		synctest.Wait()
		if n := w.clock.Waiting(); n != 1 { // the timer's, for the message's retention
			t.Errorf("%d waits are left on the clock, want 1", n)
		}
	})
}

func TestPollEndsWithTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{})
		p, other := w.poll(q, ReceiveRequest{}), w.poll(w.create("other", Patch{}), ReceiveRequest{})
		if err := w.DeleteQueue(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if !p.ended() {
			t.Fatal("the poll waits")
		}
		wantKind(t, "Receive()", p.err, QueueNotFound)
		other.wantWaiting(t)
	})
}

// The queue is still there when the engine closes, so nobody must hear that it is not.
func TestPollEndsWithTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		p := w.poll(w.create("q", Patch{}), ReceiveRequest{})
		w.close()
		if !p.ended() {
			t.Fatal("the poll waits")
		}
		wantKind(t, "Receive()", p.err, Internal)
	})
}

// Each of many polls gets one message, first come, first served.
func TestManyPollsGetOneEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{})
		var polls []*poll
		for range 100 {
			polls = append(polls, w.poll(q, ReceiveRequest{}))
		}
		for i := range 50 {
			w.send(q, fmt.Sprint(i))
			polls[i].want(t, fmt.Sprint(i))
		}
		var batch []Outgoing
		for i := range 50 {
			batch = append(batch, Outgoing{Body: fmt.Sprint(50 + i)})
		}
		if _, err := w.Send(t.Context(), q, batch); err != nil {
			t.Fatal(err)
		}
		for i := 50; i < 100; i++ {
			polls[i].want(t, fmt.Sprint(i))
		}
		w.counts(q, 0, 100, 0)
		late := w.poll(q, ReceiveRequest{Max: new(10)})
		late.wantWaiting(t)
		w.pass(30 * time.Second)
		if late.ended(); len(late.got) != 10 && len(late.got) != 0 {
			t.Errorf("the late poll got %d messages", len(late.got))
		}
	})
}

func TestPollsShareWhatBecomesVisibleAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{})
		for i := range 5 {
			w.post(q, Outgoing{Body: fmt.Sprint(i), Delay: new(time.Second)})
		}
		var polls []*poll
		for range 6 {
			polls = append(polls, w.poll(q, ReceiveRequest{}))
		}
		w.pass(time.Second)
		for i := range 5 {
			polls[i].want(t, fmt.Sprint(i))
		}
		polls[5].wantWaiting(t)
	})
}

// A poll that is woken as its client leaves must not swallow the wake-up.
func TestCancelledPollPassesItsWakeUpOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		key := w.create("q", Patch{})
		q := w.engine.queues[key]
		first, second := w.poll(key, ReceiveRequest{}), w.poll(key, ReceiveRequest{})
		q.mu.Lock() // both are woken or cancelled before either can look
		var c changes
		w.engine.Under(w.rules).(*view).send(q, &Outgoing{Body: "m"}, &Sent{}, w.engine.now(), &c)
		q.waiters.wakeOne()
		first.cancel()
		q.mu.Unlock()
		first.want(t)
		second.want(t, "m")
	})
}

// Polls at the bound of messages in flight wait for room and not for messages.
func TestPollAtTheBoundWaitsForRoom(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := forgiving()
			r.MaxInFlight, r.MaxInFlightFIFO = 3, 3
			w := newWorld(t, r)
			q := w.create("q", Patch{FIFO: &fifo, ContentDedup: new(true)})
			w.send(q, "a:1", "b:2", "c:3", "d:4", "e:5")
			held := w.expect(q, 2, "a:1", "b:2")
			w.expect(q, 10, "c:3")
			p := w.poll(q, ReceiveRequest{})
			p.wantWaiting(t)
			_, err := w.Receive(t.Context(), q, ReceiveRequest{Wait: new(time.Duration(0))})
			if fifo {
				wantKind(t, "Receive() at the bound", err, none)
			} else {
				wantKind(t, "Receive() at the bound", err, TooManyInFlight)
			}
			w.drop(q, held[0].Receipt)
			p.want(t, "d:4")
			w.pass(20 * time.Second)
			p = w.poll(q, ReceiveRequest{})
			w.pass(20 * time.Second) // the end of the other timeouts comes first, and the last look is no error
			if !p.ended() || p.err != nil || len(p.got) != 1 {
				t.Errorf("the poll was answered with %v, %v, want one message", bodies(p.got), p.err)
			}
		})
	}
}

func TestPollAtTheBoundEndsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := forgiving()
		r.MaxInFlight = 1
		w := newWorld(t, r)
		q := w.create("q", Patch{})
		w.send(q, "1", "2")
		w.one(q)
		p := w.poll(q, ReceiveRequest{})
		w.pass(20 * time.Second)
		p.want(t)
	})
}
