// Package hostile_test sends what no honest client sends, in each of the three protocols, and holds the server to four
// promises: the answer is an error in the words and the shape of the caller's provider; it is never the server's own
// fault; nothing has changed; and everybody else is served as before.
//
// Requests are written to a real connection byte by byte, since every HTTP client would refuse to send most of them.
// Where an expectation is not a plain consequence of a rule, a comment says where it is from.
package hostile_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// patience is how long an answer may take that does not wait for anything.
const patience = 20 * time.Second

// site is a server on a port of its own, in memory and with a clock that stands still unless a test says otherwise.
type site struct {
	server *sluice.Server
	clock  *clock.Manual
	addr   string
	active atomic.Int64 // requests that are being answered

	mu     sync.Mutex
	faults []string
}

func open(t *testing.T) *site {
	t.Helper()
	return openWith(t, sluice.Options{})
}

// openWith starts a server and ends the test with a failure if it reported any fault until then.
func openWith(t *testing.T, o sluice.Options) *site {
	t.Helper()
	s := &site{clock: clock.NewManual(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))}
	o.Clock = s.clock
	o.OnFault = func(f *sluice.Fault) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = append(s.faults, f.Error())
	}
	var err error
	if s.server, err = sluice.Open(o); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	web := sluice.NewHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.active.Add(1)
		defer s.active.Add(-1)
		s.server.Handler().ServeHTTP(w, r)
	}))
	go web.Serve(l)
	t.Cleanup(func() {
		_ = web.Close()
		if err := s.server.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
		s.checkFaults(t)
	})
	return s
}

// checkFaults reports the faults so far, once.
func (s *site) checkFaults(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) > 0 {
		t.Errorf("the server reports %d faults of its own, the first: %.600s", len(s.faults), s.faults[0])
	}
	s.faults = nil
}

// ask is a request before it is written. Headers keep their order and spelling.
type ask struct {
	method, path string
	header       []string // "Name: value"
	body         string
	chunked      bool // no length is given
}

func (a ask) String() string {
	return fmt.Sprintf("%s %.80q %.60q %.80q", a.method, a.path, a.header, a.body)
}

// bytes is the request on the wire.
func (a ask) bytes(host string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", a.method, a.path, host)
	for _, line := range a.header {
		b.WriteString(line + "\r\n")
	}
	switch {
	case a.chunked:
		fmt.Fprintf(&b, "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(a.body), a.body)
	case a.body != "" || a.method == http.MethodPost || a.method == http.MethodPut:
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(a.body), a.body)
	default:
		b.WriteString("\r\n")
	}
	return b.String()
}

// reply is a complete answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// dial connects and closes the connection with the test.
func (s *site) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// send does a request on a connection of its own. The server may answer before it has read everything.
func (s *site) send(t *testing.T, a ask) reply {
	t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	go func() { _, _ = io.WriteString(c, a.bytes(s.addr)) }()
	return read(t, bufio.NewReader(c), a.method)
}

// read reads one answer.
func read(t *testing.T, from *bufio.Reader, method string) reply {
	t.Helper()
	r, err := readAnswer(from, method)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	return r
}

func readAnswer(from *bufio.Reader, method string) (reply, error) {
	resp, err := http.ReadResponse(from, &http.Request{Method: method})
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(body)}, err
}

func jsonAsk(operation, body string) ask {
	return ask{http.MethodPost, "/", []string{"Content-Type: application/x-amz-json-1.0", "X-Amz-Target: AmazonSQS." + operation}, body, false}
}

func queryAsk(body string) ask {
	return ask{http.MethodPost, "/000000000000/plain", []string{"Content-Type: application/x-www-form-urlencoded"}, body, false}
}

func mnsAsk(method, path, body string) ask {
	return ask{method, path, []string{"x-mns-version: 2015-06-06", "Content-Type: text/xml"}, body, false}
}

// must does an honest operation, which has to succeed, and returns the members of its answer.
func (s *site) must(t *testing.T, operation string, in map[string]any) map[string]any {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	r := s.send(t, jsonAsk(operation, string(body)))
	out := map[string]any{}
	if r.body != "" {
		err = json.Unmarshal([]byte(r.body), &out)
	}
	if r.status != http.StatusOK || err != nil {
		t.Fatalf("%s(%.200s) = %d %.300s (%v), want 200", operation, body, r.status, r.body, err)
	}
	return out
}

func urlOf(queue string) string { return "http://localhost/000000000000/" + queue }

// furnish makes queues in which every kind of message stands, and returns receipt handles of messages in flight: of the
// standard queue, of the FIFO queue, and MNS's of the standard one.
func (s *site) furnish(t *testing.T) (plain, fifo, mns string) {
	t.Helper()
	s.must(t, "CreateQueue", map[string]any{"QueueName": "plain", "tags": map[string]string{"a": "b"}})
	s.must(t, "CreateQueue", map[string]any{"QueueName": "other"})
	s.must(t, "CreateQueue", map[string]any{"QueueName": "orders.fifo", "Attributes": map[string]string{"FifoQueue": "true"}})
	for range 2 {
		s.must(t, "SendMessage", map[string]any{"QueueUrl": urlOf("plain"), "MessageBody": "in flight"})
	}
	mns = s.receiveMNS(t, "plain")
	plain = s.receive(t, "plain")
	s.must(t, "SendMessage", map[string]any{"QueueUrl": urlOf("plain"), "MessageBody": "visible"})
	s.must(t, "SendMessage", map[string]any{"QueueUrl": urlOf("plain"), "MessageBody": "delayed", "DelaySeconds": 900})
	for i, group := range []string{"held", "free"} {
		s.must(t, "SendMessage", map[string]any{
			"QueueUrl": urlOf("orders.fifo"), "MessageBody": group, "MessageGroupId": group, "MessageDeduplicationId": strconv.Itoa(i),
		})
	}
	return plain, s.receive(t, "orders.fifo"), mns
}

// receive receives a message for two hours and returns its receipt handle.
func (s *site) receive(t *testing.T, queue string) string {
	t.Helper()
	out := s.must(t, "ReceiveMessage", map[string]any{"QueueUrl": urlOf(queue), "VisibilityTimeout": 7200})
	messages, _ := out["Messages"].([]any)
	if len(messages) != 1 {
		t.Fatalf("ReceiveMessage(%s) = %v, want a message", queue, out)
	}
	return messages[0].(map[string]any)["ReceiptHandle"].(string)
}

func (s *site) receiveMNS(t *testing.T, queue string) string {
	t.Helper()
	r := s.send(t, mnsAsk(http.MethodGet, "/queues/"+queue+"/messages", ""))
	_, rest, _ := strings.Cut(r.body, "<ReceiptHandle>")
	handle, _, ok := strings.Cut(rest, "</ReceiptHandle>")
	if r.status != http.StatusOK || !ok {
		t.Fatalf("receive from %s = %d %s, want a message", queue, r.status, r.body)
	}
	return handle
}

// state is everything that clients can see of the queues.
func (s *site) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	list := s.must(t, "ListQueues", map[string]any{})
	urls, _ := list["QueueUrls"].([]any)
	for _, url := range urls {
		on := map[string]any{"QueueUrl": url, "AttributeNames": []string{"All"}}
		fmt.Fprintln(&b, url, s.must(t, "GetQueueAttributes", on), s.must(t, "ListQueueTags", on))
		name := url.(string)[strings.LastIndexByte(url.(string), '/')+1:]
		r := s.send(t, mnsAsk(http.MethodGet, "/queues/"+name+"/messages?peekonly=true&numOfMessages=16", ""))
		_, messages, _ := strings.Cut(r.body, "\n  <Message>\n")
		fmt.Fprintln(&b, messages)
	}
	return b.String()
}

// until waits for something that the server does by itself.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !holds() {
		if ctx.Err() != nil {
			t.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}
