package core

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
)

// Create implements Broker.
func (v *view) Create(_ context.Context, key QueueKey, p Patch, tags map[string]string) (QueueInfo, bool, error) {
	if err := v.rules.checkPatch(&p); err != nil {
		return QueueInfo{}, false, err
	}
	for {
		q, err := v.e.find(key)
		if err == nil {
			info, err := v.existing(q, &p)
			if errors.Is(err, &Error{Kind: QueueNotFound}) {
				continue // deleted since it was found, or made in vain
			}
			return info, false, err
		}
		info, made, err := v.create(key, &p, tags)
		if made || err != nil {
			return info, made, err
		}
	}
}

// create makes a new queue, unless there is one.
func (v *view) create(key QueueKey, p *Patch, tags map[string]string) (QueueInfo, bool, error) {
	v.e.mu.Lock()
	if v.e.closed || v.e.queues[key] != nil {
		defer v.e.mu.Unlock()
		if v.e.closed {
			return QueueInfo{}, false, errClosed
		}
		return QueueInfo{}, false, nil
	}
	info, t, err := v.add(key, p, tags)
	v.e.mu.Unlock()
	if err == nil {
		err = v.e.journal.wait(t)
	}
	return info, err == nil, err
}

// add makes a new queue known. The engine's lock is held.
func (v *view) add(key QueueKey, p *Patch, tags map[string]string) (QueueInfo, ticket, error) {
	e, now := v.e, v.e.now()
	at, buried := e.buried.at[key]
	if buried && now < at.add(v.rules.RecreateAfter) {
		return QueueInfo{}, ticket{}, &Error{Kind: QueueDeletedRecently, Value: v.rules.RecreateAfter}
	}
	if err := v.rules.checkTags(tags); err != nil {
		return QueueInfo{}, ticket{}, err
	}
	s := v.rules.initial(p)
	if err := s.checkTenantRate(); err != nil {
		return QueueInfo{}, ticket{}, err
	}
	if err := e.checkRedrive(key, &s); err != nil {
		return QueueInfo{}, ticket{}, err
	}
	q := newQueue(e.lastQueue+1, key, &s)
	q.salt = rand.Uint32()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tags = maps.Clone(tags)
	q.created, q.modified = now, now
	q.lowWater = e.sequence.current()
	e.register(q)
	var c changes
	if buried {
		e.buried.exhume(key, &c)
	}
	c.batch.Put(queueKey(queuePrefix, q.id), encodeQueue(q))
	c.note(e, q, EventQueueCreated, now)
	t, err := e.append(q, &c)
	return q.info(), t, err
}

// initial returns the settings of a new queue.
func (r *Rules) initial(p *Patch) Settings {
	s := r.Defaults
	s.Notes = maps.Clone(s.Notes)
	if p.FIFO != nil {
		s.FIFO = *p.FIFO
	}
	p.apply(&s)
	return s
}

// existing answers Create for a queue that is there already.
func (v *view) existing(q *queue, p *Patch) (QueueInfo, error) {
	_ = v.e.journal.barrier() // it may have been made a moment ago, in vain
	if err := v.e.lock(q); err != nil {
		return QueueInfo{}, err
	}
	info := q.info()
	q.mu.Unlock()

	wanted := info.Settings
	if v.rules.CompareOmitted {
		wanted = v.rules.initial(p)
		wanted.FIFO, wanted.Redrive, wanted.RedriveAllow = info.Settings.FIFO, info.Settings.Redrive, info.Settings.RedriveAllow
		wanted.TenantRate = info.Settings.TenantRate
		assign(&wanted.TenantRate, p.TenantRate)
		assign(&wanted.Redrive, p.Redrive)
		assign(&wanted.RedriveAllow, p.RedriveAllow)
	} else {
		wanted.Notes = maps.Clone(wanted.Notes)
		p.apply(&wanted)
	}
	if p.FIFO != nil {
		wanted.FIFO = *p.FIFO
	}
	if field, name := info.Settings.differs(&wanted, v.rules.CompareOmitted); field != NoField {
		return QueueInfo{}, &Error{Kind: QueueExists, Field: field, Name: name}
	}
	return info, nil
}

// differs returns the first field in which the wanted settings are not the actual ones.
func (s *Settings) differs(wanted *Settings, onlyWantedNotes bool) (Field, string) {
	for _, f := range []struct {
		field Field
		same  bool
	}{
		{QueueVisibility, s.Visibility == wanted.Visibility},
		{QueueMaxSize, s.MaxSize == wanted.MaxSize},
		{QueueRetention, s.Retention == wanted.Retention},
		{QueueDelay, s.Delay == wanted.Delay},
		{QueueRedrive, reflect.DeepEqual(s.Redrive, wanted.Redrive)},
		{QueueRedriveAllow, s.RedriveAllow.equal(wanted.RedriveAllow)},
		{QueueWait, s.Wait == wanted.Wait},
		{QueueFIFO, s.FIFO == wanted.FIFO},
		{QueueContentDedup, s.ContentDedup == wanted.ContentDedup},
		{QueueDedupScope, s.DedupPerGroup == wanted.DedupPerGroup},
		{QueueGroupLimit, s.GroupLimit == wanted.GroupLimit},
		{QueueTenantRate, s.TenantRate == wanted.TenantRate},
	} {
		if !f.same {
			return f.field, ""
		}
	}
	if name, differ := notesDiffer(s.Notes, wanted.Notes, onlyWantedNotes); differ {
		return QueueNote, name
	}
	return NoField, ""
}

// notesDiffer returns the first note in which the wanted ones are not the actual ones.
func notesDiffer(actual, wanted map[string]string, onlyWanted bool) (string, bool) {
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if actual[name] != wanted[name] {
			return name, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(actual)) {
		if _, ok := wanted[name]; !ok && !onlyWanted {
			return name, true
		}
	}
	return "", false
}

func (a RedriveAllow) equal(b RedriveAllow) bool {
	return a.DenyAll == b.DenyAll && slices.Equal(a.Sources, b.Sources)
}

// checkRedrive tells whether a queue may have the dead-letter queue that its settings name. The engine's lock is held.
func (e *Engine) checkRedrive(key QueueKey, s *Settings) error {
	if s.Redrive == nil {
		return nil
	}
	target := s // a queue may be its own dead-letter queue
	if s.Redrive.Target != key {
		q := e.queues[s.Redrive.Target]
		if q == nil {
			return &Error{Kind: RedriveTargetNotFound, Field: QueueRedrive, Value: s.Redrive.Target}
		}
		target = q.settings()
	}
	if target.FIFO != s.FIFO {
		return &Error{Kind: RedriveTargetType, Field: QueueRedrive, Value: s.Redrive.Target}
	}
	allow := target.RedriveAllow
	if allow.DenyAll || len(allow.Sources) > 0 && !slices.Contains(allow.Sources, key) {
		return &Error{Kind: RedriveDenied, Field: QueueRedrive, Value: s.Redrive.Target}
	}
	return nil
}

// note notes what happened to a queue.
func (c *changes) note(e *Engine, q *queue, kind EventKind, at instant) {
	if e.watched {
		c.events = append(c.events, Event{Kind: kind, At: at.time(), Queue: q.key})
	}
}
