package clock_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

var _ clock.Clock = (*clock.Adjustable)(nil)

func TestAdjustableRunsWithTheMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, begin := clock.NewAdjustable(), time.Now()
		time.Sleep(time.Minute)
		if got := c.Now().Sub(begin); got != time.Minute {
			t.Errorf("Now() is %v after the start, want 1m", got)
		}
		c.Advance(time.Hour)
		time.Sleep(time.Minute)
		if got := c.Now().Sub(begin); got != time.Hour+2*time.Minute {
			t.Errorf("Now() is %v after the start, want 1h2m", got)
		}
		if got := c.Offset(); got != time.Hour {
			t.Errorf("Offset() = %v, want 1h", got)
		}
	})
}

func TestAdjustableStandsStillWhileFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, begin := clock.NewAdjustable(), time.Now()
		c.Freeze()
		time.Sleep(time.Hour)
		c.Freeze()
		if got := c.Now().Sub(begin); got != 0 || !c.Frozen() || c.Offset() != -time.Hour {
			t.Errorf("frozen: %v after the start, Frozen() = %v, Offset() = %v; want 0, true, -1h", got, c.Frozen(), c.Offset())
		}
		c.Advance(time.Minute)
		if got := c.Now().Sub(begin); got != time.Minute {
			t.Errorf("advanced while frozen: %v after the start, want 1m", got)
		}
		c.Resume()
		c.Resume()
		time.Sleep(time.Second)
		if got := c.Now().Sub(begin); got != time.Minute+time.Second || c.Frozen() {
			t.Errorf("resumed: %v after the start, Frozen() = %v; want 1m1s, false", got, c.Frozen())
		}
	})
}

func TestAdjustableNeverGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.NewAdjustable()
		c.Freeze()
		begin := c.Now()
		c.Advance(-time.Hour)
		if got := c.Now(); !got.Equal(begin) {
			t.Errorf("Now() after Advance(-1h) = %v, want %v", got, begin)
		}
		if c.Set(begin.Add(-time.Second)) || !c.Now().Equal(begin) {
			t.Errorf("Set() to the past moves the clock to %v", c.Now())
		}
		if to := begin.Add(time.Hour); !c.Set(to) || !c.Now().Equal(to) {
			t.Errorf("Now() after Set(%v) = %v", to, c.Now())
		}
	})
}

func TestAdjustableWakesThoseWhoseInstantHasCome(t *testing.T) {
	for _, tt := range []struct {
		name string
		move func(c *clock.Adjustable, to time.Time)
	}{
		{"advanced", func(c *clock.Adjustable, to time.Time) { c.Advance(to.Sub(c.Now())) }},
		{"set", func(c *clock.Adjustable, to time.Time) { c.Set(to) }},
		{"frozen and advanced", func(c *clock.Adjustable, to time.Time) { c.Freeze(); c.Advance(to.Sub(c.Now())) }},
		{"running", func(c *clock.Adjustable, to time.Time) { time.Sleep(to.Sub(c.Now())); synctest.Wait() }},
		{"resumed", func(c *clock.Adjustable, to time.Time) {
			c.Freeze()
			time.Sleep(10 * time.Hour)
			c.Resume()
			time.Sleep(to.Sub(c.Now()))
			synctest.Wait()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := clock.NewAdjustable()
				begin := c.Now()
				first, _ := c.Until(begin.Add(time.Hour))
				given, giveUp := c.Until(begin.Add(time.Hour))
				later, giveUpLater := c.Until(begin.Add(2 * time.Hour))
				giveUp()
				giveUp()
				tt.move(c, begin.Add(time.Hour))
				if !closed(first) || closed(given) || closed(later) {
					t.Errorf("over: first %v, given up %v, later %v; want true, false, false", closed(first), closed(given), closed(later))
				}
				if n := c.Waiting(); n != 1 {
					t.Errorf("Waiting() = %d, want 1", n)
				}
				giveUpLater()
				past, _ := c.Until(begin)
				if !closed(past) {
					t.Error("the wait for what is over is not over")
				}
			})
		})
	}
}

func TestAdjustableHoldsTimersWhileFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.NewAdjustable()
		before, _ := c.Until(c.Now().Add(time.Second))
		c.Freeze()
		within, _ := c.Until(c.Now().Add(time.Second))
		time.Sleep(time.Hour)
		synctest.Wait()
		if closed(before) || closed(within) {
			t.Error("a frozen clock has woken somebody")
		}
		c.Resume()
		time.Sleep(time.Second)
		synctest.Wait()
		if !closed(before) || !closed(within) {
			t.Error("a clock that runs again has woken nobody")
		}
	})
}

func TestAdjustableIsSafeForManyAtOnce(t *testing.T) {
	c := clock.NewAdjustable()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				_, giveUp := c.Until(c.Now().Add(time.Duration(j%7) * time.Millisecond))
				switch (i + j) % 4 {
				case 0:
					c.Advance(time.Millisecond)
				case 1:
					c.Freeze()
				case 2:
					c.Resume()
				}
				giveUp()
			}
		})
	}
	all.Wait()
	if n := c.Waiting(); n != 0 {
		t.Errorf("Waiting() = %d, want 0", n)
	}
}

func BenchmarkAdjustableNow(b *testing.B) {
	c := clock.NewAdjustable()
	for b.Loop() {
		c.Now()
	}
}

func TestAdjustableNeverGoesBackHoweverFarItIsMoved(t *testing.T) {
	const century = 100 * 365 * 24 * time.Hour
	for _, frozen := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := clock.NewAdjustable()
			if frozen {
				c.Freeze()
			}
			before := c.Now()
			for range 10 {
				c.Advance(century)
				if now := c.Now(); now.Before(before) {
					t.Fatalf("frozen %v: the clock went from %v to %v", frozen, before, now)
				}
				before = c.Now()
			}
			if c.Set(before.Add(century)) {
				t.Errorf("frozen %v: Set() to a century later = true, want false", frozen)
			}
			c.Resume()
			if now := c.Now(); now.Before(before) || time.Until(now) < 2*century {
				t.Errorf("frozen %v: resumed at %v after %v", frozen, now, before)
			}
		})
	}
}
