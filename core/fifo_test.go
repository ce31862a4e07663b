package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// script is a history of a FIFO queue, as lines of words:
//
//	send g:1 g:2           sends them one by one
//	receive 3 = g:1 g:2    receives up to 3 and expects these; no more words: none
//	drop g:1               deletes it with its latest receipt
//	hide g:1 4s            changes its visibility with its latest receipt
//	pass 2s                moves the clock
func (w *world) script(q QueueKey, lines string) {
	w.Helper()
	receipts := map[string]Receipt{}
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch verb, args := words[0], words[1:]; verb {
		case "send":
			w.send(q, args...)
		case "receive":
			var most int
			fmt.Sscan(args[0], &most)
			got := w.receive(q, most)
			if fmt.Sprint(bodies(got)) != fmt.Sprint(args[2:]) {
				w.Fatalf("%s: Receive() = %v", strings.TrimSpace(line), bodies(got))
			}
			for _, m := range got {
				receipts[m.Body] = m.Receipt
			}
		case "drop":
			w.drop(q, receipts[args[0]])
		case "hide":
			d, _ := time.ParseDuration(args[1])
			w.mustHide(q, receipts[args[0]], d)
		case "pass":
			d, _ := time.ParseDuration(args[0])
			w.pass(d)
		default:
			w.Fatalf("unknown verb in %q", line)
		}
	}
}

// The cases of real services, recorded 2024-04 to 2025-11.
func TestFIFO(t *testing.T) {
	for _, tt := range []struct {
		name       string
		visibility time.Duration
		lines      string
	}{
		{"a group whose head is in flight gives nothing", 60 * time.Second, `
			send g:1
			receive 1 = g:1
			receive 10 =
			send g:2
			receive 10 =`},
		{"a receive drains a group before the next", 60 * time.Second, `
			send g1:1 g2:1 g1:2 g1:3
			receive 10 = g1:1 g1:2 g1:3 g2:1`},
		{"groups that were served go to the end", 0, `
			send g1:1 g2:1 g2:2 g3:1 g1:2
			receive 3 = g1:1 g1:2 g2:1
			receive 10 = g3:1 g1:1 g1:2 g2:1 g2:2`},
		{"groups come back as their timeouts end", 5 * time.Second, `
			send g1:1 g1:2 g1:3 g1:4 g2:1 g3:1
			receive 2 = g1:1 g1:2
			receive 1 = g2:1
			pass 5s
			receive 10 = g3:1 g1:1 g1:2 g1:3 g1:4 g2:1`},
		{"ending one timeout frees that message before later ones in flight", 60 * time.Second, `
			send g1:1 g1:2 g1:3 g2:1
			receive 2 = g1:1 g1:2
			hide g1:1 0s
			receive 3 = g2:1 g1:1
			receive 3 =`},
		{"shortening one timeout does the same", 60 * time.Second, `
			send g1:1 g1:2 g1:3
			receive 2 = g1:1 g1:2
			hide g1:1 1s
			receive 3 =
			pass 1s
			receive 3 = g1:1`},
		{"extending the first holds back all", time.Second, `
			send g:foo g:bar g:baz
			receive 5 = g:foo g:bar g:baz
			hide g:foo 4s
			pass 2500ms
			receive 5 =
			pass 1500ms
			receive 5 = g:foo g:bar g:baz`},
		{"extending the second holds back those behind", time.Second, `
			send g:foo g:bar g:baz
			receive 5 = g:foo g:bar g:baz
			hide g:bar 4s
			pass 2500ms
			receive 5 = g:foo`},
		{"extending the third holds back itself", time.Second, `
			send g:foo g:bar g:baz
			receive 5 = g:foo g:bar g:baz
			hide g:baz 4s
			pass 2500ms
			receive 5 = g:foo g:bar`},
		{"a group opens when the last in flight is deleted", 60 * time.Second, `
			send g:1 g:2 g:3
			receive 2 = g:1 g:2
			drop g:1
			receive 10 =
			drop g:2
			receive 10 = g:3`},
		{"a group opens when the last in flight is deleted, backwards", 60 * time.Second, `
			send g:1 g:2 g:3
			receive 2 = g:1 g:2
			drop g:2
			receive 10 =
			drop g:1
			receive 10 = g:3`},
		{"a send does not open a group", 60 * time.Second, `
			send g:1
			receive 10 = g:1
			send g:2 g:3 h:1
			receive 10 = h:1
			drop g:1
			receive 10 = g:2 g:3`},
		{"redelivery keeps the order", 5 * time.Second, `
			send g:1 g:2 g:3
			receive 10 = g:1 g:2 g:3
			pass 5s
			receive 1 = g:1
			receive 10 =
			pass 5s
			receive 10 = g:1 g:2 g:3`},
		{"a group that was consumed goes on", 60 * time.Second, `
			send g:1
			receive 10 = g:1
			drop g:1
			receive 10 =
			send g:2
			receive 10 = g:2`},
		{"one call returns many of a group", 60 * time.Second, `
			send g:1 g:2 g:3
			receive 10 = g:1 g:2 g:3
			drop g:1
			receive 10 =`},
		{"the rest of a group waits its turn", 0, `
			send a:1 a:2 a:3 b:1 b:2
			receive 2 = a:1 a:2
			receive 2 = b:1 b:2
			receive 2 = a:1 a:2
			receive 3 = b:1 b:2 a:1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, forgiving())
			w.script(w.create("q", Patch{FIFO: new(true), ContentDedup: new(true), Visibility: &tt.visibility}), tt.lines)
		})
	}
}

// K03: at any time the messages of a group in flight are those of one call, and come in the order of their sending.
func TestFIFOGivesAGroupToOneCallAtATime(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.fifo("q")
	for i := range 100 {
		w.send(q, fmt.Sprintf("g%d:%d", i%5, i))
	}
	held := map[string][]Received{} // by group
	last := map[string]uint64{}
	for round := 0; len(last) < 5 || w.info(q).Visible+w.info(q).InFlight > 0; round++ {
		for _, m := range w.receive(q, 10) {
			if m.Sequence <= last[m.Group] {
				t.Fatalf("group %s: sequence %d after %d", m.Group, m.Sequence, last[m.Group])
			}
			if h := held[m.Group]; len(h) > 0 && !h[0].VisibleAt.Equal(m.VisibleAt) {
				t.Fatalf("group %s is given to two calls", m.Group)
			}
			last[m.Group] = m.Sequence
			held[m.Group] = append(held[m.Group], m)
		}
		w.pass(time.Millisecond)
		if round%2 == 1 {
			for group, messages := range held {
				for _, m := range messages {
					w.drop(q, m.Receipt)
				}
				delete(held, group)
				break
			}
		}
		if round > 1000 {
			t.Fatal("no end")
		}
	}
}

// K24: the queue's delay counts on a FIFO queue, also for a message that is sent with a delay of zero.
func TestFIFODelayIsTheQueues(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{FIFO: new(true), ContentDedup: new(true), Delay: new(2 * time.Second)})
	w.post(q, Outgoing{Body: "1", Group: new("g"), Delay: new(time.Duration(0))})
	w.pass(time.Second)
	w.send(q, "g:2")
	w.expect(q, 10)
	w.pass(time.Second)
	w.expect(q, 10, "1")
	w.pass(time.Second)
	w.counts(q, 1, 1, 0)
	w.expect(q, 10)
}

// A delayed head holds back what was sent behind it without a delay.
func TestFIFOKeepsOrderAcrossDelays(t *testing.T) {
	w := newWorld(t, strict())
	q := w.create("q", Patch{FIFO: new(true)})
	w.post(q, Outgoing{Body: "1", Group: new("g"), Delay: new(5 * time.Second)})
	w.send(q, "g:2", "h:3")
	w.expect(q, 10, "h:3")
	w.pass(5 * time.Second)
	w.expect(q, 10, "1", "g:2")
}

// The sequence numbers of a queue grow, whatever happens in between.
func TestSequenceNumbersGrow(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.fifo("q")
	var all []uint64
	for i := range 20 {
		all = append(all, w.post(q, Outgoing{Body: fmt.Sprint(i), Group: new("g")}).Sequence)
		switch i % 5 {
		case 1:
			w.purge(q)
		case 2:
			w.restart()
		case 3:
			w.drop(q, w.one(q).Receipt)
			w.restart()
		}
	}
	if !slices.IsSorted(all) || len(slices.Compact(all)) != 20 {
		t.Errorf("sequence numbers = %v", all)
	}
}

// Users learn of a queue's type with each message: its name need not tell.
func TestSentAndReceivedTellTheTypeOfTheQueue(t *testing.T) {
	w := newWorld(t, strict())
	for _, fifo := range []bool{false, true} {
		q := w.create(fmt.Sprint("q-", fifo), Patch{FIFO: &fifo, ContentDedup: new(fifo)})
		for range 2 { // the second is a duplicate in the FIFO queue
			if sent := w.post(q, Outgoing{Body: "m", Group: new("g")}); sent.FIFO != fifo {
				t.Errorf("Send(%v) says FIFO %v", q.Name, sent.FIFO)
			}
		}
		if got := w.one(q); got.FIFO != fifo {
			t.Errorf("Receive(%v) says FIFO %v", q.Name, got.FIFO)
		}
	}
}
