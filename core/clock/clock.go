// Package clock is the only place that tells the engine what time it is. Deadlines are instants, not durations: code
// asks to be woken when the clock has reached an instant, so that a clock that is frozen or moved by hand wakes
// exactly those whose instant has come.
package clock

import (
	"slices"
	"sync"
	"time"
)

// Clock tells the time and wakes whoever waits for an instant.
type Clock interface {
	// Now returns the current time.
	Now() time.Time

	// Until returns a channel that is closed once Now has reached at, and a function that gives the wait up.
	// Calling the function more than once, or after the channel was closed, does nothing.
	Until(at time.Time) (<-chan struct{}, func())
}

// System is the machine's clock.
type System struct{}

// Now returns time.Now.
func (System) Now() time.Time { return time.Now() }

// Until waits on a timer of the runtime.
func (s System) Until(at time.Time) (<-chan struct{}, func()) {
	done := make(chan struct{})
	return done, s.AfterFunc(time.Until(at), func() { close(done) })
}

// AfterFunc calls fn after d, in a goroutine of its own, unless stop is called before, which may come too late.
func (System) AfterFunc(d time.Duration, fn func()) (stop func()) {
	t := time.AfterFunc(d, fn)
	return func() { t.Stop() }
}

// Manual is a clock that moves only when it is told to. It never goes back. It is safe for concurrent use.
type Manual struct {
	mu    sync.Mutex
	now   time.Time
	waits []*wait // ordered by instant
}

type wait struct {
	at   time.Time
	done chan struct{}
}

// NewManual returns a manual clock that shows the given time.
func NewManual(now time.Time) *Manual { return &Manual{now: now} }

// Now returns the time the clock was last set to.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Until returns a channel that is closed by the Advance that reaches at, or at once when at is not in the future.
func (m *Manual) Until(at time.Time) (<-chan struct{}, func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &wait{at: at, done: make(chan struct{})}
	if !at.After(m.now) {
		close(w.done)
		return w.done, func() {}
	}
	i, _ := slices.BinarySearchFunc(m.waits, at, func(w *wait, at time.Time) int {
		if w.at.After(at) {
			return 1
		}
		return -1 // equal instants keep the order in which they were asked for
	})
	m.waits = slices.Insert(m.waits, i, w)
	return w.done, func() { m.giveUp(w) }
}

func (m *Manual) giveUp(w *wait) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.waits, w); i >= 0 {
		m.waits = slices.Delete(m.waits, i, i+1)
	}
}

// Advance moves the clock forward by d and wakes whoever waits for an instant up to the new time, in the order of
// the instants. A negative d moves nothing.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d > 0 {
		m.now = m.now.Add(d)
	}
	n := 0
	for n < len(m.waits) && !m.waits[n].at.After(m.now) {
		close(m.waits[n].done)
		n++
	}
	m.waits = slices.Delete(m.waits, 0, n)
}

// Waiting returns how many waits have not been reached yet, so that a test can tell that a long poll is parked.
func (m *Manual) Waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waits)
}
