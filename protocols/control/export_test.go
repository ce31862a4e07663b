package control

import "github.com/sluicemq/sluice/core"

// HasHeardOf lets tests see whether an event of a queue has come.
func HasHeardOf(w *Watcher, k core.QueueKey) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queues[k] != nil
}

// Remembered returns the kinds of the events that are remembered of a message, and how many are not.
func Remembered(w *Watcher, id core.MessageID) (kinds []core.EventKind, forgotten int) {
	s, _ := w.story(id)
	for _, e := range s.events {
		kinds = append(kinds, e.kind)
	}
	return kinds, s.forgotten
}

// Lives returns how many messages are remembered.
func Lives(w *Watcher) int {
	_, _, n := w.numbers()
	return n
}

// Events returns how many events of messages are remembered.
func Events(w *Watcher) int { return w.events }

// Deafen adds a listener that never reads, and returns how to ask what it has lost.
func Deafen(w *Watcher) (lost func() int) {
	l, _, _, _ := w.listen(filter{}, nil, 0)
	return func() int { return w.missed(l) }
}

// LookAt makes the pages of searches end after so many names.
func LookAt(a *API, names int) { a.names = names }
