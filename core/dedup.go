package core

import "time"

// dedupPeriod is how long a FIFO queue remembers a deduplication id, counted from the first accepted send. Deleting
// the message does not end it; purging the queue does. Documented; recorded 2024-04.
const dedupPeriod = 5 * time.Minute

// scopeDelay is how long a change of the deduplication scope takes to have an effect.
// UNVERIFIED: recorded 2025-08 is only that it has none within seconds; 60 s is the documented time for attributes.
const scopeDelay = time.Minute

// dedupEntry is the message for which a deduplication id was first used.
type dedupEntry struct {
	id       MessageID
	sequence uint64
	until    instant
}

func (e dedupEntry) end() instant { return e.until }

// dedupName returns the name under which a deduplication id is remembered: per queue or per group.
func (q *queue) dedupName(id, group string, now instant) string {
	if q.dedupsPerGroup(now) {
		return "g" + group + "\x00" + id // neither can hold a zero byte
	}
	return "q" + id
}

func (q *queue) dedupsPerGroup(now instant) bool {
	if now < q.scopeFrom {
		return q.scopeBefore
	}
	return q.settings().DedupPerGroup
}

func encodeDedup(e dedupEntry) []byte {
	w := newWriter(48)
	w.b = append(w.b, e.id[:]...)
	w.uint(e.sequence)
	w.instant(e.until)
	return w.b
}

func decodeDedup(record []byte) (dedupEntry, error) {
	r := newReader(record)
	e := dedupEntry{id: r.id(), sequence: r.uint(), until: r.instant()}
	return e, r.err
}
