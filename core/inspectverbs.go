package core

import "errors"

// Discard removes the message at a place, whoever has received it. Returns QueueNotFound or MessageGone.
func (e *Engine) Discard(p Place) error {
	return e.intervene(p, func(q *queue, m *message, now instant, c *changes) {
		if e.watched {
			c.event(q, m, EventDeleted, now)
		}
		q.remove(m, c)
	})
}

// Reveal makes a hidden message visible, as if its time had passed. Returns QueueNotFound or MessageGone.
func (e *Engine) Reveal(p Place) error {
	return e.intervene(p, func(q *queue, m *message, now instant, c *changes) {
		if m.state == visible {
			return
		}
		q.put(m, now, visible, now)
		q.save(m, c)
		if e.watched {
			c.event(q, m, EventVisibilitySet, now)
		}
	})
}

// intervene changes one message.
func (e *Engine) intervene(p Place, change func(q *queue, m *message, now instant, c *changes)) error {
	q, err := e.open(p.Queue)
	if err != nil {
		return err
	}
	now := e.now()
	var c changes
	q.advance(now, &c, e.watched)
	m := q.messages[p.Sequence]
	if m == nil {
		return e.abandon(q, &c, &Error{Kind: MessageGone})
	}
	change(q, m, now, &c)
	return e.commit(q, &c)
}

// Transfer moves the message at a place to another queue, where it is visible at once. It keeps its id, times and
// receive count, of which the other queue's redrive does not count any, and gets a new sequence number. Returns
// QueueNotFound, MessageGone, MoveTargetNotFound, MoveTargetIsSource or MoveTargetType.
func (e *Engine) Transfer(p Place, to QueueKey) (Place, error) {
	q, err := e.find(p.Queue)
	if err != nil {
		return Place{}, err
	}
	target, err := e.find(to)
	switch {
	case err != nil:
		return Place{}, notFoundAs(MoveTargetNotFound, err)
	case target == q:
		return Place{}, &Error{Kind: MoveTargetIsSource}
	case target.settings().FIFO != q.settings().FIFO:
		return Place{}, &Error{Kind: MoveTargetType}
	}
	if err := e.lockBoth(q, target); err != nil {
		return Place{}, err
	}
	now := e.now()
	var c changes
	q.advance(now, &c, e.watched)
	target.advance(now, &c, e.watched)
	moved, failed := e.transfer(q, target, p.Sequence, now, &c)
	if err := e.commitBoth(q, target, &c); err != nil {
		return Place{}, errors.Join(failed, err)
	}
	return moved, failed
}

// transfer moves a message between two queues that are locked. On an error it has done nothing.
func (e *Engine) transfer(q, target *queue, sequence uint64, now instant, c *changes) (Place, error) {
	m := q.messages[sequence]
	if m == nil {
		return Place{}, &Error{Kind: MessageGone}
	}
	copied := q.copy(m)
	content, err := e.mustRead(&copied)
	if err != nil {
		return Place{}, err
	}
	moved := &message{
		id: m.id, enteredAt: now, firstAt: m.firstAt, receives: m.receives, before: m.receives,
		priority: m.priority,
	}
	if e.watched {
		c.event(q, m, EventMoved, now).Other = target.key
	}
	q.remove(m, c)
	e.admit(target, moved, copied.group, &content, now, c)
	return Place{target.key, moved.sequence}, nil
}
