package sqs

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
)

// server is both dialects over an engine in memory, on a clock that the test moves.
type server struct {
	t       testing.TB
	handler http.Handler
	clock   *clock.Manual
	site    *protocols.Site
	faults  []error
}

const (
	home  = "http://example.com/000000000000/" // what httptest calls itself
	epoch = 1_700_000_000
)

func newServer(t testing.TB, change ...func(*protocols.Site)) *server {
	t.Helper()
	s := &server{t: t, clock: clock.NewManual(time.Unix(epoch, 0))}
	engine, err := core.Open(memory.New(), core.Options{Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		for _, err := range s.faults {
			t.Errorf("fault: %v", err)
		}
	})
	s.site = &protocols.Site{Broker: engine.Under, SQS: protocols.Home{Account: "000000000000", Region: "us-east-1"}}
	for _, c := range change {
		c(s.site)
	}
	s.handler = protocols.NewHandler([]protocols.Dialect{JSON(s.site), Query(s.site)}, func(_ *protocols.Call, err error) {
		s.faults = append(s.faults, err)
	})
	return s
}

// reply is an answer with its request id replaced by RID, everywhere.
type reply struct {
	status int
	header http.Header
	body   string
}

func (s *server) do(r *http.Request) reply {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	ids := w.Header()["x-amzn-RequestId"]
	if len(ids) != 1 || !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(ids[0]) {
		s.t.Errorf("%s %s: request ids %q, want one UUID of version 5", r.Method, r.URL, ids)
		ids = []string{"none"}
	}
	return reply{w.Code, w.Header(), strings.ReplaceAll(w.Body.String(), ids[0], "RID")}
}

// json calls an operation in JSON.
func (s *server) json(operation, body string) reply {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", jsonType)
	r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	return s.do(r)
}

// query calls an operation in the Query protocol with a form in its body.
func (s *server) query(form string) reply {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(form))
	r.Header.Set("Content-Type", formType+"; charset=utf-8")
	return s.do(r)
}

// ok fails the test unless the answer is a success, and returns its body.
func (s *server) ok(r reply) string {
	s.t.Helper()
	if r.status != http.StatusOK {
		s.t.Fatalf("status = %d, want 200: %s", r.status, r.body)
	}
	return r.body
}

// queue makes a queue, with attributes given as JSON.
func (s *server) queue(name, attributes string) {
	s.t.Helper()
	if attributes == "" {
		attributes = "{}"
	}
	s.ok(s.json("CreateQueue", `{"QueueName":"`+name+`","Attributes":`+attributes+`}`))
}

// received is a message as JSON shows it.
type received struct {
	MessageId, Body, ReceiptHandle, MD5OfBody, MD5OfMessageAttributes string
	Attributes                                                        map[string]string
	MessageAttributes                                                 map[string]map[string]string
}

// receive receives with more members for the request, given as JSON.
func (s *server) receive(queue, members string) []received {
	s.t.Helper()
	if members != "" {
		members = "," + members
	}
	var out struct{ Messages []received }
	s.parse(s.ok(s.json("ReceiveMessage", `{"QueueUrl":"`+queue+`"`+members+`}`)), &out)
	return out.Messages
}

func (s *server) parse(doc string, into any) {
	s.t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	if err := d.Decode(into); err != nil {
		s.t.Fatalf("%s: %v", doc, err)
	}
	if rest, _ := io.ReadAll(d.Buffered()); len(rest) > 0 {
		s.t.Fatalf("%s: trailing %q", doc, rest)
	}
}

// jsonFault compares an answer with an error of the JSON protocol; a coral type is written with a leading slash.
func (s *server) jsonFault(got reply, status int, code, kind, text string) {
	s.t.Helper()
	namespace, message := "com.amazonaws.sqs#", "message"
	if name, coral := strings.CutPrefix(kind, "/"); coral {
		namespace, kind = "com.amazon.coral.service#", name
	}
	if kind == "SerializationException" || kind == "AccessDeniedException" {
		message = "Message"
	}
	want := `{"__type":"` + namespace + kind + `"`
	if text != "" {
		want += `,"` + message + `":` + quoted(text)
	}
	want += "}"
	header := strings.Join(got.header["x-amzn-query-error"], ",")
	if got.status != status || got.body != want || header != code+";Sender" {
		s.t.Errorf("got  %d %s %s\nwant %d %s;Sender %s", got.status, header, got.body, status, code, want)
	}
}

func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text)
	return strings.TrimSpace(b.String())
}

// queryFault compares an answer with an error of the Query protocol.
func (s *server) queryFault(got reply, status int, code, text string) {
	s.t.Helper()
	want := `<?xml version="1.0"?><ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><Error><Type>Sender</Type><Code>` + code +
		`</Code><Message>` + text + `</Message><Detail/></Error><RequestId>RID</RequestId></ErrorResponse>`
	if got.status != status || got.body != want || got.header.Get("x-amzn-query-error") != "" {
		s.t.Errorf("got  %d %s\nwant %d %s", got.status, got.body, status, want)
	}
}

// xml is a successful answer of the Query protocol.
func xml(operation, result string) string {
	switch result {
	case "-":
		result = ""
	case "":
		result = "<" + operation + "Result/>"
	default:
		result = "<" + operation + "Result>" + result + "</" + operation + "Result>"
	}
	return `<?xml version="1.0"?><` + operation + `Response xmlns="http://queue.amazonaws.com/doc/2012-11-05/">` + result +
		`<ResponseMetadata><RequestId>RID</RequestId></ResponseMetadata></` + operation + `Response>`
}

var (
	messageID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	receiptID = regexp.MustCompile(`AQEB[A-Za-z0-9+/]+`)
)

// masked replaces message ids and receipt handles, which no test can know.
func masked(body string) string {
	return receiptID.ReplaceAllString(messageID.ReplaceAllString(body, "MID"), "HANDLE")
}

func form(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(pairs[i] + "=" + url.QueryEscape(pairs[i+1]))
	}
	return b.String()
}
