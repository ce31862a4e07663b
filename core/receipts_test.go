package core

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// ages bring a message into each state in which a receipt of it can be old.
var ages = []struct {
	name string
	age  receiptAge
	make func(w *world, q QueueKey) Receipt
}{
	{"current", current, func(w *world, q QueueKey) Receipt { return w.one(q).Receipt }},
	{"expired", expired, func(w *world, q QueueKey) Receipt {
		r := w.one(q).Receipt
		w.pass(30 * time.Second)
		return r
	}},
	{"superseded", superseded, func(w *world, q QueueKey) Receipt {
		r := w.one(q).Receipt
		w.pass(30 * time.Second)
		w.one(q)
		return r
	}},
	{"superseded and visible", superseded, func(w *world, q QueueKey) Receipt {
		r := w.one(q).Receipt
		w.pass(30 * time.Second)
		w.one(q)
		w.pass(30 * time.Second)
		return r
	}},
	{"deleted", gone, func(w *world, q QueueKey) Receipt {
		r := w.one(q).Receipt
		w.drop(q, r)
		return r
	}},
	{"purged", gone, func(w *world, q QueueKey) Receipt {
		r := w.one(q).Receipt
		w.purge(q)
		return r
	}},
	{"too old", gone, func(w *world, q QueueKey) Receipt {
		r := w.one(q).Receipt
		w.pass(4 * 24 * time.Hour)
		return r
	}},
}

func TestReceiptRules(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		for _, a := range ages {
			for _, o := range []Outcome{Reject, Apply, Ignore} {
				t.Run(fmt.Sprintf("FIFO=%v/%s/%d/delete", fifo, a.name, o), func(t *testing.T) {
					testOldDelete(t, fifo, a.age, o, a.make)
				})
				if a.age != gone || o != Apply {
					t.Run(fmt.Sprintf("FIFO=%v/%s/%d/change", fifo, a.name, o), func(t *testing.T) {
						testOldChange(t, fifo, a.age, o, a.make)
					})
				}
			}
		}
	}
}

// oldReceiptWorld has one message and the given outcome for receipts of one age only.
func oldReceiptWorld(t *testing.T, fifo bool, set func(*ReceiptRules)) (*world, QueueKey) {
	r := forgiving()
	r.StandardReceipts, r.FIFOReceipts = ReceiptRules{}, ReceiptRules{}
	rules := &r.StandardReceipts
	if fifo {
		rules = &r.FIFOReceipts
	}
	set(rules)
	w := newWorld(t, r)
	q := w.create("q", Patch{FIFO: &fifo, ContentDedup: new(true)})
	w.send(q, "g:m")
	return w, q
}

func refusal(age receiptAge, o Outcome) Kind {
	switch {
	case age == current || o != Reject:
		return none
	case age == gone:
		return MessageGone
	default:
		return ReceiptExpired
	}
}

func testOldDelete(t *testing.T, fifo bool, age receiptAge, o Outcome, old func(*world, QueueKey) Receipt) {
	w, q := oldReceiptWorld(t, fifo, func(r *ReceiptRules) {
		*map[receiptAge]*Outcome{
			current: new(Outcome), expired: &r.DeleteExpired, superseded: &r.DeleteSuperseded, gone: &r.DeleteGone,
		}[age] = o
	})
	receipt := old(w, q)
	wantKind(t, "Delete()", w.deleting(q, receipt), refusal(age, o))
	want := 1
	if age == current || age == gone || o == Apply {
		want = 0
	}
	if i := w.info(q); i.Visible+i.InFlight != want {
		t.Errorf("Delete() leaves %d messages, want %d", i.Visible+i.InFlight, want)
	}
}

func testOldChange(t *testing.T, fifo bool, age receiptAge, o Outcome, old func(*world, QueueKey) Receipt) {
	w, q := oldReceiptWorld(t, fifo, func(r *ReceiptRules) {
		*map[receiptAge]*Outcome{
			current: new(Outcome), expired: &r.ChangeExpired, superseded: &r.ChangeSuperseded, gone: &r.ChangeGone,
		}[age] = o
	})
	receipt := old(w, q)
	before := w.info(q)
	wantKind(t, "ChangeVisibility()", w.hide(q, receipt, time.Hour).Err, refusal(age, o))
	after := w.info(q)
	if age == current || age != gone && o == Apply {
		w.pass(59 * time.Minute)
		w.counts(q, 0, 1, 0)
	} else if before.Visible != after.Visible || before.InFlight != after.InFlight {
		t.Errorf("ChangeVisibility() changes the counters from %+v to %+v", before, after)
	}
}

// Validated: the receipt of an earlier delivery steers the later one on a standard queue.
func TestOldReceiptSteersLaterDelivery(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "m")
	first := w.take(q, ReceiveRequest{Visibility: new(time.Duration(0))})
	w.take(q, ReceiveRequest{Visibility: new(3 * time.Second)})
	w.mustHide(q, first[0].Receipt, 0)
	w.expect(q, 1, "m")
}

func TestForeignReceiptsAreInvalid(t *testing.T) {
	w := newWorld(t, forgiving())
	q, other := w.create("q", Patch{}), w.create("other", Patch{})
	w.send(q, "m")
	w.send(other, "m")
	good, foreign := string(w.one(q).Receipt), w.one(other).Receipt
	flipped := "A"
	if good[0] == 'A' {
		flipped = "B"
	}
	for _, r := range []Receipt{
		"", "fake", foreign, Receipt(good + "A"), Receipt(good[1:]), Receipt(flipped + good[1:]), Receipt(good + "\n"),
		Receipt(strings.Repeat("A", len(good))), Receipt(strings.Repeat("é", len(good)/2)), Receipt(strings.Repeat("A", 1<<16)),
		Receipt(good[:len(good)-1] + "_"),
	} {
		wantKind(t, fmt.Sprintf("Delete(%.40q)", r), w.deleting(q, r), ReceiptInvalid)
		wantKind(t, fmt.Sprintf("ChangeVisibility(%.40q)", r), w.hide(q, r, 0).Err, ReceiptInvalid)
	}
	w.drop(q, Receipt(good))
}

func TestReceiptsOfADeletedQueueAreInvalidInTheNext(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "m")
	r := w.one(q).Receipt
	if err := w.DeleteQueue(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	w.create("q", Patch{})
	wantKind(t, "Delete()", w.deleting(q, r), ReceiptInvalid)
}

func TestDeleteReportsOnEachReceipt(t *testing.T) {
	r := forgiving()
	r.StandardReceipts.DeleteGone = Reject
	w := newWorld(t, r)
	q := w.create("q", Patch{})
	w.send(q, "1", "2", "3")
	got := w.receive(q, 3)
	errs, err := w.Delete(t.Context(), q, []Receipt{got[0].Receipt, "fake", got[2].Receipt, got[0].Receipt})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Kind{none, ReceiptInvalid, none, MessageGone} {
		wantKind(t, fmt.Sprintf("Delete() number %d", i), errs[i], want)
	}
	w.counts(q, 0, 1, 0)
}

func TestReceiptsAreOfSafeCharacters(t *testing.T) {
	for _, n := range []uint64{0, 1, 1 << 40, ^uint64(0)} {
		r := mintReceipt(7, 9, n, 3)
		if strings.Trim(string(r), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Errorf("mintReceipt(%d) = %q", n, r)
		}
		if sequence, delivery, ok := readReceipt(7, 9, r); !ok || sequence != n || delivery != 3 {
			t.Errorf("readReceipt(%q) = %d, %d, %v", r, sequence, delivery, ok)
		}
	}
}

func FuzzReadReceipt(f *testing.F) {
	f.Add("")
	f.Add("fake")
	f.Add(string(mintReceipt(1, 0, 2, 3)))
	f.Fuzz(func(t *testing.T, s string) {
		sequence, delivery, ok := readReceipt(1, 0, Receipt(s))
		if ok && mintReceipt(1, 0, sequence, delivery) != Receipt(s) {
			t.Errorf("readReceipt(%q) takes what mintReceipt never made", s)
		}
	})
}

// Ids and numbers begin anew in an empty store, and after a queue was deleted; receipts of before are none of now.
func TestReceiptsOfBeforeFitNoLaterMessage(t *testing.T) {
	t.Run("an empty store", func(t *testing.T) {
		first, second := newWorld(t, forgiving()), newWorld(t, forgiving())
		q := first.create("q", Patch{})
		first.send(q, "m")
		old := first.one(q).Receipt
		second.create("q", Patch{})
		second.send(q, "m")
		second.one(q)
		wantKind(t, "Delete()", second.deleting(q, old), ReceiptInvalid)
		wantKind(t, "ChangeVisibility()", second.hide(q, old, time.Second).Err, ReceiptInvalid)
		second.counts(q, 0, 1, 0)
	})
	t.Run("a queue that was deleted", func(t *testing.T) {
		w := newStoredWorld(t, forgiving(), false)
		q := w.create("q", Patch{})
		w.send(q, "m")
		old := w.one(q).Receipt
		if err := w.DeleteQueue(t.Context(), q); err != nil {
			t.Fatalf("DeleteQueue() = %v", err)
		}
		w.restart()
		w.create("q", Patch{})
		wantKind(t, "Delete()", w.deleting(q, old), ReceiptInvalid)
	})
	t.Run("a restart", func(t *testing.T) {
		w := newStoredWorld(t, forgiving(), false)
		q := w.create("q", Patch{})
		w.send(q, "m")
		kept := w.one(q).Receipt
		w.restart()
		w.drop(q, kept)
		w.counts(q, 0, 0, 0)
	})
}
