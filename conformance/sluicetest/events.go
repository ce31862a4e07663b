package sluicetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
)

// mark is the queue by which settle knows how far the events are. No provider has an account of that name.
var mark = core.QueueKey{Namespace: core.Namespace{Account: "sluicetest"}, Name: "mark"}

// patience is for how long, by the machine's clock, a test waits for other goroutines.
const patience = 10 * time.Second

// settle returns when all that was done so far has been told. Events come in the order in which they were stored, so it
// does something of its own and waits for the event.
func (s *Server) settle() {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), patience)
	defer stop()
	b := s.Engine().Under(core.Rules{})
	before := s.log.count(isMark)
	_, _, err := b.Create(ctx, mark, core.Patch{}, nil)
	if err == nil {
		err = b.Purge(ctx, mark)
	}
	if err == nil {
		err = s.log.await(ctx, s.log.after(before, isMark))
	}
	if err != nil {
		s.t.Fatalf("waiting for the events: %v", err)
	}
}

func isMark(e core.Event) bool { return e.Kind == core.EventPurged && e.Queue == mark }

func (l *log) count(which func(core.Event) bool) (n int) {
	events, _ := l.since(0)
	for _, e := range events {
		if which(e) {
			n++
		}
	}
	return n
}

// after returns what finds the event that comes after n of its like.
func (l *log) after(n int, which func(core.Event) bool) func(core.Event) bool {
	return func(e core.Event) bool {
		if which(e) {
			n--
		}
		return n < 0
	}
}

// selected returns the events of which a test wants to know, once all that was done so far has been told.
func (s *Server) selected(which func(core.Event) bool) []core.Event {
	s.t.Helper()
	s.settle()
	return s.told(which)
}

// told returns those of them that have been told by now.
func (s *Server) told(which func(core.Event) bool) []core.Event {
	all, _ := s.log.since(0)
	var events []core.Event
	for _, e := range all {
		if e.Queue != mark && which(e) {
			events = append(events, e)
		}
	}
	return events
}

func every(core.Event) bool { return true }

// Timeline returns everything that has happened so far, a line for each event.
func (s *Server) Timeline() []string {
	s.t.Helper()
	return s.log.lines(s.selected(every))
}

// InOrder fails the test unless these events have happened in this order. Others may have happened between them.
func (s *Server) InOrder(want ...string) {
	s.t.Helper()
	lines := s.Timeline()
	rest := lines
	for i, line := range want {
		at := slices.Index(rest, line)
		if at < 0 {
			s.t.Errorf("event %d, %q, has not happened after those before it, but:\n%s", i+1, line, indented(lines))
			return
		}
		rest = rest[at+1:]
	}
}

// Await blocks until such an event has happened, for what other goroutines do at their own pace. The test fails at once
// when 10 seconds have passed by the machine's clock.
func (s *Server) Await(line string) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), patience)
	defer stop()
	for {
		_, more := s.log.since(0)
		lines := s.log.lines(s.told(every))
		if slices.Contains(lines, line) {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			s.t.Fatalf("%q has not happened, but:\n%s", line, indented(lines))
		}
	}
}

func indented(lines []string) string {
	if len(lines) == 0 {
		return "\t(nothing)"
	}
	return "\t" + strings.Join(lines, "\n\t")
}
