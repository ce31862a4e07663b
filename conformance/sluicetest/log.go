package sluicetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sluicemq/sluice/core"
)

// log is what has happened in the engine so far.
type log struct {
	begin time.Time

	mu     sync.Mutex
	events []core.Event
	bodies map[core.MessageID]string
	more   chan struct{} // closed when an event or a body comes
}

func newLog() *log { return &log{bodies: map[core.MessageID]string{}, more: make(chan struct{})} }

// Observe implements core.Observer.
func (l *log) Observe(e core.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	l.tell()
}

// tell wakes who waits for more. The log is locked.
func (l *log) tell() {
	close(l.more)
	l.more = make(chan struct{})
}

func (l *log) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = nil
}

// since returns the events from the nth on, and a channel that is closed when there are more.
func (l *log) since(n int) ([]core.Event, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.events[min(n, len(l.events)):len(l.events):len(l.events)], l.more
}

// await returns when an event has come for which found holds, or ctx has ended.
func (l *log) await(ctx context.Context, found func(core.Event) bool) error {
	for seen := 0; ; {
		events, more := l.since(seen)
		for _, e := range events {
			if found(e) {
				return nil
			}
		}
		seen += len(events)
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// body returns what a message has in it; its id where that is not known.
func (l *log) body(id core.MessageID) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if body, known := l.bodies[id]; known {
		return body
	}
	return id.String()
}

// around puts a listener for bodies around an engine, which does not tell them with its events, and then what the
// options want.
func (l *log) around(outer func(core.Broker) core.Broker) func(core.Broker) core.Broker {
	return func(b core.Broker) core.Broker {
		b = &listener{Broker: b, log: l}
		if outer != nil {
			b = outer(b)
		}
		return b
	}
}

type listener struct {
	core.Broker
	log *log
}

func (b *listener) Send(ctx context.Context, key core.QueueKey, messages []core.Outgoing) ([]core.Sent, error) {
	sent, err := b.Broker.Send(ctx, key, messages)
	for i := range sent {
		if sent[i].Err == nil && !sent[i].Duplicate {
			b.log.learn(sent[i].ID, messages[i].Body)
		}
	}
	return sent, err
}

func (b *listener) Receive(ctx context.Context, key core.QueueKey, r core.ReceiveRequest) ([]core.Received, error) {
	got, err := b.Broker.Receive(ctx, key, r)
	for i := range got { // also those that came from a topic
		b.log.learn(got[i].ID, got[i].Body)
	}
	return got, err
}

func (l *log) learn(id core.MessageID, body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.bodies[id]; !known {
		l.bodies[id] = body // a moment after its event, perhaps
		l.tell()
	}
}

// words are those of the events, with what stands behind the message.
var words = map[core.EventKind]string{
	core.EventSent: "sent", core.EventReceived: "received", core.EventVisibilitySet: "visibility changed of",
	core.EventVisible: "visible", core.EventDeleted: "deleted", core.EventDeadLettered: "dead-lettered",
	core.EventMoved: "moved", core.EventDeduplicated: "deduplicated", core.EventRetentionExpired: "expired",
	core.EventPurged: "purged", core.EventQueueCreated: "created", core.EventQueueDeleted: "removed",
	core.EventPublished: "published", core.EventPushed: "pushed", core.EventPushFailed: "push failed",
}

// line writes an event without its queue.
func (l *log) line(e core.Event) string {
	word := words[e.Kind]
	switch e.Kind {
	case core.EventPurged, core.EventQueueCreated, core.EventQueueDeleted:
		return word
	case core.EventPublished:
		return fmt.Sprintf("%s %s", word, e.ID)
	case core.EventPushed, core.EventPushFailed:
		return fmt.Sprintf("%s %s to %s", word, e.ID, e.Subscription)
	case core.EventReceived:
		return fmt.Sprintf("%s %q #%d", word, l.body(e.ID), e.Receives)
	case core.EventDeadLettered, core.EventMoved:
		return fmt.Sprintf("%s %q to %s", word, l.body(e.ID), e.Other.Name)
	default:
		return fmt.Sprintf("%s %q", word, l.body(e.ID))
	}
}

// lines writes events as whole does.
func (l *log) lines(events []core.Event) (lines []string) {
	for _, e := range events {
		lines = append(lines, l.whole(e))
	}
	return lines
}

// whole writes an event with the queue or topic in front.
func (l *log) whole(e core.Event) string {
	if e.Queue.Name == "" {
		return string(e.Topic.Name) + ": " + l.line(e)
	}
	return string(e.Queue.Name) + ": " + l.line(e)
}
