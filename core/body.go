package core

import (
	"errors"
	"math/bits"

	"github.com/sluicemq/sluice/persistence"
)

// keeps reports whether a message's record may stay in memory, and counts it if so.
func (e *Engine) keeps(m *message) bool {
	if e.resident.Add(allocated(m.size)) <= e.budget || e.budget < 0 {
		m.resident = true
		return true
	}
	e.resident.Add(-allocated(m.size))
	return false
}

// allocated is about how much memory Go takes for so many bytes: it has eight sizes, more or less, between one power of two and
// the next.
func allocated(size int32) int64 {
	step := int64(1) << max(bits.Len32(uint32(size))-4, 0)
	return (int64(size) + step - 1) &^ (step - 1)
}

// drop takes a message's record out of the count if it was kept.
func (q *queue) drop(m *message) {
	if m.resident {
		m.resident = false
		q.resident.Add(-allocated(m.size))
	}
}

func (q *queue) dropAll() {
	for _, m := range q.messages {
		q.drop(m)
	}
}

// evict lets the store alone have the records of messages that found no room in memory. They had to stay until they
// were durable.
func (e *Engine) evict(q *queue, messages []*message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range messages {
		m.record = nil
	}
}

// record returns a message's record, from the store if need be. The bool is false when the message is gone.
func (e *Engine) record(queue uint32, sequence uint64, resident []byte) ([]byte, bool, error) {
	if resident != nil {
		return resident, true, nil
	}
	value, err := e.journal.store.Get(messageKey(messagePrefix, queue, sequence))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, &Error{Kind: Internal, Err: err}
	}
	return value, true, nil
}

// copied is what a verb takes of a message while it holds the lock, to make a Message of it afterwards.
type copied struct {
	message
	queue uint32
	salt  uint32
	group string
}

func (q *queue) copy(m *message) copied {
	return copied{message: *m, queue: q.id, salt: q.salt, group: q.order.group(m)}
}

// read reads the content of a message. The bool is false when the message has gone since it was copied.
func (e *Engine) read(m *copied) (content, bool, error) {
	record, ok, err := e.record(m.queue, m.sequence, m.kept())
	if err != nil || !ok {
		return content{}, false, err
	}
	var head message
	r := newReader(record)
	sentAt, _ := decodeHead(r, &head)
	c := decodeContent(r)
	c.sentAt = sentAt
	if r.err != nil {
		return content{}, false, &Error{Kind: Internal, Err: r.err}
	}
	return c, true, nil
}

// mustRead is read for a message whose queue is locked, so that it cannot have gone.
func (e *Engine) mustRead(m *copied) (content, error) {
	c, ok, err := e.read(m)
	if err == nil && !ok {
		err = &Error{Kind: Internal, Err: errRecord}
	}
	return c, err
}

// message makes what callers see of a message. The bool is false when the message has gone since it was copied.
func (e *Engine) message(m *copied) (Message, bool, error) {
	c, ok, err := e.read(m)
	if err != nil || !ok {
		return Message{}, false, err
	}
	return Message{
		ID: m.id, Sequence: m.sequence, Body: c.body, Digest: c.digest, Attributes: c.attributes, Trace: c.trace, Sender: c.sender,
		Group: m.group, DeduplicationID: c.dedupID, Priority: int(m.priority), SentAt: c.sentAt.time(),
		FirstReceivedAt: m.firstAt.time(), Receives: int(m.receives), Source: c.source,
	}, true, nil
}
