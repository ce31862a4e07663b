package main

import (
	"runtime"
	"testing"
)

func TestSpareProcessorUnlessTheUserHasSaidHowMany(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	t.Setenv("GOMAXPROCS", "7")
	spareProcessor()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("with GOMAXPROCS set there are %d processors, want %d", got, before)
	}
	t.Setenv("GOMAXPROCS", "")
	spareProcessor()
	if got := runtime.GOMAXPROCS(0); got != before+1 {
		t.Errorf("there are %d processors, want %d", got, before+1)
	}
}
