package control

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
)

// eventKinds are the kinds of events by the names that they have here.
var eventKinds = map[core.EventKind]string{
	core.EventSent: "sent", core.EventReceived: "received", core.EventVisibilitySet: "visibilitySet",
	core.EventVisible: "visible", core.EventDeleted: "deleted", core.EventDeadLettered: "deadLettered",
	core.EventMoved: "moved", core.EventDeduplicated: "deduplicated", core.EventRetentionExpired: "retentionExpired",
	core.EventPurged: "purged", core.EventQueueCreated: "queueCreated", core.EventQueueDeleted: "queueDeleted",
	core.EventPublished: "published", core.EventPushed: "pushed", core.EventPushFailed: "pushFailed",
}

func kindName(k core.EventKind) string {
	if name, ok := eventKinds[k]; ok {
		return name
	}
	return "other" // of an engine that has more
}

func shownEvent(t *told) eventShape {
	e := eventShape{
		Number: t.number, Kind: kindName(t.kind), At: stamp(time.UnixMilli(t.at)), Queue: maybe(t.queue),
		Other: maybe(t.other), Sequence: t.sequence, Group: t.group, Receives: int(t.receives), TraceID: t.trace,
	}
	if t.id != (core.MessageID{}) {
		e.Message = new(t.id.String())
	}
	if t.until != 0 {
		e.Until = new(stamp(time.UnixMilli(t.until)))
	}
	if t.rare != nil {
		e.Topic = new(topicRefOf(t.rare.topic))
		e.Subscription, e.Error = string(t.rare.subscription), t.rare.err
	}
	return e
}

func shownEvents(events []told) []eventShape {
	list := make([]eventShape, len(events))
	for i := range events {
		list[i] = shownEvent(&events[i])
	}
	return list
}

func (a *API) timeline(r *http.Request) (int, any, error) {
	id, err := readID(r.PathValue("message"))
	if err != nil {
		return 0, nil, err
	}
	s, _ := a.watcher.story(id)
	out := timelineShape{
		Message: id.String(), Events: shownEvents(s.events), Forgotten: s.forgotten, Linked: []string{}, TraceIDs: []string{},
		Spans: []any{}, Now: stamp(a.broker.Now()),
	}
	for _, other := range s.linked {
		out.Linked = append(out.Linked, other.String())
	}
	p, err := a.find(r)
	switch {
	case err == nil:
		out.Exists, out.Queue = true, new(refOf(p.Queue))
		if s.trace == "" {
			s.trace = a.traceOf(p)
		}
	case !errors.Is(err, &core.Error{Kind: core.MessageGone}):
		return 0, nil, err
	case len(s.events) > 0:
		out.Queue = maybe(s.events[len(s.events)-1].where())
	}
	if s.trace != "" {
		out.TraceIDs, out.Spans = []string{s.trace}, a.spans(s.trace)
	}
	return http.StatusOK, &out, nil
}

// traceOf reads the trace of a message of which no event is remembered.
func (a *API) traceOf(p core.Place) string {
	seen, err := a.engine.Look(p)
	if err != nil {
		return ""
	}
	return traceIDOf(seen.Trace)
}

func (a *API) spans(traceID string) []any {
	if a.o.Spans == nil {
		return []any{}
	}
	if spans := a.o.Spans(traceID); spans != nil {
		return spans
	}
	return []any{}
}

func (a *API) getTrace(r *http.Request) (int, any, error) {
	id := strings.ToLower(r.PathValue("trace"))
	if !isTraceID(id) {
		return 0, nil, invalid("trace", "%q is not the id of a trace, want 32 hexadecimal digits.", id)
	}
	out := traceView{TraceID: id, Messages: []string{}, Events: []eventShape{}, Spans: a.spans(id)}
	for _, m := range a.watcher.ofTrace(id) {
		out.Messages = append(out.Messages, m.String())
		s, _ := a.watcher.story(m)
		out.Events = append(out.Events, shownEvents(s.events)...)
	}
	return http.StatusOK, &out, nil
}

func (a *API) why(r *http.Request) (int, any, error) {
	id, err := readID(r.PathValue("message"))
	if err != nil {
		return 0, nil, err
	}
	p, err := a.find(r)
	var x core.Explanation
	if err == nil {
		x, err = a.engine.Explain(p, a.o.InFlightLimit())
	}
	switch {
	case err == nil:
		return http.StatusOK, new(shownWhy(&x)), nil
	case errors.Is(err, &core.Error{Kind: core.MessageGone}), errors.Is(err, &core.Error{Kind: core.QueueNotFound}):
		return http.StatusOK, a.whyGone(id), nil
	}
	return 0, nil, err
}

// whyGone says what became of a message that is in no queue.
func (a *API) whyGone(id core.MessageID) *whyShape {
	now := a.broker.Now()
	w := &whyShape{Message: id.String(), Now: stamp(now), Reason: "unknown"}
	s, known := a.watcher.story(id)
	if !known {
		w.Sentence = "No queue has this message, and nothing is remembered of it: it was never here, or is gone for long."
		return w
	}
	last := &s.events[len(s.events)-1]
	w.Queue = maybe(last.where())
	for i := range s.events {
		e := &s.events[i]
		w.Receives = max(w.Receives, int(e.receives))
		if e.kind == core.EventReceived {
			w.LastReceivedAt = new(stamp(time.UnixMilli(e.at)))
		}
	}
	at := clockTime(time.UnixMilli(last.at), now)
	switch last.kind {
	case core.EventDeleted:
		w.Reason, w.Sentence = "deleted", "Deleted at "+at+"; "+received(w.Receives)+"."
	case core.EventRetentionExpired:
		w.Reason, w.Sentence = "retentionExpired", "Dropped at "+at+", when its retention was over; "+received(w.Receives)+"."
	case core.EventPurged:
		w.Reason, w.Sentence = "purged", "Its queue was purged at "+at+"."
	case core.EventQueueDeleted:
		w.Reason, w.Sentence = "queueDeleted", "Its queue was deleted at "+at+"."
	case core.EventPublished, core.EventPushed, core.EventPushFailed:
		w.Sentence = "This is a publication of a topic, not a message of a queue; its timeline says what became of it."
	default:
		w.Sentence = "No queue has this message any more. The last that is known of it is from " + at + ": " + kindName(last.kind) + "."
	}
	return w
}

var reasons = map[core.Reason]string{
	core.Deliverable: "visible", core.HiddenDelayed: "delayed", core.HiddenFlight: "inFlight", core.GroupBlocked: "groupBlocked",
	core.OverReceives: "overMaxReceives", core.AgedOut: "retentionExpired", core.QueueAtLimit: "queueLimit",
	core.TenantAtLimit: "tenantLimit",
}

func shownWhy(x *core.Explanation) whyShape {
	w := whyShape{
		Message: x.ID.String(), Queue: new(refOf(x.Place.Queue)), Reason: reasons[x.Reason],
		Deliverable: x.Reason == core.Deliverable, Sentence: sentence(x), Until: stampIf(x.Until), Receives: x.Receives,
		LastReceivedAt: stampIf(x.LastAt), DeadLetter: maybe(x.DeadLetter), Now: stamp(x.Now),
	}
	if x.Reason == core.GroupBlocked {
		w.BlockedBy = new(x.BlockedBy.String())
	}
	if x.Ahead >= 0 {
		w.Ahead = &x.Ahead
	}
	if x.MaxReceives > 0 {
		w.MaxReceives = &x.MaxReceives
	}
	return w
}

// sentence is an explanation for people.
func sentence(x *core.Explanation) string {
	until := clockTime(x.Until, x.Now) + " (in " + spell(x.Until.Sub(x.Now)) + ")"
	history := received(x.Receives)
	if !x.LastAt.IsZero() {
		history += ", last at " + clockTime(x.LastAt, x.Now)
	}
	switch x.Reason {
	case core.HiddenDelayed:
		return "Delayed until " + until + "."
	case core.HiddenFlight:
		return "In flight until " + until + ": " + history + ". " + afterwards(x)
	case core.GroupBlocked:
		return "Waits for its group: message " + x.BlockedBy.String() + " is ahead of it and hidden until " + until + "."
	case core.OverReceives:
		return fmt.Sprintf("Visible, but %s, and the limit is %d: it goes to the dead-letter queue %s at the next receive.", history, x.MaxReceives, x.DeadLetter.Name)
	case core.AgedOut:
		return "Its retention is over: it is being dropped and is not delivered any more."
	case core.QueueAtLimit:
		return fmt.Sprintf("Visible, but the queue has %d messages in flight, as many as it may: nothing is delivered until some are deleted or visible again.", x.InFlight)
	case core.TenantAtLimit:
		return "Visible, but its group has got as many messages as it may in a second: it goes on at " + until + "."
	case core.Deliverable:
		return "Visible: " + line(x.Ahead) + "; " + history + "."
	}
	return ""
}

// afterwards says what becomes of a message in flight that is not deleted.
func afterwards(x *core.Explanation) string {
	if x.MaxReceives > 0 && x.LeftHere == 0 {
		return "Unless it is deleted, it then goes to the dead-letter queue " + string(x.DeadLetter.Name) + "."
	}
	return "Unless it is deleted, it is then visible again."
}

func line(ahead int) string {
	switch {
	case ahead < 0:
		return "a receive may deliver it"
	case ahead == 0:
		return "the next receive delivers it"
	case ahead == 1:
		return "one message is ahead of it"
	case ahead >= 1000:
		return "1000 messages or more are ahead of it"
	}
	return fmt.Sprintf("%d messages are ahead of it", ahead)
}

func received(n int) string {
	switch n {
	case 0:
		return "never received"
	case 1:
		return "received once"
	case 2:
		return "received twice"
	}
	return fmt.Sprintf("received %d times", n)
}

// clockTime is a time, with its date where that is another day than now.
func clockTime(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.Truncate(day) == now.Truncate(day) {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}

// spell is a duration as people say it.
func spell(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	case d < 2*day:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}
