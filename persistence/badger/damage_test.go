package badger

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/persistence"
)

// perStage is how many commits each stage of an image makes.
const perStage = 10

// image is what a killed process leaves: two tables, a log with commits that are in no table, and what else there is.
// Every commit is two records, so that half a commit shows.
func image(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for stage := range 2 {
		s := start(t, dir, Options{})
		commitStage(t, s, stage)
		stopStore(t, s)
	}
	s := start(t, dir, Options{})
	commitStage(t, s, 2)
	killed := t.TempDir()
	write(t, killed, filesOf(t, dir))
	if err := os.Truncate(last(t, killed, "*.vlog"), logHeader); err != nil { // 128 MiB of zeros would be read for each test
		t.Fatal(err)
	}
	return killed
}

func commitStage(t *testing.T, s *Store, stage int) {
	t.Helper()
	for i := range perStage {
		if err := putPair(s, stage*perStage+i); err != nil {
			t.Fatalf("Commit() = %v, want nil", err)
		}
	}
}

// pair is the value of both records of a commit. It is of 2 to 3 KiB, so that commits straddle pages.
func pair(i int) string { return strings.Repeat(fmt.Sprintf("%03d ", i), 500+20*i%250) }

func putPair(s *Store, i int) error {
	var b persistence.Batch
	b.Put(fmt.Appendf(nil, "a/%03d", i), []byte(pair(i)))
	b.Put(fmt.Appendf(nil, "b/%03d", i), []byte(pair(i)))
	return s.Commit(&b)
}

// wantPairs checks that the commits before n are there, whole, and none from most on; and that the store takes more.
func wantPairs(t *testing.T, s *Store, n, most int) {
	t.Helper()
	for i := range most + 1 {
		a, errA := s.Get(fmt.Appendf(nil, "a/%03d", i))
		b, errB := s.Get(fmt.Appendf(nil, "b/%03d", i))
		there := errA == nil && errB == nil
		if there && (string(a) != pair(i) || string(b) != pair(i)) || !there && (!errors.Is(errA, persistence.ErrNotFound) || !errors.Is(errB, persistence.ErrNotFound)) {
			t.Errorf("commit %d is %.20q (%v) and %.20q (%v), want all of it or nothing", i, a, errA, b, errB)
		}
		if there != (i < n) && (i < n || i >= most) {
			t.Errorf("commit %d is there: %v, want those before %d and none from %d on", i, there, n, most)
		}
	}
	if err := put(s, "k", "after"); err != nil {
		t.Errorf("Commit() = %v, want nil", err)
	}
}

// file is a file without the zeros at its end.
type file struct {
	content []byte
	size    int64
}

// filesOf reads a directory.
func filesOf(t *testing.T, dir string) map[string]file {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]file{}
	for _, e := range entries {
		content, size, err := readUsed(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = file{content, size}
	}
	return files
}

// write makes the files in a directory, with holes where there are zeros at their ends.
func write(t *testing.T, dir string, files map[string]file) {
	t.Helper()
	for name, f := range files {
		writeSparse(t, filepath.Join(dir, name), f.content, f.size)
	}
}

func writeSparse(t *testing.T, path string, content []byte, size int64) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// edit changes the part of a file that is in use, and keeps its size unless cut is set.
func edit(change func(content []byte) []byte, cut bool) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		content, size, err := readUsed(path)
		if err != nil {
			t.Fatal(err)
		}
		content = change(content)
		if cut {
			size = int64(len(content))
		}
		writeSparse(t, path, content, size)
	}
}

// flip changes a bit at a part of the way through a file.
func flip(part float64) func(*testing.T, string) {
	return edit(func(content []byte) []byte {
		content[int(part*float64(len(content)-1))] ^= 0x10
		return content
	}, false)
}

// cut leaves a part of a file.
func cut(part float64) func(*testing.T, string) {
	return edit(func(content []byte) []byte { return content[:int(part*float64(len(content)))] }, true)
}

// wipe overwrites a page of a file, counted in bytes from its start or, if negative, from its end.
func wipe(from int, with byte) func(*testing.T, string) {
	return edit(func(content []byte) []byte {
		if from < 0 {
			from += len(content)
		}
		page := content[from:min(from+4096, len(content))]
		copy(page, bytes.Repeat([]byte{with}, len(page)))
		return content
	}, false)
}

func add(bytes ...byte) func(*testing.T, string) {
	return edit(func(content []byte) []byte { return append(content, bytes...) }, false)
}

func addAtEnd(bytes ...byte) func(*testing.T, string) {
	return edit(func(content []byte) []byte { return append(content, bytes...) }, true)
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func empty(t *testing.T, path string) {
	t.Helper()
	writeSparse(t, path, nil, 0)
}

// TestDamageIsReportedAtOpen does to each kind of file what disks and people do.
func TestDamageIsReportedAtOpen(t *testing.T) {
	original := filesOf(t, image(t))
	for _, test := range []struct {
		file   string // a pattern; the last match is damaged
		name   string
		damage func(*testing.T, string)
	}{
		{"*.mem", "a bit in the first record", flip(0.01)},
		{"*.mem", "a bit in the middle", flip(0.5)},
		{"*.mem", "a page of zeros at the start", wipe(0, 0)},
		{"*.mem", "a page of zeros in the middle", wipe(8192, 0)},
		{"*.mem", "a page of ones in the middle", wipe(8192, 0xFF)},
		{"*.mem", "cut off in the middle", cut(0.5)},
		{"*.sst", "a bit in the first block", flip(0.01)},
		{"*.sst", "a bit in the middle", flip(0.5)},
		{"*.sst", "a bit in the last block", flip(0.95)},
		{"*.sst", "a bit in the checksum", flip(0.999)},
		{"*.sst", "ones at the end", wipe(-16, 0xFF)},
		{"*.sst", "a page of zeros", wipe(4096, 0)},
		{"*.sst", "cut off in the middle", cut(0.5)},
		{"*.sst", "cut to three bytes", edit(func(c []byte) []byte { return c[:3] }, true)},
		{"*.sst", "empty", empty},
		{"*.sst", "missing", remove},
		{"MANIFEST", "a bit at the start", flip(0)},
		{"MANIFEST", "a bit in the middle", flip(0.5)},
		{"MANIFEST", "a bit at the end", flip(1)},
		{"MANIFEST", "cut off in the last record", cut(0.97)},
		{"MANIFEST", "empty", empty},
		{"MANIFEST", "missing", remove},
		{"KEYREGISTRY", "a bit in the middle", flip(0.7)},
		{"KEYREGISTRY", "cut off", cut(0.7)},
		{"KEYREGISTRY", "empty", empty},
	} {
		t.Run(test.file+" "+test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, original)
			path := last(t, dir, test.file)
			test.damage(t, path)
			before := stateOf(t, dir)
			s, err := Open(dir, Options{})
			if err == nil {
				stopStore(t, s)
				t.Fatal("Open() = nil, want an error")
			}
			if !errors.Is(err, persistence.ErrDamaged) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Open() = %q, want one line of ErrDamaged that names %s", err, path)
			}
			if after := stateOf(t, dir); after != before {
				t.Errorf("the directory was changed from\n%s to\n%s", before, after)
			}
		})
	}
}

// TestWhatAKillLeavesIsNoDamage has what looks like damage and is not, and what of damage does no harm.
func TestWhatAKillLeavesIsNoDamage(t *testing.T) {
	original := filesOf(t, image(t))
	const all = 3 * perStage
	for _, test := range []struct {
		file, name string
		damage     func(*testing.T, string)
		kept       int
	}{
		{"*.mem", "half a record behind the last one", add(64, 0, 14, 200, 10, 0, 'a'), all},
		{"*.mem", "a commit that never ended", wipe(-40, 0), all - 1},
		{"*.mem", "a commit with a page that was never written", wipe(-4100, 0), all - 1},
		{"*.mem", "a commit with a page of something else", wipe(-4100, 0xA5), all - 1},
		{"MANIFEST", "half a record behind the last one", addAtEnd(0, 0, 0, 20, 1, 2, 3), all},
		{"KEYREGISTRY", "missing", remove, all},
		{"*.vlog", "missing", remove, all},
		{"*.vlog", "cut off in its header", cut(0.5), all},
		{"*.vlog", "something behind its header", add(1, 2, 3, 4, 5, 6, 7, 8), all},
		{"DISCARD", "missing", remove, all},
		{"DISCARD", "empty", empty, all},
		{"DISCARD", "ones", wipe(0, 0xFF), all},
		{"LOCK", "missing", remove, all},
	} {
		t.Run(test.file+" "+test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, original)
			path := last(t, dir, test.file)
			test.damage(t, path)
			writeSparse(t, filepath.Join(dir, "000099.sst"), []byte("half a table"), 1<<20)
			wantPairs(t, start(t, dir, Options{}), test.kept, test.kept)
		})
	}
}

// TestAdviceOnADamagedLogWorks does what the error says: the log is cut before the damage, and what came first is there.
func TestAdviceOnADamagedLogWorks(t *testing.T) {
	dir := image(t)
	path := last(t, dir, "*.mem")
	flip(0.5)(t, path)
	_, err := Open(dir, Options{})
	if err == nil {
		t.Fatal("Open() = nil, want an error")
	}
	var size int64
	_, advice, _ := strings.Cut(err.Error(), "cut it to ")
	if _, err := fmt.Sscanf(advice, "%d bytes", &size); err != nil {
		t.Fatalf("Open() = %q, want the size to cut the log to", err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	wantPairs(t, start(t, dir, Options{}), 2*perStage+3, 3*perStage-3)
}

// TestOlderLogThatIsNotCompleteIsDamaged: only the newest log can have been cut short by the end of its process.
func TestOlderLogThatIsNotCompleteIsDamaged(t *testing.T) {
	dir := image(t)
	path := last(t, dir, "*.mem")
	ends := commitEnds(t, path)
	content, size, err := readUsed(path)
	if err != nil {
		t.Fatal(err)
	}
	older, newer := content[:ends[5]-100], slices.Concat(content[:logHeader], content[ends[5]:])
	writeSparse(t, path, older, size)
	writeSparse(t, filepath.Join(dir, "00098.mem"), newer, size)
	if _, err := Open(dir, Options{}); !errors.Is(err, persistence.ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("Open() = %v, want ErrDamaged about %s", err, path)
	}
}

// commitEnds returns where each commit in a log ends.
func commitEnds(t *testing.T, path string) []int {
	t.Helper()
	content, _, err := readUsed(path)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int
	for at := logHeader; at < len(content); {
		r, ok := parseRecord(content[at:])
		if !ok {
			t.Fatalf("there is no record at byte %d of %s", at, path)
		}
		at += r.size
		if r.flags&flagEndCommit != 0 {
			ends = append(ends, at)
		}
	}
	if len(ends) != perStage {
		t.Fatalf("%s has %d commits, want %d", path, len(ends), perStage)
	}
	return ends
}

// TestPowerCutKeepsWhatWasSynced builds what a disk may hold after the power was cut while the commit behind a synced
// one was written: each sector that is new since then is there, or is not, or holds something else. Nothing that was
// answered is lost, and what was not is there as a whole or not at all. Most of the cuts only go as far as the look at
// the log, since to open Badger takes a tenth of a second.
func TestPowerCutKeepsWhatWasSynced(t *testing.T) {
	const cuts, opened = 600, 3
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := image(t)
	original := filesOf(t, dir)
	path := last(t, dir, "*.mem")
	ends := commitEnds(t, path)
	content, size, err := readUsed(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range cuts {
		synced := rng.IntN(perStage - 1)
		torn := cutPower(rng, content, ends[synced], ends[synced+1])
		l := &memLog{path: path, size: size, content: bytes.TrimRight(torn, "\x00"), end: logHeader}
		if err := l.check(); err != nil || l.end != ends[synced] && l.end != ends[synced+1] {
			t.Fatalf("cut %d behind commit %d, which ends at byte %d: the log ends at %d, %v", i, synced, ends[synced], l.end, err)
		}
		if i%(cuts/opened) != 0 {
			continue
		}
		dir := t.TempDir()
		write(t, dir, original)
		writeSparse(t, filepath.Join(dir, filepath.Base(path)), torn, size)
		wantPairs(t, start(t, dir, Options{Sync: true}), 2*perStage+synced+1, 2*perStage+synced+2)
	}
}

// TestUnreadableLengthsAtTheEndOfALog: Badger alone refuses to open such a log, or asks for 4 GiB of memory.
func TestUnreadableLengthsAtTheEndOfALog(t *testing.T) {
	for name, tail := range map[string][]byte{
		"no number": bytes.Repeat([]byte{0xFF}, 40),
		"4 GiB":     {64, 0, 14, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0, 'a'},
	} {
		t.Run(name, func(t *testing.T) {
			dir := image(t)
			add(tail...)(t, last(t, dir, "*.mem"))
			wantPairs(t, start(t, dir, Options{}), 3*perStage, 3*perStage)
		})
	}
}

// cutPower returns what is left of a log of which the first bytes, as many as synced, are safe.
func cutPower(rng *rand.Rand, content []byte, synced, written int) []byte {
	const sector = 512
	torn := slices.Clone(content[:written])
	for at := synced; at < len(torn); at = (at/sector + 1) * sector {
		lose(rng, torn[at:min(len(torn), (at/sector+1)*sector)])
	}
	return torn
}

// lose does to a sector that was not synced what a power cut does.
func lose(rng *rand.Rand, sector []byte) {
	switch rng.IntN(3) {
	case 0: // it was written
	case 1:
		clear(sector)
	default:
		for i := range sector {
			sector[i] = byte(rng.Uint32())
		}
	}
}

// stateOf tells the sizes of all files and when they were changed.
func stateOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, e.Name(), info.Size(), info.ModTime())
	}
	return b.String()
}

func last(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no %s in %s (%v): Badger writes other files now, and this test is to follow", pattern, dir, err)
	}
	slices.Sort(found)
	return found[len(found)-1]
}
