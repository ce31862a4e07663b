package otlp

import (
	"slices"
	"sync"
)

// ring keeps the latest spans within a number and a size, and finds those of a trace.
type ring struct {
	maxSpans, maxBytes int

	mu      sync.RWMutex
	entries []*Span // a circle: the oldest is at first
	first   int
	count   int
	bytes   int
	traces  map[TraceID][]*Span // in the order in which they came, so the oldest of a trace goes first
	known   map[identity]bool
}

// identity tells spans apart. An exporter that has not got an answer sends spans again.
type identity struct {
	trace TraceID
	id    SpanID
}

func newRing(spans, bytes int) *ring {
	return &ring{maxSpans: spans, maxBytes: bytes, traces: map[TraceID][]*Span{}, known: map[identity]bool{}}
}

func (r *ring) len() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.count
}

func (r *ring) spans(trace TraceID) []*Span {
	r.mu.RLock()
	found := slices.Clone(r.traces[trace])
	r.mu.RUnlock()
	slices.SortStableFunc(found, func(a, b *Span) int { return a.Start.Compare(b.Start) })
	return found
}

func (r *ring) add(spans []*Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range spans {
		id := identity{s.Trace, s.ID}
		size := s.size()
		if r.known[id] || size > r.maxBytes {
			continue
		}
		for r.count == r.maxSpans || r.bytes+size > r.maxBytes {
			r.forget()
		}
		r.put(s)
		r.bytes += size
		r.known[id] = true
		r.traces[s.Trace] = append(r.traces[s.Trace], s)
	}
}

// put appends a span to the circle, which grows as long as it may.
func (r *ring) put(s *Span) {
	if r.count == len(r.entries) {
		grown := make([]*Span, min(max(2*len(r.entries), 64), r.maxSpans))
		n := copy(grown, r.entries[r.first:])
		copy(grown[n:], r.entries[:r.first])
		r.entries, r.first = grown, 0
	}
	r.entries[(r.first+r.count)%len(r.entries)] = s
	r.count++
}

// forget removes the oldest span.
func (r *ring) forget() {
	s := r.entries[r.first]
	r.entries[r.first] = nil
	r.first = (r.first + 1) % len(r.entries)
	r.count--
	r.bytes -= s.size()
	delete(r.known, identity{s.Trace, s.ID})
	rest := r.traces[s.Trace]
	rest[0] = nil
	if rest = rest[1:]; len(rest) == 0 {
		delete(r.traces, s.Trace)
		return
	}
	r.traces[s.Trace] = rest
}
