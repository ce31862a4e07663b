package hostile_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestQueryThatIsNoRequest(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	syntax := fault{http.StatusNotFound, "MalformedQueryString"} // Documented
	version := fault{http.StatusBadRequest, "NoSuchVersion"}     // UNVERIFIED: as in other services
	s.refuses(t, []row{
		{"empty", queryAsk(""), inQuery, fault{400, "MissingAction"}},
		{"only separators", queryAsk("&&&=&=&"), inQuery, fault{400, "MissingAction"}},
		{"no action", queryAsk("Version=2012-11-05&MessageBody=x"), inQuery, fault{400, "MissingAction"}},
		{"empty action", queryAsk("Action=&MessageBody=x"), inQuery, unknownAction},
		{"half an escape", queryAsk("Action=SendMessage&MessageBody=%"), inQuery, syntax},
		{"one digit of an escape", queryAsk("Action=SendMessage&MessageBody=%4"), inQuery, syntax},
		{"no digits in an escape", queryAsk("Action=SendMessage&MessageBody=%zz"), inQuery, syntax},
		{"broken name", queryAsk("Action=SendMessage&Message%Body=x"), inQuery, syntax},
		{"JSON", queryAsk(`{"QueueUrl":"plain","MessageBody":"x"}`), inQuery, fault{400, "MissingAction"}},
		{"XML", queryAsk("<Message><MessageBody>x</MessageBody></Message>"), inQuery, fault{400, "MissingAction"}},
		{"unknown action", queryAsk("Action=Nope"), inQuery, unknownAction},
		{"action of another case", queryAsk("Action=sendMessage&MessageBody=x"), inQuery, unknownAction},
		{"action with markup", queryAsk("Action=%3Cscript%3E%22%26&MessageBody=x"), inQuery, unknownAction},
		{"action that is not UTF-8", queryAsk("Action=%ff%fe%00"), inQuery, unknownAction},
		{"action with a line break", queryAsk("Action=a%0d%0aX-Injected:%20b"), inQuery, unknownAction},
		{"very long action", queryAsk("Action=" + strings.Repeat("x", 100_000)), inQuery, unknownAction},
		{"action of accounts on a queue", queryAsk("Action=CreateQueue&QueueName=new"), inQuery, unknownAction},
		{"unknown version", queryAsk("Action=SendMessage&MessageBody=x&Version=2099-01-01"), inQuery, version},
		{"version with markup", queryAsk("Action=SendMessage&MessageBody=x&Version=%22%3E%3Cx"), inQuery, version},
		{"action given again", queryAsk("Action=SendMessage&MessageBody=x&Action=Nope"), inQuery, unknownAction},
	})
}

func TestQueryParametersThatMakeNoSense(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	var rows []row
	add := func(body string, want fault) {
		rows = append(rows, row{fmt.Sprintf("%.90s", body), queryAsk(body), inQuery, want})
	}
	for _, n := range []string{"", "x", "-", "+1", "%201", "1%20", "1.0", "1e2", "0x1", "2147483648", "-2147483649", "99999999999999999999", "%D9%A3", "1%00"} {
		add("Action=SendMessage&MessageBody=x&DelaySeconds="+n, malformed)
		add("Action=ReceiveMessage&MaxNumberOfMessages="+n, malformed)
		add("Action=ReceiveMessage&VisibilityTimeout="+n, malformed)
	}
	for _, n := range []string{"-1", "901", "2147483647", "-2147483648"} {
		add("Action=SendMessage&MessageBody=x&DelaySeconds="+n, invalidValue)
		add("Action=ReceiveMessage&MaxNumberOfMessages="+n, invalidValue)
		add("Action=ReceiveMessage&WaitTimeSeconds="+n, invalidValue)
	}
	for _, body := range []string{
		"MessageAttribute.1.Name=a", "MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=String",
		"MessageAttribute.1.Name=a&MessageAttribute.1.Value.StringValue=x", "MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=x",
		"MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=Text&MessageAttribute.1.Value.StringValue=x",
		"MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=Number&MessageAttribute.1.Value.StringValue=1e400",
		"MessageAttribute.1.Name=%ff&MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=x",
		"MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=%ff",
		"MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=%00",
		"MessageAttribute.99999999999999999999.Name=a", "MessageAttribute.0.Name=a", "MessageAttribute.1.Name=AWS.a&MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=x",
		"MessageDeduplicationId=d",
	} {
		add("Action=SendMessage&MessageBody=x&"+body, invalidValue)
	}
	for _, bad := range []string{"%00", "%08", "%EF%BF%BF", "%ff", "%C0%80", "%ED%A0%80", "ok%00"} {
		add("Action=SendMessage&MessageBody="+bad, fault{400, "InvalidMessageContents"})
	}
	add("Action=SendMessage&MessageBody=x&MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=Binary&MessageAttribute.1.Value.BinaryValue=*", malformed)
	add("Action=SendMessage&MessageBody=x&MessageGroupId=a%20b", invalidValue)
	add("Action=SendMessage", missing)
	add("Action=SendMessage&MessageBody=", missing)
	add("Action=DeleteMessage", missing)
	add("Action=SendMessageBatch", fault{400, "AWS.SimpleQueueService.EmptyBatchRequest"})
	add("Action=SendMessageBatch&SendMessageBatchRequestEntry.1.MessageBody=x", missing)
	add("Action=SetQueueAttributes", missing)
	add("Action=SetQueueAttributes&Attribute.1.Name=DelaySeconds", missing)
	add("Action=SetQueueAttributes&Attribute.1.Name=Nope&Attribute.1.Value=1", unknownSetting)
	add("Action=TagQueue", missing)
	add("Action=GetQueueAttributes&AttributeName.1=%3C%22%26", unknownSetting)
	s.refuses(t, rows)
}

func TestQueryOfTooManyParts(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	attributes, entries := "Action=SendMessage&MessageBody=x", "Action=SendMessageBatch"
	for i := range 11 {
		attributes += fmt.Sprintf("&MessageAttribute.%d.Name=a%[1]d&MessageAttribute.%[1]d.Value.DataType=String&MessageAttribute.%[1]d.Value.StringValue=x", i+1)
		entries += fmt.Sprintf("&SendMessageBatchRequestEntry.%d.Id=a%[1]d&SendMessageBatchRequestEntry.%[1]d.MessageBody=x", i+1)
	}
	deep := "Action=SendMessage&MessageBody=x&MessageAttribute" + strings.Repeat(".1", 100_000) + "=x"
	s.refuses(t, []row{
		{"parameters", queryAsk("Action=SendMessage&MessageBody=x" + strings.Repeat("&a=b", 20_000)), inQuery, fault{413, ""}}, // UNVERIFIED
		{"attributes", queryAsk(attributes), inQuery, invalidValue},
		{"entries", queryAsk(entries), inQuery, fault{400, "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"}},
		{"segments of a name", queryAsk(deep), inQuery, invalidValue},
	})
}

// queueSettings are values that no queue can have.
var queueSettings = map[string][]string{
	"DelaySeconds":                  {"", "-1", "901", " 5", "5 ", "+5", "0x10", "1e3", "1.0", "99999999999999999999", "five", "٣", "5\x00"},
	"VisibilityTimeout":             {"", "-1", "43201", "1e400", "NaN"},
	"MessageRetentionPeriod":        {"", "59", "1209601", "-60", "0"},
	"MaximumMessageSize":            {"", "1023", "1048577", "-1", "0"},
	"ReceiveMessageWaitTimeSeconds": {"", "-1", "21"},
	"KmsDataKeyReusePeriodSeconds":  {"", "59", "86401"},
	"SqsManagedSseEnabled":          {"", "yes", "1"},
	"Policy":                        {"{", "[]", "x", `{"Version":"2012-10-17"}`, strings.Repeat("[", 100_000), strings.Repeat("x", 1<<20)},
	"RedriveAllowPolicy":            {"{", "[]", `{"redrivePermission":"nobody"}`, `{"redrivePermission":1}`, strings.Repeat("[", 100_000)},
}

func TestQueueSettingsThatNoQueueCanHave(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	var rows []row
	for name, values := range queueSettings {
		for _, value := range values {
			rows = append(rows,
				row{fmt.Sprintf("create %s %.20q", name, value), jsonAsk("CreateQueue", fmt.Sprintf(`{"QueueName":"new","Attributes":{%q:%s}}`, name, quoted(value))), inJSON, invalidSetting},
				row{fmt.Sprintf("set %s %.20q", name, value), jsonAsk("SetQueueAttributes", fmt.Sprintf(`{"QueueUrl":"plain","Attributes":{%q:%s}}`, name, quoted(value))), inJSON, invalidSetting})
		}
	}
	// An empty policy removes one, and so do empty values of what a queue need not have.
	rows = without(rows, `Policy ""`)
	for _, policy := range []string{
		"x", `{}`, `{"maxReceiveCount":1}`, `{"deadLetterTargetArn":"x","maxReceiveCount":1}`,
		`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:nowhere","maxReceiveCount":1}`,
		`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:orders.fifo","maxReceiveCount":1}`,
		`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:other","maxReceiveCount":0}`,
		`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:other","maxReceiveCount":1001}`,
		`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:other","maxReceiveCount":99999999999999999999}`,
		`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:other","maxReceiveCount":1e400}`,
		`{"deadLetterTargetArn":["arn:aws:sqs:us-east-1:000000000000:other"],"maxReceiveCount":1}`, strings.Repeat("[", 100_000),
	} {
		want := invalidValue
		if policy == "x" || policy[0] == '[' {
			want = invalidSetting
		}
		rows = append(rows, row{
			fmt.Sprintf("redrive %.90s", policy),
			jsonAsk("SetQueueAttributes", `{"QueueUrl":"plain","Attributes":{"RedrivePolicy":`+quoted(policy)+`}}`), inJSON, want,
		})
	}
	for _, name := range []string{"", "Nope", "delayseconds", "QueueArn", "ApproximateNumberOfMessages", "FifoQueue", strings.Repeat("x", 100_000), "<\"&"} {
		want := unknownSetting
		if name == "" {
			want = missing
		}
		rows = append(rows, row{fmt.Sprintf("name %.20q", name), jsonAsk("SetQueueAttributes", `{"QueueUrl":"plain","Attributes":{`+quoted(name)+`:"true"}}`), inJSON, want})
	}
	s.refuses(t, rows)
}
