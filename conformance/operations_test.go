package conformance_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
)

// listed returns the operations in the row of the README's table that begins with a text.
func listed(t *testing.T, row string) []string {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(readme)) {
		if cells, ok := strings.CutPrefix(line, "| "+row+" | "); ok {
			return strings.Split(strings.TrimSuffix(strings.TrimSpace(cells), " |"), ", ")
		}
	}
	t.Fatalf("README.md has no row %q", row)
	return nil
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

// TestREADMEListsWhatSQSServes takes the operations from the official client: what it can call is all there is.
func TestREADMEListsWhatSQSServes(t *testing.T) {
	h := handler(t)
	var json, query []string
	client := reflect.TypeFor[*sqs.Client]()
	for m := range client.Methods() {
		if m.Type.NumIn() < 3 || !strings.HasSuffix(m.Type.In(2).String(), m.Name+"Input") {
			continue // no operation
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
		r.Header.Set("X-Amz-Target", "AmazonSQS."+m.Name)
		if !strings.Contains(answer(h, r), "UnknownOperation") {
			json = append(json, m.Name)
		}
		r = httptest.NewRequest(http.MethodPost, "/", strings.NewReader("Action="+m.Name))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if !strings.Contains(answer(h, r), "InvalidAction") {
			query = append(query, m.Name)
		}
	}
	slices.Sort(json)
	slices.Sort(query)
	want := listed(t, "SQS, JSON 1.0 and Query")
	if diff := cmp.Diff(want, json); diff != "" {
		t.Errorf("JSON (-README.md +served):\n%s", diff)
	}
	if diff := cmp.Diff(want, query); diff != "" {
		t.Errorf("Query (-README.md +served):\n%s", diff)
	}
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

func TestREADMEListsWhatMNSServes(t *testing.T) {
	h := handler(t)
	for version, row := range map[string]string{"2015-06-06": "MNS, XML", "2026-04-09": "MNS, JSON 2026-04-09"} {
		var served []string
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
		slices.Sort(served)
		if diff := cmp.Diff(listed(t, row), served); diff != "" {
			t.Errorf("%s (-README.md +served):\n%s", row, diff)
		}
	}
}
