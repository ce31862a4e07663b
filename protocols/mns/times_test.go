package mns

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/protocols"
)

// timeFields are the elements and members that hold a time.
var timeFields = regexp.MustCompile(`(CreateTime|LastModifyTime|EnqueueTime|FirstDequeueTime|NextVisibleTime|PublishTime)(?:\\?"?[:>]\\?"?)(\d+)`)

// timesIn returns the times of a body, each as the name and what it is: s, ms or us after labTime.
func timesIn(t *testing.T, body string) string {
	t.Helper()
	var all []string
	for _, m := range timeFields.FindAllStringSubmatch(body, -1) {
		unit := map[int]string{10: "s", 13: "ms", 16: "us"}[len(m[2])]
		since, known := map[string]time.Duration{"s": time.Second, "ms": time.Millisecond, "us": time.Microsecond}[unit]
		n, ok := parseNumber(m[2])
		if !known || !ok {
			t.Fatalf("%s is %s, of no known unit", m[1], m[2])
		}
		at := time.Unix(0, n*int64(since))
		all = append(all, m[1]+" "+unit+" "+at.Sub(labTime.Truncate(since)).String())
	}
	return strings.Join(all, ", ")
}

// Every operation that answers a time, in all its units: seconds for what is there for long, milliseconds for messages,
// and the microseconds that the visibility change can be set to and nothing else follows.
func TestTimesOfEveryOperation(t *testing.T) {
	for _, micro := range []bool{false, true} {
		l := newLab(t, func(s *protocols.Site) { s.MicrosecondVisibleTime = micro })
		l.create("q", "")
		l.createTopic("t", toQueue("q", "JSON"))
		l.clock.Advance(time.Second)
		l.do("PUT", "/queues/q?metaoverride=true", "<Queue/>").want(204)
		l.do("PUT", "/topics/t?metaoverride=true", "<Topic/>").want(204)
		l.do("PUT", "/topics/t/subscriptions/s0?metaoverride=true", "<Subscription/>").want(204)
		l.clock.Advance(7 * time.Millisecond)
		l.publish("t", "<MessageBody>x</MessageBody>")
		l.send("q", "y")
		l.send("q", "z")
		const resource = "CreateTime s 0s, LastModifyTime s 1s"
		const sent = "EnqueueTime ms 1.007s, FirstDequeueTime ms "
		const received = sent + "1.017s, NextVisibleTime ms 31.017s"
		check := func(operation, method, target, want string, headers ...string) *answer {
			t.Helper()
			got := l.do(method, target, "", headers...).want(200)
			if times := timesIn(t, got.body); times != want {
				t.Errorf("microseconds %v: %s answers %s\nwant %s", micro, operation, times, want)
			}
			return got
		}
		version := []string{"x-mns-version", jsonVersion}
		check("GetQueueAttributes", "GET", "/queues/q", resource)
		check("ListQueue", "GET", "/queues", resource, "x-mns-with-meta", "true")
		check("GetTopicAttributes", "GET", "/topics/t", resource)
		check("ListTopic", "GET", "/topics", resource, "x-mns-with-meta", "true")
		check("GetSubscriptionAttributes", "GET", "/topics/t/subscriptions/s0", resource)
		l.clock.Advance(10 * time.Millisecond)
		check("PeekMessage", "GET", "/queues/q/messages?peekonly=true", "PublishTime ms 1.007s, "+sent+"1.007s")
		check("BatchPeekMessage in JSON", "GET", "/queues/q/messages?peekonly=true&numOfMessages=1", "PublishTime ms 1.007s, "+sent+"1.007s", version...)
		check("ReceiveMessage", "GET", "/queues/q/messages", "PublishTime ms 1.007s, "+received)
		handle := check("BatchReceiveMessage", "GET", "/queues/q/messages?numOfMessages=1", received).text("Message/ReceiptHandle")
		check("BatchReceiveMessage in JSON", "GET", "/queues/q/messages?numOfMessages=1", received, version...)
		change := "NextVisibleTime ms 5.017s"
		if micro {
			change = "NextVisibleTime us 5.017s"
		}
		check("ChangeMessageVisibility", "PUT", "/queues/q/messages?VisibilityTimeout=4&ReceiptHandle="+handle, change)
	}
}
