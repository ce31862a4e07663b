//go:build !linux && !darwin

package badger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// locked says whether someone has dir open: on Windows Badger holds its file LOCK open, unshared, and lets the system
// delete it when the process ends, so a LOCK that exists and cannot be opened is held.
func locked(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "LOCK"))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	_ = f.Close()
	return false
}
