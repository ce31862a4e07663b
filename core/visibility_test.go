package core

import (
	"context"
	"testing"
	"time"
)

func TestReceiveHidesMessageUntilTimeout(t *testing.T) {
	for _, tt := range []struct {
		name         string
		queue, given *time.Duration
		want         time.Duration
	}{
		{"the default", nil, nil, 30 * time.Second},
		{"the queue's", new(5 * time.Second), nil, 5 * time.Second},
		{"its own", new(5 * time.Second), new(90 * time.Second), 90 * time.Second},
		{"the longest", nil, new(12 * time.Hour), 12 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, forgiving())
			q := w.create("q", Patch{Visibility: tt.queue})
			w.send(q, "m")
			got := w.take(q, ReceiveRequest{Visibility: tt.given})
			if len(got) != 1 || !got[0].VisibleAt.Equal(epoch.Add(tt.want)) {
				t.Fatalf("Receive() = %+v, want one message, visible at %v", got, epoch.Add(tt.want))
			}
			w.pass(tt.want - time.Millisecond)
			w.expect(q, 1)
			w.counts(q, 0, 1, 0)
			w.pass(time.Millisecond)
			w.counts(q, 1, 0, 0)
			if got := w.one(q); got.Receives != 2 || !got.FirstReceivedAt.Equal(epoch) {
				t.Errorf("second Receive() = receives %d, first at %v", got.Receives, got.FirstReceivedAt)
			}
		})
	}
}

// K05: a timeout of zero must not deliver one message twice in an answer.
func TestReceiveWithZeroTimeoutReturnsEachMessageOnce(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{FIFO: &fifo, ContentDedup: new(true)})
		w.send(q, "g:1", "g:2", "h:3")
		receipts := map[Receipt]bool{}
		for n := 1; n <= 3; n++ {
			got := w.take(q, ReceiveRequest{Max: new(10), Visibility: new(time.Duration(0))})
			if len(got) != 3 {
				t.Fatalf("FIFO %v: Receive() = %v, want three messages", fifo, bodies(got))
			}
			for _, m := range got {
				if m.Receives != n || receipts[m.Receipt] || !m.VisibleAt.Equal(epoch) {
					t.Errorf("Receive() number %d = %+v", n, m)
				}
				receipts[m.Receipt] = true
			}
			w.counts(q, 3, 0, 0)
		}
	}
}

// K06, and the timeout of one call is not remembered for the next.
func TestReceiveTimeoutIsForOneCall(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "m")
	w.take(q, ReceiveRequest{Visibility: new(time.Second)})
	w.pass(time.Second)
	if got := w.one(q); !got.VisibleAt.Equal(w.Now().Add(30 * time.Second)) {
		t.Errorf("Receive() visible at %v, want the queue's timeout", got.VisibleAt)
	}
}

func TestReceiveRefusesWhatRulesForbid(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	for _, tt := range []struct {
		r     ReceiveRequest
		field Field
	}{
		{ReceiveRequest{Max: new(0)}, ReceiveMax},
		{ReceiveRequest{Max: new(11)}, ReceiveMax},
		{ReceiveRequest{Visibility: new(-time.Second)}, ReceiveVisibility},
		{ReceiveRequest{Visibility: new(12*time.Hour + 1)}, ReceiveVisibility},
		{ReceiveRequest{Wait: new(21 * time.Second)}, ReceiveWait},
	} {
		_, err := w.Receive(context.Background(), q, tt.r)
		wantKind(t, "Receive()", err, OutOfRange)
		if e, ok := err.(*Error); ok && e.Field != tt.field {
			t.Errorf("Receive() names field %d, want %d", e.Field, tt.field)
		}
	}
}

func TestChangeVisibilityCountsFromNow(t *testing.T) {
	for _, d := range []time.Duration{0, time.Second, time.Hour, 12*time.Hour - 10*time.Second} {
		t.Run(d.String(), func(t *testing.T) {
			w := newWorld(t, forgiving())
			q := w.create("q", Patch{})
			w.send(q, "m")
			m := w.one(q)
			w.pass(10 * time.Second)
			got := w.mustHide(q, m.Receipt, d)
			if want := w.Now().Add(d); !got.VisibleAt.Equal(want) || got.Receipt != m.Receipt {
				t.Errorf("ChangeVisibility() = %+v, want the same receipt and %v", got, want)
			}
			if d > 0 {
				w.pass(d - time.Millisecond)
				w.expect(q, 1)
				w.pass(time.Millisecond)
			}
			if got := w.one(q); !got.VisibleAt.Equal(w.Now().Add(30 * time.Second)) {
				t.Errorf("Receive() visible at %v, want the queue's timeout", got.VisibleAt)
			}
		})
	}
}

func TestChangeVisibilityRefusesWhatRulesForbid(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules Rules
		d     time.Duration
		after time.Duration
		want  Kind
	}{
		{"negative", forgiving(), -1, 0, OutOfRange},
		{"over 12 h", forgiving(), 12*time.Hour + 1, 0, OutOfRange},
		{"zero where it may not be", strict(), 0, 0, OutOfRange},
		{"12 h at once", forgiving(), 12 * time.Hour, 0, none},
		{"12 h a moment later", forgiving(), 12 * time.Hour, time.Millisecond, VisibilityBeyondTotal},
		{"just the rest", forgiving(), 12*time.Hour - time.Second, time.Second, none},
		{"unbounded", strict(), 12 * time.Hour, time.Second, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.rules)
			q := w.create("q", Patch{})
			w.send(q, "m")
			m := w.one(q)
			w.pass(tt.after)
			wantKind(t, "ChangeVisibility()", w.hide(q, m.Receipt, tt.d).Err, tt.want)
			if tt.want != none {
				w.counts(q, 0, 1, 0)
				w.pass(30*time.Second - tt.after)
				w.counts(q, 1, 0, 0) // the old timeout holds
			}
		})
	}
}

// The bound on the whole time counts from the last receive, over any number of changes.
func TestTotalVisibilityCountsFromTheReceive(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "m")
	for range 2 {
		m := w.one(q)
		for range 11 {
			w.mustHide(q, m.Receipt, time.Hour+time.Second)
			w.pass(time.Hour)
		}
		wantKind(t, "ChangeVisibility() after 11 h", w.hide(q, m.Receipt, time.Hour+time.Millisecond).Err, VisibilityBeyondTotal)
		w.mustHide(q, m.Receipt, time.Hour)
		w.mustHide(q, m.Receipt, 0)
	}
}

func TestRenewedReceiptReplacesTheOld(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{})
	w.send(q, "m")
	m := w.one(q)
	changed := w.mustHide(q, m.Receipt, 5*time.Second)
	if changed.Receipt == m.Receipt || changed.Receipt == "" {
		t.Fatalf("ChangeVisibility() keeps the receipt %q", changed.Receipt)
	}
	wantKind(t, "Delete(old)", w.deleting(q, m.Receipt), ReceiptExpired)
	wantKind(t, "ChangeVisibility(old)", w.hide(q, m.Receipt, time.Second).Err, ReceiptExpired)
	again := w.mustHide(q, changed.Receipt, 5*time.Second)
	w.drop(q, again.Receipt)
	w.counts(q, 0, 0, 0)
	wantKind(t, "Delete() twice", w.deleting(q, again.Receipt), MessageGone)
}

func TestDelayedReceiptIsGoodUntilTheMessageIsVisible(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{})
	delayed := func() Receipt { return w.post(q, Outgoing{Body: "m", Delay: new(10 * time.Second)}).Receipt }
	if now := w.post(q, Outgoing{Body: "now"}); now.Receipt != "" {
		t.Errorf("Send() without a delay has the receipt %q", now.Receipt)
	}
	w.drop(q, w.one(q).Receipt)

	w.drop(q, delayed())
	w.counts(q, 0, 0, 0)

	changed := w.mustHide(q, delayed(), 20*time.Second)
	w.counts(q, 0, 0, 1)
	w.pass(19 * time.Second)
	w.expect(q, 1)
	sooner := w.mustHide(q, changed.Receipt, time.Second)
	w.pass(time.Second)
	wantKind(t, "Delete() once visible", w.deleting(q, sooner.Receipt), ReceiptExpired)
	if got := w.one(q); got.Receives != 1 {
		t.Errorf("Receive() = receives %d, want 1", got.Receives)
	}
	w.counts(q, 0, 1, 0)
}

func TestDelayedReceiptsNeedTheRule(t *testing.T) {
	w := newWorld(t, forgiving())
	if got := w.post(w.create("q", Patch{}), Outgoing{Delay: new(time.Minute)}); got.Receipt != "" {
		t.Errorf("Send() = receipt %q, want none", got.Receipt)
	}
}

// A message whose delay ended while the engine was down, or was cut short, is in flight when it is received.
func TestDelayedMessageIsInFlightOnceReceived(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.post(q, Outgoing{Body: "m", Delay: new(time.Second)})
	w.pass(time.Second)
	w.restart()
	w.one(q)
	w.counts(q, 0, 1, 0)
	w.restart()
	w.counts(q, 0, 1, 0)
}
