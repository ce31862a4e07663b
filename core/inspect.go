package core

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// What follows is for people and tests that look into the engine from outside of any provider. It reads under a queue's
// lock, as every verb does, and never holds one for longer than a small bounded piece of work, however long the queue.

// QueueStatus is what there is to see of a queue.
type QueueStatus struct {
	QueueInfo
	Worn    int       // messages that go to the dead-letter queue at their next receive, in whatever state
	Waiting int       // receives that wait for a message
	Oldest  time.Time // from when on retention counts for the message that it drops next; zero when there is none
}

// QueueFilter selects queues of all namespaces, in the order of account, region and name.
type QueueFilter struct {
	Account, Region string // empty: all
	Prefix          string // of the name
	After           QueueKey
	Limit           int
}

// Statuses describes the queues that a filter selects. The bool tells whether there are more.
func (e *Engine) Statuses(f QueueFilter) ([]QueueStatus, bool, error) {
	found, more := e.filter(f)
	list := make([]QueueStatus, 0, len(found))
	for _, q := range found {
		s, err := e.status(q)
		if kind, _ := kindOf(err); err != nil && kind == QueueNotFound {
			continue // deleted since it was found
		}
		if err != nil {
			return nil, false, err
		}
		list = append(list, s)
	}
	return list, more, e.journal.barrier()
}

// Status describes a queue. Returns QueueNotFound if there is none.
func (e *Engine) Status(key QueueKey) (QueueStatus, error) {
	q, err := e.find(key)
	if err != nil {
		return QueueStatus{}, err
	}
	s, err := e.status(q)
	if err != nil {
		return QueueStatus{}, err
	}
	return s, e.journal.barrier()
}

// status describes a queue as of now. What it shows may not be durable yet.
func (e *Engine) status(q *queue) (QueueStatus, error) {
	if err := e.lock(q); err != nil {
		return QueueStatus{}, err
	}
	var c changes
	q.advance(e.now(), &c, e.watched)
	s := QueueStatus{QueueInfo: q.info(), Worn: q.worn, Waiting: len(q.waiters.list)}
	if q.ages.len() > 0 {
		s.Oldest = q.ages.min().enteredAt.time()
	}
	return s, e.release(q, &c)
}

// release is commit for who has only looked: where nothing was due, it waits for nobody.
func (e *Engine) release(q *queue, c *changes) error {
	if c.empty() {
		q.notify()
		e.timer.set(q, q.next())
		q.mu.Unlock()
		return nil
	}
	return e.commit(q, c)
}

// filter returns up to Limit queues that match; all if it is negative.
func (e *Engine) filter(f QueueFilter) (found []*queue, more bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, ns := range slices.SortedFunc(maps.Keys(e.names), compareNamespaces) {
		if !f.admits(ns) || compareNamespaces(ns, f.After.Namespace) < 0 {
			continue
		}
		after := QueueName("")
		if ns == f.After.Namespace {
			after = f.After.Name
		}
		some, more := page(e.names[ns], QueueName(f.Prefix), after, f.Limit-len(found), func(name QueueName) (*queue, bool) {
			return e.queues[QueueKey{ns, name}], true
		})
		if found = append(found, some...); more {
			return found, true
		}
	}
	return found, false
}

func (f *QueueFilter) admits(ns Namespace) bool {
	return (f.Account == "" || f.Account == ns.Account) && (f.Region == "" || f.Region == ns.Region)
}

func compareNamespaces(a, b Namespace) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Region, b.Region))
}

// Namespaces returns those that have queues, topics or something in the outbox, in the order of account and region.
func (e *Engine) Namespaces() []Namespace {
	e.mu.RLock()
	defer e.mu.RUnlock()
	all := map[Namespace]bool{}
	for ns := range e.names {
		all[ns] = true
	}
	for ns := range e.topics.names {
		all[ns] = true
	}
	e.outbox.mu.Lock()
	for ns := range e.outbox.records {
		all[ns] = true
	}
	e.outbox.mu.Unlock()
	return slices.SortedFunc(maps.Keys(all), compareNamespaces)
}

// Counted is how many queues, topics and messages there are.
type Counted struct {
	Queues, Topics                   int
	Visible, InFlight, Delayed, Worn int
}

// Count counts what a filter selects, whatever its prefix, place and limit. With messages it looks at each queue for a
// moment; otherwise only queues and topics are counted.
func (e *Engine) Count(f QueueFilter, messages bool) Counted {
	var n Counted
	e.mu.RLock()
	queues := make([]*queue, 0, len(e.queues))
	for key, q := range e.queues {
		if f.admits(key.Namespace) {
			queues = append(queues, q)
		}
	}
	for key := range e.topics.byKey {
		if f.admits(key.Namespace) {
			n.Topics++
		}
	}
	e.mu.RUnlock()
	n.Queues = len(queues)
	if !messages {
		return n
	}
	for _, q := range queues {
		q.mu.Lock()
		n.Visible += q.count[visible]
		n.InFlight += q.count[inFlight]
		n.Delayed += q.count[delayed]
		n.Worn += q.worn
		q.mu.Unlock()
	}
	return n
}
