package persistencetest

import (
	"math"
	"sync"

	"github.com/sluicemq/sluice/persistence"
)

// Faulty passes calls on to another store until it is told to fail or to wait. A commit that it fails never reaches
// the other store, since the contract says that an error means nothing was stored. It is safe for concurrent use, and
// a commit that waits does so on a channel, which testing/synctest takes for durably blocked. Use NewFaulty.
type Faulty struct {
	store persistence.Store

	mu        sync.Mutex
	commitErr error
	failing   int // how many more commits fail with commitErr
	readErr   error
	gate      chan struct{} // closed when commits may go on; nil when they are not held
	counts    Counts
}

var _ persistence.Store = (*Faulty)(nil)

// Counts says how many commits a Faulty has seen. An empty batch counts like any other.
type Counts struct {
	Stored  int // the other store returned nil
	Failed  int // failed on demand, or by the other store
	Waiting int // held by Block at this moment
}

// NewFaulty returns a store that passes everything on to s. Close closes s.
func NewFaulty(s persistence.Store) *Faulty {
	return &Faulty{store: s}
}

// FailCommits makes the next n commits return err. It replaces what an earlier call asked for; n = 0 takes it back.
func (f *Faulty) FailCommits(n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failing, f.commitErr = n, err
}

// Break makes all commits return err until Repair. Reads go on: a full disk can still be read.
func (f *Faulty) Break(err error) {
	f.FailCommits(math.MaxInt, err)
}

// FailReads makes Get and Load return err until Repair. Load then does not call its function at all.
func (f *Faulty) FailReads(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readErr = err
}

// Repair ends every failure. Commits that Block holds stay held.
func (f *Faulty) Repair() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failing, f.commitErr, f.readErr = 0, nil, nil
}

// Block holds each commit that starts from now on, until release is called. A commit that was held then fails or goes
// on by what the store has been told in the meantime. Calling release again does nothing. Block while commits are
// held already adds nothing, and either release lets them go.
func (f *Faulty) Block() (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gate == nil {
		f.gate = make(chan struct{})
	}
	gate := f.gate
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.gate == gate {
			close(gate)
			f.gate = nil
		}
	}
}

// Counts returns the counts so far.
func (f *Faulty) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

// Get implements persistence.Store.
func (f *Faulty) Get(key []byte) ([]byte, error) {
	if err := f.read(); err != nil {
		return nil, err
	}
	return f.store.Get(key)
}

// Load implements persistence.Store.
func (f *Faulty) Load(prefix, from []byte, fn func(key, value []byte) error) error {
	if err := f.read(); err != nil {
		return err
	}
	return f.store.Load(prefix, from, fn)
}

// Commit implements persistence.Store.
func (f *Faulty) Commit(b *persistence.Batch) error {
	f.wait()
	err := f.fail()
	if err == nil {
		err = f.store.Commit(b)
	}
	f.count(err)
	return err
}

// Close closes the other store. It does not wait for a commit that Block holds.
func (f *Faulty) Close() error {
	return f.store.Close()
}

func (f *Faulty) read() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readErr
}

func (f *Faulty) wait() {
	f.mu.Lock()
	defer f.mu.Unlock()
	gate := f.gate
	if gate == nil {
		return
	}
	f.counts.Waiting++
	f.mu.Unlock()
	<-gate
	f.mu.Lock()
	f.counts.Waiting--
}

func (f *Faulty) fail() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failing == 0 {
		return nil
	}
	f.failing--
	return f.commitErr
}

func (f *Faulty) count(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.counts.Failed++
		return
	}
	f.counts.Stored++
}
