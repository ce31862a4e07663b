package model

import (
	"fmt"
	"time"
)

// Receipt is a receipt handle and where it is from. One without an ID was made up.
type Receipt struct {
	Queue, ID, Handle string
	Born              int // the how manieth queue of its name it was; queues are counted from 1
}

// Deleted is the deletion of one message.
type Deleted struct {
	Queue   string
	Rules   *Rules
	Receipt Receipt
	Refused Refusal
}

func (e Deleted) apply(w *World) ([]*World, error) {
	q := w.queues[e.Queue]
	m, reason, applies := w.resolve(e.Queue, e.Receipt, func(r Old) (expired, superseded, gone Outcome) {
		return r.DeleteExpired, r.DeleteSuperseded, r.DeleteGone
	}, e.Rules)
	if worlds, over, err := w.refused(e.Refused, reason); over {
		return worlds, err
	}
	if applies {
		q.remove(m)
	}
	return []*World{w}, nil
}

// Changed is a change of one message's visibility.
type Changed struct {
	Queue   string
	Rules   *Rules
	Receipt Receipt
	Timeout time.Duration
	Refused Refusal
	Handle  string    // the new one, where there is one
	Next    time.Time // as the answer says it, where Rules.ShowsTimes
	Timer   int
}

func (e Changed) apply(w *World) ([]*World, error) {
	m, reason, applies := w.resolve(e.Queue, e.Receipt, func(r Old) (expired, superseded, gone Outcome) {
		return r.ChangeExpired, r.ChangeSuperseded, r.ChangeGone
	}, e.Rules)
	reasons := []Refusal{reason}
	told := reason == QueueMissing && e.Rules.QueueFirst
	if !told && (e.Timeout < e.Rules.MinChange || e.Timeout > e.Rules.MaxTimeout) {
		reasons = append(reasons, TimeoutOutOfRange)
	}
	if most := e.Rules.MaxHidden; applies && most > 0 && !m.last.IsZero() && w.now.Add(e.Timeout).After(m.last.Add(most)) {
		reasons = append(reasons, HiddenTooLong)
	}
	if worlds, over, err := w.refused(e.Refused, reasons...); over {
		return worlds, err
	}
	if !applies {
		return []*World{w}, nil
	}
	hidden := inFlight
	if m.state == delayed {
		hidden = delayed
	}
	w.hide(m, e.Timeout, hidden, e.Timer)
	if e.Rules.Renews {
		if e.Handle == "" || e.Handle == m.handle {
			return nil, fmt.Errorf("the new receipt handle is %q, that of before %q", e.Handle, m.handle)
		}
		m.handle = e.Handle
	}
	if w.timed && e.Rules.ShowsTimes && e.Next.UnixMilli() != m.until.UnixMilli() {
		return nil, fmt.Errorf("the next visible time is %d, want %d", e.Next.UnixMilli(), m.until.UnixMilli())
	}
	return []*World{w}, nil
}

// resolve finds the message of a receipt and tells for what the request is refused, or whether it has an effect.
func (w *World) resolve(queue string, r Receipt, old func(Old) (expired, superseded, gone Outcome), rules *Rules) (*message, Refusal, bool) {
	q := w.queues[queue]
	if q == nil {
		return nil, QueueMissing, false
	}
	if r.ID == "" || r.Queue != queue || r.Born != w.births[queue] {
		return nil, HandleInvalid, false
	}
	own := rules.Standard
	if q.s.FIFO {
		own = rules.FIFO
	}
	expired, superseded, gone := old(own)
	m := q.find(r.ID)
	outcome, reason := Apply, HandleExpired
	switch {
	case m == nil:
		outcome = gone
	case m.handle != r.Handle:
		outcome = superseded
	case m.state == visible:
		outcome = expired
	}
	if outcome != Refuse {
		reason = None
	}
	return m, reason, outcome == Apply && m != nil
}
