package core

import (
	"context"
	"maps"
	"math"
)

// Amend implements Broker.
func (v *view) Amend(_ context.Context, key QueueKey, change func(QueueInfo) (Patch, error)) error {
	e := v.e
	q, err := e.find(key)
	if err != nil {
		return err
	}
	e.refresh(q)
	e.mu.RLock() // the target of a redrive policy must not go away meanwhile
	q.mu.Lock()
	var c changes
	refused := v.amend(q, change, &c)
	e.mu.RUnlock()
	if refused != nil && c.empty() {
		q.mu.Unlock()
		return refused
	}
	q.notify()
	tickets, err := e.appendInParts(q, &c)
	q.mu.Unlock()
	for _, t := range tickets {
		if failed := e.journal.wait(t); err == nil {
			err = failed
		}
	}
	if err != nil {
		return err
	}
	return refused
}

// appendInParts is append for changes that may be too many for one commit. Each part is atomic for itself.
func (e *Engine) appendInParts(q *queue, c *changes) ([]ticket, error) {
	var tickets []ticket
	for {
		some := changes{parts: c.parts, events: c.events}
		n := min(len(c.batch.Ops), commitOps)
		some.batch.Append(c.batch.Ops[:n])
		c.batch.Ops, c.events = c.batch.Ops[n:], nil
		t, err := e.append(q, &some)
		tickets = append(tickets, t)
		if err != nil || len(c.batch.Ops) == 0 {
			return tickets, err
		}
	}
}

func (v *view) amend(q *queue, change func(QueueInfo) (Patch, error), c *changes) error {
	if err := q.usable(); err != nil {
		return err
	}
	now := v.e.now()
	q.advance(now, c, v.e.watched) // what is over is over under the old settings
	p, err := change(q.info())
	if err != nil {
		return err
	}
	if err := v.rules.checkPatch(&p); err != nil {
		return err
	}
	was, s := q.settings(), *q.settings()
	s.Notes = maps.Clone(s.Notes)
	p.apply(&s)
	if err := v.checkAmended(q, &p, &s); err != nil {
		return err
	}
	if s.DedupPerGroup != was.DedupPerGroup {
		q.scopeBefore, q.scopeFrom = q.dedupsPerGroup(now), now.add(scopeDelay)
	}
	q.config.Store(&s)
	q.worn = 0
	for _, m := range q.messages {
		q.worn += q.wear(m)
	}
	if s.FIFO && s.Delay != was.Delay {
		q.redelay(&s, c)
	}
	q.modified = now
	c.batch.Put(queueKey(queuePrefix, q.id), encodeQueue(q))
	q.advance(now, c, v.e.watched)
	return nil
}

// checkAmended tells whether a queue may have the settings that a patch gives it.
func (v *view) checkAmended(q *queue, p *Patch, s *Settings) error {
	if err := s.checkTenantRate(); err != nil || p.Redrive == nil {
		return err
	}
	return v.e.checkRedrive(q.key, s)
}

// redelay gives the messages of a FIFO queue that are still delayed the new delay of the queue. Documented: a change
// of the delay is retroactive on FIFO queues and not on standard ones.
func (q *queue) redelay(s *Settings, c *changes) {
	for _, m := range q.messages {
		if m.state == delayed {
			q.put(m, m.enteredAt.add(s.Delay), delayed, 0) // advance, which comes next, shows them in order
			q.save(m, c)
		}
	}
}

// Tag implements Broker.
func (v *view) Tag(_ context.Context, key QueueKey, set map[string]string, remove []string) error {
	q, err := v.e.open(key)
	if err != nil {
		return err
	}
	tags := maps.Clone(q.tags)
	if tags == nil {
		tags = map[string]string{}
	}
	for _, k := range remove {
		delete(tags, k)
	}
	maps.Copy(tags, set)
	if err := v.rules.checkTags(tags); err != nil {
		q.mu.Unlock()
		return err
	}
	q.tags = tags // a new map: descriptions of the queue hold the old one
	var c changes
	c.batch.Put(queueKey(queuePrefix, q.id), encodeQueue(q))
	return v.e.commit(q, &c)
}

func (r *Rules) checkTags(tags map[string]string) error {
	if r.MaxTags > 0 && len(tags) > r.MaxTags {
		return &Error{Kind: TooManyTags, Value: len(tags), Max: r.MaxTags}
	}
	return nil
}

// checkPatch checks the ranges of what a patch names.
func (r *Rules) checkPatch(p *Patch) error {
	for _, d := range []error{
		checkGiven(r.QueueDelay, QueueDelay, p.Delay),
		checkGiven(r.QueueMaxSize, QueueMaxSize, p.MaxSize),
		checkGiven(r.QueueRetention, QueueRetention, p.Retention),
		checkGiven(r.QueueWait, QueueWait, p.Wait),
		checkGiven(r.QueueVisibility, QueueVisibility, p.Visibility),
	} {
		if d != nil {
			return d
		}
	}
	return nil
}

// checkTenantRate refuses a limit where groups are no tenants.
func (s *Settings) checkTenantRate() error {
	switch {
	case s.TenantRate < 0:
		return &Error{Kind: OutOfRange, Field: QueueTenantRate, Value: s.TenantRate, Min: 0, Max: math.MaxInt32}
	case s.FIFO && s.TenantRate > 0:
		return &Error{Kind: NotForQueueType, Field: QueueTenantRate, Value: s.TenantRate}
	}
	return nil
}

// apply sets what the patch names, except FIFO, which only a new queue can be given.
func (p *Patch) apply(s *Settings) {
	assign(&s.Delay, p.Delay)
	assign(&s.Visibility, p.Visibility)
	assign(&s.Retention, p.Retention)
	assign(&s.Wait, p.Wait)
	assign(&s.MaxSize, p.MaxSize)
	assign(&s.ContentDedup, p.ContentDedup)
	assign(&s.DedupPerGroup, p.DedupPerGroup)
	assign(&s.GroupLimit, p.GroupLimit)
	assign(&s.TenantRate, p.TenantRate)
	assign(&s.Redrive, p.Redrive)
	assign(&s.RedriveAllow, p.RedriveAllow)
	applyNotes(&s.Notes, p.Notes)
}

// applyNotes sets the notes that have a value and removes the others.
func applyNotes(notes *map[string]string, patch map[string]*string) {
	for name, value := range patch {
		if value == nil {
			delete(*notes, name)
			continue
		}
		if *notes == nil {
			*notes = map[string]string{}
		}
		(*notes)[name] = *value
	}
}

func assign[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
