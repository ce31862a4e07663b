package sluice_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/protocols/control"
	"github.com/sluicemq/sluice/protocols/control/page"
	"github.com/sluicemq/sluice/protocols/faults"
)

// faulty is a server with faults, on a manual clock.
type faulty struct {
	*sluice.Server
	t     *testing.T
	clock *clock.Manual
}

func withFaults(t *testing.T, rules ...sluice.FaultRule) *faulty {
	t.Helper()
	c := clock.NewManual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	f := &faulty{open(t, sluice.Options{Clock: c, Faults: rules}), t, c}
	f.sqs("CreateQueue", `{"QueueName":"q"}`)
	return f
}

const dropped = 0

// do returns status and body of an answer; the status is dropped if the connection was closed without one.
func (f *faulty) do(r *http.Request) (status int, body string) {
	f.t.Helper()
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler {
				panic(p)
			}
			status, body = dropped, ""
		}
	}()
	w := httptest.NewRecorder()
	f.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func (f *faulty) sqs(operation, body string) (int, string) {
	f.t.Helper()
	r := httptest.NewRequest("POST", "http://localhost/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	return f.do(r)
}

func (f *faulty) query(form string) (int, string) {
	f.t.Helper()
	r := httptest.NewRequest("POST", "http://localhost/", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return f.do(r)
}

func (f *faulty) mns(method, path, body string) (int, string) {
	f.t.Helper()
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("X-Mns-Version", "2015-06-06")
	return f.do(r)
}

type gotMessage struct{ Body, MessageID, ReceiptHandle string }

func (f *faulty) receive(arguments string) []gotMessage {
	f.t.Helper()
	_, body := f.sqs("ReceiveMessage", `{"QueueUrl":"q"`+arguments+`}`)
	var out struct{ Messages []gotMessage }
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		f.t.Fatalf("ReceiveMessage: %v in %s", err, body)
	}
	return out.Messages
}

func bodies(messages []gotMessage) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Body)
	}
	return strings.Join(all, " ")
}

func (f *faulty) send(from, to int) {
	f.t.Helper()
	for i := from; i <= to; i++ {
		f.sqs("SendMessage", fmt.Sprintf(`{"QueueUrl":"q","MessageBody":"%d"}`, i))
	}
}

func TestFaultsAreAnsweredInTheWordsOfEachProvider(t *testing.T) {
	for _, tt := range []struct {
		rule             sluice.FaultRule
		json, query, mns string // status and part of the body
	}{
		{
			sluice.FaultRule{Kind: sluice.FaultThrottle},
			`403 "com.amazonaws.sqs#RequestThrottled"`, "403 <Code>RequestThrottled</Code>", "429 <Code>TooManyRequests</Code>",
		},
		{
			sluice.FaultRule{Kind: sluice.FaultError, Error: "unavailable"},
			`503 "com.amazon.coral.service#ServiceUnavailableException"`, "503 <Code>ServiceUnavailable</Code>", "503 <Code>ServiceUnavailable</Code>",
		},
		{
			sluice.FaultRule{Kind: sluice.FaultError},
			`500 "com.amazon.coral.service#InternalFailure"`, "500 <Code>InternalFailure</Code>", "500 <Code>InternalError</Code>",
		},
		{
			sluice.FaultRule{Kind: sluice.FaultThrottle, Error: "QpsLimitExceeded"},
			`200 "MessageId"`, "200 <MessageId>", "400 <Message>The qps limit of the queue is exceeded</Message>",
		},
		{
			sluice.FaultRule{Kind: sluice.FaultError, Error: "InternalError"},
			`500 "com.amazon.coral.service#InternalError"`, "500 <Code>InternalError</Code>", "500 <Code>InternalError</Code>",
		},
		{sluice.FaultRule{Kind: sluice.FaultLostAnswer, Queue: "q"}, "0 ", "0 ", "0 "},
		{sluice.FaultRule{Kind: sluice.FaultLostAnswer, Queue: "p"}, "200 ", "200 ", "201 "},
	} {
		tt.rule.Name, tt.rule.Operation = "r", "Send*"
		f := withFaults(t, tt.rule)
		check := func(what, want string, status int, body string) {
			t.Helper()
			code, part, _ := strings.Cut(want, " ")
			if fmt.Sprint(status) != code || !strings.Contains(strings.ReplaceAll(body, "\n", ""), part) {
				t.Errorf("%s with %+v: %d %s, want %s", what, tt.rule, status, body, want)
			}
		}
		status, body := f.sqs("SendMessage", `{"QueueUrl":"http://x/000000000000/q","MessageBody":"m"}`)
		check("JSON", tt.json, status, body)
		status, body = f.query("Action=SendMessage&QueueUrl=q&MessageBody=m")
		check("Query", tt.query, status, body)
		status, body = f.mns("POST", "/queues/q/messages", "<Message><MessageBody>m</MessageBody></Message>")
		check("MNS", tt.mns, status, body)
	}
}

func TestALostAnswerIsThatOfWorkThatWasDone(t *testing.T) {
	f := withFaults(t, sluice.FaultRule{Name: "lost", Kind: sluice.FaultLostAnswer, Operation: "SendMessage", Count: new(1)})
	f.send(1, 2)
	if got := bodies(f.receive(`,"MaxNumberOfMessages":10`)); got != "1 2" {
		t.Errorf("received %q, want both", got)
	}
	if got := f.Faults(); len(got) != 1 || got[0].Picked != 2 || got[0].Fired != 1 {
		t.Errorf("Faults() = %+v", got)
	}
}

func TestDuplicatesComeOnStandardQueuesOnly(t *testing.T) {
	f := withFaults(t, sluice.FaultRule{Name: "twice", Kind: sluice.FaultDuplicate, Copies: new(2)})
	f.sqs("CreateQueue", `{"QueueName":"q.fifo","Attributes":{"FifoQueue":"true","ContentBasedDeduplication":"true"}}`)
	f.sqs("SendMessage", `{"QueueUrl":"q.fifo","MessageGroupId":"g","MessageBody":"once"}`)
	f.send(1, 1)
	var got []gotMessage
	for range 5 {
		got = append(got, f.receive("")...)
	}
	if len(got) != 3 || got[0].MessageID != got[2].MessageID {
		t.Fatalf("received %+v, want the message three times", got)
	}
	for i := range got {
		if status, body := f.sqs("DeleteMessage", `{"QueueUrl":"q","ReceiptHandle":"`+got[i].ReceiptHandle+`"}`); status != 200 {
			t.Errorf("delete of delivery %d = %d %s", i+1, status, body)
		}
	}
	for i := range 2 {
		if _, body := f.sqs("ReceiveMessage", `{"QueueUrl":"q.fifo"}`); strings.Contains(body, "once") != (i == 0) {
			t.Errorf("receive %d of the FIFO queue: %s", i+1, body)
		}
	}
}

func TestAForgottenDeleteDeliversAgain(t *testing.T) {
	f := withFaults(t, sluice.FaultRule{Name: "forgets", Kind: sluice.FaultDuplicate, At: "delete", Count: new(1)})
	f.send(1, 2)
	got := f.receive(`,"MaxNumberOfMessages":10`)
	_, body := f.sqs("DeleteMessageBatch", fmt.Sprintf(`{"QueueUrl":"q","Entries":[{"Id":"a","ReceiptHandle":%q},{"Id":"b","ReceiptHandle":%q}]}`,
		got[0].ReceiptHandle, got[1].ReceiptHandle))
	if strings.Contains(body, "Failed\":[{") || strings.Count(body, `"Id"`) != 2 {
		t.Errorf("the deletes were answered with %s", body)
	}
	if again := bodies(f.receive(`,"MaxNumberOfMessages":10`)); again != "1" {
		t.Errorf("received again %q, want 1", again)
	}
}

func TestReorderingShufflesABatchOrHoldsMessagesBack(t *testing.T) {
	sent := "1 2 3 4 5 6 7 8 9 10"
	same := func(a, b string) bool {
		x, y := strings.Fields(a), strings.Fields(b)
		slices.Sort(x)
		slices.Sort(y)
		return slices.Equal(x, y)
	}
	f := withFaults(t, sluice.FaultRule{Name: "mix", Kind: sluice.FaultReorder})
	f.send(1, 10)
	if got := bodies(f.receive(`,"MaxNumberOfMessages":10`)); got == sent || !same(got, sent) {
		t.Errorf("received %q, want all in another order", got)
	}
	f = withFaults(t, sluice.FaultRule{Name: "mix", Kind: sluice.FaultReorder, At: "send", Rate: new(0.5), Delay: new(10 * time.Second)})
	f.send(1, 10)
	first := bodies(f.receive(`,"MaxNumberOfMessages":10`))
	f.clock.Advance(10 * time.Second)
	rest := bodies(f.receive(`,"MaxNumberOfMessages":10`))
	if got := first + " " + rest; first == "" || rest == "" || got == sent || !same(got, sent) {
		t.Errorf("received %q at once and %q later, want some of all each time", first, rest)
	}
}

func TestALongPollIsCutUnlessItHasAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withFaults(t, sluice.FaultRule{Name: "cut", Kind: sluice.FaultDrop, Delay: new(3 * time.Second)})
		poll := func(send bool) (status int, body string) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				status, body = f.sqs("ReceiveMessage", `{"QueueUrl":"q","WaitTimeSeconds":20}`)
			}()
			synctest.Wait()
			f.clock.Advance(2 * time.Second)
			if send {
				f.send(1, 1)
			}
			synctest.Wait()
			f.clock.Advance(time.Second)
			<-done
			return status, body
		}
		if status, body := poll(false); status != dropped {
			t.Errorf("a poll without a message = %d %s, want none", status, body)
		}
		if status, body := poll(true); status != 200 || !strings.Contains(body, `"Body":"1"`) {
			t.Errorf("a poll with a message = %d %s", status, body)
		}
		if status, _ := f.sqs("ReceiveMessage", `{"QueueUrl":"q"}`); status != 200 {
			t.Errorf("a receive that does not wait = %d", status)
		}
		if n := f.Faults()[0].Picked; n != 2 {
			t.Errorf("the rule was asked %d times, want 2: the polls", n)
		}
	})
}

func TestOverLimitIsThatOfReceives(t *testing.T) {
	f := withFaults(t, sluice.FaultRule{Name: "full", Kind: sluice.FaultOverLimit})
	f.send(1, 1)
	if status, body := f.sqs("ReceiveMessage", `{"QueueUrl":"q"}`); status != 403 || !strings.Contains(body, "com.amazonaws.sqs#OverLimit") {
		t.Errorf("ReceiveMessage = %d %s, want OverLimit", status, body)
	}
	if status, _ := f.mns("GET", "/queues/q/messages", ""); status != 200 {
		t.Errorf("a receive of MNS = %d, want the message", status)
	}
}

func TestFaultsComeAndGo(t *testing.T) {
	f := withFaults(t)
	status := func() int { s, _ := f.sqs("ListQueues", "{}"); return s }
	if err := f.SetFaults(sluice.FaultRule{Name: "r", Kind: sluice.FaultThrottle}); err != nil || status() != 403 {
		t.Errorf("SetFaults: %v; then ListQueues = %d, want 403", err, status())
	}
	if err := f.SetFaults(sluice.FaultRule{Name: "r", Kind: "fire"}); err == nil || status() != 403 {
		t.Errorf("SetFaults took a wrong rule, or changed something")
	}
	if waiting, err := f.Reload(t.Context(), sluice.Options{Strict: true}); err != nil || len(waiting) != 0 || status() != 403 {
		t.Errorf("Reload = %v, %v; then ListQueues = %d, want 403", waiting, err, status())
	}
	if err := f.SetFaults(); err != nil || status() != 200 {
		t.Errorf("SetFaults() = %v; then ListQueues = %d, want 200", err, status())
	}
	again := sluice.Options{Faults: []sluice.FaultRule{{Name: "r", Kind: sluice.FaultThrottle}}}
	if _, err := f.Reload(t.Context(), again); err != nil || status() != 403 {
		t.Errorf("Reload: %v; then ListQueues = %d, want 403", err, status())
	}
	w := httptest.NewRecorder()
	f.Admin().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/v1/faults/r", nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"fired":1`) {
		t.Errorf("GET /faults/r = %d %s", w.Code, w.Body)
	}
	w = httptest.NewRecorder()
	f.Admin().ServeHTTP(w, httptest.NewRequest("DELETE", "http://localhost/api/v1/faults", nil))
	if w.Code != 204 || status() != 200 {
		t.Errorf("DELETE /faults = %d; then ListQueues = %d, want 200", w.Code, status())
	}
	if _, err := sluice.Open(sluice.Options{Faults: []sluice.FaultRule{{Name: "r"}}}); err == nil {
		t.Error("Open took a wrong rule")
	}
}

// The kinds of faults stand in three places that no compiler holds together.
func TestFaultKindsAreTheSameInContractAndPage(t *testing.T) {
	want := faults.Kinds()
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties struct {
					Kind struct {
						Enum []faults.Kind `json:"enum"`
					} `json:"kind"`
				} `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(control.Document(), &document); err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{"FaultRule", "Fault"} {
		got := document.Components.Schemas[schema].Properties.Kind.Enum
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("kinds of %s (-faults +openapi.json):\n%s", schema, diff)
		}
	}
	source, err := fs.ReadFile(page.Files, "faults.js")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(source), "const kinds = {")
	table, _, _ = strings.Cut(table, "\n};")
	var shown []faults.Kind
	for _, row := range regexp.MustCompile(`(?m)^\t"?([a-z-]+)"?: \{`).FindAllStringSubmatch(table, -1) {
		shown = append(shown, faults.Kind(row[1]))
	}
	slices.Sort(shown)
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("kinds of the page (-faults +faults.js):\n%s", diff)
	}
}
