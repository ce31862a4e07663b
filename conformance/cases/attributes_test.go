package cases_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestOwnNameForTypeOfAttributeComesBack(t *testing.T) {
	each(t, "K27", onlySQS, func(c *client) {
		c.made("q", nil)
		for kind, digest := range map[string]string{
			"Number.java.lang.Long": "6735a2d7fe7f0e962a51db579c2d92cb",
			"Number":                "b6ba7933bdd4077bb2cc8686b0146cfa",
		} {
			sent := c.send("q", sending{body: "m", attributes: []attribute{{"timestamp", kind, "1"}}})
			c.must(sent, "200")
			c.same("digest of "+kind+" when sent", sent.attributesMD5, digest)
			c.restart()
			got := c.take("q")
			c.same("attributes", got.attributes, []attribute{{"timestamp", kind, "1"}})
			c.same("digest of "+kind+" when received", got.attributesMD5, digest)
		}
	})
}

func TestMessageWithoutAttributesHasNoDigestOfThem(t *testing.T) {
	each(t, "K28", onlySQS, func(c *client) {
		c.made("q", nil)
		sent := c.send("q", sending{body: "m"})
		c.same("members of the answer", c.members("SendMessage", sent.reply), "[MD5OfMessageBody MessageId]")
		batch := c.sendBatch("q", sending{body: "m"})
		failsIf(c.t, strings.Contains(batch.body, "Attributes"), "%s: %s", c.protocol, batch.body)
		got := c.receive("q", asking{max: new(2)})
		failsIf(c.t, strings.Contains(got.body, "Attributes"), "%s: %s", c.protocol, got.body)
	})
}

// members are the names in a successful answer, sorted.
func (c *client) members(operation string, r reply) []string {
	c.t.Helper()
	var names []string
	for name := range c.wire.(sqs).result(operation, r) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestNothingToShowIsNotShown(t *testing.T) {
	each(t, "K29", onlySQS, func(c *client) {
		c.made("q", nil)
		c.sends("q", "m")
		got := c.receive("q", asking{names: []string{"All"}})
		c.must(got, "200")
		c.same("members of a message", got.messages[0].names, "[Body MD5OfBody MessageId ReceiptHandle]")
	})
}

func TestDigestIsOfTheBodyInUTF8(t *testing.T) {
	each(t, "K30", everywhere, func(c *client) {
		c.made("q", nil)
		for body, digest := range map[string]string{
			"Toolbox – reset password": "f525b4c112740b68cf253aae348efd58",
			"ok😀中文":                    "ca11df5bd2b25c051101d9f98f7a19cf",
		} {
			if c.protocol == mnsXML {
				digest = strings.ToUpper(digest)
			}
			c.same("digest when sent", c.send("q", sending{body: body}).md5, digest)
			c.restart()
			got := c.take("q")
			c.same("body", got.body, body)
			c.same("digest when received", got.md5, digest)
		}
	})
}

func TestAttributesAreShownOnlyWhereTheyAreAskedFor(t *testing.T) {
	each(t, "K31", onlySQS, func(c *client) {
		c.made("q", nil)
		c.ok(c.send("q", sending{body: "m", attributes: []attribute{{"version", "String", "1"}}}).reply)
		got := c.receive("q", asking{visibility: new(0)}).messages[0]
		c.same("members when nothing is asked for", got.names, "[Body MD5OfBody MessageId ReceiptHandle]")
		got = c.receive("q", asking{visibility: new(0), names: []string{"version"}}).messages[0]
		c.same("attributes", got.attributes, "[{version String 1}]")
		c.same("digest", got.attributesMD5, "75cba0c5eb8ce78d6a41a35f99bfd7a8")
		got = c.receive("q", asking{visibility: new(0), names: []string{"Version", "AWS.x", "..x", ""}}).messages[0]
		c.same("members when other names are asked for", got.names, "[Body MD5OfBody MessageId ReceiptHandle]")
	})
}

func TestDigestCoversTheAttributesThatAreShown(t *testing.T) {
	each(t, "K32", onlySQS, func(c *client) {
		c.made("q", nil)
		c.ok(c.send("q", sending{body: "m", attributes: []attribute{{"Hello", "String", "There"}, {"General", "String", "Kenobi"}}}).reply)
		const both, hello = "fca026605781cb4126a1e9044df24232", "a311262e065454b75da111d535b8dacd"
		for name, want := range map[string]string{
			"All": both, ".*": both, "*": both, "Hel.*": hello, "Hello.*": hello, "Hello": hello, "Hel*": "", "Hel": "", "hello": "", "all": "",
		} {
			got := c.receive("q", asking{visibility: new(0), names: []string{name}}).messages[0]
			c.same("digest for "+name, got.attributesMD5, want)
			c.same("number of attributes for "+name, len(got.attributes), map[string]int{both: 2, hello: 1, "": 0}[want])
		}
	})
}

func TestBinaryAttributeIsBase64OnTheWireOnly(t *testing.T) {
	each(t, "K33", onlySQS, func(c *client) {
		c.made("q", nil)
		sent := c.send("q", sending{body: "m", attributes: []attribute{{"b", "Binary", "\x00\x01\x02\xff"}}})
		c.same("digest when sent", sent.attributesMD5, "7e480da8c0e874189215a7676537a024")
		c.restart()
		got := c.receive("q", asking{names: []string{"All"}})
		c.same("digest when received", got.messages[0].attributesMD5, "7e480da8c0e874189215a7676537a024")
		c.same("attribute", fmt.Sprintf("%q", got.messages[0].attributes), `[{"b" "Binary" "\x00\x01\x02\xff"}]`)
		failsIf(c.t, !strings.Contains(got.body, "AAEC/w=="), "%s: BinaryValue is not AAEC/w==: %s", c.protocol, got.body)
	})
}

func TestTraceHeaderTravelsWithTheMessage(t *testing.T) {
	const header, own = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1", "Root=1-00000000-000000000000000000000001"
	each(t, "K34", onlySQS, func(c *client) {
		c.made("q", nil)
		s := c.wire.(sqs)
		send := func(m sending) reply {
			in := outgoing(m)
			in["QueueUrl"] = queueURL("q")
			r := s.request("SendMessage", in)
			r.Header.Set("X-Amzn-Trace-Id", header)
			return s.answered(s.do(r))
		}
		c.must(send(sending{body: "from the header"}), "200")
		c.must(send(sending{body: "of its own", trace: own}), "200")
		c.must(c.send("q", sending{body: "none"}), "200")
		c.restart()
		for _, want := range []string{header, own, ""} {
			m := c.take("q")
			c.same("AWSTraceHeader of "+m.body, m.system["AWSTraceHeader"], want)
			c.same("digest of attributes", m.attributesMD5, "")
		}
		sent := c.send("q", sending{body: "m", trace: header})
		c.same("digest of system attributes", sent.systemMD5, "5ae4d5d7636402d80f4eb6d213245a88")
		c.same("digest of attributes", sent.attributesMD5, "")
	})
	each(t, "K34", onlyMNS, func(c *client) {
		const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		c.made("q", nil)
		c.must(c.send("q", sending{body: "m", trace: parent}), "201")
		c.restart()
		c.same("traceparent", c.take("q").system["traceparent"], parent)
	})
}

func TestNoAttributesAreShownUnlessTheyAreNamed(t *testing.T) {
	each(t, "K35", onlySQS, func(c *client) {
		c.made("q", nil)
		s := c.wire.(sqs)
		for _, in := range []obj{onQueue("q"), onQueue("q", "AttributeNames", []string{})} {
			got := s.call("GetQueueAttributes", in)
			c.must(got, "200")
			if c.protocol == sqsJSON {
				c.same("answer", got.body, "{}")
				continue
			}
			failsIf(c.t, !strings.Contains(got.body, "<GetQueueAttributesResult/>"), "answer is %s", got.body)
			c.same("size of the answer", len(got.body), 252) // Recorded
		}
		fresh, _ := c.settings("q")
		c.same("number of attributes of a new queue", len(fresh), 12) // Recorded 2025-12-10
		c.made("q.fifo", fifoQueue())
		fresh, _ = c.settings("q.fifo")
		c.same("number of attributes of a new FIFO queue", len(fresh), 16) // Recorded 2025-08-19
	})
}

func TestMessageHasTenAttributesAtMost(t *testing.T) {
	const text = "Number of message attributes [11] exceeds the allowed maximum [10]."
	each(t, "K36", onlySQS, func(c *client) {
		c.made("q", nil)
		var eleven []attribute
		for i := range 11 {
			eleven = append(eleven, attribute{fmt.Sprint("a", i+1), "String", "v"})
		}
		c.must(c.send("q", sending{body: "m", attributes: eleven}), "400 InvalidParameterValue: "+text)
		c.must(c.send("q", sending{body: "m", attributes: eleven[:10]}), "200")
		got := c.sendBatch("q", sending{body: "a", attributes: eleven}, sending{body: "b"})
		c.same("entries", got.entries, "[InvalidParameterValue: "+text+" ok]")
		c.finds("q", "m", "b")
	})
	// MNS documents no bound on properties.
	each(t, "K36", onlyMNS, func(c *client) {
		c.made("q", nil)
		var many []attribute
		for i := range 11 {
			many = append(many, attribute{fmt.Sprintf("a%02d", i), "String", "v"})
		}
		c.must(c.send("q", sending{body: "m", attributes: many}), "201")
		c.restart()
		c.same("attributes", c.take("q").attributes, many)
	})
}

func TestBodiesComeBackByteForByte(t *testing.T) {
	bodies := []string{
		"\"&quot;&quot;\r", "{\r\n\"a\":1}", "\r\n\r\n", "\n", " ", "\t x \t", "]]>", "<a/>", "&amp;lt;", "&#13;", "'\"",
		"\u0085\u2028\ufffd", "a\\u0000b", "😀", "%41+%2B",
	}
	each(t, "K37", everywhere, func(c *client) {
		c.made("q", nil)
		first := c.send("q", sending{body: bodies[0]})
		c.same("digest", strings.ToLower(first.md5), "1f3930f662f907b134a181296c895d21")
		c.sends("q", bodies[1:]...)
		c.restart()
		for _, p := range everywhere {
			by := c.as(p)
			for _, want := range bodies {
				by.same("body", fmt.Sprintf("%q", by.take("q").body), fmt.Sprintf("%q", want))
			}
			c.after(30)
		}
	})
}

func TestAnswersInXMLHaveNoSections(t *testing.T) {
	each(t, "K38", []string{sqsQuery, mnsXML}, func(c *client) {
		c.made("q", nil)
		c.must(c.send("q", sending{body: "<&>\"'", attributes: []attribute{{"encoding", "String", "gzip"}}}), c.say("200", "201"))
		got := c.receive("q", asking{max: new(1), names: c.names()})
		c.must(got, "200")
		want := c.say("<StringValue>gzip</StringValue>", "<Value>gzip</Value>")
		failsIf(c.t, !strings.Contains(got.body, want) || strings.Contains(got.body, "CDATA"), "%s: %s", c.protocol, got.body)
		failsIf(c.t, !strings.Contains(got.body, c.say("&lt;&amp;&gt;&quot;", "&lt;&amp;&gt;\"'")), "%s: %s", c.protocol, got.body)
	})
}

// names asks for all attributes where that has to be asked for.
func (c *client) names() []string {
	if c.protocol == mnsXML {
		return nil
	}
	return []string{"All"}
}

func TestEmptyReceive(t *testing.T) {
	each(t, "K46", onlySQS, func(c *client) {
		c.made("q", nil)
		got := c.receive("q", asking{})
		c.must(got, "200")
		if c.protocol == sqsJSON {
			c.same("answer", got.body, "{}")
			c.same("Content-Length", got.header.Get("Content-Length"), 2)
			return
		}
		failsIf(c.t, !strings.Contains(got.body, "<ReceiveMessageResult/>"), "answer is %s", got.body)
	})
	each(t, "K46", onlyMNS, func(c *client) {
		c.made("q", nil)
		got := c.receive("q", asking{})
		c.same("status", got.status, http.StatusNotFound)
		c.must(got, mnsGone)
	})
}
