package badger_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/badger"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

func TestStoreKeepsTheContract(t *testing.T) {
	for _, sync := range []bool{false, true} {
		t.Run(fmt.Sprintf("Sync=%t", sync), func(t *testing.T) {
			dirs := map[persistence.Store]string{}
			start := func(t *testing.T, dir string) persistence.Store {
				s := open(t, dir, badger.Options{Sync: sync})
				dirs[s] = dir
				return s
			}
			persistencetest.Run(t,
				func(t *testing.T) persistence.Store { return start(t, t.TempDir()) },
				func(t *testing.T, s persistence.Store) persistence.Store {
					closeStore(t, s)
					return start(t, dirs[s])
				})
		})
	}
}

func TestOpenMakesTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := open(t, dir, badger.Options{})
	put(t, s, "k", "v")
	wantValue(t, s, "k", "v")
}

func TestOpenFailsInOneClearLine(t *testing.T) {
	taken := t.TempDir()
	open(t, taken, badger.Options{})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	readOnly := t.TempDir()
	if err := os.Chmod(readOnly, 0o500); err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "MANIFEST"), []byte("no manifest at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, dir string
		want      error
		text      string
		notAsRoot bool
	}{
		{name: "InUse", dir: taken, want: persistence.ErrInUse},
		{name: "AFile", dir: file, text: "is a file"},
		{name: "BelowAFile", dir: filepath.Join(file, "data"), text: "not a directory"},
		{name: "Unwritable", dir: readOnly, want: os.ErrPermission, text: "cannot write", notAsRoot: true},
		{name: "NoPlaceForIt", dir: filepath.Join(readOnly, "data"), want: os.ErrPermission, text: "cannot make", notAsRoot: true},
		{name: "Damaged", dir: damaged, text: "anifest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.notAsRoot && os.Geteuid() == 0 {
				t.Skip("the superuser may write anywhere")
			}
			_, err := badger.Open(test.dir, badger.Options{})
			if err == nil || (test.want != nil && !errors.Is(err, test.want)) {
				t.Fatalf("Open(%q) = %v, want %v", test.dir, err, test.want)
			}
			if text := err.Error(); !strings.Contains(text, test.dir) || !strings.Contains(text, test.text) || strings.Contains(text, "\n") {
				t.Errorf("Open(%q) = %q, want one line that names the directory and %q", test.dir, text, test.text)
			}
		})
	}
}

func TestClosedStoreCanBeOpenedAgain(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s := open(t, dir, badger.Options{})
		for j := range i {
			wantValue(t, s, fmt.Sprint("k", j), fmt.Sprint("v", j))
		}
		put(t, s, fmt.Sprint("k", i), fmt.Sprint("v", i))
		closeStore(t, s)
	}
}

func TestClosedStoreRefusesCalls(t *testing.T) {
	s := open(t, t.TempDir(), badger.Options{})
	put(t, s, "k", "v")
	closeStore(t, s)
	if got, err := s.Get([]byte("k")); err == nil {
		t.Errorf("Get() after Close = %q, nil, want an error", got)
	}
	if err := s.Load(nil, nil, func(_, _ []byte) error { return nil }); err == nil {
		t.Error("Load() after Close = nil, want an error")
	}
	var b persistence.Batch
	b.Put([]byte("k"), nil)
	if err := s.Commit(&b); err == nil {
		t.Error("Commit() after Close = nil, want an error")
	}
}

// A killed process leaves behind what the kernel holds of its files, which is what a copy of them sees.
func TestCommittedRecordsSurviveAKill(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	s := open(t, dir, badger.Options{})
	large := strings.Repeat("x", 1<<20+100)
	for i := range 100 {
		put(t, s, fmt.Sprintf("k/%02d", i), fmt.Sprint("v", i))
	}
	put(t, s, "large", large)
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	put(t, s, "k/00", "later")

	after := open(t, copied, badger.Options{})
	for i := range 100 {
		wantValue(t, after, fmt.Sprintf("k/%02d", i), fmt.Sprint("v", i))
	}
	wantValue(t, after, "large", large)
	put(t, after, "k/00", "goes on")
	wantValue(t, after, "k/00", "goes on")
}

func TestLargestBatchFits(t *testing.T) {
	for _, test := range []struct {
		name    string
		records int
		value   int // bytes of each value but the last, which takes the rest
	}{
		{"BothLimits", badger.MaxBatchOps, 100},
		{"MostOperationsOfOneByte", badger.MaxBatchOps, 1},
		{"OneValue", 1, 0},
		{"TwoValues", 2, 1<<20 + 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, t.TempDir(), badger.Options{})
			for round := range 2 { // in the second round the records that are there are replaced
				b := fullBatch(test.records, test.value, byte(round))
				if b.Size != badger.MaxBatchBytes || len(b.Ops) != test.records {
					t.Fatalf("the batch has %d bytes and %d operations, want %d and %d", b.Size, len(b.Ops), badger.MaxBatchBytes, test.records)
				}
				if err := s.Commit(b); err != nil {
					t.Fatalf("Commit(%d bytes, %d operations) = %v, want nil", b.Size, len(b.Ops), err)
				}
				for _, op := range []persistence.Op{b.Ops[0], b.Ops[len(b.Ops)-1]} {
					wantValue(t, s, string(op.Key), string(op.Value))
				}
			}
		})
	}
}

func fullBatch(records, value int, salt byte) *persistence.Batch {
	var b persistence.Batch
	for i := range records {
		key := binary.BigEndian.AppendUint64([]byte("m/"), uint64(i))
		size := value
		if i == records-1 {
			size = badger.MaxBatchBytes - b.Size - len(key)
		}
		body := make([]byte, size)
		for j := range body {
			body[j] = salt + byte(j>>10)
		}
		b.Put(key, body)
	}
	return &b
}

func TestRefusedBatchStoresNothingAndTheNextGoesOn(t *testing.T) {
	s := open(t, t.TempDir(), badger.Options{})
	put(t, s, "k", "before")
	for _, test := range []struct{ name, key, value string }{
		{"TooLarge", "large", strings.Repeat("x", 3<<20)},
		{"EmptyKey", "", "v"},
		{"LongKey", strings.Repeat("k", 70_000), "v"},
		{"KeyOfAPart", "\xffk\x01", "v"},
		{"KeyOfBadger", "!badger!x", "v"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b persistence.Batch
			b.Put([]byte("k"), []byte("refused"))
			b.Put([]byte(test.key), []byte(test.value))
			err := s.Commit(&b)
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("Commit(%.20q) = %v, want an error of one line", test.key, err)
			}
			wantValue(t, s, "k", "before")
		})
	}
	put(t, s, "k", "after")
	wantValue(t, s, "k", "after")
}

func BenchmarkCommit(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%t", sync), func(b *testing.B) {
			persistencetest.Benchmark(b, open(b, b.TempDir(), badger.Options{Sync: sync}))
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	const records = 20_000
	s := open(b, b.TempDir(), badger.Options{})
	body := strings.Repeat("x", 1024)
	for i := 0; i < records; i += 1000 {
		var batch persistence.Batch
		for j := range 1000 {
			batch.Put(fmt.Appendf(nil, "m/%08d", i+j), []byte(body))
		}
		if err := s.Commit(&batch); err != nil {
			b.Fatalf("Commit() = %v, want nil", err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Load([]byte("m/"), nil, func(_, _ []byte) error { return nil }); err != nil {
			b.Fatalf("Load() = %v, want nil", err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
}

// open opens a store that the test closes, if it has not been closed before.
func open(tb testing.TB, dir string, o badger.Options) *badger.Store {
	tb.Helper()
	o.OnError = func(err error) { tb.Errorf("OnError(%v), want no failure in the background", err) }
	s, err := badger.Open(dir, o)
	if err != nil {
		tb.Fatalf("Open(%q) = %v, want nil", dir, err)
	}
	tb.Cleanup(func() { closeStore(tb, s) })
	return s
}

func closeStore(tb testing.TB, s persistence.Store) {
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Errorf("Close() = %v, want nil", err)
	}
}

func put(tb testing.TB, s persistence.Store, key, value string) {
	tb.Helper()
	var b persistence.Batch
	b.Put([]byte(key), []byte(value))
	if err := s.Commit(&b); err != nil {
		tb.Fatalf("Commit(%.20q) = %v, want nil", key, err)
	}
}

func wantValue(tb testing.TB, s persistence.Store, key, want string) {
	tb.Helper()
	if got, err := s.Get([]byte(key)); err != nil || string(got) != want {
		tb.Errorf("Get(%.20q) = %.20q (%d bytes), %v, want %.20q (%d bytes)", key, got, len(got), err, want, len(want))
	}
}
