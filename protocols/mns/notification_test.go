package mns

import (
	"strings"
	"testing"
)

func TestJSONNotificationsAreWrittenAsRecorded(t *testing.T) {
	seen := 0
	for _, r := range recordings(t) {
		if !strings.HasPrefix(r.name, "batch-receive-message-topic-") {
			continue
		}
		seen++
		root, err := readXML(r.body)
		if err != nil {
			t.Fatal(err)
		}
		recorded := textOf(root, "Message/MessageBody")
		b, err := jsonCodec{}.read([]byte(recorded))
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		member := func(name string) string { return textOf(&b.(*jsonBody).element, name) }
		n := notification{
			topicOwner: member("TopicOwner"), topicName: member("TopicName"), subscriber: member("Subscriber"),
			subscription: member("SubscriptionName"), id: member("MessageId"), message: member("Message"),
			md5: member("MessageMD5"), publishTime: member("PublishTime"),
		}
		if got := n.body(formatJSON); got != recorded {
			t.Errorf("%s: body(JSON) = %s\nrecorded %s", r.name, got, recorded)
		}
	}
	if seen != 8 {
		t.Errorf("%d notifications are recorded, want 8", seen)
	}
}

func TestNotificationInEachForm(t *testing.T) {
	n := notification{"1", "t", "2", "s", "ID", `a<"b">` + "\n", "MD5", "tag", "1449556920975"}
	const xml = `<?xml version="1.0" encoding="utf-8"?>
<Notification xmlns="http://mns.aliyuncs.com/doc/v1/">
  <TopicOwner>1</TopicOwner>
  <TopicName>t</TopicName>
  <Subscriber>2</Subscriber>
  <SubscriptionName>s</SubscriptionName>
  <MessageId>ID</MessageId>
  <Message>a&lt;"b"&gt;
</Message>
  <MessageMD5>MD5</MessageMD5>
  <MessageTag>tag</MessageTag>
  <PublishTime>1449556920975</PublishTime>
</Notification>`
	for format, want := range map[string]string{
		formatXML: xml, "": xml, formatSimplified: n.message, formatStream: n.message,
		formatJSON: `{"TopicOwner":"1","Message":"a<\"b\">\n","Subscriber":"2","PublishTime":"1449556920975","SubscriptionName":"s","MessageMD5":"MD5","MessageTag":"tag","TopicName":"t","MessageId":"ID"}`,
	} {
		if got := n.body(format); got != want {
			t.Errorf("body(%q) = %s\nwant %s", format, got, want)
		}
	}
	n.tag = ""
	if got := n.body(formatXML) + n.body(formatJSON); strings.Contains(got, "MessageTag") {
		t.Errorf("without a tag: %s", got)
	}
}

func TestQueueGetsNotifications(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	l.createTopic("t", toQueue("q", formatJSON))
	published := l.publish("t", "<MessageBody>it-ack-test</MessageBody>"+`<UserProperties>
		<PropertyValue><Name>topicoriginated</Name><Value>true</Value><Type>BOOLEAN</Type></PropertyValue>
		<PropertyValue><Name>case</Name><Value>ack</Value><Type>STRING</Type></PropertyValue></UserProperties>
		<SystemProperties><SystemPropertyValue><Name>traceparent</Name><Value>00-1-2-01</Value><Type>STRING</Type></SystemPropertyValue></SystemProperties>`)
	got := l.do("GET", "/queues/q/messages?numOfMessages=1&waitseconds=1", "").want(200)
	want := `{"TopicOwner":"1234567890123456","Message":"it-ack-test","Subscriber":"1234567890123456","PublishTime":"1790299683992","SubscriptionName":"s0","MessageMD5":"` +
		digest("it-ack-test") + `","TopicName":"t","MessageId":"` + published.text("MessageId") + `"}`
	if body := got.text("Message/MessageBody"); body != want {
		t.Errorf("MessageBody = %s\nwant %s", body, want)
	}
	if id := got.text("Message/MessageId"); id == published.text("MessageId") || got.text("Message/MessageBodyMD5") != digest(want) {
		t.Errorf("the message has the id %s of the publication, or another digest: %s", id, got.body)
	}
	if got.text("Message/Priority") != "8" || got.text("Message/SystemProperties/SystemPropertyValue/Value") != "00-1-2-01" {
		t.Errorf("received %s", got.body)
	}
	properties := got.root().last("Message").last("UserProperties").kids
	if len(properties) != 2 || textOf(&properties[0], "Name") != "topicoriginated" || textOf(&properties[1], "Name") != "case" {
		t.Errorf("UserProperties = %+v", properties)
	}
}
