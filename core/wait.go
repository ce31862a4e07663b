package core

import (
	"context"
	"slices"
)

// waiters are the receives that wait for a message, first come first served. A waiter costs nothing while it waits.
type waiters struct{ list []*waiter }

type waiter struct{ woken chan struct{} }

func (w *waiters) park() *waiter {
	p := &waiter{woken: make(chan struct{})}
	w.list = append(w.list, p)
	return p
}

// leave takes a waiter out and reports whether it was still waiting.
func (w *waiters) leave(p *waiter) bool {
	i := slices.Index(w.list, p)
	if i >= 0 {
		w.list = slices.Delete(w.list, i, i+1)
	}
	return i >= 0
}

// wakeOne wakes the first. It is given the lock of its queue like any other verb; when it leaves messages behind, it
// wakes the next.
func (w *waiters) wakeOne() {
	if len(w.list) > 0 {
		close(w.list[0].woken)
		w.list[0] = nil
		w.list = w.list[1:]
	}
}

func (w *waiters) wakeAll() {
	for len(w.list) > 0 {
		w.wakeOne()
	}
}

// notify wakes a waiter if there is something to deliver.
func (q *queue) notify() {
	if len(q.waiters.list) > 0 && q.order.deliverable() {
		q.waiters.wakeOne()
	}
}

// sleep parks the caller until it is woken, the wait is over or ctx ends, and reports whether it was woken in time to
// take a message. The queue's lock is held at the call and at the return.
func (q *queue) sleep(ctx context.Context, reached <-chan struct{}) bool {
	p := q.waiters.park()
	q.mu.Unlock()
	select {
	case <-p.woken:
	case <-reached:
	case <-ctx.Done():
	}
	q.mu.Lock()
	if q.waiters.leave(p) {
		return false
	}
	if ctx.Err() != nil {
		q.notify() // it was woken for nothing: whoever is next gets the message
		return false
	}
	return true
}
