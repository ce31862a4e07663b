package sqs

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

func TestCreateQueue(t *testing.T) {
	s := newServer(t)
	if got, want := s.ok(s.json("CreateQueue", `{"QueueName":"a"}`)), `{"QueueUrl":"`+home+`a"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.ok(s.query("Action=CreateQueue&QueueName=b&Attribute.1.Name=DelaySeconds&Attribute.1.Value=5&Tag.1.Key=k&Tag.1.Value=v")), xml("CreateQueue", "<QueueUrl>"+home+"b</QueueUrl>"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.ok(s.json("ListQueueTags", `{"QueueUrl":"b"}`)), `{"Tags":{"k":"v"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.ok(s.query("Action=CreateQueue&QueueName=old&DefaultVisibilityTimeout=7"))
	if got, want := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"old","AttributeNames":["VisibilityTimeout"]}`)), `{"Attributes":{"VisibilityTimeout":"7"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCreateQueueIsIdempotent(t *testing.T) {
	s := newServer(t)
	s.queue("dlq", "")
	const policy = `{\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"*\"}]}`
	attributes := `{"DelaySeconds":"5","SqsManagedSseEnabled":"true","Policy":"` + policy + `",` +
		`"RedrivePolicy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dlq\",\"maxReceiveCount\":\"3\"}",` +
		`"RedriveAllowPolicy":"{\"redrivePermission\":\"denyAll\"}"}`
	s.queue("q", attributes)
	for _, same := range []string{
		`{}`, attributes, `{"DelaySeconds":5}`, `{"VisibilityTimeout":"30"}`, `{"Policy":" ` + strings.ReplaceAll(policy, ",", ", ") + `"}`,
		`{"RedrivePolicy":"{\"maxReceiveCount\":3,\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dlq\"}"}`,
	} {
		if got := s.json("CreateQueue", `{"QueueName":"q","Attributes":`+same+`,"tags":{"a":"b"}}`); got.status != 200 {
			t.Errorf("CreateQueue again with %s = %d %s", same, got.status, got.body)
		}
	}
	for attribute, value := range map[string]string{
		"DelaySeconds": "6", "VisibilityTimeout": "31", "SqsManagedSseEnabled": "false", "KmsMasterKeyId": "k", "RedrivePolicy": "",
		"RedriveAllowPolicy": "", "Policy": strings.ReplaceAll(policy, "Allow", "Deny"),
	} {
		got := s.json("CreateQueue", `{"QueueName":"q","Attributes":{"`+attribute+`":"`+value+`"}}`)
		s.jsonFault(got, 400, "QueueAlreadyExists", "QueueNameExists", "A queue already exists with the same name and a different value for attribute "+attribute)
	}
	s.queue("kms", `{"KmsMasterKeyId":"k"}`)
	s.queue("kms", `{"KmsMasterKeyId":"k","SqsManagedSseEnabled":"false"}`)
}

func TestCreateQueueRefuses(t *testing.T) {
	s := newServer(t)
	const fifoName = "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length."
	const name = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"
	const value, attributeName, attributeValue = "InvalidParameterValue/InvalidParameterValueException", "InvalidAttributeName/InvalidAttributeName", "InvalidAttributeValue/InvalidAttributeValue"
	for _, tt := range []struct{ request, kind, text string }{
		{`{}`, value, "Value for parameter QueueName is invalid. Reason: Must specify a queue name."},
		{`{"QueueName":""}`, value, "Queue name cannot be empty"},
		{`{"QueueName":"a b"}`, value, name},
		{`{"QueueName":"a/b"}`, value, name},
		{`{"QueueName":"a.fifo"}`, value, name},
		{`{"QueueName":"a","Attributes":{"FifoQueue":"true"}}`, value, fifoName},
		{`{"QueueName":"a","Attributes":{"FifoQueue":"false"}}`, attributeName, "Unknown Attribute FifoQueue."},
		{`{"QueueName":"a","Attributes":{"ContentBasedDeduplication":"true"}}`, attributeName, "Unknown Attribute ContentBasedDeduplication."},
		{`{"QueueName":"a","Attributes":{"DeduplicationScope":"queue"}}`, attributeName, "You can specify the DeduplicationScope only when FifoQueue is set to true."},
		{`{"QueueName":"a","Attributes":{"FifoThroughputLimit":"perQueue"}}`, attributeName, "You can specify the FifoThroughputLimit only when FifoQueue is set to true."},
		{`{"QueueName":"a","Attributes":{"Bogus":"1"}}`, attributeName, "Unknown Attribute Bogus."},
		{`{"QueueName":"a","Attributes":{"QueueArn":"x"}}`, attributeName, "Unknown Attribute QueueArn."},
		{`{"QueueName":"a","Attributes":{"VisibilityTimeout":"43201"}}`, attributeValue, "Invalid value for the parameter VisibilityTimeout."},
		{`{"QueueName":"a","Attributes":{"VisibilityTimeout":""}}`, attributeValue, "Invalid value for the parameter VisibilityTimeout."},
		{`{"QueueName":"a","Attributes":{"DelaySeconds":"-1"}}`, attributeValue, "Invalid value for the parameter DelaySeconds."},
		{`{"QueueName":"a","Attributes":{"DelaySeconds":"1.0"}}`, attributeValue, "Invalid value for the parameter DelaySeconds."},
		{`{"QueueName":"a","Attributes":{"MaximumMessageSize":"1023"}}`, attributeValue, "Invalid value for the parameter MaximumMessageSize."},
		{`{"QueueName":"a","Attributes":{"MaximumMessageSize":"1048577"}}`, attributeValue, "Invalid value for the parameter MaximumMessageSize."},
		{`{"QueueName":"a","Attributes":{"MessageRetentionPeriod":"59"}}`, attributeValue, "Invalid value for the parameter MessageRetentionPeriod."},
		{`{"QueueName":"a","Attributes":{"MessageRetentionPeriod":"99999999999"}}`, attributeValue, "Invalid value for the parameter MessageRetentionPeriod."},
		{`{"QueueName":"a","Attributes":{"ReceiveMessageWaitTimeSeconds":"21"}}`, attributeValue, "Invalid value for the parameter ReceiveMessageWaitTimeSeconds."},
		{`{"QueueName":"a","Attributes":{"KmsDataKeyReusePeriodSeconds":"59"}}`, attributeValue, "Invalid value for the parameter KmsDataKeyReusePeriodSeconds."},
		{`{"QueueName":"a","Attributes":{"SqsManagedSseEnabled":"x"}}`, attributeValue, "Invalid value for the parameter SqsManagedSseEnabled."},
		{`{"QueueName":"a","Attributes":{"Policy":"x"}}`, attributeValue, "Invalid value for the parameter Policy."},
		{`{"QueueName":"a","Attributes":{"SqsManagedSseEnabled":"true","KmsMasterKeyId":"k"}}`, attributeName, "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE."},
		{`{"QueueName":"a.fifo","Attributes":{"FifoQueue":"true","FifoThroughputLimit":"perMessageGroupId"}}`, value, "The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup"},
		{`{"QueueName":"a.fifo","Attributes":{"FifoQueue":"true","DeduplicationScope":"x"}}`, attributeValue, "Invalid value for the parameter DeduplicationScope."},
		{`{"QueueName":"a","tags":{"":"x"}}`, value, "Tag keys must be between 1 and 128 characters in length."},
	} {
		code, kind, _ := strings.Cut(tt.kind, "/")
		if strings.HasSuffix(kind, "Exception") {
			kind = "/" + kind
		}
		s.jsonFault(s.json("CreateQueue", tt.request), 400, code, kind, tt.text)
	}
	if got := s.ok(s.json("ListQueues", "{}")); got != "{}" {
		t.Errorf("ListQueues after refusals = %s, want {}", got)
	}
}

func TestGetQueueAttributes(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	s.queue("q.fifo", `{"FifoQueue":"true","ContentBasedDeduplication":"true"}`)
	common := func(name string) string {
		return fmt.Sprintf(`{"Attributes":{"QueueArn":"arn:aws:sqs:us-east-1:000000000000:%s","ApproximateNumberOfMessages":"0",`+
			`"ApproximateNumberOfMessagesNotVisible":"0","ApproximateNumberOfMessagesDelayed":"0","CreatedTimestamp":"%d","LastModifiedTimestamp":"%d",`+
			`"VisibilityTimeout":"30","MaximumMessageSize":"1048576","MessageRetentionPeriod":"345600","DelaySeconds":"0",`+
			`"ReceiveMessageWaitTimeSeconds":"0","SqsManagedSseEnabled":"true"`, name, epoch, epoch)
	}
	if got, want := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["All"]}`)), common("q")+"}}"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := common("q.fifo") + `,"FifoQueue":"true","ContentBasedDeduplication":"true","DeduplicationScope":"queue","FifoThroughputLimit":"perQueue"}}`
	if got := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q.fifo","AttributeNames":["All"]}`)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, names := range []string{"", `,"AttributeNames":[]`, `,"AttributeNames":["FifoQueue","Policy"]`} {
		if got := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q"`+names+`}`)); got != "{}" {
			t.Errorf("got %s, want {}", got)
		}
	}
	for _, form := range []string{"AttributeName=", "AttributeName.1=FifoQueue", ""} {
		if got, want := s.ok(s.query("Action=GetQueueAttributes&QueueUrl=q&"+form)), xml("GetQueueAttributes", ""); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	xmlWant := xml("GetQueueAttributes", "<Attribute><Name>VisibilityTimeout</Name><Value>30</Value></Attribute><Attribute><Name>DelaySeconds</Name><Value>0</Value></Attribute>")
	if got := s.ok(s.query("Action=GetQueueAttributes&QueueUrl=q&AttributeName.1=DelaySeconds&AttributeName.2=VisibilityTimeout")); got != xmlWant {
		t.Errorf("got %s, want %s", got, xmlWant)
	}
	s.jsonFault(s.json("GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["All","Bogus"]}`), 400, "InvalidAttributeName", "InvalidAttributeName", "Unknown Attribute Bogus.")
	s.queryFault(s.query("Action=GetQueueAttributes&QueueUrl=q&AttributeName.1="), 400, "InvalidAttributeName", "Unknown Attribute .")
}

func TestSetQueueAttributes(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	s.queue("q.fifo", `{"FifoQueue":"true"}`)
	s.clock.Advance(time.Minute)
	if got, want := s.ok(s.query("Action=SetQueueAttributes&QueueUrl=q&Attribute.Name=DelaySeconds&Attribute.Value=9")), xml("SetQueueAttributes", "-"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := fmt.Sprintf(`{"Attributes":{"LastModifiedTimestamp":"%d","DelaySeconds":"9"}}`, epoch+60)
	if got := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["DelaySeconds","LastModifiedTimestamp"]}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.ok(s.json("SetQueueAttributes", `{"QueueUrl":"q.fifo","Attributes":{"FifoQueue":"true","DeduplicationScope":"messageGroup","FifoThroughputLimit":"perMessageGroupId"}}`))
	for _, tt := range []struct{ queue, attributes, code, kind, text string }{
		{"q", `{"FifoQueue":"true"}`, "InvalidAttributeName", "InvalidAttributeName", "Unknown Attribute FifoQueue."},
		{"q.fifo", `{"FifoQueue":"false"}`, "InvalidAttributeValue", "InvalidAttributeValue", "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported."},
		{"q", `{}`, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter Attribute.Name."},
		{"q", `{"DelaySeconds":"1","VisibilityTimeout":"x"}`, "InvalidAttributeValue", "InvalidAttributeValue", "Invalid value for the parameter VisibilityTimeout."},
		{"nope", `{}`, "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist", "The specified queue does not exist."},
	} {
		s.jsonFault(s.json("SetQueueAttributes", `{"QueueUrl":"`+tt.queue+`","Attributes":`+tt.attributes+`}`), 400, tt.code, tt.kind, tt.text)
	}
	s.queryFault(s.query("Action=SetQueueAttributes&QueueUrl=q&Attribute.1.Name=DelaySeconds"), 400, "MissingParameter", "The request must contain the parameter Attribute.Value.")
	if got := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["DelaySeconds"]}`)); got != `{"Attributes":{"DelaySeconds":"9"}}` {
		t.Errorf("after refusals: got %s, want the delay of 9", got)
	}
}

func TestEncryptionAttributes(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	const names = `"AttributeNames":["KmsMasterKeyId","KmsDataKeyReusePeriodSeconds","SqsManagedSseEnabled"]`
	for _, tt := range []struct{ set, want string }{
		{`"KmsMasterKeyId":"testKeyId"`, `"KmsMasterKeyId":"testKeyId","KmsDataKeyReusePeriodSeconds":"300","SqsManagedSseEnabled":"false"`},
		{`"KmsDataKeyReusePeriodSeconds":"60"`, `"KmsMasterKeyId":"testKeyId","KmsDataKeyReusePeriodSeconds":"60","SqsManagedSseEnabled":"false"`},
		{`"KmsMasterKeyId":""`, `"SqsManagedSseEnabled":"false"`},
		{`"SqsManagedSseEnabled":"True"`, `"SqsManagedSseEnabled":"true"`},
		{`"KmsMasterKeyId":"k","SqsManagedSseEnabled":"false"`, `"KmsMasterKeyId":"k","KmsDataKeyReusePeriodSeconds":"300","SqsManagedSseEnabled":"false"`},
		{`"SqsManagedSseEnabled":"true"`, `"SqsManagedSseEnabled":"true"`},
		{`"SqsManagedSseEnabled":"false"`, `"SqsManagedSseEnabled":"false"`},
	} {
		s.ok(s.json("SetQueueAttributes", `{"QueueUrl":"q","Attributes":{`+tt.set+`}}`))
		if got, want := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q",`+names+`}`)), `{"Attributes":{`+tt.want+`}}`; got != want {
			t.Errorf("after %s: got %s, want %s", tt.set, got, want)
		}
	}
}

func TestGetQueueURL(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	if got, want := s.ok(s.query("Action=GetQueueUrl&QueueName=q")), xml("GetQueueUrl", "<QueueUrl>"+home+"q</QueueUrl>"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.jsonFault(s.json("GetQueueUrl", `{"QueueName":"nope"}`), 400, "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist", "The specified queue does not exist.")
	s.queryFault(s.query("Action=GetQueueUrl&QueueName=nope"), 400, "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist for this wsdl version.")
	for _, request := range []string{`{}`, `{"QueueName":""}`} {
		s.jsonFault(s.json("GetQueueUrl", request), 400, "InvalidParameterValue", "/InvalidParameterValueException", "Value for parameter QueueName is invalid. Reason: Must specify a queue name.")
	}
	if got := s.json("GetQueueUrl", `{"QueueName":"q","QueueOwnerAWSAccountId":"123456789012"}`); got.status != 400 {
		t.Errorf("GetQueueUrl of another account = %d %s", got.status, got.body)
	}
	r := httptest.NewRequest("GET", "http://sqs-emu.test:9999/000000000000/other?Action=GetQueueUrl&QueueName=q", nil)
	if got, want := s.ok(s.do(r)), xml("GetQueueUrl", "<QueueUrl>http://sqs-emu.test:9999/000000000000/q</QueueUrl>"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestListQueues(t *testing.T) {
	s := newServer(t)
	for _, name := range []string{"b2", "a", "b1", "b3"} {
		s.queue(name, "")
	}
	urls := func(names ...string) string { return `["` + home + strings.Join(names, `","`+home) + `"]` }
	if got, want := s.ok(s.json("ListQueues", "{}")), `{"QueueUrls":`+urls("a", "b1", "b2", "b3")+`}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.ok(s.query("Action=ListQueues&QueueNamePrefix=a")), xml("ListQueues", "<QueueUrl>"+home+"a</QueueUrl>"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.ok(s.query("Action=ListQueues&QueueNamePrefix=x")), xml("ListQueues", ""); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var first struct{ NextToken string }
	s.parse(s.ok(s.json("ListQueues", `{"QueueNamePrefix":"b","MaxResults":2}`)), &first)
	if got, want := s.ok(s.json("ListQueues", `{"QueueNamePrefix":"b","MaxResults":2,"NextToken":"`+first.NextToken+`"}`)), `{"QueueUrls":`+urls("b3")+`}`; got != want {
		t.Errorf("second page = %s, want %s", got, want)
	}
	for _, tt := range []struct{ request, text string }{
		{`{"MaxResults":1001}`, "Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000."},
		{`{"MaxResults":-1}`, "Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000."},
		{`{"NextToken":"x"}`, "MaxResults is a mandatory parameter when you provide a value for NextToken."},
		{`{"MaxResults":1,"NextToken":"x"}`, "Invalid NextToken value."},
		{`{"MaxResults":1,"NextToken":"` + first.NextToken + `"}`, "Invalid NextToken value. If you are passing in NextToken, you must not change the other request parameters."},
	} {
		s.jsonFault(s.json("ListQueues", tt.request), 400, "InvalidParameterValue", "/InvalidParameterValueException", tt.text)
	}
}

func TestUnknownQueueComesBeforeWhatElseIsWrong(t *testing.T) {
	s := newServer(t)
	for operation, rest := range map[string]string{
		"DeleteQueue": ``, "PurgeQueue": ``, "GetQueueAttributes": `,"AttributeNames":["Bogus"]`, "SetQueueAttributes": ``,
		"SendMessage": ``, "SendMessageBatch": ``, "ReceiveMessage": `,"MaxNumberOfMessages":11`, "DeleteMessage": `,"ReceiptHandle":"x"`,
		"DeleteMessageBatch": `,"Entries":[{"Id":"a","ReceiptHandle":"x"}]`, "ChangeMessageVisibility": ``,
		"ChangeMessageVisibilityBatch": `,"Entries":[{"Id":"a","ReceiptHandle":"x"}]`, "TagQueue": ``, "UntagQueue": ``, "ListQueueTags": ``,
		"AddPermission": ``, "RemovePermission": ``, "ListDeadLetterSourceQueues": `,"MaxResults":-1`,
	} {
		for _, url := range []string{`"nope"`, `"http://whatever-incorrect-queue-address"`, `null`, `""`} {
			got := s.json(operation, `{"QueueUrl":`+url+rest+`}`)
			s.jsonFault(got, 400, "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist", "The specified queue does not exist.")
		}
	}
	got := s.query(form("Action", "SendMessageBatch", "QueueUrl", "nope", "SendMessageBatchRequestEntry.1.Id", "a", "SendMessageBatchRequestEntry.1.MessageBody", "\x00"))
	s.queryFault(got, 400, "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist for this wsdl version.")
}

func TestStrictSiteHasTheWaitRules(t *testing.T) {
	s := newServer(t, func(site *protocols.Site) { site.Strict = true })
	s.queue("q", "")
	s.ok(s.json("PurgeQueue", `{"QueueUrl":"q"}`))
	s.jsonFault(s.json("PurgeQueue", `{"QueueUrl":"q"}`), 403, "AWS.SimpleQueueService.PurgeQueueInProgress", "PurgeQueueInProgress", "Only one PurgeQueue operation on q is allowed every 60 seconds.")
	s.ok(s.json("DeleteQueue", `{"QueueUrl":"q"}`))
	s.jsonFault(s.json("CreateQueue", `{"QueueName":"q"}`), 400, "AWS.SimpleQueueService.QueueDeletedRecently", "QueueDeletedRecently", "You must wait 60 seconds after deleting a queue before you can create another with the same name.")
	s.clock.Advance(time.Minute)
	s.queue("q", "")
}

func TestNamespacesOfCallers(t *testing.T) {
	joined := core.Namespace{Account: "joined", Region: "x"}
	s := newServer(t, func(site *protocols.Site) {
		site.Bridges = map[core.Namespace]core.Namespace{site.SQS.Namespace(): joined}
	})
	s.queue("q", "")
	as := func(credential, operation, body string) reply {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+credential+", SignedHeaders=host, Signature=x")
		return s.do(r)
	}
	const abroad, other = "AKID/20261130/eu-west-1/sqs/aws4_request", "123456789012/20261130/us-east-1/sqs/aws4_request"
	if got := s.ok(as(abroad, "ListQueues", "{}")); got != "{}" {
		t.Errorf("ListQueues of another region = %s, want {}", got)
	}
	if got := s.ok(as(other, "ListQueues", "{}")); got != "{}" {
		t.Errorf("ListQueues of another account = %s, want {}", got)
	}
	s.ok(as(abroad, "CreateQueue", `{"QueueName":"q"}`))
	if got, want := s.ok(as(abroad, "GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["QueueArn"]}`)), `{"Attributes":{"QueueArn":"arn:aws:sqs:eu-west-1:000000000000:q"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.ok(as(other, "CreateQueue", `{"QueueName":"q"}`)), `{"QueueUrl":"http://example.com/123456789012/q"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// The account of a queue URL wins over the caller's.
	if got, want := s.ok(as(other, "GetQueueAttributes", `{"QueueUrl":"`+home+`q","AttributeNames":["QueueArn"]}`)), `{"Attributes":{"QueueArn":"arn:aws:sqs:us-east-1:000000000000:q"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.ok(s.json("ListQueues", "{}")), `{"QueueUrls":["`+home+`q"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
