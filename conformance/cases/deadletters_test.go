package cases_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// redrive is a policy as JSON.
func redrive(queue string, most any) string {
	return compact(obj{"deadLetterTargetArn": queueARN(queue), "maxReceiveCount": most})
}

// withDeadLetters makes the queues q and dlq, where q delivers a message so many times for a second each.
func (c *client) withDeadLetters(most int) {
	c.t.Helper()
	c.made("dlq", nil)
	c.made("q", map[string]string{"VisibilityTimeout": "1", "RedrivePolicy": redrive("dlq", most)})
}

func TestMessageIsDeliveredExactlyAsOftenAsThePolicySays(t *testing.T) {
	each(t, "K18", everywhere, func(c *client) {
		c.withDeadLetters(2)
		id := c.sends("q", "m")[0]
		for n := 1; n <= 2; n++ {
			c.same("receive count", c.take("q").receiveCount(), n)
			c.after(1.5)
			c.restart()
		}
		c.counts("q", "1/0/0")
		c.counts("dlq", "0/0/0")
		c.finds("q")
		c.restart()
		c.counts("q", "0/0/0")
		got := c.finds("dlq", "m")[0]
		c.same("id in the dead-letter queue", got.id, id)
	})
}

func TestDeadLetterSaysWhereItCameFromAndKeepsItsAttributes(t *testing.T) {
	const trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
	each(t, "K19", onlySQS, func(c *client) {
		c.withDeadLetters(1)
		sent := c.send("q", sending{body: "m", trace: trace, attributes: []attribute{{"k", "Number.int", "5"}}})
		c.must(sent, "200")
		first := c.take("q")
		if _, there := first.system["DeadLetterQueueSourceArn"]; there {
			c.t.Errorf("%s: a message that was not moved has a DeadLetterQueueSourceArn", c.protocol)
		}
		c.after(1)
		c.finds("q")
		c.restart()
		got := c.take("dlq")
		for name, want := range map[string]string{
			"DeadLetterQueueSourceArn":         queueARN("q"),
			"AWSTraceHeader":                   trace,
			"ApproximateReceiveCount":          "2", // Recorded 2024-04-30: it goes on
			"SentTimestamp":                    first.system["SentTimestamp"],
			"ApproximateFirstReceiveTimestamp": first.system["ApproximateFirstReceiveTimestamp"],
			"SenderId":                         first.system["SenderId"],
		} {
			c.same(name, got.system[name], want)
		}
		c.same("attributes", got.attributes, "[{k Number.int 5}]")
		c.same("digest of the attributes", got.attributesMD5, sent.attributesMD5)
	})
}

func TestDeadLetterOfMNSNamesItsQueue(t *testing.T) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	each(t, "K19", onlyMNS, func(c *client) {
		c.withDeadLetters(1)
		sent := c.send("q", sending{body: "m", trace: trace, attributes: []attribute{{"k", "Boolean", "true"}}})
		c.take("q")
		c.after(1)
		c.finds("q")
		c.restart()
		got := c.take("dlq")
		for name, want := range map[string]string{
			"traceparent": trace, "DLQMessageType": "NORMAL", "DLQOriginMessageId": sent.id,
			"DLQSourceArn": "acs:mns:cn-hangzhou:1234567890123456:/queues/q",
		} {
			c.same(name, got.system[name], want)
		}
		c.same("attributes", got.attributes, "[{k Boolean true}]")
		marked(c.t, "protocols/mns/properties.go", `add("DLQMessageType"`)
	})
}

// The chain was never recorded; it follows from the rule that a dead-letter queue is a queue like any other.
func TestDeadLetterMovesOnAlongChain(t *testing.T) {
	each(t, "K20", everywhere, func(c *client) {
		c.made("q3", nil)
		for i := 2; i >= 1; i-- {
			c.made(fmt.Sprint("q", i), map[string]string{"VisibilityTimeout": "1", "RedrivePolicy": redrive(fmt.Sprint("q", i+1), 1)})
		}
		id := c.sends("q1", "m")[0]
		for _, queue := range []string{"q1", "q2"} {
			c.same("id in "+queue, c.take(queue).id, id)
			c.after(1)
			c.restart()
			c.finds(queue)
		}
		got := c.take("q3")
		c.same("id at the end", got.id, id)
		c.same("source at the end", c.say(got.system["DeadLetterQueueSourceArn"], got.system["DLQSourceArn"]),
			c.say(queueARN("q2"), "acs:mns:cn-hangzhou:1234567890123456:/queues/q2"))
	})
}

func TestRedrivePolicyTakesNumberAndText(t *testing.T) {
	each(t, "K21", onlySQS, func(c *client) {
		c.made("dlq", nil)
		c.made("q", nil)
		policy := func() string {
			got, r := c.settings("q")
			c.ok(r)
			return got["RedrivePolicy"]
		}
		stored := `{"deadLetterTargetArn":"` + queueARN("dlq") + `","maxReceiveCount":5}`
		for _, given := range []any{5, "5"} {
			c.must(c.set("q", map[string]string{"RedrivePolicy": redrive("dlq", given)}), "200")
			c.restart()
			c.same("RedrivePolicy", policy(), stored)
		}
		for given, reason := range map[string]string{
			redrive("dlq", "x"):  "Invalid value for maxReceiveCount: x, valid values are from 1 to 1000 both inclusive.",
			redrive("dlq", 0):    "Invalid value for maxReceiveCount: 0, valid values are from 1 to 1000 both inclusive.",
			redrive("dlq", 1001): "Invalid value for maxReceiveCount: 1001, valid values are from 1 to 1000 both inclusive.",
			`{"deadLetterTargetArn":"` + queueARN("dlq") + `"}`: "Redrive policy does not contain mandatory attribute: maxReceiveCount.",
			`{"maxReceiveCount":5}`:                             "Redrive policy does not contain mandatory attribute: deadLetterTargetArn.",
			`{}`:                                                "Redrive policy does not contain mandatory attribute: maxReceiveCount.",
		} {
			c.must(c.set("q", map[string]string{"RedrivePolicy": given}), "400 InvalidParameterValue: Value "+given+" for parameter RedrivePolicy is invalid. Reason: "+reason)
		}
		c.same("RedrivePolicy after refusals", policy(), stored)
		c.must(c.set("q", map[string]string{"RedrivePolicy": ""}), "200")
		c.restart()
		c.same("RedrivePolicy after its removal", policy(), "")
	})
}

// Only the code is certain; the text is transcribed.
func TestRedrivePolicyMustBeJSONObject(t *testing.T) {
	each(t, "K22", onlySQS, func(c *client) {
		c.made("dlq.fifo", fifoQueue())
		c.made("q.fifo", fifoQueue())
		for _, given := range []string{compact(redrive("dlq.fifo", 5)), "[]", "5", "null", "x", redrive("dlq.fifo", 5) + "x"} {
			const refusal = "400 InvalidAttributeValue: Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map."
			c.must(c.set("q.fifo", map[string]string{"RedrivePolicy": given}), refusal)
			c.must(c.create("new.fifo", fifoQueue("RedrivePolicy", given)), refusal)
		}
		c.finds("q.fifo")
		_, r := c.settings("new.fifo")
		c.same("queue that was refused", r.code, "AWS.SimpleQueueService.NonExistentQueue")
	})
}

func TestAcknowledgedWorkSurvivesRestart(t *testing.T) {
	each(t, "K23", everywhere, func(c *client) {
		c.withDeadLetters(1)
		c.made("keep", map[string]string{"VisibilityTimeout": "60"})
		var want []string
		for i := range 100 {
			body := fmt.Sprintf("m%03d", i)
			c.sends("keep", body)
			if i >= 49 {
				want = append(want, body)
			}
		}
		for n := 0; n < 49; {
			got := c.takes("keep", min(10, 49-n))
			c.ok(c.removeBatch("keep", handles(got)...).reply)
			n += len(got)
		}
		c.sends("q", "dead")
		c.take("q")
		c.after(1)
		c.finds("q")
		c.ok(c.remove("dlq", c.take("dlq").handle))
		hidden := c.takes("keep", 7)
		c.restart()

		c.counts("dlq", "0/0/0")
		c.counts("q", "0/0/0")
		c.counts("keep", "44/7/0")
		drain := func() (bodies []string) {
			for got := c.takes("keep", 10); len(got) > 0; got = c.takes("keep", 10) {
				for _, m := range got {
					bodies = append(bodies, m.body)
				}
				c.ok(c.removeBatch("keep", handles(got)...).reply)
			}
			return bodies
		}
		bodies := drain()
		c.after(59.999)
		c.finds("keep")
		c.after(0.001)
		bodies = append(bodies, drain()...)
		slices.Sort(bodies)
		c.same("what was left", strings.Join(bodies, " "), strings.Join(want, " "))
		c.must(c.remove("keep", hidden[0].handle), c.say("200", mnsGone))
	})
}
