package core

import "time"

// ending is something that is remembered until an instant.
type ending interface{ end() instant }

// window remembers things by name, each until its end. They end in the order in which they were added.
type window[T ending] struct {
	entries map[string]T
	ends    []nameEnd // in order; those of entries that were replaced are passed over
}

type nameEnd struct {
	name string
	at   instant
}

// find returns the entry of a name that has not ended.
func (w *window[T]) find(name string, now instant) (T, bool) {
	e, ok := w.entries[name]
	return e, ok && e.end() > now
}

// set adds an entry, or replaces the one of that name.
func (w *window[T]) set(name string, e T) {
	if w.entries == nil {
		w.entries = map[string]T{}
	}
	if was, ok := w.entries[name]; !ok || was.end() != e.end() {
		w.ends = append(w.ends, nameEnd{name, e.end()})
	}
	w.entries[name] = e
}

// lateness is for how long the first of what has ended may be kept, so that one commit forgets many.
const lateness = 10 * time.Second

// forget drops what has ended, up to limit entries, and gives each name to gone. It waits until that is worth while.
func (w *window[T]) forget(now instant, limit int, gone func(name string)) {
	if at, ok := w.next(); !ok || at > now {
		return
	}
	for ; len(w.ends) > 0 && w.ends[0].at <= now && limit > 0; limit-- {
		first := w.ends[0]
		w.ends[0] = nameEnd{}
		w.ends = w.ends[1:]
		if e, ok := w.entries[first.name]; ok && e.end() == first.at {
			delete(w.entries, first.name)
			gone(first.name)
		}
	}
	if len(w.ends) == 0 {
		w.ends, w.entries = nil, nil
	}
}

// next returns when forget has something to do.
func (w *window[T]) next() (instant, bool) {
	if len(w.ends) == 0 {
		return 0, false
	}
	return w.ends[0].at.add(lateness), true
}
