package crash_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// remembered is for how long a repeated send is tried: well within the five minutes of the deduplication window.
const remembered = 4 * time.Minute

// fifoCheck compares a FIFO queue with its history, after a restart and with nobody else about.
type fifoCheck struct {
	t      *testing.T
	q      *fifoQueue
	c      []wire
	rng    *rand.Rand
	killed time.Time
	last   bool
}

func (k *fifoCheck) run() {
	k.t.Helper()
	k.prune()
	k.repeatSends()
	k.repeatReceives()
	k.count("after the restart")
	k.drain()
	k.await()
	k.release()
	k.await()
	k.judge()
	k.q.unanswered, k.q.attempts = 0, nil
	k.count("after the check")
}

// prune buries what was deleted for sure, and takes it out of its group.
func (k *fifoCheck) prune() {
	k.q.prune(k.t)
	for _, g := range k.q.groups {
		g.line = slices.DeleteFunc(g.line, func(m *message) bool { return m.gone == surely })
	}
}

// repeatSends sends some acknowledged messages again, deleted ones too, which must be answered with the first id. Then
// it does what clients do that had no answer, and sends again: after that the message is there once.
func (k *fifoCheck) repeatSends() {
	k.t.Helper()
	k.q.recent = slices.DeleteFunc(k.q.recent, func(m *message) bool { return time.Since(m.sentAt) > remembered })
	for range min(20, len(k.q.recent)) {
		k.resend(k.q.recent[k.rng.IntN(len(k.q.recent))])
	}
	for _, g := range k.q.groups {
		for _, m := range slices.Clone(g.line) {
			if m.sent == maybe {
				k.resend(m)
			}
		}
	}
}

func (k *fifoCheck) resend(m *message) {
	k.t.Helper()
	w := k.c[k.rng.IntN(len(k.c))]
	if _, mns := w.(*mnsWire); m.sent == maybe || mns && (!k.q.byContent || m.size > w.largest()) {
		w = byName(k.c, m.via)
	}
	from := time.Now()
	answers, err := w.send(k.t.Context(), k.q.name, []outgoing{m.outgoing()})
	if err != nil {
		k.t.Errorf("%v: repeated send of %s = %v, want no error", w, m.token, err)
		return
	}
	s := answers[0]
	if m.sequence != "" {
		checked.add(repeatedSends, 1)
	}
	if m.sequence != "" && s.sequence != "" && s.sequence != m.sequence {
		k.t.Errorf("%v answered the repeated send of %s with sequence number %s, want %s", w, m.token, s.sequence, m.sequence)
	}
	if s.sequence == "" {
		s.sequence = m.sequence
	}
	if m.sent == maybe {
		k.q.recent = append(k.q.recent, m)
	}
	at := m.sentAt
	m.acknowledge(k.t, w, s, from, time.Now())
	if !at.IsZero() {
		m.sentAt = at // the window began then
	}
}

// repeatReceives repeats the receives without an answer under their attempt ids: what they had, if they had anything,
// comes again. It may have become visible by now, and be gone by an attempt that was repeated before.
func (k *fifoCheck) repeatReceives() {
	k.t.Helper()
	checked.add(repeatedTakes, len(k.q.attempts))
	for _, a := range k.q.attempts {
		_, err := k.take(byName(k.c, a.by), receiveRequest{limit: 10, timeout: kept, attemptID: a.id})
		if _, refused := errors.AsType[*refusal](err); err != nil && (!refused || time.Since(a.from) < short) {
			k.t.Errorf("%s: repeated receive from %s under %q = %v, want no error", a.by, k.q.name, a.id, err)
		}
	}
}

func (k *fifoCheck) count(when string) {
	k.t.Helper()
	checked.add(countsOfQueue, 1)
	got, err := k.c[0].(*jsonWire).counts(k.t.Context(), k.q.name)
	if err != nil {
		k.t.Errorf("counts of %s = %v, want no error", k.q.name, err)
		return
	}
	var want span
	for _, m := range k.q.messages {
		there, _ := m.span(time.Now(), time.Now())
		want.add(there)
	}
	if n := got.visible + got.inFlight + got.delayed; n < want.low || n > want.high {
		k.t.Errorf("%s has %d messages %s, want %d to %d", k.q.name, n, when, want.low, want.high)
	}
}

// drain receives and deletes, until only groups are left whose heads are hidden.
func (k *fifoCheck) drain() {
	k.t.Helper()
	for k.receive(k.c[k.rng.IntN(2)], receiveRequest{limit: 10, timeout: kept}) > 0 {
	}
}

func (k *fifoCheck) receive(w wire, r receiveRequest) int {
	k.t.Helper()
	n, err := k.take(w, r)
	if err != nil {
		k.t.Errorf("%v: receive from %s = %v, want no error", w, k.q.name, err)
	}
	return n
}

// take takes messages, deletes them, and returns how many there were.
func (k *fifoCheck) take(w wire, r receiveRequest) (int, error) {
	k.t.Helper()
	from := time.Now()
	deliveries, err := w.receive(k.t.Context(), k.q.name, r)
	to := time.Now()
	if err != nil {
		return 0, err
	}
	within := map[*message]bool{}
	var receipts []string
	for _, d := range deliveries {
		m := k.q.find(k.t, w, d)
		if m == nil {
			continue
		}
		m.issued = false // the deletion that had no answer did not happen
		k.q.checkOrder(k.t, w, m, within)
		if extra := d.count - m.count - 1; extra < 0 || extra > k.q.unanswered {
			k.t.Errorf("%v delivered %s with receive count %d, want %d and at most %d more", w, m.token, d.count, m.count+1, k.q.unanswered)
		}
		within[m] = true
		checked.received(m)
		checked.add(inOrder, 1)
		checked.add(foundAgain, 1)
		m.took(k.t, w, k.q.name, d, from, to, r.timeout)
		if m.early != "" {
			k.t.Error(m.early)
		}
		receipts = append(receipts, d.receipt)
	}
	k.remove(w, within, receipts)
	return len(deliveries), nil
}

func (k *fifoCheck) remove(w wire, messages map[*message]bool, receipts []string) {
	k.t.Helper()
	if len(receipts) == 0 {
		return
	}
	errs, err := w.remove(k.t.Context(), k.q.name, receipts)
	if err = errors.Join(append(errs, err)...); err != nil {
		k.t.Errorf("%v: delete of %d messages from %s = %v, want no error", w, len(receipts), k.q.name, err)
	}
	for m := range messages {
		m.gone = surely
		k.q.deleted++
	}
	k.prune()
}

// await receives until all that is hidden for a short time has shown up or is overdue.
func (k *fifoCheck) await() {
	k.t.Helper()
	for {
		until := k.killed.Add(short)
		if k.q.unanswered == 0 {
			until = time.Time{}
		}
		for _, m := range k.q.messages {
			if m.hidden.to.Before(time.Now().Add(settled)) {
				until = latest(until, m.hidden.to)
			}
		}
		poll := receiveRequest{limit: 10, timeout: kept, wait: time.Second}
		if !pause(until, func() { k.receive(k.c[k.rng.IntN(2)], poll) }) {
			break
		}
	}
	k.drain()
}

// release makes hidden heads visible by the receipts of the process that is dead. Some it leaves to block their groups
// for another round.
func (k *fifoCheck) release() {
	k.t.Helper()
	for _, g := range k.q.groups {
		if !k.last && k.rng.IntN(3) == 0 {
			continue
		}
		for _, m := range g.line {
			if m.hidden.to.After(time.Now().Add(settled)) {
				k.endTimeout(byName(k.c, m.by), m)
			}
		}
	}
}

func (k *fifoCheck) endTimeout(w wire, m *message) {
	k.t.Helper()
	timeout := time.Duration(0)
	if _, mns := w.(*mnsWire); mns {
		timeout = time.Second
	}
	from := time.Now()
	_, _, err := w.change(k.t.Context(), k.q.name, m.receipt, timeout)
	_, refused := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		m.hidden = after(from, time.Now(), timeout)
	case refused && m.unsure():
	default:
		k.t.Errorf("%v: change of %s to %v by its receipt = %v, want no error", w, m.token, timeout, err)
	}
}

// judge looks at the heads of groups: each must be hidden for long, or what may have been deleted was.
func (k *fifoCheck) judge() {
	k.t.Helper()
	for name, g := range k.q.groups {
		for _, m := range g.line {
			if m.hidden.to.After(time.Now()) {
				break
			}
			if m.gone != maybe {
				k.t.Errorf("%s has lost %s of group %s: acknowledged, received %d times, hidden until %v", k.q.name, m.token, name, m.count, m.hidden.to)
			}
			m.gone = surely
		}
	}
	k.prune()
}
