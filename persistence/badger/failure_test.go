package badger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluicemq/sluice/persistence"
)

// plenty is room enough for any compaction.
const plenty = 1 << 30

// disk is a directory whose free space the test sets.
type disk struct{ free atomic.Uint64 }

func (d *disk) measure(string) (uint64, bool) { return d.free.Load(), true }

func TestFullDiskRefusesCommitsUntilThereIsRoom(t *testing.T) {
	var d disk
	d.free.Store(plenty)
	s := start(t, t.TempDir(), Options{free: d.measure})
	for _, test := range []struct {
		name  string
		free  uint64
		value int
		want  error
	}{
		{"NoRoom", 0, 100, persistence.ErrFull},
		{"ReserveOnly", reserve, 100, persistence.ErrFull},
		{"RoomForTwiceTheBatch", reserve + 2*101, 100, nil},
		{"OneByteLess", reserve + 2*101 - 1, 100, persistence.ErrFull},
		{"Plenty", plenty, 100, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := put(s, "k", "before"); err != nil {
				t.Fatalf("Commit() = %v, want nil", err)
			}
			d.free.Store(test.free)
			want := strings.Repeat("x", test.value)
			err := put(s, "k", want)
			if !errors.Is(err, test.want) {
				t.Errorf("Commit(%d bytes) with %d free = %v, want %v", test.value, test.free, err, test.want)
			}
			if err != nil {
				want = "before"
			}
			if got, err := s.Get([]byte("k")); err != nil || string(got) != want {
				t.Errorf("Get() = %q, %v, want %q", got, err, want)
			}
		})
		d.free.Store(plenty)
	}
}

func TestOpenOnAFullDiskFails(t *testing.T) {
	var d disk
	dir := t.TempDir()
	if _, err := Open(dir, Options{free: d.measure}); !errors.Is(err, persistence.ErrFull) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open() on a full disk = %v, want ErrFull with the directory", err)
	}
}

func TestRoomNeededGrowsWithTheTablesUpToABound(t *testing.T) {
	for _, test := range []struct {
		name   string
		size   int
		tables uint64
		want   uint64
	}{
		{"NothingStored", 0, 0, 64 << 20},
		{"TwiceTheBatch", 1 << 20, 0, 66 << 20},
		{"TablesAndWhatIsInMemory", 0, 100 << 20, 142 << 20},
		{"NoMoreThanTheBound", 0, 100 << 30, 554 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := needed(test.size, test.tables); got != test.want {
				t.Errorf("needed(%d, %d) = %d, want %d", test.size, test.tables, got, test.want)
			}
		})
	}
}

func TestFreeSpaceIsTrueOrUnknown(t *testing.T) {
	if bytes, known := freeSpace(t.TempDir()); known && bytes == 0 {
		t.Errorf("freeSpace() = 0 bytes, known, want some or unknown")
	}
	if bytes, known := freeSpace(filepath.Join(t.TempDir(), "missing")); known {
		t.Errorf("freeSpace() of a missing directory = %d, known, want unknown", bytes)
	}
}

// startObstructed opens a store that holds a record k, "before". A directory in the place of its file stops Badger from
// making the next memtable, as would a lack of file descriptors.
func startObstructed(t *testing.T) (s *Store, obstacle string) {
	t.Helper()
	dir := t.TempDir()
	s = start(t, dir, Options{})
	if err := put(s, "k", "before"); err != nil {
		t.Fatalf("Commit() = %v, want nil", err)
	}
	obstacle = filepath.Join(dir, "00002.mem")
	if err := os.Mkdir(obstacle, 0o700); err != nil {
		t.Fatal(err)
	}
	return s, obstacle
}

// Badger alone would end the process at the next write, or at a read.
func TestStoreGoesOnAfterAWriteFailedInsideBadger(t *testing.T) {
	s, obstacle := startObstructed(t)
	stored, failure := fill(t, s)
	if _, err := s.Get([]byte("k")); err == nil {
		t.Errorf("Get() between failure and repair = nil, want an error")
	}
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	if err := put(s, "k", "after"); err != nil {
		t.Fatalf("Commit() once the cause of %q is gone = %v, want nil", failure, err)
	}
	if got, err := s.Get([]byte("k")); err != nil || string(got) != "after" {
		t.Errorf("Get() = %q, %v, want after", got, err)
	}
	if got := count(t, s, "fill/"); got != stored {
		t.Errorf("%d records are stored, want the %d whose commits succeeded", got, stored)
	}
}

// Who reads what is stored before anything else would wait for ever for a commit to open Badger again.
func TestRefusedReadHasTheStoreMended(t *testing.T) {
	s, obstacle := startObstructed(t)
	stored, _ := fill(t, s)
	waitMended(s)
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get([]byte("k")); err == nil {
		t.Fatal("Get() before the store is mended = nil, want an error")
	}
	waitMended(s)
	if got, err := s.Get([]byte("k")); err != nil || string(got) != "before" {
		t.Errorf("Get() after one that failed = %q, %v, want before", got, err)
	}
	if got := count(t, s, "fill/"); got != stored {
		t.Errorf("%d records are stored, want the %d whose commits succeeded", got, stored)
	}
}

func waitMended(s *Store) {
	for s.mending.Load() {
		runtime.Gosched()
	}
}

func TestDirectoryThatWasReplacedIsNotTakenForAnEmptyStore(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, Options{})
	if err := put(s, "k", "1"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	s.fail(errors.New("a write failed"))
	for range 2 {
		if err := put(s, "k", "2"); err == nil || !strings.Contains(err.Error(), "replaced") {
			t.Errorf("Commit() in a directory that was replaced = %v, want an error that says so", err)
		}
	}
	if _, err := s.Get([]byte("k")); err == nil || errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("Get() in a directory that was replaced = %v, want an error", err)
	}
}

// fill commits, while others read, until a commit fails, and returns how many did not.
func fill(t *testing.T, s *Store) (stored int, failure error) {
	t.Helper()
	var readers sync.WaitGroup
	defer readers.Wait()
	stop := make(chan struct{})
	defer close(stop)
	for range 2 {
		readers.Go(func() { readUntil(s, stop) })
	}
	body := strings.Repeat("x", 1<<20-100)
	for i := range 2 * memTableSize >> 20 {
		if err := put(s, fmt.Sprintf("fill/%04d", i), body); err != nil {
			return i, err
		}
	}
	t.Fatal("no commit failed, though Badger cannot make a second memtable")
	return 0, nil
}

func readUntil(s *Store, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
			_, _ = s.Get([]byte("k"))
			_ = s.Load([]byte("k"), nil, func(_, _ []byte) error { return nil })
		}
	}
}

func TestPartsOfLargeValuesAreDeletedWithThem(t *testing.T) {
	const long, longer = maxInline + 1, 2*maxInline + 1
	for _, test := range []struct {
		name  string
		sizes []int // of successive values of one key in one batch each; -1 deletes
		want  int   // parts at the end
	}{
		{"OneByteTooLong", []int{long}, 1},
		{"Inline", []int{maxInline}, 0},
		{"TwoParts", []int{longer}, 2},
		{"Deleted", []int{longer, -1}, 0},
		{"ReplacedByAShortOne", []int{long, 5}, 0},
		{"ReplacedByFewerParts", []int{longer, long}, 1},
		{"ReplacedByMoreParts", []int{long, longer}, 2},
		{"BackAgain", []int{long, -1, longer, 0, long}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			s := start(t, dir, Options{})
			for _, size := range test.sizes {
				if err := s.Commit(resize(size)); err != nil {
					t.Fatalf("Commit(%d bytes) = %v, want nil", size, err)
				}
			}
			wantParts(t, s, test.want)
			stopStore(t, s)
			wantParts(t, start(t, dir, Options{}), test.want)
		})
	}
}

func TestPartsOfAValueReplacedWithinItsBatchAreDeleted(t *testing.T) {
	s := start(t, t.TempDir(), Options{})
	b := resize(maxInline + 1)
	b.Put([]byte("k"), []byte("short"))
	if err := s.Commit(b); err != nil {
		t.Fatalf("Commit() = %v, want nil", err)
	}
	wantParts(t, s, 0)
}

// What a process leaves that dies between a commit and the deletion of the parts that it made stale.
func TestOpenDeletesPartsOfNothing(t *testing.T) {
	for _, sync := range []bool{false, true} {
		t.Run(fmt.Sprint("Sync=", sync), func(t *testing.T) { deletePartsOfNothing(t, Options{Sync: sync}) })
	}
}

func deletePartsOfNothing(t *testing.T, o Options) {
	dir := t.TempDir()
	s := start(t, dir, o)
	if err := s.Commit(resize(maxInline + 1)); err != nil {
		t.Fatalf("Commit() = %v, want nil", err)
	}
	txn := s.db.NewTransaction(true)
	for _, key := range [][]byte{partKey([]byte("gone"), 1), partKey([]byte("k"), 2)} {
		if err := txn.Set(key, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := txn.Commit(); err != nil {
		t.Fatal(err)
	}
	stopStore(t, s)
	wantParts(t, start(t, dir, o), 1)
}

func TestNothingIsEverInTheValueLog(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, Options{})
	for _, size := range []int{maxInline - 1, maxInline, maxInline + 1, 2*maxInline + 1} {
		if err := s.Commit(resize(size)); err != nil {
			t.Fatalf("Commit(%d bytes) = %v, want nil", size, err)
		}
	}
	stopStore(t, s)
	logs, err := filepath.Glob(filepath.Join(dir, "*.vlog"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("Glob() = %v, %v, want the value log's files", logs, err)
	}
	for _, log := range logs {
		if info, err := os.Stat(log); err != nil || info.Size() > 1024 {
			t.Errorf("%s has %d bytes after Close (%v), want only its header", log, info.Size(), err)
		}
	}
}

func resize(size int) *persistence.Batch {
	var b persistence.Batch
	if size < 0 {
		b.Delete([]byte("k"))
	} else {
		b.Put([]byte("k"), make([]byte, size))
	}
	return &b
}

func wantParts(t *testing.T, s *Store, want int) {
	t.Helper()
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	it, err := iterate(txn, []byte{partMark})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	got := 0
	for it.Rewind(); it.Valid(); it.Next() {
		got++
	}
	if got != want || s.split["k"] != want {
		t.Errorf("%d parts are stored and %d known, want %d", got, s.split["k"], want)
	}
}

func start(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatalf("Open(%q) = %v, want nil", dir, err)
	}
	t.Cleanup(func() { stopStore(t, s) })
	return s
}

func stopStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
}

func put(s *Store, key, value string) error {
	var b persistence.Batch
	b.Put([]byte(key), []byte(value))
	return s.Commit(&b)
}

func count(t *testing.T, s *Store, prefix string) int {
	t.Helper()
	records := 0
	err := s.Load([]byte(prefix), nil, func(_, _ []byte) error { records++; return nil })
	if err != nil {
		t.Fatalf("Load(%q) = %v, want nil", prefix, err)
	}
	return records
}
