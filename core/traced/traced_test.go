package traced

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/sluicemq/sluice/core"
)

const parent = "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01"

var (
	epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	work  = core.QueueKey{Namespace: core.Namespace{Account: "000000000000", Region: "us-east-1"}, Name: "work"}
	dead  = core.QueueKey{Namespace: work.Namespace, Name: "dead"}
)

func TestRecentForgetsWhatWasNotUsedForLongest(t *testing.T) {
	r := newRecent[int, string](4)
	for i := range 4 {
		r.put(i, fmt.Sprint(i))
		r.get(0)
	}
	r.put(4, "4")
	if v, ok := r.get(0); !ok || v != "0" {
		t.Errorf("get(0) = %q, %v, want the one that is used all the time", v, ok)
	}
	for i := range 1000 {
		r.put(i, "")
		if n := len(r.young) + len(r.old); n > 4 {
			t.Fatalf("%d entries after %d, want 4 at the most", n, i)
		}
	}
	r.all(func(k int, _ string) { r.drop(k) })
	if n := len(r.young) + len(r.old); n != 0 {
		t.Errorf("%d entries after all were dropped", n)
	}
}

func TestContextsAreReadAndWritten(t *testing.T) {
	got := contextOf(core.Trace{Parent: parent, State: "a=b"})
	if !got.IsValid() || !got.IsRemote() || !got.IsSampled() {
		t.Errorf("contextOf(%q) = %v, want a sampled context of elsewhere", parent, got)
	}
	if diff := cmp.Diff(core.Trace{Parent: parent, State: "a=b"}, traceOf(got)); diff != "" {
		t.Errorf("traceOf(contextOf()) (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "x", strings.Repeat("x", 55), "00-" + strings.Repeat("0", 32) + "-53995c3f42cd8ad8-01", parent[:53] + "zz"} {
		if got := contextOf(core.Trace{Parent: bad}); got.IsValid() {
			t.Errorf("contextOf(%q) = %v, want none", bad, got)
		}
	}
	if got := contextOf(core.Trace{Parent: parent, State: "=,="}); !got.IsValid() || got.TraceState().Len() != 0 {
		t.Errorf("contextOf with a malformed state = %v, want one without", got)
	}
}

// told returns the spans that events make, with times since epoch.
func told(t *testing.T, before func(*Lives), events ...core.Event) []string {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	lives := NewLives(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)), 0)
	if before != nil {
		before(lives)
	}
	for _, e := range events {
		if e.Queue.Name == "" {
			e.Queue = work
		}
		lives.Observe(e)
	}
	var lines []string
	for _, s := range spans.Ended() {
		lines = append(lines, fmt.Sprintf("%s %v-%v %s", s.Name(), s.StartTime().Sub(epoch), s.EndTime().Sub(epoch), s.Parent().TraceID().String()[:4]))
	}
	return lines
}

func at(seconds int) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }

func TestLivesFollowWhatEventsTell(t *testing.T) {
	id := core.MessageID{1}
	sent := core.Event{Kind: core.EventSent, At: at(0), Until: at(0), ID: id, Trace: core.Trace{Parent: parent}}
	received := core.Event{Kind: core.EventReceived, At: at(2), Until: at(32), ID: id, Receives: 1}
	for _, tt := range []struct {
		name   string
		before func(*Lives)
		events []core.Event
		want   []string
	}{
		{"moved", nil, []core.Event{sent, {Kind: core.EventMoved, At: at(3), ID: id, Other: dead}}, []string{"queued work 0s-3s 5759", "moved work -> dead 3s-3s 5759"}},
		{"moved, and received and deleted under its new id", nil, []core.Event{
			sent,
			{Kind: core.EventMoved, At: at(3), ID: id, Other: dead, As: core.MessageID{2}},
			{Kind: core.EventReceived, At: at(4), Until: at(34), ID: core.MessageID{2}, Queue: dead, Receives: 1},
			{Kind: core.EventDeleted, At: at(5), ID: core.MessageID{2}, Queue: dead},
			{Kind: core.EventDeleted, At: at(6), ID: id},
		}, []string{"queued work 0s-3s 5759", "moved work -> dead 3s-3s 5759", "queued dead 3s-4s 5759", "in flight dead 4s-5s 5759"}},
		{"moved, with its receives", nil, []core.Event{
			sent, received,
			{Kind: core.EventVisible, At: at(32), ID: id},
			{Kind: core.EventMoved, At: at(40), ID: id, Other: dead, As: core.MessageID{2}, Receives: 1},
			{Kind: core.EventReceived, At: at(41), Until: at(71), ID: core.MessageID{2}, Queue: dead, Receives: 2},
			{Kind: core.EventPurged, At: at(42), Queue: dead},
		}, []string{
			"queued work 0s-2s 5759", "in flight work 2s-32s 5759", "queued work 32s-40s 5759", "moved work -> dead 40s-40s 5759",
			"queued dead 40s-41s 5759", "in flight dead 41s-42s 5759",
		}},
		{"duplicate", nil, []core.Event{sent, {Kind: core.EventDeduplicated, At: at(1), ID: id}}, []string{"deduplicated work 1s-1s 5759"}},
		{"deleted while it waits", nil, []core.Event{sent, {Kind: core.EventDeleted, At: at(1), ID: id}}, []string{"queued work 0s-1s 5759"}},
		{"there before, and nobody knows its trace", nil, []core.Event{received, {Kind: core.EventDeleted, At: at(3), ID: id}}, nil},
		{"there before, and its receiver has told its trace", func(l *Lives) {
			l.received(contextOf(core.Trace{Parent: parent}), work, at(2), []core.Received{{Message: core.Message{ID: id, Receives: 1, Trace: core.Trace{Parent: parent}}}})
		}, []core.Event{received, {Kind: core.EventDeleted, At: at(3), ID: id}}, []string{"in flight work 2s-3s 5759"}},
		{"visible twice", nil, []core.Event{
			sent, received,
			{Kind: core.EventVisibilitySet, At: at(5), Until: at(5), ID: id},
			{Kind: core.EventVisible, At: at(5), ID: id},
			{Kind: core.EventDeleted, At: at(6), ID: id},
		}, []string{"queued work 0s-2s 5759", "in flight work 2s-5s 5759", "queued work 5s-6s 5759"}},
		{"purged elsewhere", nil, []core.Event{sent, {Kind: core.EventPurged, At: at(1), Queue: dead}}, nil},
		{"purged in the dead-letter queue", nil, []core.Event{
			sent, {Kind: core.EventDeadLettered, At: at(1), ID: id, Other: dead}, {Kind: core.EventPurged, At: at(2), Queue: dead},
		}, []string{"queued work 0s-1s 5759", "dead-lettered work -> dead 1s-1s 5759", "queued dead 1s-2s 5759"}},
		{"push into a queue", nil, []core.Event{
			{Kind: core.EventPublished, At: at(0), ID: id, Topic: core.TopicKey{Name: "news"}, Trace: core.Trace{Parent: parent}},
			{Kind: core.EventPushFailed, At: at(1), ID: id, Topic: core.TopicKey{Name: "news"}, Subscription: "s", Receives: 1, Until: at(5), Trace: core.Trace{Parent: parent}},
			{Kind: core.EventPushed, At: at(6), ID: id, Topic: core.TopicKey{Name: "news"}, Subscription: "s", Receives: 2, Trace: core.Trace{Parent: parent}},
		}, []string{"push news -> s 0s-1s 5759", "push news -> s 5s-6s 5759"}},
		{"push of an unknown publication", nil, []core.Event{
			{Kind: core.EventPushFailed, At: at(1), ID: id, Topic: core.TopicKey{Name: "news"}, Subscription: "s", Other: dead, Trace: core.Trace{Parent: parent}},
		}, []string{"push news -> s 1s-1s 5759"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, told(t, tt.before, tt.events...)); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMovedMessageKnowsItsReceiverAlthoughEventsLagBehind(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	lives := NewLives(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)), 0)
	by := contextOf(core.Trace{Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	sampled := core.Trace{Parent: parent}
	before, now := core.MessageID{1}, core.MessageID{2}
	lives.received(by, dead, at(4), []core.Received{{Message: core.Message{ID: now, Receives: 1, Trace: sampled}}})
	for _, e := range []core.Event{
		{Kind: core.EventSent, At: at(0), ID: before, Queue: work, Trace: sampled},
		{Kind: core.EventMoved, At: at(3), ID: before, Queue: work, Other: dead, As: now},
		{Kind: core.EventReceived, At: at(4), Until: at(34), ID: now, Queue: dead, Receives: 1},
		{Kind: core.EventDeleted, At: at(5), ID: now, Queue: dead},
	} {
		lives.Observe(e)
	}
	ended := spans.Ended()
	if len(ended) != 4 {
		t.Fatalf("%d spans, want 4: queued, moved, queued, in flight", len(ended))
	}
	last := ended[3]
	if links := last.Links(); len(links) != 1 || !links[0].SpanContext.Equal(by) {
		t.Errorf("%s has the links %v, want one to the receiver", last.Name(), links)
	}
	if got := last.StartTime(); !got.Equal(at(4)) {
		t.Errorf("%s begins at %v, want %v", last.Name(), got, at(4))
	}
	if got := last.Parent().TraceID(); got != contextOf(sampled).TraceID() {
		t.Errorf("%s is in the trace %v, want that of the producer", last.Name(), got)
	}
}

func TestVisibilityChangesOfOneSpanAreBounded(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	lives := NewLives(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)), 0)
	sampled := core.Trace{Parent: parent}
	lives.received(trace.SpanContext{}, work, at(0), []core.Received{{Message: core.Message{ID: core.MessageID{1}, Receives: 1, Trace: sampled}}})
	for i := range 1000 {
		lives.Observe(core.Event{Kind: core.EventVisibilitySet, At: at(i), Until: at(i + 9), ID: core.MessageID{1}, Queue: work})
		lives.received(trace.SpanContext{}, work, at(i), []core.Received{{Message: core.Message{ID: core.MessageID{1}, Receives: i + 2, Trace: sampled}}})
	}
	l, _ := lives.messages.get(core.MessageID{1})
	if len(l.changes) != maxChanges || len(l.receivers) != maxReceivers {
		t.Errorf("%d changes and %d receivers are kept, want %d and %d", len(l.changes), len(l.receivers), maxChanges, maxReceivers)
	}
}

func TestUnsampledContextsMakeNoSpans(t *testing.T) {
	unsampled := core.Trace{Parent: parent[:53] + "00"}
	got := told(t, nil, core.Event{Kind: core.EventSent, At: at(0), ID: core.MessageID{1}, Trace: unsampled},
		core.Event{Kind: core.EventDeleted, At: at(1), ID: core.MessageID{1}})
	if len(got) != 0 {
		t.Errorf("spans = %q, want none", got)
	}
}

func TestEveryEventHasANameInMetrics(t *testing.T) {
	for kind := core.EventSent; kind <= core.EventPushFailed; kind++ {
		if int(kind) >= len(kinds) || kinds[kind] == "" {
			t.Errorf("event %d has no name in metrics", kind)
		}
	}
}
