package control_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/control"
	"github.com/sluicemq/sluice/protocols/control/page"
	"github.com/sluicemq/sluice/protocols/otlp"
)

// TestTwelveHoursOfVisibilityPassInMilliseconds is what the clock is there for.
func TestTwelveHoursOfVisibilityPassInMilliseconds(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, `{"visibilitySeconds": 43200}`).want(201, "settings.visibilitySeconds", 43200)
	id := d.send(orders, `{"body": "long work"}`)
	d.ask("POST", orders+"/receive", "").want(200, "messages.0.message.id", id)

	d.ask("POST", "/api/v1/clock/advance", `{"by": "11h59m59s"}`).want(200, "now", "2026-03-01T23:59:59.000Z")
	d.ask("GET", "/api/v1/messages/"+id+"/why", "").want(200, "reason", "inFlight", "until", "2026-03-02T00:00:00.000Z",
		"sentence", "In flight until 2026-03-02 00:00:00 (in 1.0 s): received once, last at 12:00:00. Unless it is deleted, it is then visible again.")
	if got := d.ask("POST", orders+"/receive", "").texts("messages", "receipt"); got != nil {
		t.Errorf("received %v a second too early", got)
	}
	d.ask("POST", "/api/v1/clock/advance", `{"by": 1}`).want(200)
	d.ask("POST", orders+"/receive", "").want(200, "messages.0.message.id", id, "messages.0.message.receives", 2)
}

func TestQueuesAreMadeListedAndChanged(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", queues+"dead", "").want(201)
	d.ask("PUT", orders, `{"deadLetter":{"account":"000000000000","region":"us-east-1","name":"dead","maxReceives":3},"tags":{"team":"shop"}}`).
		want(201, "settings.deadLetter.maxReceives", 3, "tags.team", "shop")
	d.ask("PUT", orders, `{"visibilitySeconds":30}`).want(200)
	d.ask("PUT", orders, `{"visibilitySeconds":31}`).want(409, "error.code", "Conflict", "error.field", "visibilitySeconds")
	d.ask("PUT", queues+"f.fifo", `{"contentDedup":true}`).want(201, "fifo", true)
	d.ask("PUT", "/api/v1/queues/1/b/other", "").want(201)

	page := d.ask("GET", "/api/v1/queues?limit=2", "").want(200, "total", 4, "next", "000000000000/us-east-1/f.fifo")
	if diff := cmp.Diff([]string{"dead", "f.fifo"}, page.texts("queues", "name")); diff != "" {
		t.Error(diff)
	}
	rest := d.ask("GET", "/api/v1/queues?limit=2&after="+page.get("next").(string), "").want(200, "next", nil)
	if diff := cmp.Diff([]string{"orders", "other"}, rest.texts("queues", "name")); diff != "" {
		t.Error(diff)
	}
	d.ask("GET", "/api/v1/queues?prefix=o&account=1", "").want(200, "total", 1, "queues.0.name", "other")

	d.ask("PATCH", orders, `{"delaySeconds":1.5,"tags":{"team":null,"new":"x"},"deadLetter":null,"notes":{"Policy":"p"},"tenantRate":5}`).
		want(200, "settings.delaySeconds", 1.5, "tags.team", nil, "tags.new", "x", "settings.deadLetter", nil,
			"settings.notes.Policy", "p", "settings.tenantRate", 5, "settings.visibilitySeconds", 30)
	d.ask("PATCH", orders, `{"visibilitySeconds":43201}`).want(400, "error.field", "visibilitySeconds",
		"error.message", "visibilitySeconds is 43201, want 0 to 43200.")
	d.ask("GET", queues+"dead", "").want(200)
	d.ask("DELETE", orders, "").want(204)
	d.ask("GET", orders, "").want(404, "error.code", "QueueNotFound")
}

func TestMessagesAreShownWithoutBeingReceived(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	long := strings.Repeat("é", 600)
	first := d.send(orders, `{"body":"`+long+`","attributes":[{"name":"colour","kind":"text","value":"red"},{"name":"raw","kind":"binary","value":"AAE="}],"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`)
	d.send(orders, `{"body":"second","priority":1}`)
	d.send(orders, `{"body":"later","delaySeconds":60}`)
	d.ask("POST", orders+"/receive", `{"max":1,"visibilitySeconds":30}`).want(200, "messages.0.message.body", "second")

	d.ask("GET", orders+"/messages?preview=101", "").want(200,
		"messages.0.state", "visible", "messages.0.size", 1200, "messages.0.body", strings.Repeat("é", 50), "messages.0.bodyTruncated", true,
		"messages.0.attributes.1.value", "AAE=", "messages.0.trace.traceId", "0af7651916cd43dd8448eb211c80319c",
		"messages.0.attributesMd5", "4ddaecd789f7b6edf322b0d35046759c",
		"messages.1.state", "inFlight", "messages.1.receives", 1, "messages.1.bodyMd5", "a9f0e61a137d86aa9db53465e0801612",
		"messages.2.state", "delayed", "messages.2.visibleAt", "2026-03-01T12:01:00.000Z", "counts.total", 3, "next", nil)
	page := d.ask("GET", orders+"/messages?order=newest&limit=1", "").want(200, "messages.0.body", "later")
	d.ask("GET", orders+"/messages?order=newest&limit=1&after="+page.get("next").(string), "").want(200, "messages.0.body", "second")
	d.ask("GET", orders+"/messages?state=delayed,inFlight&limit=1", "").want(200, "messages.0.body", "second")
	d.ask("GET", "/api/v1/messages/"+first, "").want(200, "message.body", long, "message.bodyTruncated", false, "why.reason", "visible", "why.ahead", 0)
	d.ask("GET", orders, "").want(200, "counts.visible", 1, "counts.inFlight", 1, "counts.delayed", 1, "oldestAgeSeconds", 0)
}

func TestMessagesAreChangedOneByOne(t *testing.T) {
	d := newDesk(t, nil)
	for _, name := range []string{"orders", "other"} {
		d.ask("PUT", queues+name, "").want(201)
	}
	a, b := d.send(orders, `{"body":"a"}`), d.send(orders, `{"body":"b","delaySeconds":60}`)
	d.ask("POST", orders+"/receive", "").want(200, "messages.0.message.id", a)
	d.ask("POST", "/api/v1/messages/"+a+"/visible", "").want(200, "state", "visible", "receives", 1)
	d.ask("POST", "/api/v1/messages/"+b+"/visible?queue=000000000000/us-east-1/orders", "").want(200, "state", "visible")
	d.ask("POST", "/api/v1/messages/"+a+"/move", `{"name":"other"}`).want(200, "queue.name", "other", "id", a, "receives", 1)
	d.ask("POST", "/api/v1/messages/"+a+"/move", `{"name":"other"}`).want(400)
	d.ask("POST", "/api/v1/messages/"+a+"/move", `{"name":"nowhere"}`).want(400, "error.code", "TargetNotFound")
	d.ask("DELETE", "/api/v1/messages/"+b, "").want(204)
	d.ask("DELETE", "/api/v1/messages/"+b, "").want(404, "error.code", "MessageNotFound")
	d.ask("POST", queues+"other/purge", "").want(204)
	d.ask("GET", queues+"other", "").want(200, "counts.total", 0)
}

func TestWhyNamesEveryReason(t *testing.T) {
	d := newDesk(t, nil)
	why := func(id string, members ...any) {
		t.Helper()
		d.ask("GET", "/api/v1/messages/"+id+"/why", "").want(200, members...)
	}
	d.ask("PUT", queues+"dead", "").want(201)
	d.ask("PUT", orders, `{"retentionSeconds":3600,"deadLetter":{"account":"000000000000","region":"us-east-1","name":"dead","maxReceives":1}}`).want(201)
	a, b := d.send(orders, `{"body":"a"}`), d.send(orders, `{"body":"b","delaySeconds":60}`)
	why(a, "reason", "visible", "deliverable", true, "sentence", "Visible: the next receive delivers it; never received.", "maxReceives", 1)
	why(b, "reason", "delayed", "sentence", "Delayed until 12:01:00 (in 60 s).", "until", "2026-03-01T12:01:00.000Z")
	d.ask("POST", orders+"/receive", "").want(200)
	why(a, "reason", "inFlight", "receives", 1, "lastReceivedAt", "2026-03-01T12:00:00.000Z",
		"sentence", "In flight until 12:00:30 (in 30 s): received once, last at 12:00:00. Unless it is deleted, it then goes to the dead-letter queue dead.")
	d.clock.Advance(30 * time.Second)
	why(a, "reason", "overMaxReceives", "deadLetter.name", "dead", "sentence",
		"Visible, but received once, last at 12:00:00, and the limit is 1: it goes to the dead-letter queue dead at the next receive.")
	d.ask("POST", orders+"/receive", "").want(200)
	why(a, "reason", "visible", "queue.name", "dead")

	d.ask("PUT", queues+"f.fifo", `{"contentDedup":true}`).want(201)
	one, two := d.send(queues+"f.fifo", `{"body":"1","group":"g"}`), d.send(queues+"f.fifo", `{"body":"2","group":"g"}`)
	d.ask("POST", queues+"f.fifo/receive", "").want(200, "messages.0.message.id", one)
	why(two, "reason", "groupBlocked", "blockedBy", one, "sentence",
		"Waits for its group: message "+one+" is ahead of it and hidden until 12:01:00 (in 30 s).")

	d.ask("PUT", queues+"full", "").want(201)
	for i := range 4 {
		a = d.send(queues+"full", fmt.Sprintf(`{"body":"%d"}`, i))
	}
	d.ask("POST", queues+"full/receive", `{"max":3}`).want(200)
	why(a, "reason", "queueLimit")
	d.ask("PATCH", queues+"full", `{"tenantRate":1}`).want(200)

	why(strings.Repeat("0", 32), "reason", "unknown", "queue", nil)
	d.clock.Advance(2 * time.Hour)
	d.ask("GET", orders+"/messages", "").want(200, "counts.total", 0)
	d.ask("DELETE", "/api/v1/messages/"+one, "").want(204)
	d.ask("POST", queues+"full/purge", "").want(204)
	d.settle()
	why(b, "reason", "retentionExpired")
	why(one, "reason", "deleted", "sentence", "Deleted at 14:00:30; received once.")
	why(a, "reason", "purged")
	d.ask("DELETE", queues+"f.fifo", "").want(204)
	d.settle()
	why(two, "reason", "queueDeleted")
}

func TestTimelineFollowsAMessageAcrossQueues(t *testing.T) {
	spans := otlp.New(otlp.Options{})
	d := newDesk(t, func(o *control.Options) { o.Spans, o.Traces = control.Spans(spans), spans })
	d.ask("PUT", queues+"dead", "").want(201)
	d.ask("PUT", orders, `{"deadLetter":{"account":"000000000000","region":"us-east-1","name":"dead","maxReceives":1}}`).want(201)
	const trace = "0af7651916cd43dd8448eb211c80319c"
	id := d.send(orders, `{"body":"a","traceparent":"00-`+trace+`-b7ad6b7169203331-01"}`)
	d.ask("POST", orders+"/receive", "").want(200)
	d.clock.Advance(time.Minute)
	d.ask("POST", orders+"/receive", "").want(200)
	d.ask("POST", queues+"dead/receive", "").want(200)
	d.ask("POST", "/api/v1/messages/"+id+"/move", `{"name":"orders"}`).want(200)
	d.settle()
	d.ask("POST", "/v1/traces", `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[
		{"traceId":"`+trace+`","spanId":"b7ad6b7169203331","name":"consume","kind":5,"startTimeUnixNano":"1772366400000000000","endTimeUnixNano":"1772366401000000000",
		"attributes":[{"key":"n","value":{"intValue":"1"}}],"events":[{"name":"e","timeUnixNano":"1772366400000000000"}],"links":[{"traceId":"`+trace+`","spanId":"b7ad6b7169203332"}]}]}]}]}`,
		"Content-Type", "application/json").want(200)
	line := d.ask("GET", "/api/v1/messages/"+id+"/timeline", "").want(200, "exists", true, "queue.name", "orders", "forgotten", 0,
		"events.0.at", "2026-03-01T12:00:00.000Z", "events.1.until", "2026-03-01T12:00:30.000Z", "events.3.other.name", "dead",
		"traceIds.0", trace, "spans.0.name", "consume", "spans.0.attributes.n", "1", "spans.0.service", "shop", "spans.0.end", "2026-03-01T12:00:01.000Z")
	want := []string{"sent", "received", "visible", "deadLettered", "received", "moved"}
	if diff := cmp.Diff(want, line.texts("events", "kind")); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	d.ask("GET", "/api/v1/traces/"+trace, "").want(200, "messages.0", id, "events.5.kind", "moved", "spans.0.traceId", trace)
	d.ask("GET", "/api/v1/traces/"+strings.Repeat("1", 32), "").want(200, "traceId", strings.Repeat("1", 32))
	d.ask("GET", "/api/v1/messages/"+strings.Repeat("0", 32)+"/timeline", "").want(200, "exists", false, "queue", nil)
}

func TestResetAndSnapshots(t *testing.T) {
	declared := 0
	d := newDesk(t, func(o *control.Options) {
		o.SnapshotDir = t.TempDir()
		o.Redeclare = func(context.Context) error { declared++; return nil }
	})
	for _, kept := range []string{"memory", "disk"} {
		d.ask("POST", "/api/v1/reset", "").want(204)
		d.ask("PUT", orders, "").want(201)
		id := d.send(orders, `{"body":"a"}`)
		d.ask("PUT", "/api/v1/snapshots/seeded", `{"kept":"`+kept+`"}`).want(201, "name", "seeded", "records", 2, "kept", kept)
		d.ask("DELETE", "/api/v1/messages/"+id, "").want(204)
		d.send(orders, `{"body":"b"}`)
		d.ask("PUT", queues+"extra", "").want(201)
		d.ask("POST", "/api/v1/snapshots/seeded/restore", "").want(204)
		d.ask("GET", orders+"/messages", "").want(200, "messages.0.id", id, "counts.total", 1)
		d.ask("GET", queues+"extra", "").want(404)
		d.ask("GET", "/api/v1/snapshots", "").want(200, "snapshots.0.kept", kept)
		d.ask("GET", "/api/v1/snapshots/seeded", "").want(200, "records", 2)
	}
	d.ask("DELETE", "/api/v1/snapshots/seeded", "").want(204)
	d.ask("DELETE", "/api/v1/snapshots/seeded", "").want(404, "error.code", "SnapshotNotFound")
	d.ask("POST", "/api/v1/snapshots/seeded/restore", "").want(404)
	d.ask("PUT", "/api/v1/snapshots/a.b", "").want(400)
	d.ask("POST", "/api/v1/reset", `{"scope":"messages"}`).want(204)
	d.ask("GET", orders, "").want(200, "counts.total", 0)
	d.ask("POST", "/api/v1/reset", `{"bare":true}`).want(204)
	d.ask("GET", "/api/v1/overview", "").want(200, "queues", 0)
	if declared != 2 {
		t.Errorf("resources were declared %d times, want twice", declared)
	}
}

func TestMoveTasks(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", queues+"dead", "").want(201)
	d.ask("PUT", orders, `{"deadLetter":{"account":"000000000000","region":"us-east-1","name":"dead","maxReceives":1}}`).want(201)
	d.send(queues+"dead", `{"body":"a"}`)
	d.send(queues+"dead", `{"body":"b"}`)
	d.ask("POST", orders+"/moves", "").want(409, "error.code", "NotADeadLetterQueue")
	task := d.ask("POST", queues+"dead/moves", `{"target":{"name":"orders"},"perSecond":1}`).want(201, "status", "running", "target.name", "orders", "toMove", 2)
	id := task.get("id").(string)
	d.ask("GET", queues+"dead", "").want(200, "running.id", id, "deadLetterSources.0.name", "orders")
	d.ask("DELETE", queues+"dead/moves/"+id, "").want(200, "status", "cancelling")
	d.ask("DELETE", queues+"dead/moves/none", "").want(404, "error.code", "MoveNotFound")
	d.ask("GET", queues+"dead/moves", "").want(200, "moves.0.id", id)
}

func TestTopicsAndTheOutbox(t *testing.T) {
	d := newDesk(t, nil)
	broker := d.engine.Under(core.Rules{TopicDefaults: core.TopicSettings{MaxSize: 1024}})
	home := core.Namespace{Account: "1", Region: "r"}
	topic := core.TopicKey{Namespace: home, Name: "news"}
	_, _, err := broker.CreateTopic(t.Context(), topic, core.TopicPatch{})
	_, _, failed := broker.CreateTopic(t.Context(), core.TopicKey{Namespace: core.Namespace{Account: "2", Region: "r"}, Name: "a"}, core.TopicPatch{})
	err = errors.Join(err, failed)
	for name, e := range map[core.SubscriptionName]core.Endpoint{
		"box":   {Kind: core.EndpointOutbox, Address: "mail:x"},
		"queue": {Kind: core.EndpointQueue, Queue: core.QueueKey{Namespace: home, Name: "q"}},
	} {
		_, _, failed := broker.Subscribe(t.Context(), topic, name, core.SubscriptionSettings{Endpoint: e})
		err = errors.Join(err, failed)
	}
	_, failed = broker.Publish(t.Context(), topic, core.Publication{Body: "hello", Notes: map[string]string{"subject": "s"}})
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	d.ask("GET", "/api/v1/topics?limit=1", "").want(200, "topics.0.name", "news", "next", "1/r/news", "total", 2)
	d.ask("GET", "/api/v1/topics?after=1/r/news", "").want(200, "topics.0.name", "a", "next", nil)
	d.ask("GET", "/api/v1/topics/1/r/news", "").want(200, "maxSizeBytes", 1024)
	d.ask("GET", "/api/v1/topics/1/r/none", "").want(404, "error.code", "TopicNotFound")
	d.ask("GET", "/api/v1/topics/1/r/news/subscriptions?limit=1", "").want(200, "subscriptions.0.endpoint.address", "mail:x", "next", "box")
	d.ask("GET", "/api/v1/topics/1/r/news/subscriptions?after=box", "").want(200, "subscriptions.0.endpoint.queue.name", "q", "next", nil)
	d.ask("GET", "/api/v1/outbox", "").want(200, "outbox.0.body", "hello", "outbox.0.address", "mail:x", "outbox.0.notes.subject", "s")
	d.ask("DELETE", "/api/v1/outbox?account=2", "").want(204)
	d.ask("DELETE", "/api/v1/outbox", "").want(204)
	if out := d.ask("GET", "/api/v1/outbox", "").want(200).texts("outbox", "id"); out != nil {
		t.Errorf("outbox = %v, want none", out)
	}
}

func TestClockThatWasGivenDoesWhatItCan(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("GET", "/api/v1/clock", "").want(200, "now", "2026-03-01T12:00:00.000Z", "adjustable", false, "frozen", true)
	d.ask("POST", "/api/v1/clock/freeze", "").want(200)
	d.ask("POST", "/api/v1/clock/resume", "").want(409, "error.code", "ClockNotAdjustable")
	d.ask("POST", "/api/v1/clock/set", `{"to":"2026-03-01T13:00:00Z"}`).want(200, "now", "2026-03-01T13:00:00.000Z")
	d.ask("POST", "/api/v1/clock/set", `{"to":"2026-03-01T12:59:59Z"}`).want(409, "error.code", "ClockNeverGoesBack")
	for _, body := range []string{`{}`, `{"by":-1}`, `{"by":"x"}`, `{"by":null}`, `{"by":[1]}`, `{"by":1e300}`, `{"too":1}`, `[]`, `x`, ``} {
		d.ask("POST", "/api/v1/clock/advance", body).want(400, "error.code", "Invalid")
	}
	for _, body := range []string{`{}`, `{"to":"yesterday"}`, `{"to":"9999-01-01T00:00:00Z"}`} {
		d.ask("POST", "/api/v1/clock/set", body).want(400, "error.code", "Invalid")
	}
}

func TestWrongRequestsAreRefusedAndChangeNothing(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	for _, tt := range []struct {
		method, path, body string
		status             int
		field              any
	}{
		{"GET", "/api/v1/queues?limit=0", "", 400, "limit"},
		{"GET", "/api/v1/queues?after=x", "", 400, "after"},
		{"GET", orders + "/messages?state=gone", "", 400, "state"},
		{"GET", orders + "/messages?order=best", "", 400, "order"},
		{"GET", queues + "none/messages", "", 404, nil},
		{"PUT", queues + "a%20b", "", 400, "queue"},
		{"PUT", "/api/v1/queues/a_b/r/q", "", 400, "account"},
		{"PUT", queues + "q", `{"tags":1}`, 400, "tags"},
		{"PUT", queues + "q", `{"nonsense":1}`, 400, "nonsense"},
		{"PUT", queues + "q", `{"delaySeconds":-1}`, 400, "delaySeconds"},
		{"PUT", queues + "q", `{"deadLetter":{"name":"x"}}`, 400, "deadLetter"},
		{"PUT", queues + "q", `{"deadLetter":{"account":"1","region":"r","name":"x","maxReceives":1}}`, 400, "deadLetter"},
		{"PATCH", orders, `{"fifo":true}`, 400, "fifo"},
		{"PATCH", orders, ``, 400, nil},
		{"POST", orders + "/messages", `{}`, 400, "body"},
		{"POST", orders + "/messages", `{"body":"x","group":""}`, 400, "group"},
		{"POST", orders + "/messages", `{"body":"x","priority":17}`, 400, "priority"},
		{"POST", orders + "/messages", `{"body":"x","attributes":[{"name":"a","kind":"odd","value":""}]}`, 400, "attributes/0"},
		{"POST", orders + "/messages", `{"body":"x","attributes":[{"name":"a","kind":"binary","value":"?"}]}`, 400, "attributes/0"},
		{"POST", orders + "/messages", `{"body":"x","attributes":[{"name":"a","kind":"text","value":""},{"name":"a","kind":"text","value":""}]}`, 400, "attributes"},
		{"POST", orders + "/messages", `{"body":"` + strings.Repeat("x", 1<<20+1) + `"}`, 400, nil},
		{"POST", orders + "/messages", strings.Repeat(" ", 8<<20+1), 413, nil},
		{"POST", orders + "/receive", `{"max":17}`, 400, "max"},
		{"GET", "/api/v1/messages/x", "", 400, "message"},
		{"GET", "/api/v1/messages/" + strings.Repeat("0", 32) + "?queue=x", "", 400, "queue"},
		{"GET", "/api/v1/traces/x", "", 400, "trace"},
		{"GET", "/api/v1/events?kind=x", "", 400, "kind"},
		{"POST", "/api/v1/reset", `{"scope":"half"}`, 400, "scope"},
		{"PUT", "/api/v1/snapshots/x", `{"kept":"disk"}`, 409, nil},
		{"PUT", "/api/v1/snapshots/x", `{"kept":"tape"}`, 400, "kept"},
		{"GET", "/nowhere", "", 404, nil},
		{"POST", "/", "", 404, nil},
		{"DELETE", "/api/v1/overview", "", 405, nil},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			a := d.ask(tt.method, tt.path, tt.body)
			a.T = t
			a.want(tt.status, "error.field", tt.field)
		})
	}
	d.ask("GET", "/api/v1/overview", "").want(200, "queues", 1, "counts.total", 0)
}

func TestPageIsServed(t *testing.T) {
	d := newDesk(t, nil)
	if a := d.ask("GET", "/", "").want(200); string(a.body) != "<p>page" || a.header.Get("Content-Security-Policy") != page.Policy {
		t.Errorf("page = %s, %v", a.body, a.header)
	}
	if a := d.ask("GET", "/app.js", "").want(200); a.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("script = %v", a.header)
	}
	d.ask("GET", "/../control.go", "").want(404)
	d.ask("GET", "/none.js", "").want(404)
}

func TestOthersCanAddPaths(t *testing.T) {
	said := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
	}
	d := newDesk(t, func(o *control.Options) {
		o.Metrics, o.Traces = said("metrics"), said("traces")
		o.Extra = map[string]http.Handler{"/api/v1/faults": said("faults"), "/api/v1/faults/": said("fault")}
	})
	for path, want := range map[string]string{"/metrics": "metrics", "/v1/traces": "traces", "/api/v1/faults": "faults", "/api/v1/faults/1": "fault"} {
		if a := d.ask("POST", path, "{}"); string(a.body) != want {
			t.Errorf("POST %s = %d %s, want %s", path, a.status, a.body, want)
		}
	}
	offers := d.ask("GET", "/api/v1/overview", "").want(200).get("offers")
	if diff := cmp.Diff([]any{"faults", "metrics", "page", "traces"}, offers); diff != "" {
		t.Errorf("offers (-want +got):\n%s", diff)
	}
}

// TestAnswersAreOfTheirSchemas asks for everything once, so that no operation goes without its answer being checked.
func TestAnswersAreOfTheirSchemas(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	id := d.send(orders, `{"body":"a"}`)
	for _, path := range []string{
		"/health", "/openapi.json", "/", "/app.js", "/api/v1/overview", "/api/v1/queues", orders, orders + "/messages",
		"/api/v1/messages/" + id, "/api/v1/messages/" + id + "/timeline", "/api/v1/messages/" + id + "/why",
		"/_localstack/health", "/_aws/sqs/messages?QueueUrl=/000000000000/orders", "/_aws/sqs/messages/us-east-1/000000000000/orders",
	} {
		d.ask("GET", path, "").want(200)
	}
	// What the other tests ask for, they check as well.
	elsewhere := []string{
		"deleteQueue", "amendQueue", "purgeQueue", "receiveMessages", "deleteMessage", "showMessage", "moveMessage", "getTrace",
		"events", "getClock", "freezeClock", "resumeClock", "advanceClock", "setClock", "reset", "listSnapshots", "takeSnapshot",
		"getSnapshot", "deleteSnapshot", "restoreSnapshot", "listMoves", "startMove", "cancelMove", "listTopics", "getTopic",
		"listFaults", "setFaults", "clearFaults", "getFault", "setFault", "amendFault", "deleteFault", // by those of package faults
		"listSubscriptions", "listOutbox", "clearOutbox", "peekByURLPost", "peekByNamePost",
	}
	paths, _ := d.schemas.at("paths").(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for method, op := range paths[path].(map[string]any) {
			name := strings.ToUpper(method) + " " + path
			if id := op.(map[string]any)["operationId"].(string); !d.asked[name] && !slices.Contains(elsewhere, id) {
				t.Errorf("nobody has asked for %s", name)
			}
		}
	}
}
