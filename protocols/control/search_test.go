package control_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/control"
)

func TestQueuesAreFoundByAPartOfTheirNames(t *testing.T) {
	d := newDesk(t, nil)
	for _, name := range []string{"a", "new-orders", "Orders-dead", "orders", "other", "orders.fifo"} {
		d.ask("PUT", queues+name, "").want(201)
	}
	d.ask("PUT", "/api/v1/queues/1/b/my_orders", "").want(201)
	d.ask("PUT", "/api/v1/queues/1/b/zzz", "").want(201)
	for _, tt := range []struct {
		query string
		want  string
	}{
		{"contains=order", "Orders-dead new-orders orders orders.fifo my_orders"},
		{"contains=ORDER&limit=1000", "Orders-dead new-orders orders orders.fifo my_orders"},
		{"contains=order&prefix=o", "orders orders.fifo"},
		{"contains=order&account=1", "my_orders"},
		{"contains=order&after=000000000000/us-east-1/orders", "orders.fifo my_orders"},
		{"contains=.f", "orders.fifo"},
		{"contains=none", ""},
		{"contains=", "Orders-dead a new-orders orders orders.fifo other my_orders zzz"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			a := d.ask("GET", "/api/v1/queues?"+tt.query, "").want(200, "next", nil)
			if got := strings.Join(a.texts("queues", "name"), " "); got != tt.want {
				t.Errorf("queues = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPagesOfASearchAreCompleteAndLookAtABoundedNumberOfNames(t *testing.T) {
	d := newDesk(t, nil)
	var want []string
	for i := range 40 {
		name := fmt.Sprintf("q-%02d", i)
		if i%7 == 3 {
			name += "-hit"
			want = append(want, name)
		}
		d.ask("PUT", "/api/v1/queues/"+[]string{"1", "2"}[i/20]+"/r/"+name, "").want(201)
	}
	for _, tt := range []struct{ limit, names, pages int }{{100, 100, 1}, {2, 100, 3}, {6, 40, 1}, {100, 10, 4}, {1, 1, 40}, {3, 7, 6}} {
		t.Run(fmt.Sprintf("%d of %d", tt.limit, tt.names), func(t *testing.T) {
			control.LookAt(d.api, tt.names)
			var got []string
			pages, after := 0, ""
			for next := any(""); next != nil; pages++ {
				a := d.ask("GET", fmt.Sprintf("/api/v1/queues?contains=HIT&limit=%d&after=%s", tt.limit, after), "").want(200, "total", 40)
				found := a.texts("queues", "name")
				if len(found) > tt.limit {
					t.Errorf("a page has %d queues, want %d at most", len(found), tt.limit)
				}
				got = append(got, found...)
				next = a.get("next")
				after, _ = next.(string)
			}
			if diff := cmp.Diff(want, got); diff != "" || pages != tt.pages {
				t.Errorf("%d pages, want %d; found (-want +got):\n%s", pages, tt.pages, diff)
			}
		})
	}
}

func TestOverviewAndQueuesSayWhereClientsAre(t *testing.T) {
	home := core.Namespace{Account: "000000000000", Region: "us-east-1"}
	d := newDesk(t, func(o *control.Options) {
		o.Endpoints = func() []string { return []string{"http://127.0.0.1:9324"} }
		o.Namespaces = func() []core.Namespace { return []core.Namespace{home} }
		o.Speaks = func(ns core.Namespace) []string {
			if ns == home {
				return []string{"sqs", "mns"}
			}
			return []string{"mns"}
		}
	})
	d.ask("GET", "/api/v1/overview", "").want(200, "endpoints.0", "http://127.0.0.1:9324",
		"namespaces.0.account", home.Account, "namespaces.0.region", home.Region, "namespaces.0.speaks.1", "mns")
	d.ask("PUT", orders, "").want(201, "speaks.0", "sqs", "speaks.1", "mns")
	d.ask("PUT", "/api/v1/queues/1/r/q", "").want(201, "speaks.0", "mns")
	d.ask("GET", "/api/v1/queues", "").want(200, "queues.0.speaks.0", "sqs", "queues.1.speaks.0", "mns")
}

func TestTimelineGoesOnUnderTheIDThatAMoveTaskHasGiven(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", queues+"dead", "").want(201)
	d.ask("PUT", orders, `{"deadLetter":{"account":"000000000000","region":"us-east-1","name":"dead","maxReceives":1}}`).want(201)
	const trace = "0af7651916cd43dd8448eb211c80319c"
	before := d.send(queues+"dead", `{"body":"a","traceparent":"00-`+trace+`-b7ad6b7169203331-01"}`)
	d.ask("POST", queues+"dead/moves", `{"target":{"name":"orders"}}`).want(201)
	for i := 0; d.ask("GET", queues+"dead/moves", "").want(200).get("moves", 0, "status") != "completed"; i++ {
		if i == 1_000_000 {
			t.Fatal("the task does not end")
		}
		runtime.Gosched()
	}
	now := d.ask("GET", orders+"/messages", "").want(200).get("messages", 0, "id").(string)
	if now == before {
		t.Fatalf("message %s has the id that it had before", now)
	}
	d.settle()
	old := d.ask("GET", "/api/v1/messages/"+before+"/timeline", "").want(200, "exists", false, "linked.0", now, "traceIds.0", trace)
	if diff := cmp.Diff([]string{"sent", "moved"}, old.texts("events", "kind")); diff != "" {
		t.Errorf("timeline of the old id (-want +got):\n%s", diff)
	}
	d.ask("GET", "/api/v1/messages/"+now+"/timeline", "").want(200, "exists", true, "queue.name", "orders", "linked.0", before, "traceIds.0", trace)
	d.ask("GET", "/api/v1/traces/"+trace, "").want(200, "messages.0", before, "messages.1", now)
}
