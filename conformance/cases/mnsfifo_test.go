package cases_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sluicemq/sluice"
)

// ordered are a FIFO topic and the FIFO queues that subscribe to it: what MNS makes in its control plane only.
var ordered = sluice.Options{Resources: sluice.Resources{
	Queues:        []sluice.Queue{{Name: "steps", FIFO: true, Namespace: sluice.DefaultMNS}, {Name: "more", FIFO: true, Namespace: sluice.DefaultMNS}},
	Topics:        []sluice.Topic{{Name: "events", FIFO: true}},
	Subscriptions: []sluice.Subscription{{Topic: "events", Name: "a", Queue: "steps", Format: "SIMPLIFIED"}, {Topic: "events", Name: "b", Queue: "more", Format: "SIMPLIFIED"}},
}}

// Documented: within a group the order is that of arrival, and the next message comes once the one before is deleted or
// its timeout is over; groups are independent of each other.
func TestFIFOTopicFeedsItsQueuesInOrder(t *testing.T) {
	eachWith(t, "FIFO topic", onlyMNS, ordered, func(c *client) {
		m := c.wire.(mns)
		for _, body := range strings.Fields("a1 b1 a2 b2 a3") {
			c.must(m.call(http.MethodPost, "/topics/events/messages", tag("Message", tag("MessageBody", body)+tag("MessageGroupId", body[:1]))), "201")
		}
		c.restart()
		for _, queue := range []string{"steps", "more"} {
			a, b := c.take(queue), c.take(queue)
			c.same("received", a.body+a.fields["MessageGroupId"]+" "+b.body+b.fields["MessageGroupId"], "a1a b1b")
			c.must(c.receive(queue, asking{max: new(16)}), mnsGone)
			c.ok(c.remove(queue, b.handle))
			c.same("the next of the other group", c.take(queue).body, "b2")
			c.after(29)
			c.ok(c.change(queue, a.handle, 60).reply)
			c.restart()
			c.after(1)
			again := c.take(queue)
			c.same("received while the first of a group is in flight", again.body, "b2")
			c.ok(c.remove(queue, again.handle))
			c.after(59)
			c.same("received when its timeout is over", c.take(queue).body, "a1")
		}
	})
}

func TestFIFOTopicIsForGroupsAndFIFOQueues(t *testing.T) {
	eachWith(t, "FIFO topic", onlyMNS, ordered, func(c *client) {
		m := c.wire.(mns)
		c.made("plain", nil)
		c.restart()
		for _, elements := range []string{
			tag("Endpoint", "acs:mns:cn-hangzhou:1234567890123456:queues/plain"), tag("Endpoint", "http://127.0.0.1/"), tag("Endpoint", "sms:directsms:anonymous"),
		} {
			c.must(m.call(http.MethodPut, "/topics/events/subscriptions/x", tag("Subscription", elements)), "400 EndpointInvalid: The endpoint you provided is invalid.")
		}
		c.must(m.call(http.MethodPut, "/topics/events/subscriptions/x", tag("Subscription", tag("Endpoint", "acs:mns:cn-hangzhou:1234567890123456:queues/steps"))), "201")
		c.must(m.call(http.MethodPost, "/topics/events/messages", oneMessage), "400 FifoMissingMessageGroupId: MessageGroupId is required for a fifo topic.")
		c.counts("steps", "0/0/0")
		marked(c.t, "protocols/mns/publish.go", "errNoTopicGroup =")
		marked(c.t, "protocols/mns/errors.go", "core.SubscriptionTargetType:")
	})
}

// Documented is the number of receives a second for each tenant, and no more.
func TestTenantsHaveALimitEach(t *testing.T) {
	limited := sluice.Options{Resources: sluice.Resources{Queues: []sluice.Queue{{Name: "q", Namespace: sluice.DefaultMNS, TenantRate: new(2)}}}}
	eachWith(t, "tenants", everywhere, limited, func(c *client) {
		for _, body := range strings.Fields("a1 a2 a3 a4 b1") {
			c.must(c.send("q", sending{body: body, group: new(body[:1])}), c.say("200", "201"))
		}
		c.restart()
		c.same("received", c.takes("q", 3), "[a1 a2 b1]")
		c.same("received in the same second", c.receive("q", asking{max: new(1), wait: new(0)}).messages, "[]")
		c.counts("q", "2/3/0")
		got, seconds := waiting(c.world, func() received { return c.receive("q", asking{max: new(10), wait: new(20)}) }, func() { c.after(1) })
		c.same("received by a long poll", got.messages, "[a3 a4]")
		c.same("seconds", seconds, 1.0)
		marked(c.t, "core/tenant.go", "that a group of a standard queue")
	})
}
