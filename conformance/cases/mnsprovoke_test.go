package cases_test

import (
	"net/http"
	"strings"
)

// The requests that provoke the errors of MNS. Before each there is the queue q.

var mnsProvocations = joined(provokedOnMNS, provokedOnQueues, provokedOnMessages, provokedOnTopics, provokedBySignatures)

var provokedOnMNS = map[string]provocation{
	"path-unknown": func(c *client, _ string) (all []trial) {
		m := c.wire.(mns)
		for _, target := range []string{"/queues/q/other", "/queues/q/messages/x", "/topics/t/other", "/x", "//queues/q", "/queues//messages/"} {
			all = append(all, trial{got: m.call(http.MethodGet, target, "")})
		}
		return append(all, trial{got: m.call("PATCH", "/queues/q", "")}, trial{got: m.call(http.MethodPost, "/queues/q", "")})
	},
	"query-item-unknown": func(c *client, _ string) []trial {
		m := c.wire.(mns)
		return []trial{
			{m.call(http.MethodGet, "/queues/q?x=1", ""), ofElement("x")},
			{m.call(http.MethodGet, "/queues/q/messages?waitseconds=1&MaxNumberOfMessages=1", ""), ofElement("MaxNumberOfMessages")},
			{m.call(http.MethodGet, "/queues/q/messages?peekonly=perhaps", ""), ofElement("peekonly")},
			{m.call(http.MethodDelete, "/queues/q/messages?ReceiptHandle=%zz", ""), ofElement("ReceiptHandle")},
		}
	},
	"server-fault": func(c *client, _ string) []trial {
		faults := 0
		c.expectFaults(func() { faults++ })
		failsIf(c.t, c.server.Close() != nil, "Close failed")
		got := c.send("q", sending{body: "m"})
		failsIf(c.t, faults != 1, "%d faults were reported, want 1", faults)
		return tried(got.reply)
	},
	"digest-wrong": func(c *client, _ string) (all []trial) {
		m := c.wire.(mns)
		for _, bad := range []string{"x", "1B2M2Y8AsgTpgAmY7PhCfg==", "d41d8cd98f00b204e9800998ecf8427e"} {
			r := m.request(http.MethodPost, "/queues/q/messages", oneMessage)
			r.Header.Set("Content-MD5", bad)
			all = append(all, trial{got: m.answered(c.signed(r))})
		}
		return all
	},
	"list-header-range": func(c *client, operation string) (all []trial) {
		c.topic("t")
		m := c.wire.(mns)
		for _, bad := range []string{"0", "1001", "-1", "x"} {
			r := m.request(http.MethodGet, strings.ReplaceAll(mnsRequests[operation].target, "{t}", "t"), "")
			r.Header.Set("x-mns-ret-number", bad)
			all = append(all, trial{m.answered(c.do(r)), ranged("x-mns-ret-number", 1, 1000, "")})
		}
		return all
	},
}

var provokedOnQueues = map[string]provocation{
	"queue-other-settings": bodied([]string{"<Queue><DelaySeconds>9</DelaySeconds></Queue>"}, []string{"<Queue><LoggingEnabled>true</LoggingEnabled></Queue>"}),
	"queue-name-malformed": func(c *client, operation string) (all []trial) {
		for _, name := range []string{"a_b", "a.b", "-a", "a%20b", "%E4%B8%AD", "a%2Fb", "a+b"} {
			all = append(all, trial{got: c.requests(operation, name, "")})
		}
		return all
	},
	"queue-deleted-a-moment-ago": func(c *client, operation string) []trial {
		c.must(c.requests("DeleteQueue", "q", ""), "204")
		soon := c.requests(operation, "q", "")
		marked(c.t, "protocols/mns/rules.go", "const recreateWait")
		c.after(60)
		c.must(c.requests(operation, "q", ""), "201")
		return tried(soon)
	},
	"queue-name-length": func(c *client, operation string) []trial {
		return []trial{{got: c.requests(operation, "", "")}, {got: c.requests(operation, letters(121), "")}}
	},
	"queue-setting-range": func(c *client, operation string) (all []trial) {
		for name, b := range map[string]struct {
			bad  string
			fill []string
		}{
			"DelaySeconds": {"604801", ranged("DelaySeconds", 0, 604_800, " seconds")}, "MaximumMessageSize": {"1023", ranged("MaximumMessageSize", 1024, 65536, " bytes")},
			"MessageRetentionPeriod": {"59", ranged("MessageRetentionPeriod", 60, 604_800, " seconds")},
			"VisibilityTimeout":      {"0", ranged("VisibilityTimeout", 1, 43200, " seconds")}, "PollingWaitSeconds": {"60", ranged("PollingWaitSeconds", 0, 30, " seconds")},
		} {
			all = append(all, trial{c.requests(operation, "r", "", tag("Queue", tag(name, b.bad))), b.fill})
			if operation == "SetQueueAttributes" {
				all[len(all)-1].got = c.requests(operation, "q", "", tag("Queue", tag(name, b.bad)))
			}
		}
		return all
	},
	"queue-schema": bodied(
		append(ofElement("DelaySeconds"), "<Queue><DelaySeconds>x</DelaySeconds></Queue>"),
		append(ofElement("MaximumMessageSize"), "<Queue><MaximumMessageSize/></Queue>"),
		append(ofElement("LoggingEnabled"), "<Queue><LoggingEnabled>perhaps</LoggingEnabled></Queue>"),
		append(ofElement("Topic"), "<Topic/>"),
	),
	"account-schema": bodied(
		append(ofElement("LoggingBucket"), "<Account><LoggingBucket>no bucket</LoggingBucket></Account>"),
	),
	"queue-not-xml": notXML,
	"queue-unknown": func(c *client, operation string) []trial { return tried(c.requests(operation, "nope", "")) },
	"queue-unknown-no-matter": func(c *client, operation string) []trial {
		got := c.requests(operation, "nope", "")
		failsIf(c.t, got.body != "", "204 has the body %s", got.body)
		return tried(got)
	},
}

var provokedOnMessages = map[string]provocation{
	"message-not-xml": notXML,
	"message-schema": bodied(
		append(ofElement("MessageBody"), "<Message/>"),
		append(ofElement("DelaySeconds"), "<Message><MessageBody>m</MessageBody><DelaySeconds>x</DelaySeconds></Message>"),
		append(ofElement("Priority"), "<Message><MessageBody>m</MessageBody><Priority/></Message>"),
		append(ofElement("Queue"), "<Queue/>"),
		append(ofElement("Type"), "<Message><MessageBody>m</MessageBody><UserProperties><PropertyValue><Name>a</Name><Value>b</Value></PropertyValue></UserProperties></Message>"),
	),
	"message-range": func(c *client, operation string) []trial {
		return bodied(
			append(ranged("DelaySeconds", 0, 604_800, " seconds"), "<Message><MessageBody>m</MessageBody><DelaySeconds>604801</DelaySeconds></Message>"),
			append(ranged("Priority", 1, 16, ""), "<Message><MessageBody>m</MessageBody><Priority>0</Priority></Message>"),
			append(ranged("MessageBody", 1, 65536, " bytes"), tag("Message", tag("MessageBody", letters(65537)))),
			append(ranged("MessageBody", 1, 65536, " bytes"), tag("Message", tag("MessageBody", ""))),
		)(c, operation)
	},
	"group-absent-on-fifo": func(c *client, operation string) []trial {
		c.made("q.fifo", fifoQueue())
		return tried(c.requests(operation, "q.fifo", ""))
	},
	"batch-range": func(c *client, operation string) []trial {
		many := ranged("Messages", 1, 16, "")
		return bodied(
			append(many, "<Messages/>"),
			append(many, tag("Messages", strings.Repeat(oneMessage, 17))),
			append(ranged("Messages", 1, 65536, " bytes"), tag("Messages", strings.Repeat(tag("Message", tag("MessageBody", letters(32769))), 2))),
			append(ranged("Priority", 1, 16, ""), "<Messages>"+oneMessage+"<Message><MessageBody>m</MessageBody><Priority>17</Priority></Message></Messages>"),
		)(c, operation)
	},
	"no-message": func(c *client, operation string) []trial {
		c.send("q", sending{body: "later", delay: new(60)})
		c.sends("q", "hidden")
		c.take("q")
		return tried(c.requests(operation, "q", ""))
	},
	"wait-range": func(c *client, operation string) (all []trial) {
		number := map[string]string{"ReceiveMessage": "", "BatchReceiveMessage": "&numOfMessages=1"}[operation]
		for _, bad := range []string{"-1", "31", "x", "", "1.5"} {
			got := c.wire.(mns).call(http.MethodGet, "/queues/q/messages?waitseconds="+bad+number, "")
			all = append(all, trial{got, ranged("waitseconds", 0, 30, " seconds")})
		}
		return all
	},
	"number-range": func(c *client, operation string) (all []trial) {
		peek := map[string]string{"BatchReceiveMessage": "", "BatchPeekMessage": "&peekonly=true"}[operation]
		for _, bad := range []string{"0", "17", "-1", "x", ""} {
			got := c.wire.(mns).call(http.MethodGet, "/queues/q/messages?numOfMessages="+bad+peek, "")
			all = append(all, trial{got, ranged("numOfMessages", 1, 16, "")})
		}
		return all
	},
	"handle-absent": func(c *client, operation string) []trial {
		m := c.wire.(mns)
		if operation == "DeleteMessage" {
			return tried(m.call(http.MethodDelete, "/queues/q/messages", ""))
		}
		return tried(m.call(http.MethodPut, "/queues/q/messages?VisibilityTimeout=1", ""))
	},
	"handle-malformed": func(c *client, operation string) (all []trial) {
		c.made("other", nil)
		c.sends("other", "m")
		elsewhere := c.take("other").handle
		for _, bad := range []string{"fake", "8-BzvT93jFnzuz6zcJz0zhAzcUxr0B2GnZl", "1-ODU4OTkzNDU5My0xNDQ1OTk4Mjc5LTEtOA==", letters(2000), elsewhere} {
			all = append(all, trial{got: c.on(operation, bad)})
		}
		return all
	},
	"handle-over": func(c *client, operation string) (all []trial) {
		c.sends("q", "deleted")
		deleted := c.take("q").handle
		c.ok(c.remove("q", deleted))
		c.sends("q", "m")
		expired := c.take("q").handle
		c.after(30)
		all = append(all, trial{got: c.on(operation, deleted)}, trial{got: c.on(operation, expired)})
		received := c.take("q").handle
		all = append(all, trial{got: c.on(operation, expired)})
		c.must(c.change("q", received, 100), "200")
		marked(c.t, "protocols/mns/rules.go", "StandardReceipts:") // as for the second deletion and the replaced handle
		return append(all, trial{got: c.on(operation, received)})
	},
	"handles-number": func(c *client, operation string) []trial {
		return bodied(
			append(ranged("ReceiptHandles", 1, 16, ""), "<ReceiptHandles/>"),
			append(ranged("ReceiptHandles", 1, 16, ""), tag("ReceiptHandles", strings.Repeat("<ReceiptHandle>x</ReceiptHandle>", 17))),
		)(c, operation)
	},
	"handles-not-xml": notXML,
	"timeout-absent": func(c *client, _ string) []trial {
		return tried(c.wire.(mns).call(http.MethodPut, "/queues/q/messages?ReceiptHandle=x", ""))
	},
	"timeout-range": func(c *client, _ string) (all []trial) {
		c.sends("q", "m")
		handle := c.take("q").handle
		for _, bad := range []string{"0", "43201", "-1", "x", "", "1.5"} {
			got := c.wire.(mns).call(http.MethodPut, "/queues/q/messages?ReceiptHandle="+handle+"&VisibilityTimeout="+bad, "")
			all = append(all, trial{got, ranged("VisibilityTimeout", 1, 43200, " seconds")})
		}
		return all
	},
}

// on calls an operation on a receipt handle of q. For a batch the answer is the error of the entry.
func (c *client) on(operation, handle string) reply {
	c.t.Helper()
	switch operation {
	case "DeleteMessage":
		return c.remove("q", handle)
	case "ChangeMessageVisibility":
		return c.change("q", handle, 5).reply
	}
	got := c.removeBatch("q", handle)
	return reply{status: got.status, code: got.entries[0].code, text: got.entries[0].text}
}

var provokedOnTopics = map[string]provocation{
	"topic-other-settings": bodied([]string{"<Topic><MaximumMessageSize>1024</MaximumMessageSize></Topic>"}, []string{"<Topic><LoggingEnabled>True</LoggingEnabled></Topic>"}),
	"topic-deleted-a-moment-ago": func(c *client, operation string) []trial {
		c.topic("t")
		c.must(c.requests("DeleteTopic", "", "t"), "204")
		soon := c.requests(operation, "", "t")
		c.after(60)
		c.topic("t")
		return tried(soon)
	},
	"group-absent-on-fifo-topic": func(c *client, operation string) []trial {
		c.must(c.requests(operation, "", "steps", "<Message><MessageBody>m</MessageBody><MessageGroupId>g</MessageGroupId></Message>"), "201")
		return tried(c.requests(operation, "", "steps"))
	},
	"topic-name-length": func(c *client, operation string) []trial {
		return []trial{{got: c.requests(operation, "", "")}, {got: c.requests(operation, "", letters(256))}}
	},
	"topic-name-malformed": func(c *client, operation string) (all []trial) {
		for _, name := range []string{"a_b", "a.b", "-a", "a%20b"} {
			all = append(all, trial{got: c.requests(operation, "", name)})
		}
		return all
	},
	"topic-setting-range": bodied(
		append(ranged("MaximumMessageSize", 1024, 65536, " bytes"), "<Topic><MaximumMessageSize>1023</MaximumMessageSize></Topic>"),
		append(ranged("MaximumMessageSize", 1024, 65536, " bytes"), "<Topic><MaximumMessageSize>65537</MaximumMessageSize></Topic>"),
	),
	"topic-not-xml":           notXML,
	"topic-unknown":           func(c *client, operation string) []trial { return tried(c.requests(operation, "", "nope")) },
	"topic-unknown-no-matter": func(c *client, operation string) []trial { return tried(c.requests(operation, "", "nope")) },
	"publication-not-xml":     notXML,
	"publication-schema": bodied(
		append(ofElement("MessageBody"), "<Message/>"),
		append(ofElement("MessageTag"), tag("Message", "<MessageBody>m</MessageBody>"+tag("MessageTag", letters(17)))),
		append(ofElement("Topic"), "<Topic/>"),
	),
	"subscription-other-settings": func(c *client, operation string) []trial {
		c.topic("t")
		c.must(c.requests(operation, "", "t"), "201")
		c.must(c.requests(operation, "", "t"), "204")
		return tried(c.requests(operation, "", "t", "<Subscription><Endpoint>http://127.0.0.1/other</Endpoint></Subscription>"))
	},
	"subscription-name-length":    subscriptionNamed("", letters(256)),
	"subscription-name-malformed": subscriptionNamed("a_b", "a.b", "-a"),
	"endpoint-malformed": func(c *client, operation string) (all []trial) {
		c.topic("t")
		for _, bad := range []string{"", "x", "ftp://127.0.0.1/", "http://", "acs:mns:cn-hangzhou:1:queues/", "acs:other:cn-hangzhou:1:queues/q", "mail:directmail:", "sms:x:y"} {
			all = append(all, trial{got: c.requests(operation, "", "t", tag("Subscription", tag("Endpoint", bad)))})
		}
		return append(all, trial{got: c.requests(operation, "", "t", "<Subscription/>")})
	},
	"subscription-schema": bodied(
		append(ofElement("NotifyStrategy"), subscriptionWith("NotifyStrategy", "x")),
		append(ofElement("NotifyContentFormat"), subscriptionWith("NotifyContentFormat", "x")),
		append(ofElement("FilterTag"), subscriptionWith("FilterTag", letters(17))),
		append(ofElement("Queue"), "<Queue/>"),
	),
	"subscription-not-xml": notXML,
	"subscription-unknown": func(c *client, operation string) []trial {
		c.topic("t")
		return tried(c.requests(operation, "", "t"))
	},
	"subscription-unknown-no-matter": func(c *client, operation string) []trial {
		c.topic("t")
		return tried(c.requests(operation, "", "t"))
	},
}

func subscriptionWith(name, value string) string {
	return tag("Subscription", "<Endpoint>http://127.0.0.1/</Endpoint>"+tag(name, value))
}

func subscriptionNamed(names ...string) provocation {
	return func(c *client, _ string) (all []trial) {
		c.topic("t")
		for _, name := range names {
			got := c.wire.(mns).call(http.MethodPut, "/topics/t/subscriptions/"+name, mnsRequests["Subscribe"].body)
			all = append(all, trial{got: got})
		}
		return all
	}
}
