package sqs

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSendMessageBatch(t *testing.T) {
	s := newServer(t)
	s.queue("q", `{"MaximumMessageSize":"1024"}`)
	entries := `[{"Id":"a","MessageBody":"fine"},{"Id":"b","MessageBody":"` + strings.Repeat("x", 1025) + `"},{"Id":"c","MessageBody":"\u0000"},{"Id":"d"},` +
		`{"Id":"e","MessageBody":"x","MessageDeduplicationId":"d"},{"Id":"f","MessageBody":"x","MessageGroupId":" "},{"Id":"g","MessageBody":"x","DelaySeconds":901},{"Id":"h","MessageBody":"fine"}]`
	got := masked(s.ok(s.json("SendMessageBatch", `{"QueueUrl":"q","Entries":`+entries+`}`)))
	bad := func(id, code, text string) string {
		return `{"Code":"` + code + `","Id":"` + id + `","Message":"` + text + `","SenderFault":true}`
	}
	want := `{"Failed":[` + strings.Join([]string{
		bad("b", "InvalidParameterValue", "One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes."),
		bad("c", "InvalidMessageContents", invalidCharacters),
		bad("d", "MissingParameter", "The request must contain the parameter SendMessageBatchRequestEntry.4.MessageBody."),
		bad("e", "InvalidParameterValue", "The request include parameter that is not valid for this queue type"),
		bad("f", "InvalidParameterValue", "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length"),
		bad("g", "InvalidParameterValue", "Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900."),
	}, ",") + `],"Successful":[{"Id":"a","MD5OfMessageBody":"fff25994ee3941b225ba898fd17d186f","MessageId":"MID"},{"Id":"h","MD5OfMessageBody":"fff25994ee3941b225ba898fd17d186f","MessageId":"MID"}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if n := len(s.receive("q", `"MaxNumberOfMessages":10`)); n != 2 {
		t.Errorf("%d messages arrived, want 2", n)
	}
	got = masked(s.ok(s.query("Action=SendMessageBatch&QueueUrl=q&SendMessageBatchRequestEntry.1.Id=1&SendMessageBatchRequestEntry.1.MessageBody=test&SendMessageBatchRequestEntry.2.Id=2&SendMessageBatchRequestEntry.2.MessageBody=%00")))
	want = xml("SendMessageBatch", "<SendMessageBatchResultEntry><Id>1</Id><MessageId>MID</MessageId><MD5OfMessageBody>098f6bcd4621d373cade4e832627b4f6</MD5OfMessageBody></SendMessageBatchResultEntry>"+
		"<BatchResultErrorEntry><Id>2</Id><Code>InvalidMessageContents</Code><Message>"+invalidCharacters+"</Message><SenderFault>true</SenderFault></BatchResultErrorEntry>")
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = s.ok(s.json("SendMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"d"}]}`))
	if want := `{"Failed":[` + bad("d", "MissingParameter", "The request must contain the parameter SendMessageBatchRequestEntry.1.MessageBody.") + `]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBatchesFailAsAWhole(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	const distinct, badID = "BatchEntryIdsNotDistinct", "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long."
	var eleven strings.Builder
	for i := range 11 {
		fmt.Fprintf(&eleven, `,{"Id":"%d","MessageBody":"x","ReceiptHandle":"x"}`, i)
	}
	for operation, entry := range map[string]string{
		"SendMessageBatch": "SendMessageBatchRequestEntry", "DeleteMessageBatch": "DeleteMessageBatchRequestEntry",
		"ChangeMessageVisibilityBatch": "ChangeMessageVisibilityBatchRequestEntry",
	} {
		for _, tt := range []struct{ entries, shape, text string }{
			{`[]`, "EmptyBatchRequest", "There should be at least one " + entry + " in the request."},
			{`[` + eleven.String()[1:] + `]`, "TooManyEntriesInBatchRequest", "Maximum number of entries per request are 10. You have sent 11."},
			{`[{"Id":"a b"}]`, "InvalidBatchEntryId", badID},
			{`[{"Id":""}]`, "InvalidBatchEntryId", badID},
			{`[{"Id":"` + strings.Repeat("a", 81) + `"}]`, "InvalidBatchEntryId", badID},
			{`[{"Id":"a"},{"Id":"b"},{"Id":"b"},{"Id":"a"}]`, distinct, "Id b repeated."},
		} {
			got := s.json(operation, `{"QueueUrl":"q","Entries":`+tt.entries+`}`)
			s.jsonFault(got, 400, "AWS.SimpleQueueService."+tt.shape, tt.shape, tt.text)
		}
		s.jsonFault(s.json(operation, `{"QueueUrl":"q","Entries":[{"Id":"a"},{}]}`), 400, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter "+entry+".2.Id.")
		s.jsonFault(s.json(operation, `{"QueueUrl":"q"}`), 400, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter Entries.")
		for _, parameter := range []string{"", "&" + entry + "="} {
			s.queryFault(s.query("Action="+operation+"&QueueUrl=q"+parameter), 400, "AWS.SimpleQueueService.EmptyBatchRequest", "There should be at least one "+entry+" in the request.")
		}
	}
	large := strings.Repeat("x", 600_000)
	got := s.json("SendMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"a","MessageBody":"`+large+`"},{"Id":"b","MessageBody":"`+large+`"}]}`)
	s.jsonFault(got, 400, "AWS.SimpleQueueService.BatchRequestTooLong", "BatchRequestTooLong", "Batch requests cannot be longer than 1048576 bytes. You have sent 1200000 bytes.")
	if n := len(s.receive("q", "")); n != 0 {
		t.Errorf("%d messages arrived, want none", n)
	}
}

func TestFIFOBatchFailsAsAWhole(t *testing.T) {
	s := newServer(t)
	s.queue("q.fifo", `{"FifoQueue":"true"}`)
	for entry, text := range map[string]string{
		`{"Id":"b","MessageBody":"x","MessageDeduplicationId":"e"}`: "The request must contain the parameter MessageGroupId.",
		`{"Id":"b","MessageBody":"x","MessageGroupId":"g"}`:         "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
		// What is wrong with an entry besides does not save the call.
		`{"Id":"b","MessageBody":"x","MessageDeduplicationId":"e","DelaySeconds":1}`: "The request must contain the parameter MessageGroupId.",
		`{"Id":"b","MessageBody":"","MessageDeduplicationId":"e"}`:                   "The request must contain the parameter MessageGroupId.",
	} {
		got := s.json("SendMessageBatch", `{"QueueUrl":"q.fifo","Entries":[{"Id":"a","MessageBody":"x","MessageGroupId":"g","MessageDeduplicationId":"d"},`+entry+`]}`)
		s.jsonFault(got, 400, "InvalidParameterValue", "/InvalidParameterValueException", text)
	}
	if n := len(s.receive("q.fifo", "")); n != 0 {
		t.Errorf("%d messages arrived, want none", n)
	}
}

func TestDeleteAndChangeBatches(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	s.ok(s.json("SendMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"a","MessageBody":"x"},{"Id":"b","MessageBody":"y"}]}`))
	m := s.receive("q", `"MaxNumberOfMessages":10`)
	x, y := m[0].ReceiptHandle, m[1].ReceiptHandle
	got := s.ok(s.query(form("Action", "DeleteMessageBatch", "QueueUrl", "q", "DeleteMessageBatchRequestEntry.1.Id", "bad", "DeleteMessageBatchRequestEntry.1.ReceiptHandle", "garbage",
		"DeleteMessageBatchRequestEntry.2.Id", "none", "DeleteMessageBatchRequestEntry.3.Id", "x", "DeleteMessageBatchRequestEntry.3.ReceiptHandle", x)))
	want := xml("DeleteMessageBatch", "<DeleteMessageBatchResultEntry><Id>x</Id></DeleteMessageBatchResultEntry>"+
		"<BatchResultErrorEntry><Id>bad</Id><Code>ReceiptHandleIsInvalid</Code><Message>The input receipt handle &quot;garbage&quot; is not a valid receipt handle.</Message><SenderFault>true</SenderFault></BatchResultErrorEntry>"+
		"<BatchResultErrorEntry><Id>none</Id><Code>MissingParameter</Code><Message>The request must contain the parameter ReceiptHandle.</Message><SenderFault>true</SenderFault></BatchResultErrorEntry>")
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Recorded 2026-03-19, but for the order of the failures.
	got = s.ok(s.json("ChangeMessageVisibilityBatch", `{"QueueUrl":"q","Entries":[{"Id":"0","ReceiptHandle":"`+x+`","VisibilityTimeout":1},{"Id":"2","ReceiptHandle":"`+y+`","VisibilityTimeout":1}]}`))
	want = `{"Failed":[{"Code":"ReceiptHandleIsInvalid","Id":"0","Message":"Message does not exist or is not available for visibility timeout change","SenderFault":true}],"Successful":[{"Id":"2"}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = s.ok(s.json("ChangeMessageVisibilityBatch", `{"QueueUrl":"q","Entries":[{"Id":"a","ReceiptHandle":"`+y+`"},{"Id":"b","ReceiptHandle":"`+y+`","VisibilityTimeout":43201}]}`))
	want = `{"Failed":[{"Code":"MissingParameter","Id":"a","Message":"The request must contain the parameter ChangeMessageVisibilityBatchRequestEntry.1.VisibilityTimeout.","SenderFault":true},` +
		`{"Code":"InvalidParameterValue","Id":"b","Message":"Value 43201 for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and 43200.","SenderFault":true}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = s.ok(s.json("DeleteMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"a","ReceiptHandle":"x"}]}`))
	if want := `{"Failed":[{"Code":"ReceiptHandleIsInvalid","Id":"a","Message":"The input receipt handle \"x\" is not a valid receipt handle.","SenderFault":true}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.clock.Advance(2 * time.Second)
	if n := len(s.receive("q", "")); n != 1 {
		t.Errorf("%d messages, want the one whose timeout was shortened", n)
	}
}
