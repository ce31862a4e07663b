package core

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func (w *world) browse(key QueueKey, r BrowseRequest) []Seen {
	w.Helper()
	seen, _, err := w.engine.Browse(context.Background(), key, r)
	if err != nil {
		w.Fatalf("Browse(%v) = %v", key.Name, err)
	}
	return seen
}

// place finds the message of a body.
func (w *world) place(key QueueKey, body string) Place {
	w.Helper()
	for _, m := range w.browse(key, BrowseRequest{Limit: 1000}) {
		if m.Body == body {
			return Place{key, m.Sequence}
		}
	}
	w.Fatalf("%v has no message %q", key.Name, body)
	return Place{}
}

func (w *world) explain(p Place, limit int) Explanation {
	w.Helper()
	x, err := w.engine.Explain(p, limit)
	if err != nil {
		w.Fatalf("Explain(%v) = %v", p, err)
	}
	return x
}

func texts(seen []Seen) []string {
	var texts []string
	for _, m := range seen {
		texts = append(texts, m.Body)
	}
	return texts
}

func TestBrowseShowsMessagesInEveryStateAndChangesNone(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "a", "b", "c")
	w.post(q, Outgoing{Body: "d", Delay: new(time.Minute)})
	w.one(q)
	for _, tt := range []struct {
		name string
		r    BrowseRequest
		want []string
	}{
		{"all", BrowseRequest{Limit: 10}, []string{"a", "b", "c", "d"}},
		{"newest first", BrowseRequest{Limit: 2, Newest: true}, []string{"d", "c"}},
		{"in flight", BrowseRequest{Limit: 10, States: []MessageState{InFlight}}, []string{"a"}},
		{"delayed and visible", BrowseRequest{Limit: 10, States: []MessageState{Delayed, Visible}}, []string{"b", "c", "d"}},
		{"none", BrowseRequest{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, texts(w.browse(q, tt.r))); diff != "" {
				t.Errorf("Browse(%+v) (-want +got):\n%s", tt.r, diff)
			}
		})
	}
	w.counts(q, 2, 1, 1)
	first := w.browse(q, BrowseRequest{Limit: 1})[0]
	if first.State != InFlight || first.Receives != 1 || !first.VisibleAt.Equal(epoch.Add(30*time.Second)) || first.ExpiresAt != epoch.Add(4*24*time.Hour) {
		t.Errorf("Browse() = %+v, want one in flight for 30 s", first)
	}
	w.pass(time.Minute)
	if got := w.browse(q, BrowseRequest{Limit: 10, States: []MessageState{Visible}}); len(got) != 4 {
		t.Errorf("Browse() a minute later = %d visible, want 4", len(got))
	}
}

func TestBrowsePagesThroughALongQueueOnce(t *testing.T) {
	for _, newest := range []bool{false, true} {
		t.Run(fmt.Sprint("newest ", newest), func(t *testing.T) {
			w := newWorld(t, forgiving())
			q := w.create("q", Patch{})
			const n = 3*walkStep + 7
			want := numbers(1, n)
			w.send(q, want...)
			if newest {
				slices.Reverse(want)
			}
			var got []string
			r := BrowseRequest{Limit: 1000, Newest: newest}
			for more := true; more; {
				var seen []Seen
				var err error
				if seen, more, err = w.engine.Browse(t.Context(), q, r); err != nil {
					t.Fatalf("Browse() = %v", err)
				}
				got = append(got, texts(seen)...)
				r.After = seen[len(seen)-1].Sequence
			}
			if !slices.Equal(got, want) {
				t.Errorf("paged through %d messages from %q to %q, want %d", len(got), got[0], got[len(got)-1], n)
			}
		})
	}
}

func TestBrowseLetsEverybodyElseWork(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, numbers(1, 3*walkStep)...)
	var all sync.WaitGroup
	all.Go(func() {
		for range 20 {
			w.browse(q, BrowseRequest{Limit: 10})
		}
	})
	for range 4 {
		all.Go(func() {
			for range 100 {
				w.send(q, "x")
				if got := w.receive(q, 1); len(got) == 1 {
					w.drop(q, got[0].Receipt)
				}
			}
		})
	}
	all.Go(func() { w.purge(q) })
	all.Wait()
}

func TestFindFindsAMessageWhereverItIs(t *testing.T) {
	w := newWorld(t, forgiving())
	a, b := w.create("a", Patch{}), w.create("b", Patch{})
	w.send(a, "x")
	sent := w.post(b, Outgoing{Body: "y"})
	want := Place{b, sent.Sequence}
	for _, hints := range [][]Place{nil, {{b, sent.Sequence}}, {{b, 0}}, {{a, sent.Sequence}}, {{named("no"), 1}, {a, 0}}} {
		if got, err := w.engine.Find(t.Context(), sent.ID, hints...); got != want || err != nil {
			t.Errorf("Find(%v) = %v, %v; want %v", hints, got, err, want)
		}
	}
	_, err := w.engine.Find(t.Context(), MessageID{1})
	wantKind(t, "Find() of an unknown id", err, MessageGone)
	_, err = w.engine.Look(Place{a, 999})
	wantKind(t, "Look() at nothing", err, MessageGone)
}

func TestExplainTellsWhyAMessageIsNotDelivered(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.create("dead", Patch{})
	target := &Redrive{Target: dead, MaxReceives: 1}
	q := w.create("q", Patch{Redrive: &target})
	w.send(q, "ahead", "here")
	w.post(q, Outgoing{Body: "delayed", Delay: new(time.Minute)})
	if x := w.explain(w.place(q, "here"), 0); x.Reason != Deliverable || x.Ahead != 1 || x.MaxReceives != 1 || x.LeftHere != 1 {
		t.Errorf("Explain() = %+v, want deliverable behind one", x)
	}
	if x := w.explain(w.place(q, "delayed"), 0); x.Reason != HiddenDelayed || !x.Until.Equal(epoch.Add(time.Minute)) {
		t.Errorf("Explain() = %+v, want delayed for a minute", x)
	}
	w.one(q)
	if x := w.explain(w.place(q, "ahead"), 0); x.Reason != HiddenFlight || !x.LastAt.Equal(epoch) || x.Receives != 1 {
		t.Errorf("Explain() = %+v, want in flight since the start", x)
	}
	if x := w.explain(w.place(q, "here"), 1); x.Reason != QueueAtLimit || x.InFlight != 1 {
		t.Errorf("Explain() = %+v, want a queue at its limit", x)
	}
	w.pass(30 * time.Second)
	if x := w.explain(w.place(q, "ahead"), 0); x.Reason != OverReceives || *x.DeadLetter != dead {
		t.Errorf("Explain() = %+v, want over its receives", x)
	}
	if err := w.DeleteQueue(t.Context(), dead); err != nil {
		t.Fatal(err)
	}
	if x := w.explain(w.place(q, "ahead"), 0); x.Reason != Deliverable {
		t.Errorf("Explain() without the dead-letter queue = %+v, want deliverable", x)
	}
}

func TestExplainNamesTheMessageThatBlocksAGroup(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.fifo("q.fifo")
	w.send(q, "g:1", "g:2", "h:1")
	first := w.one(q)
	x := w.explain(w.place(q, "g:2"), 0)
	if x.Reason != GroupBlocked || x.BlockedBy != first.ID || !x.Until.Equal(epoch.Add(30*time.Second)) {
		t.Errorf("Explain() = %+v, want blocked by %v", x, first.ID)
	}
	if x := w.explain(w.place(q, "h:1"), 0); x.Reason != Deliverable {
		t.Errorf("Explain() of another group = %+v, want deliverable", x)
	}
}

func TestExplainTellsOfATenantThatHasHadItsShare(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{TenantRate: new(1)})
	w.send(q, "g:1", "g:2")
	w.one(q)
	if x := w.explain(w.place(q, "g:2"), 0); x.Reason != TenantAtLimit || !x.Until.Equal(epoch.Add(time.Second)) {
		t.Errorf("Explain() = %+v, want a tenant at its limit for a second", x)
	}
}

func TestInterventionsChangeOneMessage(t *testing.T) {
	w := newWorld(t, forgiving())
	q, other, fifo := w.create("q", Patch{}), w.create("other", Patch{}), w.fifo("f.fifo")
	w.send(q, "a", "b", "c")
	w.receive(q, 3)
	for what, do := range map[string]func() error{
		"Reveal()":  func() error { return w.engine.Reveal(w.place(q, "a")) },
		"Discard()": func() error { return w.engine.Discard(w.place(q, "b")) },
	} {
		if err := do(); err != nil {
			t.Errorf("%s = %v", what, err)
		}
	}
	was, _ := w.engine.Look(w.place(q, "c"))
	p, err := w.engine.Transfer(w.place(q, "c"), other)
	if err != nil {
		t.Fatalf("Transfer() = %v", err)
	}
	w.counts(q, 1, 0, 0)
	w.counts(other, 1, 0, 0)
	got, err := w.engine.Look(p)
	if err != nil || got.ID != was.ID || got.Body != "c" || got.Receives != 1 || got.State != Visible {
		t.Errorf("moved: %+v, %v; want %v with its receive", got, err, was.ID)
	}
	for _, tt := range []struct {
		p    Place
		to   QueueKey
		want Kind
	}{
		{w.place(q, "a"), named("no"), MoveTargetNotFound},
		{w.place(q, "a"), q, MoveTargetIsSource},
		{w.place(q, "a"), fifo, MoveTargetType},
		{Place{q, 999}, other, MessageGone},
		{Place{named("no"), 1}, other, QueueNotFound},
	} {
		_, err := w.engine.Transfer(tt.p, tt.to)
		wantKind(t, fmt.Sprint("Transfer() to ", tt.to.Name), err, tt.want)
	}
	wantKind(t, "Discard() of nothing", w.engine.Discard(Place{q, 999}), MessageGone)
	w.restart()
	w.expect(q, 10, "a")
	w.expect(other, 10, "c")
}

func TestStatusesPageOverNamespaces(t *testing.T) {
	w := newWorld(t, forgiving())
	for _, k := range []QueueKey{{Namespace{"2", "x"}, "a"}, {Namespace{"1", "y"}, "b"}, {Namespace{"1", "y"}, "a"}, {Namespace{"1", "x"}, "pa"}} {
		if _, _, err := w.Create(t.Context(), k, Patch{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	list := func(f QueueFilter) (names []string) {
		if f.Limit == 0 {
			f.Limit = 10
		}
		all, _, err := w.engine.Statuses(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range all {
			names = append(names, q.Key.Namespace.Account+q.Key.Namespace.Region+string(q.Key.Name))
		}
		return names
	}
	for _, tt := range []struct {
		f    QueueFilter
		want []string
	}{
		{QueueFilter{}, []string{"1xpa", "1ya", "1yb", "2xa"}},
		{QueueFilter{Limit: 2}, []string{"1xpa", "1ya"}},
		{QueueFilter{After: QueueKey{Namespace{"1", "y"}, "a"}}, []string{"1yb", "2xa"}},
		{QueueFilter{Account: "1", Region: "y"}, []string{"1ya", "1yb"}},
		{QueueFilter{Prefix: "p"}, []string{"1xpa"}},
		{QueueFilter{Prefix: "a", After: QueueKey{Namespace{"1", "y"}, "a"}}, []string{"2xa"}},
	} {
		if diff := cmp.Diff(tt.want, list(tt.f)); diff != "" {
			t.Errorf("Statuses(%+v) (-want +got):\n%s", tt.f, diff)
		}
	}
	if n := w.engine.Count(QueueFilter{Account: "1"}, true); n != (Counted{Queues: 3}) {
		t.Errorf("Count() = %+v, want 3 queues", n)
	}
}
