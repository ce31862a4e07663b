package core

import "context"

// Peek implements Broker.
func (v *view) Peek(_ context.Context, key QueueKey, limit *int) ([]Message, error) {
	if err := checkGiven(v.rules.PeekMax, PeekMax, limit); err != nil {
		return nil, err
	}
	q, err := v.e.open(key)
	if err != nil {
		return nil, err
	}
	now, most := v.e.now(), defaultTo(limit, 1)
	var c changes
	q.advance(now, &c, v.e.watched)
	var copies []copied
	q.order.peek(func(m *message) bool {
		if len(copies) < most && !q.expired(m, now) {
			copies = append(copies, q.copy(m))
		}
		return len(copies) < most
	})
	if err := v.e.commit(q, &c); err != nil {
		return nil, err
	}
	messages := make([]Message, 0, len(copies))
	for i := range copies {
		m, ok, err := v.e.message(&copies[i])
		if err != nil {
			return nil, err
		}
		if ok {
			messages = append(messages, m)
		}
	}
	return messages, nil
}
