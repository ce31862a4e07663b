package mns

import (
	"strings"
	"testing"
)

// documentedErrors are the errors that the provider documents for the operations of this dialect, each with a request
// that brings it about or with the reason why it does not come up.
var documentedErrors = []struct {
	operation, trigger string
	status             int
	code, text         string
	method, target     string
	body               string
	notServed          string
}{
	{operation: "*", trigger: "no Authorization header", code: "MissingAuthorizationHeader", notServed: signatures},
	{operation: "*", trigger: "Authorization header that cannot be read", code: "InvalidAuthorizationHeader", notServed: signatures},
	{operation: "*", trigger: "no Date header", code: "MissingDateHeader", notServed: signatures},
	{operation: "*", trigger: "Date header that is no date", code: "InvalidDateHeader", notServed: signatures},
	{operation: "*", trigger: "clock difference over 15 minutes", code: "TimeExpired", notServed: signatures},
	{operation: "*", trigger: "unknown access key", code: "InvalidAccessKeyId", notServed: signatures},
	{operation: "*", trigger: "another signature", code: "SignatureDoesNotMatch", notServed: signatures},
	{operation: "*", trigger: "another account, or denied by policy", code: "AccessDenied", notServed: signatures},
	{operation: "*", trigger: "denied by policy", code: "AccessDeniedByRamPolicy", notServed: "there are no policies"},
	{operation: "*", trigger: "wrong Content-MD5", code: "InvalidDegist", notServed: signatures},
	{operation: "*", trigger: "wrong Content-MD5, newer spelling", code: "InvalidDigest", notServed: "InvalidDegist is the documented spelling"},
	{operation: "*", trigger: "no x-mns-version", code: "MissingVersionHeader", notServed: signatures},
	{operation: "*", trigger: "x-mns-version not supported", code: "InvalidVersionHeader", notServed: signatures},
	{operation: "*", trigger: "Content-Type not accepted", code: "InvalidContentType", notServed: "clients send several and the service accepts them"},
	{
		operation: "*", trigger: "path that is no resource", status: 400, code: "InvalidRequestURL", text: "Http request URL format invalid.",
		method: "GET", target: "/queues/q/other?x=1",
	},
	{
		operation: "*", trigger: "unknown query item", status: 400, code: "InvalidQueryString", text: `Http request URL contains invalid querystring item "x".`,
		method: "GET", target: "/queues/q?x=1",
	},
	{operation: "*", trigger: "fault of the service", code: "InternalError", notServed: "not by a request: TestInternalErrorsAreReportedAndKeptSecret"},
	{operation: "*", trigger: "fault of the service", code: "InternalServerError", notServed: "InternalError says the same"},
	{operation: "*", trigger: "rate limit", code: "TooManyRequests", notServed: "there are no rate limits"},
	{operation: "*", trigger: "rate limit of a queue", code: "QpsLimitExceeded", notServed: "there are no rate limits"},

	{
		operation: "CreateQueue", trigger: "same name, other attributes", status: 409, code: "QueueAlreadyExist", text: "The queue you want to create is already exist.",
		method: "PUT", target: "/queues/q", body: "<Queue><DelaySeconds>9</DelaySeconds></Queue>",
	},
	{operation: "CreateQueue", trigger: "deleted moments ago", code: "QueueDeletedRecently", notServed: "how long a name rests is not known"},
	{
		operation: "CreateQueue", trigger: "bad character", status: 400, code: "InvalidQueueName",
		text:   "The queue name you provided is invalid. QueueName should start with alpha and contain only alpha, digit or - .",
		method: "PUT", target: "/queues/a_b",
	},
	{
		operation: "CreateQueue", trigger: "empty name", status: 400, code: "QueueNameLengthError", text: "Queue name length should between 1 and 256.",
		method: "PUT", target: "/queues/",
	},
	{operation: "CreateQueue", trigger: "quota used up", code: "QueueNumExceededLimit", notServed: "there is no quota"},
	{
		operation: "CreateQueue", trigger: "attribute out of range", status: 400, code: "InvalidArgument", text: "The value of PollingWaitSeconds should between 0 and 30 seconds.",
		method: "PUT", target: "/queues/r", body: "<Queue><PollingWaitSeconds>60</PollingWaitSeconds></Queue>",
	},
	{
		operation: "CreateQueue", trigger: "wrong type", status: 400, code: "InvalidArgument", text: schemaError("DelaySeconds"),
		method: "PUT", target: "/queues/r", body: "<Queue><DelaySeconds>x</DelaySeconds></Queue>",
	},
	{
		operation: "CreateQueue", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed,
		method: "PUT", target: "/queues/r", body: "<Queue>",
	},
	{
		operation: "SetQueueAttributes", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue,
		method: "PUT", target: "/queues/none?metaoverride=true", body: "<Queue/>",
	},
	{
		operation: "SetQueueAttributes", trigger: "attribute out of range", status: 400, code: "InvalidArgument", text: "The value of VisibilityTimeout should between 1 and 43200 seconds.",
		method: "PUT", target: "/queues/q?metaoverride=true", body: "<Queue><VisibilityTimeout>0</VisibilityTimeout></Queue>",
	},
	{
		operation: "SetQueueAttributes", trigger: "wrong structure", status: 400, code: "InvalidArgument", text: schemaError("Topic"),
		method: "PUT", target: "/queues/q?metaoverride=true", body: "<Topic/>",
	},
	{
		operation: "SetQueueAttributes", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed,
		method: "PUT", target: "/queues/q?metaoverride=true", body: "x",
	},
	{operation: "GetQueueAttributes", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue, method: "GET", target: "/queues/none"},
	{operation: "DeleteQueue", trigger: "no queue", status: 204, method: "DELETE", target: "/queues/none"},
	{operation: "ListQueue", trigger: "x-mns-ret-number outside 1-1000, bad marker", code: "InvalidArgument", notServed: "needs headers: TestListRefusesBadHeaders"},

	{
		operation: "SendMessage", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue,
		method: "POST", target: "/queues/none/messages", body: message("x"),
	},
	{
		operation: "SendMessage", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed,
		method: "POST", target: "/queues/q/messages", body: "<Message>",
	},
	{
		operation: "SendMessage", trigger: "no body at all", status: 400, code: "MalformedXML", text: malformed,
		method: "POST", target: "/queues/q/messages",
	},
	{
		operation: "SendMessage", trigger: "no MessageBody", status: 400, code: "InvalidArgument", text: schemaError("MessageBody"),
		method: "POST", target: "/queues/q/messages", body: "<Message/>",
	},
	{
		operation: "SendMessage", trigger: "DelaySeconds out of range", status: 400, code: "InvalidArgument", text: "The value of DelaySeconds should between 0 and 604800 seconds.",
		method: "POST", target: "/queues/q/messages", body: "<Message><MessageBody>x</MessageBody><DelaySeconds>604801</DelaySeconds></Message>",
	},
	{
		operation: "SendMessage", trigger: "Priority out of range", status: 400, code: "InvalidArgument", text: "The value of Priority should between 1 and 16.",
		method: "POST", target: "/queues/q/messages", body: "<Message><MessageBody>x</MessageBody><Priority>17</Priority></Message>",
	},
	{
		operation: "SendMessage", trigger: "longer than MaximumMessageSize", status: 400, code: "InvalidArgument", text: "The value of MessageBody should between 1 and 1024 bytes.",
		method: "POST", target: "/queues/q/messages", body: message(strings.Repeat("x", 1025)),
	},
	{operation: "SendMessage, BatchSendMessage", trigger: "FIFO queue, no group", code: "FifoMissingMessageGroupId", notServed: "needs a FIFO queue: TestFIFOQueueNeedsGroups"},
	{
		operation: "BatchSendMessage", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue,
		method: "POST", target: "/queues/none/messages", body: "<Messages>" + message("x") + "</Messages>",
	},
	{
		operation: "BatchSendMessage", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed,
		method: "POST", target: "/queues/q/messages", body: "<Messages><Message></Messages>",
	},
	{
		operation: "BatchSendMessage", trigger: "no messages", status: 400, code: "InvalidArgument", text: "The value of Messages should between 1 and 16.",
		method: "POST", target: "/queues/q/messages", body: "<Messages/>",
	},
	{operation: "BatchSendMessage", trigger: "some fail", code: "InternalServerError", notServed: "in another form: TestBatchSendReportsTheMessageThatFailed"},

	{operation: "ReceiveMessage", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue, method: "GET", target: "/queues/none/messages"},
	{operation: "ReceiveMessage", trigger: "no message", status: 404, code: "MessageNotExist", text: noMessage, method: "GET", target: "/queues/q/messages"},
	{operation: "BatchReceiveMessage", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue, method: "GET", target: "/queues/none/messages?numOfMessages=1"},
	{operation: "BatchReceiveMessage", trigger: "no message", status: 404, code: "MessageNotExist", text: noMessage, method: "GET", target: "/queues/q/messages?numOfMessages=1"},
	{operation: "PeekMessage", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue, method: "GET", target: "/queues/none/messages?peekonly=true"},
	{operation: "PeekMessage", trigger: "no message", status: 404, code: "MessageNotExist", text: noMessage, method: "GET", target: "/queues/q/messages?peekonly=true"},
	{operation: "BatchPeekMessage", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue, method: "GET", target: "/queues/none/messages?peekonly=true&numOfMessages=1"},
	{operation: "BatchPeekMessage", trigger: "no message", status: 404, code: "MessageNotExist", text: noMessage, method: "GET", target: "/queues/q/messages?peekonly=true&numOfMessages=1"},
	{operation: "ReceiveMessage", trigger: "too many long polls", code: "MessageNotExist", notServed: "any number may wait"},
	{
		operation: "ReceiveMessage", trigger: "waitseconds out of range", status: 400, code: "InvalidArgument", text: "The value of waitseconds should between 0 and 30 seconds.",
		method: "GET", target: "/queues/q/messages?waitseconds=31",
	},
	{
		operation: "BatchReceiveMessage", trigger: "numOfMessages no number", status: 400, code: "InvalidArgument", text: "The value of numOfMessages should between 1 and 16.",
		method: "GET", target: "/queues/q/messages?numOfMessages=x",
	},
	{
		operation: "BatchPeekMessage", trigger: "numOfMessages out of range", status: 400, code: "InvalidArgument", text: "The value of numOfMessages should between 1 and 16.",
		method: "GET", target: "/queues/q/messages?peekonly=true&numOfMessages=17",
	},

	{operation: "DeleteMessage", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue, method: "DELETE", target: "/queues/none/messages?ReceiptHandle=x"},
	{operation: "DeleteMessage", trigger: "no handle", status: 400, code: "MissingReceiptHandle", text: "ReceiptHandle is required.", method: "DELETE", target: "/queues/q/messages"},
	{
		operation: "DeleteMessage", trigger: "malformed handle", status: 400, code: "ReceiptHandleError", text: "The receipt handle you provide is not valid.",
		method: "DELETE", target: "/queues/q/messages?ReceiptHandle=x",
	},
	{operation: "DeleteMessage", trigger: "delivery is over", code: "MessageNotExist", notServed: "needs a message: TestReceiveHidesMessageUntilTimeout"},
	{operation: "DeleteMessage", trigger: "bad argument", code: "InvalidArgument", notServed: "a handle that is no handle is ReceiptHandleError"},
	{operation: "BatchDeleteMessage", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue, method: "DELETE", target: "/queues/none/messages", body: handles("x")},
	{
		operation: "BatchDeleteMessage", trigger: "no handles", status: 400, code: "InvalidArgument", text: "The value of ReceiptHandles should between 1 and 16.",
		method: "DELETE", target: "/queues/q/messages", body: "<ReceiptHandles/>",
	},
	{operation: "BatchDeleteMessage", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed, method: "DELETE", target: "/queues/q/messages", body: "<x"},
	{operation: "BatchDeleteMessage", trigger: "some fail", code: "ReceiptHandleError", notServed: "in another form: TestBatchDeleteNamesOnlyWhatFailed"},

	{
		operation: "ChangeMessageVisibility", trigger: "no queue", status: 404, code: "QueueNotExist", text: noQueue,
		method: "PUT", target: "/queues/none/messages?ReceiptHandle=x&VisibilityTimeout=1",
	},
	{
		operation: "ChangeMessageVisibility", trigger: "no handle", status: 400, code: "MissingReceiptHandle", text: "ReceiptHandle is required.",
		method: "PUT", target: "/queues/q/messages?VisibilityTimeout=1",
	},
	{
		operation: "ChangeMessageVisibility", trigger: "no timeout", status: 400, code: "MissingVisibilityTimeout", text: "VisibilityTimeout is required.",
		method: "PUT", target: "/queues/q/messages?ReceiptHandle=x",
	},
	{
		operation: "ChangeMessageVisibility", trigger: "timeout 0", status: 400, code: "InvalidArgument", text: "The value of VisibilityTimeout should between 1 and 43200 seconds.",
		method: "PUT", target: "/queues/q/messages?ReceiptHandle=x&VisibilityTimeout=0",
	},
	{operation: "ChangeMessageVisibility", trigger: "delivery is over", code: "MessageNotExist", notServed: "needs a message: TestChangeVisibilityGivesANewHandle"},
	{
		operation: "ChangeMessageVisibility", trigger: "malformed handle", status: 400, code: "ReceiptHandleError", text: "The receipt handle you provide is not valid.",
		method: "PUT", target: "/queues/q/messages?ReceiptHandle=x&VisibilityTimeout=1",
	},
	{
		operation: "CreateTopic", trigger: "same name, other attributes", status: 409, code: "TopicAlreadyExist", text: "The topic you want to create is already exists.",
		method: "PUT", target: "/topics/t", body: "<Topic><LoggingEnabled>true</LoggingEnabled></Topic>",
	},
	{
		operation: "CreateTopic", trigger: "empty name", status: 400, code: "TopicNameLengthError", text: "Topic name length is out of range, should be between 1 and 256.",
		method: "PUT", target: "/topics/",
	},
	{
		operation: "CreateTopic", trigger: "long name", status: 400, code: "TopicNameLengthError", text: "Topic name length is out of range, should be between 1 and 256.",
		method: "PUT", target: "/topics/" + strings.Repeat("x", 256),
	},
	{
		operation: "CreateTopic", trigger: "bad character", status: 400, code: "TopicNameInvalid",
		text:   "The topic name you provided is invalid. TopicName should start with alpha and contain only alpha, digit or - .",
		method: "PUT", target: "/topics/a_b",
	},
	{operation: "CreateTopic", trigger: "deleted moments ago", code: "TopicDeletedRecently", notServed: "how long a name rests is not known"},
	{
		operation: "CreateTopic", trigger: "MaximumMessageSize out of range", status: 400, code: "InvalidArgument", text: "The value of MaximumMessageSize should between 1024 and 65536 bytes.",
		method: "PUT", target: "/topics/u", body: "<Topic><MaximumMessageSize>65537</MaximumMessageSize></Topic>",
	},
	{
		operation: "CreateTopic", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed,
		method: "PUT", target: "/topics/u", body: "<Topic>",
	},
	{
		operation: "CreateTopic", trigger: "wrong type", status: 400, code: "InvalidArgument", text: schemaError("LoggingEnabled"),
		method: "PUT", target: "/topics/u", body: "<Topic><LoggingEnabled>x</LoggingEnabled></Topic>",
	},
	{
		operation: "SetTopicAttributes", trigger: "no topic", status: 404, code: "TopicNotExist", text: noTopic,
		method: "PUT", target: "/topics/none?metaoverride=true", body: "<Topic/>",
	},
	{
		operation: "SetTopicAttributes", trigger: "attribute out of range", status: 400, code: "InvalidArgument", text: "The value of MaximumMessageSize should between 1024 and 65536 bytes.",
		method: "PUT", target: "/topics/t?metaoverride=true", body: "<Topic><MaximumMessageSize>1023</MaximumMessageSize></Topic>",
	},
	{operation: "GetTopicAttributes", trigger: "no topic", status: 404, code: "TopicNotExist", text: noTopic, method: "GET", target: "/topics/none"},
	{operation: "DeleteTopic", trigger: "no topic", status: 204, method: "DELETE", target: "/topics/none"},
	{operation: "ListTopic", trigger: "x-mns-ret-number outside 1-1000, bad marker", code: "InvalidArgument", notServed: "needs headers: TestListTopicByPages"},

	{
		operation: "PublishMessage", trigger: "no topic", status: 404, code: "TopicNotExist", text: noTopic,
		method: "POST", target: "/topics/none/messages", body: message("x"),
	},
	{
		operation: "PublishMessage", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed,
		method: "POST", target: "/topics/t/messages", body: "<Message>",
	},
	{
		operation: "PublishMessage", trigger: "no body at all", status: 400, code: "MalformedXML", text: malformed,
		method: "POST", target: "/topics/t/messages",
	},
	{
		operation: "PublishMessage", trigger: "no MessageBody", status: 400, code: "InvalidArgument", text: schemaError("MessageBody"),
		method: "POST", target: "/topics/t/messages", body: "<Message/>",
	},
	{
		operation: "PublishMessage", trigger: "empty MessageBody", status: 400, code: "InvalidArgument", text: "The value of MessageBody should between 1 and 65536 bytes.",
		method: "POST", target: "/topics/t/messages", body: message(""),
	},
	{
		operation: "PublishMessage", trigger: "MessageTag too long", status: 400, code: "InvalidArgument", text: schemaError("MessageTag"),
		method: "POST", target: "/topics/t/messages", body: "<Message><MessageBody>x</MessageBody><MessageTag>0123456789abcdefg</MessageTag></Message>",
	},
	{
		operation: "PublishMessage", trigger: "property without type", status: 400, code: "InvalidArgument", text: schemaError("Type"),
		method: "POST", target: "/topics/t/messages",
		body: "<Message><MessageBody>x</MessageBody><UserProperties><PropertyValue><Name>k</Name><Value>v</Value></PropertyValue></UserProperties></Message>",
	},
	{
		operation: "PublishMessage", trigger: "too long", status: 400, code: "InvalidArgument", text: "The value of MessageBody should between 1 and 65536 bytes.",
		method: "POST", target: "/topics/t/messages", body: message(strings.Repeat("x", 65537)),
	},
	{operation: "PublishMessage", trigger: "FIFO topic, no group", code: "FifoMissingMessageGroupId", notServed: "needs a FIFO topic: TestFIFOTopicNeedsGroups"},

	{
		operation: "Subscribe", trigger: "no topic", status: 404, code: "TopicNotExist", text: noTopic,
		method: "PUT", target: "/topics/none/subscriptions/s", body: "<Subscription><Endpoint>http://localhost</Endpoint></Subscription>",
	},
	{
		operation: "Subscribe", trigger: "queue, no topic", status: 404, code: "TopicNotExist", text: noTopic,
		method: "PUT", target: "/topics/none/subscriptions/s", body: "<Subscription>" + toQueue("q", "XML") + "</Subscription>",
	},
	{operation: "Subscribe", trigger: "same name, other attributes", code: "SubscriptionAlreadyExist", notServed: "needs a subscription: TestSubscribeTellsNewFromSameFromDifferent"},
	{
		operation: "Subscribe", trigger: "empty name", status: 400, code: "SubscriptionNameLengthError", text: "Subscription name length is out of range, should be between 1 and 256.",
		method: "PUT", target: "/topics/t/subscriptions/", body: "<Subscription/>",
	},
	{
		operation: "Subscribe", trigger: "bad character", status: 400, code: "SubscriptionNameInvalid",
		text:   "The subscription name you provided is invalid. SubscriptionName should start with alpha and contain only alpha, digit or - .",
		method: "PUT", target: "/topics/t/subscriptions/-x", body: "<Subscription/>",
	},
	{
		operation: "Subscribe", trigger: "no Endpoint", status: 400, code: "EndpointInvalid", text: "The endpoint you provided is invalid.",
		method: "PUT", target: "/topics/t/subscriptions/s", body: "<Subscription/>",
	},
	{
		operation: "Subscribe", trigger: "bad NotifyStrategy", status: 400, code: "InvalidArgument", text: schemaError("NotifyStrategy"),
		method: "PUT", target: "/topics/t/subscriptions/s", body: "<Subscription><Endpoint>http://localhost</Endpoint><NotifyStrategy>x</NotifyStrategy></Subscription>",
	},
	{
		operation: "Subscribe", trigger: "bad NotifyContentFormat", status: 400, code: "InvalidArgument", text: schemaError("NotifyContentFormat"),
		method: "PUT", target: "/topics/t/subscriptions/s", body: "<Subscription><Endpoint>http://localhost</Endpoint><NotifyContentFormat></NotifyContentFormat></Subscription>",
	},
	{
		operation: "Subscribe", trigger: "FilterTag too long", status: 400, code: "InvalidArgument", text: schemaError("FilterTag"),
		method: "PUT", target: "/topics/t/subscriptions/s", body: "<Subscription><Endpoint>http://localhost</Endpoint><FilterTag>0123456789abcdefg</FilterTag></Subscription>",
	},
	{
		operation: "Subscribe", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed,
		method: "PUT", target: "/topics/t/subscriptions/s", body: "<Subscription>",
	},
	{
		operation: "Subscribe", trigger: "no body at all", status: 400, code: "MalformedXML", text: malformed,
		method: "PUT", target: "/topics/t/subscriptions/s",
	},
	{
		operation: "SetSubscriptionAttributes", trigger: "no subscription", status: 404, code: "SubscriptionNotExist", text: noSubscription,
		method: "PUT", target: "/topics/t/subscriptions/none?metaoverride=true", body: "<Subscription/>",
	},
	{
		operation: "SetSubscriptionAttributes", trigger: "bad NotifyStrategy", status: 400, code: "InvalidArgument", text: schemaError("NotifyStrategy"),
		method: "PUT", target: "/topics/t/subscriptions/none?metaoverride=true", body: "<Subscription><NotifyStrategy></NotifyStrategy></Subscription>",
	},
	{
		operation: "SetSubscriptionAttributes", trigger: "FilterTag too long", status: 400, code: "InvalidArgument", text: schemaError("FilterTag"),
		method: "PUT", target: "/topics/t/subscriptions/none?metaoverride=true", body: "<Subscription><FilterTag>0123456789abcdefg</FilterTag></Subscription>",
	},
	{
		operation: "GetSubscriptionAttributes", trigger: "no subscription", status: 404, code: "SubscriptionNotExist", text: noSubscription,
		method: "GET", target: "/topics/t/subscriptions/none",
	},
	{
		operation: "SetSubscriptionAttributes", trigger: "no topic", status: 404, code: "TopicNotExist", text: noTopic,
		method: "PUT", target: "/topics/none/subscriptions/s?metaoverride=true", body: "<Subscription/>",
	},
	{operation: "GetSubscriptionAttributes", trigger: "no topic", status: 404, code: "TopicNotExist", text: noTopic, method: "GET", target: "/topics/none/subscriptions/s"},
	{operation: "ListSubscriptionByTopic", trigger: "no topic", status: 404, code: "TopicNotExist", text: noTopic, method: "GET", target: "/topics/none/subscriptions"},
	{operation: "Unsubscribe", trigger: "no subscription", status: 204, method: "DELETE", target: "/topics/t/subscriptions/none"},
	{operation: "Unsubscribe", trigger: "no topic", status: 404, code: "TopicNotExist", text: noTopic, method: "DELETE", target: "/topics/none/subscriptions/s"},

	{
		operation: "SetAccountAttributes", trigger: "schema", status: 400, code: "InvalidArgument", text: schemaError("LoggingBucket"),
		method: "PUT", target: "/?accountmeta=true", body: "<Account><LoggingBucket>no bucket</LoggingBucket></Account>",
	},
	{
		operation: "SetAccountAttributes", trigger: "not well-formed", status: 400, code: "MalformedXML", text: malformed,
		method: "PUT", target: "/?accountmeta=true", body: "<Account>",
	},
}

const (
	signatures = "needs a configuration: TestRequestsAreRefusedInTheOrderOfTheChecks"
	malformed  = "The XML you provided was not well-formed."
	noQueue    = "The queue name you provided is not exist."
	noMessage  = "Message not exist."

	noSubscription = "The subscription you provided does not exist."
)

func schemaError(element string) string {
	return "The XML you provided did not validate against our published schema, cause by " + element + "."
}

func TestDocumentedErrors(t *testing.T) {
	l := newLab(t)
	l.create("q", "<MaximumMessageSize>1024</MaximumMessageSize>")
	l.createTopic("t")
	state := func() (all string) {
		for _, list := range []string{"/queues", "/topics", "/topics/t/subscriptions", "/?accountmeta=true"} {
			all += l.do("GET", list, "", "x-mns-with-meta", "true").want(200).body
		}
		return all
	}
	before := state()
	for _, c := range documentedErrors {
		t.Run(c.operation+"/"+c.trigger, func(t *testing.T) {
			if c.notServed != "" {
				t.Skip(c.notServed)
			}
			a := l.do(c.method, c.target, c.body)
			a.t = t
			if c.code == "" {
				a.want(c.status)
				return
			}
			a.wantError(c.status, c.code, c.text)
		})
	}
	if after := state(); after != before {
		t.Errorf("requests that failed have changed something: %s\nwas %s", after, before)
	}
}
