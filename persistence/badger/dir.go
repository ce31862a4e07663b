package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sluicemq/sluice/persistence"
)

// prepare makes dir and finds out in advance what Badger would report in several lines, or by ending the process.
func prepare(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("persistence/badger: the data directory %s is a file", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("persistence/badger: cannot make the data directory %s: %w", dir, reason(err))
	}
	// One name, so that a kill in this instant leaves one file at most.
	probe, err := os.Create(filepath.Join(dir, ".probe"))
	if err != nil {
		return fmt.Errorf("persistence/badger: cannot write to the data directory %s: %w", dir, reason(err))
	}
	if err := os.Remove(probe.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, probe.Close())
	}
	return probe.Close()
}

// reason drops the path from err: the message around it names the directory already.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// openFailure words the failure of Badger to open dir. Badger keeps no cause in its errors, so whether someone else
// has the directory is asked of the lock itself.
func openFailure(dir string, err error) error {
	if locked(dir) {
		return inUse(dir)
	}
	return fmt.Errorf("persistence/badger: open %s: %s", dir, oneLine(err.Error()))
}

func inUse(dir string) error { return fmt.Errorf("%w: %s", persistence.ErrInUse, dir) }
