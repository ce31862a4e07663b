//go:build linux || darwin

package badger

import "golang.org/x/sys/unix"

// freeSpace returns the bytes that an unprivileged process may still write in dir. Some network and user-space file
// systems report no size at all: then it is not known.
func freeSpace(dir string) (bytes uint64, known bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Blocks == 0 {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}
