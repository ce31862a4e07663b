package crash_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFullDiskIsAServerErrorUntilThereIsRoom fills a real file system under the real program, and makes room again.
func TestFullDiskIsAServerErrorUntilThereIsRoom(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to mount a volume takes root")
	}
	at := t.TempDir()
	if err := run("mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", at); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := run("umount", at); err != nil {
			t.Error(err)
		}
	})
	c := &campaign{sync: "os", dir: filepath.Join(at, "data")}
	p := c.start(t)
	p.mayComplain = true
	c.makeQueues(t, p)
	stored := sendLarge(t, p, 30)
	other := filepath.Join(at, "other")
	if err := os.WriteFile(other, make([]byte, 260<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, w := range p.clients() {
		_, err := w.send(t.Context(), "storm", []outgoing{{body: strings.Repeat("x", 60_000)}})
		wantServerError(t, w, "send on a full disk", err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	stored += sendLarge(t, p, 3)
	p.kill(t)
	wantStored(t, c, stored)
}

// sendLarge sends large messages in all protocols and returns how many.
func sendLarge(t *testing.T, p *process, n int) int {
	t.Helper()
	for i := range n {
		w := p.clients()[i%3]
		if _, err := w.send(t.Context(), "storm", []outgoing{{body: strings.Repeat("x", 60_000)}}); err != nil {
			t.Fatalf("%v: send = %v, want nil", w, err)
		}
	}
	return n
}

// wantStored restarts the program and counts the messages.
func wantStored(t *testing.T, c *campaign, want int) {
	t.Helper()
	p := c.start(t)
	got, err := p.json().counts(t.Context(), "storm")
	if err != nil || got.visible != want {
		t.Errorf("%d messages are there after a restart (%v), want %d", got.visible, err, want)
	}
	p.kill(t)
}

// TestFailingDiskAcknowledgesNothing lets a real disk fail under the running program: from one moment on every sync is
// an I/O error. The program may answer with a server error or end; it may acknowledge nothing that is not there later.
func TestFailingDiskAcknowledgesNothing(t *testing.T) {
	v := newVolume(t)
	c := &campaign{sync: "always", dir: v.dir + "/data"}
	p := c.start(t)
	p.mayComplain = true
	c.makeQueues(t, p)
	stored := sendLarge(t, p, 30)
	if err := v.cut(); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for deadline := time.Now().Add(10 * time.Second); refused < 12 && time.Now().Before(deadline); {
		w := p.clients()[refused%3]
		_, err := w.send(t.Context(), "storm", []outgoing{{body: strings.Repeat("x", 60_000)}})
		refused++
		if errors.Is(err, errNoAnswer) {
			break // it has ended
		}
		wantServerError(t, w, "send on a disk that fails", err)
	}
	if refused == 0 {
		t.Error("no send was refused")
	}
	p.kill(t)
	if err := v.recover(); err != nil {
		t.Fatal(err)
	}
	wantStored(t, c, stored)
}

// TestReadOnlyDirectoryIsReportedAtStart starts the program on a file system that is mounted read-only.
func TestReadOnlyDirectoryIsReportedAtStart(t *testing.T) {
	v := newVolume(t)
	c := &campaign{sync: "os", dir: v.dir + "/data"}
	p := c.start(t)
	c.makeQueues(t, p)
	stored := sendLarge(t, p, 6)
	p.kill(t)
	if err := run("mount", "-o", "remount,ro", v.dir); err != nil {
		t.Fatal(err)
	}
	p = c.launch(t)
	p.mayComplain = true
	_, _ = p.stdout.ReadString('\n') // its end
	p.kill(t)
	if said := strings.TrimSpace(p.stderr.String()); !strings.Contains(said, c.dir) || !strings.Contains(said, "read-only") || strings.Contains(said, "\n") {
		t.Errorf("the program said %q, want one line about the read-only %s", said, c.dir)
	}
	if err := run("mount", "-o", "remount,rw", v.dir); err != nil {
		t.Fatal(err)
	}
	wantStored(t, c, stored)
}
