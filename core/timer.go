package core

import (
	"sync"

	"github.com/sluicemq/sluice/core/clock"
)

// timer is the engine's one timer. Each queue with something to come stands in its heap once, by the next instant at
// which it has; queues without cost nothing.
type timer struct {
	clock clock.Clock
	ring  func(*queue) // called without locks when a queue's instant has come

	mu   sync.Mutex
	due  heap[*queue]
	kick chan struct{} // the least instant has become less
	quit chan struct{}
	done chan struct{}
}

func newTimer(c clock.Clock, ring func(*queue)) *timer {
	t := &timer{clock: c, ring: ring, kick: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	t.due = heap[*queue]{
		less:  func(a, b *queue) bool { return a.alarm < b.alarm },
		place: func(q *queue, i int) { q.alarmAt = i },
	}
	go t.run()
	return t
}

// set asks to be called for a queue at an instant, unless that was asked for an earlier one. Its lock must be held.
func (t *timer) set(q *queue, at instant) {
	if at == 0 || q.alarm != 0 && q.alarm <= at {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	q.alarm = at
	if q.alarmAt >= 0 {
		t.due.fix(q.alarmAt)
	} else {
		t.due.push(q)
	}
	if q.alarmAt == 0 {
		select {
		case t.kick <- struct{}{}:
		default:
		}
	}
}

// rang notes that a queue is being looked at. Its lock must be held.
func (t *timer) rang(q *queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.alarmAt < 0 { // else it was set again in the meantime
		q.alarm = 0
	}
}

// drop forgets a queue. Its lock must be held.
func (t *timer) drop(q *queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.alarmAt >= 0 {
		t.due.remove(q.alarmAt)
	}
	q.alarm = 0
}

// pop returns the queues whose instant has come, and the next instant of the others.
func (t *timer) pop() ([]*queue, instant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := instantOf(t.clock.Now())
	var ready []*queue
	for t.due.len() > 0 {
		q := t.due.min()
		if q.alarm > now {
			return ready, q.alarm
		}
		t.due.remove(0)
		ready = append(ready, q)
	}
	return ready, 0
}

func (t *timer) run() {
	defer close(t.done)
	for {
		ready, next := t.pop()
		for _, q := range ready {
			t.ring(q)
		}
		if len(ready) > 0 {
			continue
		}
		var reached <-chan struct{}
		stop := func() {}
		if next != 0 {
			reached, stop = t.clock.Until(next.time())
		}
		select {
		case <-reached:
		case <-t.kick:
		case <-t.quit:
			stop()
			return
		}
		stop()
	}
}

func (t *timer) close() {
	close(t.quit)
	<-t.done
}
