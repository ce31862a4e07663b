package badger

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/persistence"
)

// later is a double of time: what is to come is called by hand.
type later struct {
	coming []func()
}

func (l *later) after(_ time.Duration, fn func()) (stop func()) {
	l.coming = append(l.coming, fn)
	return func() { l.coming = nil }
}

// pass does what is due by now, and reports whether there was anything.
func (l *later) pass() bool {
	due := l.coming
	l.coming = nil
	for _, fn := range due {
		fn()
	}
	return due != nil
}

// compactors returns once as many compactors run as are wanted: one that was told to end, or to begin, takes its time.
func compactors(t *testing.T, want int) {
	t.Helper()
	for range 100_000 {
		stacks := make([]byte, 1<<20)
		if strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "created by github.com/dgraph-io/badger/v4.(*levelsController).startCompact ") == want {
			return
		}
		runtime.Gosched()
	}
	t.Fatalf("there are not %d compactors", want)
}

func TestCompactorsRestWhenNobodyCommits(t *testing.T) {
	const running = 2
	var time later
	s, err := Open(t.TempDir(), Options{After: time.after})
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string) {
		t.Helper()
		var b persistence.Batch
		b.Put([]byte(key), []byte("v"))
		if err := s.Commit(&b); err != nil {
			t.Fatal(err)
		}
	}
	for _, round := range []string{"first", "second", "third"} {
		put(round)
		compactors(t, running)
		if time.pass(); s.rest.resting {
			t.Errorf("%s round: the compactors rest though there was a commit since it was last looked", round)
		}
		if time.pass(); !s.rest.resting {
			t.Errorf("%s round: the compactors do not rest though nothing was committed", round)
		}
		compactors(t, 0)
		if time.pass() {
			t.Errorf("%s round: a store that rests is looked at", round)
		}
		if v, err := s.Get([]byte(round)); err != nil || string(v) != "v" {
			t.Errorf("%s round: Get = %q, %v", round, v, err)
		}
		if !s.rest.resting {
			t.Errorf("%s round: a read wakes the compactors", round)
		}
	}
	put("last")
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if time.pass() {
		t.Error("a store that is closed is looked at")
	}
	compactors(t, 0)
}

// A level that is due is compacted first, however long nobody commits.
func TestCompactorsFinishBeforeTheyRest(t *testing.T) {
	var time later
	dir := t.TempDir()
	s, err := Open(dir, Options{After: time.after})
	if err != nil {
		t.Fatal(err)
	}
	stopCompactions(s.db)
	for i := 0; len(s.db.Tables()) < s.db.Opts().NumLevelZeroTables+1; i++ { // each of which is a memtable that was full
		var b persistence.Batch
		b.Put([]byte(fmt.Sprint(i)), make([]byte, maxInline))
		if err := s.Commit(&b); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		time.pass()
	}
	if s.rest.resting {
		t.Error("the compactors rest though a level is due")
	}
	startCompactions(s.db)
	for due(s.db) {
		runtime.Gosched()
	}
	time.pass()
	if time.pass(); !s.rest.resting {
		t.Error("the compactors do not rest when nothing is due")
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close after a rest = %v", err)
	}
}
