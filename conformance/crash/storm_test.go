package crash_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// Timeouts come in two sizes. Short ones are over soon after a restart, so that the check can wait for them; it is what
// receives use that may go unanswered, as nobody could tell which messages these have hidden. Long ones outlast a
// campaign unless somebody ends them.
const short = time.Second

func long(rng *rand.Rand) time.Duration { return time.Duration(300+rng.IntN(600)) * time.Second }

// plainQueue is the history of a standard queue, together with its dead-letter queue if it has one.
type plainQueue struct {
	names []string
	calm  bool // all its requests are answered before the program is killed

	history
}

// join adds the queue's workers of one protocol. Requests begin before the end of until, and live as long as ctx.
func (q *plainQueue) join(t *testing.T, all *crew, ctx, until context.Context, w wire, c *campaign) {
	for _, step := range []func(*testing.T, context.Context, wire, *rand.Rand) bool{q.send, q.consume} {
		rng := c.fork()
		all.work(until, func() bool { return step(t, ctx, w, rng) })
	}
}

// failed reports an error that is not the lack of an answer.
func failed(t *testing.T, err error, format string, a ...any) {
	t.Helper()
	if !errors.Is(err, errNoAnswer) {
		t.Errorf(format+" = %v, want no error", append(a, err)...)
	}
}

// send sends a message or a batch and reports whether it was answered.
func (q *plainQueue) send(t *testing.T, ctx context.Context, w wire, rng *rand.Rand) bool {
	messages := q.compose(w, rng)
	out := make([]outgoing, len(messages))
	for i, m := range messages {
		out[i] = m.outgoing()
	}
	from := time.Now()
	answers, err := w.send(ctx, q.names[0], out)
	to := time.Now()

	q.mu.Lock()
	defer q.mu.Unlock()
	for i, m := range messages {
		if err != nil {
			if m.count == 0 {
				m.hidden, m.delayed = after(from, to, m.delay), m.delay > 0
			}
			continue
		}
		m.acknowledge(t, w, answers[i], from, to)
		q.sent++
	}
	if err != nil {
		failed(t, err, "%v: send of %d messages to %s", w, len(messages), q.names[0])
	}
	return err == nil
}

// compose makes up messages and enters them into the history, since somebody may receive them before their sender has
// its answer.
func (q *plainQueue) compose(w wire, rng *rand.Rand) []*message {
	q.mu.Lock()
	defer q.mu.Unlock()
	messages := make([]*message, batchSize(w, rng))
	var together *batch
	if len(messages) > 1 {
		together = &batch{}
	}
	for i := range messages {
		q.tokens++
		m := newMessage(w, fmt.Sprintf("%s-%d", q.names[0], q.tokens), bodySize(w, rng, len(messages)), rng.IntN(2) == 0)
		m.sent, m.batch, m.at, m.moves = maybe, together, q.names[0], len(q.names) > 1
		switch rng.IntN(20) {
		case 0, 1, 2:
			m.delay = short
		case 3:
			m.delay = long(rng)
		}
		q.messages[m.token] = m
		messages[i] = m
	}
	return messages
}

func batchSize(w wire, rng *rand.Rand) int {
	if rng.IntN(2) == 0 {
		return 1
	}
	return 2 + rng.IntN(w.most()-1)
}

// bodySize is mostly small. Some messages are as large as the protocol takes, and those do not come in batches.
func bodySize(w wire, rng *rand.Rand, batch int) int {
	switch n := rng.IntN(60); {
	case n == 0 && batch == 1:
		return w.largest()
	case n < 4:
		return 1 + rng.IntN(3000)
	}
	return 24 + rng.IntN(200)
}

// consume receives messages and does something with each.
func (q *plainQueue) consume(t *testing.T, ctx context.Context, w wire, rng *rand.Rand) bool {
	name := q.names[rng.IntN(len(q.names))]
	if j, ok := w.(*jsonWire); ok && len(q.names) > 1 && rng.IntN(10) == 0 {
		startMove(t, ctx, j, 20*rng.IntN(2))
	}
	r := receiveRequest{limit: 1 + rng.IntN(w.most()), timeout: short}
	switch _, mns := w.(*mnsWire); {
	case mns: // has the queue's timeout
	case q.calm && rng.IntN(2) == 0:
		r.timeout = long(rng)
	case len(q.names) > 1 && rng.IntN(2) == 0:
		r.timeout = 0 // to wear messages out
	}
	if !q.calm && rng.IntN(4) == 0 {
		r.wait = time.Second
	}
	from := time.Now()
	deliveries, err := w.receive(ctx, name, r)
	if err != nil {
		failed(t, err, "%v: receive from %s", w, name)
		q.mu.Lock()
		q.unanswered++
		q.mu.Unlock()
		return false
	}
	mine := q.take(t, w, name, deliveries, from, time.Now(), r.timeout)
	return q.use(t, ctx, w, name, rng, mine)
}

// take enters deliveries into the history and returns those that are this client's for a while.
func (q *plainQueue) take(t *testing.T, w wire, name string, deliveries []delivery, from, to time.Time, timeout time.Duration) []own {
	q.mu.Lock()
	defer q.mu.Unlock()
	var mine []own
	for _, d := range deliveries {
		m := q.find(t, w, name, d)
		if m != nil && m.took(t, w, name, d, from, to, timeout) && timeout > 0 {
			mine = append(mine, own{m, m.count, m.receipt, m.hidden})
		}
	}
	return mine
}

// use deletes some messages, hides some for another time and leaves the rest alone.
func (q *plainQueue) use(t *testing.T, ctx context.Context, w wire, name string, rng *rand.Rand, mine []own) bool {
	var unwanted []own
	for _, o := range mine {
		if o.hurry() {
			continue
		}
		timeout := short
		switch rng.IntN(10) {
		case 0, 1, 2, 3, 4:
			unwanted = append(unwanted, o)
			continue
		case 5, 6:
			timeout = long(rng)
		case 7:
			if _, mns := w.(*mnsWire); !mns {
				timeout = 0
			}
		case 8:
		default:
			continue
		}
		if !q.change(t, ctx, w, name, o, timeout) {
			return false
		}
	}
	return q.remove(t, ctx, w, name, unwanted)
}

func (q *plainQueue) remove(t *testing.T, ctx context.Context, w wire, name string, unwanted []own) bool {
	if len(unwanted) == 0 {
		return true
	}
	receipts := make([]string, len(unwanted))
	for i, o := range unwanted {
		receipts[i] = o.receipt
	}
	errs, err := w.remove(ctx, name, receipts)
	to := time.Now()

	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		failed(t, err, "%v: delete of %d messages from %s", w, len(receipts), name)
		for _, o := range unwanted {
			o.gone = max(o.gone, maybe)
		}
		return false
	}
	for i, o := range unwanted {
		q.removed(t, w, o, errs[i], to)
	}
	return true
}

// removed notes the answer to a deletion. SQS acknowledges the deletion of what was received again by somebody else,
// and deletes nothing; MNS refuses it.
func (q *plainQueue) removed(t *testing.T, w wire, o own, err error, to time.Time) {
	t.Helper()
	_, mns := w.(*mnsWire)
	switch {
	case err != nil && o.late(to):
	case err != nil:
		t.Errorf("%v: delete of %s = %v, want no error", w, o.token, err)
	case o.late(to) && !mns:
		o.gone = max(o.gone, maybe)
	default:
		o.gone, o.goneAt = surely, to
		q.deleted++
	}
}
