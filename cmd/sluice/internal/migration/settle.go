package migration

import (
	"errors"
	"maps"
	"slices"

	"github.com/sluicemq/sluice"
)

// settle leaves out what cannot be declared, and says so. Whether it can is asked of a server in memory, so that the rules
// are not written down twice.
func (r *Result) settle() {
	all := &r.Options.Resources
	given := all.Queues
	all.Queues = nil
	seen := map[string]bool{}
	for _, q := range given {
		at := q.Namespace.Account + "/" + q.Namespace.Region + "/" + q.Name
		if seen[at] {
			r.warn("queue %s is there twice: the second one is left out", q.Name)
			continue
		}
		seen[at] = true
		if fits, ok := r.fitting(q); ok {
			all.Queues = append(all.Queues, fits)
		}
	}
	for i := range all.Queues {
		r.settleDeadLetter(&all.Queues[i])
	}
	all.Topics = slices.DeleteFunc(all.Topics, func(t sluice.Topic) bool {
		return r.refuses(sluice.Resources{Topics: []sluice.Topic{t}})
	})
	all.Subscriptions = slices.DeleteFunc(all.Subscriptions, func(s sluice.Subscription) bool {
		return r.refuses(sluice.Resources{Topics: all.Topics, Subscriptions: []sluice.Subscription{s}})
	})
}

// check declares resources in a server of its own.
func (r *Result) check(resources sluice.Resources) error {
	s, err := sluice.Open(sluice.Options{SQS: r.Options.SQS, MNS: r.Options.MNS, Resources: resources})
	if err != nil {
		return err
	}
	return s.Close()
}

func (r *Result) refuses(resources sluice.Resources) bool {
	err := r.check(resources)
	if err != nil {
		r.warn("%v: it is left out", err)
	}
	return err != nil
}

// fitting returns the queue with those settings that it can have.
func (r *Result) fitting(q sluice.Queue) (sluice.Queue, bool) {
	alone := func(q sluice.Queue) error {
		q.DeadLetter = nil
		return r.check(sluice.Resources{Queues: []sluice.Queue{q}})
	}
	if alone(q) == nil {
		return q, true
	}
	fits := sluice.Queue{Namespace: q.Namespace, Name: q.Name, FIFO: q.FIFO, DeadLetter: q.DeadLetter}
	if err := alone(fits); err != nil {
		r.warn("%v: it is left out", err)
		return q, false
	}
	try := func(change func(*sluice.Queue)) {
		next := fits
		next.Attributes, next.Tags = maps.Clone(fits.Attributes), maps.Clone(fits.Tags)
		change(&next)
		if err := alone(next); err != nil {
			r.warn("%v: the setting is left out", err)
			return
		}
		fits = next
	}
	try(func(n *sluice.Queue) { n.ContentDedup = q.ContentDedup })
	try(func(n *sluice.Queue) { n.Delay = q.Delay })
	try(func(n *sluice.Queue) { n.Visibility = q.Visibility })
	try(func(n *sluice.Queue) { n.Retention = q.Retention })
	try(func(n *sluice.Queue) { n.Wait = q.Wait })
	try(func(n *sluice.Queue) { n.MaxSize = q.MaxSize })
	try(func(n *sluice.Queue) { n.Logging = q.Logging })
	try(func(n *sluice.Queue) { n.Tags = q.Tags })
	for _, name := range slices.Sorted(maps.Keys(q.Attributes)) {
		try(func(n *sluice.Queue) {
			if n.Attributes == nil {
				n.Attributes = map[string]string{}
			}
			n.Attributes[name] = q.Attributes[name]
		})
	}
	return fits, true
}

// settleDeadLetter takes away a dead-letter queue that cannot be one.
func (r *Result) settleDeadLetter(q *sluice.Queue) {
	if q.DeadLetter == nil {
		return
	}
	target := slices.IndexFunc(r.Options.Resources.Queues, func(d sluice.Queue) bool {
		return d.Namespace == q.Namespace && (d.Name == q.DeadLetter.Queue || d.FIFO && d.Name == q.DeadLetter.Queue+".fifo")
	})
	err := errors.New("queue " + q.Name + ": its dead-letter queue " + q.DeadLetter.Queue + " is not in the file")
	if target >= 0 {
		dead := r.Options.Resources.Queues[target]
		q.DeadLetter.Queue = dead.Name
		dead.DeadLetter = nil
		pair := []sluice.Queue{*q, dead}
		if dead.Name == q.Name {
			pair = pair[:1]
		}
		err = r.check(sluice.Resources{Queues: pair})
	}
	if err != nil {
		r.warn("%v: it has none here", err)
		q.DeadLetter = nil
	}
}
