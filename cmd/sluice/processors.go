package main

import (
	"os"
	"runtime"
)

// spareProcessor lets Go run one goroutine more at a time than it would by itself, unless the user has set GOMAXPROCS.
// Whoever writes to the disk keeps a processor of Go's while it waits there: in an fsync until Go's monitor takes it
// away, at a page of a mapped file for as long as it lasts. Without a spare one half of two processors stand still.
func spareProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
