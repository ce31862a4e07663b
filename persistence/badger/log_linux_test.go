package badger

import (
	"fmt"
	"os"
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
	if err := unix.Stat(s.log.path(s.log.number), &named); err != nil || held.Ino != named.Ino {
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
				if err := flush(s.db); err != nil {
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
	s.log.close()
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

func TestWithoutSyncNoLogIsHeld(t *testing.T) {
	s := start(t, t.TempDir(), Options{})
	if err := put(s, "k", "1"); err != nil {
		t.Fatal(err)
	}
	if s.log.file != nil {
		t.Errorf("the store holds %s open, want nothing", s.log.file.Name())
	}
}
