package core

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluicemq/sluice/persistence/memory"
)

func (w *world) postFIFO(q QueueKey, group, id, body string) Sent {
	w.Helper()
	o := Outgoing{Body: body, Group: &group}
	if id != "" {
		o.DeduplicationID = &id
	}
	return w.post(q, o)
}

func TestDeduplication(t *testing.T) {
	type sending struct {
		group, id, body string
		first           int // the number of the send that this is a duplicate of, from 1; 0: none
	}
	for _, tt := range []struct {
		name  string
		p     Patch
		sends []sending
	}{
		{"by id", Patch{}, []sending{{"g", "d", "1", 0}, {"g", "d", "2", 1}, {"g", "e", "1", 0}, {"g", "e", "", 3}}},
		{"by the body", Patch{ContentDedup: new(true)}, []sending{{"g", "", "1", 0}, {"g", "", "2", 0}, {"g", "", "1", 1}}},
		{"an id wins over the body", Patch{ContentDedup: new(true)}, []sending{{"g", "d", "1", 0}, {"g", "", "1", 0}, {"g", "d", "2", 1}, {"g", "", "1", 2}}},
		{"the digest as an id", Patch{ContentDedup: new(true)}, []sending{
			{"g", "", "a", 0}, {"g", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb", "b", 1},
		}},
		{"over groups", Patch{}, []sending{{"g", "d", "1", 0}, {"h", "d", "2", 1}}},
		{"per group", Patch{DedupPerGroup: new(true)}, []sending{{"g", "d", "1", 0}, {"h", "d", "2", 0}, {"g", "d", "3", 1}, {"h", "d", "4", 2}}},
		{"per group, alike names", Patch{DedupPerGroup: new(true)}, []sending{{"g", "hd", "1", 0}, {"gh", "d", "2", 0}, {"g", "h", "3", 0}}},
		{"an empty id", Patch{}, []sending{{"g", "x", "1", 0}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.p.FIFO = new(true)
			w := newWorld(t, forgiving())
			q := w.create("q", tt.p)
			var sent []Sent
			fresh := 0
			for i, s := range tt.sends {
				w.pass(time.Second)
				if i == len(tt.sends)-1 {
					w.restart()
				}
				got := w.postFIFO(q, s.group, s.id, s.body)
				sent = append(sent, got)
				if got.Duplicate != (s.first > 0) {
					t.Errorf("send %d: duplicate = %v, want of %d", i+1, got.Duplicate, s.first)
				}
				if s.first > 0 && (got.ID != sent[s.first-1].ID || got.Sequence != sent[s.first-1].Sequence) {
					t.Errorf("send %d = %v, %d, want those of send %d", i+1, got.ID, got.Sequence, s.first)
				}
				if s.first == 0 {
					fresh++
				}
			}
			w.counts(q, fresh, 0, 0)
		})
	}
}

// K14: five minutes from the first accepted send, deleted or not; a duplicate does not make it longer.
func TestDeduplicationLastsFiveMinutes(t *testing.T) {
	for _, restart := range []bool{false, true} {
		w := newWorld(t, forgiving())
		q := w.fifo("q")
		first := w.postFIFO(q, "g", "d", "1")
		w.drop(q, w.one(q).Receipt)
		for _, d := range []time.Duration{0, time.Minute, 3 * time.Minute, time.Minute - time.Millisecond} {
			w.pass(d)
			if restart {
				w.restart()
			}
			if got := w.postFIFO(q, "g", "d", "2"); !got.Duplicate || got.ID != first.ID || got.Sequence != first.Sequence {
				t.Errorf("Send() after %v = %+v, want a duplicate of %+v", w.Now().Sub(epoch), got, first)
			}
		}
		w.expect(q, 10)
		w.pass(time.Millisecond)
		if restart {
			w.restart()
		}
		second := w.postFIFO(q, "g", "d", "3")
		if second.Duplicate || second.Sequence <= first.Sequence {
			t.Errorf("Send() after five minutes = %+v", second)
		}
		w.pass(5*time.Minute - time.Millisecond)
		if got := w.postFIFO(q, "g", "d", "4"); got.ID != second.ID {
			t.Errorf("Send() = %+v, want a duplicate of %+v", got, second)
		}
		w.pass(time.Millisecond + lateness)
		w.drop(q, w.one(q).Receipt)
		wantKeys(t, w.store, map[string]int{"q": 1})
	}
}

func TestRefusedSendConsumesNoID(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{FIFO: new(true), MaxSize: new(1024)})
	batch := []Outgoing{
		{Body: string(make([]byte, 1025)), Group: new("g"), DeduplicationID: new("d")},
		{Body: "a", Group: new("g"), DeduplicationID: new("e"), Delay: new(time.Second)},
		{Body: "b", Group: new("g"), DeduplicationID: new("f")},
		{Body: "c", Group: new("g"), DeduplicationID: new("f")},
	}
	sent, err := w.Send(t.Context(), q, batch)
	if err != nil {
		t.Fatal(err)
	}
	wantKind(t, "Send() of a large body", sent[0].Err, MessageTooLarge)
	wantKind(t, "Send() with a delay", sent[1].Err, NotForQueueType)
	if !sent[3].Duplicate || sent[3].ID != sent[2].ID {
		t.Errorf("the second of equals in a batch = %+v, want a duplicate of %+v", sent[3], sent[2])
	}
	for _, id := range []string{"d", "e"} {
		if got := w.postFIFO(q, "g", id, "x"); got.Duplicate {
			t.Errorf("Send(%s) is a duplicate of a send that was refused", id)
		}
	}
}

func TestNoIDIsNoDuplicate(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{FIFO: new(true)})
	w.send(q, "g:1", "g:1")
	w.expect(q, 10, "g:1", "g:1")
}

func TestScopeChangesAfterAMinute(t *testing.T) {
	for _, perGroup := range []bool{false, true} {
		t.Run(fmt.Sprintf("from per group %v", perGroup), func(t *testing.T) {
			w := newWorld(t, forgiving())
			q := w.create("q", Patch{FIFO: new(true), DedupPerGroup: &perGroup})
			duplicate := func(id string) bool {
				t.Helper()
				w.postFIFO(q, "g", id, "1")
				return w.postFIFO(q, "h", id, "2").Duplicate
			}
			w.amend(q, Patch{DedupPerGroup: new(!perGroup)})
			w.pass(time.Minute - time.Millisecond)
			w.restart()
			if got := duplicate("a"); got == perGroup {
				t.Errorf("within a minute, the same id in another group is a duplicate: %v", got)
			}
			w.pass(time.Millisecond)
			if got := duplicate("b"); got != perGroup {
				t.Errorf("after a minute, the same id in another group is a duplicate: %v", got)
			}
			// Back and forth within the delay: what was never in effect does not come into it.
			w.amend(q, Patch{DedupPerGroup: new(perGroup)})
			w.pass(time.Second)
			w.amend(q, Patch{DedupPerGroup: new(!perGroup)})
			if got := duplicate("c"); got != perGroup {
				t.Errorf("after a change and its reverse, the same id in another group is a duplicate: %v", got)
			}
		})
	}
}

// A clock that jumps ends many ids at once; no commit may grow beyond what a store takes.
func TestManyIDsEndInSmallCommits(t *testing.T) {
	store := &measured{Store: memory.New()}
	w := newWorldOn(t, store, forgiving())
	q := w.fifo("q")
	for i := range 30 {
		var batch []Outgoing
		for j := range 1000 {
			batch = append(batch, Outgoing{Body: fmt.Sprint(i, j), Group: new("g")})
		}
		if _, err := w.Send(t.Context(), q, batch); err != nil {
			t.Fatal(err)
		}
	}
	w.close()
	w.pass(5 * time.Minute)
	store.reset()
	w.open()
	if got := w.post(q, Outgoing{Body: fmt.Sprint(29, 999), Group: new("g")}); got.Duplicate {
		t.Error("Send() is a duplicate of what has ended, though nobody has cleared it away")
	}
	w.pass(lateness)
	for remembered := 2; remembered > 1; {
		w.info(q)
		inside := w.engine.queues[q]
		inside.mu.Lock()
		remembered = len(inside.dedup.entries)
		inside.mu.Unlock()
	}
	if ops, _ := store.largest(); ops > 10*expiries {
		t.Errorf("the largest commit had %d changes", ops)
	}
	w.restart()
	if got := w.post(q, Outgoing{Body: fmt.Sprint(29, 999), Group: new("g")}); !got.Duplicate {
		t.Error("Send() is no duplicate, since an older use of its id was cleared away")
	}
	if got := w.post(q, Outgoing{Body: fmt.Sprint(0, 0), Group: new("g")}); got.Duplicate {
		t.Error("Send() is a duplicate of what has ended")
	}
}
