package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// syncsItself says that Commit makes the log durable itself. Badger's SyncWrites syncs two files at each commit, its log
// and a value log that is always empty here, and either costs a flush of the disk's cache: 270 µs where one takes 185.
// On Linux an fsync covers what was written through a mapping, which is how Badger writes.
const syncsItself = true

// logSuffix ends the names of the logs of Badger's memtables.
const logSuffix = ".mem"

// errRemoved is of a log that has no name any more: what it holds is lost with the process.
var errRemoved = errors.New("it was removed")

// writtenLog is the log that Badger appends commits to, the one of the current memtable. Logs are numbered through. A new
// one begins with the commit that did not fit into the memtable before it, so no commit is in two.
type writtenLog struct {
	dir    *os.File // a handle, so that it stays this directory whatever becomes of its name
	number int
	file   *os.File
	next   string // name of the log after it
}

// open finds the log that Badger writes to when nobody commits: the newest. It syncs those before it. They may hold what
// nothing has synced, because a process was killed before it did or ran without: a power cut would leave a gap in front
// of commits that were synced, and Open takes a gap for damage.
func (l *writtenLog) open(path string) error {
	l.close()
	dir, err := os.Open(path)
	if err != nil {
		return logFailure(err)
	}
	l.dir = dir
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return logFailure(err)
	}
	var numbers []int
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), logSuffix)
		if n, err := strconv.Atoi(name); is && err == nil {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return logFailure(fs.ErrNotExist)
	}
	slices.Sort(numbers)
	newest := len(numbers) - 1
	for _, n := range numbers[:newest] {
		if err := l.syncOlder(n); err != nil {
			return err
		}
	}
	return l.take(numbers[newest])
}

// syncOlder syncs a log that Badger may be about to remove, once a table has what it holds.
func (l *writtenLog) syncOlder(number int) error {
	file, err := l.log(number)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return errors.Join(synced(file), file.Close())
}

// take makes the log of a number the one that is synced. Its name has to be on the disk as well.
func (l *writtenLog) take(number int) error {
	file, err := l.log(number)
	if err != nil {
		return err
	}
	if l.file != nil {
		_ = l.file.Close() // it was only read
	}
	l.number, l.file, l.next = number, file, logName(number+1)
	if err := l.dir.Sync(); err != nil {
		return logFailure(err)
	}
	return nil
}

// log opens the log of a number.
func (l *writtenLog) log(number int) (*os.File, error) {
	name := logName(number)
	for {
		fd, err := unix.Openat(int(l.dir.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), name), nil
		case !errors.Is(err, unix.EINTR):
			return nil, logFailure(err)
		}
	}
}

func logName(number int) string { return fmt.Sprintf("%05d%s", number, logSuffix) }

// sync returns when the disk has all commits so far. No commit may run meanwhile.
func (l *writtenLog) sync() error {
	if err := l.catchUp(); err != nil {
		return err
	}
	return synced(l.file)
}

// catchUp goes on to the log that Badger writes to now. A commit begins one log at most, and that one stays until the next
// has begun: so a log that is there and has no successor is the one. What begins more of them calls open.
func (l *writtenLog) catchUp() error {
	for unix.Faccessat(int(l.dir.Fd()), l.next, unix.F_OK, 0) == nil {
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
		return logFailure(errRemoved)
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
	for _, f := range []*os.File{l.file, l.dir} {
		if f != nil {
			_ = f.Close() // it was only read
		}
	}
	*l = writtenLog{}
}

func logFailure(err error) error {
	return fmt.Errorf("log of commits: %w", reason(err))
}
