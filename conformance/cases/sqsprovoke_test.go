package cases_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
)

// The requests that provoke the errors of SQS: of this file, those about requests and queues. Before each there are the
// queues q, q.fifo, dead, and source, whose dead letters go to dead.

var sqsProvocations = joined(provokedByRequests, provokedByQueues, provokedBySends, provokedByReceipts, provokedByRest)

func joined(tables ...map[string]provocation) map[string]provocation {
	all := map[string]provocation{}
	for _, t := range tables {
		for trigger, p := range t {
			if all[trigger] != nil {
				panic(trigger + " is provoked twice")
			}
			all[trigger] = p
		}
	}
	return all
}

// Why errors are not provoked here.
const (
	noSignatures = "it needs signed requests, as the tests of protocols/sqs make them for servers that verify"
	noAccess     = "policies hold only where signatures are verified; the tests of protocols/sqs have them"
	noKMS        = "there is no key management: keys are kept and shown, and encrypt nothing"
	nothingNamed = "no request is known that brings it about"
)

var sqsNotServed = map[string]string{
	"query-parameter-broken":      nothingNamed,
	"throttled":                   "there are no rate limits",
	"server-overloaded":           "nothing limits the load",
	"encrypted-queue-without-tls": "all queues are encrypted by default, and a local server has no TLS",
	"address-of-old":              "newer recordings answer such addresses with a missing queue: queue-url-nonsense",
	"operation-unsupported":       "its one known cause is attribute-list",
	"key-unknown":                 noSignatures,
	"signature-wrong":             noSignatures,
	"signature-old":               noSignatures,
	"signature-early":             noSignatures,
	"scope-region-wrong":          noSignatures,
	"token-expired":               noSignatures,
	"unsigned":                    noSignatures,
	"authorization-incomplete":    noSignatures,
	"presigned-expired":           noSignatures,
	"account-not-subscribed":      "every account may use everything",
	"identity-policy-silent":      noAccess,
	"queue-policy-denies":         noAccess,
	"denied-in-old-words":         noAccess,
	"queue-of-others":             "the words of 2015 to 2018; today's are those of queue-unknown, for queues of other accounts too",
	"group-on-standard-of-old":    "standard queues take groups since July 2025",
	"kms-access-denied":           noKMS,
	"kms-disabled":                noKMS,
	"kms-key-usage":               noKMS,
	"kms-state":                   noKMS,
	"kms-not-found":               noKMS,
	"kms-opt-in":                  noKMS,
	"kms-throttled":               noKMS,
	"id-format-of-old":            "nobody has seen it",
	"message-not-in-flight":       "nobody has seen it: other errors are answered where the reference promises it",
}

// call calls an operation about a queue, or about none if the queue is "".
func (c *client) call(operation, queue string, more ...any) reply {
	c.t.Helper()
	in := onQueue(queue, more...)
	if queue == "" {
		delete(in, "QueueUrl")
	}
	return c.wire.(sqs).call(operation, in)
}

// onQueues are inputs that are good but for the queue, of all operations on one.
var onQueues = map[string]obj{
	"AddPermission":                {"Label": "l", "AWSAccountIds": []string{sqsHome}, "Actions": []string{"SendMessage"}},
	"ChangeMessageVisibility":      {"ReceiptHandle": "x", "VisibilityTimeout": 1},
	"ChangeMessageVisibilityBatch": {"Entries": []obj{{"Id": "a", "ReceiptHandle": "x", "VisibilityTimeout": 1}}},
	"DeleteMessage":                {"ReceiptHandle": "x"},
	"DeleteMessageBatch":           {"Entries": []obj{{"Id": "a", "ReceiptHandle": "x"}}},
	"DeleteQueue":                  {},
	"GetQueueAttributes":           {},
	"ListDeadLetterSourceQueues":   {},
	"ListQueueTags":                {},
	"PurgeQueue":                   {},
	"ReceiveMessage":               {},
	"RemovePermission":             {"Label": "l"},
	"SendMessage":                  {"MessageBody": "m"},
	"SendMessageBatch":             {"Entries": []obj{{"Id": "a", "MessageBody": "m"}}},
	"SetQueueAttributes":           {"Attributes": map[string]string{"DelaySeconds": "1"}},
	"TagQueue":                     {"Tags": map[string]string{"k": "v"}},
	"UntagQueue":                   {"TagKeys": []string{"k"}},
}

// onEachQueue calls all operations on a queue with one QueueUrl, or without.
func onEachQueue(c *client, url string) (all []trial) {
	for operation, in := range onQueues {
		in = maps.Clone(in)
		if url != "-" {
			in["QueueUrl"] = url
		}
		all = append(all, trial{got: c.wire.(sqs).call(operation, in)})
	}
	return all
}

// ask sends a request of JSON as it is written.
func (c *client) ask(operation, body string) reply {
	c.t.Helper()
	s := c.wire.(sqs)
	return s.answered(s.do(s.raw("application/x-amz-json-1.0", "AmazonSQS."+operation, body)))
}

func (c *client) askForm(form string) reply {
	c.t.Helper()
	s := c.wire.(sqs)
	return s.answered(s.do(s.raw("application/x-www-form-urlencoded", "", form)))
}

var provokedByRequests = map[string]provocation{
	"queue-unknown": func(c *client, operation string) []trial {
		if operation != "any" {
			return tried(c.call(operation, "nope"))
		}
		return append(onEachQueue(c, queueURL("nope")), trial{got: c.call("GetQueueUrl", "", "QueueName", "nope")})
	},
	"queue-url-nonsense": func(c *client, _ string) []trial { return onEachQueue(c, "http://whatever-incorrect-queue-address") },
	"queue-url-absent":   func(c *client, _ string) []trial { return append(onEachQueue(c, "-"), onEachQueue(c, "")...) },
	"action-unknown": func(c *client, _ string) []trial {
		s := c.wire.(sqs)
		if s.form {
			return []trial{{c.askForm("Action=FooBar"), []string{"value", "FooBar"}}, {c.askForm("Action=sendmessage"), []string{"value", "sendmessage"}}}
		}
		return []trial{
			{got: c.ask("Bogus", "{}")},
			{got: c.ask("", "{}")},
			{got: c.ask("sendMessage", "{}")},
			{got: s.answered(s.do(s.raw("application/x-amz-json-1.0", "", "{}")))},
			{got: s.answered(s.do(s.raw("application/x-amz-json-1.0", "DynamoDB_20120810.ListTables", "{}")))},
		}
	},
	"action-not-for-queue-path": func(c *client, operation string) []trial {
		r := httptest.NewRequest(http.MethodGet, queueURL("q")+"?Action="+operation+"&QueueName=x", nil)
		return tried(c.wire.(sqs).answered(c.do(r)), "value", operation)
	},
	"get-without-action": func(c *client, _ string) []trial {
		r := httptest.NewRequest(http.MethodGet, queueURL("q"), nil)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		got := c.do(r)
		return tried(reply{status: got.status, code: "UnknownOperationException", text: got.body})
	},
	"post-without-action": func(c *client, _ string) []trial { return tried(c.askForm("QueueName=x")) },
	"version-unknown": func(c *client, _ string) []trial {
		return tried(c.askForm("Action=ListQueues&Version=2099-01-01"), "value", "2099-01-01")
	},
	"query-string-broken": func(c *client, _ string) []trial {
		return []trial{{got: c.askForm("Action=ListQueues&x=%zz")}, {got: c.askForm("Action=ListQueues&%")}}
	},
	"json-broken": func(c *client, _ string) (all []trial) {
		for _, body := range []string{"{", "[]", `"x"`, "{}{}", `{"QueueName":}`, "\x00", `{"QueueName":"` + "\xff" + `"}`, "{'a':1}", strings.Repeat("[", 100_000)} {
			all = append(all, trial{got: c.ask("GetQueueUrl", body)})
		}
		return all
	},
	"json-map-for-scalar": func(c *client, _ string) []trial {
		return []trial{{got: c.ask("GetQueueUrl", `{"QueueName":{}}`)}, {got: c.ask("ReceiveMessage", `{"WaitTimeSeconds":{"a":1}}`)}}
	},
	"json-list-for-scalar": func(c *client, _ string) []trial {
		return []trial{{got: c.ask("GetQueueUrl", `{"QueueName":[]}`)}, {got: c.ask("ReceiveMessage", `{"WaitTimeSeconds":[1]}`)}}
	},
	"json-list-for-attribute": func(c *client, operation string) []trial {
		return tried(c.ask(operation, `{"QueueName":"x","QueueUrl":"`+queueURL("q")+`","Attributes":{"DelaySeconds":["1"]}}`))
	},
	"json-text-for-number": func(c *client, _ string) []trial {
		return []trial{{got: c.ask("ReceiveMessage", `{"WaitTimeSeconds":"1"}`)}, {got: c.ask("SendMessageBatch", `{"Entries":[{"DelaySeconds":"1"}]}`)}}
	},
	"json-flag-for-number": func(c *client, _ string) []trial {
		return []trial{
			{c.ask("ReceiveMessage", `{"WaitTimeSeconds":true}`), []string{"flag", "TRUE"}},
			{c.ask("ReceiveMessage", `{"WaitTimeSeconds":false}`), []string{"flag", "FALSE"}},
		}
	},
	"json-number-for-text": func(c *client, operation string) []trial { return tried(c.ask(operation, withAttribute("1"))) },
	"json-flag-for-text": func(c *client, operation string) []trial {
		return []trial{{c.ask(operation, withAttribute("true")), []string{"flag", "TRUE"}}, {c.ask(operation, withAttribute("false")), []string{"flag", "FALSE"}}}
	},
	// A server that is being closed answers like one with a broken store.
	"server-fault": func(c *client, _ string) []trial {
		faults := 0
		c.expectFaults(func() { faults++ })
		failsIf(c.t, c.server.Close() != nil, "Close failed")
		s := c.wire.(sqs)
		got := c.do(s.request("SendMessage", onQueue("q", "MessageBody", "m")))
		failsIf(c.t, faults != 1, "%d faults were reported, want 1", faults)
		failsIf(c.t, strings.Contains(got.body, "closed"), "the fault is told to the client: %s", got.body)
		if s.form {
			doc, _ := parseXML(got.body)
			failsIf(c.t, doc.at("Error/Type") != "Receiver", "Type is %s", doc.at("Error/Type"))
			return tried(reply{status: got.status, code: doc.at("Error/Code"), text: doc.at("Error/Message")})
		}
		code, receiver := strings.CutSuffix(strings.Join(got.header["x-amzn-query-error"], ","), ";Receiver")
		failsIf(c.t, !receiver, "x-amzn-query-error is %v", got.header["x-amzn-query-error"])
		kind, _, _ := strings.Cut(strings.TrimPrefix(got.body, `{"__type":"`), `"`)
		return tried(reply{status: got.status, code: code, kind: kind})
	},
}

// withAttribute is a message of JSON with an attribute, alone and in a batch.
func withAttribute(value string) string {
	m := `"MessageBody":"m","MessageAttributes":{"a":{"DataType":"String","StringValue":` + value + `}}`
	return `{"QueueUrl":"` + queueURL("q") + `",` + m + `,"Entries":[{"Id":"a",` + m + `}]}`
}

// setting creates a queue or changes one with attributes, as the operation says.
func (c *client) setting(operation, queue string, settings map[string]string) reply {
	c.t.Helper()
	if operation == "SetQueueAttributes" {
		return c.set(queue, settings)
	}
	if strings.HasSuffix(queue, ".fifo") {
		settings = maps.Clone(settings)
		settings["FifoQueue"] = "true"
	}
	return c.create("new"+queue, settings)
}

// attributeWith tries values of an attribute on a standard queue.
func attributeWith(name string, values ...string) provocation {
	return func(c *client, operation string) (all []trial) {
		for _, value := range values {
			all = append(all, trial{c.setting(operation, "q", map[string]string{name: value}), []string{"policy", value}})
		}
		return all
	}
}

var provokedByQueues = map[string]provocation{
	"name-absent": func(c *client, _ string) []trial { return tried(c.call("CreateQueue", "")) },
	"name-empty":  func(c *client, _ string) []trial { return tried(c.call("CreateQueue", "", "QueueName", "")) },
	"name-malformed": func(c *client, _ string) (all []trial) {
		for _, name := range []string{"a b", "a/b", "a.b", "é", letters(81), "x.fifo", "a\n"} {
			all = append(all, trial{got: c.create(name, nil)})
		}
		return all
	},
	"name-without-fifo-suffix": func(c *client, _ string) []trial {
		return []trial{{got: c.create("x", fifoQueue())}, {got: c.create("x.FIFO", fifoQueue())}, {got: c.create(".fifo", fifoQueue())}, {got: c.create(letters(76)+".fifo", fifoQueue())}}
	},
	"made-with-other-settings": func(c *client, _ string) []trial {
		return []trial{
			{c.create("q", map[string]string{"VisibilityTimeout": "31"}), []string{"value", "VisibilityTimeout"}},
			{c.create("q.fifo", fifoQueue("ContentBasedDeduplication", "true")), []string{"value", "ContentBasedDeduplication"}},
			{c.create("source", map[string]string{"RedrivePolicy": redrive("dead", 6)}), []string{"value", "RedrivePolicy"}},
		}
	},
	"deleted-a-moment-ago": func(c *client, _ string) []trial {
		c.ok(c.drop("q"))
		c.after(59.999)
		return tried(c.create("q", nil))
	},
	"fifo-attribute-on-standard": func(c *client, operation string) []trial {
		if operation == "CreateQueue" {
			return tried(c.create("new", map[string]string{"FifoQueue": "false"}))
		}
		return []trial{{got: c.set("q", map[string]string{"FifoQueue": "true"})}, {got: c.set("q", map[string]string{"FifoQueue": "false"})}}
	},
	"content-dedup-on-standard":    attributeWith("ContentBasedDeduplication", "true", "false"),
	"dedup-scope-on-standard":      attributeWith("DeduplicationScope", "queue"),
	"throughput-limit-on-standard": attributeWith("FifoThroughputLimit", "perQueue"),
	"attribute-unknown": func(c *client, operation string) (all []trial) {
		for _, name := range []string{"Foo", "delaySeconds", "All", "QueueArn", "ApproximateNumberOfMessages"} {
			all = append(all, trial{c.setting(operation, "q", map[string]string{name: "1"}), []string{"value", name}})
		}
		return all
	},
	"delay-attribute-range":      attributeWith("DelaySeconds", "-1", "901", "x", ""),
	"size-attribute-range":       attributeWith("MaximumMessageSize", "1023", "1048577", "x", ""),
	"retention-attribute-range":  attributeWith("MessageRetentionPeriod", "59", "1209601", "x", ""),
	"wait-attribute-range":       attributeWith("ReceiveMessageWaitTimeSeconds", "-1", "21", "x", ""),
	"visibility-attribute-range": attributeWith("VisibilityTimeout", "-1", "43201", "x", ""),
	"key-reuse-attribute-range":  attributeWith("KmsDataKeyReusePeriodSeconds", "59", "86401", "x", ""),
	"managed-encryption-no-flag": attributeWith("SqsManagedSseEnabled", "x", "", "1"),
	"throughput-limit-without-scope": func(c *client, operation string) []trial {
		return []trial{
			{got: c.setting(operation, "q.fifo", map[string]string{"FifoThroughputLimit": "perMessageGroupId"})},
			{got: c.setting(operation, "q.fifo", map[string]string{"FifoThroughputLimit": "perMessageGroupId", "DeduplicationScope": "queue"})},
		}
	},
	"fifo-attribute-false-on-fifo": func(c *client, _ string) []trial {
		return tried(c.set("q.fifo", map[string]string{"FifoQueue": "false"}))
	},
	"attribute-name-absent": func(c *client, _ string) []trial {
		return []trial{{got: c.call("SetQueueAttributes", "q")}, {got: c.set("q", map[string]string{})}, {got: c.set("q", map[string]string{"": "1"})}}
	},
	"attribute-value-absent": func(c *client, _ string) []trial {
		return tried(c.askForm("Action=SetQueueAttributes&QueueUrl=" + queueURL("q") + "&Attribute.1.Name=DelaySeconds"))
	},
	"two-encryptions": func(c *client, operation string) []trial {
		return tried(c.setting(operation, "q", map[string]string{"KmsMasterKeyId": "k", "SqsManagedSseEnabled": "true"}))
	},
	"policy-malformed": attributeWith("Policy", "x", "[]", "{}", `{"Statement":[]}`, policyOf("2012-10-18", 1), `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*"}]}`,
		`{"Version":"2012-10-17","Statement":[{"Effect":"Perhaps","Principal":"*","Action":"*"}]}`),
	"policy-of-21-statements": func(c *client, operation string) []trial {
		return tried(c.setting(operation, "q", map[string]string{"Policy": policyOf("2012-10-17", 21)}), "value", "21")
	},
	"attribute-asked-unknown": func(c *client, operation string) []trial {
		return []trial{
			{c.call(operation, "q", "AttributeNames", []string{"Foo"}), []string{"value", "Foo"}},
			{c.call(operation, "q", "AttributeNames", []string{"All", "all"}), []string{"value", "all"}},
		}
	},
	"name-absent-or-empty": func(c *client, operation string) []trial {
		return []trial{{got: c.call(operation, "")}, {got: c.call(operation, "", "QueueName", "")}}
	},
	"page-size-range": func(c *client, operation string) []trial {
		return []trial{{got: c.call(operation, "dead", "MaxResults", -1)}, {got: c.call(operation, "dead", "MaxResults", 1001)}}
	},
	"token-without-page-size": func(c *client, operation string) []trial {
		return tried(c.call(operation, "", "NextToken", c.page(operation, "")))
	},
	"token-of-other-list": func(c *client, operation string) []trial {
		return tried(c.call(operation, "", "MaxResults", 1, "NextToken", c.page(operation, ""), "QueueNamePrefix", "q"))
	},
	"token-broken": func(c *client, operation string) []trial {
		return []trial{{got: c.call(operation, "dead", "MaxResults", 1, "NextToken", "x")}, {got: c.call(operation, "dead", "MaxResults", 1, "NextToken", "QUJD")}}
	},
	"purged-a-moment-ago": func(c *client, operation string) []trial {
		c.must(c.call(operation, "q"), "200")
		c.after(59.999)
		return tried(c.call(operation, "q"), "value", "q")
	},
}

// page returns the token of the second page of a list of queues.
func (c *client) page(operation, queue string) string {
	c.t.Helper()
	got := c.call(operation, queue, "MaxResults", 1)
	c.must(got, "200")
	token := text(c.wire.(sqs).result(operation, got), "NextToken")
	failsIf(c.t, token == "", "no token in %s", got.body)
	return token
}

// policyOf is an access policy of so many statements.
func policyOf(version string, statements int) string {
	var all []string
	for i := range statements {
		all = append(all, fmt.Sprintf(`{"Sid":"s%d","Effect":"Allow","Principal":"*","Action":"SQS:SendMessage"}`, i))
	}
	return `{"Version":"` + version + `","Statement":[` + strings.Join(all, ",") + `]}`
}
