package core

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

// ledger notes what many goroutines were told, to check it against what is there in the end.
type ledger struct {
	mu            sync.Mutex
	sent, deleted map[string]bool // bodies whose sending, and whose deletion, was answered
	delivered     map[string]int  // in this phase
	bodies        int
}

func newLedger() *ledger {
	return &ledger{sent: map[string]bool{}, deleted: map[string]bool{}, delivered: map[string]int{}}
}

func (l *ledger) body() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bodies++
	return fmt.Sprint("b", l.bodies)
}

// crew is goroutines that work on the same queues.
type crew struct {
	*world
	*ledger
	queues []QueueKey
	faulty bool
}

// failed checks the error of a verb as a whole and reports whether it failed.
func (c *crew) failed(what string, err error, allowed ...Kind) bool {
	if err == nil {
		return false
	}
	for _, k := range allowed {
		if errors.Is(err, &Error{Kind: k}) {
			return true
		}
	}
	if !c.faulty || !errors.Is(err, &Error{Kind: Internal}) {
		c.Errorf("%s = %v", what, err)
	}
	return true
}

func (c *crew) sendSome(r *rand.Rand) {
	n := r.IntN(len(c.queues))
	q := c.queues[n]
	batch := make([]Outgoing, 1+r.IntN(3))
	for i := range batch {
		batch[i] = Outgoing{Body: c.body(), Group: new(fmt.Sprint(r.IntN(5)))}
		if r.IntN(4) == 0 && n < standardQueues {
			batch[i].Delay = new(time.Second)
		}
	}
	sent, err := c.Send(context.Background(), q, batch)
	if c.failed("Send()", err) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range sent {
		if sent[i].Err != nil || sent[i].Duplicate {
			c.Errorf("Send() = %+v", sent[i])
		}
		c.sent[batch[i].Body] = true
	}
}

func (c *crew) workOn(r *rand.Rand) {
	q := c.queues[r.IntN(len(c.queues))]
	request := ReceiveRequest{Max: new(1 + r.IntN(5)), Wait: new(time.Duration(0))}
	if r.IntN(3) == 0 {
		request.AttemptID = new(c.body())
	}
	got, err := c.Receive(context.Background(), q, request)
	if c.failed("Receive()", err) {
		return
	}
	c.note(got)
	for _, m := range got {
		switch r.IntN(3) {
		case 0:
			c.finishOne(q, m)
		case 1:
			changed, err := c.ChangeVisibility(context.Background(), q, []VisibilityChange{{m.Receipt, time.Minute}})
			if !c.failed("ChangeVisibility()", err) && changed[0].Err != nil {
				c.Errorf("ChangeVisibility() = %v", changed[0].Err)
			}
		}
	}
}

// note checks that nothing is delivered twice while the clock stands still.
func (c *crew) note(got []Received) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range got {
		if c.delivered[m.Body]++; c.delivered[m.Body] > 1 {
			c.Errorf("%q was delivered %d times within its timeout", m.Body, c.delivered[m.Body])
		}
	}
}

func (c *crew) finishOne(q QueueKey, m Received) {
	errs, err := c.Delete(context.Background(), q, []Receipt{m.Receipt})
	if c.failed("Delete()", err) {
		return
	}
	if errs[0] != nil {
		c.Errorf("Delete() = %v", errs[0])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deleted[m.Body] = true
}

// bother does what must not disturb the others.
func (c *crew) bother(r *rand.Rand) {
	ctx, q := context.Background(), c.queues[r.IntN(len(c.queues))]
	own := named(fmt.Sprint("own", r.IntN(3)))
	switch r.IntN(8) {
	case 0:
		_, err := c.Peek(ctx, q, new(10))
		c.failed("Peek()", err)
	case 1:
		_, _, err := c.Queues(ctx, home, "", "", 100)
		c.failed("Queues()", err)
	case 2:
		c.failed("Tag()", c.Tag(ctx, q, map[string]string{"k": fmt.Sprint(r.Int())}, nil))
	case 3:
		c.failed("Amend()", c.Amend(ctx, q, func(QueueInfo) (Patch, error) {
			return Patch{Notes: map[string]*string{"n": new(fmt.Sprint(r.Int()))}, Delay: new(time.Duration(0))}, nil
		}))
	case 4:
		_, _, err := c.Create(ctx, own, Patch{}, nil)
		c.failed("Create()", err)
	case 5:
		c.failed("DeleteQueue()", c.DeleteQueue(ctx, own), QueueNotFound)
	case 6:
		_, err := c.Send(ctx, own, []Outgoing{{Body: "own"}})
		c.failed("Send()", err, QueueNotFound)
		_, err = c.Receive(ctx, own, ReceiveRequest{})
		c.failed("Receive()", err, QueueNotFound)
	case 7:
		c.failed("Purge()", c.Purge(ctx, own), QueueNotFound)
	}
}

// phase lets everybody work while the clock stands still.
func (c *crew) phase(seed uint64, workers, steps int) {
	var all sync.WaitGroup
	for n := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			for range steps {
				switch r.IntN(5) {
				case 0, 1:
					c.sendSome(r)
				case 2, 3:
					c.workOn(r)
				case 4:
					c.bother(r)
				}
			}
		})
	}
	all.Wait()
	clear(c.delivered)
}

// drain takes everything that is left and compares it with the ledger.
func (c *crew) drain() {
	c.Helper()
	found := map[string]bool{}
	for range 20 {
		c.pass(2 * time.Minute)
		for _, q := range c.queues {
			for {
				got := c.receive(q, 10)
				if len(got) == 0 {
					break
				}
				for _, m := range got {
					if found[m.Body] {
						c.Errorf("%q is there twice", m.Body)
					}
					found[m.Body] = true
					c.drop(q, m.Receipt)
				}
			}
		}
	}
	for body := range c.sent {
		if !found[body] && !c.deleted[body] {
			c.Errorf("%q is lost", body)
		}
	}
	for body := range found {
		if !c.sent[body] || c.deleted[body] {
			c.Errorf("%q is there: sent %v, deleted %v", body, c.sent[body], c.deleted[body])
		}
	}
	for _, q := range c.queues {
		c.counts(q, 0, 0, 0)
	}
}

const standardQueues = 3

// newCrew works on two standard and two FIFO queues, each the dead-letter queue of the other, and a plain one.
func newCrew(t *testing.T, store persistence.Store, faulty bool) *crew {
	r := forgiving()
	r.ReceiveMax = Range[int]{}
	w := newWorldOn(t, store, r)
	c := &crew{world: w, ledger: newLedger(), faulty: faulty}
	for i := range 5 {
		fifo := i >= standardQueues
		c.queues = append(c.queues, w.create(fmt.Sprint("q", i), Patch{FIFO: &fifo, ContentDedup: new(true)}))
	}
	for _, pair := range [][2]int{{0, 1}, {1, 0}, {3, 4}, {4, 3}} {
		w.amend(c.queues[pair[0]], Patch{Redrive: new(&Redrive{c.queues[pair[1]], 2})})
	}
	return c
}

func TestManyAtWorkLoseAndDoubleNothing(t *testing.T) {
	c := newCrew(t, memory.New(), false)
	for i := range 8 {
		c.phase(uint64(i), 8, 80)
		c.checkAgainstStore()
		c.pass(40 * time.Second)
	}
	c.restart()
	c.drain()
}

// The same while the store fails now and then, and at times cannot be read either.
func TestManyAtWorkOutliveFailures(t *testing.T) {
	store := persistencetest.NewFaulty(memory.New())
	c := newCrew(t, store, true)
	for i := range 12 {
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			r := rand.New(rand.NewPCG(7, uint64(i)))
			for seen := 0; ; {
				select {
				case <-stop:
					return
				default:
				}
				if n := store.Counts().Stored; n > seen+r.IntN(60) {
					seen = n
					if i%3 == 2 {
						store.FailReads(errDisk)
					}
					store.FailCommits(1+r.IntN(3), errDisk)
				} else if i%3 == 2 {
					store.Repair()
				}
			}
		}()
		c.phase(uint64(100+i), 8, 60)
		close(stop)
		<-stopped
		store.Repair()
		c.settle()
		c.bringBack()
		c.checkAgainstStore()
		c.pass(40 * time.Second)
	}
	c.restart()
	c.drain()
}

// bringBack asks for every queue once, which reads back those that could not be read.
func (c *crew) bringBack() {
	c.Helper()
	for {
		if _, _, err := c.Queues(context.Background(), home, "", "", 1000); err == nil {
			return
		}
	}
}

// Sends and polls meet while the clock stands still: each message reaches one poll, and no poll sleeps beside one.
func TestPollsAndSendsMeet(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	l := newLedger()
	c := &crew{world: w, ledger: l, queues: []QueueKey{q}}
	var polls, sends sync.WaitGroup
	const each, workers = 50, 6
	for range workers {
		polls.Go(func() {
			for range each {
				got, err := w.Receive(context.Background(), q, ReceiveRequest{Wait: new(20 * time.Second)})
				if err != nil || len(got) != 1 {
					t.Errorf("Receive() = %v, %v", bodies(got), err)
				}
				c.note(got)
			}
		})
		sends.Go(func() {
			for range each {
				w.post(q, Outgoing{Body: l.body()})
			}
		})
	}
	// Polls that are cancelled at any moment must not swallow what is meant for others.
	ctx, cancel := context.WithCancel(context.Background())
	cancelled := make(chan struct{})
	go func() {
		defer close(cancelled)
		for ctx.Err() == nil {
			short, stop := context.WithCancel(ctx)
			go stop()
			got, err := w.Receive(short, q, ReceiveRequest{Wait: new(20 * time.Second), Visibility: new(time.Duration(0))})
			if err != nil {
				t.Errorf("Receive() = %v", err)
			}
			_ = got // visible again at once
		}
	}()
	sends.Wait()
	polls.Wait()
	cancel()
	<-cancelled
	w.counts(q, 0, each*workers, 0)
}
