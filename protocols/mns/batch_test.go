package mns

import (
	"strings"
	"testing"
	"time"
)

func TestBatchLife(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	sent := l.do("POST", "/queues/q/messages", "<Messages>"+message("a")+message("b")+message("c")+"</Messages>").want(201)
	if got := names(sent.root()); sent.root().name != "Messages" || got != "Message Message Message" {
		t.Fatalf("BatchSendMessage = %s", sent.body)
	}
	got := l.do("GET", "/queues/q/messages?numOfMessages=16&waitseconds=1", "").want(200)
	if got.root().name != "Messages" || names(got.root()) != "Message Message Message" {
		t.Fatalf("BatchReceiveMessage = %s", got.body)
	}
	var all []string
	for i := range got.root().kids {
		all = append(all, textOf(&got.root().kids[i], "ReceiptHandle"))
	}
	l.do("DELETE", "/queues/q/messages", handles(all...)).want(204)
	l.clock.Advance(time.Minute)
	l.empty("q")
	// A batch of one is still a batch.
	l.do("POST", "/queues/q/messages", "<Messages>"+message("a")+"</Messages>").want(201)
	if got := l.do("GET", "/queues/q/messages?numOfMessages=1", "").want(200).root().name; got != "Messages" {
		t.Errorf("a batch of one is %s, want Messages", got)
	}
}

func TestBatchDeleteNamesOnlyWhatFailed(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for range 3 {
		l.send("q", "x")
	}
	a, b, stale := l.receive("q"), l.receive("q"), l.receive("q")
	l.do("PUT", "/queues/q/messages?VisibilityTimeout=1&ReceiptHandle="+stale, "").want(200)
	failed := l.do("DELETE", "/queues/q/messages", handles(a, "fake", b, stale)).want(404)
	want := `<?xml version="1.0" ?>
<Errors xmlns="http://mns.aliyuncs.com/doc/v1">
  <Error>
    <ErrorCode>ReceiptHandleError</ErrorCode>
    <ErrorMessage>The receipt handle you provide is not valid.</ErrorMessage>
    <ReceiptHandle>fake</ReceiptHandle>
  </Error>
  <Error>
    <ErrorCode>MessageNotExist</ErrorCode>
    <ErrorMessage>Message not exist.</ErrorMessage>
    <ReceiptHandle>` + stale + `</ReceiptHandle>
  </Error>
</Errors>`
	if failed.body != want {
		t.Errorf("BatchDeleteMessage = %s\nwant %s", failed.body, want)
	}
	attributes := l.do("GET", "/queues/q", "")
	if got := attributes.text("InactiveMessages") + attributes.text("ActiveMessages"); got != "10" {
		t.Errorf("InactiveMessages, ActiveMessages = %s, want one left", got)
	}
}

func TestBatchSendReportsTheMessageThatFailed(t *testing.T) {
	l := newLab(t)
	l.create("q", "<MaximumMessageSize>1024</MaximumMessageSize>")
	a := l.do("POST", "/queues/q/messages", "<Messages>"+message("a")+message(strings.Repeat("x", 1025))+message("c")+"</Messages>").want(500)
	if a.root().name != "Messages" || names(a.root()) != "Message Message Message" {
		t.Fatalf("BatchSendMessage = %s", a.body)
	}
	kids := a.root().kids
	if names(&kids[0]) != "MessageId MessageBodyMD5" || names(&kids[1]) != "ErrorCode ErrorMessage" || names(&kids[2]) != "MessageId MessageBodyMD5" {
		t.Errorf("BatchSendMessage = %s", a.body)
	}
	if got := textOf(&kids[1], "ErrorCode") + ": " + textOf(&kids[1], "ErrorMessage"); got != "InvalidArgument: The value of MessageBody should between 1 and 1024 bytes." {
		t.Errorf("the error is %s", got)
	}
	if got := l.do("GET", "/queues/q", "").text("ActiveMessages"); got != "2" {
		t.Errorf("ActiveMessages = %s, want 2", got)
	}
}

func TestLimitsOfSends(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	body := func(n int) string { return strings.Repeat("x", n) }
	batch := func(n, size int) string { return "<Messages>" + strings.Repeat(message(body(size)), n) + "</Messages>" }
	delay := func(s string) string {
		return "<Message><MessageBody>x</MessageBody><DelaySeconds>" + s + "</DelaySeconds></Message>"
	}
	for _, c := range []struct{ name, body, text string }{
		{"over the queue's size", message(body(65537)), "The value of MessageBody should between 1 and 65536 bytes."},
		{"over all sizes", message(body(maxRequest)), "The value of MessageBody should between 1 and 65536 bytes."},
		{"empty", message(""), "The value of MessageBody should between 1 and 65536 bytes."},
		{"delay under its range", delay("-1"), "The value of DelaySeconds should between 0 and 604800 seconds."},
		{"delay over its range", delay("604801"), "The value of DelaySeconds should between 0 and 604800 seconds."},
		{"no messages", "<Messages/>", "The value of Messages should between 1 and 16."},
		{"17 messages", batch(17, 1), "The value of Messages should between 1 and 16."},
		{"messages over 64 KB", batch(16, 4097), "The value of Messages should between 1 and 65536 bytes."},
		{"one of a batch with a bad delay", "<Messages>" + message("x") + delay("604801") + "</Messages>", "The value of DelaySeconds should between 0 and 604800 seconds."},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.do("POST", "/queues/q/messages", c.body).wantError(400, "InvalidArgument", c.text)
		})
	}
	l.empty("q")
	l.do("POST", "/queues/q/messages", message(body(65536))).want(201)
	l.do("POST", "/queues/q/messages", batch(16, 4096)).want(201)
	l.do("POST", "/queues/q/messages", delay("604800")).want(201)
}

func TestLimitsOfReceives(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for _, bad := range []string{"0", "17", "-1", "x", "", "99999999999999999999"} {
		for _, peek := range []string{"", "&peekonly=true"} {
			l.do("GET", "/queues/q/messages?numOfMessages="+bad+peek, "").
				wantError(400, "InvalidArgument", "The value of numOfMessages should between 1 and 16.")
		}
	}
	for _, bad := range []string{"-1", "31", "x", "1.5", ""} {
		for _, number := range []string{"", "&numOfMessages=1"} {
			l.do("GET", "/queues/q/messages?waitseconds="+bad+number, "").
				wantError(400, "InvalidArgument", "The value of waitseconds should between 0 and 30 seconds.")
		}
	}
	for _, bad := range []string{"<ReceiptHandles/>", handles(strings.Split(strings.Repeat("h ", 16)+"h", " ")...)} {
		l.do("DELETE", "/queues/q/messages", bad).wantError(400, "InvalidArgument", "The value of ReceiptHandles should between 1 and 16.")
	}
}
