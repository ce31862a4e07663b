package sluicetest

import (
	"encoding/hex"
	"strings"

	"github.com/sluicemq/sluice/core"
)

// Message is a message in assertions, in whatever queue it is.
type Message struct {
	s    *Server
	name string
	is   func(core.Event) bool
}

// Message returns the message with that id, as either provider writes it, or else the one with that body. Assertions
// about a body of several messages are about all of them together.
func (s *Server) Message(idOrBody string) *Message {
	m := &Message{s: s, name: idOrBody}
	plain, err := hex.DecodeString(strings.ReplaceAll(idOrBody, "-", ""))
	if err == nil && len(plain) == len(core.MessageID{}) {
		m.is = func(e core.Event) bool { return e.ID == core.MessageID(plain) }
		return m
	}
	m.is = func(e core.Event) bool { return e.ID != core.MessageID{} && s.log.body(e.ID) == idOrBody }
	return m
}

// Timeline returns what has happened to the message, a line for each event.
func (m *Message) Timeline() []string {
	m.s.t.Helper()
	return m.s.log.lines(m.s.selected(m.is))
}

func (m *Message) count(k core.EventKind) (n int) {
	m.s.t.Helper()
	for _, e := range m.s.selected(m.is) {
		if e.Kind == k {
			n++
		}
	}
	return n
}

func (m *Message) fail(format string, args ...any) {
	m.s.t.Helper()
	m.s.t.Errorf("message %q "+format+"; what happened:\n%s", append(append([]any{m.name}, args...), indented(m.Timeline()))...)
}

// Received fails the test unless the message was received that many times in all, over all queues.
func (m *Message) Received(times int) {
	m.s.t.Helper()
	if n := m.count(core.EventReceived); n != times {
		m.fail("was received %d times, want %d", n, times)
	}
}

// ReceivedOnce fails the test unless the message was received exactly once.
func (m *Message) ReceivedOnce() {
	m.s.t.Helper()
	m.Received(1)
}

// Deleted fails the test unless the message was deleted.
func (m *Message) Deleted() {
	m.s.t.Helper()
	if m.count(core.EventDeleted) == 0 {
		m.fail("was not deleted")
	}
}

// DeadLettered fails the test unless the message was moved to that dead-letter queue after so many receives.
func (m *Message) DeadLettered(queue string, after int) {
	m.s.t.Helper()
	receives := 0
	for _, e := range m.s.selected(m.is) {
		switch {
		case e.Kind == core.EventReceived:
			receives++
		case e.Kind == core.EventDeadLettered && string(e.Other.Name) != queue:
			m.fail("was dead-lettered to %s, want %s", e.Other.Name, queue)
			return
		case e.Kind == core.EventDeadLettered && receives != after:
			m.fail("was dead-lettered after %d receives, want %d", receives, after)
			return
		case e.Kind == core.EventDeadLettered:
			return
		}
	}
	m.fail("was not dead-lettered")
}
