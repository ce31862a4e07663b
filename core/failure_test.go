package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

// portrait describes everything that an engine has in memory of its queues, except the order of what became visible
// at the same instant.
func (e *Engine) portrait() []string {
	var lines []string
	e.mu.RLock()
	queues := slices.Collect(maps.Values(e.queues))
	names := fmt.Sprint(e.names)
	e.mu.RUnlock()
	for _, q := range queues {
		q.mu.Lock()
		var c changes
		q.advance(e.now(), &c, false)
		s := *q.settings()
		redrive := fmt.Sprintf("%+v", s.Redrive)
		s.Redrive = nil // a pointer
		lines = append(lines, fmt.Sprintf("%v: %d %+v %+v %v %v %v %v %d %v %v %v", q.key, q.id, s, redrive, q.tags,
			q.created, q.modified, q.purgedThrough, q.purgedAt, q.scopeFrom, q.scopeBefore, q.count))
		for _, m := range q.messages {
			lines = append(lines, fmt.Sprintf("%v %d: %v %d %d %d %d %d %d %d %d %d %v %q", q.key, m.sequence, m.id,
				m.enteredAt, m.visibleAt, m.firstAt, m.lastAt, m.receives, m.before, m.delivery, m.priority, m.state,
				m.fresh, q.order.group(m)))
		}
		for name, d := range q.dedup.entries {
			lines = append(lines, fmt.Sprintf("%v dedup %q: %+v", q.key, name, d))
		}
		for name, a := range q.attempts.entries {
			lines = append(lines, fmt.Sprintf("%v attempt %q: %+v", q.key, name, a))
		}
		if err := q.consistent(); err != nil {
			lines = append(lines, fmt.Sprintf("%v: %v", q.key, err))
		}
		q.mu.Unlock()
	}
	slices.Sort(lines)
	return append(lines, names)
}

// checkAgainstStore compares what the engine has in memory with what an engine that is opened on a copy of its store
// reads.
func (w *world) checkAgainstStore() {
	w.Helper()
	copied := memory.New()
	var b persistence.Batch
	err := w.store.Load(nil, nil, func(key, value []byte) error {
		b.Put(slices.Clone(key), slices.Clone(value))
		return nil
	})
	if err = errors.Join(err, copied.Commit(&b)); err != nil {
		w.Fatalf("copying the store: %v", err)
	}
	e, err := Open(copied, Options{Clock: w.clock})
	if err != nil {
		w.Fatalf("Open() of a copy = %v", err)
	}
	if diff := cmp.Diff(e.portrait(), w.engine.portrait()); diff != "" {
		w.Errorf("memory differs from the store (-store +memory):\n%s", diff)
	}
	if err := e.Close(); err != nil {
		w.Errorf("Close() = %v", err)
	}
}

func newFaultyWorld(t TB, r Rules) (*world, *persistencetest.Faulty) {
	store := persistencetest.NewFaulty(memory.New())
	return newWorldOn(t, store, r), store
}

var errDisk = errors.New("the disk is on fire")

// Each verb whose commit fails is answered with an Internal error and has done nothing; the next ones go on.
func TestFailedCommitUndoesTheVerb(t *testing.T) {
	ctx := context.Background()
	type scene struct {
		*world
		q, f, dying, dead QueueKey
		held, attempts    []Received
	}
	for _, tt := range []struct {
		name string
		verb func(s *scene) error
	}{
		{"Create", func(s *scene) error { return third(s.Create(ctx, named("new"), Patch{}, nil)) }},
		{"Amend", func(s *scene) error {
			return s.Amend(ctx, s.f, func(QueueInfo) (Patch, error) { return Patch{Delay: new(time.Hour / 6), DedupPerGroup: new(true)}, nil })
		}},
		{"Tag", func(s *scene) error { return s.Tag(ctx, s.q, map[string]string{"a": "b"}, nil) }},
		{"DeleteQueue", func(s *scene) error { return s.DeleteQueue(ctx, s.q) }},
		{"Purge", func(s *scene) error { return s.Purge(ctx, s.f) }},
		{"Send", func(s *scene) error { return second(s.Send(ctx, s.q, []Outgoing{{Body: "1"}, {Body: "2"}})) }},
		{"Send to FIFO", func(s *scene) error { return second(s.Send(ctx, s.f, []Outgoing{{Body: "1", Group: new("n")}})) }},
		{"Receive", func(s *scene) error { return second(s.Receive(ctx, s.q, ReceiveRequest{Max: new(2)})) }},
		{"Receive from FIFO", func(s *scene) error { return second(s.Receive(ctx, s.f, ReceiveRequest{AttemptID: new("b")})) }},
		{"Receive again", func(s *scene) error { return second(s.Receive(ctx, s.f, ReceiveRequest{AttemptID: new("a")})) }},
		{"Receive with a timeout of zero", func(s *scene) error {
			return second(s.Receive(ctx, s.q, ReceiveRequest{Visibility: new(time.Duration(0))}))
		}},
		{"a move to the dead-letter queue", func(s *scene) error { return second(s.Receive(ctx, s.dying, ReceiveRequest{})) }},
		{"Delete", func(s *scene) error { return second(s.Delete(ctx, s.q, []Receipt{s.held[0].Receipt})) }},
		{"Delete from FIFO", func(s *scene) error { return second(s.Delete(ctx, s.f, []Receipt{s.attempts[0].Receipt})) }},
		{"ChangeVisibility", func(s *scene) error {
			return second(s.ChangeVisibility(ctx, s.q, []VisibilityChange{{s.held[0].Receipt, 0}}))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, store := newFaultyWorld(t, forgiving())
			s := &scene{world: w, q: w.create("q", Patch{}), f: w.fifo("f"), dead: w.create("dead", Patch{})}
			s.dying = w.dying("dying", s.dead, 1, Patch{})
			w.send(s.q, "a", "b", "c")
			w.send(s.f, "g:a", "g:b", "h:c")
			w.send(s.dying, "d")
			w.one(s.dying)
			w.pass(time.Second)
			s.held = w.receive(s.q, 1)
			s.attempts = w.take(s.f, ReceiveRequest{AttemptID: new("a")})
			w.pass(time.Second)
			before := w.engine.portrait()

			store.FailCommits(1, errDisk)
			err := tt.verb(s)
			wantKind(t, tt.name, err, Internal)
			if !errors.Is(err, errDisk) {
				t.Errorf("%s = %v, want the store's error within", tt.name, err)
			}
			if diff := cmp.Diff(before, w.engine.portrait()); diff != "" {
				t.Errorf("the verb has left something (-before +after):\n%s", diff)
			}
			w.checkAgainstStore()
			if err := tt.verb(s); err != nil {
				t.Errorf("%s once the store works again = %v", tt.name, err)
			}
			w.checkAgainstStore()
		})
	}
}

func third[A, B any](_ A, _ B, err error) error { return err }

// What gathers behind a commit that fails builds on a state that does not exist, and fails with it; what comes later
// goes on. Verbs on other queues that were not waiting are not touched.
func TestFailedCommitFailsThoseBehindIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newFaultyWorld(t, forgiving())
		q, other, calm := w.create("q", Patch{}), w.create("other", Patch{}), w.create("calm", Patch{})
		w.send(q, "old")
		w.send(calm, "m")
		release := store.Block()
		errs := make(chan error, 10)
		start := func(f func() error) {
			go func() { errs <- f() }()
			synctest.Wait()
		}
		ctx := context.Background()
		start(func() error { return second(w.Send(ctx, q, []Outgoing{{Body: "new"}})) })
		start(func() error { return second(w.Send(ctx, other, []Outgoing{{Body: "new"}})) })
		start(func() error {
			return second(w.Receive(ctx, q, ReceiveRequest{Max: new(2), Wait: new(time.Duration(0))}))
		})
		peeked := make(chan []Message, 1)
		start(func() error {
			got, err := w.Peek(ctx, other, nil)
			peeked <- got
			return err
		})
		start(func() error { return third(w.Create(ctx, named("made"), Patch{}, nil)) })
		start(func() error { return w.DeleteQueue(ctx, q) })
		if got, err := w.Peek(ctx, calm, nil); err != nil || len(got) != 1 {
			t.Errorf("Peek() of a queue without changes = %v, %v", got, err)
		}
		store.FailCommits(1, errDisk)
		release()
		for range cap(errs) - 4 {
			wantKind(t, "a verb behind the commit", <-errs, Internal)
		}
		if got := <-peeked; len(got) != 0 {
			t.Errorf("Peek() = %v, shows what was taken back", got)
		}
		w.counts(q, 1, 0, 0)
		w.counts(other, 0, 0, 0)
		wantKind(t, "Queue(made)", second(w.Queue(ctx, named("made"))), QueueNotFound)
		w.checkAgainstStore()
		w.create("made", Patch{})
		w.expect(q, 10, "old")
		w.checkAgainstStore()
	})
}

// A send that is answered as a duplicate must not be so while the first is not stored.
func TestAnswersWaitForWhatTheyRestOn(t *testing.T) {
	for _, fails := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w, store := newFaultyWorld(t, forgiving())
			f := w.fifo("f")
			w.send(f, "g:first")
			m := w.one(f)
			release := store.Block()
			ctx := context.Background()
			verbs := []func() error{
				func() error { return second(w.Send(ctx, f, []Outgoing{{Body: "x", Group: new("h")}})) },
				func() error { return second(w.Delete(ctx, f, []Receipt{m.Receipt})) },
			}
			errs := make(chan error, 4)
			for _, verb := range append(verbs, verbs...) {
				go func() { errs <- verb() }()
				synctest.Wait()
			}
			if len(errs) > 0 {
				t.Fatalf("%d verbs were answered before anything was stored", len(errs))
			}
			want := none
			if fails {
				store.FailCommits(1, errDisk)
				want = Internal
			}
			release()
			for range cap(errs) {
				wantKind(t, "a verb", <-errs, want)
			}
			if fails {
				w.drop(f, m.Receipt)
				w.send(f, "h:x")
			}
			w.checkAgainstStore()
		})
	}
}

// What a publication has brought to a queue is shown only once it is stored.
func TestAnswersWaitForWhatWasPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newFaultyWorld(t, topicRules())
		q := w.create("q", Patch{})
		ctx := context.Background()
		topic := TopicKey{home, "t"}
		if _, _, err := w.CreateTopic(ctx, topic, TopicPatch{}); err != nil {
			t.Fatalf("CreateTopic() = %v", err)
		}
		to := SubscriptionSettings{Endpoint: Endpoint{Kind: EndpointQueue, Queue: q}}
		if _, _, err := w.Subscribe(ctx, topic, "s", to); err != nil {
			t.Fatalf("Subscribe() = %v", err)
		}
		release := store.Block()
		verbs := []func() error{
			func() error { return second(w.Publish(ctx, topic, Publication{Body: "m"})) },
			func() error { return second(w.Queue(ctx, q)) },
			func() error { return second(w.Peek(ctx, q, nil)) },
		}
		errs := make(chan error, len(verbs))
		for _, verb := range verbs {
			go func() { errs <- verb() }()
			synctest.Wait()
		}
		if len(errs) > 0 {
			t.Errorf("%d verbs were answered before anything was stored", len(errs))
		}
		release()
		for range cap(errs) {
			wantKind(t, "a verb", <-errs, none)
		}
		w.counts(q, 1, 0, 0)
	})
}

func TestPollsOutliveFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newFaultyWorld(t, forgiving())
		q := w.create("q", Patch{})
		p := w.poll(q, ReceiveRequest{})
		store.FailCommits(1, errDisk)
		wantKind(t, "Send()", second(w.Send(t.Context(), q, []Outgoing{{Body: "lost"}})), Internal)
		if p.ended() {
			wantKind(t, "Receive()", p.err, Internal) // it had taken the message already
			p = w.poll(q, ReceiveRequest{})
		}
		w.send(q, "m")
		p.want(t, "m")

		p = w.poll(q, ReceiveRequest{})
		release := store.Block()
		done := make(chan error, 1)
		go func() { done <- second(w.Send(context.Background(), q, []Outgoing{{Body: "kept"}})) }()
		synctest.Wait()
		release() // the send is stored, and then the receive is not
		if err := <-done; err != nil {
			t.Errorf("Send() = %v", err)
		}
		p.want(t, "kept")
	})
}

func TestFailedReceiveGivesItsMessageToTheNextPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newFaultyWorld(t, forgiving())
		q := w.create("q", Patch{})
		w.post(q, Outgoing{Body: "m", Delay: new(time.Second)})
		first, second := w.poll(q, ReceiveRequest{}), w.poll(q, ReceiveRequest{})
		store.FailCommits(1, errDisk)
		w.pass(time.Second)
		if !first.ended() {
			t.Fatal("the first poll waits")
		}
		wantKind(t, "Receive()", first.err, Internal)
		second.want(t, "m")
		if got := second.got[0]; got.Receives != 1 {
			t.Errorf("Receive() = receives %d, want 1: the failed one does not count", got.Receives)
		}
	})
}

// While nothing can be read either, verbs fail; once the store is back so is everything that was stored.
func TestServiceResumesWhenTheStoreCanBeReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newFaultyWorld(t, forgiving())
		q, calm := w.create("q", Patch{}), w.create("calm", Patch{})
		w.send(q, "m")
		w.send(calm, "m")
		p := w.poll(w.create("polled", Patch{}), ReceiveRequest{})
		store.Break(errDisk)
		store.FailReads(errDisk)
		ctx := context.Background()
		for range 3 {
			wantKind(t, "Send()", second(w.Send(ctx, q, []Outgoing{{Body: "x"}})), Internal)
			wantKind(t, "Queue()", second(w.Queue(ctx, q)), Internal)
			wantKind(t, "Amend()", w.Amend(ctx, q, func(QueueInfo) (Patch, error) { return Patch{}, nil }), Internal)
			wantKind(t, "DeleteQueue()", w.DeleteQueue(ctx, q), Internal)
			_, _, err := w.Queues(ctx, home, "", "", 10)
			wantKind(t, "Queues()", err, Internal)
			w.counts(calm, 1, 0, 0)
		}
		if n := len(w.engine.lost); n > 1 {
			t.Errorf("%d parts are noted as lost, want 1", n)
		}
		store.Repair()
		w.expect(q, 10, "m")
		w.send(named("polled"), "n")
		p.want(t, "n")
		w.checkAgainstStore()
	})
}

// A queue with messages to drop must not keep the machine busy while the store does not take it.
func TestBrokenStoreIsNotHammered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newFaultyWorld(t, forgiving())
		q := w.create("q", Patch{})
		w.send(q, "m")
		store.Break(errDisk)
		w.pass(4 * 24 * time.Hour)
		synctest.Wait()
		for range 10 {
			w.pass(time.Second)
			synctest.Wait()
		}
		if n := store.Counts().Failed; n == 0 || n > 20 {
			t.Errorf("%d commits were tried in ten seconds", n)
		}
		store.Repair()
		w.pass(time.Minute)
		synctest.Wait()
		wantKeys(t, store, map[string]int{"q": 1})
	})
}

// A message that cannot be read back when it should move stays where it is, and so do its neighbours.
func TestUnreadableMessageStaysInItsQueue(t *testing.T) {
	store := persistencetest.NewFaulty(memory.New())
	w := &world{TB: t, clock: newManual(), store: store, budget: 1, rules: forgiving()}
	w.open()
	t.Cleanup(w.close)
	dead := w.create("dead", Patch{})
	q := w.dying("q", dead, 1, Patch{})
	w.send(q, "1", "2")
	w.receive(q, 2)
	w.pass(time.Second)
	w.send(q, "3")
	store.FailReads(errDisk)
	for range 3 {
		wantKind(t, "Receive()", second(w.Receive(t.Context(), q, ReceiveRequest{Max: new(10)})), Internal)
		w.counts(q, 3, 0, 0)
	}
	store.Repair()
	w.expect(q, 10, "3")
	w.expect(dead, 10, "1", "2")
	w.checkAgainstStore()
}

// The failure of one queue's commit reaches a verb that is at work on that queue and another one: the other must not
// keep in memory what could not be stored.
func TestRefusedMoveLeavesTheOtherQueueAlone(t *testing.T) {
	w, store := newFaultyWorld(t, forgiving())
	key := w.create("q", Patch{})
	dead := w.create("dead", Patch{})
	w.amend(key, Patch{Redrive: new(&Redrive{dead, 1}), Visibility: new(time.Second)})
	w.send(key, "m")
	w.one(key)
	w.pass(time.Second)
	q, target := w.engine.queues[key], w.engine.queues[dead]

	view := w.engine.Under(w.rules).(*view)
	locked, err := view.lockPair(q) // the receive has come this far
	if locked != target || err != nil {
		t.Fatalf("lockPair() = %v, %v", locked, err)
	}
	store.FailCommits(1, errDisk)
	failed := make(chan error)
	go func() { // a commit of q alone, as a verb just before would have it
		c := changes{parts: []part{q}}
		c.batch.Put([]byte("!"), nil)
		ticket, _ := w.engine.journal.append(&c)
		failed <- w.engine.journal.wait(ticket)
	}()
	for !q.stale.Load() {
		runtime.Gosched()
	}
	receive := &reception{v: view, q: q, r: ReceiveRequest{Wait: new(time.Duration(0))}}
	_, err = receive.try(context.Background(), locked)
	wantKind(t, "Receive()", err, Internal)
	wantKind(t, "the commit before", <-failed, Internal)
	w.counts(key, 1, 0, 0)
	w.counts(dead, 0, 0, 0)
	w.checkAgainstStore()
	w.expect(key, 1)
	w.expect(dead, 1, "m")
}

// Purges and deletions whose sweeping fails are taken up by the next Open.
func TestFailedSweepIsTakenUpLater(t *testing.T) {
	w, store := newFaultyWorld(t, forgiving())
	q := w.create("q", Patch{})
	for i := range 3000 {
		w.send(q, fmt.Sprint(i))
	}
	store.FailReads(errDisk)
	w.purge(q)
	w.settle()
	store.Repair()
	if n := keys(t, store)["m"]; n != 3000 {
		t.Fatalf("%d messages are left, want all", n)
	}
	w.restart()
	w.settle()
	wantKeys(t, store, map[string]int{"q": 1})
	if strings.Contains(fmt.Sprint(w.engine.portrait()), "m.") {
		t.Error("something is left in memory")
	}
}
