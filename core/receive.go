package core

import (
	"context"
	"errors"
	"time"
)

// Receive implements Broker.
func (v *view) Receive(ctx context.Context, key QueueKey, r ReceiveRequest) ([]Received, error) {
	if err := v.rules.checkReceive(&r); err != nil {
		return nil, err
	}
	q, err := v.e.find(key)
	if err != nil {
		return nil, err
	}
	a := &reception{v: v, q: q, r: r}
	defer a.stop()
	for {
		target, err := v.lockForReceive(q)
		if err != nil {
			return nil, err
		}
		again, err := a.try(ctx, target)
		if err != nil || !again {
			return a.out, err
		}
	}
}

// reception is one receive, from its first look at the queue to its answer.
type reception struct {
	v *view
	q *queue
	r ReceiveRequest

	began   bool
	over    bool // the wait is; this is the last look
	wait    time.Duration
	reached <-chan struct{} // the end of the wait
	giveUp  func()

	copies []copied
	out    []Received
}

func (a *reception) stop() {
	if a.giveUp != nil {
		a.giveUp()
	}
}

// try looks once for messages, with the queue locked, and unlocks it. It waits when there are none and reports whether
// to look again.
func (a *reception) try(ctx context.Context, target *queue) (again bool, err error) {
	q, now := a.q, a.v.e.now()
	if !a.began {
		a.began = true
		a.wait = defaultTo(a.r.Wait, q.settings().Wait)
	}
	var c changes
	q.advance(now, &c, a.v.e.watched)
	moved, err := a.take(target, now, &c)
	if err != nil {
		return false, a.v.e.abandonBoth(q, target, &c, err)
	}
	if len(a.copies) == 0 && moved == 0 {
		return a.park(ctx, target, now, &c)
	}
	if err := a.v.e.commitBoth(q, target, &c); err != nil {
		return false, err
	}
	if len(a.copies) == 0 {
		return ctx.Err() == nil, nil // all that there was has been moved
	}
	a.out, err = a.finish()
	return err == nil && len(a.out) == 0, err
}

// park waits for a message, if the request says so. The queue is locked at the call and unlocked at the return. At the
// end of the wait there is another look: a clock that jumps brings that and a message at once.
func (a *reception) park(ctx context.Context, target *queue, now instant, c *changes) (again bool, err error) {
	q := a.q
	if target != nil && target != q {
		target.mu.Unlock()
	}
	t, err := a.v.e.append(q, c)
	if a.wait == 0 || a.over || err != nil {
		q.mu.Unlock()
		if err == nil {
			err = a.v.e.journal.wait(t)
		}
		return false, err
	}
	if a.reached == nil {
		a.reached, a.giveUp = a.v.e.clock.Until(now.add(a.wait).time())
	}
	if t.commit != nil { // what advance did must not wait for a message
		q.mu.Unlock()
		return true, a.v.e.journal.wait(t)
	}
	woken := q.sleep(ctx, a.reached)
	q.mu.Unlock()
	a.over = !woken
	return woken || ctx.Err() == nil, nil
}

// take delivers what there is.
func (a *reception) take(target *queue, now instant, c *changes) (moved int, err error) {
	q, s := a.q, a.q.settings()
	visibility := defaultTo(a.r.Visibility, s.Visibility)
	a.copies = nil
	attempt := s.FIFO && a.r.AttemptID != nil
	if attempt {
		messages, repeated, err := q.repeat(*a.r.AttemptID, visibility, now, c)
		if repeated {
			a.copy(messages)
			return 0, err
		}
	}
	limit, err := a.limit(s)
	if err != nil || limit == 0 {
		return 0, err
	}
	messages, moved, err := a.v.pick(q, target, limit, now, c)
	if err != nil {
		return 0, err
	}
	c.expect(len(messages), len(messages), a.v.e.watched)
	for _, m := range messages {
		a.v.deliver(q, m, visibility, now, c)
	}
	if attempt && len(messages) > 0 {
		q.remember(*a.r.AttemptID, messages, now.add(attemptPeriod), c)
	}
	a.copy(messages)
	return moved, nil
}

func (a *reception) copy(messages []*message) {
	a.copies = make([]copied, len(messages))
	for i, m := range messages {
		a.copies[i] = a.q.copy(m)
	}
}

// limit returns how many messages may be delivered.
func (a *reception) limit(s *Settings) (int, error) {
	limit := defaultTo(a.r.Max, 1)
	bound := a.v.rules.MaxInFlight
	if s.FIFO {
		bound = a.v.rules.MaxInFlightFIFO
	}
	if bound == 0 {
		return limit, nil
	}
	room := max(bound-a.q.count[inFlight], 0)
	if room == 0 && !s.FIFO && a.v.rules.OverLimitFails && a.wait == 0 {
		return 0, &Error{Kind: TooManyInFlight, Max: bound}
	}
	return min(limit, room), nil
}

// pick holds the messages to deliver, drops those that are too old and moves those that redrive would not deliver. It
// returns how many it has dropped and moved; there may be more.
func (v *view) pick(q, target *queue, limit int, now instant, c *changes) (messages []*message, moved int, err error) {
	p := picked{q: q, target: target, now: now}
	q.order.take(limit, p.visit)
	for _, m := range p.old {
		q.remove(m, c)
	}
	if target == q {
		for _, m := range p.worn { // its own dead-letter queue: it goes to the end and is never delivered
			q.put(m, now, visible, now)
		}
		return p.messages, len(p.old), nil
	}
	if len(p.worn) > 0 {
		target.advance(now, c, v.e.watched)
	}
	for i, m := range p.worn {
		if err := v.e.redrive(q, target, m, now, c); err != nil {
			for _, m := range append(p.messages, p.worn[i:]...) {
				q.put(m, m.visibleAt, visible, now)
			}
			return nil, 0, err
		}
	}
	return p.messages, len(p.old) + len(p.worn), nil
}

// picked is what one look at a queue finds.
type picked struct {
	q, target *queue
	now       instant

	messages, old, worn []*message
	weight              int // of worn, in bytes
}

// visit sorts a message, within what one commit takes.
func (p *picked) visit(m *message) verdict {
	switch {
	case p.q.expired(m, p.now):
		if p.old = append(p.old, m); len(p.old) == expiries {
			return enough
		}
	case p.target != nil && p.q.wear(m) > 0:
		p.worn = append(p.worn, m)
		p.weight += int(m.size)
		if p.target != p.q && (p.weight > movedBytes || len(p.worn) == movedMost) {
			return enough
		}
	default:
		p.messages = append(p.messages, m)
		return taken
	}
	return passed
}

// deliver hides a message that was picked and counts the receive.
func (v *view) deliver(q *queue, m *message, visibility time.Duration, now instant, c *changes) {
	q.worn -= q.wear(m)
	m.receives++
	m.delivery++
	q.worn += q.wear(m)
	if m.firstAt == 0 {
		m.firstAt = now
	}
	m.lastAt = now
	q.put(m, now.add(visibility), inFlight, now)
	q.save(m, c)
	if v.e.watched {
		c.event(q, m, EventReceived, now)
	}
}

// finish makes the answer of what was delivered and stored. A message may have been purged since; it is left out.
func (a *reception) finish() ([]Received, error) {
	out := make([]Received, 0, len(a.copies))
	for i := range a.copies {
		m := &a.copies[i]
		message, ok, err := a.v.e.message(m)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, Received{
				Message: message, FIFO: a.q.settings().FIFO, Receipt: mintReceipt(m.queue, m.salt, m.sequence, m.delivery),
				VisibleAt: m.visibleAt.time(),
			})
		}
	}
	return out, nil
}

func (r *Rules) checkReceive(q *ReceiveRequest) error {
	for _, err := range []error{
		checkGiven(r.ReceiveMax, ReceiveMax, q.Max),
		checkGiven(r.ReceiveVisibility, ReceiveVisibility, q.Visibility),
		checkGiven(r.Wait, ReceiveWait, q.Wait),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkGiven[T int | time.Duration](r Range[T], f Field, given *T) error {
	if given == nil {
		return nil
	}
	return r.check(f, *given)
}

// kindOf returns the kind of an error of this package.
func kindOf(err error) (Kind, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return Internal, false
	}
	return e.Kind, true
}
