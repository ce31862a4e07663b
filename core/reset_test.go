package core

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

// record is one of a dump.
type dumpedRecord struct{ key, value []byte }

func (w *world) dump() []dumpedRecord {
	w.Helper()
	var records []dumpedRecord
	err := w.engine.Dump(func(key, value []byte) error {
		records = append(records, dumpedRecord{append([]byte(nil), key...), value})
		return nil
	})
	if err != nil {
		w.Fatalf("Dump() = %v", err)
	}
	return records
}

func (w *world) restore(records []dumpedRecord) error {
	return w.engine.Restore(func(fn func(key, value []byte) error) error {
		for _, r := range records {
			if err := fn(r.key, r.value); err != nil {
				return err
			}
		}
		return nil
	})
}

// furnish makes some of everything.
func (w *world) furnish() (q, fifo, dead QueueKey, topic TopicKey) {
	w.Helper()
	ctx := context.Background()
	dead = w.create("dead", Patch{})
	target := &Redrive{Target: dead, MaxReceives: 3}
	q, fifo = w.create("q", Patch{Redrive: &target}), w.fifo("f.fifo")
	w.send(q, "a", "b", "c")
	w.post(q, Outgoing{Body: "later", Delay: new(time.Minute)})
	w.one(q)
	w.send(fifo, "g:1", "g:2")
	topic = TopicKey{home, "t"}
	_, _, err := w.CreateTopic(ctx, topic, TopicPatch{})
	for _, s := range []struct {
		name SubscriptionName
		to   Endpoint
	}{{"push", Endpoint{Kind: EndpointPush, Address: "http://x"}}, {"box", Endpoint{Kind: EndpointOutbox, Address: "mail"}}} {
		_, _, failed := w.Subscribe(ctx, topic, s.name, SubscriptionSettings{Endpoint: s.to})
		err = errors.Join(err, failed)
	}
	_, failed := w.Publish(ctx, topic, Publication{Body: "news"})
	if err = errors.Join(err, failed, w.AmendNotes(ctx, home, map[string]*string{"n": new("v")})); err != nil {
		w.Fatalf("furnishing: %v", err)
	}
	return q, fifo, dead, topic
}

func topicRules() Rules {
	r := forgiving()
	r.TopicDefaults, r.TopicRetention = TopicSettings{MaxSize: 1 << 16}, 24*time.Hour
	return r
}

func TestResetLeavesNothing(t *testing.T) {
	w := newWorld(t, topicRules())
	q, _, _, topic := w.furnish()
	if err := w.engine.Reset(); err != nil {
		t.Fatalf("Reset() = %v", err)
	}
	_, err := w.Queue(t.Context(), q)
	wantKind(t, "Queue()", err, QueueNotFound)
	_, err = w.Topic(t.Context(), topic)
	wantKind(t, "Topic()", err, TopicNotFound)
	if out, err := w.Outbox(t.Context(), home, 10); err != nil || len(out) > 0 {
		t.Errorf("Outbox() = %v, %v; want none", out, err)
	}
	w.settle()
	wantKeys(t, w.store, map[string]int{})
	if n := len(w.engine.names) + len(w.engine.topics.names); n > 0 {
		t.Errorf("%d namespaces are remembered, want none", n)
	}
	w.create("q", Patch{})
	w.send(q, "new")
	w.restart()
	w.expect(q, 10, "new")
}

func TestResetOfMessagesLeavesQueuesAndTopics(t *testing.T) {
	rules := topicRules()
	rules.PurgeInterval = time.Minute
	w := newWorld(t, rules)
	q, fifo, _, topic := w.furnish()
	if err := w.engine.ResetMessages(); err != nil {
		t.Fatalf("ResetMessages() = %v", err)
	}
	w.counts(q, 0, 0, 0)
	w.counts(fifo, 0, 0, 0)
	if info, err := w.Topic(t.Context(), topic); err != nil || info.Messages != 0 {
		t.Errorf("Topic() = %+v, %v; want one that nobody waits for", info, err)
	}
	w.settle()
	wantKeys(t, w.store, map[string]int{"q": 3, "T": 1, "S": 2, "N": 1})
	w.send(fifo, "g:1") // not a duplicate any more
	w.restart()
	w.expect(fifo, 10, "g:1")
	w.expect(q, 10)
	w.purge(q) // no client has purged it before
}

func TestResetEndsAndKeepsReceivesThatWait(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reset func(e *Engine) error
		want  Kind
	}{
		{"everything", (*Engine).Reset, QueueNotFound},
		{"messages", (*Engine).ResetMessages, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, forgiving())
				q := w.create("q", Patch{})
				var got []Received
				var err error
				var poll sync.WaitGroup
				poll.Go(func() { got, err = w.Receive(t.Context(), q, ReceiveRequest{Wait: new(20 * time.Second)}) })
				synctest.Wait()
				if err := tt.reset(w.engine); err != nil {
					t.Fatalf("reset = %v", err)
				}
				synctest.Wait()
				if tt.want == none {
					w.send(q, "after")
				}
				poll.Wait()
				wantKind(t, "Receive()", err, tt.want)
				if tt.want == none && (len(got) != 1 || got[0].Body != "after") {
					t.Errorf("Receive() = %v, want the message from after the reset", bodies(got))
				}
			})
		})
	}
}

func TestRestoreBringsEverythingBack(t *testing.T) {
	w := newWorld(t, topicRules())
	q, fifo, dead, topic := w.furnish()
	records := w.dump()
	w.expect(q, 10, "b", "c")
	w.send(q, "new")
	w.send(dead, "dead")
	extra := w.create("extra", Patch{})
	old := w.browse(q, BrowseRequest{Limit: 10})

	if err := w.restore(records); err != nil {
		t.Fatalf("Restore() = %v", err)
	}
	check := func(when string) {
		t.Helper()
		got := w.browse(q, BrowseRequest{Limit: 10})
		if diff := cmp.Diff([]string{"a", "b", "c", "later"}, texts(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
		if got[0].ID != old[0].ID || got[0].State != InFlight || got[0].Receives != 1 {
			t.Errorf("%s: %+v, want %v in flight", when, got[0], old[0].ID)
		}
		w.counts(q, 2, 1, 1)
		w.counts(dead, 0, 0, 0)
		_, err := w.Queue(t.Context(), extra)
		wantKind(t, when+": Queue() made later", err, QueueNotFound)
		subs, _, err := w.Subscriptions(t.Context(), topic, "", "", 10)
		if info, failed := w.Topic(t.Context(), topic); err != nil || failed != nil || len(subs) != 2 || info.Messages != 1 {
			t.Errorf("%s: topic %+v with %d subscriptions, %v", when, info, len(subs), errors.Join(err, failed))
		}
		if out, err := w.Outbox(t.Context(), home, 10); err != nil || len(out) != 1 {
			t.Errorf("%s: Outbox() = %v, %v; want one", when, out, err)
		}
		if notes, err := w.Notes(t.Context(), home); err != nil || notes["n"] != "v" {
			t.Errorf("%s: Notes() = %v, %v", when, notes, err)
		}
	}
	check("after the restore")
	w.settle()
	w.restart()
	check("after a restart")
	w.send(fifo, "g:1") // still a duplicate
	w.counts(fifo, 2, 0, 0)
	w.pass(time.Minute)
	w.expect(q, 10, "b", "c", "a", "later")

	for range 2 { // as often as one likes
		if err := w.restore(records); err != nil {
			t.Fatalf("Restore() again = %v", err)
		}
	}
	w.settle()
	w.counts(q, 4, 0, 0) // a minute has passed
}

func TestRestoreOfAnotherStore(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, numbers(1, 100)...)
	records := w.dump()
	other := newWorldOn(t, memory.New(), forgiving())
	if err := other.restore(records); err != nil {
		t.Fatalf("Restore() = %v", err)
	}
	other.counts(q, 100, 0, 0)
	other.send(q, "101")
	if seen := other.browse(q, BrowseRequest{Limit: 1, Newest: true}); seen[0].Body != "101" {
		t.Errorf("the newest is %q, want 101", seen[0].Body)
	}
}

func TestRestoreRefusesWhatIsNoDump(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "a")
	good := w.dump()
	for name, records := range map[string][]dumpedRecord{
		"unknown record":     {{[]byte("?"), nil}},
		"no key":             {{nil, nil}},
		"short key":          {{[]byte("q\x00"), nil}},
		"queue is damaged":   {{[]byte("q\x00\x00\x00\x01"), []byte{1, 2}}},
		"message of nobody":  {{[]byte("m\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x01"), nil}},
		"note is damaged":    {{[]byte("N"), []byte{9}}},
		"message is damaged": append(good[:1:1], dumpedRecord{[]byte("m\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01"), []byte{1}}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := w.restore(records); !errors.Is(err, ErrDump) {
				t.Errorf("Restore() = %v, want ErrDump", err)
			}
			w.counts(q, 1, 0, 0)
		})
	}
	w.settle()
	wantKeys(t, w.store, map[string]int{"q": 1, "m": 1})
}

// What a verb was answered before the dump is in it, what is answered later is not torn.
func TestDumpIsOfOneInstant(t *testing.T) {
	w := newWorld(t, forgiving())
	a, b := w.create("a", Patch{}), w.create("b", Patch{})
	w.send(a, "x")
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for from, to := a, b; ; from, to = to, from {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := w.engine.Transfer(w.place(from, "x"), to); err != nil {
				t.Errorf("Transfer() = %v", err)
				return
			}
		}
	})
	for range 50 {
		n := 0
		for _, r := range w.dump() {
			if r.key[0] == messagePrefix {
				n++
			}
		}
		if n != 1 {
			t.Errorf("a dump has %d messages, want the one that is being moved", n)
		}
	}
	close(stop)
	all.Wait()
}

func TestRestoreWhileRequestsRun(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "a", "b")
	records := w.dump()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, err := w.Send(t.Context(), q, []Outgoing{{Body: "x"}})
				if kind, _ := kindOf(err); err != nil && kind != QueueNotFound {
					t.Errorf("Send() = %v", err)
				}
				_, err = w.Receive(t.Context(), q, ReceiveRequest{})
				if kind, _ := kindOf(err); err != nil && kind != QueueNotFound {
					t.Errorf("Receive() = %v", err)
				}
			}
		})
	}
	for range 20 {
		if err := w.restore(records); err != nil {
			t.Errorf("Restore() = %v", err)
		}
	}
	close(stop)
	all.Wait()
	if err := w.restore(records); err != nil {
		t.Errorf("Restore() = %v", err)
	}
	w.counts(q, 2, 0, 0)
	w.settle()
	w.restart()
	w.expect(q, 10, "a", "b")
}

func TestResetThatCannotBeStoredChangesNothing(t *testing.T) {
	store := persistencetest.NewFaulty(memory.New())
	w := newWorldOn(t, store, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "a")
	records := w.dump()
	for name, do := range map[string]func() error{
		"Reset":         w.engine.Reset,
		"ResetMessages": w.engine.ResetMessages,
		"Restore":       func() error { return w.restore(records) },
	} {
		store.Break(errors.New("full"))
		if err := do(); err == nil {
			t.Errorf("%s() = nil, want the store's error", name)
		}
		store.Repair()
		w.counts(q, 1, 0, 0)
	}
	w.expect(q, 10, "a")
}
