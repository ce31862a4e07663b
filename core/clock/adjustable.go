package clock

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Adjustable is the machine's clock, ahead or behind by an offset, that can be frozen and moved forward while it runs.
// Nothing that it can be told to do moves it back: who asks while it is being frozen may see it run on for less than a
// millisecond, no more. It is safe for concurrent use; Now takes no lock. Use NewAdjustable.
type Adjustable struct {
	setting atomic.Pointer[setting]

	mu    sync.Mutex // of changes of the setting, and of waits
	waits map[*alarm]struct{}
}

// setting is what an adjustable clock goes by. It is replaced, never changed.
type setting struct {
	offset time.Duration // of a clock that runs
	frozen bool
	at     time.Time // of a frozen clock
}

// alarm is one who waits. While the clock is frozen there is no timer.
type alarm struct {
	wait
	timer *time.Timer
}

// NewAdjustable returns a clock that shows the machine's time for as long as nobody adjusts it.
func NewAdjustable() *Adjustable {
	a := &Adjustable{waits: map[*alarm]struct{}{}}
	a.setting.Store(&setting{})
	return a
}

// farthest is how far an adjustable clock may be ahead of the machine's: an offset has room for 292 years, and one that
// overflows would lead back.
const farthest = 250 * 365 * 24 * time.Hour

// Now returns the clock's time.
func (a *Adjustable) Now() time.Time { return a.setting.Load().now() }

func (s *setting) now() time.Time {
	if s.frozen {
		return s.at
	}
	now := time.Now()
	if s.offset != 0 {
		now = now.Add(s.offset)
	}
	return now
}

// Frozen reports whether the clock stands still.
func (a *Adjustable) Frozen() bool { return a.setting.Load().frozen }

// Until returns a channel that is closed as soon as the clock has reached at, by running or by being moved.
func (a *Adjustable) Until(at time.Time) (<-chan struct{}, func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := &alarm{wait: wait{at: at, done: make(chan struct{})}}
	now := a.Now()
	if !at.After(now) {
		close(w.done)
		return w.done, func() {}
	}
	a.waits[w] = struct{}{}
	a.arm(w, now)
	return w.done, func() { a.giveUp(w) }
}

// arm sets the timer of a wait anew. The lock is held.
func (a *Adjustable) arm(w *alarm, now time.Time) {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if !a.Frozen() {
		w.timer = time.AfterFunc(w.at.Sub(now), func() { a.rang(w) })
	}
}

// rang looks whether a wait is over. A timer that was stopped too late comes here as well, and one that ran while the
// machine's clock was set back.
func (a *Adjustable) rang(w *alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, waits := a.waits[w]; !waits {
		return
	}
	now := a.Now()
	if w.at.After(now) {
		a.arm(w, now)
		return
	}
	delete(a.waits, w)
	close(w.done)
}

func (a *Adjustable) giveUp(w *alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waits, w)
	if w.timer != nil {
		w.timer.Stop()
	}
}

// Freeze makes the clock stand still until Resume. Freezing a frozen clock does nothing.
func (a *Adjustable) Freeze() {
	a.change(func(s *setting, now time.Time) { s.frozen, s.at = true, now })
}

// Resume makes a frozen clock run on from where it stands. On one that runs it does nothing.
func (a *Adjustable) Resume() {
	a.change(func(s *setting, now time.Time) {
		if s.frozen {
			*s = setting{offset: time.Until(now)}
		}
	})
}

// Advance moves the clock forward by d and wakes whoever waits for an instant up to the new time, in the order of the
// instants. A negative d moves nothing, and none moves it further than 250 years ahead of the machine's clock.
func (a *Adjustable) Advance(d time.Duration) {
	a.change(func(s *setting, _ time.Time) { s.advance(d) })
}

// Set moves the clock forward to an instant, as Advance does. It reports false, and does nothing, if that is over or more
// than 250 years ahead of the machine's clock.
func (a *Adjustable) Set(to time.Time) (ok bool) {
	a.change(func(s *setting, now time.Time) {
		d := to.Sub(now)
		if ok = d >= 0 && d <= s.room(); ok {
			s.advance(d)
		}
	})
	return ok
}

func (s *setting) advance(d time.Duration) {
	d = max(min(d, s.room()), 0)
	s.offset += d
	if s.frozen {
		s.at = s.at.Add(d)
	}
}

// room returns by how much the clock can be moved.
func (s *setting) room() time.Duration {
	if s.frozen {
		return farthest - time.Until(s.at)
	}
	return farthest - s.offset
}

// change replaces the setting, wakes those whose instant has come and sets the timers of the others.
func (a *Adjustable) change(adjust func(s *setting, now time.Time)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := *a.setting.Load()
	adjust(&s, s.now())
	a.setting.Store(&s)
	now := s.now()
	var over []*alarm
	for w := range a.waits {
		if w.at.After(now) {
			a.arm(w, now)
			continue
		}
		over = append(over, w)
	}
	slices.SortFunc(over, func(a, b *alarm) int { return a.at.Compare(b.at) })
	for _, w := range over {
		if w.timer != nil {
			w.timer.Stop()
		}
		delete(a.waits, w)
		close(w.done)
	}
}

// Waiting returns how many waits have not been reached yet, as Manual's does.
func (a *Adjustable) Waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.waits)
}

// Offset returns how far the clock is ahead of the machine's. That of a frozen clock changes all the time.
func (a *Adjustable) Offset() time.Duration {
	s := a.setting.Load()
	if s.frozen {
		return time.Until(s.at)
	}
	return s.offset
}
