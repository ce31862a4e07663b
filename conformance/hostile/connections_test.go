package hostile_test

import (
	"bufio"
	"context"
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

// poll is a receive that waits for 20 seconds of a clock that stands still.
func poll(protocol string) ask {
	switch protocol {
	case "JSON":
		return jsonAsk("ReceiveMessage", `{"QueueUrl":"plain","WaitTimeSeconds":20}`)
	case "Query":
		return queryAsk("Action=ReceiveMessage&WaitTimeSeconds=20")
	}
	return mnsAsk(http.MethodGet, onMessages+"?waitseconds=20", "")
}

var protocolNames = []string{"JSON", "Query", "MNS"}

// TestMessageIsNotLostToAClientThatHasGone parks a long poll and hangs up. The next message belongs to the next client.
func TestMessageIsNotLostToAClientThatHasGone(t *testing.T) {
	for _, protocol := range protocolNames {
		for how, hangUp := range map[string]func(*net.TCPConn){
			"closed": func(c *net.TCPConn) { _ = c.Close() },
			"reset":  func(c *net.TCPConn) { _ = c.SetLinger(0); _ = c.Close() },
		} {
			t.Run(protocol+" "+how, func(t *testing.T) {
				s := open(t)
				s.must(t, "CreateQueue", map[string]any{"QueueName": "plain"})
				c := s.dial(t)
				_, _ = io.WriteString(c, poll(protocol).bytes(s.addr))
				until(t, "the poll is parked", func() bool { return s.active.Load() == 1 })
				hangUp(c.(*net.TCPConn))
				until(t, "the server has noticed", func() bool { return s.active.Load() == 0 })
				s.must(t, "SendMessage", map[string]any{"QueueUrl": urlOf("plain"), "MessageBody": "x"})
				s.receive(t, "plain")
			})
		}
	}
}

// TestMessageOutlivesManyClientsThatGo makes messages and clients that hang up meet in all orders. A message whose
// answer was on its way is hidden for its timeout, as with the providers, and then there again: none is lost, none
// doubled.
func TestMessageOutlivesManyClientsThatGo(t *testing.T) {
	s := open(t)
	const rounds = 60
	for i := range rounds {
		queue := fmt.Sprintf("q-%d", i)
		s.must(t, "CreateQueue", map[string]any{"QueueName": queue})
		a := poll(protocolNames[i%3])
		a.path, a.body = strings.ReplaceAll(a.path, "plain", queue), strings.ReplaceAll(a.body, "plain", queue)
		c := s.dial(t)
		_, _ = io.WriteString(c, a.bytes(s.addr))
		until(t, "the poll is parked", func() bool { return s.active.Load() == 1 })
		var both sync.WaitGroup
		both.Go(func() { _ = c.Close() })
		s.must(t, "SendMessage", map[string]any{"QueueUrl": urlOf(queue), "MessageBody": "x"})
		both.Wait()
		until(t, "the server has noticed", func() bool { return s.active.Load() == 0 })
	}
	s.clock.Advance(31 * time.Second)
	for i := range rounds {
		queue := fmt.Sprintf("q-%d", i)
		s.receive(t, queue)
		if out := s.must(t, "ReceiveMessage", map[string]any{"QueueUrl": urlOf(queue)}); len(out) > 0 {
			t.Errorf("a second receive from %s = %v, want nothing", queue, out)
		}
	}
}

// TestSlowClientsHoldUpNobody lets clients begin requests of each kind and not finish them.
func TestSlowClientsHoldUpNobody(t *testing.T) {
	s := open(t)
	s.furnish(t)
	requests := []string{
		jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":"x"}`).bytes(s.addr),
		queryAsk("Action=SendMessage&MessageBody=x").bytes(s.addr),
		sendXML("<Message><MessageBody>x</MessageBody></Message>").bytes(s.addr),
		"POST / HTTP/1.1\r\nHo",
	}
	for i := range 200 {
		c := s.dial(t)
		text := requests[i%len(requests)]
		_, _ = io.WriteString(c, text[:len(text)-3])
		_, _ = io.WriteString(c, text[len(text)-3:len(text)-2]) // a byte now and then
	}
	before := s.state(t)
	began := time.Now()
	for range 20 {
		s.must(t, "ListQueues", map[string]any{})
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("20 requests took %v beside 200 slow clients", took)
	}
	if s.state(t) != before {
		t.Error("requests that are not complete have changed the queues")
	}
}

// TestLengthsThatAreOnlyClaimed: a client that announces a large body and sends none must not make the server set memory
// aside for it.
func TestLengthsThatAreOnlyClaimed(t *testing.T) {
	s := open(t)
	const clients, room = 100, 128 << 20
	var was, is runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&was)
	for range clients {
		c := s.dial(t)
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AmazonSQS.ListQueues\r\nContent-Length: %d\r\n\r\n{", sqsRequest)
	}
	until(t, "all have begun", func() bool { return s.active.Load() == clients })
	runtime.ReadMemStats(&is)
	if grown := int64(is.HeapAlloc) - int64(was.HeapAlloc); grown > room {
		t.Errorf("%d clients that claim %d MiB each and send a byte hold %d MiB, want at most %d", clients, sqsRequest>>20, grown>>20, room>>20)
	}
}

// TestConnectionsOutliveErrors: clients keep connections, so the request after one that was refused must be read from
// where it begins.
func TestConnectionsOutliveErrors(t *testing.T) {
	s := open(t)
	s.furnish(t)
	good := jsonAsk("ListQueues", "{}").bytes(s.addr)
	for name, bad := range map[string]ask{
		"JSON":           jsonAsk("SendMessage", "{"),
		"no operation":   jsonAsk("Nope", strings.Repeat("x", 100_000)),
		"Query":          queryAsk("Action=Nope&x=" + strings.Repeat("x", 100_000)),
		"MNS":            sendXML("<Message>" + strings.Repeat("x", 100_000)),
		"MNS path":       mnsAsk(http.MethodPost, "/queues/a/b/c", strings.Repeat("x", 100_000)),
		"MNS query":      mnsAsk(http.MethodPost, onMessages+"?nope=1", strings.Repeat("x", 100_000)),
		"nothing":        {method: http.MethodGet, path: "/"},
		"body of a GET":  {http.MethodGet, "/", []string{"Content-Length: 20"}, "", false},
		"wrong method":   {http.MethodPut, "/", nil, strings.Repeat("x", 1000), false},
		"health by POST": {http.MethodPost, "/health", nil, strings.Repeat("x", 1000), false},
	} {
		t.Run(name, func(t *testing.T) {
			c := s.dial(t)
			_ = c.SetDeadline(time.Now().Add(patience))
			wire := bad.bytes(s.addr)
			if name == "body of a GET" {
				wire += strings.Repeat("x", 20)
			}
			go func() { _, _ = io.WriteString(c, wire+good+good) }() // all at once: the server has to keep them apart
			from := bufio.NewReader(c)
			if r := read(t, from, bad.method); r.status < 400 {
				t.Errorf("the bad request = %d %.200s, want an error", r.status, r.body)
			}
			for range 2 {
				if r := read(t, from, http.MethodPost); r.status != http.StatusOK || !strings.Contains(r.body, "plain") {
					t.Errorf("the good request behind it = %d %.200s, want 200 and a list", r.status, r.body)
				}
			}
		})
	}
}

// TestPipelinedGarbage puts what is no request behind one that is.
func TestPipelinedGarbage(t *testing.T) {
	s := open(t)
	s.furnish(t)
	before := s.state(t)
	for _, garbage := range []string{"\x00\x01\x02\r\n\r\n", "GARBAGE\r\n\r\n", "{\"QueueUrl\":\"plain\"}\r\n\r\n", strings.Repeat("x", 1<<20)} {
		c := s.dial(t)
		_ = c.SetDeadline(time.Now().Add(patience))
		go func() { _, _ = io.WriteString(c, jsonAsk("ListQueues", "{}").bytes(s.addr)+garbage) }()
		from := bufio.NewReader(c)
		if r := read(t, from, http.MethodPost); r.status != http.StatusOK {
			t.Errorf("the request before %.20q = %d %s, want 200", garbage, r.status, r.body)
		}
		if r, err := readAnswer(from, http.MethodGet); err == nil && (r.status < 400 || r.status >= 500) {
			t.Errorf("%.20q = %d %.200s, want an error of the client's", garbage, r.status, r.body)
		}
	}
	if s.state(t) != before {
		t.Error("garbage has changed the queues")
	}
}

// TestServerEndsWithClientsThatHang runs the server as the program does: its end must not wait for clients.
func TestServerEndsWithClientsThatHang(t *testing.T) {
	s := open(t)
	s.furnish(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	parked := s.clock.Waiting()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(ctx, l) }()
	polls := make([]net.Conn, 0, 3)
	for _, protocol := range protocolNames {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		a := poll(protocol)
		a.body, a.path = strings.ReplaceAll(a.body, "plain", "other"), strings.ReplaceAll(a.path, "plain", "other")
		_, _ = io.WriteString(c, a.bytes("x"))
		polls = append(polls, c)
	}
	slow, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	_, _ = io.WriteString(slow, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nx")
	until(t, "the polls are parked", func() bool { return s.clock.Waiting() >= parked+len(polls) })
	stop()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve() = %v, want nil", err)
		}
	case <-time.After(patience):
		t.Fatal("Serve() goes on though its context has ended")
	}
	for i, c := range polls {
		_ = c.SetDeadline(time.Now().Add(patience))
		r, err := readAnswer(bufio.NewReader(c), http.MethodPost)
		if err != nil {
			t.Errorf("%s: the parked poll has no answer: %v", protocolNames[i], err)
			continue
		}
		if empty := r.status == http.StatusOK || protocolNames[i] == "MNS" && r.status == http.StatusNotFound; !empty {
			t.Errorf("%s: the parked poll = %d %s, want the empty answer", protocolNames[i], r.status, r.body)
		}
	}
}
