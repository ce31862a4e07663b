package core

import "time"

// Reason is why a message is, or is not, delivered now.
type Reason uint8

// The reasons.
const (
	Deliverable   Reason = iota + 1 // nothing is in its way but what stands before it
	HiddenDelayed                   // until Until
	HiddenFlight                    // until Until
	GroupBlocked                    // BlockedBy, which is hidden until Until, is before it in its FIFO group
	OverReceives                    // it goes to DeadLetter at the next receive
	AgedOut                         // its retention is over
	QueueAtLimit                    // the queue has as many messages in flight as it may
	TenantAtLimit                   // its group has got, until Until, as many messages as it may
)

// Explanation says why a message is, or is not, delivered.
type Explanation struct {
	Place       Place
	ID          MessageID
	Reason      Reason
	Until       time.Time // when the reason ends by itself; zero when it does not
	BlockedBy   MessageID
	Ahead       int // Deliverable: how many come before it, up to aheadMost; -1: unknown
	Receives    int
	MaxReceives int       // how often this queue delivers it; 0: without bound
	LeftHere    int       // how many of those receives are left
	DeadLetter  *QueueKey // where it goes then
	LastAt      time.Time // last receive in this queue
	InFlight    int       // of the queue
	Now         time.Time
}

// These bound what Explain looks at while it holds a lock.
const (
	aheadMost  = 1000
	aheadLines = 32
	groupMost  = 10_000
)

// Explain says why the message at a place is, or is not, delivered. The limit is that of the messages in flight of the
// provider in question; 0: none. Returns QueueNotFound or MessageGone.
func (e *Engine) Explain(p Place, limit int) (Explanation, error) {
	q, err := e.open(p.Queue)
	if err != nil {
		return Explanation{}, err
	}
	now := e.now()
	var c changes
	q.advance(now, &c, e.watched)
	m := q.messages[p.Sequence]
	if m == nil {
		return Explanation{}, e.abandon(q, &c, &Error{Kind: MessageGone})
	}
	x := q.explain(m, limit, now)
	if err := e.release(q, &c); err != nil {
		return Explanation{}, err
	}
	if r := x.DeadLetter; r != nil && x.Reason == OverReceives {
		if _, err := e.find(*r); err != nil { // then it is delivered on
			x.Reason, x.DeadLetter = Deliverable, nil
		}
	}
	return x, e.journal.barrier()
}

func (q *queue) explain(m *message, limit int, now instant) Explanation {
	x := Explanation{
		Place: Place{q.key, m.sequence}, ID: m.id, Ahead: -1, Receives: int(m.receives), LastAt: m.lastAt.time(),
		InFlight: q.count[inFlight], Now: now.time(),
	}
	if r := q.settings().Redrive; r != nil {
		x.MaxReceives, x.DeadLetter = r.MaxReceives, &r.Target
		x.LeftHere = max(r.MaxReceives-int(m.receives-m.before), 0)
	}
	x.Reason, x.Until = q.reason(m, limit, now, &x)
	return x
}

func (q *queue) reason(m *message, limit int, now instant, x *Explanation) (Reason, time.Time) {
	switch {
	case q.expired(m, now):
		return AgedOut, time.Time{}
	case m.state == delayed:
		return HiddenDelayed, m.visibleAt.time()
	case m.state == inFlight:
		return HiddenFlight, m.visibleAt.time()
	}
	if blocker := q.blocker(m); blocker != nil {
		x.BlockedBy = blocker.id
		return GroupBlocked, blocker.visibleAt.time()
	}
	switch {
	case limit > 0 && q.count[inFlight] >= limit:
		return QueueAtLimit, time.Time{}
	case q.wear(m) > 0:
		return OverReceives, time.Time{}
	case !q.settings().FIFO && m.line.tenant.rests:
		return TenantAtLimit, m.line.tenant.until.time()
	}
	x.Ahead = q.ahead(m)
	return Deliverable, time.Time{}
}

// blocker returns the hidden message that is before another in its FIFO group. Those are at the head of the group, as
// it is delivered in order, so the search is short.
func (q *queue) blocker(m *message) *message {
	if !q.settings().FIFO {
		return nil
	}
	n := 0
	for b := m.line.first; b != nil && b != m && n < groupMost; b = b.next {
		if b.state != visible {
			return b
		}
		n++
	}
	return nil
}

// ahead counts the messages that are delivered before another, -1 when that would take long.
func (q *queue) ahead(m *message) int {
	if s, ok := q.order.(*standard); ok {
		lines := 0
		for _, b := range s.bands {
			if b != nil {
				lines += b.len()
			}
		}
		if lines > aheadLines || s.idle > 0 {
			return -1
		}
	}
	n := 0
	q.order.peek(func(other *message) bool {
		if other == m || n == aheadMost {
			return false
		}
		n++
		return true
	})
	return n
}
