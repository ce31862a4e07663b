package core

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Queue implements Broker.
func (v *view) Queue(_ context.Context, key QueueKey) (QueueInfo, error) {
	q, err := v.e.open(key)
	if err != nil {
		return QueueInfo{}, err
	}
	return v.inform(q)
}

// inform describes a queue whose lock is held, as of now, and unlocks it.
func (v *view) inform(q *queue) (QueueInfo, error) {
	var c changes
	q.advance(v.e.now(), &c, v.e.watched)
	info := q.info()
	return info, v.e.commit(q, &c)
}

// Queues implements Broker.
func (v *view) Queues(_ context.Context, ns Namespace, prefix string, after QueueName, limit int) ([]QueueInfo, bool, error) {
	matches := func(q *queue) bool { return strings.HasPrefix(string(q.key.Name), prefix) }
	found, more := v.e.list(ns, max(after, QueueName(prefix)), after, limit, matches)
	infos := make([]QueueInfo, 0, len(found))
	for _, q := range found {
		err := v.e.lock(q)
		if errors.Is(err, &Error{Kind: QueueNotFound}) {
			continue // deleted since it was found
		}
		if err != nil {
			return nil, false, err
		}
		info, err := v.inform(q)
		if err != nil {
			return nil, false, err
		}
		infos = append(infos, info)
	}
	return infos, more, nil
}

// RedriveSources implements Broker.
func (v *view) RedriveSources(_ context.Context, key QueueKey, after QueueName, limit int) ([]QueueKey, bool, error) {
	if _, err := v.e.find(key); err != nil {
		return nil, false, err
	}
	uses := func(q *queue) bool {
		r := q.settings().Redrive
		return r != nil && r.Target == key
	}
	found, more := v.e.list(key.Namespace, after, after, limit, uses)
	keys := make([]QueueKey, len(found))
	for i, q := range found {
		keys[i] = q.key
	}
	return keys, more, nil
}

// list returns up to limit queues that match, in the order of their names, from one name on but not after itself.
// The bool tells whether there are more.
func (e *Engine) list(ns Namespace, from, after QueueName, limit int, matches func(*queue) bool) ([]*queue, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	names := e.names[ns]
	i, _ := slices.BinarySearch(names, from)
	var found []*queue
	for _, name := range names[i:] {
		q := e.queues[QueueKey{ns, name}]
		if after != "" && name <= after || !matches(q) {
			continue
		}
		if len(found) == limit {
			return found, true
		}
		found = append(found, q)
	}
	return found, false
}
