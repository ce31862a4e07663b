package core

import (
	"cmp"
	"slices"
)

// standard is the order of a standard queue: by priority, and within one by the time since which a message is
// visible. Messages of one group are a tenant's; a tenant that keeps many messages in flight is noisy, and messages
// of the others go first, so that it cannot starve them ("fair queues").
//
// Where the settings limit how much of a tenant is delivered, a tenant that has had its share rests, see tenant.go.
//
// Each priority has a heap of its tenants' lines, by the message at their head. A queue without groups has one line a
// priority, and all steps are O(1); with groups they are O(log groups), since no more than nine tenants can be noisy
// at a time (each holds over a tenth of what is in flight).
type standard struct {
	count   *[states]int // of the queue
	bands   [maxPriority]*heap[*line]
	tenants map[string]*tenant
	turn    uint64 // the last one given to a message
	shares
}

// maxPriority is the number of priorities; 1 is delivered first.
const maxPriority = 16

// The documented test for a noisy tenant: at least 30 messages in flight, and over a tenth of all.
const (
	noisyInFlight = 30
	noisyShare    = 10
)

// newStandard returns the order of a queue. The rate is the present one of Settings.TenantRate.
func newStandard(count *[states]int, rate func() int) *standard {
	return &standard{count: count, tenants: map[string]*tenant{}, shares: newShares(rate)}
}

func (s *standard) enter(m *message, group string) {
	t := s.tenants[group]
	if t == nil {
		t = newTenant(group)
		s.tenants[group] = t
	}
	t.messages++
	i := m.priority - 1
	if t.lines[i] == nil {
		t.lines[i] = &line{name: group, tenant: t, at: -1}
	}
	m.line = t.lines[i]
	s.changed(m, held)
}

func (s *standard) changed(m *message, was state) {
	s.detach(m, was)
	switch m.state {
	case inFlight:
		m.line.tenant.inFlight++
	case visible:
		s.turn++
		m.turn = s.turn
		m.line.append(m)
		if m.line.at < 0 && !m.line.tenant.rests {
			s.band(m).push(m.line)
		}
	case delayed, held, states:
	}
}

func (s *standard) leave(m *message) {
	s.detach(m, m.state)
	t := m.line.tenant
	t.messages--
	s.forget(t)
}

// detach undoes what the state that a message had meant for the order.
func (s *standard) detach(m *message, was state) {
	switch was {
	case inFlight:
		m.line.tenant.inFlight--
	case visible:
		m.line.remove(m)
		s.headChanged(m)
	case delayed, held, states:
	}
}

// headChanged puts the line of a message that has left it where its new head belongs.
func (s *standard) headChanged(m *message) {
	if b := s.band(m); m.line.at < 0 {
		return // its tenant rests
	} else if m.line.first == nil {
		b.remove(m.line.at)
	} else {
		b.fix(m.line.at)
	}
}

func (s *standard) band(m *message) *heap[*line] {
	b := &s.bands[m.priority-1]
	if *b == nil {
		*b = &heap[*line]{
			less:  func(a, b *line) bool { return a.first.turn < b.first.turn },
			place: func(l *line, i int) { l.at = i },
		}
	}
	return *b
}

func (s *standard) take(limit int, visit func(m *message) verdict) {
	for _, b := range s.bands {
		for b != nil && b.len() > 0 && limit > 0 {
			m := s.pick(b)
			m.line.remove(m)
			s.headChanged(m)
			s.count[visible]--
			s.count[held]++
			m.state = held
			switch visit(m) {
			case taken:
				limit--
				s.serve(m.line.tenant)
			case enough:
				return
			case passed:
			}
		}
	}
}

// pick returns the message of a band that is next: the one that is visible for longest of those whose tenants are
// quiet, or else one of the noisy tenant with the fewest messages in flight.
func (s *standard) pick(b *heap[*line]) *message {
	var noisy []*line
	var next *line
	for b.len() > 0 && next == nil {
		l := b.min()
		if !s.noisy(l.tenant) {
			next = l
			break
		}
		noisy = append(noisy, l)
		b.remove(l.at)
	}
	for _, l := range noisy {
		b.push(l)
	}
	if next == nil {
		next = slices.MinFunc(noisy, func(a, b *line) int { return cmp.Compare(a.tenant.inFlight, b.tenant.inFlight) })
	}
	return next.first
}

func (s *standard) noisy(t *tenant) bool {
	return t.name != "" && t.inFlight >= noisyInFlight && t.inFlight*noisyShare > s.count[inFlight]
}

func (s *standard) peek(visit func(m *message) bool) {
	for i, b := range s.bands {
		lines := s.resting(i)
		if b != nil {
			lines = append(lines, b.items...)
		}
		if len(lines) > 0 && !walk(lines, visit) {
			return
		}
	}
}

// walk visits the messages of several lines in the order of their turns, until visit returns false.
func walk(lines []*line, visit func(m *message) bool) bool {
	heads := make([]*message, len(lines))
	for i, l := range lines {
		heads[i] = l.first
	}
	for len(heads) > 0 {
		i := slices.Index(heads, slices.MinFunc(heads, func(a, b *message) int { return cmp.Compare(a.turn, b.turn) }))
		if !visit(heads[i]) {
			return false
		}
		if heads[i] = heads[i].next; heads[i] == nil {
			heads = slices.Delete(heads, i, i+1)
		}
	}
	return true
}

func (s *standard) group(m *message) string { return m.line.name }
