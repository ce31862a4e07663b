package crash_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// settled is how long after a kill everything with a short timeout is visible again.
const settled = 3 * time.Second

// kept is for how long the check hides what it has seen, so that it would notice a second copy.
const kept = 1000 * time.Second

// plainCheck compares a standard queue with its history, after a restart and with nobody else about.
type plainCheck struct {
	t      *testing.T
	q      *plainQueue
	c      []wire
	rng    *rand.Rand
	killed time.Time
	last   bool // nothing is left hidden for a later round

	seen map[string]bool
}

// run looks at everything that is visible, at what becomes so soon, and at most of what its receipts bring back. In the
// end the history holds only what is certain, and leaves some of it for the next round.
func (k *plainCheck) run() {
	k.t.Helper()
	k.seen = map[string]bool{}
	k.q.prune(k.t)
	k.finishMoves()
	k.count("after the restart")
	k.peek()
	k.drain()
	k.await()
	k.release()
	k.await()
	k.judge()
	k.q.unanswered = 0
	k.dispose()
	k.count("after the check")
}

// finishMoves waits for the end of a move task, or a message could be counted twice, or not at all.
func (k *plainCheck) finishMoves() {
	k.t.Helper()
	if len(k.q.names) == 1 {
		return
	}
	w := k.c[0].(*jsonWire)
	if moving(k.t, k.t.Context(), w) {
		checked.add(movesFinished, 1)
	}
	for moving(k.t, k.t.Context(), w) {
		time.Sleep(time.Millisecond)
	}
}

// count compares the numbers of the queue with what they can be. They are exact where nothing was left unanswered.
func (k *plainCheck) count(when string) {
	k.t.Helper()
	checked.add(countsOfQueue, 3)
	var got counts
	from := time.Now()
	for _, name := range k.q.names {
		c, err := k.c[0].(*jsonWire).counts(k.t.Context(), name)
		if err != nil {
			k.t.Errorf("counts of %s = %v, want no error", name, err)
			return
		}
		got.visible += c.visible
		got.inFlight += c.inFlight
		got.delayed += c.delayed
	}
	var all, inFlight, delayed span
	for _, m := range k.q.messages {
		there, hidden := m.span(from, time.Now())
		all.add(there)
		if m.delayed {
			delayed.add(hidden)
		} else {
			inFlight.add(hidden)
		}
	}
	most := 16 * k.q.unanswered // that receives without an answer may hide, or wake from their delay
	inFlight.high = min(inFlight.high+most, all.high)
	for _, c := range []struct {
		what string
		got  int
		want span
	}{
		{"messages", got.visible + got.inFlight + got.delayed, all},
		{"messages in flight", got.inFlight, inFlight},
		{"delayed messages", got.delayed, delayed},
	} {
		if c.got < c.want.low || c.got > c.want.high {
			k.t.Errorf("%v has %d %s %s, want %d to %d", k.q.names, c.got, c.what, when, c.want.low, c.want.high)
		}
	}
}

// span is a number of which only the bounds are known.
type span struct{ low, high int }

func (s *span) add(o span) {
	s.low += o.low
	s.high += o.high
}

// span is what a message counts for, in all and as a hidden one, in a look at the queue between two times.
func (m *message) span(from, to time.Time) (there, hidden span) {
	there.high = 1
	if m.alive() {
		there.low = 1
	}
	hidden = there
	if !m.hidden.from.After(to) {
		hidden.low = 0
	}
	if m.hidden.to.Before(from) {
		hidden.high = 0
	}
	return there, hidden
}

// peek looks through MNS at what is next and touches nothing.
func (k *plainCheck) peek() {
	k.t.Helper()
	w := k.c[2].(*mnsWire)
	for _, name := range k.q.names {
		deliveries, err := w.peek(k.t.Context(), name)
		if err != nil {
			k.t.Errorf("peek at %s = %v, want no error", name, err)
		}
		now := time.Now()
		for _, d := range deliveries {
			m := k.q.find(k.t, w, name, d)
			if m == nil {
				continue
			}
			m.check(k.t, w, d)
			if now.Before(m.hidden.from) {
				k.t.Errorf("%s shows %s, which is hidden for another %v", name, m.token, m.hidden.from.Sub(now))
			}
			if d.count < m.count || d.count > m.count+k.q.unanswered {
				k.t.Errorf("%s shows %s with receive count %d, want %d and at most %d more", name, m.token, d.count, m.count, k.q.unanswered)
			}
		}
	}
}

// drain receives all that is visible.
func (k *plainCheck) drain() {
	k.t.Helper()
	for _, name := range k.q.names {
		for k.receive(name, 0) > 0 {
		}
	}
}

// receive takes what is visible, or comes to be within the wait, and returns how many messages there were.
func (k *plainCheck) receive(name string, wait time.Duration) int {
	k.t.Helper()
	w := k.c[k.rng.IntN(2)]
	from := time.Now()
	deliveries, err := w.receive(k.t.Context(), name, receiveRequest{limit: 10, timeout: kept, wait: wait})
	to := time.Now()
	if err != nil {
		k.t.Errorf("%v: receive from %s = %v, want no error", w, name, err)
		return 0
	}
	for _, d := range deliveries {
		m := k.q.find(k.t, w, name, d)
		if m == nil {
			continue
		}
		if k.seen[m.token] {
			k.t.Errorf("%v: %s delivered %s twice", w, name, m.token)
		}
		k.seen[m.token] = true
		checked.received(m)
		if extra := d.count - m.count - 1; extra < 0 || extra > k.q.unanswered {
			k.t.Errorf("%v delivered %s with receive count %d, want %d and at most %d more", w, m.token, d.count, m.count+1, k.q.unanswered)
		}
		m.took(k.t, w, name, d, from, to, kept)
		m.gone, m.lost = never, false // so it was not deleted, and here is a receipt
		if m.early != "" {
			k.t.Error(m.early)
			m.early = ""
		}
	}
	return len(deliveries)
}

// await receives until all that is hidden for a short time has shown up or is overdue.
func (k *plainCheck) await() {
	k.t.Helper()
	for {
		until := k.killed.Add(short)
		if k.q.unanswered == 0 {
			until = time.Time{}
		}
		for _, m := range k.q.messages {
			if !k.seen[m.token] && m.hidden.to.Before(time.Now().Add(settled)) {
				until = latest(until, m.hidden.to)
			}
		}
		if !pause(until, func() { k.receive(k.q.names[0], time.Second) }) {
			break
		}
	}
	k.drain()
}

// pause lets time pass, by a long poll while there is much of it, and reports whether it was not over yet.
func pause(until time.Time, poll func()) bool {
	left := time.Until(until.Add(10 * time.Millisecond))
	switch {
	case left <= 0:
		return false
	case left > 800*time.Millisecond:
		poll()
	default:
		time.Sleep(left)
	}
	return true
}

// release makes messages visible by the receipts of the process that is dead, in the protocol that gave them. MNS has
// no timeout of zero, so it deletes some instead.
func (k *plainCheck) release() {
	k.t.Helper()
	for token, m := range k.q.messages {
		hidden := m.hidden.to.After(time.Now().Add(settled))
		if k.seen[token] || !hidden || m.receipt == "" || !k.last && k.rng.IntN(3) == 0 {
			continue
		}
		w := byName(k.c, m.by)
		if _, mns := w.(*mnsWire); mns && (!k.last || k.rng.IntN(2) == 0) {
			k.deleteByReceipt(w, m)
			continue
		}
		k.endTimeout(w, m)
	}
}

func byName(c []wire, name string) wire {
	for _, w := range c {
		if w.String() == name {
			return w
		}
	}
	panic(fmt.Sprintf("no client is called %q", name))
}

func (k *plainCheck) deleteByReceipt(w wire, m *message) {
	k.t.Helper()
	errs, err := w.remove(k.t.Context(), m.at, []string{m.receipt})
	if err == nil {
		err = errs[0]
	}
	switch {
	case err == nil:
		m.gone = surely
		k.q.deleted++
		k.q.bury(m.token)
	case !m.unsure():
		k.t.Errorf("%v: delete of %s by its receipt = %v, want no error", w, m.token, err)
	}
}

// unsure reports whether a request without an answer may have made the receipt worthless.
func (m *message) unsure() bool { return m.lost || m.gone == maybe || m.hidden.from.Before(time.Now()) }

func (k *plainCheck) endTimeout(w wire, m *message) {
	k.t.Helper()
	timeout := time.Duration(0)
	if _, mns := w.(*mnsWire); mns {
		timeout = time.Second
	}
	checked.add(oldReceipts, 1)
	from := time.Now()
	receipt, visibleAt, err := w.change(k.t.Context(), m.at, m.receipt, timeout)
	to := time.Now()
	_, refused := errors.AsType[*refusal](err)
	switch {
	case err == nil && visibleAt.IsZero():
		m.hidden, m.receipt = after(from, to, timeout), receipt
	case err == nil:
		m.hidden, m.receipt = window{visibleAt, visibleAt}, receipt
	case !refused || !m.unsure():
		k.t.Errorf("%v: change of %s to %v by its receipt = %v, want no error", w, m.token, timeout, err)
	}
}

// judge says what is missing, and settles what was left unanswered: what has not shown up by now was never sent or is
// deleted.
func (k *plainCheck) judge() {
	k.t.Helper()
	batches := map[*batch]string{}
	for token, m := range k.q.messages {
		b := m.batch
		if b == nil {
			b = &batch{}
		}
		batches[b] = token
		switch {
		case k.seen[token]:
			b.happened = true
			checked.add(foundAgain, 1)
		case m.hidden.to.After(time.Now()):
		case m.gone == maybe:
			k.q.bury(token)
		case m.sent == maybe:
			b.missing = true
			delete(k.q.messages, token)
		default:
			k.t.Errorf("%v has lost %s: acknowledged, received %d times, hidden until %v", k.q.names, token, m.count, m.hidden.to)
			delete(k.q.messages, token)
		}
	}
	checked.add(wholeBatches, len(batches))
	for b, token := range batches {
		if b.happened && b.missing {
			k.t.Errorf("the batch of %s was stored in part", token)
		}
	}
}

// dispose deletes most of what was seen, makes some of it visible for the next storm, and leaves the rest hidden.
func (k *plainCheck) dispose() {
	k.t.Helper()
	unwanted := map[string][]*message{}
	for token := range k.seen {
		m := k.q.messages[token]
		if m == nil {
			continue
		}
		switch n := k.rng.IntN(10); {
		case k.last || n < 7:
			unwanted[m.at] = append(unwanted[m.at], m)
		case n < 9:
			k.endTimeout(byName(k.c, m.by), m)
		}
	}
	for name, messages := range unwanted {
		for len(messages) > 0 {
			n := min(len(messages), 10)
			k.remove(name, messages[:n])
			messages = messages[n:]
		}
	}
}

func (k *plainCheck) remove(name string, messages []*message) {
	k.t.Helper()
	receipts := make([]string, len(messages))
	for i, m := range messages {
		receipts[i] = m.receipt
	}
	w := k.c[k.rng.IntN(2)]
	errs, err := w.remove(k.t.Context(), name, receipts)
	if err != nil {
		k.t.Errorf("%v: delete of %d messages = %v, want no error", w, len(receipts), err)
		return
	}
	for i, m := range messages {
		if errs[i] != nil {
			k.t.Errorf("%v: delete of %s = %v, want no error", w, m.token, errs[i])
		}
		k.q.deleted++
		k.q.bury(m.token)
	}
}
