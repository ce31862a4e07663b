package cases_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// The requests that provoke the errors of SQS: of this file, those about messages and receipts.

// sending calls an operation that sends for one message. For SendMessageBatch/entry the answer is the error of the
// entry.
func (c *client) sending(operation, queue string, in obj) reply {
	c.t.Helper()
	in = maps.Clone(in)
	switch operation {
	case "SendMessage":
		in["QueueUrl"] = queueURL(queue)
		return c.wire.(sqs).call("SendMessage", in)
	case "SendMessageBatch":
		in["Id"] = "a"
		return c.call("SendMessageBatch", queue, "Entries", []obj{in})
	}
	return c.entry(operation, queue, in)
}

// entry calls a batch operation for one entry and returns what the answer says of it.
func (c *client) entry(operation, queue string, in obj) reply {
	c.t.Helper()
	got := c.wire.(sqs).batch(strings.TrimSuffix(operation, "/entry"), queue, []obj{maps.Clone(in)})
	c.must(got, "200")
	return reply{status: http.StatusOK, code: got.entries[0].code, text: got.entries[0].text}
}

// sendingWith sends to a queue with members of a message, and with a body unless they have one.
func sendingWith(queue string, more obj, fill ...string) provocation {
	return func(c *client, operation string) []trial {
		in := obj{"MessageBody": "m"}
		maps.Copy(in, more)
		return tried(c.sending(operation, queue, in), fill...)
	}
}

// attributeNamed sends a message with attributes of some names.
func attributeNamed(names ...string) provocation {
	return func(c *client, operation string) (all []trial) {
		for _, name := range names {
			all = append(all, sendingWith("q", obj{"MessageAttributes": obj{name: obj{"DataType": "String", "StringValue": "v"}}})(c, operation)...)
		}
		return all
	}
}

// attributeValued sends a message with an attribute a of that value.
func attributeValued(value obj, fill ...string) provocation {
	return sendingWith("q", obj{"MessageAttributes": obj{"a": value}}, append(fill, "name", "a")...)
}

// inTurn tries several provocations.
func inTurn(all ...provocation) provocation {
	return func(c *client, operation string) (trials []trial) {
		for _, p := range all {
			trials = append(trials, p(c, operation)...)
		}
		return trials
	}
}

var elevenAttributes = func() obj {
	all := obj{}
	for i := range 11 {
		all[fmt.Sprint("a", i)] = obj{"DataType": "String", "StringValue": "v"}
	}
	return all
}()

var provokedBySends = map[string]provocation{
	"body-absent": inTurn(
		sendingWith("q", obj{"MessageBody": ""}),
		func(c *client, operation string) []trial {
			return tried(c.sending(operation, "q", obj{"DelaySeconds": 1}))
		},
	),
	"body-forbidden-character": inTurn(sendingWith("q", obj{"MessageBody": "\x00"}), sendingWith("q", obj{"MessageBody": "a\uffff"})),
	"message-over-size": func(c *client, operation string) []trial {
		c.ok(c.set("q", map[string]string{"MaximumMessageSize": "1024"}))
		return inTurn(
			sendingWith("q", obj{"MessageBody": letters(1025)}, "value", "1024"),
			sendingWith("q", obj{"MessageBody": letters(1017), "MessageAttributes": obj{"k": obj{"DataType": "String", "StringValue": "v"}}}, "value", "1024"),
		)(c, operation)
	},
	"delay-range":             inTurn(sendingWith("q", obj{"DelaySeconds": -1}, "value", "-1"), sendingWith("q", obj{"DelaySeconds": 901}, "value", "901")),
	"delay-on-fifo":           sendingWith("q.fifo", obj{"DelaySeconds": 2, "MessageGroupId": "g", "MessageDeduplicationId": "d"}, "value", "2"),
	"group-absent-on-fifo":    sendingWith("q.fifo", obj{"MessageDeduplicationId": "d"}),
	"dedup-id-absent-on-fifo": sendingWith("q.fifo", obj{"MessageGroupId": "g"}),
	"group-malformed": func(c *client, operation string) (all []trial) {
		for _, bad := range []string{"", letters(129), "a b", "é", "a\n"} {
			all = append(all, sendingWith("q", obj{"MessageGroupId": bad}, "value", bad)(c, operation)...)
			all = append(all, sendingWith("q.fifo", obj{"MessageGroupId": bad, "MessageDeduplicationId": "d"}, "value", bad)(c, operation)...)
		}
		return all
	},
	"dedup-id-malformed": func(c *client, operation string) (all []trial) {
		for _, bad := range []string{"", letters(129), "a b", "é"} {
			all = append(all, sendingWith("q.fifo", obj{"MessageGroupId": "g", "MessageDeduplicationId": bad}, "value", bad)(c, operation)...)
		}
		return all
	},
	"dedup-id-on-standard": sendingWith("q", obj{"MessageDeduplicationId": "d"}, "value", "d"),

	"eleven-attributes":              sendingWith("q", obj{"MessageAttributes": elevenAttributes}, "value", "11"),
	"attribute-name-empty":           attributeNamed(""),
	"attribute-name-character":       attributeNamed("a b", "a!", "a\"", "§", "(", "?", "中"),
	"attribute-name-reserved":        attributeNamed("AWS.x", "aws.x", "Amazon.x", "AMAZON.x"),
	"attribute-name-starts-with-dot": attributeNamed(".a"),
	"attribute-name-ends-with-dot":   attributeNamed("a."),
	"attribute-name-two-dots":        attributeNamed("a..b"),
	"attribute-name-257-bytes":       attributeNamed(letters(257)),
	"attribute-without-value":        attributeValued(obj{"DataType": "String"}),
	"attribute-without-type":         inTurn(attributeValued(obj{"StringValue": "v"}), attributeValued(obj{"StringValue": "v", "DataType": ""})),
	"attribute-type-unknown": inTurn(
		attributeValued(obj{"StringValue": "v", "DataType": "Text"}),
		attributeValued(obj{"StringValue": "v", "DataType": "string"}),
		attributeValued(obj{"StringValue": "v", "DataType": "Strings"}),
	),
	"attribute-type-257-bytes": attributeValued(obj{"StringValue": "v", "DataType": "String." + letters(250)}),
	"attribute-value-empty": inTurn(
		attributeValued(obj{"StringValue": "", "DataType": "String"}, "type", "String"),
		attributeValued(obj{"StringValue": "", "DataType": "Number.x"}, "type", "Number.x"),
		attributeValued(obj{"BinaryValue": []byte{}, "DataType": "Binary"}, "type", "Binary"),
	),
	"attribute-two-values": attributeValued(obj{"StringValue": "v", "BinaryValue": []byte("v"), "DataType": "String"}),
	"attribute-text-in-wrong-member": inTurn(
		attributeValued(obj{"BinaryValue": []byte("v"), "DataType": "String"}, "type", "String"),
		attributeValued(obj{"BinaryValue": []byte("v"), "DataType": "Number.x"}, "type", "Number.x"),
	),
	"attribute-binary-in-wrong-member": attributeValued(obj{"StringValue": "v", "DataType": "Binary"}),
	"attribute-no-number": inTurn(
		attributeValued(obj{"StringValue": "x", "DataType": "Number"}),
		attributeValued(obj{"StringValue": "1 ", "DataType": "Number.int"}),
		attributeValued(obj{"StringValue": "NaN", "DataType": "Number"}),
		attributeValued(obj{"StringValue": "0x10", "DataType": "Number"}),
	),
	"attribute-forbidden-character": attributeValued(obj{"StringValue": "\x01", "DataType": "String"}),
	"attribute-list": inTurn(
		attributeValued(obj{"StringListValues": []string{"x"}, "DataType": "String"}),
		attributeValued(obj{"StringListValues": []string{"x"}, "StringValue": "x", "DataType": "String"}),
	),
	"system-attribute-unknown": sendingWith("q", obj{"MessageSystemAttributes": obj{"Foo": obj{"DataType": "String", "StringValue": "v"}}}, "name", "Foo"),
}

// receiving asks q with a number that is out of its range.
func receiving(parameter string, numbers ...int) provocation {
	return func(c *client, operation string) (all []trial) {
		for _, n := range numbers {
			all = append(all, trial{c.call(operation, "q", parameter, n), []string{"value", fmt.Sprint(n)}})
		}
		return all
	}
}

// held sends a message, receives it and returns its handle.
func (c *client) held(queue string) string {
	c.t.Helper()
	if strings.HasSuffix(queue, ".fifo") {
		c.fifo(queue, "g", "m")
	} else {
		c.sends(queue, "m")
	}
	return c.take(queue).handle
}

// about calls an operation on a receipt handle, single or in a batch.
func (c *client) about(operation, queue string, in obj) reply {
	c.t.Helper()
	if strings.HasSuffix(operation, "/entry") {
		return c.entry(operation, queue, in)
	}
	in = maps.Clone(in)
	in["QueueUrl"] = queueURL(queue)
	return c.wire.(sqs).call(operation, in)
}

// handled tries an operation with a handle and, where it takes one, a timeout.
func (c *client) handled(operation, queue, handle string) []trial {
	c.t.Helper()
	in := obj{"ReceiptHandle": handle}
	if strings.HasPrefix(operation, "Change") {
		in["VisibilityTimeout"] = 5
	}
	return tried(c.about(operation, queue, in), "value", handle)
}

// withoutHandle tries an operation without a handle, and with an empty one.
func withoutHandle(c *client, operation string) []trial {
	in := obj{}
	if strings.HasPrefix(operation, "Change") {
		in["VisibilityTimeout"] = 5
	}
	all := tried(c.about(operation, "q", in))
	in["ReceiptHandle"] = ""
	return append(all, tried(c.about(operation, "q", in))...)
}

var provokedByReceipts = map[string]provocation{
	"max-messages-range":       receiving("MaxNumberOfMessages", 0, 11, -1),
	"wait-range":               receiving("WaitTimeSeconds", -1, 21),
	"receive-visibility-range": receiving("VisibilityTimeout", -1, 43201),
	"too-many-in-flight": func(c *client, operation string) []trial {
		c.sends("q", "a", "b", "c")
		c.takes("q", 2)
		return []trial{{got: c.call(operation, "q")}, {got: c.call(operation, "q", "WaitTimeSeconds", 0)}}
	},
	"attempt-spent": func(c *client, _ string) []trial {
		c.fifo("q.fifo", "g", "m")
		first := c.receive("q.fifo", asking{attempt: new("a1")})
		c.ok(c.remove("q.fifo", first.messages[0].handle))
		return tried(c.receive("q.fifo", asking{attempt: new("a1")}).reply, "value", "a1")
	},
	"delete-handle-absent": withoutHandle,
	"change-handle-absent": withoutHandle,
	"handle-absent":        withoutHandle,
	"handle-garbage": func(c *client, operation string) (all []trial) {
		c.made("other", nil)
		for _, bad := range []string{"fake", "AQEB", "AQEBfake", "a \"b\" <c>", letters(2000), c.held("other")} {
			all = append(all, c.handled(operation, "q", bad)...)
		}
		return all
	},
	"handle-expired-on-fifo": func(c *client, operation string) []trial {
		handle := c.held("q.fifo")
		c.after(30)
		return c.handled(operation, "q.fifo", handle)
	},
	"change-timeout-absent": func(c *client, operation string) []trial {
		return tried(c.about(operation, "q", obj{"ReceiptHandle": c.held("q")}))
	},
	"change-timeout-range": func(c *client, operation string) (all []trial) {
		handle := c.held("q")
		for _, n := range []int{-1, 43201} {
			all = append(all, tried(c.about(operation, "q", obj{"ReceiptHandle": handle, "VisibilityTimeout": n}), "value", fmt.Sprint(n))...)
		}
		return all
	},
	"message-gone": func(c *client, operation string) []trial {
		deleted := c.held("q")
		c.ok(c.remove("q", deleted))
		expired := c.held("q.fifo")
		c.after(30)
		all := append(c.handled(operation, "q", deleted), c.handled(operation, "q.fifo", expired)...)
		c.take("q.fifo") // now it is superseded
		return append(all, c.handled(operation, "q.fifo", expired)...)
	},
	"over-twelve-hours": func(c *client, operation string) []trial {
		handle := c.held("q")
		c.after(1)
		return tried(c.about(operation, "q", obj{"ReceiptHandle": handle, "VisibilityTimeout": 43200}), "value", "43200")
	},
}
