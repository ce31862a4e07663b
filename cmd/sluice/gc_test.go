package main

import (
	"runtime"
	"runtime/debug"
	"testing"
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

func TestMemoryIsGivenBackWhereItIsMuch(t *testing.T) {
	for _, tt := range []struct {
		live, heap uint64
		want       bool
	}{
		{200 << 20, 265 << 20, true},
		{200 << 20, 264 << 20, false},
		{3 << 20, 2 << 20, false}, // live is what the last collection has kept
	} {
		if got := worthGivingBack(tt.live, tt.heap); got != tt.want {
			t.Errorf("worthGivingBack(%d, %d) = %t, want %t", tt.live, tt.heap, got, tt.want)
		}
	}
}

// What nothing refers to any more goes back, though no collection has seen it yet. One that sees it while it is made
// counts it as kept; then there is another try.
func TestGarbageIsGivenBack(t *testing.T) {
	var given int64
	for range 10 {
		garbage := make([]byte, 256<<20)
		runtime.KeepAlive(garbage)
		var full, empty runtime.MemStats
		runtime.ReadMemStats(&full)
		giveBack()
		runtime.ReadMemStats(&empty)
		if given = int64(empty.HeapReleased) - int64(full.HeapReleased); given >= 200<<20 {
			return
		}
	}
	t.Errorf("giveBack gave %d bytes back, want the 256 MiB that nothing refers to", given)
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
