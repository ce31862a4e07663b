package mns

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

func TestMessageLife(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	sent := l.send("q", "hello world")
	if got := names(sent.root()); sent.root().name != "Message" || got != "MessageId MessageBodyMD5" {
		t.Errorf("SendMessage answers %s with %s", sent.root().name, got)
	}
	id := sent.text("MessageId")
	if !regexp.MustCompile(`^[0-9A-F]{32}$`).MatchString(id) {
		t.Errorf("MessageId = %q", id)
	}
	l.clock.Advance(1008 * time.Millisecond)
	got := l.do("GET", "/queues/q/messages?waitseconds=10", "").want(200)
	handle := got.text("ReceiptHandle")
	want := `<?xml version="1.0" ?>
<Message xmlns="http://mns.aliyuncs.com/doc/v1">
  <MessageId>` + id + `</MessageId>
  <MessageBodyMD5>5EB63BBBE01EEED093CB22BB8F5ACDC3</MessageBodyMD5>
  <MessageBody>hello world</MessageBody>
  <ReceiptHandle>` + handle + `</ReceiptHandle>
  <EnqueueTime>1790299683992</EnqueueTime>
  <FirstDequeueTime>1790299685000</FirstDequeueTime>
  <NextVisibleTime>1790299715000</NextVisibleTime>
  <DequeueCount>1</DequeueCount>
  <Priority>8</Priority>
</Message>`
	if got.body != want {
		t.Errorf("ReceiveMessage = %s\nwant %s", got.body, want)
	}
	l.empty("q")
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+handle, "").want(204)
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+handle, "").wantError(404, "MessageNotExist", "Message not exist.")
}

func TestReceiveHidesMessageUntilTimeout(t *testing.T) {
	l := newLab(t)
	l.create("q", "<VisibilityTimeout>5</VisibilityTimeout>")
	l.send("q", "x")
	first := l.receive("q")
	l.clock.Advance(5*time.Second - time.Millisecond)
	l.empty("q")
	l.clock.Advance(time.Millisecond)
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+first, "").wantError(404, "MessageNotExist", "Message not exist.")
	again := l.do("GET", "/queues/q/messages", "").want(200)
	if again.text("DequeueCount") != "2" || again.text("FirstDequeueTime") != "1790299683992" || again.text("NextVisibleTime") != "1790299693992" {
		t.Errorf("the second receive is %s", again.body)
	}
	if again.text("ReceiptHandle") == first {
		t.Error("the second receive has the handle of the first")
	}
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+first, "").wantError(404, "MessageNotExist", "Message not exist.")
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+again.text("ReceiptHandle"), "").want(204)
}

func TestNoMessageIsAnErrorForEveryWayToAsk(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for _, query := range []string{"", "?waitseconds=0", "?numOfMessages=16", "?peekonly=true", "?peekonly=true&numOfMessages=3"} {
		l.do("GET", "/queues/q/messages"+query, "").wantError(404, "MessageNotExist", "Message not exist.")
		l.do("GET", "/queues/none/messages"+query, "").wantError(404, "QueueNotExist", "The queue name you provided is not exist.")
	}
}

func TestPriority(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for _, bad := range []string{"0", "17", "-1"} {
		l.do("POST", "/queues/q/messages", "<Message><MessageBody>x</MessageBody><Priority>"+bad+"</Priority></Message>").
			wantError(400, "InvalidArgument", "The value of Priority should between 1 and 16.")
	}
	l.empty("q")
	l.send("q", "middle")
	for priority, body := range map[string]string{"16": "last", "1": "first"} {
		l.do("POST", "/queues/q/messages", "<Message><MessageBody>"+body+"</MessageBody><Priority>"+priority+"</Priority></Message>").want(201)
	}
	for _, want := range []string{"first 1", "middle 8", "last 16"} {
		a := l.do("GET", "/queues/q/messages", "").want(200)
		if got := a.text("MessageBody") + " " + a.text("Priority"); got != want {
			t.Errorf("ReceiveMessage = %s, want %s", got, want)
		}
	}
}

func TestQueryNamesInAnyCase(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for range 4 {
		l.send("q", "x")
	}
	l.do("GET", "/queues/q/messages?WaitSeconds=0&NumOfMessages=2", "").want(200)
	l.do("GET", "/queues/q/messages?PeekOnly=True", "").want(200)
	handle := l.receive("q")
	changed := l.do("PUT", "/queues/q/messages?receiptHandle="+handle+"&visibilityTimeout=60", "").want(200)
	l.do("DELETE", "/queues/q/messages?receipthandle="+changed.text("ReceiptHandle"), "").want(204)
	l.do("GET", "/queues/q/messages?Wait=10", "").wantError(400, "InvalidQueryString", `Http request URL contains invalid querystring item "Wait".`)
}

func TestPeekChangesNothing(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	sent := l.send("q", "a")
	l.send("q", "b")
	l.clock.Advance(time.Second)
	peeked := l.do("GET", "/queues/q/messages?peekonly=true", "").want(200)
	want := `<?xml version="1.0" ?>
<Message xmlns="http://mns.aliyuncs.com/doc/v1">
  <MessageId>` + sent.text("MessageId") + `</MessageId>
  <MessageBodyMD5>0CC175B9C0F1B6A831C399E269772661</MessageBodyMD5>
  <MessageBody>a</MessageBody>
  <EnqueueTime>1790299683992</EnqueueTime>
  <FirstDequeueTime>1790299683992</FirstDequeueTime>
  <DequeueCount>0</DequeueCount>
  <Priority>8</Priority>
</Message>`
	if peeked.body != want {
		t.Errorf("PeekMessage = %s\nwant %s", peeked.body, want)
	}
	l.receive("q")
	batch := l.do("GET", "/queues/q/messages?peekonly=true&numOfMessages=16", "").want(200)
	if got := names(batch.root()); got != "Message" || batch.text("Message/MessageBody") != "b" || batch.text("Message/DequeueCount") != "0" {
		t.Errorf("BatchPeekMessage after a receive = %s", batch.body)
	}
	a := l.do("GET", "/queues/q", "")
	if a.text("ActiveMessages") != "1" || a.text("InactiveMessages") != "1" {
		t.Errorf("GetQueueAttributes = %s", a.body)
	}
}

func TestDelayedMessageHasAHandle(t *testing.T) {
	l := newLab(t)
	l.create("q", "<DelaySeconds>10</DelaySeconds>")
	first := l.send("q", "x")
	if got := names(first.root()); got != "MessageId MessageBodyMD5 ReceiptHandle" {
		t.Errorf("SendMessage with a delay answers with %s", got)
	}
	l.empty("q")
	if got := l.do("GET", "/queues/q", "").text("DelayMessages"); got != "1" {
		t.Errorf("DelayMessages = %s, want 1", got)
	}
	// A delay of its own wins over the queue's, also when it is 0.
	now := l.do("POST", "/queues/q/messages", "<Message><MessageBody>y</MessageBody><DelaySeconds>0</DelaySeconds></Message>").want(201)
	if got := names(now.root()); got != "MessageId MessageBodyMD5" {
		t.Errorf("SendMessage without a delay answers with %s", got)
	}
	l.receive("q")
	changed := l.do("PUT", "/queues/q/messages?VisibilityTimeout=60&ReceiptHandle="+first.text("ReceiptHandle"), "").want(200)
	if got := changed.text("NextVisibleTime"); got != "1790299743992" {
		t.Errorf("NextVisibleTime = %s, want 1790299743992", got)
	}
	l.clock.Advance(30 * time.Second)
	l.receive("q") // y again
	l.empty("q")
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+changed.text("ReceiptHandle"), "").want(204)
	if got := l.do("GET", "/queues/q", "").text("DelayMessages"); got != "0" {
		t.Errorf("DelayMessages = %s, want 0", got)
	}
}

func TestChangeVisibilityGivesANewHandle(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	l.send("q", "x")
	old := l.receive("q")
	l.clock.Advance(10 * time.Second)
	a := l.do("PUT", "/queues/q/messages?ReceiptHandle="+old+"&VisibilityTimeout=5", "").want(200)
	fresh := a.text("ReceiptHandle")
	want := "<?xml version=\"1.0\" ?>\n<ChangeVisibility xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n  <ReceiptHandle>" + fresh +
		"</ReceiptHandle>\n  <NextVisibleTime>1790299698992</NextVisibleTime>\n</ChangeVisibility>"
	if a.body != want {
		t.Errorf("ChangeMessageVisibility = %s\nwant %s", a.body, want)
	}
	if fresh == old || fresh[:idSize] != old[:idSize] {
		t.Errorf("the new handle is %q, the old one was %q", fresh, old)
	}
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+old, "").wantError(404, "MessageNotExist", "Message not exist.")
	l.do("PUT", "/queues/q/messages?VisibilityTimeout=5&ReceiptHandle="+old, "").wantError(404, "MessageNotExist", "Message not exist.")
	for _, bad := range []string{"0", "43201", "-1", "x", ""} {
		l.do("PUT", "/queues/q/messages?VisibilityTimeout="+bad+"&ReceiptHandle="+fresh, "").
			wantError(400, "InvalidArgument", "The value of VisibilityTimeout should between 1 and 43200 seconds.")
	}
	l.clock.Advance(5 * time.Second)
	if got := l.do("GET", "/queues/q/messages", "").want(200).text("DequeueCount"); got != "2" {
		t.Errorf("DequeueCount = %s, want 2", got)
	}
}

func TestNextVisibleTimeInMicroseconds(t *testing.T) {
	l := newLab(t, func(s *protocols.Site) { s.MicrosecondVisibleTime = true })
	l.create("q", "")
	l.send("q", "x")
	received := l.do("GET", "/queues/q/messages", "").want(200)
	if got := received.text("NextVisibleTime"); got != "1790299713992" {
		t.Errorf("NextVisibleTime of a receive = %s, want milliseconds", got)
	}
	changed := l.do("PUT", "/queues/q/messages?VisibilityTimeout=1&ReceiptHandle="+received.text("ReceiptHandle"), "").want(200)
	if got := changed.text("NextVisibleTime"); got != "1790299684992000" {
		t.Errorf("NextVisibleTime of a change = %s, want microseconds", got)
	}
}

func TestHandlesSurviveEveryWayToSendThem(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for _, escape := range []func(string) string{
		url.QueryEscape, url.PathEscape, func(s string) string { return s },
		func(s string) string { return strings.ReplaceAll(s, "-", "%2D") },
	} {
		l.send("q", "x")
		l.do("DELETE", "/queues/q/messages?ReceiptHandle="+escape(l.receive("q")), "").want(204)
	}
	for _, handle := range []string{
		"AbC+/==", "", "x", "8-BzvT93jFnzuz6zcJz0zhAzcUxr0B2GnZl", "1-ODU4OTkzNDU5My0xNDQ1OTk4Mjc5LTEtOA==",
		"17938B3733FD7FBA7F9F7DA0AEDAABDE-NiAxNzkwMjk5NjgzOTkyIDMwMDAwIDQgMCBzaG1xbmluZTRzbXEtMTEgMCA2fDFyM2NzVA==",
		"17938B3733FD7FBA7F9F7DA0AEDAABDE", "17938B3733FD7FBA7F9F7DA0AEDAABDE-", "%00", "中",
	} {
		l.do("DELETE", "/queues/q/messages?ReceiptHandle="+url.PathEscape(handle), "").
			wantError(400, "ReceiptHandleError", "The receipt handle you provide is not valid.")
		l.do("PUT", "/queues/q/messages?VisibilityTimeout=1&ReceiptHandle="+url.PathEscape(handle), "").
			wantError(400, "ReceiptHandleError", "The receipt handle you provide is not valid.")
	}
}

func TestHandleOfAnotherMessageOrQueueIsInvalid(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	l.create("r", "")
	l.send("q", "x")
	l.send("q", "y")
	a, b := l.receive("q"), l.receive("q")
	for queue, handle := range map[string]string{"q": a[:idSize] + b[idSize:], "r": a} {
		l.do("DELETE", "/queues/"+queue+"/messages?ReceiptHandle="+handle, "").
			wantError(400, "ReceiptHandleError", "The receipt handle you provide is not valid.")
	}
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+a, "").want(204)
}

const noGroup = "MessageGroupId is required for a fifo queue."

func TestFIFOQueueNeedsGroups(t *testing.T) {
	l := newLab(t)
	broker, ns := l.sqs()
	fifo, size := true, 1024
	if _, _, err := broker.Create(t.Context(), core.QueueKey{Namespace: ns, Name: "q.fifo"}, core.Patch{FIFO: &fifo, MaxSize: &size}, nil); err != nil {
		t.Fatalf("Create = %v", err)
	}
	grouped := "<Message><MessageBody>x</MessageBody><MessageGroupId>g</MessageGroupId></Message>"
	l.do("POST", "/queues/q.fifo/messages", message("x")).wantError(400, "FifoMissingMessageGroupId", noGroup)
	l.do("POST", "/queues/q.fifo/messages", "<Messages>"+grouped+message("x")+"</Messages>").
		wantError(400, "FifoMissingMessageGroupId", noGroup)
	l.do("POST", "/queues/q.fifo/messages", "<Message><MessageBody>x</MessageBody><MessageGroupId/></Message>").
		wantError(400, "FifoMissingMessageGroupId", noGroup)
	l.empty("q.fifo")
	for range 2 {
		l.do("POST", "/queues/q.fifo/messages", grouped).want(201)
	}
	a := l.do("GET", "/queues/q.fifo/messages", "").want(200)
	if got := names(a.root()); !strings.HasSuffix(got, "Priority MessageGroupId") || a.text("MessageGroupId") != "g" {
		t.Errorf("ReceiveMessage = %s", a.body)
	}
	l.empty("q.fifo") // the group is closed
	l.do("DELETE", "/queues/q.fifo/messages?ReceiptHandle="+a.text("ReceiptHandle"), "").want(204)
	l.receive("q.fifo")
}

func TestRetentionDropsMessages(t *testing.T) {
	l := newLab(t)
	l.create("q", "<MessageRetentionPeriod>60</MessageRetentionPeriod>")
	l.send("q", "x")
	handle := l.receive("q")
	l.clock.Advance(time.Minute)
	l.empty("q")
	l.do("DELETE", "/queues/q/messages?ReceiptHandle="+handle, "").wantError(404, "MessageNotExist", "Message not exist.")
}

func TestOneReceiveAffectsOneMessage(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	l.send("q", "a")
	l.send("q", "b")
	if got := l.do("GET", "/queues/q/messages", "").want(200).text("MessageBody"); got != "a" {
		t.Errorf("MessageBody = %s, want a", got)
	}
	left := l.do("GET", "/queues/q/messages?peekonly=true&numOfMessages=16", "").want(200)
	if got := fmt.Sprint(names(left.root()), " ", left.text("Message/MessageBody"), " ", left.text("Message/DequeueCount")); got != "Message b 0" {
		t.Errorf("left is %s", got)
	}
}
