package model

import (
	"fmt"
	"slices"
	"time"
)

// Event is a request and the answer that was seen, or something else that happened. Only this package's events are.
type Event interface {
	// apply changes the world, which nobody else has, and returns what may follow.
	apply(w *World) ([]*World, error)
}

// Passed is time that went by: it is Now. Untimed worlds do not care.
type Passed struct{ Now time.Time }

func (e Passed) apply(w *World) ([]*World, error) {
	if w.timed {
		w.pass(e.Now)
	}
	return []*World{w}, nil
}

// Forgotten is a restart of a server that keeps nothing.
type Forgotten struct{}

func (Forgotten) apply(w *World) ([]*World, error) {
	clear(w.queues)
	clear(w.buried)
	return []*World{w}, nil
}

// Due tells an untimed world that what the event with a timer hid is to be visible now. It does nothing to messages
// that another event has hidden or shown since.
type Due struct {
	Queue string
	Timer int
}

func (e Due) apply(w *World) ([]*World, error) {
	if q := w.queues[e.Queue]; q != nil {
		for _, m := range q.messages {
			if m.timer == e.Timer && m.state != visible {
				m.state = visible
			}
		}
	}
	return []*World{w}, nil
}

// Together are events of one atomic request, in their order.
type Together []Event

func (e Together) apply(w *World) ([]*World, error) {
	worlds := []*World{w}
	for _, one := range e {
		var next []*World
		var impossible error
		for _, w := range worlds {
			after, err := w.After(one)
			next, impossible = append(next, after...), err
		}
		if len(next) == 0 {
			return nil, impossible
		}
		worlds = next
	}
	return worlds, nil
}

// Created is a queue that did not exist and was made, or not.
type Created struct {
	Queue    string
	Settings Settings
	Refused  Refusal
}

func (e Created) apply(w *World) ([]*World, error) {
	var reason Refusal
	if at, was := w.buried[e.Queue]; was && w.now.Before(at.Add(w.limits.RecreateAfter)) {
		reason = QueueJustDeleted
	}
	if worlds, over, err := w.refused(e.Refused, reason); over {
		return worlds, err
	}
	if w.queues[e.Queue] != nil {
		return nil, fmt.Errorf("queue %s was made twice", e.Queue)
	}
	w.queues[e.Queue] = &queue{name: e.Queue, s: e.Settings}
	w.births[e.Queue]++
	return []*World{w}, nil
}

// Dropped is a queue that was deleted.
type Dropped struct {
	Queue   string
	Refused Refusal
}

func (e Dropped) apply(w *World) ([]*World, error) {
	if worlds, over, err := w.refused(e.Refused, w.missing(e.Queue)); over {
		return worlds, err
	}
	delete(w.queues, e.Queue)
	w.buried[e.Queue] = w.now
	return []*World{w}, nil
}

func (w *World) missing(queue string) Refusal {
	if w.queues[queue] == nil {
		return QueueMissing
	}
	return None
}

// Amended is a change of settings.
type Amended struct {
	Queue   string
	Change  func(*Settings) `json:"-"`
	Refused Refusal
}

func (e Amended) apply(w *World) ([]*World, error) {
	if worlds, over, err := w.refused(e.Refused, w.missing(e.Queue)); over {
		return worlds, err
	}
	q := w.queues[e.Queue]
	was := q.s
	e.Change(&q.s)
	if q.s.FIFO && q.s.Delay != was.Delay {
		for _, m := range q.messages {
			if m.state == delayed { // Documented: retroactive on FIFO queues and not on standard ones
				m.until = m.sent.Add(q.s.Delay)
			}
		}
	}
	w.settle(q)
	return []*World{w}, nil
}

// Purged is a queue that was emptied, of what it remembers for deduplication as well.
type Purged struct {
	Queue   string
	Refused Refusal
}

func (e Purged) apply(w *World) ([]*World, error) {
	q, reason := w.queues[e.Queue], w.missing(e.Queue)
	if q != nil && !q.purged.IsZero() && w.now.Before(q.purged.Add(w.limits.PurgeEvery)) {
		reason = PurgedJustNow
	}
	if worlds, over, err := w.refused(e.Refused, reason); over {
		return worlds, err
	}
	q.messages, q.dedups, q.attempts, q.purged = nil, nil, nil, w.now
	return []*World{w}, nil
}

// Counted are a queue's counters as an answer gave them.
type Counted struct {
	Queue                      string
	Visible, InFlight, Delayed int
	Refused                    Refusal
}

func (e Counted) apply(w *World) ([]*World, error) {
	if worlds, over, err := w.refused(e.Refused, w.missing(e.Queue)); over {
		return worlds, err
	}
	q := w.queues[e.Queue]
	got, want := []int{e.Visible, e.InFlight, e.Delayed}, []int{q.count(visible), q.count(inFlight), q.count(delayed)}
	if !slices.Equal(got, want) {
		return nil, fmt.Errorf("%s has %v messages visible, in flight and delayed, want %v", e.Queue, got, want)
	}
	return []*World{w}, nil
}
