//go:build unix

package bench

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// diskOf returns the bytes that the files of a directory take on disk. Stores reserve files larger than what they
// have written. Files may go while it looks.
func diskOf(dir string) (bytes int64, known bool) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return gone(err)
		}
		info, err := d.Info()
		if err != nil {
			return gone(err)
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			bytes += s.Blocks * blockSize
		}
		return nil
	})
	return bytes, err == nil && dir != ""
}

// blockSize is the unit of st_blocks, whatever the blocks of the file system are.
const blockSize = 512

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
