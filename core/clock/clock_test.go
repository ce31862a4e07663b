package clock_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestManualMovesOnlyForward(t *testing.T) {
	c := clock.NewManual(epoch)
	for _, tt := range []struct{ d, want time.Duration }{
		{0, 0}, {time.Second, time.Second}, {-time.Hour, time.Second}, {time.Millisecond, 1001 * time.Millisecond},
	} {
		c.Advance(tt.d)
		if got := c.Now().Sub(epoch); got != tt.want {
			t.Errorf("Now() after Advance(%v) = %v, want %v", tt.d, got, tt.want)
		}
	}
}

func TestManualWakesThoseWhoseInstantHasCome(t *testing.T) {
	c := clock.NewManual(epoch)
	reached := map[time.Duration]<-chan struct{}{}
	for _, d := range []time.Duration{5, 1, 3, 0, -1} {
		reached[d], _ = c.Until(epoch.Add(d * time.Second))
	}
	for now := range time.Duration(7) {
		for d, ch := range reached {
			if got, want := closed(ch), d <= now; got != want {
				t.Errorf("at %d s the wait for %d s is over: %v, want %v", now, d, got, want)
			}
		}
		if got, want := c.Waiting(), map[time.Duration]int{0: 3, 1: 2, 2: 2, 3: 1, 4: 1}[now]; got != want {
			t.Errorf("Waiting() at %d s = %d, want %d", now, got, want)
		}
		c.Advance(time.Second)
	}
}

func TestManualForgetsAWaitThatIsGivenUp(t *testing.T) {
	c := clock.NewManual(epoch)
	first, giveUp := c.Until(epoch.Add(time.Second))
	second, _ := c.Until(epoch.Add(time.Second))
	giveUp()
	giveUp()
	if n := c.Waiting(); n != 1 {
		t.Errorf("Waiting() = %d, want 1", n)
	}
	c.Advance(time.Second)
	giveUp()
	if closed(first) || !closed(second) {
		t.Errorf("given up: over %v; other: over %v", closed(first), closed(second))
	}
}

// Whoever waits is woken in the order of the instants, those of one instant in the order in which they came.
func TestManualWakesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.NewManual(epoch)
		var mu sync.Mutex
		var order []string
		for i, d := range []time.Duration{2, 1, 2, 1, 3} {
			reached, _ := c.Until(epoch.Add(d * time.Second))
			go func() {
				<-reached
				mu.Lock()
				defer mu.Unlock()
				order = append(order, fmt.Sprint(d, "-", i))
			}()
		}
		for range 3 {
			synctest.Wait()
			c.Advance(time.Second)
		}
		synctest.Wait()
		if !slices.IsSortedFunc(order, func(a, b string) int { return int(a[0]) - int(b[0]) }) || len(order) != 5 {
			t.Errorf("woken in the order %v", order)
		}
	})
}

func TestManualIsSafeForManyAtOnce(t *testing.T) {
	c := clock.NewManual(epoch)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				reached, giveUp := c.Until(c.Now().Add(time.Duration(j%7) * time.Second))
				if i%2 == 0 {
					c.Advance(time.Second)
				}
				giveUp()
				closed(reached)
			}
		})
	}
	all.Wait()
	if n := c.Waiting(); n != 0 {
		t.Errorf("Waiting() = %d, want 0", n)
	}
}

func TestSystemWakesAtTheInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.System{}
		begin := c.Now()
		reached, _ := c.Until(begin.Add(time.Hour))
		past, giveUp := c.Until(begin.Add(-time.Hour))
		<-past
		giveUp()
		given, giveUp := c.Until(begin.Add(time.Minute))
		giveUp()
		giveUp()
		<-reached
		if got := c.Now().Sub(begin); got != time.Hour {
			t.Errorf("woken after %v, want 1h", got)
		}
		if closed(given) {
			t.Error("a wait that was given up is over")
		}
	})
}
