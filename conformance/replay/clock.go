package replay

import (
	"slices"
	"sync"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// virtual is a clock that moves by hand and knows for which instants somebody waits, so that a server with nothing to do
// until then can be taken there.
type virtual struct {
	*clock.Manual

	mu        sync.Mutex
	deadlines []time.Time
}

// Until also notes the instant.
func (v *virtual) Until(at time.Time) (<-chan struct{}, func()) {
	reached, giveUp := v.Manual.Until(at)
	v.mu.Lock()
	v.deadlines = append(v.deadlines, at)
	v.mu.Unlock()
	return reached, sync.OnceFunc(func() {
		giveUp()
		v.forget(at)
	})
}

func (v *virtual) forget(at time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := slices.IndexFunc(v.deadlines, at.Equal); i >= 0 {
		v.deadlines = slices.Delete(v.deadlines, i, i+1)
	}
}

// leap moves to the next instant for which somebody waits, but not beyond end, and reports whether there was one.
func (v *virtual) leap(end time.Time) bool {
	v.mu.Lock()
	now := v.Now()
	v.deadlines = slices.DeleteFunc(v.deadlines, func(at time.Time) bool { return !at.After(now) })
	next := end.Add(1)
	for _, at := range v.deadlines {
		if at.Before(next) {
			next = at
		}
	}
	v.mu.Unlock()
	if next.After(end) {
		return false
	}
	v.Advance(next.Sub(now))
	return true
}
