package control_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/control"
)

// live reads a stream of events: their types, and the comments.
type live struct {
	*testing.T
	lines *bufio.Scanner
}

func (d *desk) live(query string, headers ...string) *live {
	d.Helper()
	srv := httptest.NewServer(d.api)
	ctx, stop := context.WithTimeout(d.Context(), time.Minute)
	d.Cleanup(func() { stop(); srv.Close() })
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/api/v1/events"+query, nil)
	if err != nil {
		d.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		d.Fatalf("events = %s, %v", resp.Status, resp.Header)
	}
	l := &live{d.T, bufio.NewScanner(resp.Body)}
	if l.lines.Scan(); l.lines.Text() != ": live" {
		d.Fatalf("the stream begins with %q", l.lines.Text())
	}
	return l
}

// next returns the types of the next events.
func (l *live) next(n int) (kinds []string) {
	l.Helper()
	for len(kinds) < n && l.lines.Scan() {
		if kind, ok := strings.CutPrefix(l.lines.Text(), "event: "); ok {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func TestEventsComeAsTheyHappen(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	d.ask("PUT", queues+"other", "").want(201)
	id := d.send(orders, `{"body":"a"}`)
	d.settle()
	all := d.live("")
	past := d.live("?recent=3&queue=000000000000/us-east-1/orders")
	one := d.live("?message=" + id + "&kind=received,deleted")
	again := d.live("", "Last-Event-ID", "2")
	d.send(queues+"other", `{"body":"b"}`)
	d.ask("POST", orders+"/receive", "").want(200)
	d.ask("DELETE", "/api/v1/messages/"+id, "").want(204)
	for _, tt := range []struct {
		name string
		l    *live
		want []string
	}{
		{"all", all, []string{"sent", "received", "deleted"}},
		{"of a queue, with the past", past, []string{"queueCreated", "sent", "received", "deleted"}},
		{"of a message and of two kinds", one, []string{"received", "deleted"}},
		{"since the second", again, []string{"sent", "queueCreated", "sent", "received", "deleted"}},
	} {
		if diff := cmp.Diff(tt.want, tt.l.next(len(tt.want))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestEventsTellOfWhatTheyMiss(t *testing.T) {
	lost := int64(0)
	d := newDesk(t, func(o *control.Options) { o.Dropped = func() int64 { lost++; return lost } })
	for range 5000 {
		d.watcher.Observe(core.Event{Kind: core.EventQueueCreated, Queue: core.QueueKey{Name: "q"}})
	}
	l := d.live("", "Last-Event-ID", "10")
	if got := l.next(1); !cmp.Equal(got, []string{"gap"}) || !l.lines.Scan() || l.lines.Text() != `data: {"dropped":894}` {
		t.Errorf("after event 10 of 5000 comes %v %q, want a gap of 894", got, l.lines.Text())
	}
	for range 4096 {
		l.next(1)
	}
	d.watcher.Observe(core.Event{Kind: core.EventPurged, Queue: core.QueueKey{Name: "q"}})
	if got := l.next(2); !cmp.Equal(got, []string{"purged", "gap"}) {
		t.Errorf("after the engine has dropped events come %v, want a gap", got)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	w := control.NewWatcher(control.Memory{Messages: 10, PerMessage: 4, Events: 30})
	event := func(message byte, kind core.EventKind) {
		w.Observe(core.Event{
			Kind: kind, Queue: core.QueueKey{Name: "q"}, ID: core.MessageID{message}, Sequence: uint64(message),
			Trace: core.Trace{Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		})
	}
	event(1, core.EventSent)
	for range 9 {
		event(1, core.EventReceived)
	}
	kinds, forgotten := control.Remembered(w, core.MessageID{1})
	if diff := cmp.Diff([]core.EventKind{core.EventSent, core.EventReceived, core.EventReceived, core.EventReceived}, kinds); diff != "" || forgotten != 6 {
		t.Errorf("of 10 events are remembered (-want +got), %d forgotten:\n%s", forgotten, diff)
	}
	for m := byte(2); m < 100; m++ {
		event(m, core.EventSent)
	}
	if kinds, _ := control.Remembered(w, core.MessageID{1}); kinds != nil {
		t.Errorf("the message of which nothing was heard for longest has %v", kinds)
	}
	if n := control.Lives(w); n != 10 {
		t.Errorf("%d messages are remembered, want 10", n)
	}
	for m := byte(90); m < 100; m++ {
		for range 5 {
			event(m, core.EventReceived)
		}
	}
	if lives, events := control.Lives(w), control.Events(w); lives > 10 || events > 30 {
		t.Errorf("%d messages with %d events are remembered, want at most 10 and 30", lives, events)
	}
}

func TestSlowListenerIsCutOffAndHoldsNobodyUp(t *testing.T) {
	w := control.NewWatcher(control.Memory{})
	lost := control.Deafen(w)
	for range 5000 {
		w.Observe(core.Event{Kind: core.EventQueueCreated, Queue: core.QueueKey{Name: "q"}})
	}
	if n := lost(); n != 5000-2048 {
		t.Errorf("a listener that never reads has lost %d events, want %d", n, 5000-2048)
	}
}

func BenchmarkObserve(b *testing.B) {
	w := control.NewWatcher(control.Memory{})
	key := core.QueueKey{Namespace: core.Namespace{Account: "000000000000", Region: "us-east-1"}, Name: "orders"}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var id core.MessageID
	n := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		n++
		id[0], id[1], id[2], id[3] = byte(n/3), byte(n/3>>8), byte(n/3>>16), 1
		w.Observe(core.Event{Kind: core.EventSent + core.EventKind(n%3), At: at, Queue: key, ID: id, Sequence: n, Until: at})
	}
}
