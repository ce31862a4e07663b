package core

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// MessageState is where a message stands.
type MessageState uint8

// The states of messages.
const (
	Visible  MessageState = iota + 1 // a receive could deliver it, unless something is in its way, see Explain
	Delayed                          // sent and hidden
	InFlight                         // received and hidden
)

func (s state) public() MessageState {
	return [states]MessageState{visible: Visible, delayed: Delayed, inFlight: InFlight, held: Visible}[s]
}

// Seen is a message that somebody has looked at without receiving it.
type Seen struct {
	Message
	Queue          QueueKey
	FIFO           bool // the queue is a FIFO queue
	State          MessageState
	VisibleAt      time.Time // when it becomes visible, or became
	EnteredAt      time.Time // its retention counts from here
	ExpiresAt      time.Time // the end of its retention
	LastReceivedAt time.Time // in this queue; zero if it was not
}

// Place is where a message is, or was: a hint for where to look for it.
type Place struct {
	Queue    QueueKey
	Sequence uint64 // 0: somewhere in the queue
}

// walkStep is how many messages are looked at before a queue's lock is given to others. Measured at a million messages:
// most of them are in no cache, so that a step takes some ten microseconds.
const walkStep = 256

// walk shows every message of a queue to visit, by its sequence number and in no order, until it returns false. Between
// steps others get the lock, so a message that is sent or removed meanwhile may or may not be seen.
func (e *Engine) walk(ctx context.Context, q *queue, visit func(sequence uint64, m *message) bool) error {
	if err := e.lock(q); err != nil {
		return err
	}
	n := 0
	for sequence, m := range q.messages { // entries may go and come while it is being ranged over
		if !visit(sequence, m) {
			break
		}
		if n++; n%walkStep > 0 {
			continue
		}
		q.mu.Unlock()
		runtime.Gosched() // else those who wait for the lock hardly ever get it
		if err := ctx.Err(); err != nil {
			return &Error{Kind: Internal, Err: err}
		}
		if err := e.lock(q); err != nil {
			return err
		}
	}
	q.mu.Unlock()
	return nil
}

// BrowseRequest asks for messages in the order of their sequence numbers.
type BrowseRequest struct {
	States []MessageState // empty: all
	Newest bool           // the highest number first
	After  uint64         // only those that come after this number in that order; 0: all
	Limit  int
}

// Browse shows messages of a queue, hidden ones too, and changes nothing. The bool tells whether there are more. It
// looks at all messages of the queue, a few at a time. Returns QueueNotFound if there is none.
func (e *Engine) Browse(ctx context.Context, key QueueKey, r BrowseRequest) ([]Seen, bool, error) {
	q, err := e.find(key)
	if err != nil {
		return nil, false, err
	}
	if _, err := e.status(q); err != nil { // brings it up to date
		return nil, false, err
	}
	s := newSelection(r)
	if err := e.walk(ctx, q, s.offer); err != nil {
		return nil, false, err
	}
	seen, err := e.look(q, s.numbers())
	return seen, s.more, err
}

// selection keeps the first few of what it is offered.
type selection struct {
	r    BrowseRequest
	kept heap[uint64] // the last of them on top
	more bool
}

func newSelection(r BrowseRequest) *selection {
	s := &selection{r: r}
	s.kept = heap[uint64]{less: func(a, b uint64) bool { return s.before(b, a) }, place: func(uint64, int) {}}
	return s
}

// before tells whether one number comes before another in the order that was asked for.
func (s *selection) before(a, b uint64) bool {
	if s.r.Newest {
		return a > b
	}
	return a < b
}

// offer looks at a message, whose queue is locked, and at no more of it than it must: it is in no cache.
func (s *selection) offer(sequence uint64, m *message) bool {
	full := s.kept.len() == s.r.Limit
	late := full && (s.r.Limit == 0 || !s.before(sequence, s.kept.min()))
	switch {
	case s.r.After != 0 && !s.before(s.r.After, sequence):
	case late && s.more:
	case len(s.r.States) > 0 && !slices.Contains(s.r.States, m.state.public()):
	case late:
		s.more = true
	default:
		if full {
			s.more = true
			s.kept.remove(0)
		}
		s.kept.push(sequence)
	}
	return true
}

// numbers returns what was kept, in order.
func (s *selection) numbers() []uint64 {
	list := slices.Sorted(slices.Values(s.kept.items))
	if s.r.Newest {
		slices.Reverse(list)
	}
	return list
}

// look returns those messages of a queue that are still there.
func (e *Engine) look(q *queue, sequences []uint64) ([]Seen, error) {
	if err := e.lock(q); err != nil {
		return nil, err
	}
	settings := q.settings()
	copies := make([]copied, 0, len(sequences))
	for _, sequence := range sequences {
		if m := q.messages[sequence]; m != nil {
			copies = append(copies, q.copy(m))
		}
	}
	key := q.key
	q.mu.Unlock()
	seen := make([]Seen, 0, len(copies))
	for i := range copies {
		m := &copies[i]
		message, ok, err := e.message(m)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue // gone since
		}
		seen = append(seen, Seen{
			Message: message, Queue: key, FIFO: settings.FIFO, State: m.state.public(), VisibleAt: m.visibleAt.time(),
			EnteredAt: m.enteredAt.time(), ExpiresAt: m.enteredAt.add(settings.Retention).time(), LastReceivedAt: m.lastAt.time(),
		})
	}
	return seen, e.journal.barrier()
}

// Find looks for a message, first where the hints say and then in all queues, a few messages at a time. Returns
// MessageGone if it is nowhere.
func (e *Engine) Find(ctx context.Context, id MessageID, hints ...Place) (Place, error) {
	for _, hint := range hints {
		if p, ok := e.at(hint, id); ok {
			return p, nil
		}
	}
	for _, hint := range hints {
		if q, err := e.find(hint.Queue); err == nil {
			if p, err := e.findIn(ctx, q, id); p.Sequence > 0 || err != nil {
				return p, err
			}
		}
	}
	everywhere, _ := e.filter(QueueFilter{Limit: -1})
	for _, q := range everywhere {
		if p, err := e.findIn(ctx, q, id); p.Sequence > 0 || err != nil {
			return p, err
		}
	}
	return Place{}, &Error{Kind: MessageGone}
}

// at reports whether a message is at a place.
func (e *Engine) at(p Place, id MessageID) (Place, bool) {
	q, err := e.find(p.Queue)
	if err != nil || p.Sequence == 0 {
		return p, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	m := q.messages[p.Sequence]
	return p, m != nil && m.id == id && !q.deleted
}

// findIn looks for a message in one queue. The place has no number when it is not there.
func (e *Engine) findIn(ctx context.Context, q *queue, id MessageID) (Place, error) {
	var p Place
	err := e.walk(ctx, q, func(_ uint64, m *message) bool {
		if m.id == id {
			p = Place{q.key, m.sequence}
		}
		return p.Sequence == 0
	})
	if kind, _ := kindOf(err); err != nil && kind == QueueNotFound {
		err = nil // deleted meanwhile
	}
	return p, err
}

// Look shows the message at a place. Returns QueueNotFound, or MessageGone if it is not there.
func (e *Engine) Look(p Place) (Seen, error) {
	q, err := e.find(p.Queue)
	if err != nil {
		return Seen{}, err
	}
	if _, err := e.status(q); err != nil {
		return Seen{}, err
	}
	seen, err := e.look(q, []uint64{p.Sequence})
	if err == nil && len(seen) == 0 {
		err = &Error{Kind: MessageGone}
	}
	if err != nil {
		return Seen{}, err
	}
	return seen[0], nil
}
