package persistencetest_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

var errInjected = errors.New("injected")

func TestFaultyWithoutFaultsKeepsTheContract(t *testing.T) {
	persistencetest.Run(t, func(*testing.T) persistence.Store {
		return persistencetest.NewFaulty(memory.New())
	}, nil)
}

func TestFaultyFailsCommitsOnDemand(t *testing.T) {
	for _, test := range []struct {
		name   string
		demand func(*persistencetest.Faulty)
		want   []error // of four commits in a row
	}{
		{"TheNextTwo", func(f *persistencetest.Faulty) { f.FailCommits(2, errInjected) }, []error{errInjected, errInjected, nil, nil}},
		{"UntilRepaired", func(f *persistencetest.Faulty) { f.Break(errInjected) }, []error{errInjected, errInjected, errInjected, errInjected}},
		{"NotAfterRepair", func(f *persistencetest.Faulty) { f.Break(errInjected); f.Repair() }, []error{nil, nil, nil, nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := persistencetest.NewFaulty(memory.New())
			test.demand(f)
			failed := 0
			for i, want := range test.want {
				if err := put(f, string(rune('a'+i))); !errors.Is(err, want) {
					t.Errorf("commit %d = %v, want %v", i, err, want)
				}
				if want != nil {
					failed++
				}
			}
			if got, want := f.Counts(), (persistencetest.Counts{Stored: 4 - failed, Failed: failed}); got != want {
				t.Errorf("Counts() = %+v, want %+v", got, want)
			}
			if got := stored(t, f); got != 4-failed {
				t.Errorf("%d records are stored, want %d: a failed commit must store nothing", got, 4-failed)
			}
		})
	}
}

func TestFaultyFailsReadsOnDemand(t *testing.T) {
	f := persistencetest.NewFaulty(memory.New())
	if err := put(f, "k"); err != nil {
		t.Fatalf("Commit() = %v, want nil", err)
	}
	f.FailReads(errInjected)
	if _, err := f.Get([]byte("k")); !errors.Is(err, errInjected) {
		t.Errorf("Get() = %v, want %v", err, errInjected)
	}
	if err := f.Load(nil, nil, nil); !errors.Is(err, errInjected) {
		t.Errorf("Load() = %v, want %v", err, errInjected)
	}
	f.Repair()
	if _, err := f.Get([]byte("k")); err != nil {
		t.Errorf("Get() after Repair = %v, want nil", err)
	}
}

func TestFaultyHoldsCommitsUntilReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := persistencetest.NewFaulty(memory.New())
		release := f.Block()
		result := make(chan error, 1)
		go func() { result <- put(f, "k") }()
		synctest.Wait()
		if got, want := f.Counts(), (persistencetest.Counts{Waiting: 1}); got != want {
			t.Errorf("Counts() = %+v, want %+v", got, want)
		}
		f.FailCommits(1, errInjected)
		release()
		release()
		if err := <-result; !errors.Is(err, errInjected) {
			t.Errorf("the held commit = %v, want %v, demanded while it was held", err, errInjected)
		}
		if err := put(f, "k"); err != nil {
			t.Errorf("a commit after release = %v, want nil", err)
		}
	})
}

func put(s persistence.Store, key string) error {
	var b persistence.Batch
	b.Put([]byte(key), nil)
	return s.Commit(&b)
}

func stored(t *testing.T, s persistence.Store) int {
	t.Helper()
	records := 0
	err := s.Load(nil, nil, func(_, _ []byte) error { records++; return nil })
	if err != nil {
		t.Fatalf("Load() = %v, want nil", err)
	}
	return records
}
