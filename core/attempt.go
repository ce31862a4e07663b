package core

import "time"

// attemptPeriod is how long a receive from a FIFO queue can be repeated under its attempt id. Documented.
const attemptPeriod = 5 * time.Minute

// attempt is what a receive with an attempt id returned: it can be repeated while nothing has happened to that.
type attempt struct {
	deliveries []delivery
	until      instant
}

func (a attempt) end() instant { return a.until }

type delivery struct {
	sequence  uint64
	delivery  uint32
	visibleAt instant
}

// repeat returns the messages of an earlier receive with the same attempt id, hidden anew. The bool is false when
// there was none. Returns AttemptInvalid if one of its messages was deleted, received again or re-timed since.
// Recorded 2021: the error. Documented: same messages, same receipts, visibility timeout reset.
func (q *queue) repeat(id string, visibility time.Duration, now instant, c *changes) ([]*message, bool, error) {
	a, ok := q.attempts.find(id, now)
	if !ok {
		return nil, false, nil
	}
	messages := make([]*message, 0, len(a.deliveries))
	for _, d := range a.deliveries {
		m := q.messages[d.sequence]
		if m == nil || m.delivery != d.delivery || m.visibleAt != d.visibleAt {
			return nil, true, &Error{Kind: AttemptInvalid, Value: id}
		}
		messages = append(messages, m)
	}
	for _, m := range messages {
		q.put(m, now.add(visibility), inFlight, now)
		q.save(m, c)
	}
	q.remember(id, messages, a.until, c)
	return messages, true, nil
}

// remember keeps what a receive returned for its attempt id.
func (q *queue) remember(id string, messages []*message, until instant, c *changes) {
	a := attempt{until: until}
	for _, m := range messages {
		a.deliveries = append(a.deliveries, delivery{m.sequence, m.delivery, m.visibleAt})
	}
	q.attempts.set(id, a)
	c.batch.Put(namedKey(attemptPrefix, q.id, id), encodeAttempt(a))
}

func encodeAttempt(a attempt) []byte {
	w := newWriter(16 + 24*len(a.deliveries))
	w.instant(a.until)
	w.uint(uint64(len(a.deliveries)))
	for _, d := range a.deliveries {
		w.uint(d.sequence)
		w.uint(uint64(d.delivery))
		w.instant(d.visibleAt)
	}
	return w.b
}

func decodeAttempt(record []byte) (attempt, error) {
	r := newReader(record)
	a := attempt{until: r.instant()}
	for range r.count() {
		a.deliveries = append(a.deliveries, delivery{r.uint(), uint32(r.uint()), r.instant()})
	}
	return a, r.err
}
