package core

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sluicemq/sluice/persistence"
)

// The journal is the only way to the store. A verb appends its changes while it holds its queue's lock, so the order
// of appends is the order of state; it waits for them after it has let go of the lock.
//
// Commits are grouped without waiting to fill one: the verb that opens a commit leads it. It waits until the commit
// before has ended, and whatever was appended by then goes to the store in one batch. So a lone verb pays no hand-over
// to another goroutine, and under load a commit takes what gathered while the previous one ran.
//
// When a commit fails, those that gathered behind it build on a state that does not exist; they fail with it. Every
// part in them is stale: appends are refused until it was read back from the store, which is what restore does.
type journal struct {
	store   persistence.Store
	restore func([]part) // called without locks, before those who wait are answered

	mu      sync.Mutex
	pending []*commit // not ended, in order; only the last one may still gather

	audiences []*audience
	commits   atomic.Int64 // that have ended, for tests
}

// These bound a commit. Badger takes 2.3 MiB and 20,000 changes in one transaction with our options. A commit stops
// gathering at the first pair; a verb may not exceed the second, so that one that does fails alone, not with those who
// share its commit.
const (
	commitBytes = 1 << 20
	commitOps   = 8192
	verbBytes   = 1300 << 10
	verbOps     = 11_000
)

// errTooLarge is a fault of ours: verbs check what callers give them first.
var errTooLarge = &Error{Kind: Internal, Err: errors.New("core: too much for one commit")}

// part is what is made stale and read back as a whole: a queue, a topic, the outbox.
type part interface {
	// staleness is set and cleared under the journal's lock.
	staleness() *atomic.Bool
	// reread makes the part what the store holds of it, and settles it. The engine's lock is held.
	reread(e *Engine) error
}

// changes are what one verb did, to be stored atomically.
type changes struct {
	batch  persistence.Batch
	parts  []part // whose state the changes are
	events []Event
}

// spoil makes all parts stale, since what cannot be stored was done to each of them.
func (c *changes) spoil() {
	for _, p := range c.parts {
		p.staleness().Store(true)
	}
}

func (c *changes) empty() bool { return len(c.batch.Ops) == 0 && len(c.events) == 0 }

type commit struct {
	changes                 // but for their events
	told    [][]Event       // those of each verb, which nobody changes any more
	sealed  bool            // takes no more appends
	after   <-chan struct{} // the end of the commit before, nil if there was none
	done    chan struct{}
	err     error
}

// ticket is a verb's claim on the commit that holds its changes. The zero value has nothing to wait for.
type ticket struct {
	commit *commit
	leads  bool
}

// append adds changes to the commit that is gathering. The locks of all parts in it must be held. Whoever appended
// must wait. Returns an Internal error if one of the parts is stale or the changes are too large; then all of the parts
// are stale, and whoever appended must refresh them once it holds no lock.
func (j *journal) append(c *changes) (ticket, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.batch.Size > verbBytes || len(c.batch.Ops) > verbOps {
		c.spoil()
		return ticket{}, errTooLarge
	}
	for _, p := range c.parts {
		if p.staleness().Load() {
			c.spoil()
			return ticket{}, errStale
		}
	}
	leads := false
	open := j.gathering()
	if open == nil || open.batch.Size > commitBytes || len(open.batch.Ops) > commitOps {
		open = j.open()
		leads = true
	}
	if leads {
		open.batch.Ops = c.batch.Ops // nobody else uses them any more
	} else {
		open.batch.Ops = append(open.batch.Ops, c.batch.Ops...)
	}
	open.batch.Size += c.batch.Size
	open.parts = append(open.parts, c.parts...)
	for _, p := range c.parts {
		if q, ok := p.(*queue); ok {
			q.last = open // whichever way its changes come: answers rest on them, see conclude
		}
	}
	if len(c.events) > 0 {
		open.told = append(open.told, c.events)
	}
	return ticket{commit: open, leads: leads}, nil
}

// commit appends changes, lets go of the lock under which they were made, and returns when they are durable.
func (j *journal) commit(c *changes, mu *sync.Mutex) error {
	t, err := j.append(c)
	mu.Unlock()
	if err != nil {
		return err
	}
	return j.wait(t)
}

// gathering returns the commit that takes appends, nil if there is none.
func (j *journal) gathering() *commit {
	if n := len(j.pending); n > 0 && !j.pending[n-1].sealed {
		return j.pending[n-1]
	}
	return nil
}

// open seals what gathers and begins a new commit behind it.
func (j *journal) open() *commit {
	c := &commit{done: make(chan struct{})}
	if n := len(j.pending); n > 0 {
		j.pending[n-1].sealed = true
		c.after = j.pending[n-1].done
	}
	j.pending = append(j.pending, c)
	return c
}

// wait returns when the changes are durable, or with the error of the store.
func (j *journal) wait(t ticket) error {
	switch {
	case t.commit == nil:
		return nil
	case t.leads:
		j.lead(t.commit)
	default:
		<-t.commit.done
	}
	return t.commit.err
}

func (j *journal) lead(c *commit) {
	if c.after != nil {
		<-c.after
	}
	runtime.Gosched() // whoever is ready to append does so first: no one waits, and commits get fewer and larger
	j.mu.Lock()
	c.sealed = true
	failed := c.err != nil
	j.mu.Unlock()
	if !failed && len(c.batch.Ops) > 0 {
		if err := j.store.Commit(&c.batch); err != nil {
			j.restore(j.fail(err))
		}
	}
	j.end(c)
}

// end tells the events of a commit and answers those who wait for it.
func (j *journal) end(c *commit) {
	j.commits.Add(1)
	if c.err == nil {
		for _, a := range j.audiences {
			a.tell(c.told)
		}
	}
	j.mu.Lock()
	j.pending[0] = nil
	if j.pending = j.pending[1:]; len(j.pending) == 0 {
		j.pending = nil
	}
	j.mu.Unlock()
	c.batch.Ops, c.parts, c.told = nil, nil, nil
	close(c.done)
}

// fail gives err to every commit that has not ended, makes their parts stale and returns these.
func (j *journal) fail(err error) []part {
	j.mu.Lock()
	defer j.mu.Unlock()
	var stale []part
	for _, c := range j.pending {
		if c.err == nil {
			c.err = &Error{Kind: Internal, Err: err}
		}
		c.sealed = true
		for _, p := range c.parts {
			if !p.staleness().Swap(true) {
				stale = append(stale, p)
			}
		}
	}
	return stale
}

// settled makes a part that was read back from the store accept changes again.
func (j *journal) settled(p part) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p.staleness().Store(false)
}

// barrier returns when everything that was appended before is durable, or with the error of the store: a verb that
// only reads must not show what is taken back.
func (j *journal) barrier() error {
	j.mu.Lock()
	n := len(j.pending)
	if n == 0 {
		j.mu.Unlock()
		return nil
	}
	last := j.pending[n-1]
	j.mu.Unlock()
	<-last.done
	return last.err // those before it have not failed either, or it had failed with them
}
