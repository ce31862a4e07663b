package mns

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// fifo makes a FIFO topic and FIFO queues, as the configuration does: this API has no words for either.
func (l *lab) fifo(topic string, queues ...string) {
	l.t.Helper()
	broker, ns := l.engine.Under(rules), l.site.SQS.Namespace()
	key := core.TopicKey{Namespace: ns, Name: core.TopicName(topic)}
	if _, _, err := broker.CreateTopic(l.t.Context(), key, core.TopicPatch{FIFO: new(true)}); err != nil {
		l.t.Fatalf("CreateTopic = %v", err)
	}
	for _, q := range queues {
		if _, _, err := broker.Create(l.t.Context(), core.QueueKey{Namespace: ns, Name: core.QueueName(q)}, core.Patch{FIFO: new(true)}, nil); err != nil {
			l.t.Fatalf("Create = %v", err)
		}
	}
}

func grouped(body, group string) string {
	return "<MessageBody>" + body + "</MessageBody><MessageGroupId>" + group + "</MessageGroupId>"
}

func TestFIFOTopicNeedsGroups(t *testing.T) {
	l := newLab(t)
	l.fifo("t")
	for _, body := range []string{message("x"), "<Message>" + grouped("x", "") + "</Message>"} {
		l.do("POST", "/topics/t/messages", body).wantError(400, "FifoMissingMessageGroupId", "MessageGroupId is required for a fifo topic.")
	}
	l.publish("t", grouped("x", "g"))
	got := l.do("POST", "/topics/t/messages", `{"MessageBody":"x"}`, "x-mns-version", jsonVersion).want(400)
	if !strings.Contains(got.body, `"FifoMissingMessageGroupId"`) {
		t.Errorf("PublishMessage = %s, want FifoMissingMessageGroupId", got.body)
	}
	l.do("POST", "/topics/t/messages", `{"MessageBody":"x","MessageGroupId":"g"}`, "x-mns-version", jsonVersion).want(201)
}

func TestFIFOTopicIsNotShownAsOne(t *testing.T) {
	l := newLab(t)
	l.fifo("t")
	l.do("PUT", "/topics/t", "").want(204) // it is what this API can say of it
	got := names(l.do("GET", "/topics/t", "").want(200).root())
	if want := "TopicName CreateTime LastModifyTime MaximumMessageSize MessageRetentionPeriod MessageCount LoggingEnabled"; got != want {
		t.Errorf("GetTopicAttributes shows %s, want %s", got, want)
	}
}

func TestFIFOTopicTakesNoOtherSubscribersThanFIFOQueues(t *testing.T) {
	l := newLab(t)
	l.fifo("t", "steps")
	l.create("plain", "")
	l.subscribe("t", "s", toQueue("steps", "SIMPLIFIED"))
	for _, elements := range []string{
		toQueue("plain", "XML"), "<Endpoint>http://localhost/</Endpoint>", "<Endpoint>sms:directsms:anonymous</Endpoint>", "<Endpoint>mail:directmail:a@b.example</Endpoint>",
	} {
		l.do("PUT", "/topics/t/subscriptions/x", "<Subscription>"+elements+"</Subscription>").
			wantError(400, "EndpointInvalid", "The endpoint you provided is invalid.")
	}
}

func TestFIFOTopicPushesGroupsInOrder(t *testing.T) {
	l := newLab(t)
	l.fifo("t", "steps")
	l.subscribe("t", "s", toQueue("steps", "SIMPLIFIED"))
	l.publish("t", grouped("a1", "a"))
	l.publish("t", grouped("a2", "a"))
	l.do("POST", "/topics/t/messages", `{"MessageBody":"b1","MessageGroupId":"b"}`, "x-mns-version", jsonVersion).want(201)
	first := ""
	for _, want := range []string{"a:a1", "b:b1", "", "a:a2"} {
		if want == "" { // both groups are closed, until the message in flight is deleted
			l.empty("steps")
			l.do("DELETE", "/queues/steps/messages?ReceiptHandle="+first, "").want(204)
			continue
		}
		m := l.do("GET", "/queues/steps/messages", "").want(200)
		if got := m.text("MessageGroupId") + ":" + m.text("MessageBody"); got != want {
			t.Errorf("ReceiveMessage = %s, want %s", got, want)
		}
		if first == "" {
			first = m.text("ReceiptHandle")
		}
	}
}

// A group of a standard topic reaches standard queues with the message, where it stands for a tenant.
func TestGroupOfAStandardTopicReachesItsQueues(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	l.createTopic("t", toQueue("q", "SIMPLIFIED"))
	l.publish("t", grouped("x", "g"))
	if got := l.do("GET", "/queues/q/messages", "").want(200); got.text("MessageGroupId") != "g" {
		t.Errorf("ReceiveMessage = %s, want the group g", got.body)
	}
}

// A receive that finds only tenants over their limit is like one of an empty queue, and the next second is theirs.
func TestTenantLimitHoldsMessagesBack(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	key := core.QueueKey{Namespace: l.site.SQS.Namespace(), Name: "q"}
	err := l.engine.Under(rules).Amend(t.Context(), key, func(core.QueueInfo) (core.Patch, error) { return core.Patch{TenantRate: new(2)}, nil })
	if err != nil {
		t.Fatalf("Amend = %v", err)
	}
	for i := range 3 {
		l.do("POST", "/queues/q/messages", "<Message>"+grouped(fmt.Sprint("a", i), "a")+"</Message>").want(201)
	}
	l.do("GET", "/queues/q/messages?numOfMessages=1", "").want(200)
	l.do("GET", "/queues/q/messages?numOfMessages=16", "").want(200)
	l.empty("q")
	if got := l.do("GET", "/queues/q/messages?peekonly=true", "").want(200).text("MessageBody"); got != "a2" {
		t.Errorf("PeekMessage = %s, want a2", got)
	}
	if got := l.do("GET", "/queues/q", "").want(200).text("ActiveMessages"); got != "1" {
		t.Errorf("ActiveMessages = %s, want 1", got)
	}
	l.do("PUT", "/queues/q", "").want(204) // it is what this API can say of it
	l.clock.Advance(time.Second)
	l.receive("q")
}

func TestNamesRestUnderStrictRules(t *testing.T) {
	l := newLab(t, func(s *protocols.Site) { s.Strict = true })
	for _, c := range []struct{ target, code, text string }{
		{"/queues/x", "QueueDeletedRecently", "The queue you want to create is deleted recently."},
		{"/topics/x", "TopicDeletedRecently", "The topic you want to create is deleted recently."},
	} {
		l.do("PUT", c.target, "").want(201)
		l.do("DELETE", c.target, "").want(204)
		l.clock.Advance(recreateWait - time.Millisecond)
		l.do("PUT", c.target, "").wantError(400, c.code, c.text)
		l.clock.Advance(time.Millisecond)
		l.do("PUT", c.target, "").want(201)
	}
}
