package control

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/core/clock"
)

const (
	heartbeat = 15 * time.Second
	patience  = 10 * time.Second // for one write
)

// events is a stream of server-sent events.
func (a *API) events(w http.ResponseWriter, r *http.Request) {
	f, after, latest, err := readFilter(r)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	l, past, gap, ok := a.watcher.listen(f, after, latest)
	if !ok {
		a.fail(w, r, &problem{http.StatusServiceUnavailable, "TooManyListeners", "There are too many open streams.", ""})
		return
	}
	defer a.watcher.leave(l)
	s := &stream{w: w, c: http.NewResponseController(w)}
	_ = s.c.SetReadDeadline(time.Time{}) // else its end looks like a client that has gone
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s.comment("live")
	s.gap(int64(gap))
	for i := range past {
		s.event(&past[i])
	}
	s.flush()
	a.follow(r, l, s)
}

func readFilter(r *http.Request) (f filter, after *uint64, latest int, err error) {
	p := newParameters(r)
	latest = p.number("recent", 0, 0, recentEvents)
	if text := p.text("queue"); text != "" {
		ref, err := readRef("queue", text)
		if err != nil {
			p.fail(err)
		}
		f.queue = new(ref.key())
	}
	if text := p.text("message"); text != "" {
		id, err := readID(text)
		if err != nil {
			p.fail(err)
		}
		f.message = &id
	}
	for _, name := range p.list("kind") {
		kind, known := byName(eventKinds, name)
		if !known {
			p.fail(invalid("kind", "There is no kind %q of events.", name))
		}
		f.kinds = append(f.kinds, kind)
	}
	if text := r.Header.Get("Last-Event-ID"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			p.fail(invalid("Last-Event-ID", "Last-Event-ID is %q, want a number.", text))
		}
		after = &n
	}
	return f, after, latest, p.err
}

// follow passes on what happens until the reader has gone, or is too slow.
func (a *API) follow(r *http.Request, l *listener, s *stream) {
	dropped := a.o.Dropped()
	beat, giveUp := clock.System{}.Until(clock.System{}.Now().Add(heartbeat))
	defer func() { giveUp() }()
	for s.err == nil {
		select {
		case t := <-l.events:
			s.event(&t)
			for range len(l.events) {
				t := <-l.events
				s.event(&t)
			}
		case <-beat:
			s.comment("still here")
			beat, giveUp = clock.System{}.Until(clock.System{}.Now().Add(heartbeat))
		case <-r.Context().Done():
			return
		}
		if now := a.o.Dropped(); now > dropped {
			s.gap(now - dropped)
			dropped = now
		}
		if lost := a.watcher.missed(l); lost > 0 && len(l.events) == 0 {
			s.write("event: cut\ndata: {\"dropped\":%d}\n\n", lost)
			s.flush()
			return
		}
		s.flush()
	}
}

// stream writes events. After an error it writes nothing more.
type stream struct {
	w   http.ResponseWriter
	c   *http.ResponseController
	err error
}

func (s *stream) write(format string, args ...any) {
	if s.err != nil {
		return
	}
	_ = s.c.SetWriteDeadline(clock.System{}.Now().Add(patience)) // a recorder in a test has none
	_, s.err = fmt.Fprintf(s.w, format, args...)
}

func (s *stream) comment(text string) { s.write(": %s\n\n", text) }

func (s *stream) gap(n int64) {
	if n > 0 {
		s.write("event: gap\ndata: {\"dropped\":%d}\n\n", n)
	}
}

func (s *stream) event(t *told) {
	data, err := json.Marshal(new(shownEvent(t)), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		s.err = err
		return
	}
	s.write("id: %d\nevent: %s\ndata: %s\n\n", t.number, kindName(t.kind), data)
}

func (s *stream) flush() {
	if s.err == nil {
		s.err = s.c.Flush()
	}
}
