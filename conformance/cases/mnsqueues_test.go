package cases_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestNoMessageIsAnErrorOfMNS(t *testing.T) {
	each(t, "K56", onlyMNS, func(c *client) {
		c.made("q", nil)
		for _, query := range []string{"?waitseconds=0", "", "?numOfMessages=16", "?numOfMessages=1&waitseconds=0", "?peekonly=true", "?peekonly=true&numOfMessages=3"} {
			c.must(c.wire.(mns).call(http.MethodGet, "/queues/q/messages"+query, ""), mnsGone)
		}
	})
}

// The Go client sends 0 for a priority that was not set; the service's answer to it is quoted in a thread.
func TestPriorityIsFromOneToSixteenAndEightByDefault(t *testing.T) {
	each(t, "K57", onlyMNS, func(c *client) {
		c.made("q", nil)
		for _, bad := range []int{0, 17, -1} {
			c.must(c.send("q", sending{body: "x", priority: new(bad)}), "400 InvalidArgument: The value of Priority should between 1 and 16.")
		}
		c.counts("q", "0/0/0")
		c.sends("q", "default")
		c.must(c.send("q", sending{body: "last", priority: new(16)}), "201")
		c.must(c.send("q", sending{body: "first", priority: new(1)}), "201")
		c.must(c.send("q", sending{body: "eight", priority: new(8)}), "201")
		c.restart()
		for _, want := range []string{"first 1", "default 8", "eight 8", "last 16"} {
			m := c.take("q")
			c.same("received", m.body+" "+m.fields["Priority"], want)
		}
	})
}

// Not recorded: names in another case are taken, as two official clients send both spellings of two of them.
func TestNamesInQueryStringsAreKnown(t *testing.T) {
	each(t, "K58", onlyMNS, func(c *client) {
		c.made("q", nil)
		get := func(query string) reply { return c.wire.(mns).call(http.MethodGet, "/queues/q/messages?"+query, "") }
		c.sends("q", "m")
		c.must(get("waitseconds=10&numOfMessages=5"), "200")
		c.must(get("WaitSeconds=0&NumOfMessages=5"), mnsGone)
		for _, name := range []string{"wait", "MaxNumberOfMessages", "x"} {
			c.must(get(name+"=1"), "400 InvalidQueryString: Http request URL contains invalid querystring item \""+name+"\".")
		}
		marked(c.t, "protocols/mns/query.go", "var queryNames")
	})
}

// subscribed makes the topic t with the queue q subscribed to it in a form.
func (c *client) subscribed(form string) {
	c.t.Helper()
	m := c.wire.(mns)
	c.topic("t")
	c.made("q", nil)
	c.must(m.call(http.MethodPut, "/topics/t/subscriptions/s", tag("Subscription",
		tag("Endpoint", "acs:mns:cn-hangzhou:1234567890123456:queues/q")+tag("NotifyContentFormat", form))), "201")
}

func (c *client) publish(body string) sent {
	c.t.Helper()
	r := c.wire.(mns).call(http.MethodPost, "/topics/t/messages", tag("Message", tag("MessageBody", escaped(body))))
	c.must(r, "201")
	doc, _ := parseXML(r.body)
	got := mnsSent(doc).sent
	got.reply = r
	return got
}

func TestPublishedBodyIsNeitherEncodedNorDecoded(t *testing.T) {
	each(t, "K59", onlyMNS, func(c *client) {
		c.subscribed("SIMPLIFIED")
		for _, body := range []string{"hello world", "aGVsbG8gd29ybGQ=", "中文<&>"} {
			c.publish(body)
			c.restart()
			m := c.take("q")
			c.same("body", m.body, body)
			c.ok(c.remove("q", m.handle))
		}
	})
}

func TestQueueTellsNewFromSameFromDifferent(t *testing.T) {
	each(t, "K60", onlyMNS, func(c *client) {
		c.must(c.create("q", map[string]string{"ReceiveMessageWaitTimeSeconds": "15"}), "201")
		c.restart()
		same := c.create("q", map[string]string{"ReceiveMessageWaitTimeSeconds": "15"})
		c.must(same, "204")
		c.same("Location", same.header.Get("Location"), "http://"+mnsHost+"/queues/q")
		c.must(c.create("q", map[string]string{"ReceiveMessageWaitTimeSeconds": "15", "DelaySeconds": "30"}), "409 QueueAlreadyExist: The queue you want to create is already exist.")
		for range 2 {
			c.must(c.drop("q"), "204")
			c.restart()
		}
		_, r := c.settings("q")
		c.must(r, c.noQueue())
	})
}

func TestPublishedMessageArrivesAsRecorded(t *testing.T) {
	each(t, "K61", onlyMNS, func(c *client) {
		c.subscribed("JSON")
		published := c.publish("hello world")
		for name, want := range map[string]string{"Server": "AliyunMQS", "Content-Type": "text/xml;charset=utf-8"} {
			c.same(name, published.header.Get(name), want)
		}
		c.same("digest of what was published", published.md5, "5EB63BBBE01EEED093CB22BB8F5ACDC3")
		failsIf(c.t, len(published.id) != 32 || strings.ToUpper(published.id) != published.id, "MessageId is %s", published.id)
		at := c.millis()
		c.restart()
		c.after(1)
		m := c.take("q")
		c.same("body", m.body, fmt.Sprintf(`{"TopicOwner":"1234567890123456","Message":"hello world","Subscriber":"1234567890123456","PublishTime":"%d",`+
			`"SubscriptionName":"s","MessageMD5":"5EB63BBBE01EEED093CB22BB8F5ACDC3","TopicName":"t","MessageId":"%s"}`, at, published.id))
		c.same("elements", m.names, "[MessageId MessageBodyMD5 MessageBody ReceiptHandle EnqueueTime FirstDequeueTime NextVisibleTime DequeueCount Priority]")
		for name, want := range map[string]any{
			"EnqueueTime": at, "FirstDequeueTime": at + 1000, "NextVisibleTime": at + 31_000, "DequeueCount": 1, "Priority": 8,
		} {
			c.same(name, m.fields[name], want)
		}
		if m.id == published.id {
			c.t.Errorf("the message of the queue has the id %s of the published one", m.id)
		}
		c.must(c.remove("q", m.handle), "204")
	})
}

func TestOneReceiveIsOfOneMessage(t *testing.T) {
	each(t, "K62", everywhere, func(c *client) {
		c.made("q", nil)
		first := c.send("q", sending{body: "hello world"})
		c.same("digest", first.md5, c.say("5eb63bbbe01eeed093cb22bb8f5acdc3", "5EB63BBBE01EEED093CB22BB8F5ACDC3"))
		c.sends("q", "b")
		got := c.receive("q", asking{})
		c.same("received", got.messages, "[hello world]")
		c.counts("q", "1/1/0")
		if c.protocol == mnsXML {
			left := c.receive("q", asking{peek: true, max: new(16)})
			c.same("left", left.messages, "[b]")
			c.same("DequeueCount of what is left", left.messages[0].receiveCount(), 0)
		}
		c.after(30)
		c.restart()
		again := c.takes("q", 2)
		c.same("received again", again, "[b hello world]")
		if again[1].handle == got.messages[0].handle || again[1].id != first.id {
			c.t.Errorf("%s: a second receive gave the handle %s and the id %s again", c.protocol, again[1].handle, again[1].id)
		}
		c.must(c.receive("nope", asking{}), c.noQueue())
	})
}

// Not recorded for MNS: what XML cannot carry is no well-formed request. SQS refuses it as well (validated), so nobody
// can store what others cannot read.
func TestForbiddenCharactersAreRefusedWhenSent(t *testing.T) {
	each(t, "K63", onlyMNS, func(c *client) {
		c.made("q", nil)
		for _, bad := range []string{"\x01", "&#1;", "&#x0;", "\uffff", "\xff", "&#xFFFE;", "\x1b[0m"} {
			c.must(c.wire.(mns).call(http.MethodPost, "/queues/q/messages", tag("Message", tag("MessageBody", "a"+bad))),
				"400 MalformedXML: The XML you provided was not well-formed.")
		}
		c.counts("q", "0/0/0")
		marked(c.t, "protocols/mns/xmlread.go", "Receivers once got some")
	})
	each(t, "K63", onlySQS, func(c *client) {
		c.made("q", nil)
		for _, bad := range []string{"\x00", "\x01", "\x08", "\x13", "\uffff", "\ufffe"} {
			c.must(c.send("q", sending{body: "a" + bad}),
				"400 InvalidMessageContents: Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF")
		}
		c.counts("q", "0/0/0")
	})
}

func TestDigestIsOfTheBodyAsItWasSent(t *testing.T) {
	each(t, "K64", onlyMNS, func(c *client) {
		c.made("q", nil)
		for body, want := range map[string]string{
			"5Lit5paHPCY+": "B1CD11B9C677E413620F10D834EA88CC", // base64 of the next one, as the Java client sends it
			"中文<&>":        "4F8EC04C380CD87AF44F2FEFA8B0F625",
		} {
			c.same("digest when sent", c.send("q", sending{body: body}).md5, want)
			c.restart()
			m := c.take("q")
			c.same("body", m.body, body)
			c.same("digest when received", m.md5, want)
		}
	})
}

// The status is documented for MNS and recorded of a sister product.
func TestBatchDeleteNamesTheHandlesThatFailed(t *testing.T) {
	each(t, "K65", everywhere, func(c *client) {
		c.made("q", nil)
		c.sends("q", "a", "b", "c")
		got := c.takes("q", 3)
		c.restart()
		answer := c.removeBatch("q", got[0].handle, "fake", got[2].handle)
		c.must(answer, c.say("200", "404"))
		c.same("entries", answer.entries, c.say(
			`[ok ReceiptHandleIsInvalid: The input receipt handle "fake" is not a valid receipt handle. ok]`,
			"[ok ReceiptHandleError: The receipt handle you provide is not valid. ok]"))
		c.counts("q", "0/1/0")
		c.must(c.removeBatch("q", got[1].handle), c.say("200", "204"))
		c.restart()
		c.counts("q", "0/0/0")
	})
}
