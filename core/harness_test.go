package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
)

// forgiving are the rules of a provider that lets old receipts of standard queues work, as the first dialect has them.
func forgiving() Rules {
	return Rules{
		Defaults: Settings{Visibility: 30 * time.Second, Retention: 4 * 24 * time.Hour, MaxSize: 1 << 20},

		QueueDelay:      Between(0, 15*time.Minute),
		QueueVisibility: Between(0, 12*time.Hour),
		QueueRetention:  Between(time.Minute, 14*24*time.Hour),
		QueueWait:       Between(0, 20*time.Second),
		QueueMaxSize:    Between(1024, 1<<20),

		Delay:             Between(0, 15*time.Minute),
		ReceiveVisibility: Between(0, 12*time.Hour),
		ChangeVisibility:  Between(0, 12*time.Hour),
		Wait:              Between(0, 20*time.Second),
		ReceiveMax:        Between(1, 10),

		SizeCountsAttributes: true,
		FailBatch:            []Kind{GroupMissing, DeduplicationIDMissing},
		VisibilityTotal:      12 * time.Hour,
		StandardReceipts: ReceiptRules{
			DeleteExpired: Apply, DeleteSuperseded: Ignore, DeleteGone: Ignore,
			ChangeExpired: Apply, ChangeSuperseded: Apply, ChangeGone: Reject,
		},
		FIFOReceipts:   ReceiptRules{DeleteGone: Ignore},
		MaxInFlight:    120_000,
		OverLimitFails: true,
	}
}

// strict are the rules of a provider that refuses every old receipt and knows priorities, as the second dialect.
func strict() Rules {
	return Rules{
		Defaults: Settings{Visibility: 30 * time.Second, Retention: 4 * 24 * time.Hour, MaxSize: 1 << 16},

		QueueVisibility: Between(time.Second, 12*time.Hour),
		QueueMaxSize:    Between(1024, 1<<16),

		Delay:            Between(0, 7*24*time.Hour),
		ChangeVisibility: Between(time.Second, 12*time.Hour),
		Wait:             Between(0, 30*time.Second),
		ReceiveMax:       Between(1, 16),
		PeekMax:          Between(1, 16),
		Priority:         Between(1, 16),

		CompareOmitted:  true,
		FIFODelay:       true,
		GroupOnly:       true,
		FailBatch:       []Kind{OutOfRange, NotForQueueType, GroupMissing},
		RenewReceipt:    true,
		DelayedReceipts: true,
	}
}

// epoch is when the tests begin.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var home = Namespace{Account: "123456789012", Region: "here"}

func named(name string) QueueKey { return QueueKey{home, QueueName(name)} }

func newManual() *clock.Manual { return clock.NewManual(epoch) }

// world is an engine on a store with a clock that is moved by hand. Its methods fail the test on errors.
type world struct {
	TB
	clock  *clock.Manual
	store  persistence.Store
	crash  func()                   // keeps what a crash would leave now, for reopen; nil where restarts are orderly
	reopen func() persistence.Store // opens the store again; nil where the same one goes on
	budget int64
	rules  Rules
	engine *Engine
	Broker
}

// TB is what a world needs of a test, which may be one of many that rapid makes.
type TB interface {
	Helper()
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func newWorld(t TB, r Rules) *world { return newWorldOn(t, memory.New(), r) }

func newWorldOn(t TB, store persistence.Store, r Rules) *world {
	t.Helper()
	w := &world{TB: t, clock: newManual(), store: store, rules: r}
	w.open()
	t.Cleanup(w.close)
	return w
}

func (w *world) open() {
	w.Helper()
	e, err := Open(w.store, Options{Clock: w.clock, BodyBudget: w.budget, OnError: func(err error) { w.Logf("in the background: %v", err) }})
	if err != nil {
		w.Fatalf("Open() = %v", err)
	}
	w.engine, w.Broker = e, e.Under(w.rules)
}

func (w *world) close() {
	if err := w.engine.Close(); err != nil {
		w.Errorf("Close() = %v", err)
	}
}

// restart closes the engine and opens it on what it has stored.
func (w *world) restart() {
	w.Helper()
	if w.crash != nil {
		w.crash()
	}
	w.close()
	if w.reopen != nil {
		w.store = w.reopen()
	}
	w.open()
}

func (w *world) pass(d time.Duration) { w.clock.Advance(d) }

func (w *world) create(name string, p Patch) QueueKey {
	w.Helper()
	key := named(name)
	if _, made, err := w.Create(context.Background(), key, p, nil); err != nil || !made {
		w.Fatalf("Create(%q) = made %v, %v", name, made, err)
	}
	return key
}

// fifo makes a FIFO queue that takes the digest of a body for its deduplication id.
func (w *world) fifo(name string) QueueKey {
	w.Helper()
	return w.create(name, Patch{FIFO: new(true), ContentDedup: new(true)})
}

func (w *world) amend(key QueueKey, p Patch) {
	w.Helper()
	err := w.Amend(context.Background(), key, func(QueueInfo) (Patch, error) { return p, nil })
	if err != nil {
		w.Fatalf("Amend(%v) = %v", key.Name, err)
	}
}

// post sends a message and returns the outcome.
func (w *world) post(key QueueKey, o Outgoing) Sent {
	w.Helper()
	sent, err := w.Send(context.Background(), key, []Outgoing{o})
	if err != nil {
		w.Fatalf("Send(%v, %q) = %v", key.Name, o.Body, err)
	}
	if sent[0].Err != nil {
		w.Fatalf("Send(%v, %q) = %v", key.Name, o.Body, sent[0].Err)
	}
	return sent[0]
}

// send sends messages one by one. A body "g:b" goes to the group g.
func (w *world) send(key QueueKey, bodies ...string) {
	w.Helper()
	for _, body := range bodies {
		o := Outgoing{Body: body}
		if group, _, ok := strings.Cut(body, ":"); ok {
			o.Group = &group
		}
		w.post(key, o)
	}
}

// receive takes up to most messages without waiting, under the queue's timeout.
func (w *world) receive(key QueueKey, most int) []Received {
	w.Helper()
	return w.take(key, ReceiveRequest{Max: &most})
}

func (w *world) take(key QueueKey, r ReceiveRequest) []Received {
	w.Helper()
	if r.Wait == nil {
		r.Wait = new(time.Duration(0))
	}
	got, err := w.Receive(context.Background(), key, r)
	if err != nil {
		w.Fatalf("Receive(%v) = %v", key.Name, err)
	}
	return got
}

// one takes exactly one message.
func (w *world) one(key QueueKey) Received {
	w.Helper()
	got := w.receive(key, 1)
	if len(got) != 1 {
		w.Fatalf("Receive(%v) = %d messages, want 1", key.Name, len(got))
	}
	return got[0]
}

// expect takes up to most messages and checks which they are.
func (w *world) expect(key QueueKey, most int, want ...string) []Received {
	w.Helper()
	got := w.receive(key, most)
	if diff := cmp.Diff(want, bodies(got)); diff != "" {
		w.Fatalf("Receive(%v, %d) (-want +got):\n%s", key.Name, most, diff)
	}
	return got
}

func bodies(got []Received) []string {
	var texts []string
	for _, m := range got {
		texts = append(texts, m.Body)
	}
	return texts
}

func (w *world) drop(key QueueKey, receipts ...Receipt) {
	w.Helper()
	errs, err := w.Delete(context.Background(), key, receipts)
	if err = errors.Join(append(errs, err)...); err != nil {
		w.Fatalf("Delete(%v) = %v", key.Name, err)
	}
}

// deleting returns the outcome of deleting one receipt.
func (w *world) deleting(key QueueKey, r Receipt) error {
	w.Helper()
	errs, err := w.Delete(context.Background(), key, []Receipt{r})
	if err != nil {
		w.Fatalf("Delete(%v) = %v", key.Name, err)
	}
	return errs[0]
}

// hide changes the visibility of one receipt and returns the outcome.
func (w *world) hide(key QueueKey, r Receipt, d time.Duration) VisibilityChanged {
	w.Helper()
	got, err := w.ChangeVisibility(context.Background(), key, []VisibilityChange{{r, d}})
	if err != nil {
		w.Fatalf("ChangeVisibility(%v, %v) = %v", key.Name, d, err)
	}
	return got[0]
}

func (w *world) mustHide(key QueueKey, r Receipt, d time.Duration) VisibilityChanged {
	w.Helper()
	got := w.hide(key, r, d)
	if got.Err != nil {
		w.Fatalf("ChangeVisibility(%v, %v) = %v", key.Name, d, got.Err)
	}
	return got
}

func (w *world) info(key QueueKey) QueueInfo {
	w.Helper()
	info, err := w.Queue(context.Background(), key)
	if err != nil {
		w.Fatalf("Queue(%v) = %v", key.Name, err)
	}
	return info
}

// counts checks the three counters of a queue.
func (w *world) counts(key QueueKey, visible, inFlight, delayed int) {
	w.Helper()
	i := w.info(key)
	if got, want := [...]int{i.Visible, i.InFlight, i.Delayed}, [...]int{visible, inFlight, delayed}; got != want {
		w.Errorf("Queue(%v) visible, in flight, delayed = %v, want %v", key.Name, got, want)
	}
}

// purge purges a queue.
func (w *world) purge(key QueueKey) {
	w.Helper()
	if err := w.Purge(context.Background(), key); err != nil {
		w.Fatalf("Purge(%v) = %v", key.Name, err)
	}
}

// wantKind checks that an error is of a kind; a negative kind stands for none.
func wantKind(t TB, what string, err error, want Kind) {
	t.Helper()
	if want == none && err == nil {
		return
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != want {
		t.Errorf("%s = %v, want kind %d", what, err, want)
	}
}

// none is the kind of a nil error.
const none Kind = -1

// numbers returns "from".."to" as texts.
func numbers(from, to int) []string {
	var texts []string
	for i := from; i <= to; i++ {
		texts = append(texts, fmt.Sprint(i))
	}
	return texts
}
