package control

import (
	"container/list"
	"slices"
	"sync"
	"time"

	"github.com/sluicemq/sluice/core"
)

// Memory bounds what a Watcher remembers. 0 means the default.
type Memory struct {
	Messages   int // 20,000: of so many messages, those of which something was heard last
	Events     int // 200,000: of all of them together
	PerMessage int // 100: of one message, its first and its latest
}

// recentEvents is how many events of all messages are remembered for those who come late to a stream.
const recentEvents = 4096

// Watcher is an observer that remembers what happened to messages and passes it on to listeners. Its memory is bounded
// in every direction. It is safe for concurrent use.
type Watcher struct {
	memory Memory

	mu        sync.Mutex
	number    uint64 // of the latest event
	lives     map[core.MessageID]*life
	order     list.List // of lives; first is the one of which nothing was heard for longest
	events    int       // of all lives
	traces    map[string][]core.MessageID
	queues    map[core.QueueKey]*core.QueueKey // one of each, so that moments are small
	over      map[core.QueueKey]moment         // the last purge or deletion of a queue
	recent    []told                           // a ring
	listeners map[*listener]struct{}
}

var _ core.Observer = (*Watcher)(nil)

// moment is one event, packed, since there are many.
type moment struct {
	number    uint64
	at, until int64 // milliseconds since 1970; 0: never
	queue     *core.QueueKey
	other     *core.QueueKey
	sequence  uint64
	group     string
	rare      *rarely
	receives  int32
	kind      core.EventKind
}

// rarely is what few events have.
type rarely struct {
	topic        core.TopicKey
	subscription core.SubscriptionName
	err          string
}

// told is an event as listeners get it.
type told struct {
	moment
	id    core.MessageID
	trace string
}

// life is what is remembered of one message.
type life struct {
	id        core.MessageID
	trace     string
	linked    []core.MessageID // what it was before a move task moved it, and what it is now
	moments   []moment
	forgotten int
	place     *list.Element // in the watcher's order
	few       [4]moment     // room for the moments of most
}

// NewWatcher returns a watcher, which is to be given to the engine as an observer.
func NewWatcher(m Memory) *Watcher {
	for _, d := range []struct {
		v         *int
		otherwise int
	}{{&m.Messages, 20_000}, {&m.Events, 200_000}, {&m.PerMessage, 100}} {
		if *d.v <= 0 {
			*d.v = d.otherwise
		}
	}
	return &Watcher{
		memory: m, lives: map[core.MessageID]*life{}, traces: map[string][]core.MessageID{},
		queues: map[core.QueueKey]*core.QueueKey{}, over: map[core.QueueKey]moment{},
		recent: make([]told, 0, recentEvents), listeners: map[*listener]struct{}{},
	}
}

// Observe implements core.Observer.
func (w *Watcher) Observe(e core.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.number++
	t := told{moment: w.pack(&e), id: e.ID}
	if e.ID == (core.MessageID{}) {
		w.whole(e.Queue, t.moment)
	} else {
		t.trace = w.remember(&e, t.moment)
	}
	if e.As != (core.MessageID{}) {
		w.rename(&e, t.moment)
	}
	if len(w.recent) < recentEvents {
		w.recent = append(w.recent, t)
	} else {
		w.recent[w.slot(w.number)] = t
	}
	for l := range w.listeners {
		l.tell(&t)
	}
}

func (w *Watcher) pack(e *core.Event) moment {
	m := moment{
		number: w.number, at: millis(e.At), until: millis(e.Until), sequence: e.Sequence, group: e.Group,
		receives: int32(e.Receives), kind: e.Kind, queue: w.intern(e.Queue), other: w.intern(e.Other),
	}
	if e.Topic != (core.TopicKey{}) {
		m.rare = &rarely{topic: e.Topic, subscription: e.Subscription}
		if e.Err != nil {
			m.rare.err = e.Err.Error()
		}
	}
	return m
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// manyQueues is how many queues are known by heart. Beyond it those that are gone go as well.
const manyQueues = 20_000

// intern returns the one copy of a key, nil for none.
func (w *Watcher) intern(k core.QueueKey) *core.QueueKey {
	if k == (core.QueueKey{}) {
		return nil
	}
	known := w.queues[k]
	if known == nil {
		if len(w.queues) >= manyQueues {
			clear(w.queues)
		}
		known = &k
		w.queues[k] = known
	}
	return known
}

// whole notes what happened to all messages of a queue.
func (w *Watcher) whole(k core.QueueKey, m moment) {
	if m.kind != core.EventPurged && m.kind != core.EventQueueDeleted {
		return
	}
	if len(w.over) >= manyQueues {
		clear(w.over)
	}
	w.over[k] = m
}

// remember adds a moment to a life and returns the trace that it is part of.
func (w *Watcher) remember(e *core.Event, m moment) string {
	l := w.lives[e.ID]
	if l == nil {
		l = w.begin(e.ID)
	} else {
		w.order.MoveToBack(l.place)
	}
	if id := traceIDOf(e.Trace); id != "" && l.trace == "" {
		l.trace = id
		w.traces[id] = append(w.traces[id], l.id)
	}
	if len(l.moments) >= max(w.memory.PerMessage, 2) {
		copy(l.moments[1:], l.moments[2:]) // the first says where it all began
		l.moments[len(l.moments)-1] = m
		l.forgotten++
	} else {
		l.moments = append(l.moments, m)
		w.events++
	}
	for w.events > w.memory.Events && w.oldest() != l {
		w.forget(w.oldest())
	}
	return l.trace
}

// rename lets the life of a message go on under the id that a move task has given it.
func (w *Watcher) rename(e *core.Event, m moment) {
	w.remember(&core.Event{ID: e.As, Trace: e.Trace}, m)
	before, now := w.lives[e.ID], w.lives[e.As]
	now.linked = append(now.linked, e.ID)
	if before == nil {
		return // pushed out in this very moment
	}
	before.linked = append(before.linked, e.As)
	if now.trace == "" && before.trace != "" {
		now.trace = before.trace
		w.traces[now.trace] = append(w.traces[now.trace], now.id)
	}
}

// begin returns a new life, that of a message of which nothing was heard for longest if there are enough.
func (w *Watcher) begin(id core.MessageID) *life {
	var l *life
	if len(w.lives) >= w.memory.Messages {
		l = w.oldest()
		w.forget(l)
	} else {
		l = &life{}
	}
	*l = life{id: id, place: w.order.PushBack(l)}
	l.moments = l.few[:0]
	w.lives[id] = l
	return l
}

// oldest returns the life of which nothing was heard for longest. There must be one.
func (w *Watcher) oldest() *life { return w.order.Front().Value.(*life) }

func (w *Watcher) forget(l *life) {
	w.order.Remove(l.place)
	delete(w.lives, l.id)
	w.events -= len(l.moments)
	if l.trace == "" {
		return
	}
	ids := w.traces[l.trace]
	switch i := slices.Index(ids, l.id); i {
	case 0:
		ids = ids[1:] // mostly: what comes first goes first
	default:
		ids = slices.Delete(ids, i, i+1)
	}
	if w.traces[l.trace] = ids; len(ids) == 0 {
		delete(w.traces, l.trace)
	}
}

// numbers returns the number of the latest event and how many listeners and messages there are.
func (w *Watcher) numbers() (last uint64, listeners, messages int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.number, len(w.listeners), len(w.lives)
}

// story is a life as others get it.
type story struct {
	events    []told
	forgotten int
	trace     string
	linked    []core.MessageID
	ended     *moment // what ended it together with its queue
}

// story returns what is remembered of a message.
func (w *Watcher) story(id core.MessageID) (s story, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.lives[id]
	if l == nil {
		return story{}, false
	}
	s = story{forgotten: l.forgotten, trace: l.trace, linked: slices.Clone(l.linked)}
	for _, m := range l.moments {
		s.events = append(s.events, told{m, id, l.trace})
	}
	latest := l.moments[len(l.moments)-1]
	if at := latest.where(); at != nil {
		if m, ok := w.over[*at]; ok && m.number > latest.number && !latest.ends() {
			s.ended = &m
			s.events = append(s.events, told{m, core.MessageID{}, ""})
		}
	}
	return s, true
}

// where returns the queue in which a message is after a moment.
func (m *moment) where() *core.QueueKey {
	if m.other != nil && (m.kind == core.EventDeadLettered || m.kind == core.EventMoved) {
		return m.other
	}
	return m.queue
}

// ends reports whether a message is gone after a moment.
func (m *moment) ends() bool {
	return m.kind == core.EventDeleted || m.kind == core.EventRetentionExpired
}

// place returns where a message was last seen.
func (w *Watcher) place(id core.MessageID) (core.Place, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.lives[id]
	if l == nil {
		return core.Place{}, false
	}
	m := l.moments[len(l.moments)-1]
	at := m.where()
	if at == nil {
		return core.Place{}, false
	}
	if at != m.queue {
		return core.Place{Queue: *at}, true // it has got another number there
	}
	return core.Place{Queue: *at, Sequence: m.sequence}, true
}

// ofTrace returns the messages of a trace.
func (w *Watcher) ofTrace(id string) []core.MessageID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]core.MessageID(nil), w.traces[id]...)
}
