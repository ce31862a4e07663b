package core

import (
	"errors"
	"sync"
	"time"
)

// movers are the goroutines of the move tasks that are running.
type movers struct {
	mu      sync.Mutex
	quit    chan struct{}
	closing bool
	running sync.WaitGroup
}

func (m *movers) start(run func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closing {
		m.running.Go(run)
	}
}

// close ends all of them; the next Open goes on where they were.
func (m *movers) close() {
	m.mu.Lock()
	m.closing = true
	close(m.quit)
	m.mu.Unlock()
	m.running.Wait()
}

// runMove moves messages until there are none left, the task is cancelled or its source is gone. Each step moves
// messages and counts them in one commit, so that a crash neither loses nor doubles any.
func (e *Engine) runMove(q *queue, m *move, keepReceives bool) {
	for {
		next, err := e.moveSome(q, m, keepReceives)
		switch {
		case errors.Is(err, &Error{Kind: QueueNotFound}):
			return
		case err != nil:
			e.onError(err)
			next = e.now().add(time.Second) // the store may be back then
		case next == 0:
			return
		}
		if next <= e.now() {
			continue
		}
		reached, giveUp := e.clock.Until(next.time())
		select {
		case <-reached:
		case <-m.cancelled:
		case <-e.movers.quit:
			giveUp()
			return
		}
		giveUp()
	}
}

// moveSome does one step and returns when the next is due; 0 when the task has ended.
func (e *Engine) moveSome(q *queue, m *move, keepReceives bool) (next instant, err error) {
	select {
	case <-e.movers.quit:
		return 0, nil
	default:
	}
	target, ended, err := e.moveTarget(q, m)
	if err != nil || ended {
		return 0, err
	}
	if target == nil {
		return e.now(), nil // what was next is gone
	}
	if err := e.lockBoth(q, target); err != nil {
		return e.now(), e.unlessTargetGone(q, err)
	}
	now := e.now()
	var c changes
	allowed := m.allowance(now)
	next = now
	if allowed == 0 {
		next = m.started.add(time.Duration(m.moved/m.perSecond) * time.Second)
	} else if m.status == MoveInProgress {
		target.advance(now, &c, e.watched)
		err = e.moveTo(q, target, m, allowed, keepReceives, now, &c)
	}
	if err != nil {
		target.mu.Unlock()
		q.mu.Unlock()
		return 0, err
	}
	return next, e.commitBoth(q, target, &c)
}

// allowance returns how many messages the rate lets the task move now.
func (m *move) allowance(now instant) int {
	if m.perSecond == 0 {
		return moveStep
	}
	seconds := int((now-m.started)/1000) + 1
	return min(max(seconds*m.perSecond-m.moved, 0), m.perSecond, moveStep)
}

// moveTarget returns where the next message goes, nil if it has gone elsewhere, or ends the task.
func (e *Engine) moveTarget(q *queue, m *move) (target *queue, ended bool, err error) {
	if err := e.lock(q); err != nil {
		return nil, false, err
	}
	if m.status == MoveCancelling {
		return nil, true, e.endMove(q, m, MoveCancelled, NoMoveFailure)
	}
	var c changes
	now := e.now()
	q.advance(now, &c, e.watched)
	next := q.movable(m, 1, now)
	if len(next) == 0 {
		return nil, true, e.endMove(q, m, MoveCompleted, NoMoveFailure)
	}
	first := q.copy(next[0])
	if err := e.commit(q, &c); err != nil {
		return nil, false, err
	}
	key := m.target
	if key == nil {
		message, ok, err := e.message(&first)
		if err != nil || !ok {
			return nil, false, err
		}
		key = message.Source
	}
	failure := MoveTargetGone
	if key == nil || *key == q.key {
		failure = MoveOriginUnknown
	} else if target, err := e.find(*key); err == nil {
		return target, false, nil
	}
	if err := e.lock(q); err != nil {
		return nil, false, err
	}
	return nil, true, e.endMove(q, m, MoveFailed, failure)
}

// endMove ends a task whose source is locked, and unlocks it.
func (e *Engine) endMove(q *queue, m *move, s MoveStatus, f MoveFailure) error {
	m.status, m.failure = s, f
	var c changes
	q.saveMove(m, &c)
	return e.commit(q, &c)
}

// movable returns the next messages of a task, up to limit.
func (q *queue) movable(t *move, limit int, now instant) []*message {
	var next []*message
	weight := 0
	q.order.peek(func(m *message) bool {
		if m.sequence <= t.through && !q.expired(m, now) {
			next = append(next, m)
			weight += int(m.size)
		}
		return len(next) < limit && weight < movedBytes
	})
	return next
}

// lockBoth locks two queues in the order of their ids.
func (e *Engine) lockBoth(a, b *queue) error {
	if b.id < a.id {
		a, b = b, a
	}
	e.refresh(b)
	if err := e.lock(a); err != nil {
		return err
	}
	if err := e.hold(b); err != nil {
		a.mu.Unlock()
		return err
	}
	return nil
}

// unlessTargetGone drops the error that a target is gone, which the next step sees for itself; without its source a
// task ends.
func (e *Engine) unlessTargetGone(q *queue, err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if k, ok := kindOf(err); ok && k == QueueNotFound && !q.deleted {
		return nil
	}
	return err
}

// moveTo moves messages that go to one target, for as long as the next one does, and counts them. They become new
// messages: documented are a new id and a new time of sending.
func (e *Engine) moveTo(q, target *queue, t *move, limit int, keepReceives bool, now instant, c *changes) error {
	for _, m := range q.movable(t, limit, now) {
		copied := q.copy(m)
		content, err := e.mustRead(&copied)
		if err != nil && len(c.batch.Ops) == 0 {
			return err
		}
		if err != nil {
			break // the next step meets it first
		}
		if t.target == nil && (content.source == nil || *content.source != target.key) {
			break
		}
		content.source, content.sentAt = nil, now
		moved := &message{id: newMessageID(), enteredAt: now, priority: m.priority}
		if keepReceives {
			moved.receives, moved.firstAt = m.receives, m.firstAt
		}
		if e.watched {
			event := c.event(q, m, EventMoved, now)
			event.Other, event.As = target.key, moved.id
		}
		q.remove(m, c)
		e.admit(target, moved, copied.group, &content, now, c)
		t.moved++
	}
	q.saveMove(t, c)
	return nil
}
