package sluice_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// told sends a request to a handler and returns the answer.
func told(t *testing.T, h http.Handler, method, path, body string, headers ...string) (status int, answer string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	b, _ := io.ReadAll(w.Result().Body)
	return w.Code, string(b)
}

// asked sends a request of SQS.
func asked(t *testing.T, s *sluice.Server, operation, body string) string {
	t.Helper()
	status, answer := told(t, s.Handler(), "POST", "/", body, "Content-Type", "application/x-amz-json-1.0", "X-Amz-Target", "AmazonSQS."+operation)
	if status != http.StatusOK {
		t.Fatalf("%s = %d %s", operation, status, answer)
	}
	return answer
}

func TestAdminMovesTheTimeOfARunningServer(t *testing.T) {
	s := open(t, sluice.Options{Admin: &sluice.Admin{}})
	asked(t, s, "CreateQueue", `{"QueueName":"q","Attributes":{"VisibilityTimeout":"43200"}}`)
	asked(t, s, "SendMessage", `{"QueueUrl":"/000000000000/q","MessageBody":"work"}`)
	receive := func() string { return asked(t, s, "ReceiveMessage", `{"QueueUrl":"/000000000000/q"}`) }
	if got := receive(); !strings.Contains(got, "work") {
		t.Fatalf("ReceiveMessage = %s, want the message", got)
	}
	for _, step := range []struct{ path, body string }{
		{"/api/v1/clock/freeze", ""}, {"/api/v1/clock/advance", `{"by":"11h59m58s"}`},
	} {
		if status, answer := told(t, s.Admin(), "POST", step.path, step.body); status != http.StatusOK {
			t.Fatalf("POST %s = %d %s", step.path, status, answer)
		}
	}
	if got := receive(); strings.Contains(got, "work") {
		t.Errorf("ReceiveMessage = %s two seconds too early", got)
	}
	told(t, s.Admin(), "POST", "/api/v1/clock/advance", `{"by":2}`)
	if got := receive(); !strings.Contains(got, "work") {
		t.Errorf("ReceiveMessage after 12 hours = %s, want the message", got)
	}
}

func TestAdminLeavesTheClockThatWasGiven(t *testing.T) {
	given := clock.NewManual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	if got := open(t, sluice.Options{Admin: &sluice.Admin{}, Clock: given}).Clock(); got != clock.Clock(given) {
		t.Errorf("Clock() = %v, want the one of the options", got)
	}
}

// overview is what the control API tells of a whole server.
type overview struct {
	Endpoints  []string
	Namespaces []struct {
		Account, Region string
		Speaks          []string
	}
}

func overviewOf(t *testing.T, s *sluice.Server) (o overview) {
	t.Helper()
	_, answer := told(t, s.Admin(), "GET", "/api/v1/overview", "")
	if err := json.Unmarshal([]byte(answer), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestAdminSaysWhereClientsReachTheServer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options sluice.Options
		want    []string
	}{
		{"nowhere", sluice.Options{}, []string{}},
		{"told", sluice.Options{Admin: &sluice.Admin{Endpoints: []string{"http://a:1", "https://a:2"}}}, []string{"http://a:1", "https://a:2"}},
		{"public", sluice.Options{PublicURL: "https://queues.example"}, []string{"https://queues.example"}},
		{
			"public and told",
			sluice.Options{PublicURL: "https://queues.example", Admin: &sluice.Admin{Endpoints: []string{"http://a:1"}}},
			[]string{"https://queues.example", "http://a:1"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, overviewOf(t, open(t, tt.options)).Endpoints); diff != "" {
				t.Errorf("endpoints (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdminSaysWhichProvidersSeeANamespace(t *testing.T) {
	sqs, mns := sluice.Home{Account: "000000000000", Region: "us-east-1"}, sluice.Home{Account: "1234567890123456", Region: "cn-hangzhou"}
	for _, tt := range []struct {
		name    string
		options sluice.Options
		homes   string
		queues  map[string]string // by the namespace
	}{
		{
			"bridged",
			sluice.Options{},
			"000000000000/us-east-1 sqs+mns",
			map[string]string{"000000000000/us-east-1": "sqs+mns", "000000000000/eu-west-1": "sqs", "77/cn-beijing": "mns"},
		},
		{
			"apart",
			sluice.Options{Bridges: []sluice.Bridge{}},
			"000000000000/us-east-1 sqs, 1234567890123456/cn-hangzhou mns",
			map[string]string{"000000000000/us-east-1": "sqs", "1234567890123456/cn-hangzhou": "mns"},
		},
		{
			"a second bridge",
			sluice.Options{Bridges: []sluice.Bridge{
				{MNS: mns, SQS: sqs},
				{MNS: sluice.Home{Account: "1", Region: "r"}, SQS: sluice.Home{Account: "111111111111", Region: "s"}},
			}},
			"000000000000/us-east-1 sqs+mns, 111111111111/s sqs+mns",
			map[string]string{"111111111111/s": "sqs+mns"},
		},
		{
			"one account",
			sluice.Options{MNS: sluice.Home{Account: "000000000000", Region: "cn-hangzhou"}, Bridges: []sluice.Bridge{}},
			"000000000000/us-east-1 sqs+mns, 000000000000/cn-hangzhou sqs+mns", nil,
		},
		{
			"an account for each key",
			sluice.Options{AccountPerKey: true},
			"000000000000/us-east-1 sqs+mns",
			map[string]string{"123123123123/us-east-1": "sqs+mns", "123123123123/eu-west-1": "sqs"},
		},
		{
			"an account for each key, apart",
			sluice.Options{AccountPerKey: true, Bridges: []sluice.Bridge{}},
			"000000000000/us-east-1 sqs, 1234567890123456/cn-hangzhou mns",
			map[string]string{"123123123123/cn-hangzhou": "sqs+mns"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.options)
			var homes []string
			for _, n := range overviewOf(t, s).Namespaces {
				homes = append(homes, n.Account+"/"+n.Region+" "+strings.Join(n.Speaks, "+"))
			}
			if got := strings.Join(homes, ", "); got != tt.homes {
				t.Errorf("namespaces = %s, want %s", got, tt.homes)
			}
			for namespace, want := range tt.queues {
				_, answer := told(t, s.Admin(), "PUT", "/api/v1/queues/"+namespace+"/q", "")
				var queue struct{ Speaks []string }
				if err := json.Unmarshal([]byte(answer), &queue); err != nil || strings.Join(queue.Speaks, "+") != want {
					t.Errorf("queue of %s = %s, %v; want %s", namespace, answer, err, want)
				}
			}
		})
	}
}

func TestAdminIsThereWithoutOptions(t *testing.T) {
	s := open(t, sluice.Options{})
	asked(t, s, "CreateQueue", `{"QueueName":"q"}`)
	if status, answer := told(t, s.Admin(), "GET", "/api/v1/queues/000000000000/us-east-1/q", ""); status != http.StatusOK {
		t.Errorf("GET queue = %d %s", status, answer)
	}
	if status, _ := told(t, s.Admin(), "GET", "/", ""); status != http.StatusOK {
		t.Errorf("GET / = %d, want the page", status)
	}
}

func TestResetBringsTheConfiguredResourcesBack(t *testing.T) {
	s := open(t, sluice.Options{Data: t.TempDir(), Admin: &sluice.Admin{}, Resources: sluice.Resources{Queues: []sluice.Queue{{Name: "declared"}}}})
	asked(t, s, "CreateQueue", `{"QueueName":"made"}`)
	if status, answer := told(t, s.Admin(), "PUT", "/api/v1/snapshots/a", `{"kept":"disk"}`); status != http.StatusCreated {
		t.Errorf("PUT snapshot = %d %s", status, answer)
	}
	for _, step := range []struct{ path, want string }{{"/api/v1/reset", "declared"}, {"/api/v1/snapshots/a/restore", "declared made"}} {
		if status, answer := told(t, s.Admin(), "POST", step.path, ""); status != http.StatusNoContent {
			t.Fatalf("POST %s = %d %s", step.path, status, answer)
		}
		_, answer := told(t, s.Admin(), "GET", "/api/v1/queues", "")
		var page struct{ Queues []struct{ Name string } }
		if err := json.Unmarshal([]byte(answer), &page); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, q := range page.Queues {
			names = append(names, q.Name)
		}
		if got := strings.Join(names, " "); got != step.want {
			t.Errorf("after POST %s the queues are %q, want %q", step.path, got, step.want)
		}
	}
}

func TestResetBringsBackWhatWasReloaded(t *testing.T) {
	s := open(t, sluice.Options{Admin: &sluice.Admin{}})
	o := sluice.Options{Resources: sluice.Resources{Queues: []sluice.Queue{{Name: "later"}}}}
	if _, err := s.Reload(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if status, answer := told(t, s.Admin(), "POST", "/api/v1/reset", ""); status != http.StatusNoContent {
		t.Fatalf("POST reset = %d %s", status, answer)
	}
	if status, answer := told(t, s.Admin(), "GET", "/api/v1/queues/000000000000/us-east-1/later", ""); status != http.StatusOK {
		t.Errorf("GET the queue after a reset = %d %s", status, answer)
	}
}

func TestAliasesOfLocalStackOnTheMainPort(t *testing.T) {
	s := open(t, sluice.Options{})
	asked(t, s, "CreateQueue", `{"QueueName":"q"}`)
	asked(t, s, "SendMessage", `{"QueueUrl":"/000000000000/q","MessageBody":"work"}`)
	const path = "/_aws/sqs/messages?QueueUrl=http://localhost/000000000000/q"
	if status, answer := told(t, s.Handler(), "GET", path, ""); status != http.StatusOK || !strings.Contains(answer, "<Body>work</Body>") {
		t.Errorf("GET %s = %d %s", path, status, answer)
	}
	if status, answer := told(t, s.Handler(), "GET", "/_localstack/health", ""); status != http.StatusOK || !strings.Contains(answer, `"sqs":"running"`) {
		t.Errorf("health = %d %s", status, answer)
	}
	// Where requests have to be signed, messages are not for everybody.
	if _, err := s.Reload(context.Background(), sluice.Options{Credentials: map[string]sluice.Credential{}}); err != nil {
		t.Fatal(err)
	}
	if status, answer := told(t, s.Handler(), "GET", path, ""); status != http.StatusForbidden {
		t.Errorf("GET %s with credentials = %d %s, want 403", path, status, answer)
	}
}
