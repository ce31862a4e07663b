package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// syncsItself says that Commit makes the log durable itself. Badger's SyncWrites syncs two files at each commit, its log
// and a value log that is always empty here, and either costs a flush of the disk's cache: 310 µs where one costs 190.
// On Linux an fsync covers what was written through a mapping, which is how Badger writes.
const syncsItself = true

// logSuffix ends the names of the logs of Badger's memtables.
const logSuffix = ".mem"

// writtenLog is the log that Badger appends commits to, the one of the current memtable. Logs are numbered through. A new
// one begins with the commit that did not fit into the memtable before it, so no commit is in two.
type writtenLog struct {
	dir    string
	number int
	file   *os.File
	next   string // path of the log after it
}

// open finds the log of a Badger that was just opened: the newest.
func (l *writtenLog) open(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return logFailure(err)
	}
	newest := -1
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), logSuffix)
		if n, err := strconv.Atoi(name); is && err == nil {
			newest = max(newest, n)
		}
	}
	if newest < 0 {
		return logFailure(fs.ErrNotExist)
	}
	l.dir = dir
	return l.take(newest)
}

// take makes the log of a number the one that is synced. Its name has to be on the disk as well.
func (l *writtenLog) take(number int) error {
	l.close()
	file, err := os.Open(l.path(number))
	if err != nil {
		return logFailure(err)
	}
	l.number, l.file, l.next = number, file, l.path(number+1)
	dir, err := os.Open(l.dir)
	if err != nil {
		return logFailure(err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return logFailure(err)
	}
	return nil
}

func (l *writtenLog) path(number int) string {
	return filepath.Join(l.dir, fmt.Sprintf("%05d%s", number, logSuffix))
}

// sync returns when the disk has all commits so far. No commit may run meanwhile.
func (l *writtenLog) sync() error {
	if err := l.catchUp(); err != nil {
		return err
	}
	return synced(l.file)
}

// catchUp goes on to the log that Badger writes to now. It removes them oldest first, and none before there is a next one:
// a log that is there and has no successor is the one.
func (l *writtenLog) catchUp() error {
	for unix.Access(l.next, unix.F_OK) == nil {
		if err := synced(l.file); err != nil {
			return err
		}
		if err := l.take(l.number + 1); err != nil {
			return err
		}
	}
	var s unix.Stat_t
	if err := unix.Fstat(int(l.file.Fd()), &s); err != nil {
		return logFailure(err)
	}
	if s.Nlink == 0 {
		return l.open(l.dir)
	}
	return nil
}

// synced returns when the disk has what the file holds, and its size.
func synced(file *os.File) error {
	for {
		switch err := unix.Fdatasync(int(file.Fd())); {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EINTR):
			return logFailure(err)
		}
	}
}

// close lets go of the log, which has been synced or never will be.
func (l *writtenLog) close() {
	if l.file != nil {
		_ = l.file.Close() // it was only read
		l.file = nil
	}
}

func logFailure(err error) error {
	return fmt.Errorf("log of commits: %w", reason(err))
}
