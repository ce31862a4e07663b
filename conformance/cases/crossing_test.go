package cases_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// journeys calls a test for all ways in which a sender, a receiver, somebody who changes the visibility, somebody who
// counts and somebody who deletes can speak three protocols. Every protocol has every part with every other one next to
// it, in nine journeys; all 243 would say no more.
func journeys(t *testing.T, number string, run func(w *world, sender, receiver, changer, counter, remover *client)) {
	t.Helper()
	for i, sender := range everywhere {
		for j, receiver := range everywhere {
			changer, counter, remover := everywhere[(i+j+1)%3], everywhere[(i+2*j+2)%3], everywhere[(2*i+j)%3]
			t.Run(sender+" to "+receiver+", changed by "+changer, func(t *testing.T) {
				once(t, number, func(w *world) {
					run(w, w.as(sender), w.as(receiver), w.as(changer), w.as(counter), w.as(remover))
				})
			})
		}
	}
}

// sameProvider reports whether two clients share receipt handles.
func sameProvider(a, b *client) bool { return (a.protocol == mnsXML) == (b.protocol == mnsXML) }

func TestMessageCrossesFromProtocolToProtocol(t *testing.T) {
	journeys(t, "life", func(w *world, sender, receiver, changer, counter, remover *client) {
		sender.made("q", map[string]string{"VisibilityTimeout": "30"})
		sent := sender.send("q", sending{body: "<m>\r\n中文😀&amp;", delay: new(5)})
		sender.ok(sent.reply)
		sentAt := w.millis()
		counter.counts("q", "0/0/1")
		receiver.finds("q")
		w.after(5)
		w.restart()
		m := receiver.take("q")
		receiver.same("body", fmt.Sprintf("%q", m.body), `"<m>\r\n中文😀&amp;"`)
		receiver.same("id", plainID(m.id), plainID(sent.id))
		receiver.same("digest", strings.ToLower(m.md5), strings.ToLower(sent.md5))
		receiver.same("receive count", m.receiveCount(), 1)
		receiver.sees(m, sentAt, w.millis())
		counter.counts("q", "0/1/0")

		handle := changer.reach(w, receiver, "q", m.handle)
		changed := changer.change("q", handle, 100)
		changer.must(changed, "200")
		hiddenAt := w.millis()
		if changer.protocol == mnsXML {
			changer.same("NextVisibleTime", changed.visible, hiddenAt+100_000)
		}
		w.restart()
		w.after(99.999)
		receiver.finds("q")
		counter.counts("q", "0/1/0")
		w.after(0.001)
		counter.counts("q", "1/0/0")
		again := remover.take("q")
		remover.same("body", fmt.Sprintf("%q", again.body), `"<m>\r\n中文😀&amp;"`)
		remover.ok(remover.remove("q", again.handle))
		w.restart()
		counter.counts("q", "0/0/0")
		w.after(1000)
		sender.finds("q")
	})
}

// reach returns a handle for a message that another client holds. Handles are a provider's own: between providers the
// message is received again when its timeout is over.
func (c *client) reach(w *world, holder *client, queue, handle string) string {
	c.t.Helper()
	if sameProvider(c, holder) {
		return handle
	}
	w.after(30)
	return c.take(queue).handle
}

// sees compares the times of a message that is received for the first time now: SQS writes milliseconds as text, and
// MNS the same number.
func (c *client) sees(m message, sentAt, now int64) {
	c.t.Helper()
	times := map[string]int64{"SentTimestamp": sentAt, "ApproximateFirstReceiveTimestamp": now}
	shown := m.system
	if c.protocol == mnsXML {
		times = map[string]int64{"EnqueueTime": sentAt, "FirstDequeueTime": now, "NextVisibleTime": now + 30_000}
		shown = m.fields
	}
	for name, want := range times {
		c.same(name, shown[name], want)
		c.same("digits of "+name, len(shown[name]), 13)
	}
}

// crossedAttributes are attributes as the protocols write them: by SQS, by MNS, and what each shows of the other's.
var crossedAttributes = []struct {
	what         string
	from         string // who can send it
	sent         attribute
	inSQS, inMNS attribute
}{
	{what: "text", from: "both", sent: attribute{"k", "String", "v <&>\r\n中"}, inSQS: attribute{"k", "String", "v <&>\r\n中"}, inMNS: attribute{"k", "String", "v <&>\r\n中"}},
	{what: "number", from: "both", sent: attribute{"k", "Number", "-12.50"}, inSQS: attribute{"k", "Number", "-12.50"}, inMNS: attribute{"k", "Number", "-12.50"}},
	{what: "binary", from: "both", sent: attribute{"k", "Binary", "\x00\xff\x10"}, inSQS: attribute{"k", "Binary", "\x00\xff\x10"}, inMNS: attribute{"k", "Binary", "\x00\xff\x10"}},
	{what: "boolean", from: mnsXML, sent: attribute{"k", "Boolean", "true"}, inSQS: attribute{"k", "String.boolean", "true"}, inMNS: attribute{"k", "Boolean", "true"}},
	{what: "number with a name of its own", from: "sqs", sent: attribute{"k", "Number.java.lang.Long", "1"}, inSQS: attribute{"k", "Number.java.lang.Long", "1"}, inMNS: attribute{"k", "Number", "1"}},
	{what: "text with a name of its own", from: "sqs", sent: attribute{"k", "String.json", "{}"}, inSQS: attribute{"k", "String.json", "{}"}, inMNS: attribute{"k", "String", "{}"}},
	{what: "binary with a name of its own", from: "sqs", sent: attribute{"k", "Binary.gif", "GIF"}, inSQS: attribute{"k", "Binary.gif", "GIF"}, inMNS: attribute{"k", "Binary", "GIF"}},
}

func TestAttributesCrossFromProtocolToProtocol(t *testing.T) {
	for _, a := range crossedAttributes {
		t.Run(a.what, func(t *testing.T) {
			once(t, "attributes", func(w *world) {
				w.as(sqsJSON).made("q", map[string]string{"VisibilityTimeout": "10"})
				senders := map[string][]string{"both": everywhere, "sqs": onlySQS, mnsXML: onlyMNS}[a.from]
				for _, p := range senders {
					sender := w.as(p)
					sender.ok(sender.send("q", sending{body: "by " + p, attributes: []attribute{a.sent}}).reply)
				}
				w.restart()
				for _, p := range everywhere {
					receiver := w.as(p)
					for range senders {
						m := receiver.take("q")
						want := a.inSQS
						if p == mnsXML {
							want = a.inMNS
						}
						receiver.same("attributes of what was sent "+m.body, fmt.Sprintf("%q", m.attributes), fmt.Sprintf("%q", []attribute{want}))
						receiver.same("receive count", m.receiveCount(), slices.Index(everywhere, p)+1)
					}
					w.after(10)
				}
			})
		})
	}
}

func TestPriorityHoldsForReceiversThatDoNotKnowIt(t *testing.T) {
	for _, p := range everywhere {
		t.Run(p, func(t *testing.T) {
			once(t, "priority", func(w *world) {
				sender, receiver := w.as(mnsXML), w.as(p)
				sender.made("q", nil)
				for body, priority := range map[string]int{"last": 16, "first": 1, "second": 2} {
					sender.ok(sender.send("q", sending{body: body, priority: new(priority)}).reply)
				}
				w.as(sqsQuery).sends("q", "of SQS")
				w.restart()
				for _, want := range []string{"first", "second", "of SQS", "last"} {
					m := receiver.take("q")
					receiver.same("received", m.body, want)
					if p == mnsXML && m.body == "of SQS" {
						receiver.same("Priority of a message of SQS", m.fields["Priority"], 8)
					}
				}
			})
		})
	}
}

func TestGroupsCrossFromProtocolToProtocol(t *testing.T) {
	for _, p := range everywhere {
		for _, q := range everywhere {
			t.Run(p+" and "+q, func(t *testing.T) {
				once(t, "groups", func(w *world) {
					a, b := w.as(p), w.as(q)
					a.made("q.fifo", fifoQueue("VisibilityTimeout", "10"))
					a.fifo("q.fifo", "g", "1", "2")
					b.fifo("q.fifo", "g", "3")
					b.fifo("q.fifo", "h", "4")
					w.restart()
					first := b.take("q.fifo")
					b.same("first", first.body, "1")
					shown := first.system["MessageGroupId"]
					if q == mnsXML {
						shown = first.fields["MessageGroupId"]
					}
					b.same("group", shown, "g")
					a.finds("q.fifo", "4") // the other group is closed for everybody
					w.after(1)
					b.ok(b.remove("q.fifo", first.handle))
					a.finds("q.fifo", "2", "3")
					b.finds("q.fifo")
					w.after(10)
					b.finds("q.fifo", "4", "2", "3")
				})
			})
		}
	}
}

// Durations are seconds everywhere; times are seconds of queues and milliseconds of messages.
func TestSettingsCrossFromProtocolToProtocol(t *testing.T) {
	for _, p := range everywhere {
		t.Run(p, func(t *testing.T) {
			once(t, "settings", func(w *world) {
				w.after(0.5)
				maker := w.as(p)
				want := map[string]string{
					"DelaySeconds": "7", "MaximumMessageSize": "2048", "MessageRetentionPeriod": "3600", "VisibilityTimeout": "77", "ReceiveMessageWaitTimeSeconds": "9",
				}
				maker.made("q", want)
				w.after(2)
				for _, other := range everywhere {
					changer := w.as(other)
					changer.ok(changer.set("q", map[string]string{"VisibilityTimeout": "78"}))
				}
				w.restart()
				want["VisibilityTimeout"] = "78"
				want["CreatedTimestamp"], want["LastModifiedTimestamp"] = fmt.Sprint(epoch), fmt.Sprint(epoch+2)
				for _, q := range everywhere {
					reader := w.as(q)
					got, r := reader.settings("q")
					reader.ok(r)
					for name, value := range want {
						reader.same(name, got[name], value)
					}
				}
			})
		})
	}
}

// What one provider cannot set, it shows as it is.
func TestSettingsBeyondTheOtherProvidersRangesAreShown(t *testing.T) {
	once(t, "ranges", func(w *world) {
		json, xml := w.as(sqsJSON), w.as(mnsXML)
		json.made("big", map[string]string{"MaximumMessageSize": "1048576", "MessageRetentionPeriod": "1209600", "VisibilityTimeout": "0"})
		xml.made("late", map[string]string{"DelaySeconds": "604800", "ReceiveMessageWaitTimeSeconds": "30"})
		json.sends("big", letters(100_000))
		w.restart()
		got, _ := xml.settings("big")
		xml.same("settings", got["MaximumMessageSize"]+" "+got["MessageRetentionPeriod"]+" "+got["VisibilityTimeout"], "1048576 1209600 0")
		got, _ = json.settings("late")
		json.same("settings", got["DelaySeconds"]+" "+got["ReceiveMessageWaitTimeSeconds"], "604800 30")
		m := xml.take("big")
		xml.same("size of a body over 64 KiB", len(m.body), 100_000)
		xml.same("NextVisibleTime without a timeout", m.fields["NextVisibleTime"], w.millis())
		json.sends("late", "m")
		w.after(604_799)
		json.finds("late")
		// The retention of four days is shorter than the delay of seven: such a message is never seen.
		w.after(1)
		json.finds("late")
	})
}

// A handle is good in its own provider only; what the other makes of it is that it never handed it out.
func TestHandlesOfTheOtherProviderAreRefused(t *testing.T) {
	once(t, "handles", func(w *world) {
		json, query, xml := w.as(sqsJSON), w.as(sqsQuery), w.as(mnsXML)
		json.made("q", nil)
		json.sends("q", "a", "b")
		of, other := json.take("q").handle, xml.take("q").handle
		w.restart()
		xml.must(xml.remove("q", of), mnsWrong)
		xml.must(xml.change("q", of, 5), mnsWrong)
		for _, c := range []*client{json, query} {
			c.must(c.remove("q", other), sqsWrong(other))
			c.must(c.change("q", other, 5), sqsWrong(other))
		}
		json.counts("q", "0/2/0")
		query.must(query.remove("q", of), "200") // the two protocols of SQS share theirs
		xml.must(xml.remove("q", other), "204")
		xml.counts("q", "0/0/0")
	})
}

// A trace crosses in the form of whoever receives it, and keeps its own for those of the sender's provider.
func TestTracesCrossInTheReceiversForm(t *testing.T) {
	once(t, "traces", func(w *world) {
		json, xml := w.as(sqsJSON), w.as(mnsXML)
		const (
			ray       = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
			rayOf     = "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01"
			rootOnly  = "Root=1-5759e988-bd862e3fe1be46a994272793" // names no span, so there is nothing to continue
			parent    = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
			parentRay = "Root=1-0af76519-16cd43dd8448eb211c80319c;Parent=b7ad6b7169203331;Sampled=1"
		)
		json.made("q", map[string]string{"VisibilityTimeout": "10"})
		json.must(json.send("q", sending{body: "json", trace: ray}), "200")
		json.must(json.send("q", sending{body: "root", trace: rootOnly}), "200")
		xml.must(xml.send("q", sending{body: "xml", trace: parent}), "201")
		w.restart()
		for _, want := range []string{ray, rootOnly, parentRay} {
			json.same("AWSTraceHeader", json.take("q").system["AWSTraceHeader"], want)
		}
		w.after(10)
		for _, want := range []string{rayOf, "", parent} {
			xml.same("traceparent", xml.take("q").system["traceparent"], want)
		}
	})
}

func TestLongPollIsWokenByTheOtherProtocol(t *testing.T) {
	for _, p := range everywhere {
		for _, q := range everywhere {
			t.Run(p+" waits for "+q, func(t *testing.T) {
				once(t, "wake", func(w *world) {
					receiver, sender := w.as(p), w.as(q)
					receiver.made("q", nil)
					got, seconds := waiting(w, func() received { return receiver.receive("q", asking{wait: new(20)}) }, func() {
						w.after(3)
						sender.sends("q", "m")
					})
					receiver.same("received after 3 s", fmt.Sprint(got.messages, " ", seconds), "[m] 3")
					// A visibility timeout that ends wakes as well, whoever holds the message.
					got, seconds = waiting(w, func() received { return receiver.receive("q", asking{wait: new(20)}) }, func() { w.after(20) })
					receiver.same("nothing in 20 s", fmt.Sprint(got.messages, " ", seconds), "[] 20")
					got, seconds = waiting(w, func() received { return receiver.receive("q", asking{wait: new(20)}) }, func() { w.after(10) })
					receiver.same("received at the end of the timeout", fmt.Sprint(got.messages, " ", seconds), "[m] 10")
				})
			})
		}
	}
}
