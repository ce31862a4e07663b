package sqs

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
)

func TestSendAndReceiveInJSON(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	const sent = `{"QueueUrl":"q","MessageBody":"test","MessageAttributes":{"k":{"StringValue":"x","DataType":"String"},"b":{"BinaryValue":"AAEC/w==","DataType":"Binary.png"}},` +
		`"MessageSystemAttributes":{"AWSTraceHeader":{"DataType":"String","StringValue":"Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"}}}`
	digest := *attributesDigest([]core.Attribute{
		{Name: "b", Kind: core.Binary, Label: "png", Value: []byte{0, 1, 2, 255}}, {Name: "k", Value: []byte("x")},
	})
	want := `{"MD5OfMessageAttributes":"` + digest + `","MD5OfMessageBody":"098f6bcd4621d373cade4e832627b4f6",` +
		`"MD5OfMessageSystemAttributes":"5ae4d5d7636402d80f4eb6d213245a88","MessageId":"MID"}`
	got := masked(s.ok(s.json("SendMessage", sent)))
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.clock.Advance(time.Second)
	got = masked(s.ok(s.json("ReceiveMessage", `{"QueueUrl":"q","AttributeNames":["All"],"MessageAttributeNames":["All"]}`)))
	want = fmt.Sprintf(`{"Messages":[{"Attributes":{"SenderId":"192.0.2.1","ApproximateFirstReceiveTimestamp":"%d","ApproximateReceiveCount":"1","SentTimestamp":"%d",`+
		`"AWSTraceHeader":"Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"},"Body":"test","MD5OfBody":"098f6bcd4621d373cade4e832627b4f6",`+
		`"MD5OfMessageAttributes":"%s","MessageAttributes":{"b":{"BinaryValue":"AAEC/w==","DataType":"Binary.png"},"k":{"DataType":"String","StringValue":"x"}},`+
		`"MessageId":"MID","ReceiptHandle":"HANDLE"}]}`, (epoch+1)*1000, epoch*1000, digest)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := s.ok(s.json("ReceiveMessage", `{"QueueUrl":"q"}`)); got != "{}" {
		t.Errorf("got %s, want {}", got)
	}
}

func TestSendAndReceiveInQuery(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	got := masked(s.ok(s.query(form("Action", "SendMessage", "QueueUrl", home+"q", "MessageBody", "\"&quot;&quot;\r", "MessageAttribute.1.Name", "k",
		"MessageAttribute.1.Value.DataType", "String", "MessageAttribute.1.Value.StringValue", "x", "MessageAttribute.2.Name", "b",
		"MessageAttribute.2.Value.DataType", "Binary", "MessageAttribute.2.Value.BinaryValue", "AAEC/w=="))))
	const body = "1f3930f662f907b134a181296c895d21"
	digest := *attributesDigest([]core.Attribute{{Name: "b", Kind: core.Binary, Value: []byte{0, 1, 2, 255}}, {Name: "k", Value: []byte("x")}})
	want := xml("SendMessage", "<MessageId>MID</MessageId><MD5OfMessageBody>"+body+"</MD5OfMessageBody><MD5OfMessageAttributes>"+digest+"</MD5OfMessageAttributes>")
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = masked(s.ok(s.query("Action=ReceiveMessage&QueueUrl=q&AttributeName=SentTimestamp&MessageSystemAttributeName.1=SenderId&MessageAttributeNames=All")))
	want = xml("ReceiveMessage", fmt.Sprintf(`<Message><MessageId>MID</MessageId><ReceiptHandle>HANDLE</ReceiptHandle><MD5OfBody>%s</MD5OfBody>`+
		`<MD5OfMessageAttributes>%s</MD5OfMessageAttributes><Body>&quot;&amp;quot;&amp;quot;&#xD;</Body>`+
		`<Attribute><Name>SenderId</Name><Value>192.0.2.1</Value></Attribute><Attribute><Name>SentTimestamp</Name><Value>%d</Value></Attribute>`+
		`<MessageAttribute><Name>b</Name><Value><BinaryValue>AAEC/w==</BinaryValue><DataType>Binary</DataType></Value></MessageAttribute>`+
		`<MessageAttribute><Name>k</Name><Value><StringValue>x</StringValue><DataType>String</DataType></Value></MessageAttribute></Message>`, body, digest, epoch*1000))
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := s.ok(s.query("Action=ReceiveMessage&QueueUrl=q")), xml("ReceiveMessage", ""); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReceiveShowsOnlyWhatIsAskedFor(t *testing.T) {
	s := newServer(t)
	s.queue("q", `{"VisibilityTimeout":"0"}`)
	s.ok(s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"m","MessageGroupId":"g","MessageAttributes":{"Hello":{"DataType":"String","StringValue":"There"},"General":{"DataType":"String","StringValue":"Kenobi"}}}`))
	for _, tt := range []struct{ names, digest, attributes string }{
		{``, "", ""},
		{`[]`, "", ""},
		{`["hello","AWS.","..foo"]`, "", ""},
		{`["All"]`, "fca026605781cb4126a1e9044df24232", "General Hello"},
		{`[".*"]`, "fca026605781cb4126a1e9044df24232", "General Hello"},
		{`["*"]`, "fca026605781cb4126a1e9044df24232", "General Hello"},
		{`["Hel.*"]`, "a311262e065454b75da111d535b8dacd", "Hello"},
		{`["Hello","x"]`, "a311262e065454b75da111d535b8dacd", "Hello"},
	} {
		members := ""
		if tt.names != "" {
			members = `"MessageAttributeNames":` + tt.names
		}
		m := s.receive("q", members)[0]
		shown := ""
		for _, name := range []string{"General", "Hello"} {
			if _, ok := m.MessageAttributes[name]; ok {
				shown += " " + name
			}
		}
		if m.MD5OfMessageAttributes != tt.digest || strings.TrimSpace(shown) != tt.attributes {
			t.Errorf("MessageAttributeNames %s: %s %s, want %s %s", tt.names, m.MD5OfMessageAttributes, shown, tt.digest, tt.attributes)
		}
	}
	m := s.receive("q", `"AttributeNames":["SenderId"],"MessageSystemAttributeNames":["ApproximateReceiveCount","MessageGroupId","VisibilityTimeout"]`)[0]
	if got, want := fmt.Sprint(m.Attributes), "map[ApproximateReceiveCount:9 MessageGroupId:g SenderId:192.0.2.1]"; got != want {
		t.Errorf("Attributes = %s, want %s", got, want)
	}
}

func TestTraceHeaderOfTheRequest(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	r := httptest.NewRequest("POST", "/", strings.NewReader("Action=SendMessage&QueueUrl=q&MessageBody=x"))
	r.Header.Set("Content-Type", formType)
	r.Header.Set("X-Amzn-Trace-Id", "Root=1-5759e988-bd862e3fe1be46a994272793")
	if got := s.ok(s.do(r)); strings.Contains(got, "MD5OfMessageSystemAttributes") {
		t.Errorf("got %s, want no digest of system attributes", got)
	}
	if got := s.receive("q", `"AttributeNames":["AWSTraceHeader"]`)[0].Attributes["AWSTraceHeader"]; got != "Root=1-5759e988-bd862e3fe1be46a994272793" {
		t.Errorf("AWSTraceHeader = %q, want that of the request", got)
	}
}

func TestSendRefuses(t *testing.T) {
	s := newServer(t)
	s.queue("q", `{"MaximumMessageSize":"1024"}`)
	s.queue("q.fifo", `{"FifoQueue":"true"}`)
	const contents = "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF"
	for _, tt := range []struct{ queue, members, code, kind, text string }{
		{"q", `"x":1`, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter MessageBody."},
		{"q", `"MessageBody":""`, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter MessageBody."},
		{"q", `"MessageBody":"\u0000"`, "InvalidMessageContents", "InvalidMessageContents", contents},
		{"q", `"MessageBody":"\uffff"`, "InvalidMessageContents", "InvalidMessageContents", contents},
		{"q", `"MessageBody":"` + strings.Repeat("a", 1025) + `"`, "", "", "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."},
		{"q", `"MessageBody":"` + strings.Repeat("a", 1017) + `","MessageAttributes":{"k":{"DataType":"String","StringValue":"x"}}`, "", "", "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."},
		{"q", `"MessageBody":"x","DelaySeconds":901`, "", "", "Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900."},
		{"q", `"MessageBody":"x","DelaySeconds":-1`, "", "", "Value -1 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900."},
		{"q", `"MessageBody":"x","MessageDeduplicationId":"d"`, "", "", "Value d for parameter MessageDeduplicationId is invalid. Reason: The request include parameter that is not valid for this queue type."},
		{"q", `"MessageBody":"x","MessageGroupId":"a b"`, "", "", "Value a b for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."},
		{"q", `"MessageBody":"x","MessageGroupId":""`, "", "", "Value  for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."},
		{"q.fifo", `"MessageBody":"x"`, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter MessageGroupId."},
		{"q.fifo", `"MessageBody":"x","MessageGroupId":"g"`, "", "", "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"},
		{"q.fifo", `"MessageBody":"x","MessageGroupId":"g","MessageDeduplicationId":"d","DelaySeconds":2`, "", "", "Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type."},
		{"q.fifo", `"MessageBody":"x","MessageGroupId":"g","MessageDeduplicationId":"` + strings.Repeat("d", 129) + `"`, "", "", "Value " + strings.Repeat("d", 129) + " for parameter MessageDeduplicationId is invalid. Reason: MessageDeduplicationId can only include alphanumeric and punctuation characters. 1 to 128 in length."},
	} {
		if tt.code == "" {
			tt.code, tt.kind = "InvalidParameterValue", "/InvalidParameterValueException"
		}
		s.jsonFault(s.json("SendMessage", `{"QueueUrl":"`+tt.queue+`",`+tt.members+`}`), 400, tt.code, tt.kind, tt.text)
	}
	for _, queue := range []string{"q", "q.fifo"} {
		if got := s.receive(queue, ""); len(got) > 0 {
			t.Errorf("%s holds %v after refusals", queue, got)
		}
	}
	s.queryFault(s.query("Action=SendMessage&QueueUrl=q"), 400, "MissingParameter", "The request must contain the parameter MessageBody.")
	s.queryFault(s.query("Action=SendMessage&QueueUrl=q&MessageBody=x&MessageGroupId=%01"), 400, "InvalidParameterValue",
		"Value \uFFFD for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.")
}

func TestSendRefusesAttributes(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	attribute := func(name, value string) string { return `"MessageAttributes":{` + quoted(name) + `:{` + value + `}}` }
	const str = `"DataType":"String","StringValue":"x"`
	eleven := strings.Builder{}
	for i := range 11 {
		fmt.Fprintf(&eleven, `,"a%d":{%s}`, i, str)
	}
	for _, tt := range []struct{ members, text string }{
		{`"MessageAttributes":{` + eleven.String()[1:] + `}`, "Number of message attributes [11] exceeds the allowed maximum [10]."},
		{attribute("", str), "The request must contain non-empty message (user) attribute names."},
		{attribute("a!", str), "Message (user) attributes name can only contain upper and lower score characters, digits, periods, hyphens and underscores. "},
		{attribute("aws.x", str), "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. These strings are reserved for internal use."},
		{attribute(".a", str), "Message (user) attribute name must not begin with character '.'."},
		{attribute("a.", str), "Message (user) attribute name must not end with character '.'."},
		{attribute("a..b", str), "Message (user) attribute name must not have successive '.' characters."},
		{attribute(strings.Repeat("a", 257), str), "Message (user) attribute name must be shorter than 256 bytes."},
		{attribute("a", `"StringValue":"x"`), "The message (user) attribute 'a' must contain a non-empty message attribute type."},
		{attribute("a", `"DataType":"string","StringValue":"x"`), "The type of message (user) attribute 'a' is invalid. You must use only the following supported type prefixes: Binary, Number, String."},
		{attribute("a", `"DataType":"String.`+strings.Repeat("x", 256)+`","StringValue":"x"`), "Message (user) attribute type must be shorter than 256 bytes."},
		{attribute("a", `"DataType":"String","StringValue":""`), "Message (user) attribute 'a' must contain a non-empty value of type 'String'."},
		{attribute("a", `"DataType":"String"`), "The message (user) attribute 'a' must contain a non-empty message attribute value."},
		{attribute("a", `"DataType":"Binary","StringValue":"x"`), "Message (user) attribute 'a' with type 'Binary' must use field 'Binary'."},
		{attribute("a", `"DataType":"Number","BinaryValue":"AA=="`), "Message (user) attribute 'a' with type 'Number' must use field 'String'."},
		{attribute("a", str+`,"BinaryValue":"AA=="`), "Message (user) attribute 'a' must have a single value."},
		{attribute("a", `"DataType":"Number","StringValue":"one"`), "Can't cast the value of message (user) attribute 'a' to a number."},
		{attribute("a", `"DataType":"Number","StringValue":"inf"`), "Can't cast the value of message (user) attribute 'a' to a number."},
		{attribute("a", `"DataType":"String","StringValue":"\u0001"`), invalidCharacters},
		{`"MessageSystemAttributes":{"x":{` + str + `}}`, "Message system attribute name 'x' is invalid."},
		{`"MessageSystemAttributes":{"AWSTraceHeader":{"DataType":"String","StringValue":""}}`, "Message (system) attribute 'AWSTraceHeader' must contain a non-empty value of type 'String'."},
	} {
		got := s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"x",`+tt.members+`}`)
		s.jsonFault(got, 400, "InvalidParameterValue", "/InvalidParameterValueException", tt.text)
	}
	got := s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"x",`+attribute("a", `"DataType":"String","StringListValues":["x"]`)+`}`)
	s.jsonFault(got, 400, "AWS.SimpleQueueService.UnsupportedOperation", "UnsupportedOperation", "Message attribute list values in SendMessage operation are not supported.")
}

func TestSendAccepts(t *testing.T) {
	s := newServer(t)
	s.queue("q", `{"MaximumMessageSize":"1024"}`)
	for _, members := range []string{
		`"MessageBody":"` + strings.Repeat("a", 1024) + `"`,
		`"MessageBody":"` + strings.Repeat("a", 1016) + `","MessageAttributes":{"k":{"DataType":"String","StringValue":"x"}}`,
		`"MessageBody":0`, `"MessageBody":"x","DelaySeconds":0,"Unknown":{}`, `"MessageBody":"\t\n\r\u00e9\ud83d\ude00"`,
		`"MessageBody":"x","MessageAttributes":{"attr.1øßä":{"DataType":"Number.x","StringValue":"-1.5e3"}}`,
		`"MessageBody":"x","MessageAttributes":{"a":{"DataType":"String","StringValue":"x","StringListValues":[],"BinaryValue":null}}`,
	} {
		s.ok(s.json("SendMessage", `{"QueueUrl":"q",`+members+`}`))
	}
}

func TestReceiveRefuses(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	for members, text := range map[string]string{
		`"MaxNumberOfMessages":11`:  "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.",
		`"MaxNumberOfMessages":0`:   "Value 0 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.",
		`"WaitTimeSeconds":21`:      "Value 21 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided.",
		`"WaitTimeSeconds":-1`:      "Value -1 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided.",
		`"VisibilityTimeout":43201`: "Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided.",
	} {
		s.jsonFault(s.json("ReceiveMessage", `{"QueueUrl":"q",`+members+`}`), 400, "InvalidParameterValue", "/InvalidParameterValueException", text)
	}
	s.queryFault(s.query("Action=ReceiveMessage&QueueUrl=q&MaxNumberOfMessages=11"), 400, "InvalidParameterValue", "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.")
	if got := s.ok(s.json("ReceiveMessage", `{"QueueUrl":"q","ReceiveRequestAttemptId":"a b"}`)); got != "{}" {
		t.Errorf("an attempt id on a standard queue: %s, want {}", got)
	}
}

func TestDeleteMessage(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	s.queue("other", "")
	s.ok(s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"x"}`))
	h := s.receive("q", "")[0].ReceiptHandle
	for range 3 {
		if got := s.ok(s.json("DeleteMessage", `{"QueueUrl":"q","ReceiptHandle":"`+h+`"}`)); got != "" {
			t.Errorf("got %s, want nothing", got)
		}
	}
	for _, tt := range []struct{ queue, handle string }{{"q", "fake"}, {"q", "AQEBfake"}, {"other", h}, {"q", h + "A"}, {"q", "AQEB<\"&"}} {
		got := s.json("DeleteMessage", `{"QueueUrl":"`+tt.queue+`","ReceiptHandle":`+quoted(tt.handle)+`}`)
		s.jsonFault(got, 404, "ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", `The input receipt handle "`+tt.handle+`" is not a valid receipt handle.`)
	}
	s.queryFault(s.query("Action=DeleteMessage&QueueUrl=q&ReceiptHandle=fake"), 404, "ReceiptHandleIsInvalid", "The input receipt handle &quot;fake&quot; is not a valid receipt handle.")
	for _, handle := range []string{``, `,"ReceiptHandle":null`, `,"ReceiptHandle":""`} {
		s.jsonFault(s.json("DeleteMessage", `{"QueueUrl":"q"`+handle+`}`), 400, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter MessageHandle.")
	}
	s.queryFault(s.query("Action=DeleteMessage&QueueUrl=q"), 400, "MissingParameter", "The request must contain the parameter MessageHandle.")
}

func TestExpiredHandles(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	s.queue("q.fifo", `{"FifoQueue":"true","ContentBasedDeduplication":"true"}`)
	s.ok(s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"x"}`))
	s.ok(s.json("SendMessage", `{"QueueUrl":"q.fifo","MessageBody":"x","MessageGroupId":"g"}`))
	standard, fifo := s.receive("q", "")[0].ReceiptHandle, s.receive("q.fifo", "")[0].ReceiptHandle
	s.clock.Advance(31 * time.Second)
	s.ok(s.json("DeleteMessage", `{"QueueUrl":"q","ReceiptHandle":"`+standard+`"}`))
	got := s.json("DeleteMessage", `{"QueueUrl":"q.fifo","ReceiptHandle":"`+fifo+`"}`)
	s.jsonFault(got, 400, "InvalidParameterValue", "/InvalidParameterValueException", "Value "+fifo+" for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.")
	for queue, handle := range map[string]string{"q": standard, "q.fifo": fifo} {
		got := s.json("ChangeMessageVisibility", `{"QueueUrl":"`+queue+`","ReceiptHandle":"`+handle+`","VisibilityTimeout":5}`)
		s.jsonFault(got, 400, "InvalidParameterValue", "/InvalidParameterValueException", "Value "+handle+" for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.")
	}
	if n := len(s.receive("q", "")); n != 0 {
		t.Errorf("standard queue: %d messages, want the expired handle to have deleted it", n)
	}
	if n := len(s.receive("q.fifo", "")); n != 1 {
		t.Errorf("FIFO queue: %d messages, want it still there", n)
	}
}

func TestChangeMessageVisibility(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	s.ok(s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"x"}`))
	h := s.receive("q", "")[0].ReceiptHandle
	for _, tt := range []struct{ members, code, kind, text string }{
		{`"ReceiptHandle":"` + h + `","VisibilityTimeout":43201`, "InvalidParameterValue", "/InvalidParameterValueException", "Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200."},
		{`"ReceiptHandle":"` + h + `"`, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter VisibilityTimeout."},
		{`"VisibilityTimeout":1`, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter ReceiptHandle."},
	} {
		s.jsonFault(s.json("ChangeMessageVisibility", `{"QueueUrl":"q",`+tt.members+`}`), 400, tt.code, tt.kind, tt.text)
	}
	s.clock.Advance(time.Second)
	got := s.json("ChangeMessageVisibility", `{"QueueUrl":"q","ReceiptHandle":"`+h+`","VisibilityTimeout":43200}`)
	s.jsonFault(got, 400, "InvalidParameterValue", "/InvalidParameterValueException", "Value 43200 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]")
	if got, want := s.ok(s.query(form("Action", "ChangeMessageVisibility", "QueueUrl", "q", "ReceiptHandle", h, "VisibilityTimeout", "0"))), xml("ChangeMessageVisibility", "-"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := len(s.receive("q", "")); n != 1 {
		t.Errorf("%d messages after a timeout of 0, want 1", n)
	}
}

func TestFIFO(t *testing.T) {
	s := newServer(t)
	s.queue("q.fifo", `{"FifoQueue":"true","ContentBasedDeduplication":"true"}`)
	const send = `{"QueueUrl":"q.fifo","MessageBody":"hello world","MessageGroupId":"1"}`
	first := s.ok(s.json("SendMessage", send))
	if got, want := masked(first), `{"MD5OfMessageBody":"5eb63bbbe01eeed093cb22bb8f5acdc3","MessageId":"MID","SequenceNumber":"`; !strings.HasPrefix(got, want) || len(got) != len(want)+20+len(`"}`) {
		t.Errorf("got %s, want %s and 20 digits", got, want)
	}
	if again := s.ok(s.json("SendMessage", send)); again != first {
		t.Errorf("duplicate = %s, want %s", again, first)
	}
	sequence := first[strings.Index(first, "SequenceNumber")+17:][:20]
	got := masked(s.ok(s.json("ReceiveMessage", `{"QueueUrl":"q.fifo","AttributeNames":["All"],"MaxNumberOfMessages":10}`)))
	want := fmt.Sprintf(`{"Messages":[{"Attributes":{"SenderId":"192.0.2.1","ApproximateFirstReceiveTimestamp":"%d","ApproximateReceiveCount":"1","SentTimestamp":"%d",`+
		`"SequenceNumber":"%s","MessageDeduplicationId":"b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9","MessageGroupId":"1"},`+
		`"Body":"hello world","MD5OfBody":"5eb63bbbe01eeed093cb22bb8f5acdc3","MessageId":"MID","ReceiptHandle":"HANDLE"}]}`, epoch*1000, epoch*1000, sequence)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDeadLetters(t *testing.T) {
	s := newServer(t)
	s.queue("dlq", "")
	s.queue("q", `{"VisibilityTimeout":"0","RedrivePolicy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dlq\",\"maxReceiveCount\":1}"}`)
	s.ok(s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"x"}`))
	id := s.receive("q", "")[0].MessageId
	if n := len(s.receive("q", "")); n != 0 {
		t.Fatalf("second receive gave %d messages, want none", n)
	}
	m := s.receive("dlq", `"AttributeNames":["All"],"VisibilityTimeout":0`)[0]
	if m.MessageId != id || m.Attributes["ApproximateReceiveCount"] != "2" || m.Attributes["DeadLetterQueueSourceArn"] != "arn:aws:sqs:us-east-1:000000000000:q" {
		t.Errorf("dead letter = %+v, want the message %s, received twice, of q", m, id)
	}
}

func TestMessageMoveTasks(t *testing.T) {
	s := newServer(t)
	s.queue("dlq", "")
	s.queue("q", `{"VisibilityTimeout":"0","RedrivePolicy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dlq\",\"maxReceiveCount\":1}"}`)
	const dlq, q = "arn:aws:sqs:us-east-1:000000000000:dlq", "arn:aws:sqs:us-east-1:000000000000:q"
	const notFound, value, absent = "ResourceNotFoundException", "/InvalidParameterValueException", "/MissingRequiredParameterException"
	for _, tt := range []struct {
		operation, members string
		status             int
		code, kind, text   string
	}{
		{"StartMessageMoveTask", ``, 400, "MissingParameter", absent, "The request must contain the parameter SourceArn."},
		{"StartMessageMoveTask", `"SourceArn":"x"`, 400, "InvalidParameterValue", value, "You must use this format to specify the SourceArn: arn:<partition>:<service>:<region>:<account-id>:<resource-id>"},
		{"StartMessageMoveTask", `"SourceArn":"` + dlq + `x"`, 404, "ResourceNotFoundException", notFound, "The resource that you specified for the SourceArn parameter doesn't exist."},
		{"StartMessageMoveTask", `"SourceArn":"` + q + `"`, 400, "InvalidParameterValue", value, "Source queue must be configured as a Dead Letter Queue."},
		{"StartMessageMoveTask", `"SourceArn":"` + dlq + `","DestinationArn":"` + q + `x"`, 404, "ResourceNotFoundException", notFound, "The resource that you specified for the DestinationArn parameter doesn't exist."},
		{"StartMessageMoveTask", `"SourceArn":"` + dlq + `","DestinationArn":"` + dlq + `"`, 400, "InvalidParameterValue", value, "Source queue arn and destination queue arn cannot be the same."},
		{"StartMessageMoveTask", `"SourceArn":"` + dlq + `","MaxNumberOfMessagesPerSecond":501`, 400, "InvalidParameterValue", value, "Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 and 500."},
		{"ListMessageMoveTasks", `"SourceArn":"` + dlq + `","MaxResults":11`, 400, "InvalidParameterValue", value, "Value for parameter MaxResults is invalid. Reason: You must enter a number that's between 1 and 10."},
		{"CancelMessageMoveTask", ``, 400, "MissingParameter", absent, "The request must contain the parameter TaskHandle."},
		{"CancelMessageMoveTask", `"TaskHandle":""`, 400, "InvalidParameterValue", value, "The TaskHandle parameter is required."},
		{"CancelMessageMoveTask", `"TaskHandle":"x"`, 400, "InvalidParameterValue", value, "Value for parameter TaskHandle is invalid."},
		{"CancelMessageMoveTask", `"TaskHandle":"eyJ0YXNrSWQiOiJ4Iiwic291cmNlQXJuIjoiYXJuOmF3czpzcXM6dXMtZWFzdC0xOjAwMDAwMDAwMDAwMDpkbHEifQ=="`, 404, "ResourceNotFoundException", notFound, "Task does not exist."},
	} {
		s.jsonFault(s.json(tt.operation, `{`+tt.members+`}`), tt.status, tt.code, tt.kind, tt.text)
	}
	if got := s.ok(s.json("ListMessageMoveTasks", `{"SourceArn":"`+dlq+`"}`)); got != "{}" {
		t.Errorf("got %s, want {}", got)
	}
	var started struct{ TaskHandle string }
	s.parse(s.ok(s.json("StartMessageMoveTask", `{"SourceArn":"`+dlq+`","DestinationArn":"`+q+`","MaxNumberOfMessagesPerSecond":5}`)), &started)
	if key, id, ok := newService(s.site).parseTaskHandle(started.TaskHandle); !ok || key.Name != "dlq" || len(id) != 32 {
		t.Errorf("TaskHandle = %s: %v %s %v", started.TaskHandle, key, id, ok)
	}
	got := s.ok(s.query("Action=ListMessageMoveTasks&SourceArn=" + dlq))
	for _, want := range []string{
		"<SourceArn>" + dlq + "</SourceArn><DestinationArn>" + q + "</DestinationArn><MaxNumberOfMessagesPerSecond>5</MaxNumberOfMessagesPerSecond>",
		fmt.Sprintf("<StartedTimestamp>%d</StartedTimestamp></ListMessageMoveTasksResultEntry>", epoch*1000),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want it to contain %s", got, want)
		}
	}
}
