package core

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// state is where a message of a queue stands.
type state uint8

const (
	visible  state = iota // a receive could deliver it, unless it waits for the head of its FIFO group
	delayed               // sent, and hidden since
	inFlight              // received, and hidden since
	held                  // picked by the receive that is under way
	states
)

// message is what the engine keeps in memory of each message. The rest is in the record.
type message struct {
	sequence  uint64
	id        MessageID
	enteredAt instant // retention counts from here
	visibleAt instant // hidden until then
	firstAt   instant // first receive
	lastAt    instant // last receive, from which the bound on the total visibility counts
	turn      uint64  // standard queues: when it became visible, as a number that only grows
	receives  uint32
	before    uint32 // receives in other queues, which do not count for this queue's redrive
	delivery  uint32 // the one whose receipt is valid; grows with receives and renewed receipts
	size      int32  // bytes of the record
	hiddenAt  int32  // index in queue.hidden, -1 when it is not hidden
	agesAt    int32  // index in queue.ages
	priority  uint8
	state     state
	fresh     bool // it has been hidden ever since it was sent

	stated   bool // the store has a state record
	resident bool // its record counts for the body budget

	line       *line // FIFO: its group. Standard: those of equal priority and group that are visible
	prev, next *message

	record *byte // the first byte of the record, see keep; nil when only the store has it
}

// keep gives a message its record. A slice would take 16 bytes more, of each message that waits.
func (m *message) keep(record []byte) {
	m.record, m.size = unsafe.SliceData(record), int32(len(record))
}

// kept returns the record, nil when only the store has it.
func (m *message) kept() []byte {
	if m.record == nil {
		return nil
	}
	return unsafe.Slice(m.record, m.size)
}

// order decides which visible message is delivered next. It is told of every change of a message's state.
type order interface {
	// enter is told of a message that joins the queue; its state is set.
	enter(m *message, group string)
	// changed is told that a message is in another state than before. A message that take has held changes once
	// more, or leaves, before the verb ends.
	changed(m *message, was state)
	// leave is told of a message that leaves the queue; its state is the one it had.
	leave(m *message)
	// take makes visible messages held, in the order of delivery, and gives each to visit, until visit has taken
	// limit of them or says that it is enough.
	take(limit int, visit func(m *message) verdict)
	// peek gives visible messages to visit in the order of delivery, until it returns false.
	peek(visit func(m *message) bool)
	// advance tells the time. Whatever else a verb does comes after that.
	advance(now instant)
	// next returns the next instant at which advance has something to do; 0: never.
	next() instant
	// deliverable reports whether take would find anything.
	deliverable() bool
	// group returns the name of a message's group, "" when it has none.
	group(m *message) string
}

// verdict is what becomes of a message that take has held.
type verdict uint8

const (
	taken  verdict = iota // it counts
	passed                // it does not count; go on
	enough                // it does not count; stop
)

// queue is the state machine. All fields but config are guarded by mu, and by no more than that: a verb takes the
// lock, takes the time, calls advance, changes the state, appends to the journal, and unlocks.
type queue struct {
	mu     sync.Mutex
	id     uint32
	salt   uint32 // random, see receipt.go
	key    QueueKey
	config atomic.Pointer[Settings] // replaced, never changed, so that other queues may read it
	tags   map[string]string

	created, modified instant
	purgedThrough     uint64 // messages up to this sequence number are gone, whatever the store still holds
	purgedAt          instant
	lowWater          uint64 // the store holds nothing of this queue below this sequence number
	removed           int    // how many messages have left since lowWater was set

	messages map[uint64]*message
	resident *atomic.Int64 // the engine's, for all queues
	order    order
	hidden   heap[*message] // by visibleAt
	ages     heap[*message] // by enteredAt
	count    [states]int
	worn     int // messages that redrive would not deliver again

	dedup       window[dedupEntry]
	attempts    window[attempt]
	scopeFrom   instant // until then, scopeBefore is the deduplication scope that counts
	scopeBefore bool

	moves []*move // the latest last; none but the last can be running

	waiters waiters

	alarm   instant // when the engine's timer looks at this queue next; 0: never
	alarmAt int     // index in the timer's heap, guarded by the timer's lock

	last    *commit // the last one with changes of this queue, also when it has ended
	deleted bool
	shut    bool        // the engine is closed
	stale   atomic.Bool // set under the journal's lock, see there
}

func newQueue(id uint32, key QueueKey, s *Settings) *queue {
	q := &queue{id: id, key: key, alarmAt: -1}
	q.config.Store(s)
	q.clear()
	return q
}

// clear forgets all messages and what is remembered of them.
func (q *queue) clear() {
	q.messages = map[uint64]*message{}
	q.hidden = heap[*message]{
		less: func(a, b *message) bool {
			return a.visibleAt < b.visibleAt || a.visibleAt == b.visibleAt && a.sequence < b.sequence
		},
		place: func(m *message, i int) { m.hiddenAt = int32(i) },
	}
	q.ages = heap[*message]{
		less: func(a, b *message) bool {
			return a.enteredAt < b.enteredAt || a.enteredAt == b.enteredAt && a.sequence < b.sequence
		},
		place: func(m *message, i int) { m.agesAt = int32(i) },
	}
	q.count = [states]int{}
	q.worn = 0
	q.dedup = window[dedupEntry]{}
	q.attempts = window[attempt]{}
	if q.settings().FIFO {
		q.order = newFIFO(&q.count)
	} else {
		q.order = newStandard(&q.count, func() int { return q.settings().TenantRate })
	}
}

func (q *queue) settings() *Settings { return q.config.Load() }

func (q *queue) info() QueueInfo {
	s := *q.settings()
	return QueueInfo{
		Key: q.key, Settings: s, Tags: q.tags, Created: q.created.time(), Modified: q.modified.time(),
		Visible: q.count[visible], InFlight: q.count[inFlight], Delayed: q.count[delayed],
	}
}

// enter adds a message, whose visibleAt decides whether it is hidden.
func (q *queue) enter(m *message, group string, now instant) {
	m.state, m.hiddenAt = visible, -1
	if m.visibleAt > now {
		m.state = inFlight
		if m.fresh {
			m.state = delayed
		}
		q.hidden.push(m)
	}
	m.fresh = m.state == delayed
	q.count[m.state]++
	q.messages[m.sequence] = m
	q.ages.push(m)
	q.order.enter(m, group)
	q.worn += q.wear(m)
}

// leave removes a message.
func (q *queue) leave(m *message) {
	q.worn -= q.wear(m)
	q.drop(m)
	if m.hiddenAt >= 0 {
		q.hidden.remove(int(m.hiddenAt))
	}
	q.ages.remove(int(m.agesAt))
	q.order.leave(m)
	q.count[m.state]--
	delete(q.messages, m.sequence)
	if len(q.messages) == 0 && q.removed > 1024 {
		q.messages = map[uint64]*message{} // maps do not shrink
	}
	q.removed++
}

// put moves a message into the state that visibleAt and hiddenState say: visible when visibleAt has come.
func (q *queue) put(m *message, visibleAt instant, hiddenState state, now instant) {
	q.count[m.state]--
	was := m.state
	m.visibleAt = visibleAt
	m.state = visible
	if visibleAt > now {
		m.state = hiddenState
	}
	m.fresh = m.state == delayed
	q.count[m.state]++
	q.rehide(m)
	if m.state != was {
		q.order.changed(m, was)
	}
}

// rehide brings the heap of hidden messages in line with a message's state and visibleAt.
func (q *queue) rehide(m *message) {
	switch hides := m.state == delayed || m.state == inFlight; {
	case hides && m.hiddenAt >= 0:
		q.hidden.fix(int(m.hiddenAt))
	case hides:
		q.hidden.push(m)
	case m.hiddenAt >= 0:
		q.hidden.remove(int(m.hiddenAt))
	}
}

// wear is 1 for a message that this queue has delivered as often as redrive allows, else 0.
func (q *queue) wear(m *message) int {
	if r := q.settings().Redrive; r != nil && int(m.receives-m.before) >= r.MaxReceives {
		return 1
	}
	return 0
}

// expired reports whether a message's retention is over.
func (q *queue) expired(m *message, now instant) bool {
	return m.enteredAt.add(q.settings().Retention) <= now
}

// expiries bounds how many messages, and how many of the things that are remembered, one call of advance drops, so
// that no lock is held for long and no commit grows too large; the timer, which comes back at once, does the rest.
const expiries = 1000

// advance brings the queue to the time now: what was hidden becomes visible, what is too old goes.
func (q *queue) advance(now instant, c *changes, watched bool) {
	q.order.advance(now)
	for q.hidden.len() > 0 && q.hidden.min().visibleAt <= now {
		m := q.hidden.min()
		if watched && !q.expired(m, now) {
			c.event(q, m, EventVisible, m.visibleAt)
		}
		q.put(m, m.visibleAt, visible, now)
	}
	for range expiries {
		if q.ages.len() == 0 || !q.expired(q.ages.min(), now) {
			break
		}
		m := q.ages.min()
		if watched {
			c.event(q, m, EventRetentionExpired, now)
		}
		q.remove(m, c)
	}
	q.dedup.forget(now, expiries, func(name string) { c.batch.Delete(namedKey(dedupPrefix, q.id, name)) })
	q.attempts.forget(now, expiries, func(name string) { c.batch.Delete(namedKey(attemptPrefix, q.id, name)) })
}

// remove takes a message out of the queue and the store.
func (q *queue) remove(m *message, c *changes) {
	q.leave(m)
	c.batch.Delete(messageKey(messagePrefix, q.id, m.sequence))
	if m.stated {
		c.batch.Delete(messageKey(statePrefix, q.id, m.sequence))
	}
	q.raiseLowWater(m, c)
}

// save stores a message's state.
func (q *queue) save(m *message, c *changes) {
	m.stated = true
	c.batch.Put(messageKey(statePrefix, q.id, m.sequence), encodeState(m))
}

// raiseLowWater stores, once in a while, below which sequence number nothing is left, so that recovery need not walk
// over the remains of a million deleted messages. While a purge is being swept there is something left.
func (q *queue) raiseLowWater(removed *message, c *changes) {
	const often = 1 << 16
	if q.removed < often || len(q.messages) > often || q.unswept() {
		return
	}
	q.removed = 0
	low := removed.sequence + 1 // what enters later has a higher number
	for sequence := range q.messages {
		low = min(low, sequence)
	}
	if low > q.lowWater {
		q.lowWater = low
		c.batch.Put(queueKey(queuePrefix, q.id), encodeQueue(q))
	}
}

// unswept reports whether the store may still hold what a purge has left.
func (q *queue) unswept() bool { return q.purgedThrough > 0 && q.purgedThrough >= q.lowWater }

// next returns the next instant at which advance has something to do; 0: never.
func (q *queue) next() instant {
	next := instant(0)
	sooner := func(at instant) {
		if next == 0 || at < next {
			next = at
		}
	}
	if q.hidden.len() > 0 {
		sooner(q.hidden.min().visibleAt)
	}
	if q.ages.len() > 0 {
		sooner(q.ages.min().enteredAt.add(q.settings().Retention))
	}
	if until, ok := q.dedup.next(); ok {
		sooner(until)
	}
	if until, ok := q.attempts.next(); ok {
		sooner(until)
	}
	if at := q.order.next(); at > 0 {
		sooner(at)
	}
	return next
}

// expect makes room for what becomes of so many messages, so that a batch does not grow its lists step by step.
func (c *changes) expect(messages, ops int, watched bool) {
	c.batch.Ops = slices.Grow(c.batch.Ops, ops)
	if watched {
		c.events = slices.Grow(c.events, messages)
	}
}

// event notes what happened to a message.
func (c *changes) event(q *queue, m *message, kind EventKind, at instant) *Event {
	c.events = append(c.events, Event{
		Kind: kind, At: at.time(), Queue: q.key, ID: m.id, Sequence: m.sequence,
		Group: q.order.group(m), Receives: int(m.receives), Until: m.visibleAt.time(),
	})
	return &c.events[len(c.events)-1]
}

// defaultTo returns the value a caller gave, or the default when it gave none.
func defaultTo[T bool | int | string | time.Duration](given *T, otherwise T) T {
	if given != nil {
		return *given
	}
	return otherwise
}
