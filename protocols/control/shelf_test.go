package control

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
)

// some gives records to a function, as Dump does.
func some(n int) dump {
	return func(fn func(key, value []byte) error) error {
		for i := range n {
			if err := fn(fmt.Appendf(nil, "k%d", i), fmt.Appendf(nil, "value %d", i)); err != nil {
				return err
			}
		}
		return nil
	}
}

func all(t *testing.T, s *shelf, name string) (records []string, err error) {
	t.Helper()
	from, err := s.open(name)
	if err != nil {
		t.Fatalf("open(%q) = %v", name, err)
	}
	err = from(func(key, value []byte) error {
		records = append(records, string(key)+"="+string(value))
		return nil
	})
	return records, err
}

func TestSnapshotsAreKeptAsTheyWere(t *testing.T) {
	s := &shelf{dir: t.TempDir()}
	head := snapshotShape{Name: "a", Taken: "then"}
	if err := s.write(&head, some(3)); err != nil {
		t.Fatal(err)
	}
	want := []string{"k0=value 0", "k1=value 1", "k2=value 2"}
	if got, err := all(t, s, "a"); err != nil || !cmp.Equal(got, want) {
		t.Errorf("on disk: %q, %v", got, err)
	}
	again := &shelf{dir: s.dir}
	if list, err := again.list(); err != nil || len(list) != 1 || list[0].Records != 3 || list[0].Taken != "then" || list[0].Kept != onDisk {
		t.Errorf("after a restart: %+v, %v", list, err)
	}
	if err := s.keep(&snapshotShape{Name: "a"}, some(1)); err != nil {
		t.Fatal(err)
	}
	if got, err := all(t, s, "a"); err != nil || !cmp.Equal(got, want[:1]) {
		t.Errorf("in memory instead: %q, %v", got, err)
	}
	if list, _ := s.list(); len(list) != 1 {
		t.Errorf("there are %+v, want the one in memory", list)
	}
}

func TestSnapshotThatFailsLeavesTheOldOne(t *testing.T) {
	s := &shelf{dir: t.TempDir()}
	if err := s.write(&snapshotShape{Name: "a"}, some(1)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	fails := func(func(key, value []byte) error) error { return broken }
	for _, take := range []func(*snapshotShape, dump) error{s.write, s.keep} {
		if err := take(&snapshotShape{Name: "a"}, fails); !errors.Is(err, broken) {
			t.Errorf("taking = %v, want the error of the dump", err)
		}
	}
	if got, err := all(t, s, "a"); err != nil || len(got) != 1 {
		t.Errorf("the old one: %q, %v", got, err)
	}
	if files, _ := os.ReadDir(s.dir); len(files) != 1 {
		t.Errorf("%d files are left, want 1", len(files))
	}
}

func TestDamagedSnapshotsAreRefused(t *testing.T) {
	s := &shelf{dir: t.TempDir()}
	if err := s.write(&snapshotShape{Name: "a"}, some(3)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.path("a"))
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(b []byte) []byte{
		"empty":          func([]byte) []byte { return nil },
		"not ours":       func(b []byte) []byte { b[0] = 'x'; return b },
		"cut":            func(b []byte) []byte { return b[:len(b)-9] },
		"changed":        func(b []byte) []byte { b[len(b)-8] ^= 1; return b },
		"endless length": func(b []byte) []byte { b[len(magic)+headSize] = 0xff; return b },
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(s.path("a"), damage(append([]byte(nil), whole...)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := all(t, s, "a"); err == nil || name != "empty" && !errors.Is(err, core.ErrDump) {
				t.Errorf("reading = %v, want ErrDump", err)
			}
		})
	}
}

func TestSnapshotsInMemoryAreBounded(t *testing.T) {
	s := &shelf{}
	for i := range keptMost {
		if err := s.keep(&snapshotShape{Name: fmt.Sprint("s", i)}, some(0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.keep(&snapshotShape{Name: "more"}, some(0)); err == nil {
		t.Errorf("keep() of one more than %d = nil, want an error", keptMost)
	}
	if err := s.keep(&snapshotShape{Name: "s0"}, some(3)); err != nil {
		t.Errorf("keep() in the place of another = %v", err)
	}
	if err := s.remove("s0"); err != nil || s.size != 0 {
		t.Errorf("remove() = %v, and %d bytes are counted, want 0", err, s.size)
	}
}

func TestWhatAKilledProcessWasWritingIsRemoved(t *testing.T) {
	s := &shelf{dir: t.TempDir()}
	if err := s.write(&snapshotShape{Name: "a"}, some(1)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "b.123"+unfinished), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := newShelf(s.dir)
	if files, _ := os.ReadDir(s.dir); len(files) != 1 {
		t.Errorf("%d files are left, want the snapshot alone", len(files))
	}
	if got, err := all(t, again, "a"); err != nil || len(got) != 1 {
		t.Errorf("the snapshot is %q, %v", got, err)
	}
}
