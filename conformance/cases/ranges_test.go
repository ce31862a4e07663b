package cases_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// bound is a number of a request with its range. Its refusal may name the number as {n}.
type bound struct {
	name     string
	min, max int
	try      func(c *client, n int) reply
	refusal  string
}

// check tries a number below its range, at both ends and above.
func (b bound) check(c *client) {
	c.t.Helper()
	for _, n := range []int{b.min - 1, b.min, b.max, b.max + 1} {
		got := b.try(c, n)
		if b.min <= n && n <= b.max {
			if got.status >= 300 {
				c.t.Errorf("%s: %s = %d: got %v, want a success", c.protocol, b.name, n, got)
			}
			continue
		}
		if want := strings.ReplaceAll(b.refusal, "{n}", fmt.Sprint(n)); got.String() != want {
			c.t.Errorf("%s: %s = %d: got\n%v, want\n%s", c.protocol, b.name, n, got, want)
		}
	}
}

// attributeRanges are the numbers among the attributes of a queue of SQS.
var attributeRanges = map[string][2]int{
	"DelaySeconds": {0, 900}, "MaximumMessageSize": {1024, 1 << 20}, "MessageRetentionPeriod": {60, 1_209_600},
	"ReceiveMessageWaitTimeSeconds": {0, 20}, "VisibilityTimeout": {0, 43200}, "KmsDataKeyReusePeriodSeconds": {60, 86400},
}

func TestQueueAttributesOfSQSHaveRanges(t *testing.T) {
	each(t, "ranges", onlySQS, func(c *client) {
		c.made("q", map[string]string{"KmsMasterKeyId": "key"})
		queues := 0
		for name, r := range attributeRanges {
			refusal := "400 InvalidAttributeValue: Invalid value for the parameter " + name + "."
			set := func(c *client, n int) reply { return c.set("q", map[string]string{name: fmt.Sprint(n)}) }
			create := func(c *client, n int) reply {
				queues++
				return c.create(fmt.Sprint("q", queues), map[string]string{name: fmt.Sprint(n)})
			}
			bound{"SetQueueAttributes " + name, r[0], r[1], set, refusal}.check(c)
			bound{"CreateQueue " + name, r[0], r[1], create, refusal}.check(c)
			got, _ := c.settings("q")
			c.same(name+" after refusals", got[name], r[1])
			for _, bad := range []string{"", "x", "1.5", " 60", "+60", "60s", "1e3", "0x40", "99999999999999999999"} {
				c.must(c.set("q", map[string]string{name: bad}), refusal)
			}
			got, _ = c.settings("q")
			c.same(name+" after refusals", got[name], r[1])
		}
	})
}

func TestNumbersOfSQSHaveRanges(t *testing.T) {
	value := func(parameter, reason string) string {
		return "400 InvalidParameterValue: Value {n} for parameter " + parameter + " is invalid. Reason: " + reason
	}
	of := func(parameter, reason string) string {
		return "400 InvalidParameterValue: Value for parameter " + parameter + " is invalid. Reason: " + reason
	}
	const ifProvided = ", if provided."
	each(t, "ranges", onlySQS, func(c *client) {
		s := c.wire.(sqs)
		c.made("dlq", nil)
		c.made("q", map[string]string{"VisibilityTimeout": "0", "RedrivePolicy": redrive("dlq", 1000)})
		c.sends("q", "m")
		handle := c.take("q").handle
		call := func(operation, parameter string, in obj) func(*client, int) reply {
			return func(_ *client, n int) reply {
				in[parameter] = n
				return s.call(operation, in)
			}
		}
		policy := func(_ *client, n int) reply { return c.set("q", map[string]string{"RedrivePolicy": redrive("dlq", n)}) }
		for _, b := range []bound{
			{"SendMessage DelaySeconds", 0, 900, call("SendMessage", "DelaySeconds", onQueue("q", "MessageBody", "m")), value("DelaySeconds", "DelaySeconds must be >= 0 and <= 900.")},
			{"MaxNumberOfMessages", 1, 10, call("ReceiveMessage", "MaxNumberOfMessages", onQueue("q")), value("MaxNumberOfMessages", "Must be between 1 and 10"+ifProvided)},
			{"WaitTimeSeconds", 0, 20, call("ReceiveMessage", "WaitTimeSeconds", onQueue("q")), value("WaitTimeSeconds", "Must be >= 0 and <= 20"+ifProvided)},
			{"ReceiveMessage VisibilityTimeout", 0, 43200, call("ReceiveMessage", "VisibilityTimeout", onQueue("q")), value("VisibilityTimeout", "Must be >= 0 and <= 43200"+ifProvided)},
			{
				"ChangeMessageVisibility VisibilityTimeout", 0, 43200,
				call("ChangeMessageVisibility", "VisibilityTimeout", onQueue("q", "ReceiptHandle", handle)), value("VisibilityTimeout", "Must be between 0 and 43200."),
			},
			{"maxReceiveCount", 1, 1000, policy, value("RedrivePolicy", "Invalid value for maxReceiveCount: {n}, valid values are from 1 to 1000 both inclusive.")},
		} {
			if b.name == "maxReceiveCount" {
				b.refusal = strings.Replace(b.refusal, "Value {n}", "Value "+strings.Replace(redrive("dlq", 7), "7", "{n}", 1), 1)
			}
			b.check(c)
		}
		// 0 means no limit here (transcribed), so the ranges start below it.
		const page = "MaxResults must be an integer between 1 and 1000."
		bound{"ListQueues MaxResults", 0, 1000, call("ListQueues", "MaxResults", obj{}), of("MaxResults", page)}.check(c)
		bound{"ListDeadLetterSourceQueues MaxResults", 0, 1000, call("ListDeadLetterSourceQueues", "MaxResults", onQueue("dlq")), of("MaxResults", page)}.check(c)
		bound{
			"ListMessageMoveTasks MaxResults", 1, 10, call("ListMessageMoveTasks", "MaxResults", obj{"SourceArn": queueARN("dlq")}),
			of("MaxResults", "You must enter a number that's between 1 and 10."),
		}.check(c)
		move := func(_ *client, n int) reply {
			defer c.after(1) // an empty queue is soon moved
			return s.call("StartMessageMoveTask", obj{"SourceArn": queueARN("dlq"), "MaxNumberOfMessagesPerSecond": n})
		}
		bound{"MaxNumberOfMessagesPerSecond", 1, 500, move, of("MaxNumberOfMessagesPerSecond", "You must enter a number that's between 1 and 500.")}.check(c)
	})
}

func TestEntriesOfSQSBatchesHaveRanges(t *testing.T) {
	each(t, "ranges", onlySQS, func(c *client) {
		c.made("q", nil)
		s := c.wire.(sqs)
		// entry calls an operation for one entry and turns its failure into a reply.
		entry := func(operation, parameter string, in obj) func(*client, int) reply {
			return func(_ *client, n int) reply {
				in[parameter] = n
				got := s.batch(operation, "q", []obj{in})
				e := got.entries[0]
				if e.code != "" {
					return reply{status: http.StatusBadRequest, code: e.code, text: e.text}
				}
				return got.reply
			}
		}
		c.sends("q", "m")
		handle := c.take("q").handle
		bound{
			"SendMessageBatch DelaySeconds", 0, 900, entry("SendMessageBatch", "DelaySeconds", obj{"MessageBody": "m"}),
			"400 InvalidParameterValue: Value {n} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.",
		}.check(c)
		bound{
			"ChangeMessageVisibilityBatch VisibilityTimeout", 0, 43200, entry("ChangeMessageVisibilityBatch", "VisibilityTimeout", obj{"ReceiptHandle": handle}),
			"400 InvalidParameterValue: Value {n} for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and 43200.",
		}.check(c)
	})
}

func TestLengthsOfSQSHaveRanges(t *testing.T) {
	const id = "can only include alphanumeric and punctuation characters. 1 to 128 in length."
	long := func(n int) string { return strings.Repeat("x", max(n, 0)) }
	each(t, "ranges", onlySQS, func(c *client) {
		s := c.wire.(sqs)
		c.made("q", nil)
		c.made("q.fifo", fifoQueue("ContentBasedDeduplication", "true"))
		send := func(queue string, change func(*sending, string)) func(*client, int) reply {
			return func(_ *client, n int) reply {
				m := sending{body: "m"}
				change(&m, long(n))
				return c.send(queue, m).reply
			}
		}
		value := func(parameter, value string) string {
			return "400 InvalidParameterValue: Value " + value + " for parameter " + parameter + " is invalid. Reason: " + parameter + " " + id
		}
		group := func(m *sending, text string) { m.group = new(text) }
		dedup := func(m *sending, text string) { m.group, m.dedup = new("g"), new(text) }
		tagged := func(key bool) func(*client, int) reply {
			return func(_ *client, n int) reply {
				tags := map[string]string{"k": long(n)}
				if key {
					tags = map[string]string{long(n): "v"}
				}
				return s.call("TagQueue", onQueue("q", "Tags", tags))
			}
		}
		name := func(suffix string) func(*client, int) reply {
			return func(_ *client, n int) reply {
				settings := map[string]string{}
				if suffix != "" {
					settings["FifoQueue"] = "true"
				}
				return c.create(long(n-len(suffix))+suffix, settings)
			}
		}
		attribute := func(_ *client, n int) reply {
			return c.send("q", sending{body: "m", attributes: []attribute{{long(n), "String", "v"}}}).reply
		}
		for _, b := range []bound{
			{"MessageGroupId", 1, 128, send("q", group), ""},
			{"MessageGroupId on FIFO", 1, 128, send("q.fifo", group), ""},
			{"MessageDeduplicationId", 1, 128, send("q.fifo", dedup), ""},
		} {
			parameter, _, _ := strings.Cut(b.name, " ")
			for _, n := range []int{0, 129} {
				c.must(b.try(c, n), value(parameter, long(n)))
			}
			c.must(b.try(c, 1), "200")
			c.must(b.try(c, 128), "200")
		}
		const keys = "400 InvalidParameterValue: Tag keys must be between 1 and 128 characters in length."
		bound{"tag key", 1, 128, tagged(true), keys}.check(c)
		c.must(tagged(false)(c, 256), "200")
		c.same("status of a long tag", tagged(false)(c, 257).code, "InvalidParameterValue")
		c.must(name("")(c, 80), "200")
		c.must(name("")(c, 81), "400 InvalidParameterValue: Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")
		c.must(name("")(c, 0), "400 InvalidParameterValue: Queue name cannot be empty")
		c.must(name(".fifo")(c, 80), "200")
		for _, n := range []int{5, 81} {
			c.must(name(".fifo")(c, n), "400 InvalidParameterValue: The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.")
		}
		c.must(attribute(c, 256), "200")
		c.must(attribute(c, 257), "400 InvalidParameterValue: Message (user) attribute name must be shorter than 256 bytes.")
	})
}

// TestQueueAttributesOfMNSHaveRanges is of the bounds that the reference pages give now; older ones differ.
func TestQueueAttributesOfMNSHaveRanges(t *testing.T) {
	ranges := map[string]bound{
		"DelaySeconds":                  {"DelaySeconds", 0, 604_800, nil, " seconds"},
		"MaximumMessageSize":            {"MaximumMessageSize", 1024, 65536, nil, " bytes"},
		"MessageRetentionPeriod":        {"MessageRetentionPeriod", 60, 604_800, nil, " seconds"},
		"VisibilityTimeout":             {"VisibilityTimeout", 1, 43200, nil, " seconds"},
		"ReceiveMessageWaitTimeSeconds": {"PollingWaitSeconds", 0, 30, nil, " seconds"},
	}
	each(t, "K66", onlyMNS, func(c *client) {
		c.made("q", nil)
		queues := 0
		for name, b := range ranges {
			b.refusal = fmt.Sprintf("400 InvalidArgument: The value of %s should between %d and %d%s.", b.name, b.min, b.max, b.refusal)
			b.try = func(c *client, n int) reply { return c.set("q", map[string]string{name: strconv.Itoa(n)}) }
			b.check(c)
			b.try = func(c *client, n int) reply {
				queues++
				return c.create(fmt.Sprint("q", queues), map[string]string{name: strconv.Itoa(n)})
			}
			b.check(c)
			for _, bad := range []string{"", "x", "1.5", "60s", "1e3"} {
				c.must(c.set("q", map[string]string{name: bad}),
					"400 InvalidArgument: The XML you provided did not validate against our published schema, cause by "+b.name+".")
			}
			c.must(c.set("q", map[string]string{name: "99999999999999999999"}), b.refusal)
			c.restart()
			got, _ := c.settings("q")
			c.same(name+" after refusals", got[name], b.max)
		}
		marked(c.t, "protocols/mns/rules.go", "QueueRetention:")
	})
}

func TestNumbersOfMNSHaveRanges(t *testing.T) {
	each(t, "ranges", onlyMNS, func(c *client) {
		m := c.wire.(mns)
		c.made("q", nil)
		c.sends("q", strings.Fields("a b c d e f g h i j")...)
		call := func(method, target string) func(*client, int) reply {
			return func(_ *client, n int) reply {
				return m.call(method, strings.ReplaceAll(target, "{n}", strconv.Itoa(n)), "")
			}
		}
		message := func(element string) func(*client, int) reply {
			return func(_ *client, n int) reply {
				return m.call(http.MethodPost, "/queues/q/messages", tag("Message", tag("MessageBody", "x")+tag(element, strconv.Itoa(n))))
			}
		}
		listed := func(_ *client, n int) reply {
			r := m.request(http.MethodGet, "/queues", "")
			r.Header.Set("x-mns-ret-number", strconv.Itoa(n))
			return m.answered(m.do(r))
		}
		named := func(_ *client, n int) reply { return c.create(strings.Repeat("x", n), nil) }
		changed := func(_ *client, n int) reply { return c.change("q", c.take("q").handle, n).reply }
		batch := func(_ *client, n int) reply {
			return c.sendBatch("q", slices.Repeat([]sending{{body: "x"}}, n)...).reply
		}
		// A visible message, so that no poll waits.
		visible := func(try func(*client, int) reply) func(*client, int) reply {
			return func(c *client, n int) reply {
				c.sends("q", "x")
				return try(c, n)
			}
		}
		const refusal = "400 InvalidArgument: The value of "
		for _, b := range []bound{
			{"DelaySeconds", 0, 604_800, message("DelaySeconds"), refusal + "DelaySeconds should between 0 and 604800 seconds."},
			{"Priority", 1, 16, message("Priority"), refusal + "Priority should between 1 and 16."},
			{"waitseconds", 0, 30, visible(call(http.MethodGet, "/queues/q/messages?waitseconds={n}")), refusal + "waitseconds should between 0 and 30 seconds."},
			{"waitseconds of a batch", 0, 30, visible(call(http.MethodGet, "/queues/q/messages?numOfMessages=1&waitseconds={n}")), refusal + "waitseconds should between 0 and 30 seconds."},
			{"numOfMessages of a peek", 1, 16, visible(call(http.MethodGet, "/queues/q/messages?peekonly=true&numOfMessages={n}")), refusal + "numOfMessages should between 1 and 16."},
			{"numOfMessages", 1, 16, visible(call(http.MethodGet, "/queues/q/messages?numOfMessages={n}")), refusal + "numOfMessages should between 1 and 16."},
			{"VisibilityTimeout", 1, 43200, visible(changed), refusal + "VisibilityTimeout should between 1 and 43200 seconds."},
			{"Messages", 1, 16, batch, refusal + "Messages should between 1 and 16."},
			{"x-mns-ret-number", 1, 1000, listed, refusal + "x-mns-ret-number should between 1 and 1000."},
			{"QueueName", 1, 120, named, "400 QueueNameLengthError: Queue name length should between 1 and 256."},
		} {
			b.check(c)
		}
	})
}

// Numbers that are no numbers are refused before anything is looked up, so they are the same for every operation.
func TestNumbersOfSQSMustBeNumbers(t *testing.T) {
	each(t, "ranges", []string{sqsJSON}, func(c *client) {
		c.made("q", nil)
		for given, text := range map[string]string{
			`"5"`: "STRING_VALUE can not be converted to an Integer", `""`: "STRING_VALUE can not be converted to an Integer",
			`true`: "TRUE_VALUE can not be converted to an Integer", `false`: "FALSE_VALUE can not be converted to an Integer",
			`{}`: "Start of structure or map found where not expected.", `[]`: "Start of list found where not expected",
		} {
			for parameter, operation := range map[string]string{"WaitTimeSeconds": "ReceiveMessage", "DelaySeconds": "SendMessage", "MaxResults": "ListQueues"} {
				got := c.ask(operation, `{"QueueUrl":"`+queueURL("q")+`","MessageBody":"x","`+parameter+`":`+given+`}`)
				c.must(got, "400 MalformedInput: "+text)
			}
		}
		c.counts("q", "0/0/0")
	})
	each(t, "ranges", []string{sqsQuery}, func(c *client) {
		c.made("q", nil)
		for _, given := range []string{"x", "1.5", ""} {
			c.must(c.wire.(sqs).call("ReceiveMessage", onQueue("q", "WaitTimeSeconds", given)), "400 MalformedInput: STRING_VALUE can not be converted to an Integer")
		}
	})
}
