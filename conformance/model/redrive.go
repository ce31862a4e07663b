package model

import (
	"slices"
)

// target is the dead-letter queue of a queue, nil when there is none: messages are then delivered on.
func (w *World) target(q *queue) *queue {
	t := w.queues[q.s.DeadLetters]
	if t == nil || t.s.FIFO != q.s.FIFO {
		return nil
	}
	return t
}

// deadLetter moves messages to the dead-letter queue, and of those that are open any choice, each in a world of its own.
func (w *World) deadLetter(q *queue, sure []*message, open [][]*message) []*World {
	if len(sure)+len(open) == 0 {
		return []*World{w}
	}
	var worlds []*World
	for choice := range 1 << len(open) {
		moved := slices.Clone(sure)
		for i, some := range open {
			if choice>>i&1 == 1 {
				moved = append(moved, some...)
			}
		}
		c := w.clone()
		for _, m := range q.messages { // in the order in which they came in
			if slices.Contains(moved, m) {
				c.move(c.queues[q.name], c.queues[q.s.DeadLetters], m.id)
			}
		}
		worlds = append(worlds, c)
	}
	return worlds
}

// move dead-letters a message. Recorded 2024-04: id, body, times and receive count stay. Documented: on FIFO queues its
// age counts from now and its id becomes the deduplication id. It has a new sequence number there.
func (w *World) move(q, target *queue, id string) {
	m := q.find(id)
	if q == target { // it goes to the end of the line, and is never delivered. UNVERIFIED: only that such a policy is accepted is known
		m.until, m.sinceMost = w.now, w.now
		return
	}
	q.remove(m)
	moved := *m
	moved.here, moved.handle, moved.state, moved.source = 0, "", visible, q.name
	moved.until, moved.timer, moved.sinceMin, moved.sinceMost = w.now, 0, w.now, w.now
	moved.sequence = unknown
	if q.s.FIFO {
		moved.entered, moved.dedupID = w.now, unknown
	}
	target.messages = append(target.messages, &moved)
	w.settle(target)
}

// Searched is a look of a receive that is not its last: if there was nothing to deliver but messages that are worn out,
// it has dead-lettered these and looked again. Whether there was such a look cannot be seen from outside.
type Searched struct{ Queue string }

func (e Searched) apply(w *World) ([]*World, error) {
	q := w.queues[e.Queue]
	if q == nil || w.target(q) == nil {
		return []*World{w}, nil
	}
	worn := func(m *message) bool { return m.here >= q.s.MaxReceives }
	moved, _, err := q.receive(nil, 1, worn)
	if err != nil || len(moved) == 0 { // there was something to deliver, or nothing at all
		return []*World{w}, nil
	}
	return append(w.clone().deadLetter(w.queues[e.Queue], moved, nil), w), nil
}
