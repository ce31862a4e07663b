package mns

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/protocols"
)

// exchange sends a request as bytes and returns the answer's head, line by line, and body.
func exchange(t *testing.T, address, request string) (head []string, body string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatalf("Dial = %v", err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatalf("writing the request: %v", err)
	}
	raw, err := io.ReadAll(bufio.NewReader(c))
	if err != nil {
		t.Fatalf("reading the answer: %v", err)
	}
	top, body, _ := strings.Cut(string(raw), "\r\n\r\n")
	return strings.Split(top, "\r\n"), body
}

func TestAnswersOnTheWire(t *testing.T) {
	l := newLab(t)
	server := httptest.NewServer(l.handler)
	defer server.Close()
	address := server.Listener.Addr().String()
	send := func(line, body string) ([]string, string) {
		return exchange(t, address, fmt.Sprintf("%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nx-mns-version: 2015-06-06\r\nContent-Length: %d\r\n\r\n%s",
			line, labHost, len(body), body))
	}
	for _, c := range []struct {
		line, body, status string
		length             string
	}{
		{"PUT /queues/q", "", "201 Created", "Content-Length: 0"},
		{"PUT /queues/q", "", "204 No Content", ""},
		{"POST /queues/q/messages", message(strings.Repeat("x", 10000)), "201 Created", "Content-Length: 208"},
		{"GET /queues/q/messages", "", "200 OK", "Content-Length: *"},
		{"GET http://" + labHost + "/queues/q/messages?waitseconds=0", "", "404 Not Found", "Content-Length: *"}, // as to a proxy
		{"DELETE /queues/q/messages?ReceiptHandle=AbC+/==", "", "400 Bad Request", "Content-Length: *"},
		{"HEAD /queues/q", "", "400 Bad Request", "Content-Length: *"},
		{"OPTIONS /queues/q", "", "400 Bad Request", "Content-Length: *"},
		{"DELETE /queues/q", "", "204 No Content", ""},
	} {
		head, body := send(c.line, c.body)
		if head[0] != "HTTP/1.1 "+c.status {
			t.Errorf("%s = %s, want %s: %s", c.line, head[0], c.status, body)
		}
		length := c.length
		if strings.HasSuffix(length, "*") {
			length = ""
			if i := slices.IndexFunc(head, func(s string) bool { return strings.HasPrefix(s, "Content-Length: ") }); i < 0 {
				t.Errorf("%s has no Content-Length", c.line)
			}
		} else if length == "" && strings.Contains(strings.Join(head, "\n"), "Content-Length") {
			t.Errorf("%s has the head %q, want no Content-Length", c.line, head)
		}
		for _, want := range []string{"Server: AliyunMQS", "Content-Type: text/xml;charset=utf-8", "x-mns-version: 2015-06-06", "x-mns-response-format: xml", "x-mns-account-type: ", length} {
			if want != "" && !slices.Contains(head, want) {
				t.Errorf("%s has the head %q, want %q", c.line, head, want)
			}
		}
		if strings.Contains(strings.Join(head, "\n"), "Transfer-Encoding") {
			t.Errorf("%s is chunked", c.line)
		}
	}
}

func TestConnectionIsUsedAgainAfterErrors(t *testing.T) {
	l := newLab(t)
	server := httptest.NewServer(l.handler)
	defer server.Close()
	const request = "POST /queues/none/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n<Message>"
	const last = "GET /queues/none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	head, rest := exchange(t, server.Listener.Addr().String(), request+request+last)
	if got := strings.Count(strings.Join(head, "\n")+rest, "HTTP/1.1 400") + strings.Count(rest, "HTTP/1.1 404"); got != 3 {
		t.Errorf("3 requests on one connection have %d answers: %q %q", got, head, rest)
	}
}

func TestInternalErrorsAreReportedAndKeptSecret(t *testing.T) {
	l := newLab(t)
	if err := l.engine.Close(); err != nil {
		t.Fatalf("Close = %v", err)
	}
	l.do("GET", "/queues/q", "").wantError(500, "InternalError", "Interal error.")
	if len(l.faults) != 1 {
		t.Errorf("faults = %v, want 1", l.faults)
	}
	l.faults = nil
}

func TestFailAnswersWithoutACall(t *testing.T) {
	l := newLab(t)
	w := httptest.NewRecorder()
	XML(l.site).Fail(w, &protocols.Call{Request: httptest.NewRequest("GET", "/", nil)}, errors.New("a panic in Decode"))
	if id := w.Header()["x-mns-request-id"]; w.Code != 500 || len(id) != 1 || len(id[0]) != 24 {
		t.Errorf("Fail(no call) = %d with the request id %q", w.Code, id)
	}
}

func TestBodyShorterThanItSays(t *testing.T) {
	l := newLab(t)
	r := httptest.NewRequest("POST", "/queues/q/messages", strings.NewReader("<Message>"))
	r.ContentLength = 100
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "MalformedXML") {
		t.Errorf("a cut body = %d %s", w.Code, w.Body)
	}
}

// FuzzRequest sends any request to a dialect with one queue and one message: nothing panics, nothing is the server's
// fault, and every body is XML.
func FuzzRequest(f *testing.F) {
	for _, c := range [][3]string{
		{"PUT", "/queues/q", "<Queue><DelaySeconds>1</DelaySeconds></Queue>"},
		{"PUT", "/queues/q?metaoverride=true", "<Queue/>"},
		{"GET", "/queues/q/messages?numOfMessages=16&waitseconds=0", ""},
		{"GET", "/queues/q/messages?peekonly=true", ""},
		{"POST", "/queues/q/messages", "<Messages><Message><MessageBody>x</MessageBody></Message></Messages>"},
		{"POST", "/queues/q/messages", message("&#1;")},
		{"DELETE", "/queues/q/messages?ReceiptHandle=a+b", ""},
		{"DELETE", "/queues/q/messages", handles("a", "b")},
		{"PUT", "/queues/q/messages?ReceiptHandle=a&VisibilityTimeout=1", ""},
		{"GET", "/queues", ""},
		{"DELETE", "/queues/%2F", ""},
		{"GET", "/?accountmeta=true", ""},
		{"PUT", "/topics/t", "<Topic><MaximumMessageSize>1024</MaximumMessageSize></Topic>"},
		{"POST", "/topics/t/messages", "<Message><MessageBody>x</MessageBody><MessageTag>y</MessageTag><MessageAttributes><Push>{}</Push></MessageAttributes></Message>"},
		{"PUT", "/topics/t/subscriptions/s", "<Subscription>" + toQueue("q", "JSON") + "</Subscription>"},
		{"PUT", "/topics/t/subscriptions/s", "<Subscription><Endpoint>http://[::1]/%2F</Endpoint></Subscription>"},
	} {
		f.Add(c[0], c[1], c[2])
	}
	f.Fuzz(func(t *testing.T, method, target, body string) {
		if !strings.HasPrefix(target, "/") || strings.Contains(target, "waitseconds=") && !strings.Contains(target, "waitseconds=0") {
			t.Skip()
		}
		r, err := http.NewRequest(method, "http://"+labHost+target, strings.NewReader(body))
		if err != nil {
			t.Skip()
		}
		l := newLab(t) // fails for faults
		l.create("q", "")
		l.send("q", "x")
		l.createTopic("t", toQueue("q", "XML"))
		w := httptest.NewRecorder()
		l.handler.ServeHTTP(w, r)
		if w.Body.Len() > 0 {
			if _, err := readTree(w.Body.String()); err != nil {
				t.Errorf("%s %s %q = %d %q", method, target, body, w.Code, w.Body)
			}
		}
	})
}
