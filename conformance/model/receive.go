package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Received is a receive. A receive that waited saw what it answers with at one instant, as one that did not wait.
type Received struct {
	Queue      string
	Rules      *Rules
	Max        *int           // nil: 1
	Visibility *time.Duration // nil: the queue's
	Attempt    string
	Waited     bool // it may be empty where it would be refused without a wait
	Messages   []Seen
	Refused    Refusal
	Timer      int
}

// Seen is a message as an answer shows it.
type Seen struct {
	ID, Handle, Body, Group string
	DedupID, Sequence       string // where Rules.ShowsFIFO
	Source                  string // the name of the queue that dead-lettered it, where Rules.ShowsFIFO
	Receives                int
	Sent, First             time.Time
	Priority                int       // where Rules.ShowsTimes
	Next                    time.Time // where Rules.ShowsTimes
}

func (e Received) apply(w *World) ([]*World, error) {
	q, most := w.queues[e.Queue], limit(e.Max)
	if reasons := e.reasons(w); len(reasons) > 0 {
		worlds, _, err := w.refused(e.Refused, reasons...)
		return worlds, err
	}
	visibility := q.s.Visibility
	if e.Visibility != nil {
		visibility = *e.Visibility
	}
	if i := slices.IndexFunc(q.attempts, func(a attempt) bool { return q.s.FIFO && e.Attempt != "" && a.id == e.Attempt }); i >= 0 {
		return w.repeat(q, &q.attempts[i], &e, visibility)
	}
	full := false
	if e.Rules.Bounded && w.limits.InFlight > 0 {
		room := max(w.limits.InFlight-q.count(inFlight), 0)
		full = room == 0
		most = min(most, room)
	}
	reason := None
	if full && !q.s.FIFO && !e.Waited {
		reason = TooManyInFlight
	}
	if worlds, over, err := w.refused(e.Refused, reason); over {
		return worlds, err
	}
	return w.receive(q, &e, most, visibility)
}

// limit is how many messages a request asks for.
func limit(given *int) int {
	if given == nil {
		return 1
	}
	return *given
}

// reasons are all for which a receive can be refused whatever the state of the queue.
func (e *Received) reasons(w *World) (reasons []Refusal) {
	if w.queues[e.Queue] == nil {
		reasons = append(reasons, QueueMissing)
		if e.Rules.QueueFirst {
			return reasons
		}
	}
	if most := limit(e.Max); most < 1 || most > e.Rules.MaxReceive {
		reasons = append(reasons, MaxOutOfRange)
	}
	if e.Visibility != nil && (*e.Visibility < 0 || *e.Visibility > e.Rules.MaxTimeout) {
		reasons = append(reasons, TimeoutOutOfRange)
	}
	return reasons
}

// receive checks what was delivered, in the queue's own order, and does it.
func (w *World) receive(q *queue, e *Received, most int, visibility time.Duration) ([]*World, error) {
	got, err := q.seen(e.Messages)
	if err != nil {
		return nil, err
	}
	target := w.target(q)
	worn := func(m *message) bool { return target != nil && m.here >= q.s.MaxReceives }
	sure, open, err := q.receive(got, most, worn)
	if err != nil {
		return nil, err
	}
	if len(open) > mostOpen {
		return nil, fmt.Errorf("%d messages may have been dead-lettered or not, which is too many to follow", len(open))
	}
	for i, m := range got {
		if err := w.deliver(q, m, &e.Messages[i], e, visibility); err != nil {
			return nil, fmt.Errorf("message %d, %q: %w", i, m.body, err)
		}
	}
	if q.s.FIFO && e.Attempt != "" && len(got) > 0 {
		a := attempt{id: e.Attempt, until: w.now.Add(attemptPeriod)}
		for _, m := range got {
			a.of = append(a.of, delivery{m.id, m.handle, m.until})
		}
		q.attempts = append(q.attempts, a)
	}
	return w.deadLetter(q, sure, open), nil
}

// mostOpen bounds in how many ways one answer can be understood.
const mostOpen = 12

// seen finds the messages that an answer shows.
func (q *queue) seen(all []Seen) ([]*message, error) {
	got := make([]*message, len(all))
	for i := range all {
		m := q.find(all[i].ID)
		switch {
		case m == nil:
			return nil, fmt.Errorf("message %d, %q, is not in %s", i, all[i].Body, q.name)
		case m.state != visible:
			return nil, fmt.Errorf("message %d is hidden: %s", i, m)
		case slices.Contains(got[:i], m):
			return nil, fmt.Errorf("message %d comes twice: %s", i, m)
		}
		got[i] = m
	}
	return got, nil
}

func (w *World) deliver(q *queue, m *message, seen *Seen, e *Received, visibility time.Duration) error {
	m.receives++
	m.here++
	m.last = w.now
	if m.first.IsZero() {
		m.first = w.now
	}
	if seen.Handle == "" || seen.Handle == m.handle {
		return fmt.Errorf("the receipt handle %q is not a new one", seen.Handle)
	}
	m.handle = seen.Handle
	w.hide(m, visibility, inFlight, e.Timer)
	return w.compare(q, m, seen, e.Rules)
}

// repeat is a receive under an attempt id that was used before. Documented: while nothing has happened to them, the same
// messages come with the same handles, hidden anew. Recorded 2021: the refusal otherwise.
func (w *World) repeat(q *queue, a *attempt, e *Received, visibility time.Duration) ([]*World, error) {
	reason := None
	for _, d := range a.of {
		if m := q.find(d.id); m == nil || m.handle != d.handle || !m.until.Equal(d.until) {
			reason = AttemptInvalid
		}
	}
	if worlds, over, err := w.refused(e.Refused, reason); over {
		return worlds, err
	}
	if len(e.Messages) != len(a.of) {
		return nil, fmt.Errorf("a repeated receive returns %d messages, want %d", len(e.Messages), len(a.of))
	}
	of := slices.Clone(a.of)
	for i, d := range of {
		m := q.find(d.id)
		if seen := e.Messages[i]; seen.ID != d.id || seen.Handle != d.handle {
			return nil, fmt.Errorf("a repeated receive returns %+v, want %s", seen, m)
		}
		w.hide(m, visibility, inFlight, e.Timer)
		of[i].until = m.until
		if err := w.compare(q, m, &e.Messages[i], e.Rules); err != nil {
			return nil, err
		}
	}
	a.of = of
	return []*World{w}, nil
}

// compare checks all that an answer shows of a message, and learns what was not known of it.
func (w *World) compare(q *queue, m *message, seen *Seen, r *Rules) error {
	var problems []error
	check := func(what string, got, want any) {
		if got != want {
			problems = append(problems, fmt.Errorf("%s is %v, want %v", what, got, want))
		}
	}
	check("body", seen.Body, m.body)
	check("group", seen.Group, m.group)
	check("receive count", seen.Receives, m.receives)
	if r.ShowsTimes {
		check("priority", seen.Priority, m.priority)
	}
	if r.ShowsFIFO {
		check("source", seen.Source, m.source)
		check("deduplication id", seen.DedupID, m.shownDedup(seen.DedupID))
		problems = append(problems, q.learn(m, seen.Sequence))
	}
	if w.timed {
		first := m.first
		if first.IsZero() {
			first = m.sent // only a peek sees that. Documented
		}
		check("time of sending", seen.Sent.UnixMilli(), m.sent.UnixMilli())
		check("time of the first receive", seen.First.UnixMilli(), first.UnixMilli())
		if r.ShowsTimes && seen.Handle != "" {
			check("next visible time", seen.Next.UnixMilli(), m.until.UnixMilli())
		}
	}
	return errors.Join(problems...)
}

// shownDedup is the deduplication id that a message should show. Documented: a FIFO dead-letter queue has the id of the
// message in its place, of which only letter case and hyphens are the provider's own.
func (m *message) shownDedup(shown string) string {
	if m.dedupID != unknown {
		return m.dedupID
	}
	if strings.ReplaceAll(shown, "-", "") == m.id {
		return shown
	}
	return m.id
}

// learn takes note of the sequence number of a message. They grow in the order in which the messages of a group came
// in; between groups the order of those that were dead-lettered together is free.
func (q *queue) learn(m *message, sequence string) error {
	if !q.s.FIFO {
		if sequence != "" {
			return fmt.Errorf("sequence number is %q on a standard queue", sequence)
		}
		return nil
	}
	if m.sequence != unknown && m.sequence != sequence {
		return fmt.Errorf("sequence number is %s, want %s", sequence, m.sequence)
	}
	m.sequence = sequence
	q.sequence = max(q.sequence, sequence)
	before := true
	for _, o := range q.messages {
		if o == m {
			before = false
		} else if o.group == m.group && o.sequence != unknown && before != (o.sequence < sequence) {
			return fmt.Errorf("sequence number is %s, which does not fit %s", sequence, o)
		}
	}
	return nil
}
