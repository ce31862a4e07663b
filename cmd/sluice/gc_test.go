package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestSlackIsAddedToHeapsOfAnySize(t *testing.T) {
	for _, tt := range []struct {
		live uint64
		want int
	}{{0, 3300}, {2 << 20, 1700}, {32 << 20, 200}, {320 << 20, 110}, {32 << 30, 100}} {
		if got := percentFor(tt.live); got != tt.want {
			t.Errorf("percentFor(%d) = %d, want %d", tt.live, got, tt.want)
		}
	}
}

func TestMemoryIsGivenBackWhenNothingHappens(t *testing.T) {
	for _, tt := range []struct {
		since time.Duration
		free  uint64
		want  bool
	}{
		{2 * time.Minute, 65 << 20, true},
		{2*time.Minute - 1, 1 << 30, false}, // there is work
		{time.Hour, 64 << 20, false},        // not worth it
	} {
		if got := worthGivingBack(tt.since, tt.free); got != tt.want {
			t.Errorf("worthGivingBack(%v, %d) = %t, want %t", tt.since, tt.free, got, tt.want)
		}
	}
}

func TestCollectionsAdjustThemselves(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	t.Setenv("GOGC", "")
	collectLazily()
	for range 2 { // the adjustment comes after each collection, not only after the first
		debug.SetGCPercent(77)
		for got := 77; got == 77; got = debug.SetGCPercent(77) {
			runtime.GC()
			runtime.Gosched()
		}
	}
}
