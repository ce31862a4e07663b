package core

import "time"

// tenant is the messages of one group, or those without a group, which never count as noisy and have no limit.
type tenant struct {
	name     string
	messages int
	inFlight int
	lines    [maxPriority]*line // of visible messages

	served int     // since its window was opened
	until  instant // the end of its window
	at     int     // in shares.open, -1 while it has no window
	rests  bool    // until the end of its window: none of its lines stands in a band
}

func newTenant(name string) *tenant { return &tenant{name: name, at: -1} }

// tenantWindow is the time in which a tenant may get Settings.TenantRate messages. It is opened by the first of them.
const tenantWindow = time.Second

// shares hold what tenants have got lately, where there is a limit to that. It is not stored: after a restart all of
// them begin anew.
//
// Documented is only that a queue has a limit of receives a second and that it is one of each tenant.
// UNVERIFIED: that a group of a standard queue is the tenant, that messages without a group have no limit, how the
// second is counted, and that a receive for which only tenants over their limit have something is like one of an empty
// queue.
type shares struct {
	rate func() int
	now  instant
	open heap[*tenant] // by the end of their windows
	idle int           // those of them that rest
}

func newShares(rate func() int) shares {
	return shares{rate: rate, open: heap[*tenant]{
		less:  func(a, b *tenant) bool { return a.until < b.until },
		place: func(t *tenant, i int) { t.at = i },
	}}
}

// serve counts a delivery.
func (s *standard) serve(t *tenant) {
	rate := s.rate()
	if rate == 0 || t.name == "" {
		return
	}
	if t.at < 0 {
		t.served, t.until = 0, s.now.add(tenantWindow)
		s.open.push(t)
	}
	if t.served++; t.served >= rate && !t.rests {
		s.rest(t)
	}
}

// rest takes a tenant's lines out of the bands.
func (s *standard) rest(t *tenant) {
	t.rests = true
	s.idle++
	for i, l := range t.lines {
		if l != nil && l.at >= 0 {
			s.bands[i].remove(l.at)
		}
	}
}

// advance closes the windows that are over.
func (s *standard) advance(now instant) {
	s.now = now
	for s.open.len() > 0 && s.open.min().until <= now {
		t := s.open.min()
		s.open.remove(t.at)
		if t.rests {
			s.wake(t)
		}
		s.forget(t)
	}
}

func (s *standard) wake(t *tenant) {
	t.rests = false
	s.idle--
	for _, l := range t.lines {
		if l != nil && l.first != nil {
			s.band(l.first).push(l)
		}
	}
}

// forget drops a tenant of which nothing is left to know.
func (s *standard) forget(t *tenant) {
	if t.messages == 0 && t.at < 0 && t.name != "" {
		delete(s.tenants, t.name)
	}
}

// next returns when a tenant that rests may have something to deliver again.
func (s *standard) next() instant {
	if s.idle == 0 {
		return 0
	}
	return s.open.min().until
}

// resting returns the lines of a band whose tenants rest.
func (s *standard) resting(band int) (lines []*line) {
	if s.idle == 0 {
		return nil
	}
	for _, t := range s.open.items {
		if l := t.lines[band]; t.rests && l != nil && l.first != nil {
			lines = append(lines, l)
		}
	}
	return lines
}

func (s *standard) deliverable() bool {
	if s.idle == 0 {
		return s.count[visible] > 0
	}
	for _, b := range s.bands {
		if b != nil && b.len() > 0 {
			return true
		}
	}
	return false
}
