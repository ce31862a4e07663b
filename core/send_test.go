package core

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSendHidesMessageForItsDelay(t *testing.T) {
	for _, tt := range []struct {
		name         string
		queue, given *time.Duration
		want         time.Duration
	}{
		{"none", nil, nil, 0},
		{"the queue's", new(5 * time.Second), nil, 5 * time.Second},
		{"its own", nil, new(7 * time.Second), 7 * time.Second},
		{"its own before the queue's", new(5 * time.Second), new(7 * time.Second), 7 * time.Second},
		{"zero is not the queue's", new(5 * time.Second), new(time.Duration(0)), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, forgiving())
			q := w.create("q", Patch{Delay: tt.queue})
			if got := w.post(q, Outgoing{Body: "m", Delay: tt.given}); !got.VisibleAt.Equal(epoch.Add(tt.want)) {
				t.Errorf("Send() visible at %v, want %v", got.VisibleAt, epoch.Add(tt.want))
			}
			if tt.want > 0 {
				w.counts(q, 0, 0, 1)
				w.pass(tt.want - time.Millisecond)
				w.expect(q, 10)
				w.pass(time.Millisecond)
			}
			w.counts(q, 1, 0, 0)
			w.expect(q, 10, "m")
			w.counts(q, 0, 1, 0)
		})
	}
}

func TestSendRefusesWhatRulesForbid(t *testing.T) {
	long := strings.Repeat("x", 1024)
	attribute := []Attribute{{Name: "n", Kind: Text, Label: "l", Value: []byte("v")}}
	for _, tt := range []struct {
		name  string
		rules Rules
		fifo  bool
		o     Outgoing
		kind  Kind
		field Field
		whole bool // the call fails, not the message
	}{
		{"a body of the limit", forgiving(), false, Outgoing{Body: long}, none, NoField, false},
		{"a longer body", forgiving(), false, Outgoing{Body: long + "x"}, MessageTooLarge, NoField, false},
		{"attributes count", forgiving(), false, Outgoing{Body: long[10:], Attributes: attribute}, none, NoField, false},
		{"attributes count fully", forgiving(), false, Outgoing{Body: long[9:], Attributes: attribute}, MessageTooLarge, NoField, false},
		{"attributes do not count", strict(), false, Outgoing{Body: long, Attributes: attribute}, none, NoField, false},
		{"the longest delay", forgiving(), false, Outgoing{Delay: new(15 * time.Minute)}, none, NoField, false},
		{"a longer delay", forgiving(), false, Outgoing{Delay: new(15*time.Minute + 1)}, OutOfRange, MessageDelay, false},
		{"a negative delay", forgiving(), false, Outgoing{Delay: new(-time.Second)}, OutOfRange, MessageDelay, false},
		{"a priority of zero", strict(), false, Outgoing{Priority: new(0)}, OutOfRange, MessagePriority, true},
		{"a priority of 17", strict(), false, Outgoing{Priority: new(17)}, OutOfRange, MessagePriority, true},
		{"a priority where rules know none", forgiving(), false, Outgoing{Priority: new(0)}, OutOfRange, MessagePriority, false},
		{"a group on a standard queue", forgiving(), false, Outgoing{Group: new("g")}, none, NoField, false},
		{"a deduplication id on a standard queue", forgiving(), false, Outgoing{DeduplicationID: new("d")}, NotForQueueType, MessageDeduplicationID, false},
		{"no group", forgiving(), true, Outgoing{DeduplicationID: new("d")}, GroupMissing, MessageGroup, true},
		{"no deduplication id", forgiving(), true, Outgoing{Group: new("g")}, DeduplicationIDMissing, MessageDeduplicationID, true},
		{"no deduplication id where none is needed", strict(), true, Outgoing{Group: new("g")}, none, NoField, false},
		{"a delay on a FIFO queue", forgiving(), true, Outgoing{Group: new("g"), DeduplicationID: new("d"), Delay: new(time.Second)}, NotForQueueType, MessageDelay, false},
		{"a zero delay on a FIFO queue", forgiving(), true, Outgoing{Group: new("g"), DeduplicationID: new("d"), Delay: new(time.Duration(0))}, none, NoField, false},
		{"a delay and no group", forgiving(), true, Outgoing{DeduplicationID: new("d"), Delay: new(time.Second)}, GroupMissing, MessageGroup, true},
		{"a delay and no deduplication id", forgiving(), true, Outgoing{Group: new("g"), Delay: new(time.Second)}, DeduplicationIDMissing, MessageDeduplicationID, true},
		{"what its protocol refuses", forgiving(), false, Outgoing{Invalid: &Error{Kind: MessageTooLarge}}, MessageTooLarge, NoField, false},
		{"what its protocol refuses, and no group", forgiving(), true, Outgoing{DeduplicationID: new("d"), Invalid: &Error{Kind: MessageTooLarge}}, GroupMissing, MessageGroup, true},
		{"what its protocol refuses, with an id of any length", forgiving(), true, Outgoing{Group: new(long + long + long + long + long), DeduplicationID: new("d"), Invalid: &Error{Kind: OutOfRange}}, OutOfRange, NoField, false},
		{"a delay on a FIFO queue where it may be", strict(), true, Outgoing{Group: new("g"), Delay: new(time.Second)}, none, NoField, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.rules)
			q := w.create("q", Patch{MaxSize: new(1024), FIFO: &tt.fifo})
			good := Outgoing{Body: "good", Group: new("g")}
			if tt.fifo {
				good.DeduplicationID = new("good")
			}
			sent, err := w.Send(context.Background(), q, []Outgoing{good, tt.o})
			if !tt.whole && err == nil {
				err = sent[1].Err
				wantKind(t, "Send() of a good message beside it", sent[0].Err, none)
			}
			wantKind(t, "Send()", err, tt.kind)
			if e, ok := err.(*Error); ok && e.Field != tt.field {
				t.Errorf("Send() names field %d, want %d", e.Field, tt.field)
			}
			want := map[bool]int{true: 0, false: 1}[tt.whole]
			if tt.kind == none {
				want = 2
			}
			if i := w.info(q); i.Visible+i.Delayed != want {
				t.Errorf("the queue has %d messages, want %d", i.Visible+i.Delayed, want)
			}
		})
	}
}

func TestReceiveReturnsWhatWasSent(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	o := Outgoing{
		Body: "a body \x00 \u2028", Sender: "me", Group: new("tenant"), Priority: new(3),
		Attributes: []Attribute{
			{Name: "t", Kind: Text, Value: []byte("v")},
			{Name: "n", Kind: Number, Label: "java.lang.Long", Value: []byte("1")},
			{Name: "b", Kind: Binary, Value: []byte{0, 255}},
			{Name: "o", Kind: Boolean, Value: []byte("true")},
		},
		Trace: Trace{XRay: "x", Parent: "p", State: "s", Baggage: "b"},
	}
	sent := w.post(q, o)
	w.pass(3 * time.Second)
	want := Message{
		ID: sent.ID, Sequence: sent.Sequence, Body: o.Body, Digest: DigestOf(o.Body), Attributes: o.Attributes, Trace: o.Trace, Sender: "me",
		Group: "tenant", Priority: 3, SentAt: epoch, FirstReceivedAt: epoch.Add(3 * time.Second), Receives: 1,
	}
	got := w.one(q)
	if diff := cmp.Diff(want, got.Message); diff != "" {
		t.Errorf("Receive() (-want +got):\n%s", diff)
	}
	if want := epoch.Add(33 * time.Second); !got.VisibleAt.Equal(want) {
		t.Errorf("Receive() visible at %v, want %v", got.VisibleAt, want)
	}
}

func TestMessageIDsAreVersion4(t *testing.T) {
	seen := map[MessageID]bool{}
	for range 1000 {
		id := newMessageID()
		if id[6]>>4 != 4 || id[8]>>6 != 2 || seen[id] {
			t.Fatalf("newMessageID() = %v", id)
		}
		seen[id] = true
	}
}

func TestVerbsNeedAQueue(t *testing.T) {
	w := newWorld(t, forgiving())
	q, ctx := named("none"), context.Background()
	for name, err := range map[string]error{
		"Amend":            w.Amend(ctx, q, func(QueueInfo) (Patch, error) { return Patch{}, nil }),
		"Tag":              w.Tag(ctx, q, nil, nil),
		"DeleteQueue":      w.DeleteQueue(ctx, q),
		"Purge":            w.Purge(ctx, q),
		"Queue":            second(w.Queue(ctx, q)),
		"Send":             second(w.Send(ctx, q, nil)),
		"Receive":          second(w.Receive(ctx, q, ReceiveRequest{})),
		"Peek":             second(w.Peek(ctx, q, nil)),
		"Delete":           second(w.Delete(ctx, q, nil)),
		"ChangeVisibility": second(w.ChangeVisibility(ctx, q, nil)),
	} {
		wantKind(t, name+"()", err, QueueNotFound)
	}
	_, _, err := w.RedriveSources(ctx, q, "", 10)
	wantKind(t, "RedriveSources()", err, QueueNotFound)
}

func second[T any](_ T, err error) error { return err }

func TestVerbsFailOnceTheEngineIsClosed(t *testing.T) {
	w := newWorld(t, forgiving())
	q, ctx := w.create("q", Patch{}), context.Background()
	w.close()
	_, _, create := w.Create(ctx, named("new"), Patch{}, nil)
	_, _, queues := w.Queues(ctx, home, "", "", 10)
	for name, err := range map[string]error{
		"Create":      create,
		"Queues":      queues,
		"Amend":       w.Amend(ctx, q, func(QueueInfo) (Patch, error) { return Patch{}, nil }),
		"DeleteQueue": w.DeleteQueue(ctx, q),
		"Queue":       second(w.Queue(ctx, q)),
		"Send":        second(w.Send(ctx, q, []Outgoing{{Body: "m"}})),
		"Receive":     second(w.Receive(ctx, q, ReceiveRequest{})),
	} {
		wantKind(t, name+"() after Close", err, Internal)
	}
}
