package hostile_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
)

// openOnDisk starts a server whose store has limits: what memory takes without a word can be too much for one commit.
func openOnDisk(t *testing.T) *site {
	t.Helper()
	return openWith(t, sluice.Options{Data: t.TempDir()})
}

// TestValuesThatCountForNothing fills the members of requests that no limit of a message or a queue counts. They may be
// refused, and they may be taken, but they must not fail in the store: the commit that fails is that of others as well.
func TestValuesThatCountForNothing(t *testing.T) {
	s := openOnDisk(t)
	s.furnish(t)
	s.must(t, "CreateQueue", map[string]any{"QueueName": "groups.fifo", "Attributes": map[string]string{
		"FifoQueue": "true", "ContentBasedDeduplication": "true", "DeduplicationScope": "messageGroup",
	}})
	text := func(n int) string { return strings.Repeat("x", n) }
	arns := make([]string, 10)
	for i := range arns {
		arns[i] = "arn:aws:sqs:us-east-1:000000000000:" + text(300_000)
	}
	allow, _ := json.Marshal(map[string]any{"redrivePermission": "byQueue", "sourceQueueArns": arns})
	trace := func(n int) string {
		return `"MessageSystemAttributes":{"AWSTraceHeader":{"DataType":"String","StringValue":"` + text(n) + `"}}`
	}
	entries := make([]string, 10)
	for i := range entries {
		entries[i] = fmt.Sprintf(`{"Id":"%d","MessageBody":"x",%s}`, i, trace(300_000))
	}
	withHeader := jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":"x"}`)
	withHeader.header = append(withHeader.header, "X-Amzn-Trace-Id: "+text(60_000))
	property := "<PropertyValue><Name>%s</Name><Value>%s</Value><Type>STRING</Type></PropertyValue>"
	for name, a := range map[string]ask{
		"a trace":                     jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":"x",`+trace(3_000_000)+`}`),
		"traces of a batch":           jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":[`+strings.Join(entries, ",")+`]}`),
		"a trace by Query":            queryAsk("Action=SendMessage&MessageBody=x&MessageSystemAttribute.1.Name=AWSTraceHeader&MessageSystemAttribute.1.Value.DataType=String&MessageSystemAttribute.1.Value.StringValue=" + text(3_000_000)),
		"a trace in the header":       withHeader,
		"the label of a trace":        jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":"x","MessageSystemAttributes":{"AWSTraceHeader":{"DataType":"String.`+text(3_000_000)+`","StringValue":"x"}}}`),
		"a key of KMS":                jsonAsk("SetQueueAttributes", `{"QueueUrl":"other","Attributes":{"KmsMasterKeyId":"`+text(3_000_000)+`"}}`),
		"sources of a dead-letter":    jsonAsk("SetQueueAttributes", `{"QueueUrl":"other","Attributes":{"RedriveAllowPolicy":`+quoted(string(allow))+`}}`),
		"a long attempt id":           jsonAsk("ReceiveMessage", `{"QueueUrl":"orders.fifo","ReceiveRequestAttemptId":"`+text(70_000)+`"}`),
		"a long deduplication id":     jsonAsk("SendMessage", `{"QueueUrl":"orders.fifo","MessageBody":"x","MessageGroupId":"g","MessageDeduplicationId":"`+text(70_000)+`"}`),
		"a long group of MNS":         mnsAsk(http.MethodPost, "/queues/groups.fifo/messages", "<Message><MessageBody>x</MessageBody><MessageGroupId>"+text(70_000)+"</MessageGroupId></Message>"),
		"a longer group of MNS":       mnsAsk(http.MethodPost, "/queues/groups.fifo/messages", "<Message><MessageBody>x</MessageBody><MessageGroupId>"+text(1_400_000)+"</MessageGroupId></Message>"),
		"a property of MNS":           sendXML("<Message><MessageBody>x</MessageBody><UserProperties>" + fmt.Sprintf(property, "a", text(1_500_000)) + "</UserProperties></Message>"),
		"the name of a property":      sendXML("<Message><MessageBody>x</MessageBody><UserProperties>" + fmt.Sprintf(property, text(1_500_000), "a") + "</UserProperties></Message>"),
		"a trace of MNS":              sendXML("<Message><MessageBody>x</MessageBody><SystemProperties><SystemPropertyValue><Name>baggage</Name><Value>" + text(1_500_000) + "</Value></SystemPropertyValue></SystemProperties></Message>"),
		"a queue name to ask for":     jsonAsk("GetQueueUrl", `{"QueueName":"`+text(3_000_000)+`"}`),
		"a queue name to delete":      jsonAsk("DeleteQueue", `{"QueueUrl":"`+text(3_000_000)+`"}`),
		"a prefix of queues":          jsonAsk("ListQueues", `{"QueueNamePrefix":"`+text(3_000_000)+`"}`),
		"a token of a page":           jsonAsk("ListQueues", `{"MaxResults":1,"NextToken":"`+text(3_000_000)+`"}`),
		"a label of a permission":     jsonAsk("AddPermission", `{"QueueUrl":"other","Label":"`+text(3_000_000)+`","AWSAccountIds":["000000000000"],"Actions":["SendMessage"]}`),
		"accounts of a permission":    jsonAsk("AddPermission", `{"QueueUrl":"other","Label":"l","AWSAccountIds":["`+strings.Repeat(`000000000000","`, 200_000)+`000000000000"],"Actions":["SendMessage"]}`),
		"a task that is not there":    jsonAsk("CancelMessageMoveTask", `{"TaskHandle":"`+text(3_000_000)+`"}`),
		"a source that is not there":  jsonAsk("StartMessageMoveTask", `{"SourceArn":"`+text(3_000_000)+`"}`),
		"a message attribute's label": jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":"x","MessageAttributes":{"a":{"DataType":"String.`+text(3_000_000)+`","StringValue":"x"}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			if r := s.send(t, a); r.status >= 500 {
				t.Errorf("%v = %d %.300s, want no error of the server's", a, r.status, r.body)
			}
			s.checkFaults(t)
			s.must(t, "GetQueueAttributes", map[string]any{"QueueUrl": urlOf("plain"), "AttributeNames": []string{"All"}})
		})
	}
}

// TestTextsThatAnswersCannotHold stores what is no UTF-8, or what XML or JSON cannot say, where it is not refused. Every
// answer must be readable all the same.
func TestTextsThatAnswersCannotHold(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	for i, text := range []string{"%ff", "%00", "%01", "%EF%BF%BF", "%ED%A0%80", "%C0%80", "%0d%0a", "%22%3c%26%5d%5d%3e", "%E2%80%A8"} {
		for _, form := range []string{
			"Action=SendMessage&MessageBody=x&MessageAttribute.1.Name=a&MessageAttribute.1.Value.StringValue=x&MessageAttribute.1.Value.DataType=String." + text,
			"Action=SendMessage&MessageBody=x&MessageSystemAttribute.1.Name=AWSTraceHeader&MessageSystemAttribute.1.Value.DataType=String&MessageSystemAttribute.1.Value.StringValue=" + text,
			"Action=SendMessage&MessageBody=x&MessageGroupId=" + text,
			"Action=SetQueueAttributes&Attribute.1.Name=KmsMasterKeyId&Attribute.1.Value=" + text,
			"Action=SetQueueAttributes&Attribute.1.Name=Policy&Attribute.1.Value=" + text,
			"Action=TagQueue&Tag.1.Key=k&Tag.1.Value=" + text,
			"Action=TagQueue&Tag.1.Value=k&Tag.1.Key=" + text,
			"Action=AddPermission&AWSAccountId.1=000000000000&ActionName.1=SendMessage&Label=" + text,
		} {
			r := s.send(t, queryAsk(form))
			if r.status != http.StatusOK {
				inQuery(t, r, fault{http.StatusBadRequest, ""})
			}
		}
		header := queryAsk("Action=SendMessage&MessageBody=x")
		header.header = append(header.header, "X-Amzn-Trace-Id: \xff\xfe"+fmt.Sprint(i))
		s.send(t, header)
	}
	s.readable(t, queryAsk("Action=GetQueueAttributes&AttributeName.1=All"))
	s.readable(t, queryAsk("Action=ListQueueTags"))
	s.readable(t, queryAsk("Action=ReceiveMessage&VisibilityTimeout=0&MaxNumberOfMessages=10&AttributeName.1=All&MessageAttributeName.1=All"))
	s.readable(t, mnsAsk(http.MethodGet, onMessages+"?peekonly=true&numOfMessages=16", ""))
	for _, operation := range []string{"GetQueueAttributes", "ListQueueTags", "ReceiveMessage"} {
		s.readable(t, jsonAsk(operation, `{"QueueUrl":"plain","AttributeNames":["All"],"MessageAttributeNames":["All"]}`))
	}
}

// TestWorkThatComesDueAllAtOnce lets much more come due at one instant than fits into one commit of the store, as after
// a long time without the server. Whoever asks next must be served.
func TestWorkThatComesDueAllAtOnce(t *testing.T) {
	const messages = 21_000 // over the 20,000 changes that a commit may hold
	for _, tt := range []struct {
		name, queue, attributes, entry string
		after                          time.Duration
	}{
		{"deduplication ids", "all.fifo", `{"FifoQueue":"true"}`, `,"MessageGroupId":"g","MessageDeduplicationId":"%d"`, 6 * time.Minute},
		{"retention", "all", `{"MessageRetentionPeriod":"60"}`, ``, 2 * time.Minute},
		{"delays", "all", `{"DelaySeconds":"60"}`, ``, 2 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := openOnDisk(t)
			s.mustServe(t, "CreateQueue", `{"QueueName":"`+tt.queue+`","Attributes":`+tt.attributes+`}`)
			for i := 0; i < messages; i += 10 {
				var entries []string
				for n := i; n < i+10; n++ {
					more := tt.entry
					if more != "" {
						more = fmt.Sprintf(more, n)
					}
					entries = append(entries, fmt.Sprintf(`{"Id":"%d","MessageBody":"x"%s}`, n, more))
				}
				s.mustServe(t, "SendMessageBatch", `{"QueueUrl":"`+tt.queue+`","Entries":[`+strings.Join(entries, ",")+`]}`)
			}
			s.clock.Advance(tt.after)
			s.mustServe(t, "ReceiveMessage", `{"QueueUrl":"`+tt.queue+`","VisibilityTimeout":0}`)
			if tt.name == "deduplication ids" {
				s.mustServe(t, "SendMessage", `{"QueueUrl":"all.fifo","MessageBody":"x","MessageGroupId":"g","MessageDeduplicationId":"0"}`)
			} else {
				s.mustServe(t, "SendMessage", `{"QueueUrl":"all","MessageBody":"x"}`)
			}
			s.checkFaults(t)
		})
	}
}

// TestManyMessagesThatAreWornOut lets one receive find many more messages for the dead-letter queue than fit into one
// commit.
func TestManyMessagesThatAreWornOut(t *testing.T) {
	t.Parallel()
	s := openOnDisk(t)
	const messages = 12_000
	s.mustServe(t, "CreateQueue", `{"QueueName":"dead"}`)
	s.mustServe(t, "CreateQueue", `{"QueueName":"worn","Attributes":{"RedrivePolicy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dead\",\"maxReceiveCount\":1}"}}`)
	batch := make([]string, 10)
	for i := range batch {
		batch[i] = fmt.Sprintf(`{"Id":"%d","MessageBody":"x"}`, i)
	}
	for range messages / 10 {
		s.mustServe(t, "SendMessageBatch", `{"QueueUrl":"worn","Entries":[`+strings.Join(batch, ",")+`]}`)
	}
	for range messages / 10 {
		s.mustServe(t, "ReceiveMessage", `{"QueueUrl":"worn","MaxNumberOfMessages":10}`)
	}
	s.clock.Advance(31 * time.Second)
	for range 100 { // each takes as many as it can
		s.mustServe(t, "ReceiveMessage", `{"QueueUrl":"worn","MaxNumberOfMessages":10}`)
	}
	out := s.mustServe(t, "GetQueueAttributes", `{"QueueUrl":"dead","AttributeNames":["ApproximateNumberOfMessages"]}`)
	if want := fmt.Sprintf(`"ApproximateNumberOfMessages":"%d"`, messages); !strings.Contains(out, want) {
		t.Errorf("the dead-letter queue has %s, want %s", out, want)
	}
}

// mustServe does an operation that has to succeed, past the network, and returns its answer.
func (s *site) mustServe(t *testing.T, operation, in string) string {
	t.Helper()
	r := s.serve(jsonRequest(operation, json.RawMessage(in)))
	if r.status != http.StatusOK {
		t.Fatalf("%s(%.200s) = %d %.300s, want 200", operation, in, r.status, r.body)
	}
	return r.body
}

// TestDelayOfManyMessagesIsChanged rewrites the state of more messages than fit into one commit.
func TestDelayOfManyMessagesIsChanged(t *testing.T) {
	t.Parallel()
	s := openOnDisk(t)
	const messages = 21_000
	s.mustServe(t, "CreateQueue", `{"QueueName":"slow.fifo","Attributes":{"FifoQueue":"true","DelaySeconds":"900"}}`)
	for i := 0; i < messages; i += 10 {
		var entries []string
		for n := i; n < i+10; n++ {
			entries = append(entries, fmt.Sprintf(`{"Id":"%d","MessageBody":"x","MessageGroupId":"g","MessageDeduplicationId":"%[1]d"}`, n))
		}
		s.mustServe(t, "SendMessageBatch", `{"QueueUrl":"slow.fifo","Entries":[`+strings.Join(entries, ",")+`]}`)
	}
	s.mustServe(t, "SetQueueAttributes", `{"QueueUrl":"slow.fifo","Attributes":{"DelaySeconds":"0"}}`)
	if out := s.mustServe(t, "ReceiveMessage", `{"QueueUrl":"slow.fifo"}`); !strings.Contains(out, "MessageId") {
		t.Errorf("ReceiveMessage = %s, want a message", out)
	}
}

// TestOnesMistakeIsNotTheOthers lets honest clients work beside one whose requests the store cannot take. Commits are
// shared, errors must not be.
func TestOnesMistakeIsNotTheOthers(t *testing.T) {
	t.Parallel()
	s := openOnDisk(t)
	s.mustServe(t, "CreateQueue", `{"QueueName":"honest"}`)
	s.mustServe(t, "CreateQueue", `{"QueueName":"mistaken"}`)
	key := `{"QueueUrl":"mistaken","Attributes":{"KmsMasterKeyId":"` + strings.Repeat("x", 3_000_000) + `"}}`
	const mistakes = 10
	done := make(chan struct{})
	var all sync.WaitGroup
	var sent, failed atomic.Int64
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				r := s.serve(jsonRequest("SendMessage", json.RawMessage(`{"QueueUrl":"honest","MessageBody":"x"}`)))
				if sent.Add(1); r.status != http.StatusOK {
					failed.Add(1)
				}
			}
		})
	}
	for range mistakes {
		s.serve(jsonRequest("SetQueueAttributes", json.RawMessage(key)))
	}
	close(done)
	all.Wait()
	if failed.Load() > 0 {
		t.Errorf("%d of %d sends of honest clients failed beside %d requests that are too large for the store", failed.Load(), sent.Load(), mistakes)
	}
}
