package sluice_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// sqsCall makes one request in the JSON protocol and returns the body of the answer.
func sqsCall(h http.Handler, operation, body string) string {
	r := httptest.NewRequest(http.MethodPost, "http://local/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.String()
}

func mnsCall(h http.Handler, method, target, body string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, "http://local"+target, strings.NewReader(body)))
	return w.Body.String()
}

func TestBridgesDecideWhoSharesQueues(t *testing.T) {
	other := sluice.Home{Account: "42", Region: "cn-beijing"}
	for _, tt := range []struct {
		name    string
		options sluice.Options
		shared  bool
	}{
		{"by default", sluice.Options{}, true},
		{"with other homes", sluice.Options{MNS: other, SQS: sluice.Home{Account: "123456789012", Region: "eu-west-1"}}, true},
		{"with an empty list", sluice.Options{Bridges: []sluice.Bridge{}}, false},
		{"with another bridge", sluice.Options{Bridges: []sluice.Bridge{{MNS: other, SQS: sluice.DefaultSQS}}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t, tt.options).Handler()
			sqsCall(h, "CreateQueue", `{"QueueName":"q"}`)
			got := mnsCall(h, http.MethodGet, "/queues/q", "")
			if shared := strings.Contains(got, "<QueueName>q</QueueName>"); shared != tt.shared {
				t.Errorf("MNS sees %s, want shared = %v", got, tt.shared)
			}
		})
	}
}

func TestStrictHoldsTheWaitRules(t *testing.T) {
	for strict, want := range map[bool]string{false: "", true: "PurgeQueueInProgress"} {
		h := open(t, sluice.Options{Strict: strict, Clock: clock.NewManual(time.Unix(1_700_000_000, 0))}).Handler()
		sqsCall(h, "CreateQueue", `{"QueueName":"q"}`)
		sqsCall(h, "PurgeQueue", `{"QueueUrl":"http://local/000000000000/q"}`)
		got := sqsCall(h, "PurgeQueue", `{"QueueUrl":"http://local/000000000000/q"}`)
		if !strings.Contains(got, want) || (want == "" && got != "") {
			t.Errorf("strict = %v: second purge = %q, want %q", strict, got, want)
		}
	}
}

func TestMaxInFlightReplacesTheProvidersBound(t *testing.T) {
	h := open(t, sluice.Options{MaxInFlight: 2}).Handler()
	sqsCall(h, "CreateQueue", `{"QueueName":"q"}`)
	for range 3 {
		sqsCall(h, "SendMessage", `{"QueueUrl":"q","MessageBody":"m"}`)
	}
	for range 2 {
		if got := sqsCall(h, "ReceiveMessage", `{"QueueUrl":"q"}`); !strings.Contains(got, `"Body":"m"`) {
			t.Fatalf("ReceiveMessage = %s, want a message", got)
		}
	}
	if got := sqsCall(h, "ReceiveMessage", `{"QueueUrl":"q"}`); !strings.Contains(got, "OverLimit") {
		t.Errorf("ReceiveMessage over the bound = %s, want OverLimit", got)
	}
}

func TestMicrosecondVisibleTimeHasSixteenDigits(t *testing.T) {
	receipt := regexp.MustCompile(`<ReceiptHandle>(.*)</ReceiptHandle>`)
	for micro, digits := range map[bool]string{false: "13", true: "16"} {
		h := open(t, sluice.Options{MicrosecondVisibleTime: micro}).Handler()
		mnsCall(h, http.MethodPut, "/queues/q", "<Queue/>")
		mnsCall(h, http.MethodPost, "/queues/q/messages", "<Message><MessageBody>m</MessageBody></Message>")
		got := receipt.FindStringSubmatch(mnsCall(h, http.MethodGet, "/queues/q/messages", ""))
		changed := mnsCall(h, http.MethodPut, "/queues/q/messages?ReceiptHandle="+got[1]+"&VisibilityTimeout=9", "")
		if !regexp.MustCompile(`<NextVisibleTime>\d{` + digits + `}<`).MatchString(changed) {
			t.Errorf("microseconds = %v: answer %s, want %s digits", micro, changed, digits)
		}
	}
}

func TestPublicURLReplacesTheHostOfTheRequest(t *testing.T) {
	h := open(t, sluice.Options{PublicURL: "https://queues.example"}).Handler()
	want := `"https://queues.example/000000000000/q"`
	if got := sqsCall(h, "CreateQueue", `{"QueueName":"q"}`); !strings.Contains(got, want) {
		t.Errorf("CreateQueue = %s, want %s", got, want)
	}
}

func TestCredentialsMakeSignaturesNecessary(t *testing.T) {
	for name, tt := range map[string]struct {
		keys    map[string]sluice.Credential
		refused bool
	}{
		"none": {nil, false}, "no key": {map[string]sluice.Credential{}, true}, "a key": {map[string]sluice.Credential{"id": {Secret: "s"}}, true},
	} {
		h := open(t, sluice.Options{Credentials: tt.keys}).Handler()
		made := mnsCall(h, http.MethodPut, "/queues/q", "<Queue/>")
		if refused := strings.Contains(made, "<Error"); refused != tt.refused {
			t.Errorf("%s: unsigned CreateQueue of MNS = %q, want refused = %v", name, made, tt.refused)
		}
		made = sqsCall(h, "CreateQueue", `{"QueueName":"q"}`)
		if refused := !strings.Contains(made, "QueueUrl"); refused != tt.refused {
			t.Errorf("%s: unsigned CreateQueue of SQS = %q, want refused = %v", name, made, tt.refused)
		}
	}
}

func TestCredentialsNameWhoseTheyAre(t *testing.T) {
	for _, tt := range []struct {
		credential sluice.Credential
		want       string
	}{
		{sluice.Credential{User: "alice"}, ""},
		{sluice.Credential{Role: "deploy", Session: "ci@example.com"}, ""},
		{sluice.Credential{User: "a b"}, "not the name of a user"},
		{sluice.Credential{Role: "a/b", Session: "ci"}, "not the name of a role"},
		{sluice.Credential{Role: "deploy", Session: strings.Repeat("x", 65)}, "not the name of a session"},
		{sluice.Credential{Role: "deploy", Session: "c"}, "at least 2 letters"},
		{sluice.Credential{Role: "deploy"}, "belong together"},
		{sluice.Credential{Session: "ci"}, "belong together"},
		{sluice.Credential{User: "alice", Role: "deploy", Session: "ci"}, "not of both"},
		{sluice.Credential{Policy: `{"Statement":{"Effect":"Allow","Action":"*","Resource":"*","Condition":null}}`}, "Condition is null"},
	} {
		err := sluice.CheckCredential(tt.credential)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("CheckCredential(%+v) = %v, want %q", tt.credential, err, tt.want)
		}
	}
}
