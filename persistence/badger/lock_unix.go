//go:build linux || darwin

package badger

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// locked says whether someone has dir open, by trying for a moment the lock that Badger holds on the directory.
func locked(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // gives the lock back
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
