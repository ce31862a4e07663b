package core

import (
	"cmp"
	"slices"
	"time"
)

// modelReceipt is a receipt that was handed out.
type modelReceipt struct {
	m        *modelMessage
	delivery int
}

func (m *model) age(q *modelQueue, r modelReceipt) receiptAge {
	switch {
	case !q.has(r.m):
		return gone
	case r.m.delivery != r.delivery:
		return superseded
	case r.m.state == "visible":
		return expired
	default:
		return current
	}
}

func (m *model) receiptRules(q *modelQueue) ReceiptRules {
	if q.s.FIFO {
		return m.r.FIFOReceipts
	}
	return m.r.StandardReceipts
}

func refused(age receiptAge) Kind {
	if age == gone {
		return MessageGone
	}
	return ReceiptExpired
}

func (m *model) delete(q *modelQueue, r modelReceipt) Kind {
	rules, age := m.receiptRules(q), m.age(q, r)
	outcome := map[receiptAge]Outcome{
		current: Apply, expired: rules.DeleteExpired, superseded: rules.DeleteSuperseded, gone: rules.DeleteGone,
	}[age]
	if outcome == Reject {
		return refused(age)
	}
	if outcome == Apply && age != gone {
		q.remove(r.m)
	}
	return none
}

// change returns the receipt that is valid now, and whether a new one was made.
func (m *model) change(q *modelQueue, r modelReceipt, d time.Duration) (modelReceipt, bool, Kind) {
	if d < m.r.ChangeVisibility.Min || d > m.r.ChangeVisibility.Max {
		return r, false, OutOfRange
	}
	rules, age := m.receiptRules(q), m.age(q, r)
	outcome := map[receiptAge]Outcome{
		current: Apply, expired: rules.ChangeExpired, superseded: rules.ChangeSuperseded, gone: rules.ChangeGone,
	}[age]
	switch {
	case outcome == Reject:
		return r, false, refused(age)
	case outcome == Ignore || age == gone:
		return r, false, none
	}
	if t := m.r.VisibilityTotal; t > 0 && !r.m.last.IsZero() && m.now.Add(d).After(r.m.last.Add(t)) {
		return r, false, VisibilityBeyondTotal
	}
	if m.r.RenewReceipt {
		r.m.delivery++
		r.delivery = r.m.delivery
	}
	state := "in flight"
	if r.m.state == "delayed" {
		state = "delayed"
	}
	m.hide(q, r.m, d, state)
	return r, m.r.RenewReceipt, none
}

// order returns the visible messages in the order of delivery, as long as nobody is noisy.
func (m *model) order(q *modelQueue) []*modelMessage {
	if !q.s.FIFO {
		return slices.SortedStableFunc(slices.Values(q.line), func(a, b *modelMessage) int { return cmp.Compare(a.priority, b.priority) })
	}
	var all []*modelMessage
	for _, group := range q.rotation {
		for _, o := range q.messages {
			if o.group != group {
				continue
			}
			if o.state != "visible" {
				break
			}
			all = append(all, o)
		}
	}
	return all
}

func (m *model) purge(q *modelQueue) Kind {
	if !q.purged.IsZero() && m.now.Before(q.purged.Add(m.r.PurgeInterval)) {
		return PurgeInProgress
	}
	q.messages, q.line, q.rotation, q.dedups, q.attempts = nil, nil, nil, nil, nil
	q.purged = m.now
	return none
}

func (m *model) amend(q *modelQueue, p Patch) {
	was := q.s
	if p.Delay != nil {
		q.s.Delay = *p.Delay
	}
	if p.Visibility != nil {
		q.s.Visibility = *p.Visibility
	}
	if p.Retention != nil {
		q.s.Retention = *p.Retention
	}
	if p.Redrive != nil {
		q.s.Redrive = *p.Redrive
	}
	if p.DedupPerGroup != nil && *p.DedupPerGroup != was.DedupPerGroup {
		q.scopeBefore = m.perGroup(q)
		q.scopeFrom = m.now.Add(time.Minute)
		q.s.DedupPerGroup = *p.DedupPerGroup
	}
	for _, o := range q.messages {
		if q.s.FIFO && o.state == "delayed" && q.s.Delay != was.Delay {
			o.visibleAt = o.sent.Add(q.s.Delay)
		}
	}
	m.advance(q)
}
