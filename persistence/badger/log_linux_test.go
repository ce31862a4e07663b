package badger

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// wantNewestLog checks that the log that commits sync is the one that Badger writes to.
func wantNewestLog(t *testing.T, s *Store) {
	t.Helper()
	if got, want := fmt.Sprintf("%05d.mem", s.log.number), last(t, s.dir, "*.mem"); !strings.HasSuffix(want, "/"+got) {
		t.Fatalf("the log that is synced is %s, want %s", got, want)
	}
	var held, named unix.Stat_t
	if err := unix.Fstat(int(s.log.file.Fd()), &held); err != nil {
		t.Fatal(err)
	}
	if err := unix.Stat(filepath.Join(s.dir, logName(s.log.number)), &named); err != nil || held.Ino != named.Ino {
		t.Fatalf("the file that is synced is not the one of that name: %v", err)
	}
}

func TestCommitsSyncTheLogThatTheyAreWrittenTo(t *testing.T) {
	s := start(t, t.TempDir(), Options{Sync: true})
	first := s.log.number
	value := strings.Repeat("v", 1<<20)
	for i := range 50 { // three memtables
		if err := put(s, fmt.Sprintf("k%d", i), value); err != nil {
			t.Fatal(err)
		}
		wantNewestLog(t, s)
	}
	if s.log.number < first+2 {
		t.Errorf("50 MiB went into logs %d to %d, want at least three", first, s.log.number)
	}
}

func TestCommitsFollowLogsThatHaveComeAndGone(t *testing.T) {
	for flushes := range 4 {
		t.Run(fmt.Sprint(flushes), func(t *testing.T) {
			s := start(t, t.TempDir(), Options{Sync: true})
			if err := put(s, "before", "1"); err != nil {
				t.Fatal(err)
			}
			for range flushes {
				if err := s.flush(); err != nil {
					t.Fatal(err)
				}
			}
			if err := put(s, "after", "2"); err != nil {
				t.Fatal(err)
			}
			wantNewestLog(t, s)
		})
	}
}

// A reader keeps the log of the memtable that it reads, while the one that began after it goes.
func TestCommitsFollowALogThatCameAndWentDuringARead(t *testing.T) {
	s := start(t, t.TempDir(), Options{Sync: true})
	first := s.log.number
	for i := range memTableSize >> 20 { // so that the memtable is full
		if err := put(s, fmt.Sprintf("k%d", i), strings.Repeat("v", maxInline)); err != nil {
			t.Fatal(err)
		}
	}
	if s.log.number != first {
		t.Fatalf("the log is number %d, want %d still", s.log.number, first)
	}
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	it, err := iterate(txn, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	if err := put(s, "after", "2"); err != nil {
		t.Fatal(err)
	}
	wantNewestLog(t, s)
}

func TestOpenSyncsLogsThatAreLeftOver(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "00002.mem"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, "00001.mem")
	if err := os.Symlink(os.DevNull, left); err != nil { // which nothing can sync
		t.Fatal(err)
	}
	var l writtenLog
	defer l.close()
	if err := l.open(dir); err == nil || !strings.Contains(err.Error(), "log of commits") {
		t.Errorf("open() where an older log cannot be synced = %v, want an error that names the log", err)
	}
	if err := os.Remove(left); err != nil {
		t.Fatal(err)
	}
	if err := l.open(dir); err != nil || l.number != 2 {
		t.Errorf("open() = %v and takes log %d, want 2", err, l.number)
	}
}

// Whoever moves the directory of a running store away and starts another one in its place has two.
func TestCommitsAreSyncedWhereTheyAreWrittenThoughTheDirectoryIsRenamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, dir, Options{Sync: true})
	first, moved := s.log.number, dir+".moved"
	if err := errors.Join(os.Rename(dir, moved), os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, logName(first+1)), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := put(s, "k", "1"); err != nil {
		t.Fatal(err)
	}
	if s.log.number != first {
		t.Errorf("the log that is synced is number %d, want %d: another directory's is no successor", s.log.number, first)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(moved, dir)); err != nil {
		t.Fatal(err)
	}
	wantNewestLog(t, s)
}

func TestCommitToALogThatWasRemovedFails(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, Options{Sync: true})
	name := logName(s.log.number)
	if err := errors.Join(os.Remove(filepath.Join(dir, name)), os.WriteFile(filepath.Join(dir, name), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := put(s, "k", "1"); err == nil || !strings.Contains(err.Error(), "log of commits: it was removed") {
		t.Errorf("Commit() to a log that has no name = %v, want an error that says so", err)
	}
}

func TestFailedSyncIsAnErrorAndTheStoreGoesOn(t *testing.T) {
	s := start(t, t.TempDir(), Options{Sync: true})
	if err := put(s, "k", "1"); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe() // which nothing can sync
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := s.log.file.Close(); err != nil {
		t.Fatal(err)
	}
	s.log.file = r
	if err := put(s, "k", "2"); err == nil || !strings.Contains(err.Error(), "log of commits") {
		t.Errorf("Commit() whose sync fails = %v, want an error that names the log", err)
	}
	if err := put(s, "k", "3"); err != nil {
		t.Errorf("Commit() after a failed sync = %v, want nil", err)
	}
	wantNewestLog(t, s)
	if got, err := s.Get([]byte("k")); err != nil || string(got) != "3" {
		t.Errorf("Get() = %q, %v, want the last commit", got, err)
	}
}

func TestLogIsPavedAheadOfWhatIsWritten(t *testing.T) {
	s := start(t, t.TempDir(), Options{Sync: true})
	path := filepath.Join(s.dir, logName(s.log.number))
	for i := range 100 {
		value := strings.Repeat("v", i*i*30) // those from 24 on are too large to be paved for
		if err := errors.Join(put(s, fmt.Sprintf("large %d", i), value), put(s, fmt.Sprintf("small %d", i), "1")); err != nil {
			t.Fatal(err)
		}
		if i%10 != 9 {
			continue
		}
		l, err := readLog(path)
		if err != nil || !l.whole() || l.has.last-l.has.first+1 != 2*uint64(i+1) {
			t.Fatalf("after %d commits the log has those from %d to %d, and ends with a whole one: %t, %v", 2*(i+1), l.has.first, l.has.last, l.whole(), err)
		}
		hole, err := unix.Seek(int(s.log.file.Fd()), 0, unix.SEEK_HOLE)
		if ahead := hole - int64(l.end); err != nil || ahead < paveBelow/2 {
			t.Errorf("the log is paved %d bytes ahead, %v, want at least %d", ahead, err, paveBelow/2)
		}
	}
}

// Some file systems make holes of zeros that were written.
func TestPavingOverwritesNothingAndEndsWithTheLog(t *testing.T) {
	const size = 3*paveBy - 1000
	for _, written := range []int64{0, paveBy, paveBy + 5000, size - 2*page} { // where the log has something; the rest is holes
		file, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt([]byte("written"), written); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		l := writtenLog{file: file}
		for range 5 {
			l.pave()
		}
		if got, err := os.ReadFile(file.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("with something at %d, the log of %d bytes has %d and another content than before (%v)", written, size, len(got), err)
		}
		if l.ahead != math.MaxInt {
			t.Errorf("with something at %d, and %d bytes ahead, it is to be paved further, want never again", written, l.ahead)
		}
	}
}

func TestLogThatCannotBePavedTakesCommits(t *testing.T) {
	s := start(t, t.TempDir(), Options{Sync: true})
	file, err := s.log.log(s.log.number, unix.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.log.file.Close(); err != nil {
		t.Fatal(err)
	}
	s.log.file = file
	for i := range 3 {
		if err := put(s, "k", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Get([]byte("k")); err != nil || string(got) != "2" {
		t.Errorf("Get() = %q, %v, want the last commit", got, err)
	}
}

func TestWithoutSyncNoLogIsHeld(t *testing.T) {
	s := start(t, t.TempDir(), Options{})
	if err := put(s, "k", "1"); err != nil {
		t.Fatal(err)
	}
	if s.log.file != nil {
		t.Errorf("the store holds %s open, want nothing", s.log.file.Name())
	}
}
