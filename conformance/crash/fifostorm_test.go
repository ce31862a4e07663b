package crash_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// groupsEach is how many groups the sender of one protocol has to itself, so that it knows their order.
const groupsEach = 3

// fifoQueue is the history of a FIFO queue.
type fifoQueue struct {
	name      string
	byContent bool // bodies are the deduplication ids, within a group; MNS can then use the queue as well

	history
	groups   map[string]*group
	recent   []*message // in the order in which their sends were answered
	attempts []attempt  // receives without an answer, those that can be repeated
}

// group is the messages of a group in the order in which they were sent, less those that are known to be gone.
type group struct {
	line []*message
	next int
}

// attempt is a receive that can be repeated, until its messages are visible again.
type attempt struct {
	by, id string
	from   time.Time
}

func newFIFOQueue(name string, byContent bool) *fifoQueue {
	return &fifoQueue{name: name, byContent: byContent, history: newHistory(), groups: map[string]*group{}}
}

func (q *fifoQueue) join(t *testing.T, all *crew, ctx context.Context, w wire, c *campaign) {
	if _, mns := w.(*mnsWire); mns && !q.byContent {
		return
	}
	for _, step := range []func(*testing.T, context.Context, wire, *rand.Rand) bool{q.send, q.consume} {
		rng := c.fork()
		all.work(ctx, func() bool { return step(t, ctx, w, rng) })
	}
}

func (q *fifoQueue) send(t *testing.T, ctx context.Context, w wire, rng *rand.Rand) bool {
	messages := q.compose(w, rng)
	out := make([]outgoing, len(messages))
	for i, m := range messages {
		out[i] = m.outgoing()
	}
	from := time.Now()
	answers, err := w.send(ctx, q.name, out)
	to := time.Now()
	if err != nil {
		failed(t, err, "%v: send of %d messages to %s", w, len(messages), q.name)
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, m := range messages {
		m.acknowledge(t, w, answers[i], from, to)
		q.recent = append(q.recent, m)
		q.sent++
	}
	return true
}

func (q *fifoQueue) compose(w wire, rng *rand.Rand) []*message {
	q.mu.Lock()
	defer q.mu.Unlock()
	messages := make([]*message, min(batchSize(w, rng), 5))
	for i := range messages {
		q.tokens++
		m := newMessage(w, fmt.Sprintf("%s-%d", q.name, q.tokens), bodySize(w, rng, len(messages)), rng.IntN(2) == 0)
		m.group = fmt.Sprintf("%.5s-%d", []byte(w.String())[len(w.String())-3:], rng.IntN(groupsEach))
		if !q.byContent {
			m.dedup = "d-" + m.token
		}
		g := q.groups[m.group]
		if g == nil {
			g = &group{}
			q.groups[m.group] = g
		}
		m.sent, m.at, m.index = maybe, q.name, g.next
		g.next++
		g.line = append(g.line, m)
		q.messages[m.token] = m
		messages[i] = m
	}
	return messages
}

func (q *fifoQueue) consume(t *testing.T, ctx context.Context, w wire, rng *rand.Rand) bool {
	r := receiveRequest{limit: 1 + rng.IntN(w.most()), timeout: short}
	if _, mns := w.(*mnsWire); !mns {
		r.attemptID = fmt.Sprintf("a-%x", rng.Uint64())
	}
	if rng.IntN(4) == 0 {
		r.wait = time.Second
	}
	from := time.Now()
	deliveries, err := w.receive(ctx, q.name, r)
	to := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		failed(t, err, "%v: receive from %s", w, q.name)
		q.unanswered++
		if r.attemptID != "" {
			q.attempts = append(q.attempts, attempt{w.String(), r.attemptID, from})
		}
		return false
	}
	mine := q.take(t, w, deliveries, from, to, r.timeout)
	q.mu.Unlock()
	again := q.use(t, ctx, w, rng, mine)
	q.mu.Lock()
	return again
}

// take enters an answer into the history and returns what is this client's for a while. The lock is held.
func (q *fifoQueue) take(t *testing.T, w wire, deliveries []delivery, from, to time.Time, timeout time.Duration) []own {
	t.Helper()
	var mine []own
	within := map[*message]bool{}
	for _, d := range deliveries {
		m := q.find(t, w, d)
		if m == nil {
			continue
		}
		q.checkOrder(t, w, m, within)
		within[m] = true
		if m.took(t, w, q.name, d, from, to, timeout) {
			mine = append(mine, own{m, m.count, m.receipt, m.hidden})
		}
	}
	return mine
}

// find returns the message of a delivery. The lock is held.
func (q *fifoQueue) find(t *testing.T, w wire, d delivery) *message {
	t.Helper()
	m := q.history.find(t, w, q.name, d)
	if m != nil && !q.byContent && d.dedup != m.dedup {
		t.Errorf("%v: %s delivered %s with deduplication id %q, want %q", w, q.name, m.token, d.dedup, m.dedup)
	}
	return m
}

// checkOrder reports a message that is delivered while one before it in its group is neither in the same answer nor
// being deleted by anybody. One that may never have been sent holds up nobody.
func (q *fifoQueue) checkOrder(t *testing.T, w wire, m *message, within map[*message]bool) {
	t.Helper()
	for _, before := range q.groups[m.group].line {
		if before.index > m.index && within[before] {
			t.Errorf("%v: %s delivered %s after %s of the same group", w, q.name, m.token, before.token)
		}
		if before.index < m.index && before.sent == surely && !before.issued && !within[before] {
			t.Errorf("%v: %s delivered %s before %s of the same group", w, q.name, m.token, before.token)
		}
	}
}

// use deletes a part of each group from its head on, and makes the rest visible or leaves it alone. Once in a while it
// hides the head for long, and its group with it.
func (q *fifoQueue) use(t *testing.T, ctx context.Context, w wire, rng *rand.Rand, mine []own) bool {
	heads := map[string][]own{}
	for _, o := range mine {
		heads[o.group] = append(heads[o.group], o)
	}
	for _, os := range heads {
		if os[0].hurry() {
			continue
		}
		n := len(os)
		switch rng.IntN(40) {
		case 0:
			if !q.change(t, ctx, w, q.name, os[0], long(rng)) {
				return false
			}
			continue
		case 1, 2, 3, 4:
			n = rng.IntN(len(os) + 1)
		}
		if n > 0 && !q.remove(t, ctx, w, os[:min(n, w.most())]) {
			return false
		}
		if _, mns := w.(*mnsWire); mns || rng.IntN(3) == 0 {
			continue
		}
		for _, o := range os[n:] {
			if !q.change(t, ctx, w, q.name, o, 0) {
				return false
			}
		}
	}
	return true
}

func (q *fifoQueue) remove(t *testing.T, ctx context.Context, w wire, unwanted []own) bool {
	receipts := make([]string, len(unwanted))
	q.mu.Lock()
	for i, o := range unwanted {
		receipts[i] = o.receipt
		o.issued = true
	}
	q.mu.Unlock()
	errs, err := w.remove(ctx, q.name, receipts)
	to := time.Now()

	q.mu.Lock()
	defer q.mu.Unlock()
	for i, o := range unwanted {
		switch {
		case err != nil:
			o.gone = max(o.gone, maybe)
		case errs[i] == nil: // a FIFO queue refuses what comes too late
			o.gone, o.goneAt = surely, to
			q.deleted++
		case !o.late(to):
			t.Errorf("%v: delete of %s = %v, want no error", w, o.token, errs[i])
		}
	}
	if err != nil {
		failed(t, err, "%v: delete of %d messages from %s", w, len(receipts), q.name)
	}
	return err == nil
}
