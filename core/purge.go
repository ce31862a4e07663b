package core

import "context"

// Purge implements Broker.
func (v *view) Purge(_ context.Context, key QueueKey) error {
	q, err := v.e.open(key)
	if err != nil {
		return err
	}
	now := v.e.now()
	if q.purgedAt != 0 && now < q.purgedAt.add(v.rules.PurgeInterval) {
		q.mu.Unlock()
		return &Error{Kind: PurgeInProgress, Value: v.rules.PurgeInterval}
	}
	q.dropAll()
	q.clear()
	q.purgedAt, q.purgedThrough = now, v.e.sequence.current()
	remains := q.purgeGrave()
	var c changes
	c.batch.Put(queueKey(queuePrefix, q.id), encodeQueue(q))
	c.note(v.e, q, EventPurged, now)
	if err := v.e.commit(q, &c); err != nil {
		return err
	}
	v.e.sweeper.add(remains)
	return nil
}

// DeleteQueue implements Broker.
func (v *view) DeleteQueue(_ context.Context, key QueueKey) error {
	e := v.e
	q, err := e.find(key)
	if err != nil {
		return err
	}
	e.refresh(q)
	e.mu.Lock()
	q = e.queues[key]
	if q == nil || e.closed {
		e.mu.Unlock()
		return &Error{Kind: QueueNotFound}
	}
	q.mu.Lock()
	t, err := v.bury(q)
	q.mu.Unlock()
	e.mu.Unlock()
	if err != nil {
		return err
	}
	if err := e.journal.wait(t); err != nil {
		return err
	}
	e.sweeper.add(queueGrave(q.id))
	return nil
}

// bury makes a queue unknown. The engine's lock and the queue's are held.
func (v *view) bury(q *queue) (ticket, error) {
	now := v.e.now()
	var c changes
	c.batch.Delete(queueKey(queuePrefix, q.id))
	c.batch.Put(queueKey(deletedPrefix, q.id), nil)
	if v.rules.RecreateAfter > 0 {
		v.e.buried.remember(q.key, now, v.rules.RecreateAfter, &c)
	}
	c.note(v.e, q, EventQueueDeleted, now)
	c.parts = []part{q}
	t, err := v.e.journal.append(&c)
	if err != nil {
		return t, err
	}
	v.e.forget(q)
	return t, nil
}

// forget makes a queue unknown whose deletion is on its way to the store. The engine's lock and the queue's are held.
func (e *Engine) forget(q *queue) {
	e.unregister(q)
	q.deleted = true
	q.dropAll()
	e.timer.drop(q)
	q.waiters.wakeAll()
}
