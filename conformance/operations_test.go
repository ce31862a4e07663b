package conformance_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/protocols/kept"
)

// TestREADMEListsWhatIsServed keeps the table between two marks of the README. With -update it writes it.
func TestREADMEListsWhatIsServed(t *testing.T) {
	const begin, end = "<!-- operations: go test ./conformance -run README -update -->\n", "<!-- end of operations -->\n"
	kept.Part(t, "../README.md", begin, end, servedTable(t))
}

// servedTable has a row for each operation of either provider and a column for each protocol.
func servedTable(t *testing.T) string {
	h := handler(t)
	columns := []struct {
		title  string
		served []string
	}{
		{"SQS JSON 1.0", sqsServed(func(name string) bool {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
			r.Header.Set("Content-Type", "application/x-amz-json-1.0")
			r.Header.Set("X-Amz-Target", "AmazonSQS."+name)
			return !strings.Contains(answer(h, r), "UnknownOperation")
		})},
		{"SQS Query", sqsServed(func(name string) bool {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("Action="+name))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			return !strings.Contains(answer(h, r), "InvalidAction")
		})},
		{"MNS XML", mnsServed(h, "2015-06-06")},
		{"MNS JSON", mnsServed(h, "2026-04-09")},
	}
	rows := map[string]bool{}
	var b strings.Builder
	b.WriteString("| operation |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
		for _, name := range c.served {
			rows[name] = true
		}
	}
	b.WriteString("\n| --- |" + strings.Repeat(" :-: |", len(columns)) + "\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString("| " + name + " |")
		for _, c := range columns {
			b.WriteString(map[bool]string{true: " ✓ |", false: "  |"}[slices.Contains(c.served, name)])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func handler(t *testing.T) http.Handler {
	t.Helper()
	server, err := sluice.Open(sluice.Options{OnFault: func(f *sluice.Fault) { t.Errorf("fault: %v", f) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server.Handler()
}

func answer(h http.Handler, r *http.Request) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.String()
}

// sqsServed takes the operations from the official client: what it can call is all there is.
func sqsServed(serves func(name string) bool) (served []string) {
	client := reflect.TypeFor[*sqs.Client]()
	for m := range client.Methods() {
		operation := m.Type.NumIn() >= 3 && strings.HasSuffix(m.Type.In(2).String(), m.Name+"Input")
		if operation && serves(m.Name) {
			served = append(served, m.Name)
		}
	}
	return served
}

// mnsRequests has a request for each operation of MNS, served or not. Documented: the API reference of 2015-06-06.
var mnsRequests = map[string]string{
	"BatchDeleteMessage":        "DELETE /queues/q/messages <ReceiptHandles/>",
	"BatchPeekMessage":          "GET /queues/q/messages?peekonly=true&numOfMessages=2",
	"BatchReceiveMessage":       "GET /queues/q/messages?numOfMessages=2",
	"BatchSendMessage":          "POST /queues/q/messages <Messages/>",
	"ChangeMessageVisibility":   "PUT /queues/q/messages?ReceiptHandle=r&VisibilityTimeout=1",
	"CreateQueue":               "PUT /queues/q <Queue/>",
	"DeleteMessage":             "DELETE /queues/q/messages?ReceiptHandle=r",
	"DeleteQueue":               "DELETE /queues/q",
	"GetAccountAttributes":      "GET /?accountmeta=true",
	"GetQueueAttributes":        "GET /queues/q",
	"ListQueue":                 "GET /queues",
	"OpenService":               "POST /commonbuy/openservice",
	"PeekMessage":               "GET /queues/q/messages?peekonly=true",
	"ReceiveMessage":            "GET /queues/q/messages",
	"SendMessage":               "POST /queues/q/messages <Message/>",
	"SetAccountAttributes":      "PUT /?accountmeta=true <Account/>",
	"SetQueueAttributes":        "PUT /queues/q?metaoverride=true <Queue/>",
	"CreateTopic":               "PUT /topics/t <Topic/>",
	"DeleteTopic":               "DELETE /topics/t",
	"GetSubscriptionAttributes": "GET /topics/t/subscriptions/s",
	"GetTopicAttributes":        "GET /topics/t",
	"ListSubscriptionByTopic":   "GET /topics/t/subscriptions",
	"ListTopic":                 "GET /topics",
	"PublishMessage":            "POST /topics/t/messages <Message/>",
	"SetSubscriptionAttributes": "PUT /topics/t/subscriptions/s?metaoverride=true <Subscription/>",
	"SetTopicAttributes":        "PUT /topics/t?metaoverride=true <Topic/>",
	"Subscribe":                 "PUT /topics/t/subscriptions/s <Subscription/>",
	"Unsubscribe":               "DELETE /topics/t/subscriptions/s",
}

// mnsJSON is a body of mnsRequests in JSON, where lists alone have names.
func mnsJSON(body string) string {
	switch body {
	case "":
		return ""
	case "<Messages/>", "<ReceiptHandles/>":
		return `{"` + strings.Trim(body, "</>") + `":[]}`
	}
	return "{}"
}

func mnsServed(h http.Handler, version string) (served []string) {
	for name, request := range mnsRequests {
		method, rest, _ := strings.Cut(request, " ")
		target, body, _ := strings.Cut(rest, " ")
		if version == "2026-04-09" {
			body = mnsJSON(body)
		}
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("x-mns-version", version)
		if !strings.Contains(answer(h, r), "InvalidRequestURL") {
			served = append(served, name)
		}
	}
	return served
}
