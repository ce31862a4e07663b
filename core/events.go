package core

import (
	"slices"
	"sync/atomic"
	"time"
)

// EventKind says what happened to a message or a queue.
type EventKind uint8

// The kinds of events.
const (
	EventSent             EventKind = iota + 1 // Until is the end of the delay of a delayed message
	EventReceived                              // Until is the end of the visibility timeout
	EventVisibilitySet                         // a visibility change; Until is the new end, At itself for "visible now"
	EventVisible                               // a visibility timeout or a delay has passed
	EventDeleted                               //
	EventDeadLettered                          // Other is the dead-letter queue
	EventMoved                                 // a move task has moved it to Other, where its ID is As
	EventDeduplicated                          // a send was a duplicate of this message
	EventRetentionExpired                      //
	EventPurged                                // the queue lost all its messages
	EventQueueCreated                          //
	EventQueueDeleted                          //
	EventPublished                             // ID is the publication's, as in the two below
	EventPushed                                // a subscription got it, with the attempt Receives; Queue is set if it is a queue
	EventPushFailed                            // Err says why; Until is the next attempt, zero when there is none; Other is the dead-letter queue
)

// Event is one thing that happened, told after it was stored.
type Event struct {
	Kind     EventKind
	At       time.Time
	Queue    QueueKey
	Other    QueueKey
	ID       MessageID
	As       MessageID
	Sequence uint64
	Group    string
	Receives int
	Until    time.Time
	Trace    Trace

	Topic        TopicKey
	Subscription SubscriptionName
	Err          error
}

// Observer is told of events in the order in which they were stored. It sees them a moment later, from a goroutine
// of its own.
type Observer interface {
	Observe(Event)
}

// eventBuffer is how far an observer may lag behind before it loses events.
const eventBuffer = 8192

// audience hands events to one observer. A slow observer loses events for itself and never slows the engine. What one
// commit has made is handed over as a whole, and not copied: observers only read it.
type audience struct {
	commits chan [][]Event
	waiting atomic.Int64 // events in the channel
	dropped atomic.Int64
	done    chan struct{}
}

func newAudience(o Observer) *audience {
	// Each commit has at least one event, so that as many never fill the channel.
	a := &audience{commits: make(chan [][]Event, eventBuffer), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		for verbs := range a.commits {
			for _, events := range verbs {
				for i := range events {
					a.waiting.Add(-1)
					o.Observe(events[i])
				}
			}
		}
	}()
	return a
}

// tell is called by one commit after the other. What is too much is dropped in the order of the events.
func (a *audience) tell(verbs [][]Event) {
	room := max(eventBuffer-int(a.waiting.Load()), 0)
	taken := 0
	for i, events := range verbs {
		if fits := room - taken; len(events) > fits {
			verbs = a.cut(verbs, i, fits)
			taken += fits
			break
		}
		taken += len(events)
	}
	if taken > 0 {
		a.waiting.Add(int64(taken))
		a.commits <- verbs
	}
}

// cut leaves out all events after the first so many of one verb. Other audiences still want the rest.
func (a *audience) cut(verbs [][]Event, verb, fits int) [][]Event {
	dropped := len(verbs[verb]) - fits
	for _, events := range verbs[verb+1:] {
		dropped += len(events)
	}
	a.dropped.Add(int64(dropped))
	verbs = slices.Clone(verbs[:verb+1])
	verbs[verb] = verbs[verb][:fits]
	return verbs
}

func (a *audience) close() {
	close(a.commits)
	<-a.done
}
