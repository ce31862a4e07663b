package core

import (
	"math/rand/v2"
	"time"
)

// Strategy is how often, and when, a push that has failed is tried again.
type Strategy uint8

// The strategies.
const (
	BackoffRetry Strategy = iota // 3 times, 10 to 20 s apart
	DecayRetry                   // 176 times, after 1, 2, 4 … 512 s and then every 512 s: for about a day
)

// schedule is a strategy as data. The n-th retry comes first·2ⁿ⁻¹ after the attempt before, but never later than
// longest, plus a random time of up to spread.
type schedule struct {
	retries                int
	first, longest, spread time.Duration
}

// schedules holds both strategies as the provider documents them.
var schedules = [...]schedule{
	BackoffRetry: {retries: 3, first: 10 * time.Second, longest: 10 * time.Second, spread: 10 * time.Second},
	DecayRetry:   {retries: 176, first: time.Second, longest: 512 * time.Second},
}

// wait returns how long to wait before the n-th retry, counted from 1. The bool is false when there is no such retry.
func (s Strategy) wait(n int) (time.Duration, bool) {
	c := schedules[min(int(s), len(schedules)-1)]
	if n > c.retries {
		return 0, false
	}
	wait := c.first
	for range n - 1 {
		if wait = 2 * wait; wait >= c.longest {
			break
		}
	}
	wait = min(wait, c.longest)
	if c.spread > 0 {
		wait += rand.N(c.spread + 1)
	}
	return wait, true
}
