package hostile_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestJSONThatIsNoRequest(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	var rows []row
	for _, body := range []string{
		"{", "}", "[", "[]", "null", "true", "1", `"text"`, "{}{}", "{} x", "{},", "\x00", "{\x00}", "\xef\xbb\xbf{}",
		"{'QueueUrl':'plain'}", `{"QueueUrl":}`, `{"QueueUrl"}`, `{"QueueUrl":"plain",}`, `{QueueUrl:"plain"}`,
		`{"QueueUrl":"plain" "MessageBody":"x"}`, "{/**/}", `{"a":NaN}`, `{"a":Infinity}`, `{"a":01}`, `{"a":+1}`, `{"a":.5}`,
		`{"a":"\x"}`, `{"a":"\u12"}`, "{\"a\":\"line\nbreak\"}", `{"QueueUrl":"plain","MessageBody":"unfinished`,
		"{\"QueueUrl\":\"plain\",\"MessageBody\":\"\xff\"}", "{\"QueueUrl\":\"plain\",\"\xc3\x28\":1}",
		`{"QueueUrl":"plain","MessageBody":"\ud800"}`, `{"QueueUrl":"plain","MessageBody":"\udc00\ud800"}`,
		strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18), `{"a":` + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000) + "}",
		"\xff\xfe{\x00}\x00", "<Message/>", "Action=SendMessage",
	} {
		rows = append(rows, row{fmt.Sprintf("%.40q", body), jsonAsk("SendMessage", body), inJSON, malformed})
	}
	s.refuses(t, rows)
}

func TestJSONOfWrongTypes(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	const send = `{"QueueUrl":"plain","MessageBody":"x",`
	var rows []row
	for _, tt := range []struct{ operation, body string }{
		{"SendMessage", `{"QueueUrl":1,"MessageBody":"x"}`},
		{"SendMessage", `{"QueueUrl":["plain"],"MessageBody":"x"}`},
		{"SendMessage", `{"QueueUrl":{},"MessageBody":"x"}`},
		{"SendMessage", `{"QueueUrl":"plain","MessageBody":["x"]}`},
		{"SendMessage", `{"QueueUrl":"plain","MessageBody":{"x":1}}`},
		{"SendMessage", send + `"DelaySeconds":"1"}`},
		{"SendMessage", send + `"DelaySeconds":true}`},
		{"SendMessage", send + `"DelaySeconds":[1]}`},
		{"SendMessage", send + `"DelaySeconds":{}}`},
		{"SendMessage", send + `"MessageAttributes":[]}`},
		{"SendMessage", send + `"MessageAttributes":"x"}`},
		{"SendMessage", send + `"MessageAttributes":1}`},
		{"SendMessage", send + `"MessageAttributes":{"a":"x"}}`},
		{"SendMessage", send + `"MessageAttributes":{"a":[]}}`},
		{"SendMessage", send + `"MessageAttributes":{"a":{"DataType":1,"StringValue":"x"}}}`},
		{"SendMessage", send + `"MessageAttributes":{"a":{"DataType":"Number","StringValue":1}}}`},
		{"SendMessage", send + `"MessageAttributes":{"a":{"DataType":"Binary","BinaryValue":"*"}}}`},
		{"SendMessage", send + `"MessageAttributes":{"a":{"DataType":"Binary","BinaryValue":[1]}}}`},
		{"SendMessage", send + `"MessageAttributes":{"a":{"DataType":"String","StringListValues":"x"}}}`},
		{"SendMessage", send + `"MessageGroupId":1}`},
		{"SendMessageBatch", `{"QueueUrl":"plain","Entries":{}}`},
		{"SendMessageBatch", `{"QueueUrl":"plain","Entries":"x"}`},
		{"SendMessageBatch", `{"QueueUrl":"plain","Entries":[1]}`},
		{"SendMessageBatch", `{"QueueUrl":"plain","Entries":[[]]}`},
		{"ReceiveMessage", `{"QueueUrl":"plain","MaxNumberOfMessages":"10"}`},
		{"ReceiveMessage", `{"QueueUrl":"plain","AttributeNames":"All"}`},
		{"ReceiveMessage", `{"QueueUrl":"plain","AttributeNames":[1]}`},
		{"ReceiveMessage", `{"QueueUrl":"plain","AttributeNames":{"a":"All"}}`},
		{"DeleteMessage", `{"QueueUrl":"plain","ReceiptHandle":1}`},
		{"CreateQueue", `{"QueueName":1}`},
		{"CreateQueue", `{"QueueName":"new","Attributes":[]}`},
		{"CreateQueue", `{"QueueName":"new","Attributes":{"DelaySeconds":["1"]}}`},
		{"CreateQueue", `{"QueueName":"new","Attributes":{"DelaySeconds":{}}}`},
		{"CreateQueue", `{"QueueName":"new","tags":{"a":1}}`},
		{"TagQueue", `{"QueueUrl":"plain","Tags":[{"Key":"a"}]}`},
		{"UntagQueue", `{"QueueUrl":"plain","TagKeys":{"a":1}}`},
	} {
		rows = append(rows, row{tt.operation + " " + tt.body, jsonAsk(tt.operation, tt.body), inJSON, malformed})
	}
	s.refuses(t, rows)
}

func TestJSONNumbersBeyondTheirTypes(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	var rows []row
	for _, number := range []string{"1e400", "-1e400", "1.5", "0.1", "2147483648", "-2147483649", "9223372036854775808", "-9223372036854775809", "1e10", strings.Repeat("9", 5000)} {
		for _, tt := range []struct{ operation, format string }{
			{"SendMessage", `{"QueueUrl":"plain","MessageBody":"x","DelaySeconds":%s}`},
			{"ReceiveMessage", `{"QueueUrl":"plain","MaxNumberOfMessages":%s}`},
			{"ReceiveMessage", `{"QueueUrl":"plain","WaitTimeSeconds":%s}`},
			{"ReceiveMessage", `{"QueueUrl":"plain","VisibilityTimeout":%s}`},
			{"ListQueues", `{"MaxResults":%s}`},
		} {
			body := fmt.Sprintf(tt.format, number)
			rows = append(rows, row{fmt.Sprintf("%s %.80s", tt.operation, body), jsonAsk(tt.operation, body), inJSON, malformed})
		}
	}
	s.refuses(t, rows)
}

func TestJSONNumbersOutOfRange(t *testing.T) {
	t.Parallel()
	s := open(t)
	plain, _, _ := s.furnish(t)
	var rows []row
	for _, tt := range []struct {
		operation, format string
		numbers           []int
	}{
		{"SendMessage", `{"QueueUrl":"plain","MessageBody":"x","DelaySeconds":%d}`, []int{-1, 901, 2147483647, -2147483648}},
		{"ReceiveMessage", `{"QueueUrl":"plain","MaxNumberOfMessages":%d}`, []int{-1, 0, 11, 2147483647, -2147483648}},
		{"ReceiveMessage", `{"QueueUrl":"plain","WaitTimeSeconds":%d}`, []int{-1, 21, 2147483647, -2147483648}},
		{"ReceiveMessage", `{"QueueUrl":"plain","VisibilityTimeout":%d}`, []int{-1, 43201, 2147483647, -2147483648}},
		{"ChangeMessageVisibility", `{"QueueUrl":"plain","ReceiptHandle":"` + plain + `","VisibilityTimeout":%d}`, []int{-1, 43201, 2147483647, -2147483648}},
		{"ListQueues", `{"MaxResults":%d}`, []int{-1, 1001, 2147483647, -2147483648}},
	} {
		for _, n := range tt.numbers {
			body := fmt.Sprintf(tt.format, n)
			rows = append(rows, row{fmt.Sprintf("%s %.80s", tt.operation, body), jsonAsk(tt.operation, body), inJSON, invalidValue})
		}
	}
	s.refuses(t, rows)
}

func TestJSONOperationsThatDoNotExist(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	var rows []row
	for _, target := range []string{
		"AmazonSQS.Nope", "AmazonSQS.", "AmazonSQS.sendmessage", "AmazonSQS.SendMessage.", "AmazonSQS..SendMessage",
		"AmazonSNS.Publish", "AmazonSQS", "DynamoDB_20120810.PutItem", "AmazonSQS.AmazonSQS.SendMessage", "AmazonSQS.PeekMessage",
		"AmazonSQS.\xff", "AmazonSQS." + strings.Repeat("x", 10_000), "amazonsqs.SendMessage", "SendMessage",
	} {
		a := jsonAsk("", `{"QueueUrl":"plain","MessageBody":"x"}`)
		a.header[1] = "X-Amz-Target: " + target
		rows = append(rows, row{fmt.Sprintf("%.40q", target), a, inJSON, unknownAction})
	}
	none := jsonAsk("", `{"QueueUrl":"plain","MessageBody":"x"}`)
	none.header = none.header[:1]
	rows = append(rows, row{"no target", none, inJSON, unknownAction})
	s.refuses(t, rows)
}

func TestJSONMembersThatAreMissing(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	s.refuses(t, []row{
		{"no body", jsonAsk("SendMessage", ""), inJSON, noQueue}, // Recorded
		{"no queue", jsonAsk("SendMessage", `{"MessageBody":"x"}`), inJSON, noQueue},
		{"null queue", jsonAsk("SendMessage", `{"QueueUrl":null,"MessageBody":"x"}`), inJSON, noQueue},
		{"empty queue", jsonAsk("SendMessage", `{"QueueUrl":"","MessageBody":"x"}`), inJSON, noQueue},
		{"no text", jsonAsk("SendMessage", `{"QueueUrl":"plain"}`), inJSON, missing},
		{"null text", jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":null}`), inJSON, missing},
		{"empty text", jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":""}`), inJSON, missing},
		{"no entries", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain"}`), inJSON, missing},
		{"null entries", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":null}`), inJSON, missing},
		{"empty entries", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":[]}`), inJSON, fault{400, "AWS.SimpleQueueService.EmptyBatchRequest"}},
		{"null entry", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":[null]}`), inJSON, fault{400, "AWS.SimpleQueueService.EmptyBatchRequest"}},
		{"entry without id", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":[{"MessageBody":"x"}]}`), inJSON, missing},
		{"entry with an empty id", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":[{"Id":"","MessageBody":"x"}]}`), inJSON, fault{400, "AWS.SimpleQueueService.InvalidBatchEntryId"}},
		{"one id twice", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":[{"Id":"a","MessageBody":"x"},{"Id":"a","MessageBody":"x"}]}`), inJSON, fault{400, "AWS.SimpleQueueService.BatchEntryIdsNotDistinct"}},
		{"no handle", jsonAsk("DeleteMessage", `{"QueueUrl":"plain"}`), inJSON, missing},
		{"no handle to change", jsonAsk("ChangeMessageVisibility", `{"QueueUrl":"plain","VisibilityTimeout":1}`), inJSON, missing},
		{"no group", jsonAsk("SendMessage", `{"QueueUrl":"orders.fifo","MessageBody":"x","MessageDeduplicationId":"d"}`), inJSON, missing},
		{"no deduplication id", jsonAsk("SendMessage", `{"QueueUrl":"orders.fifo","MessageBody":"x","MessageGroupId":"g"}`), inJSON, invalidValue},
		{"no name", jsonAsk("CreateQueue", `{}`), inJSON, invalidValue},
		{"no name to look up", jsonAsk("GetQueueUrl", `{}`), inJSON, invalidValue},
		{"no tags", jsonAsk("TagQueue", `{"QueueUrl":"plain"}`), inJSON, missing},
		{"no tag keys", jsonAsk("UntagQueue", `{"QueueUrl":"plain"}`), inJSON, missing},
		{"no attributes", jsonAsk("SetQueueAttributes", `{"QueueUrl":"plain"}`), inJSON, missing},
	})
}

// TestJSONRepeatedMembersCountAsSaidLast is no refusal: the last of several members with one name counts.
func TestJSONRepeatedMembersCountAsSaidLast(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	r := s.send(t, jsonAsk("GetQueueUrl", `{"QueueName":"nowhere","QueueName":"plain"}`))
	if r.status != http.StatusOK || !strings.Contains(r.body, "/plain") {
		t.Errorf("GetQueueUrl of two names = %d %s, want that of the last", r.status, r.body)
	}
	r = s.send(t, jsonAsk("SendMessage", `{"QueueUrl":"other","MessageBody":"x","MessageAttributes":{`+
		`"a":{"DataType":"String","StringValue":"first"},"a":{"DataType":"String","StringValue":"last"}}}`))
	if r.status != http.StatusOK {
		t.Fatalf("SendMessage with an attribute twice = %d %s, want 200", r.status, r.body)
	}
	r = s.send(t, jsonAsk("ReceiveMessage", `{"QueueUrl":"other","MessageAttributeNames":["All"]}`))
	if !strings.Contains(r.body, `"StringValue":"last"`) {
		t.Errorf("ReceiveMessage = %s, want the attribute as it was said last", r.body)
	}
}

// TestJSONDeepMembersThatNobodyKnows is no refusal either: unknown members are ignored, whatever is in them.
func TestJSONDeepMembersThatNobodyKnows(t *testing.T) {
	t.Parallel()
	s := open(t)
	r := s.send(t, jsonAsk("ListQueues", `{"a":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`))
	if r.status != http.StatusOK {
		t.Errorf("ListQueues with a deep unknown member = %d %.200s, want 200", r.status, r.body)
	}
}
