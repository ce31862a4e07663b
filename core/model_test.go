package core

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// This is the engine's specification, written to be read and not to be fast: plain lists, walked from end to end. It
// shares no code with the engine but the types of requests, settings and rules. history_test.go compares the two.

type modelMessage struct {
	id, sequence  int // as the model counts; bound to the engine's by the test
	body, group   string
	dedupID       string
	priority      int
	sent, entered time.Time
	visibleAt     time.Time
	first, last   time.Time
	receives      int
	fromHere      int // receives by this queue
	delivery      int
	state         string // "visible", "delayed", "in flight"; "held" during a receive
	source        string
}

type modelDedup struct {
	name  string
	first *modelMessage
	until time.Time
}

type modelAttempt struct {
	id    string
	until time.Time
	of    []modelDelivery
}

type modelDelivery struct {
	m         *modelMessage
	delivery  int
	visibleAt time.Time
}

type modelQueue struct {
	name     string
	s        Settings
	messages []*modelMessage // in the order of their sequence numbers
	line     []*modelMessage // visible ones, in the order in which they became visible
	rotation []string        // FIFO: the groups that can deliver
	dedups   []modelDedup
	attempts []modelAttempt
	purged   time.Time

	scopeFrom   time.Time
	scopeBefore bool
}

// model is all queues under one set of rules.
type model struct {
	r        Rules
	now      time.Time
	queues   map[string]*modelQueue
	sequence int
}

func (q *modelQueue) has(m *modelMessage) bool { return slices.Contains(q.messages, m) }

// move puts a message into a state.
func (q *modelQueue) move(m *modelMessage, state string) {
	if m.state == "visible" && state == "visible" {
		return
	}
	q.line = slices.DeleteFunc(q.line, func(o *modelMessage) bool { return o == m })
	m.state = state
	if state == "visible" {
		q.line = append(q.line, m)
	}
	q.turn(m.group)
}

func (q *modelQueue) remove(m *modelMessage) {
	same := func(o *modelMessage) bool { return o == m }
	q.messages = slices.DeleteFunc(q.messages, same)
	q.line = slices.DeleteFunc(q.line, same)
	q.turn(m.group)
}

// turn lets a group join or leave the rotation.
func (q *modelQueue) turn(group string) {
	i := slices.IndexFunc(q.messages, func(m *modelMessage) bool { return m.group == group })
	ready := i >= 0 && q.messages[i].state == "visible"
	switch at := slices.Index(q.rotation, group); {
	case ready && at < 0:
		q.rotation = append(q.rotation, group)
	case !ready && at >= 0:
		q.rotation = slices.Delete(q.rotation, at, at+1)
	}
}

func (q *modelQueue) count(state string) int {
	n := 0
	for _, m := range q.messages {
		if m.state == state {
			n++
		}
	}
	return n
}

func byVisibility(a, b *modelMessage) int {
	return cmp.Or(a.visibleAt.Compare(b.visibleAt), cmp.Compare(a.sequence, b.sequence))
}

// advance brings a queue to now.
func (m *model) advance(q *modelQueue) {
	for _, o := range slices.SortedFunc(slices.Values(q.messages), byVisibility) {
		if o.state != "visible" && !o.visibleAt.After(m.now) {
			q.move(o, "visible")
		}
	}
	for _, o := range slices.Clone(q.messages) {
		if !o.entered.Add(q.s.Retention).After(m.now) {
			q.remove(o)
		}
	}
	q.dedups = slices.DeleteFunc(q.dedups, func(d modelDedup) bool { return !d.until.After(m.now) })
	q.attempts = slices.DeleteFunc(q.attempts, func(a modelAttempt) bool { return !a.until.After(m.now) })
}

// restart forgets the order of what became visible when, as far as times do not tell.
func (m *model) restart() {
	for _, q := range m.queues {
		for _, o := range slices.SortedFunc(slices.Values(q.messages), byVisibility) {
			if o.state != "visible" && !o.visibleAt.After(m.now) {
				q.move(o, "visible")
			}
		}
		slices.SortFunc(q.line, byVisibility)
		q.rotation = nil
		for _, o := range q.messages {
			q.turn(o.group)
		}
	}
}

func (m *model) perGroup(q *modelQueue) bool {
	if m.now.Before(q.scopeFrom) {
		return q.scopeBefore
	}
	return q.s.DedupPerGroup
}

// modelSent is the outcome of a send: a kind of error, or a message, perhaps an earlier one.
type modelSent struct {
	kind      Kind
	m         *modelMessage
	duplicate bool
}

// send returns a kind for the whole call as well.
func (m *model) send(q *modelQueue, batch []Outgoing) ([]modelSent, Kind) {
	m.advance(q)
	out := make([]modelSent, len(batch))
	for i, o := range batch {
		out[i].kind = m.refuse(q, o)
		if slices.Contains(m.r.FailBatch, out[i].kind) {
			return nil, out[i].kind
		}
	}
	for i, o := range batch {
		if out[i].kind == none {
			out[i].m, out[i].duplicate = m.sendOne(q, o)
		}
	}
	return out, none
}

func (m *model) refuse(q *modelQueue, o Outgoing) Kind {
	switch {
	case q.s.FIFO && o.Group == nil:
		return GroupMissing
	case q.s.FIFO && o.DeduplicationID == nil && !q.s.ContentDedup && !m.r.GroupOnly:
		return DeduplicationIDMissing
	case q.s.FIFO && o.Delay != nil && *o.Delay > 0 && !m.r.FIFODelay:
		return NotForQueueType
	case !q.s.FIFO && o.DeduplicationID != nil:
		return NotForQueueType
	default:
		return none
	}
}

func (m *model) sendOne(q *modelQueue, o Outgoing) (*modelMessage, bool) {
	msg := &modelMessage{body: o.Body, sent: m.now, entered: m.now, visibleAt: m.now, priority: 8}
	if o.Group != nil {
		msg.group = *o.Group
	}
	if o.Priority != nil {
		msg.priority = *o.Priority
	}
	if q.s.FIFO && o.DeduplicationID != nil {
		msg.dedupID = *o.DeduplicationID
	} else if q.s.FIFO && q.s.ContentDedup {
		sum := sha256.Sum256([]byte(o.Body))
		msg.dedupID = hex.EncodeToString(sum[:])
	}
	name := "queue " + msg.dedupID
	if m.perGroup(q) {
		name = fmt.Sprintf("group %q %s", msg.group, msg.dedupID)
	}
	for _, d := range q.dedups {
		if msg.dedupID != "" && d.name == name {
			return d.first, true
		}
	}
	if o.Delay == nil || q.s.FIFO && !m.r.FIFODelay {
		msg.visibleAt = m.now.Add(q.s.Delay)
	} else {
		msg.visibleAt = m.now.Add(*o.Delay)
	}
	m.sequence++
	msg.id, msg.sequence = m.sequence, m.sequence
	m.enter(q, msg, "delayed")
	if msg.dedupID != "" {
		q.dedups = append(q.dedups, modelDedup{name, msg, m.now.Add(5 * time.Minute)})
	}
	return msg, false
}

func (m *model) enter(q *modelQueue, msg *modelMessage, hidden string) {
	q.messages = append(q.messages, msg)
	if msg.visibleAt.After(m.now) {
		q.move(msg, hidden)
	} else {
		q.move(msg, "visible")
	}
}

// receive returns what is delivered, or a kind of error.
func (m *model) receive(q *modelQueue, most int, timeout *time.Duration, attempt string) ([]*modelMessage, Kind) {
	m.advance(q)
	visibility := q.s.Visibility
	if timeout != nil {
		visibility = *timeout
	}
	if q.s.FIFO && attempt != "" {
		for i := range q.attempts {
			if a := &q.attempts[i]; a.id == attempt {
				return m.repeat(q, a, visibility)
			}
		}
	}
	bound := m.r.MaxInFlight
	if q.s.FIFO {
		bound = m.r.MaxInFlightFIFO
	}
	if bound > 0 {
		room := max(bound-q.count("in flight"), 0)
		if room == 0 && !q.s.FIFO && m.r.OverLimitFails {
			return nil, TooManyInFlight
		}
		most = min(most, room)
	}
	var got []*modelMessage
	for moved := true; moved && len(got) == 0; {
		got, moved = m.look(q, most, visibility)
	}
	if q.s.FIFO && attempt != "" && len(got) > 0 {
		a := modelAttempt{id: attempt, until: m.now.Add(5 * time.Minute)}
		for _, o := range got {
			a.of = append(a.of, modelDelivery{o, o.delivery, o.visibleAt})
		}
		q.attempts = append(q.attempts, a)
	}
	return got, none
}

func (m *model) repeat(q *modelQueue, a *modelAttempt, visibility time.Duration) ([]*modelMessage, Kind) {
	for _, d := range a.of {
		if !q.has(d.m) || d.m.delivery != d.delivery || !d.m.visibleAt.Equal(d.visibleAt) {
			return nil, AttemptInvalid
		}
	}
	var got []*modelMessage
	for i := range a.of {
		o := a.of[i].m
		m.hide(q, o, visibility, "in flight")
		a.of[i].visibleAt = o.visibleAt
		got = append(got, o)
	}
	return got, none
}

// hide hides a message for d, or shows it when d is zero.
func (m *model) hide(q *modelQueue, o *modelMessage, d time.Duration, state string) {
	o.visibleAt = m.now.Add(d)
	if d == 0 {
		state = "visible"
	}
	q.move(o, state)
}

// look delivers what there is, and moves what redrive does not deliver.
func (m *model) look(q *modelQueue, most int, visibility time.Duration) (got []*modelMessage, moved bool) {
	var worn []*modelMessage
	target := m.target(q)
	visit := func(o *modelMessage) {
		if target != nil && o.fromHere >= q.s.Redrive.MaxReceives {
			worn = append(worn, o)
		} else {
			got = append(got, o)
		}
		q.line = slices.DeleteFunc(q.line, func(p *modelMessage) bool { return p == o })
		o.state = "held"
	}
	if q.s.FIFO {
		m.takeFIFO(q, most, &got, visit)
	} else {
		m.takeStandard(q, most, &got, visit)
	}
	for _, o := range worn {
		m.redrive(q, target, o)
	}
	for _, o := range got {
		o.receives++
		o.fromHere++
		o.delivery++
		if o.first.IsZero() {
			o.first = m.now
		}
		o.last = m.now
		m.hide(q, o, visibility, "in flight")
	}
	return got, len(worn) > 0
}

func (m *model) takeFIFO(q *modelQueue, most int, got *[]*modelMessage, visit func(*modelMessage)) {
	for len(q.rotation) > 0 && len(*got) < most {
		group := q.rotation[0]
		q.rotation = q.rotation[1:]
		for _, o := range q.messages {
			if o.group != group {
				continue
			}
			if o.state != "visible" || len(*got) == most {
				break
			}
			visit(o)
		}
	}
}

func (m *model) takeStandard(q *modelQueue, most int, got *[]*modelMessage, visit func(*modelMessage)) {
	for len(q.line) > 0 && len(*got) < most {
		visit(m.nextStandard(q))
	}
}

// nextStandard returns the message with the least priority number; of those the one that is visible for longest,
// first among the groups that are not noisy, else of the noisy group that has the fewest in flight.
func (m *model) nextStandard(q *modelQueue) *modelMessage {
	var best *modelMessage
	better := func(a, b *modelMessage) bool {
		if a.priority != b.priority {
			return a.priority < b.priority
		}
		an, bn := m.noise(q, a), m.noise(q, b)
		return an < bn
	}
	for _, o := range q.line {
		if best == nil || better(o, best) {
			best = o
		}
	}
	return best
}

// noise is 0 for a message of a quiet group, or how many messages of its noisy group are in flight.
func (m *model) noise(q *modelQueue, o *modelMessage) int {
	all, own := 0, 0
	for _, p := range q.messages {
		if p.state == "in flight" {
			all++
			if p.group == o.group {
				own++
			}
		}
	}
	if o.group == "" || own < 30 || 10*own <= all {
		return 0
	}
	return own
}

func (m *model) target(q *modelQueue) *modelQueue {
	if q.s.Redrive == nil {
		return nil
	}
	return m.queues[string(q.s.Redrive.Target.Name)]
}

func (m *model) redrive(q, target *modelQueue, o *modelMessage) {
	q.remove(o)
	m.sequence++
	moved := &modelMessage{
		id: o.id, sequence: m.sequence, body: o.body, group: o.group, dedupID: o.dedupID, priority: o.priority,
		sent: o.sent, entered: o.entered, visibleAt: m.now, first: o.first, receives: o.receives, source: q.name,
	}
	if target.s.FIFO {
		moved.entered, moved.dedupID = m.now, "its id"
	}
	m.enter(target, moved, "")
}
