package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// Outgoing is a message that was to be sent. What is nil was not said.
type Outgoing struct {
	Body           string
	Group, DedupID *string
	Delay          *time.Duration
	Priority       *int
}

// Sent is a send of one or more messages. Results has one for each, unless the whole call was refused.
type Sent struct {
	Queue    string
	Rules    *Rules
	Messages []Outgoing
	Results  []SendResult
	Refused  Refusal
	Timer    int
}

// SendResult is what became of one message.
type SendResult struct {
	Refused  Refusal
	ID       string
	Sequence string // empty where the provider tells none
	Later    string // the sequence number that another provider showed later on, if that is known
	Handle   string // of a delayed message
}

func (e Sent) apply(w *World) ([]*World, error) {
	q := w.queues[e.Queue]
	reasons, whole, sure := e.reasons(q)
	if e.Refused != None || sure {
		worlds, _, err := w.refused(e.Refused, whole...)
		return worlds, err
	}
	if len(e.Results) != len(e.Messages) {
		return nil, fmt.Errorf("%d messages were sent, and %d results came", len(e.Messages), len(e.Results))
	}
	for i := range e.Messages {
		_, over, err := w.refused(e.Results[i].Refused, reasons[i]...)
		if !over {
			err = w.send(q, &e, &e.Messages[i], e.Results[i])
		}
		if err != nil {
			return nil, fmt.Errorf("message %d, %q: %w", i, e.Messages[i].Body, err)
		}
	}
	return []*World{w}, nil
}

// reasons are all for which each message can be refused, and for which the whole call can be. It is sure to be refused
// for a message that fails the batch, whatever else is wrong with it or another: which of several reasons is told is
// not known.
func (e *Sent) reasons(q *queue) (each [][]Refusal, whole []Refusal, sure bool) {
	each = make([][]Refusal, len(e.Messages))
	if q == nil {
		whole, sure = []Refusal{QueueMissing}, true
		if e.Rules.QueueFirst {
			return each, whole, sure
		}
	}
	alone := len(e.Messages) == 1 && len(e.Results) == 0
	for i := range e.Messages {
		each[i] = e.Rules.reasons(&e.Messages[i], q)
		fatal := slices.DeleteFunc(slices.Clone(each[i]), func(r Refusal) bool { return !alone && !e.Rules.WholeBatch[r] })
		whole = append(whole, fatal...)
		sure = sure || len(fatal) > 0
	}
	return each, whole, sure
}

// reasons are all for which a message can be refused. Which of them a provider names first is not known.
func (r *Rules) reasons(o *Outgoing, q *queue) (reasons []Refusal) {
	add := func(bad bool, reason Refusal) {
		if bad {
			reasons = append(reasons, reason)
		}
	}
	if q == nil {
		q = &queue{} // only ranges can be wrong
	}
	alone := q.s.FIFO && r.ZeroNotDelay
	add(o.Delay != nil && alone && *o.Delay > 0, DelayOnFIFO)
	add(o.Delay != nil && (*o.Delay < 0 || *o.Delay > r.MaxDelay), DelayOutOfRange)
	add(o.Priority != nil && (*o.Priority < 1 || *o.Priority > r.MaxPriority), PriorityRange)
	add(q.s.FIFO && o.Group == nil, GroupMissing)
	add(q.s.FIFO && r.DedupNeeded && o.DedupID == nil && !q.s.ContentDedup, DedupMissing)
	add(!q.s.FIFO && o.DedupID != nil, DedupOnStandard)
	return reasons
}

func (w *World) send(q *queue, e *Sent, o *Outgoing, got SendResult) error {
	m := &message{
		id: got.ID, body: o.Body, sequence: got.Sequence, priority: DefaultPriority, sent: w.now, entered: w.now, state: delayed,
		handle: got.Handle,
	}
	if o.Group != nil {
		m.group = *o.Group
	}
	if o.Priority != nil {
		m.priority = *o.Priority
	}
	m.dedupID = o.dedupID(q)
	name := q.dedupName(m.dedupID, m.group)
	for _, d := range q.dedups {
		if m.dedupID != "" && d.name == name {
			return d.repeated(got)
		}
	}
	delay := q.s.Delay
	if o.Delay != nil && !(q.s.FIFO && e.Rules.ZeroNotDelay) {
		delay = *o.Delay
	}
	if want := delay > 0 && e.Rules.DelayHandles; (got.Handle != "") != want {
		return fmt.Errorf("has the handle %q, want one: %v", got.Handle, want)
	}
	if err := w.numbered(q, m, got.Later, e.Rules); err != nil {
		return err
	}
	w.hide(m, delay, delayed, e.Timer)
	q.messages = append(q.messages, m)
	if m.dedupID != "" {
		q.dedups = append(q.dedups, dedup{name, m.id, m.sequence, w.now.Add(dedupPeriod)})
	}
	return nil
}

// numbered checks id and sequence number of a new message: no message has had them, and numbers grow.
func (w *World) numbered(q *queue, m *message, later string, r *Rules) error {
	for _, other := range w.queues {
		if m.id == "" || other.find(m.id) != nil {
			return fmt.Errorf("has the id %q, which is not new", m.id)
		}
	}
	switch {
	case q.s.FIFO && r.ShowsFIFO && m.sequence <= q.sequence:
		return fmt.Errorf("has the sequence number %q, want a higher one than %q", m.sequence, q.sequence)
	case !(q.s.FIFO && r.ShowsFIFO) && m.sequence != "":
		return fmt.Errorf("has the sequence number %q, want none", m.sequence)
	case m.sequence == "" && later == "":
		m.sequence = unknown
	case m.sequence == "" && later <= q.sequence:
		return fmt.Errorf("was shown later with the sequence number %q, want a higher one than %q", later, q.sequence)
	case m.sequence == "":
		m.sequence, q.sequence = later, later
	default:
		q.sequence = m.sequence
	}
	return nil
}

// repeated compares the answer to a duplicate with that to the first message.
func (d *dedup) repeated(got SendResult) error {
	if got.ID != d.id || got.Sequence != "" && d.sequence != unknown && got.Sequence != d.sequence || got.Handle != "" {
		return fmt.Errorf("is a duplicate and answered with %+v, want id %s and sequence number %s", got, d.id, d.sequence)
	}
	return nil
}

// dedupID is what a message is known by: what the sender says or, where the queue derives it, the digest of the body.
func (o *Outgoing) dedupID(q *queue) string {
	switch {
	case !q.s.FIFO:
		return ""
	case o.DedupID != nil:
		return *o.DedupID
	case q.s.ContentDedup:
		sum := sha256.Sum256([]byte(o.Body))
		return hex.EncodeToString(sum[:])
	}
	return ""
}

func (q *queue) dedupName(id, group string) string {
	if q.s.DedupPerGroup {
		return "group " + group + " " + id // neither has blanks
	}
	return "queue " + id
}
