package persistencetest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
)

func (s suite) testGet(t *testing.T) {
	store := s.start(t)
	wantNothing(t, store, "k")
	commit(t, store, "k=v", "kk=w", "empty=")
	wantContents(t, store, "empty=", "k=v", "kk=w")
	wantNothing(t, store, "kkk")
	commit(t, store, "-k")
	wantNothing(t, store, "k")
}

func (s suite) testCommit(t *testing.T) {
	for _, test := range []struct {
		name  string
		first []change
		then  []change
		want  []string
	}{
		{name: "AnEmptyBatchChangesNothing", first: []change{"a=1"}, want: []string{"a=1"}},
		{name: "ALaterCommitWins", first: []change{"a=1"}, then: []change{"a=2"}, want: []string{"a=2"}},
		{name: "OfTwoPutsTheLaterWins", then: []change{"a=1", "a=2"}, want: []string{"a=2"}},
		{name: "PutThenDeleteRemoves", then: []change{"a=1", "-a"}},
		{name: "DeleteThenPutSets", first: []change{"a=1"}, then: []change{"-a", "a=2"}, want: []string{"a=2"}},
		{name: "DeletingWhatIsMissingIsFine", first: []change{"a=1"}, then: []change{"-b"}, want: []string{"a=1"}},
		{name: "AnEmptyValueIsAValue", first: []change{"a=1"}, then: []change{"a="}, want: []string{"a="}},
		{name: "ADeletedKeyCanComeBack", first: []change{"a=1", "-a"}, then: []change{"a=3"}, want: []string{"a=3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := s.start(t)
			commit(t, store, test.first...)
			commit(t, store, test.then...)
			wantContents(t, store, test.want...)
		})
	}
}

func (s suite) testLoad(t *testing.T) {
	store := s.start(t)
	commit(t, store, "m/2=b", "m/10=a", "m=x", "n/1=y", "m/\xff=c", "m/\x00=0", "a=1", "m0=z")
	commit(t, store, "-m0")
	m := []string{"m/\x00=0", "m/10=a", "m/2=b", "m/\xff=c"}
	for _, test := range []struct {
		name, prefix, from string
		want               []string
	}{
		{"Everything", "", "", append(append([]string{"a=1", "m=x"}, m...), "n/1=y")},
		{"APrefix", "m/", "", m},
		{"FromAKeyThatIsThere", "m/", "m/2", m[2:]},
		{"FromAKeyThatIsMissing", "m/", "m/11", m[2:]},
		{"FromBeforeThePrefix", "m/", "a", m},
		{"FromAfterThePrefix", "m/", "n", nil},
		{"FromWithoutAPrefix", "", "m/\xff", []string{"m/\xff=c", "n/1=y"}},
		{"AWholeKeyAsPrefix", "n/1", "", []string{"n/1=y"}},
		{"APrefixOfNothing", "zz", "", nil},
		{"APrefixOfDeletedRecords", "m0", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, contents(t, store, test.prefix, test.from)); diff != "" {
				t.Errorf("Load(%q, %q) (-want +got):\n%s", test.prefix, test.from, diff)
			}
		})
	}
}

func (s suite) testLoadStops(t *testing.T) {
	store := s.start(t)
	commit(t, store, "a=1", "b=2", "c=3")
	enough := errors.New("enough")
	calls := 0
	err := store.Load(nil, nil, func(key, _ []byte) error {
		if calls++; string(key) == "b" {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || calls != 2 {
		t.Errorf("Load() = %v after %d calls, want %v after 2", err, calls, enough)
	}
	commit(t, store, "d=4")
	wantContents(t, store, "a=1", "b=2", "c=3", "d=4")
}

// testLoadAllowsCalls also pins down that Load shows the store as it was: recovery may clean up behind itself.
func (s suite) testLoadAllowsCalls(t *testing.T) {
	store := s.start(t)
	commit(t, store, "a=1", "b=2")
	seen := 0
	err := store.Load(nil, nil, func(key, value []byte) error {
		seen++
		wantValue(t, store, key, value)
		commit(t, store, change("-"+string(key)), change("z"+string(key)+"="))
		return nil
	})
	if err != nil || seen != 2 {
		t.Errorf("Load() = %v after %d records, want nil after 2", err, seen)
	}
	wantContents(t, store, "za=", "zb=")
}

// testLargeValues goes past 1 MiB, the largest body of a message, because a body is stored with its attributes.
func (s suite) testLargeValues(t *testing.T) {
	store := s.start(t)
	sizes := []int{0, 1 << 20, 5, 1<<20 - 1, 1<<20 + 1, 2_300_000, 1<<20 + 700, 2<<20 - 2, 2<<20 - 1, 64}
	for i, size := range sizes {
		value := pattern(size, byte(i))
		for _, key := range []string{"k", fmt.Sprintf("k/%02d", i)} {
			var b persistence.Batch
			b.Put([]byte(key), value)
			if err := store.Commit(&b); err != nil {
				t.Fatalf("Commit(%d bytes) = %v, want nil", size, err)
			}
		}
		wantValue(t, store, []byte("k"), value)
	}
	if s.reopen != nil {
		store = s.reopen(t, store)
	}
	i := 0
	err := store.Load([]byte("k/"), nil, func(key, value []byte) error {
		if !bytes.Equal(value, pattern(sizes[i], byte(i))) {
			return fmt.Errorf("the %d bytes of %q came back as %d other ones", sizes[i], key, len(value))
		}
		i++
		return nil
	})
	if err != nil || i != len(sizes) {
		t.Errorf("Load() = %v after %d records, want nil after %d", err, i, len(sizes))
	}
}

func pattern(size int, salt byte) []byte {
	value := make([]byte, size)
	for i := range value {
		value[i] = byte(i) ^ byte(i>>8) ^ byte(i>>16) ^ salt
	}
	return value
}

func (s suite) testValuesStayValid(t *testing.T) {
	store := s.start(t)
	commit(t, store, "a=first", "b=second")
	got, err := store.Get([]byte("a"))
	if err != nil {
		t.Fatalf("Get(%q) = %v, want nil", "a", err)
	}
	var loaded [][]byte
	err = store.Load(nil, nil, func(_, value []byte) error {
		loaded = append(loaded, value)
		return nil
	})
	if err != nil {
		t.Fatalf("Load() = %v, want nil", err)
	}
	commit(t, store, "a=FIRST", "-b")
	for range 50 {
		commit(t, store, "a=XXXXX", "b=XXXXXX")
	}
	if text := fmt.Sprintf("%s %s", got, loaded); text != "first [first second]" {
		t.Errorf("values read before later commits = %s, want first [first second]", text)
	}
}

// testReadsDuringCommits writes pairs of equal records: a reader that sees them differ, or a gap, saw half a batch.
func (s suite) testReadsDuringCommits(t *testing.T) {
	const commits = 200
	store := s.start(t)
	commit(t, store, "p/a=000", "p/b=000")
	var done sync.WaitGroup
	finished := make(chan struct{})
	for range 2 {
		done.Go(func() { s.readPairs(t, store, finished) })
	}
	for i := range commits {
		commit(t, store, change(fmt.Sprintf("p/a=%03d", i)), change(fmt.Sprintf("p/b=%03d", i)), change(fmt.Sprintf("q/%03d=", i)))
	}
	close(finished)
	done.Wait()
	if got := len(contents(t, store, "q/", "")); got != commits {
		t.Errorf("Load(%q) showed %d records, want %d", "q/", got, commits)
	}
}

func (s suite) readPairs(t *testing.T, store persistence.Store, finished <-chan struct{}) {
	last := ""
	for {
		var pair []string
		if err := store.Load([]byte("p/"), nil, func(_, value []byte) error {
			pair = append(pair, string(value))
			return nil
		}); err != nil || len(pair) != 2 || pair[0] != pair[1] || pair[0] < last {
			t.Errorf("Load() during commits = %v, %v after %q, want one pair, never an older one", pair, err, last)
			return
		}
		last = pair[0]
		if got, err := store.Get([]byte("p/a")); err != nil || string(got) < last {
			t.Errorf("Get() during commits = %q, %v, want no older than %q", got, err, last)
			return
		}
		select {
		case <-finished:
			return
		default:
		}
	}
}

func (s suite) testReopen(t *testing.T) {
	if s.reopen == nil {
		t.Skip("the store keeps nothing")
	}
	store := s.open(t)
	commit(t, store, "a=1", "b=2", "empty=", "gone=")
	store = s.reopen(t, store)
	wantContents(t, store, "a=1", "b=2", "empty=", "gone=")
	commit(t, store, "a=3", "-gone", "c=4")
	store = s.reopen(t, s.reopen(t, store))
	wantContents(t, store, "a=3", "b=2", "c=4", "empty=")
	stop(t, store)
}

// testRandomHistory compares the store with a map through batches over few keys, so that changes collide, and
// through reopenings.
func (s suite) testRandomHistory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	model := map[string]string{}
	store := s.open(t)
	for step := range 300 {
		var changes []change
		for range random.IntN(12) {
			key := fmt.Sprintf("%c/%d", 'a'+rune(random.IntN(3)), random.IntN(8))
			if random.IntN(3) == 0 {
				delete(model, key)
				changes = append(changes, change("-"+key))
				continue
			}
			model[key] = fmt.Sprint(step, len(changes))
			changes = append(changes, change(key+"="+model[key]))
		}
		commit(t, store, changes...)
		if s.reopen != nil && step%100 == 99 {
			store = s.reopen(t, store)
		}
		if step%20 == 19 {
			wantContents(t, store, sorted(model)...)
		}
	}
	stop(t, store)
}

func sorted(model map[string]string) []string {
	var records []string
	for _, key := range slices.Sorted(maps.Keys(model)) {
		records = append(records, key+"="+model[key])
	}
	return records
}

func (s suite) testCloseTwice(t *testing.T) {
	store := s.start(t)
	commit(t, store, "a=1")
	stop(t, store)
}
