// Package whole writes files that are there with all of their content or not at all, after a power cut too: one that is
// empty or cut off would be in the way of each later start.
package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file, in the place of one that is there already. The directory has to be there. What fails leaves all
// as it was; what is killed may leave a file beside it, whose name ends in ".unfinished".
func Write(path string, mode fs.FileMode, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.unfinished") // of mode 0600, whatever comes
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if d, err := os.Open(filepath.Dir(path)); err == nil { // so that the name survives a power cut too, where systems can do that
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}
