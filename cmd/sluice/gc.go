package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// slack is how much more garbage may gather than Go lets gather by itself, where that is as much as there is to keep.
// An idle server keeps 2 MiB, and under load a fifth of the processor went into collecting such a heap, over and over.
const slack = 32 << 20

// liveHeap names what the last collection has kept.
const liveHeap = "/gc/heap/live:bytes"

// collectLazily sets GOGC after each collection so that slack is added, unless the user has set it. A ballast, memory
// that is never touched, would do the same without a line of code, but in half of all starts Go cleared it, which made
// it 32 MiB of real memory.
func collectLazily() {
	if os.Getenv("GOGC") != "" {
		return
	}
	adjust()
	var again func(*[16]byte) // is called after each collection, since nothing else refers to what it is given
	again = func(sentinel *[16]byte) {
		adjust()
		runtime.SetFinalizer(sentinel, again)
	}
	runtime.SetFinalizer(new([16]byte), again)
}

func adjust() {
	live := []metrics.Sample{{Name: liveHeap}}
	metrics.Read(live)
	debug.SetGCPercent(percentFor(live[0].Value.Uint64()))
}

// percentFor returns the GOGC with which a heap grows by as much as it has and slack.
func percentFor(live uint64) int {
	const least = 1 << 20 // before the first collection nothing is known to be kept
	live = max(live, least)
	return int(100 + 100*slack/live)
}
