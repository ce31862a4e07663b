package traced

import (
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/persistence/traced/names"
)

// DefaultLives is how many messages and pushes Lives follows at a time, unless it is told otherwise. One takes about
// 500 bytes.
const DefaultLives = 50_000

// These bound what a client can do to one message: the visibility changes that a span shows, and the receives that
// events have not told of yet.
const (
	maxChanges   = 32
	maxReceivers = 16
)

// Lives is an observer that draws the life of each message: a span for each time that it is delayed, queued or in
// flight, and one for each dead-lettering, move, push and duplicate. Spans are made when what they show is over, with
// the instants of the engine's clock, as children of the context in which the message was made, so they stand in the
// trace of its producer. No span is held open meanwhile. A message that a move task moves goes on under its new id.
//
// Only lives in sampled traces are drawn; a message without a context has none. What Lives remembers is bounded: of a
// message that it has forgotten, or that was there before it, the spans begin with the next receive.
type Lives struct {
	tracer trace.Tracer

	mu           sync.Mutex
	messages     *recent[core.MessageID, *life]
	publications *recent[core.MessageID, time.Time] // when they were published
	pushes       *recent[push, time.Time]           // when the attempt that is next was to begin
}

var _ core.Observer = (*Lives)(nil)

// life is where a message is in its life.
type life struct {
	parent  trace.SpanContext // not valid: unknown
	queue   core.QueueKey
	phase   string // the first part of its span's name; empty: unknown
	since   time.Time
	changes []change

	receives  int
	receivers []receiver // of this receive and, since events lag behind, of those that follow
}

// receiver is the request that got a message, and which receive of the message that was.
type receiver struct {
	span  trace.SpanContext
	count int
}

// change is a visibility change.
type change struct{ at, until time.Time }

// push is a publication on its way to a subscription.
type push struct {
	id           core.MessageID
	topic        core.TopicKey
	subscription core.SubscriptionName
}

// NewLives returns an observer that follows up to bound messages at a time, 0 meaning DefaultLives.
func NewLives(tracers trace.TracerProvider, bound int) *Lives {
	if bound <= 0 {
		bound = DefaultLives
	}
	return &Lives{
		tracer:       tracers.Tracer(names.Scope, trace.WithSchemaURL(names.SchemaURL)),
		messages:     newRecent[core.MessageID, *life](bound),
		publications: newRecent[core.MessageID, time.Time](bound / 4),
		pushes:       newRecent[push, time.Time](bound / 4),
	}
}

// Observe implements core.Observer.
func (t *Lives) Observe(e core.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Kind {
	case core.EventPurged, core.EventQueueDeleted:
		t.purge(&e)
	case core.EventPublished:
		if contextOf(e.Trace).IsSampled() {
			t.publications.put(e.ID, e.At)
		}
	case core.EventPushed, core.EventPushFailed:
		t.pushed(&e)
	case core.EventQueueCreated:
	default:
		t.message(&e)
	}
}

// message goes on with the life of a message. Of messages whose trace is not sampled nothing is remembered.
func (t *Lives) message(e *core.Event) {
	l, known := t.messages.get(e.ID)
	if e.Kind == core.EventSent {
		made := contextOf(e.Trace)
		if !made.IsSampled() {
			return
		}
		if !known {
			l = &life{queue: e.Queue}
			t.messages.put(e.ID, l)
		}
		l.parent = made
		l.enter(waiting(e), e.At)
		return
	}
	switch {
	case !known:
	case e.Kind == core.EventDeduplicated:
		t.moment(l, e, names.SpanDeduplicated+string(e.Queue.Name))
	case t.leaves(l, e):
		t.messages.drop(e.ID)
	default:
		t.stays(l, e)
	}
}

// leaves ends a life, if the event is the last of a message.
func (t *Lives) leaves(l *life, e *core.Event) bool {
	switch e.Kind {
	case core.EventDeleted:
		t.end(l, e, names.Deleted)
	case core.EventRetentionExpired:
		t.end(l, e, names.TooOld)
	case core.EventMoved:
		t.end(l, e, names.Moved)
		t.moment(l, e, names.SpanMoved+string(e.Queue.Name)+names.Arrow+string(e.Other.Name), names.Target(string(e.Other.Name)))
		t.rename(l, e)
	default:
		return false
	}
	return true
}

// rename lets a life go on in another queue under the id that the message has there. It may have been received there
// before this is told, so whoever has told of it is taken over.
func (t *Lives) rename(l *life, e *core.Event) {
	if e.As == (core.MessageID{}) {
		return
	}
	now := &life{parent: l.parent, queue: e.Other}
	if early, known := t.messages.get(e.As); known {
		now.receivers = early.receivers
	}
	now.enter(names.SpanQueued, e.At)
	t.messages.put(e.As, now)
}

// stays goes from one phase to the next.
func (t *Lives) stays(l *life, e *core.Event) {
	switch e.Kind {
	case core.EventReceived:
		if l.phase == names.SpanInFlight && l.receives == e.Receives {
			return // its receiver has told of it before
		}
		t.end(l, e, names.Received)
		l.receives = e.Receives
		l.enter(names.SpanInFlight, e.At)
	case core.EventVisibilitySet:
		t.changed(l, e)
	case core.EventVisible:
		t.visible(l, e)
	case core.EventDeadLettered:
		t.end(l, e, names.DeadLettered)
		t.moment(l, e, names.SpanDeadLettered+string(e.Queue.Name)+names.Arrow+string(e.Other.Name), names.Target(string(e.Other.Name)))
		l.queue = e.Other
		l.enter(names.SpanQueued, e.At)
	default:
	}
}

// waiting is how a message begins that was sent just now.
func waiting(e *core.Event) string {
	if e.Until.After(e.At) {
		return names.SpanDelayed
	}
	return names.SpanQueued
}

func (l *life) enter(phase string, at time.Time) { l.phase, l.since, l.changes = phase, at, nil }

// changed is a visibility change, which may end the hiding or go on with it.
func (t *Lives) changed(l *life, e *core.Event) {
	if e.Until.After(e.At) {
		if len(l.changes) < maxChanges {
			l.changes = append(l.changes, change{e.At, e.Until})
		}
		return
	}
	t.end(l, e, names.MadeVisible)
	l.enter(names.SpanQueued, e.At)
}

// visible is the end of a delay or of a visibility timeout. One that a change has ended before is told as well.
func (t *Lives) visible(l *life, e *core.Event) {
	switch l.phase {
	case names.SpanQueued:
		return
	case names.SpanDelayed:
		t.end(l, e, names.DelayOver)
	default:
		t.end(l, e, names.Expired)
	}
	l.enter(names.SpanQueued, e.At)
}

// purge ends the lives of all messages of a queue.
func (t *Lives) purge(e *core.Event) {
	t.messages.all(func(id core.MessageID, l *life) {
		if l.queue != e.Queue {
			return
		}
		one := core.Event{Kind: e.Kind, At: e.At, Queue: e.Queue, ID: id, Receives: l.receives}
		t.end(l, &one, names.Purged)
		t.messages.drop(id)
	})
}

// end draws what a message did until now.
func (t *Lives) end(l *life, e *core.Event, outcome string) {
	if l.phase == "" {
		return
	}
	_, span := t.tracer.Start(under(l.parent), l.phase+string(l.queue.Name), trace.WithTimestamp(l.since))
	if span.IsRecording() {
		describe(span, e)
		span.SetAttributes(names.Outcome(outcome))
		if l.phase == names.SpanInFlight {
			if by := l.receivedBy(); by.IsValid() {
				span.AddLink(trace.Link{SpanContext: by})
			}
		}
		for _, c := range l.changes {
			span.AddEvent(names.VisibilityChanged, trace.WithTimestamp(c.at), trace.WithAttributes(names.VisibleAt(text(c.until))))
		}
	}
	span.End(trace.WithTimestamp(e.At))
	l.phase = ""
}

// receivedBy returns the request of the latest receive and forgets those before it.
func (l *life) receivedBy() (by trace.SpanContext) {
	l.receivers = slices.DeleteFunc(l.receivers, func(r receiver) bool {
		if r.count == l.receives {
			by = r.span
		}
		return r.count <= l.receives
	})
	return by
}

// moment draws what takes no time.
func (t *Lives) moment(l *life, e *core.Event, name string, more ...attribute.KeyValue) {
	_, span := t.tracer.Start(under(l.parent), name, trace.WithTimestamp(e.At))
	if span.IsRecording() {
		describe(span, e)
		span.SetAttributes(more...)
	}
	span.End(trace.WithTimestamp(e.At))
}

// describe says which message a span is of.
func describe(span trace.Span, e *core.Event) {
	attributes := append(aboutQueue(e.Queue), names.MessageID(e.ID.String()))
	if e.Receives > 0 {
		attributes = append(attributes, names.Receives(e.Receives))
	}
	if e.Sequence > 0 {
		attributes = append(attributes, names.Sequence(int64(e.Sequence)))
	}
	if e.Group != "" {
		attributes = append(attributes, names.Group(e.Group))
	}
	span.SetAttributes(attributes...)
}

func aboutQueue(key core.QueueKey) []attribute.KeyValue {
	return append(make([]attribute.KeyValue, 0, 8),
		names.Destination(string(key.Name)), names.Account(key.Namespace.Account), names.Region(key.Namespace.Region))
}

func text(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// pushed draws one attempt to bring a publication to a subscription. It begins when it was due: at the publication, or
// when the failure before had it wait until.
func (t *Lives) pushed(e *core.Event) {
	p := push{e.ID, e.Topic, e.Subscription}
	made := contextOf(e.Trace)
	if !made.IsSampled() {
		return
	}
	began, known := t.pushes.get(p)
	if !known {
		began, known = t.publications.get(e.ID)
	}
	if !known || began.After(e.At) {
		began = e.At
	}
	name := names.SpanPush + string(e.Topic.Name) + names.Arrow + string(e.Subscription)
	_, span := t.tracer.Start(under(made), name, trace.WithTimestamp(began))
	if span.IsRecording() {
		describePush(span, e)
	}
	span.End(trace.WithTimestamp(e.At))
	if e.Kind == core.EventPushFailed && !e.Until.IsZero() {
		t.pushes.put(p, e.Until)
		return
	}
	t.pushes.drop(p)
}

func describePush(span trace.Span, e *core.Event) {
	span.SetAttributes(
		names.Destination(string(e.Topic.Name)), names.Account(e.Topic.Namespace.Account), names.Region(e.Topic.Namespace.Region),
		names.Subscription(string(e.Subscription)), names.MessageID(e.ID.String()), names.Attempt(e.Receives))
	if e.Queue.Name != "" {
		span.SetAttributes(names.Target(string(e.Queue.Name)))
	}
	if e.Kind != core.EventPushFailed {
		return
	}
	reason := ""
	if e.Err != nil {
		reason = e.Err.Error()
	}
	span.SetStatus(codes.Error, reason)
	span.SetAttributes(names.ErrorTypeOther, names.ErrorText(reason))
	if !e.Until.IsZero() {
		span.SetAttributes(names.NextAttempt(text(e.Until)))
	}
	if e.Other.Name != "" {
		span.SetAttributes(names.Target(string(e.Other.Name)))
	}
}

// received tells who got messages, which events do not say, and of messages that were there before.
func (t *Lives) received(by trace.SpanContext, key core.QueueKey, now time.Time, messages []core.Received) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range messages {
		m := &messages[i]
		made := contextOf(core.Trace{Parent: m.Trace.Parent, State: strings.Clone(m.Trace.State)})
		if !made.IsSampled() {
			continue
		}
		l, known := t.messages.get(m.ID)
		if !known {
			l = &life{queue: key, parent: made, receives: m.Receives}
			l.enter(names.SpanInFlight, now)
			t.messages.put(m.ID, l)
		}
		if len(l.receivers) == maxReceivers {
			l.receivers = slices.Delete(l.receivers, 0, 1)
		}
		l.receivers = append(l.receivers, receiver{by, m.Receives})
	}
}
