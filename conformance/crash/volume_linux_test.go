package crash_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// volume is an ext4 file system in a file. It can lose everything that was written but never synced, as a disk does
// when the power is cut: its shutdown drops all that is only in memory, data and journal alike, and the next mount
// recovers from what is left. What a disk may do besides, lose what it has acknowledged, is not simulated.
type volume struct{ image, dir string }

// newVolume makes a volume and mounts it. It skips the test where that is not allowed: it takes root and a loop device.
func newVolume(t *testing.T) *volume {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("to mount a volume takes root")
	}
	v := &volume{image: filepath.Join(t.TempDir(), "volume"), dir: t.TempDir()}
	if err := os.WriteFile(v.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(v.image, 2<<30); err != nil {
		t.Fatal(err)
	}
	if err := run("mkfs.ext4", "-q", v.image); err != nil {
		t.Skip(err)
	}
	if err := v.mount(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := v.unmount(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// shutdown is EXT4_IOC_SHUTDOWN, and dropJournal its flag that keeps even the journal from being written.
const (
	shutdown    = 0x8004587d
	dropJournal = 2
)

// cut drops what was not synced. The processes that use the volume have to be stopped by then, and ended after.
func (v *volume) cut() error {
	root, err := os.Open(v.dir)
	if err != nil {
		return err
	}
	err = unix.IoctlSetPointerInt(int(root.Fd()), shutdown, dropJournal)
	return errors.Join(err, root.Close())
}

// recover mounts what is left.
func (v *volume) recover() error { return errors.Join(v.unmount(), v.mount()) }

func (v *volume) mount() error   { return run("mount", "-o", "loop", v.image, v.dir) }
func (v *volume) unmount() error { return run("umount", v.dir) }

func run(name string, args ...string) error {
	if said, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, said)
	}
	return nil
}

// stop stops a process where it is, and returns when no thread of it runs any more: the file system's errors after the
// cut are not to reach it.
func stop(p *os.Process) error {
	if err := p.Signal(unix.SIGSTOP); err != nil {
		return err
	}
	for range 5000 {
		if stopped(p.Pid) {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("a thread goes on running")
}

// stopped reports whether every thread is stopped, ended, or in the kernel from where it returns to being stopped.
func stopped(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, path := range threads {
		text, _ := os.ReadFile(path) // an error means that it has ended
		_, rest, _ := strings.Cut(string(text), ") ")
		if rest != "" && !strings.ContainsAny(rest[:1], "TtDZX") {
			return false
		}
	}
	return err == nil
}
