package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// slack is how much more garbage may gather than Go lets gather by itself, where that is as much as there is to keep.
// An idle server keeps 2 MiB, and under load a fifth of the processor went into collecting such a heap, over and over.
const slack = 32 << 20

// What the runtime tells of the heap: what the last collection has kept, and what is neither used nor given back.
const (
	liveHeap = "/gc/heap/live:bytes"
	freeHeap = "/memory/classes/heap/free:bytes"
)

// Go collects by itself after this time without a collection: by then nothing happens.
const quiet = 2 * time.Minute

// collectLazily sets GOGC after each collection so that slack is added, unless the user has set it. A ballast, memory
// that is never touched, would do the same without a line of code, but in half of all starts Go cleared it, which made
// it 32 MiB of real memory. When nothing happens any more, what the heap had grown to is given back: Go keeps it, and a
// backlog of a million messages that waits would hold twice the memory that it takes.
func collectLazily() {
	if os.Getenv("GOGC") != "" {
		return
	}
	adjust()
	last := time.Now()
	var again func(*[16]byte) // is called after each collection, since nothing else refers to what it is given
	again = func(sentinel *[16]byte) {
		free := adjust()
		if since := time.Since(last); worthGivingBack(since, free) {
			go debug.FreeOSMemory()
		}
		last = time.Now()
		runtime.SetFinalizer(sentinel, again)
	}
	runtime.SetFinalizer(new([16]byte), again)
}

// adjust returns how much of the heap is free.
func adjust() (free uint64) {
	heap := []metrics.Sample{{Name: liveHeap}, {Name: freeHeap}}
	metrics.Read(heap)
	debug.SetGCPercent(percentFor(heap[0].Value.Uint64()))
	return heap[1].Value.Uint64()
}

// worthGivingBack reports whether the time since the last collection says that nothing happens, and more is free than a
// new beginning would take at once. Giving back costs a collection of its own.
func worthGivingBack(since time.Duration, free uint64) bool {
	return since >= quiet && free > 2*slack
}

// percentFor returns the GOGC with which a heap grows by as much as it has and slack.
func percentFor(live uint64) int {
	const least = 1 << 20 // before the first collection nothing is known to be kept
	live = max(live, least)
	return int(100 + 100*slack/live)
}
