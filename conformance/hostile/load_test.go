package hostile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAThousandConnectionsLeaveNothingBehind opens a thousand connections of every bad habit at once: those that stay
// idle, those that are slow, those that vanish in the middle of a request and those that vanish from a long poll. An
// honest client is served beside them, and afterwards goroutines and memory are what they were.
func TestAThousandConnectionsLeaveNothingBehind(t *testing.T) {
	s := open(t)
	s.must(t, "CreateQueue", map[string]any{"QueueName": "plain"})
	s.crowd(t) // so that whatever keeps the size it once had, has it
	goroutines, before := s.calm(t), heap()
	for range 2 {
		s.crowd(t)
	}
	until(t, "goroutines have gone", func() bool { return runtime.NumGoroutine() <= goroutines+5 })
	const room = 1 << 20
	if grown := heap() - before; grown > room {
		t.Errorf("%d bytes more are in use after two thousand connections, want at most %d", grown, room)
	}
	if n := s.clock.Waiting(); n > 2 {
		t.Errorf("%d waits for a time are left, want none of the polls", n)
	}
}

// calm waits until no goroutine ends any more, and returns how many there are.
func (s *site) calm(t *testing.T) int {
	t.Helper()
	until(t, "all requests have ended", func() bool { return s.active.Load() == 0 })
	for {
		n := runtime.NumGoroutine()
		for range 20 {
			time.Sleep(time.Millisecond)
		}
		if runtime.NumGoroutine() == n {
			return n
		}
	}
}

// crowd opens the connections, and closes all of them in the end.
func (s *site) crowd(t *testing.T) {
	t.Helper()
	const clients = 1000
	connections := make([]*net.TCPConn, clients)
	var all sync.WaitGroup
	for worker := range 10 {
		all.Go(func() {
			for i := worker; i < clients; i += 10 {
				c, err := net.Dial("tcp", s.addr)
				if err != nil {
					t.Error(err)
					return
				}
				connections[i] = c.(*net.TCPConn)
				s.behave(t, connections[i], i)
			}
		})
	}
	all.Wait()
	until(t, "the polls are parked", func() bool { return s.active.Load() >= clients/4 })
	began := time.Now()
	for range 20 {
		s.must(t, "ListQueues", map[string]any{})
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("20 requests took %v beside %d connections", took, clients)
	}
	for i, c := range connections {
		if c != nil && i%2 == 0 {
			_ = c.SetLinger(0) // a reset
		}
		if c != nil {
			_ = c.Close()
		}
	}
	until(t, "the server has noticed", func() bool { return s.active.Load() == 0 })
}

// behave does on a connection what the i-th client does.
func (s *site) behave(t *testing.T, c *net.TCPConn, i int) {
	t.Helper()
	protocol := protocolNames[i/4%3]
	list := jsonAsk("ListQueues", "{}").bytes(s.addr)
	switch i % 4 {
	case 0: // some requests, and then nothing
		from := bufio.NewReader(c)
		for range 3 {
			_, _ = io.WriteString(c, list)
			if r, err := readAnswer(from, http.MethodPost); err != nil || r.status != http.StatusOK {
				t.Errorf("an honest request = %d, %v, want 200", r.status, err)
			}
		}
	case 1: // gone in the middle of a body
		_, _ = io.WriteString(c, list[:len(list)-1])
		_ = c.SetLinger(0)
		_ = c.Close()
	case 2: // slow, in the middle of a header
		_, _ = io.WriteString(c, list[:40])
	default:
		_, _ = io.WriteString(c, poll(protocol).bytes(s.addr))
	}
}

// TestADayOfVirtualTime lets a day pass minute by minute under all that goes by time: delays, timeouts, dead letters,
// deduplication and retention. In the end every queue is empty, and goroutines and memory are what they were.
func TestADayOfVirtualTime(t *testing.T) {
	s := open(t)
	retention := map[string]string{"MessageRetentionPeriod": "3600"}
	s.must(t, "CreateQueue", map[string]any{"QueueName": "dead", "Attributes": retention})
	s.must(t, "CreateQueue", map[string]any{"QueueName": "plain", "Attributes": map[string]string{
		"MessageRetentionPeriod": "3600", "VisibilityTimeout": "90",
		"RedrivePolicy": `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":2}`,
	}})
	s.must(t, "CreateQueue", map[string]any{"QueueName": "orders.fifo", "Attributes": map[string]string{
		"MessageRetentionPeriod": "3600", "VisibilityTimeout": "90", "FifoQueue": "true",
	}})
	const day = 24 * 60
	for minute := range 3 * 60 {
		s.minute(t, minute)
	}
	goroutines, before := s.calm(t), heap()
	for minute := range day {
		s.minute(t, minute)
	}
	const room = 512 << 10
	if grown := heap() - before; grown > room {
		t.Errorf("%d bytes more are in use after a day, want at most %d", grown, room)
	}
	if n := s.calm(t); n > goroutines+5 {
		t.Errorf("%d goroutines are left after a day, want %d", n, goroutines)
	}
	for range 3 * 60 {
		s.clock.Advance(time.Minute)
	}
	for _, queue := range []string{"plain", "dead", "orders.fifo"} {
		on := map[string]any{"QueueUrl": urlOf(queue), "AttributeNames": []string{"All"}}
		shown := s.must(t, "GetQueueAttributes", on)["Attributes"].(map[string]any)
		for _, count := range []string{"", "NotVisible", "Delayed"} {
			if n := shown["ApproximateNumberOfMessages"+count]; n != "0" {
				t.Errorf("%s has ApproximateNumberOfMessages%s = %v once all retention is over, want 0", queue, count, n)
			}
		}
	}
}

// minute sends, receives and deletes some, and lets a minute pass.
func (s *site) minute(t *testing.T, n int) {
	t.Helper()
	for i := range 4 {
		s.do(t, "SendMessage", map[string]any{"QueueUrl": urlOf("plain"), "MessageBody": strings.Repeat("x", 500), "DelaySeconds": 100 * i})
		s.do(t, "SendMessage", map[string]any{
			"QueueUrl": urlOf("orders.fifo"), "MessageBody": "x",
			"MessageGroupId": fmt.Sprint("g", i), "MessageDeduplicationId": fmt.Sprintf("%d-%d", n/3, i), // each three times in a window
		})
	}
	for i, queue := range []string{"plain", "orders.fifo", "dead"} {
		out := s.do(t, "ReceiveMessage", map[string]any{"QueueUrl": urlOf(queue), "MaxNumberOfMessages": 3})
		if received, _ := out["Messages"].([]any); len(received) > 0 && (n+i)%2 == 0 {
			receipt := received[0].(map[string]any)["ReceiptHandle"]
			s.do(t, "DeleteMessage", map[string]any{"QueueUrl": urlOf(queue), "ReceiptHandle": receipt})
		}
	}
	s.clock.Advance(time.Minute)
}

// do is must without the network.
func (s *site) do(t *testing.T, operation string, in map[string]any) map[string]any {
	t.Helper()
	r := s.serve(jsonRequest(operation, in))
	out := map[string]any{}
	if r.body != "" {
		if err := json.Unmarshal([]byte(r.body), &out); err != nil {
			t.Fatal(err)
		}
	}
	if r.status != http.StatusOK {
		t.Fatalf("%s(%v) = %d %s, want 200", operation, in, r.status, r.body)
	}
	return out
}
