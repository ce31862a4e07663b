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
	found, more := v.e.list(ns, QueueName(prefix), after, limit, func(*queue) bool { return true })
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
	found, more := v.e.list(key.Namespace, "", after, limit, redrivesTo(key))
	keys := make([]QueueKey, len(found))
	for i, q := range found {
		keys[i] = q.key
	}
	return keys, more, nil
}

// redrivesTo selects the queues whose dead-letter queue this is.
func redrivesTo(target QueueKey) func(*queue) bool {
	return func(q *queue) bool {
		r := q.settings().Redrive
		return r != nil && r.Target == target
	}
}

// list returns up to limit queues that match, as page does.
func (e *Engine) list(ns Namespace, prefix, after QueueName, limit int, matches func(*queue) bool) ([]*queue, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return page(e.names[ns], prefix, after, limit, func(name QueueName) (*queue, bool) {
		q := e.queues[QueueKey{ns, name}]
		return q, matches(q)
	})
}

// page returns up to limit of what sorted names stand for, in their order: those with the prefix, after a name, as far
// as get wants them. The bool tells whether there are more. A negative limit is none.
func page[N ~string, T any](names []N, prefix, after N, limit int, get func(N) (T, bool)) (found []T, more bool) {
	i, _ := slices.BinarySearch(names, max(after, prefix))
	for _, name := range names[i:] {
		if !strings.HasPrefix(string(name), string(prefix)) {
			break // all names with the prefix stand together
		}
		if after != "" && name <= after {
			continue
		}
		item, wanted := get(name)
		if !wanted {
			continue
		}
		if len(found) == limit {
			return found, true
		}
		found = append(found, item)
	}
	return found, false
}

// directory is the names of what namespaces have, sorted. None is empty.
type directory[N ~string] map[Namespace][]N

func (d directory[N]) add(ns Namespace, name N) {
	names := d[ns]
	if i, found := slices.BinarySearch(names, name); !found {
		d[ns] = slices.Insert(names, i, name)
	}
}

func (d directory[N]) remove(ns Namespace, name N) {
	names := d[ns]
	i, found := slices.BinarySearch(names, name)
	if !found {
		return
	}
	if names = slices.Delete(names, i, i+1); len(names) > 0 {
		d[ns] = names
	} else {
		delete(d, ns) // there can be as many as access keys
	}
}
