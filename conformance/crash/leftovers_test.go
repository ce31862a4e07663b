package crash_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestOpensWithFilesThatAKillHasLeftEmpty is about two instants that a campaign hits once in some fifty kills. Badger
// makes a file and gives it its size later, and takes the size of one before it removes it.
func TestOpensWithFilesThatAKillHasLeftEmpty(t *testing.T) {
	for _, tt := range []struct {
		name, pattern, format string
		newer                 bool
	}{
		{"a new memtable", "*.mem", "%05d.mem", true},
		{"an old memtable", "*.mem", "%05d.mem", false},
		{"a new value log", "*.vlog", "%06d.vlog", true},
		{"an old value log", "*.vlog", "%06d.vlog", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &campaign{sync: "os", dir: t.TempDir()}
			c.start(t).kill(t)
			p := c.start(t)
			c.makeQueues(t, p)
			want, err := p.clients()[0].send(t.Context(), "storm", []outgoing{{body: "kept"}})
			if err != nil {
				t.Fatalf("send = %v, want no error", err)
			}
			p.kill(t)
			c.leaveEmpty(t, tt.pattern, tt.format, tt.newer)

			p = c.start(t)
			got, err := p.clients()[0].receive(t.Context(), "storm", receiveRequest{limit: 10, timeout: time.Second})
			if err != nil || len(got) != 1 || got[0].id != want[0].id {
				t.Errorf("receive after the restart = %v, %v, want the message %s", got, err, want[0].id)
			}
		})
	}
}

// leaveEmpty adds an empty file with the number after the newest of its kind, or before the oldest.
func (c *campaign) leaveEmpty(t *testing.T, pattern, format string, newer bool) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(c.dir, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("the data directory has no %s (%v): the store writes other files now, and this test is to follow", pattern, err)
	}
	slices.Sort(found)
	var number int
	at, step := found[0], -1
	if newer {
		at, step = found[len(found)-1], 1
	}
	if _, err := fmt.Sscanf(filepath.Base(at), format, &number); err != nil {
		t.Fatalf("the store calls a file %s, want %s: %v", at, format, err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, fmt.Sprintf(format, number+step)), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
