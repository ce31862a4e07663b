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

// What the runtime tells of the heap: what the last collection has kept, what lies in it now, and what is neither used nor
// given back.
const (
	liveHeap   = "/gc/heap/live:bytes"
	heldHeap   = "/memory/classes/heap/objects:bytes"
	unusedHeap = "/memory/classes/heap/unused:bytes"
	freeHeap   = "/memory/classes/heap/free:bytes"
)

// Once there was no collection for this time, little happens. Go collects by itself only after two minutes. By then Badger
// has let go of what it builds tables in, up to eight times 21 MiB, one every two seconds.
const quiet = 20 * time.Second

// collectLazily sets GOGC after each collection so that slack is added, unless the user has set it. A ballast, memory
// that is never touched, would do the same without a line of code, but in half of all starts Go cleared it, which made
// it 32 MiB of real memory. When nothing happens any more, what the heap had grown to is given back: Go keeps it, and a
// backlog of a million messages that waits would hold twice the memory that it takes.
func collectLazily() {
	if os.Getenv("GOGC") != "" {
		return
	}
	adjust()
	calm := time.AfterFunc(quiet, giveBack)
	var again func(*[16]byte) // is called after each collection, since nothing else refers to what it is given
	again = func(sentinel *[16]byte) {
		adjust()
		calm.Reset(quiet)
		runtime.SetFinalizer(sentinel, again)
	}
	runtime.SetFinalizer(new([16]byte), again)
}

func adjust() {
	heap := []metrics.Sample{{Name: liveHeap}}
	metrics.Read(heap)
	debug.SetGCPercent(percentFor(heap[0].Value.Uint64()))
}

// giveBack collects and returns to the system what is not used, if that may be much. That is a collection, so giveBack
// is called once more, which finds nothing to do.
func giveBack() {
	heap := []metrics.Sample{{Name: liveHeap}, {Name: heldHeap}, {Name: unusedHeap}, {Name: freeHeap}}
	metrics.Read(heap)
	if worthGivingBack(heap[0].Value.Uint64(), heap[1].Value.Uint64()+heap[2].Value.Uint64()+heap[3].Value.Uint64()) {
		debug.FreeOSMemory()
	}
}

// worthGivingBack reports whether more may be unused than a new beginning would take at once.
func worthGivingBack(live, heap uint64) bool { return heap > live+2*slack }

// percentFor returns the GOGC with which a heap grows by as much as it has and slack.
func percentFor(live uint64) int {
	const least = 1 << 20 // before the first collection nothing is known to be kept
	live = max(live, least)
	return int(100 + 100*slack/live)
}
