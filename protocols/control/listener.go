package control

import (
	"slices"

	"github.com/sluicemq/sluice/core"
)

// maxListeners bounds the open streams; each may hold a connection for ever.
const maxListeners = 100

// backlog is how far a listener may lag behind before it is cut off.
const backlog = 2048

// listener is one who gets events. A slow one loses them, and is told so; nobody waits for it.
type listener struct {
	filter filter
	events chan told
	lost   int // guarded by the watcher's lock
}

// filter selects events. What is empty selects all.
type filter struct {
	queue   *core.QueueKey
	message *core.MessageID
	kinds   []core.EventKind
}

func (f *filter) selects(t *told) bool {
	if f.queue != nil && (t.queue == nil || *t.queue != *f.queue) && (t.other == nil || *t.other != *f.queue) {
		return false
	}
	if f.message != nil && t.id != *f.message {
		return false
	}
	return len(f.kinds) == 0 || slices.Contains(f.kinds, t.kind)
}

// tell gives an event to a listener. Once it has lost one it gets no more.
func (l *listener) tell(t *told) {
	if !l.filter.selects(t) {
		return
	}
	if l.lost > 0 {
		l.lost++
		return
	}
	select {
	case l.events <- *t:
	default:
		l.lost++
	}
}

// listen begins to listen, from the number that comes after an event or, without one, with the latest few. It returns
// the past events, how many of those that were asked for are not remembered any more, and false if there are too many
// listeners.
func (w *Watcher) listen(f filter, after *uint64, latest int) (l *listener, past []told, gap uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.listeners) >= maxListeners {
		return nil, nil, 0, false
	}
	l = &listener{filter: f, events: make(chan told, backlog)}
	w.listeners[l] = struct{}{}
	oldest := w.number - uint64(len(w.recent)) + 1
	for number := oldest; number <= w.number; number++ {
		t := &w.recent[w.slot(number)]
		if (after == nil || number > *after) && f.selects(t) {
			past = append(past, *t)
		}
	}
	switch {
	case after == nil:
		past = past[max(len(past)-latest, 0):]
	case *after+1 < oldest:
		gap = oldest - *after - 1
	}
	return l, past, gap, true
}

// slot returns where an event stands in the ring.
func (w *Watcher) slot(number uint64) int { return int((number - 1) % recentEvents) }

// leave ends listening.
func (w *Watcher) leave(l *listener) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.listeners, l)
}

// missed returns how many events a listener has lost.
func (w *Watcher) missed(l *listener) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return l.lost
}
