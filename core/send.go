package core

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// defaultPriority is that of messages whose sender gives none.
const defaultPriority = 8

// Send implements Broker.
func (v *view) Send(_ context.Context, key QueueKey, messages []Outgoing) ([]Sent, error) {
	q, err := v.e.open(key)
	if err != nil {
		return nil, err
	}
	now := v.e.now()
	var c changes
	q.advance(now, &c, v.e.watched)
	if err := checkWeight(messages); err != nil {
		return nil, v.e.abandon(q, &c, err)
	}
	sent, err := v.rules.checkAll(messages, q.settings())
	if err != nil {
		return nil, v.e.abandon(q, &c, err)
	}
	c.expect(len(messages), len(messages), v.e.watched)
	var homeless []*message // no room in memory
	for i := range messages {
		if sent[i].Err != nil {
			continue
		}
		m := v.send(q, &messages[i], &sent[i], now, &c)
		if m == nil {
			continue
		}
		if !v.e.keeps(m) {
			homeless = append(homeless, m)
		}
	}
	if err := v.e.commit(q, &c); err != nil {
		return nil, err
	}
	if len(homeless) > 0 {
		v.e.evict(q, homeless)
	}
	return sent, nil
}

// sendBytes bounds what one call sends, with all that does not count for a message's size, such as its trace: it has
// to fit into one commit.
const sendBytes = 1200 << 10

// idBytes bounds a group or deduplication id, which both become part of a key of the store.
const idBytes = 4096

// checkWeight refuses messages that are too much for one commit, whatever a provider counts.
func checkWeight(messages []Outgoing) error {
	total := 0
	for i := range messages {
		o := &messages[i]
		total += o.weight()
		for _, id := range []*string{o.Group, o.DeduplicationID} {
			if o.Invalid == nil && id != nil && len(*id) > idBytes {
				return &Error{Kind: MessageTooLarge, Value: len(*id), Max: idBytes}
			}
		}
	}
	if total > sendBytes {
		return &Error{Kind: MessageTooLarge, Value: total, Max: sendBytes}
	}
	return nil
}

// weight is about the size of a message's record.
func (o *Outgoing) weight() int {
	return len(o.Body) + len(o.Sender) + len(defaultTo(o.Group, "")) + len(defaultTo(o.DeduplicationID, "")) +
		o.Trace.size() + attributesSize(o.Attributes)
}

// abandon ends a verb that fails for a reason of the caller's: only what advance did is stored.
func (e *Engine) abandon(q *queue, c *changes, err error) error {
	if failed := e.commit(q, c); failed != nil {
		return failed
	}
	return err
}

// send adds one message that was checked, or finds that it is a duplicate and returns nil.
func (v *view) send(q *queue, o *Outgoing, sent *Sent, now instant, c *changes) *message {
	s := q.settings()
	group := defaultTo(o.Group, "")
	dedupID := o.dedupID(s)
	digest := DigestOf(o.Body)
	if dedupID != "" {
		if first, ok := q.dedup.find(q.dedupName(dedupID, group, now), now); ok {
			*sent = Sent{ID: first.id, Digest: digest, FIFO: true, Sequence: first.sequence, VisibleAt: now.time(), Duplicate: true}
			v.duplicate(q, first, now, c)
			return nil
		}
	}
	m := &message{
		sequence: v.e.sequence.next(c), id: newMessageID(), enteredAt: now, hiddenAt: -1,
		visibleAt: now.add(v.delay(o, s)), priority: uint8(defaultTo(o.Priority, defaultPriority)),
	}
	m.fresh = m.visibleAt > now
	m.keep(encodeMessage(m, group, &content{
		sentAt: now, body: o.Body, digest: digest, attributes: o.Attributes, trace: o.Trace, sender: o.Sender, dedupID: dedupID,
	}))
	q.enter(m, group, now)
	c.batch.Put(messageKey(messagePrefix, q.id, m.sequence), m.kept())
	if dedupID != "" {
		q.noteDedup(q.dedupName(dedupID, group, now), dedupEntry{m.id, m.sequence, now.add(dedupPeriod)}, c)
	}
	if v.e.watched {
		c.event(q, m, EventSent, now).Trace = o.Trace
	}
	*sent = Sent{ID: m.id, Digest: digest, FIFO: s.FIFO, Sequence: m.sequence, VisibleAt: m.visibleAt.time()}
	if m.fresh && v.rules.DelayedReceipts {
		sent.Receipt = mintReceipt(q.id, q.salt, m.sequence, m.delivery)
	}
	return m
}

func (q *queue) noteDedup(name string, e dedupEntry, c *changes) {
	q.dedup.set(name, e)
	c.batch.Put(namedKey(dedupPrefix, q.id, name), encodeDedup(e))
}

func (v *view) duplicate(q *queue, first dedupEntry, now instant, c *changes) {
	if v.e.watched {
		c.events = append(c.events, Event{
			Kind: EventDeduplicated, At: now.time(), Queue: q.key, ID: first.id, Sequence: first.sequence,
		})
	}
}

// delay returns how long a message stays hidden. On a FIFO queue whose rules know no delay of a single message, a
// delay of zero means the queue's. Recorded 2025-07-31.
func (v *view) delay(o *Outgoing, s *Settings) time.Duration {
	if o.Delay == nil || s.FIFO && !v.rules.FIFODelay {
		return s.Delay
	}
	return *o.Delay
}

// dedupID returns a message's deduplication id, "" when it has none and the queue derives none.
func (o *Outgoing) dedupID(s *Settings) string {
	switch {
	case !s.FIFO:
		return ""
	case o.DeduplicationID != nil:
		return *o.DeduplicationID
	case s.ContentDedup:
		sum := sha256.Sum256([]byte(o.Body))
		return hex.EncodeToString(sum[:])
	default:
		return ""
	}
}

// checkAll checks messages one by one, and returns an error if one of them fails all.
func (r *Rules) checkAll(messages []Outgoing, s *Settings) ([]Sent, error) {
	sent := make([]Sent, len(messages))
	for i := range messages {
		o := &messages[i]
		err := r.checkOutgoing(o, s)
		if kind, ok := kindOf(err); ok && slices.Contains(r.FailBatch, kind) {
			return nil, err
		}
		if o.Invalid != nil {
			err = o.Invalid
		}
		sent[i].Err = err
	}
	return sent, nil
}

// checkOutgoing checks a message against the rules and the queue's settings.
func (r *Rules) checkOutgoing(o *Outgoing, s *Settings) error {
	if s.FIFO {
		if err := r.checkFIFO(o, s); err != nil {
			return err
		}
	} else if o.DeduplicationID != nil {
		return &Error{Kind: NotForQueueType, Field: MessageDeduplicationID, Value: *o.DeduplicationID}
	}
	if err := checkGiven(r.Delay, MessageDelay, o.Delay); err != nil {
		return err
	}
	for _, allowed := range []Range[int]{r.Priority, Between(1, maxPriority)} {
		if err := checkGiven(allowed, MessagePriority, o.Priority); err != nil {
			return err
		}
	}
	if size := r.size(o); size > s.MaxSize {
		return &Error{Kind: MessageTooLarge, Value: size, Max: s.MaxSize}
	}
	return nil
}

func (r *Rules) checkFIFO(o *Outgoing, s *Settings) error {
	switch { // what is missing goes first: it can fail a batch, of which a message with a delay fails alone
	case o.Group == nil:
		return &Error{Kind: GroupMissing, Field: MessageGroup}
	case o.DeduplicationID == nil && !s.ContentDedup && !r.GroupOnly:
		return &Error{Kind: DeduplicationIDMissing, Field: MessageDeduplicationID}
	case o.Delay != nil && *o.Delay > 0 && !r.FIFODelay:
		return &Error{Kind: NotForQueueType, Field: MessageDelay, Value: *o.Delay}
	}
	return nil
}

// size returns the size of a message as the provider counts it.
func (r *Rules) size(o *Outgoing) int {
	n := len(o.Body)
	if !r.SizeCountsAttributes {
		return n
	}
	for _, a := range o.Attributes {
		n += len(a.Name) + len(a.Kind.typeName()) + len(a.Value)
		if a.Label != "" {
			n += 1 + len(a.Label)
		}
	}
	return n
}

// typeName is the name that counts for the size of an attribute.
func (k AttributeKind) typeName() string {
	return [...]string{Text: "String", Number: "Number", Binary: "Binary", Boolean: "String.boolean"}[k]
}

func newMessageID() MessageID {
	var id MessageID
	_, _ = rand.Read(id[:]) // never fails, see crypto/rand
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}
