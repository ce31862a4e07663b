package core

import "errors"

// These bound what one look at a queue moves to its dead-letter queue, since a commit has a bound too: the message
// that reaches movedBytes may have 1 MiB itself. The receive looks again when it has found nothing but such messages.
const (
	movedBytes = 128 << 10
	movedMost  = 500
)

// lockForReceive locks a queue and, when it has messages that redrive would not deliver again, its dead-letter queue
// as well, which it returns. Locks are taken in the order of ids, so that two queues may name each other.
func (v *view) lockForReceive(q *queue) (target *queue, err error) {
	if err := v.e.lock(q); err != nil {
		return nil, err
	}
	if q.worn == 0 {
		return nil, nil
	}
	q.mu.Unlock()
	return v.lockPair(q)
}

func (v *view) lockPair(q *queue) (*queue, error) {
	target := v.redriveTarget(q)
	if target == nil || target == q {
		return target, v.e.lock(q)
	}
	switch err := v.e.lockBoth(q, target); {
	case errors.Is(err, &Error{Kind: QueueNotFound}):
		return nil, v.e.lock(q) // one of them was deleted a moment ago; this tells which
	case err != nil:
		return nil, err
	}
	return target, nil
}

// redriveTarget returns the dead-letter queue, nil when there is none any more: messages are then delivered on.
func (v *view) redriveTarget(q *queue) *queue {
	r := q.settings().Redrive
	if r == nil {
		return nil
	}
	target, err := v.e.find(r.Target)
	if err != nil || target.settings().FIFO != q.settings().FIFO {
		return nil
	}
	return target
}

// commitBoth is commit for a receive that may have locked two queues.
func (e *Engine) commitBoth(q, target *queue, c *changes) error {
	if target == nil || target == q {
		return e.commit(q, c)
	}
	c.parts = append(c.parts, target)
	q.notify()
	target.notify()
	e.timer.set(target, target.next())
	t, err := e.append(q, c)
	target.mu.Unlock()
	q.mu.Unlock()
	if err != nil {
		e.refresh(q) // one that was not stale has been made so
		e.refresh(target)
		return err
	}
	return e.journal.wait(t)
}

func (e *Engine) abandonBoth(q, target *queue, c *changes, err error) error {
	if failed := e.commitBoth(q, target, c); failed != nil {
		return failed
	}
	return err
}

// redrive moves a held message to the dead-letter queue. It keeps its id, times and receive count and gets a new
// sequence number; the dead-letter queue's own redrive counts its receives from zero. On a standard queue its age still counts from its sending, on a FIFO queue from now; there its
// deduplication id becomes its message id. Recorded 2024-04; the last two documented.
func (e *Engine) redrive(q, target *queue, m *message, now instant, c *changes) error {
	copied := q.copy(m)
	content, err := e.mustRead(&copied)
	if err != nil {
		return err
	}
	source := q.key
	content.source = &source
	moved := &message{
		id: m.id, enteredAt: m.enteredAt, firstAt: m.firstAt, receives: m.receives, before: m.receives,
		priority: m.priority,
	}
	if target.settings().FIFO {
		moved.enteredAt = now
		content.dedupID = m.id.String()
	}
	if e.watched {
		c.event(q, m, EventDeadLettered, now).Other = target.key
	}
	q.remove(m, c)
	e.admit(target, moved, copied.group, &content, now, c)
	return nil
}

// admit adds a message that comes from another queue, visible at once. Its new queue was advanced to now: what is due
// there goes before.
func (e *Engine) admit(q *queue, m *message, group string, content *content, now instant, c *changes) {
	m.sequence, m.visibleAt, m.hiddenAt = e.sequence.next(c), now, -1
	m.keep(encodeMessage(m, group, content))
	m.resident = true
	e.resident.Add(allocated(m.size)) // even beyond the budget: it is not durable yet, and moves are rare
	q.enter(m, group, now)
	c.batch.Put(messageKey(messagePrefix, q.id, m.sequence), m.kept())
}
