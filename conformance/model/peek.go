package model

import "fmt"

// Peeked is a look at what a queue would deliver, which changes nothing.
type Peeked struct {
	Queue    string
	Rules    *Rules
	Max      *int // nil: 1
	Messages []Seen
	Refused  Refusal
}

func (e Peeked) apply(w *World) ([]*World, error) {
	most := limit(e.Max)
	reasons := []Refusal{w.missing(e.Queue)}
	if most < 1 || most > e.Rules.MaxReceive {
		reasons = append(reasons, MaxOutOfRange)
	}
	if worlds, over, err := w.refused(e.Refused, reasons...); over {
		return worlds, err
	}
	q := w.queues[e.Queue]
	got, err := q.seen(e.Messages)
	if err != nil {
		return nil, err
	}
	none := func(*message) bool { return false }
	if _, _, err := q.receive(got, most, none); err != nil {
		return nil, err
	}
	for i, m := range got {
		if err := w.compare(q, m, &e.Messages[i], e.Rules); err != nil {
			return nil, fmt.Errorf("message %d, %q: %w", i, m.body, err)
		}
	}
	return []*World{w}, nil
}
