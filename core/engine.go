package core

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence"
)

// ErrNewerFormat is returned by Open for a store that a newer version of the program has written.
var ErrNewerFormat = errors.New("the data was written by a newer version of the program")

var (
	errStaleCause = errors.New("core: the store failed; what it holds is being read back")
	errStale      = &Error{Kind: Internal, Err: errStaleCause}
	errClosed     = &Error{Kind: Internal, Err: errors.New("core: the engine is closed")}
)

// defaultBodyBudget is how many bytes of messages stay in memory where Options does not say.
const defaultBodyBudget = 256 << 20

// Options are what an engine may be told when it is opened. The zero value is good.
type Options struct {
	// Clock is the time that everything goes by. Nil: the machine's.
	Clock clock.Clock
	// BodyBudget is how many bytes of messages stay in memory; the rest is read from the store when it is
	// delivered. 0: 256 MiB. Negative: no bound, for a store that is in memory itself.
	BodyBudget int64
	// Observers are told what happens.
	Observers []Observer
	// Pusher takes what is published to the endpoints of the kind EndpointPush, each time for up to PushTimeout of
	// the machine's time, 0 meaning 5 s. Nil: it waits for an engine that has one.
	Pusher      Pusher
	PushTimeout time.Duration
	// Render makes the message of it that a subscription's queue or dead-letter queue gets. It is called under locks,
	// so it must not call the engine. Nil: body, attributes, trace, sender and group are taken over.
	Render func(Delivery) Outgoing
	// OnError is told of faults in work that no request waits for. Nil: they are dropped.
	OnError func(error)
}

// Engine holds the queues and topics of all namespaces. It is safe for concurrent use.
type Engine struct {
	clock    clock.Clock
	journal  *journal
	timer    *timer
	sweeper  *sweeper
	movers   movers
	postman  *postman
	outbox   outbox
	notebook notebook
	render   func(Delivery) Outgoing
	onError  func(error)
	watched  bool // there are observers

	budget   int64
	resident atomic.Int64 // bytes of memory that records take
	sequence sequence

	mu        sync.RWMutex // before any queue's lock
	queues    map[QueueKey]*queue
	names     directory[QueueName]
	buried    cemetery // of queues
	lastQueue uint32
	topics    topics
	lost      []part // stale, and the store could not be read
	closed    bool
}

// Open reads what a store holds and returns an engine that goes on from there. The engine owns the store from then
// on. Returns ErrNewerFormat, or an error of the store.
func Open(store persistence.Store, o Options) (*Engine, error) {
	e := &Engine{
		clock: o.Clock, onError: o.OnError, budget: o.BodyBudget, watched: len(o.Observers) > 0,
		queues: map[QueueKey]*queue{}, names: directory[QueueName]{}, buried: newCemetery(buriedPrefix),
		topics: newTopics(), render: o.Render,
	}
	if e.render == nil {
		e.render = plain
	}
	if e.clock == nil {
		e.clock = clock.System{}
	}
	if e.onError == nil {
		e.onError = func(error) {}
	}
	if e.budget == 0 {
		e.budget = defaultBodyBudget
	}
	e.journal = &journal{store: store, restore: e.restore}
	e.postman = newPostman(e, o.Pusher, o.PushTimeout)
	graves, err := e.load()
	if err != nil {
		return nil, fmt.Errorf("reading the store: %w", err)
	}
	for _, observer := range o.Observers { // not before: each has a goroutine, and a failed Open leaves none
		e.journal.audiences = append(e.journal.audiences, newAudience(observer))
	}
	e.timer = newTimer(e.clock, e.ring)
	e.movers.quit = make(chan struct{})
	for _, q := range e.queues {
		q.mu.Lock()
		e.timer.set(q, q.next())
		e.resumeMove(q)
		q.mu.Unlock()
	}
	e.sweeper = newSweeper(e, graves)
	e.postman.start()
	return e, nil
}

// Close ends waiting receives, waits for what is being stored and closes the store. Verbs that come later fail.
func (e *Engine) Close() error {
	e.postman.close() // while what it has done can still be stored
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	queues := slices.Collect(maps.Values(e.queues))
	topics := slices.Collect(maps.Values(e.topics.byKey))
	e.mu.Unlock()

	e.timer.close()
	e.sweeper.close()
	e.movers.close()
	for _, q := range queues {
		q.mu.Lock()
		q.shut = true
		q.waiters.wakeAll()
		q.mu.Unlock()
	}
	for _, t := range topics {
		t.mu.Lock()
		t.shut = true
		t.mu.Unlock()
	}
	_ = e.journal.barrier() // those who wait are told of a failure
	for _, a := range e.journal.audiences {
		a.close()
	}
	return e.journal.store.Close()
}

// Dropped returns how many events each observer has lost by being slow.
func (e *Engine) Dropped() []int64 {
	var n []int64
	for _, a := range e.journal.audiences {
		n = append(n, a.dropped.Load())
	}
	return n
}

// Under returns the engine under a provider's rules.
func (e *Engine) Under(r Rules) Broker { return &view{e: e, rules: &r} }

// view is the engine under the rules of one provider.
type view struct {
	e     *Engine
	rules *Rules
}

// Now returns the engine's time.
func (v *view) Now() time.Time { return v.e.clock.Now() }

func (e *Engine) now() instant { return instantOf(e.clock.Now()) }

// find returns a queue.
func (e *Engine) find(key QueueKey) (*queue, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, errClosed
	}
	if q := e.queues[key]; q != nil {
		return q, nil
	}
	return nil, &Error{Kind: QueueNotFound}
}

// lock takes a queue's lock. If a commit has failed, the queue is read back from the store first. On an error the
// lock is not held. Whoever holds a lock already must use refresh and hold instead.
func (e *Engine) lock(q *queue) error {
	e.refresh(q)
	err := e.hold(q)
	if errors.Is(err, errStaleCause) { // a commit has failed between the two
		e.refresh(q)
		err = e.hold(q)
	}
	return err
}

// lockSmall takes the lock of a part that is no queue or topic, as lock does a queue's.
func (e *Engine) lockSmall(p part, mu *sync.Mutex) error {
	e.refresh(p)
	mu.Lock()
	if p.staleness().Load() {
		mu.Unlock()
		return errStale
	}
	return nil
}

// rereadSmall makes such a part what the store holds of it.
func (e *Engine) rereadSmall(p part, mu *sync.Mutex, load func(*Engine) error, what string) error {
	mu.Lock()
	defer mu.Unlock()
	if !p.staleness().Load() {
		return nil
	}
	if err := load(e); err != nil {
		return fmt.Errorf("reading %s back: %w", what, err)
	}
	e.journal.settled(p)
	return nil
}

// refresh reads a part back from the store if a commit has failed. It waits for what was appended before, since that
// may be the part's as well, and takes the engine's lock and that of every part that waits for the same, so no lock
// may be held.
func (e *Engine) refresh(p part) {
	if p.staleness().Load() {
		_ = e.journal.barrier() // a failure is what is being mended
		e.restore([]part{p})
	}
}

// hold takes a queue's lock. On an error the lock is not held.
func (e *Engine) hold(q *queue) error {
	q.mu.Lock()
	err := q.usable()
	if err != nil {
		q.mu.Unlock()
	}
	return err
}

func (q *queue) usable() error {
	switch {
	case q.shut:
		return errClosed
	case q.stale.Load():
		return errStale
	case q.deleted:
		return &Error{Kind: QueueNotFound}
	}
	return nil
}

// open finds and locks a queue.
func (e *Engine) open(key QueueKey) (*queue, error) {
	q, err := e.find(key)
	if err != nil {
		return nil, err
	}
	return q, e.lock(q)
}

// commit wakes a receiver if there is something to deliver, appends what a verb did, unlocks the queue and returns
// when all is durable.
func (e *Engine) commit(q *queue, c *changes) error {
	q.notify()
	return e.conclude(q, c)
}

// conclude is commit for a verb that has made nothing deliverable. One that has changed nothing waits as well: its
// answer, such as that a message is a duplicate, rests on what others have done and are waiting for.
func (e *Engine) conclude(q *queue, c *changes) error {
	t, err := e.append(q, c)
	if t.commit == nil {
		t.commit = q.last
	}
	q.mu.Unlock()
	if err != nil {
		return err
	}
	return e.journal.wait(t)
}

// append is conclude without unlocking and waiting. The caller must wait for the ticket.
func (e *Engine) append(q *queue, c *changes) (ticket, error) {
	e.timer.set(q, q.next())
	if c.empty() {
		return ticket{}, nil
	}
	if !slices.Contains(c.parts, part(q)) {
		c.parts = append(c.parts, q)
	}
	return e.journal.append(c)
}

// ring brings a queue whose instant has come up to date.
func (e *Engine) ring(q *queue) {
	q.mu.Lock()
	e.timer.rang(q)
	if q.deleted || q.stale.Load() {
		q.mu.Unlock()
		return
	}
	var c changes
	q.advance(e.now(), &c, e.watched)
	q.notify()
	t, err := e.append(q, &c)
	q.mu.Unlock()
	if err == nil {
		err = e.journal.wait(t)
	}
	if err != nil {
		e.onError(err)
	}
}

// sequence hands out numbers that grow, also across restarts. The store holds a number that none has reached; it is
// raised in good time, half a block ahead, so that no number is used before the raise is durable in practice, and
// recovery takes the largest number it finds in account as well.
type sequence struct {
	mu      sync.Mutex
	last    uint64
	ceiling uint64
}

const sequenceBlock = 1 << 20

func (s *sequence) next(c *changes) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	if s.last+sequenceBlock/2 > s.ceiling {
		s.ceiling = s.last + sequenceBlock
		w := newWriter(16)
		w.uint(s.ceiling)
		c.batch.Put([]byte{sequenceKey}, w.b)
	}
	return s.last
}

// distrust makes the next number raise the ceiling again, since the commit that held the last raise may have failed.
func (s *sequence) distrust() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ceiling = 0
}

// reach makes numbers go on above one that was found in the store.
func (s *sequence) reach(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, n)
}

// current returns the last number that was handed out.
func (s *sequence) current() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
