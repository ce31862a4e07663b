package hostile_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The limits of whole requests. UNVERIFIED: those of the providers are not known; these are far above any honest one.
const (
	sqsRequest = 8 << 20
	mnsRequest = 3 << 19
)

func TestBodiesOverTheLimit(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	var rows []row
	for _, chunked := range []bool{false, true} {
		for _, over := range []int{1, 1 << 20} {
			name := fmt.Sprintf(" by %d, chunked %v", over, chunked)
			for _, r := range []row{
				{"JSON", jsonAsk("SendMessage", filled(`{"QueueUrl":"plain","MessageBody":"`, `"}`, sqsRequest+over)), inJSON, tooLarge},
				{"Query", queryAsk(filled("Action=SendMessage&MessageBody=", "", sqsRequest+over)), inQuery, tooLarge},
				{"MNS", sendXML(filled("<Message><MessageBody>", "</MessageBody></Message>", mnsRequest+over)), inMNS, mnsArgument},
			} {
				r.name += name
				r.ask.chunked = chunked
				rows = append(rows, r)
			}
		}
	}
	s.refuses(t, rows)
}

// filled is a text of n bytes between two others.
func filled(before, behind string, n int) string {
	return before + strings.Repeat("x", n-len(before)-len(behind)) + behind
}

func TestMessagesOverTheLimit(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	s.must(t, "CreateQueue", map[string]any{"QueueName": "small", "Attributes": map[string]string{"MaximumMessageSize": "1024"}})
	text := func(n int) string { return strings.Repeat("x", n) }
	send := func(queue string, n int) ask {
		return jsonAsk("SendMessage", `{"QueueUrl":"`+queue+`","MessageBody":"`+text(n)+`"}`)
	}
	entry := func(id string, n int) string { return `{"Id":"` + id + `","MessageBody":"` + text(n) + `"}` }
	s.refuses(t, []row{
		{"a mebibyte and a byte", send("plain", 1<<20+1), inJSON, invalidValue},
		{"by Query", queryAsk("Action=SendMessage&MessageBody=" + text(1<<20+1)), inQuery, invalidValue},
		{"over the queue's own limit", send("small", 1025), inJSON, invalidValue},
		{"with an attribute", jsonAsk("SendMessage", `{"QueueUrl":"small","MessageBody":"`+text(1017)+`","MessageAttributes":{"k":{"DataType":"String","StringValue":"x"}}}`), inJSON, invalidValue},
		{"a batch", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":[`+entry("a", 1<<19)+","+entry("b", 1<<19+1)+`]}`), inJSON, fault{400, "AWS.SimpleQueueService.BatchRequestTooLong"}},
		{"to MNS", mnsAsk(http.MethodPost, "/queues/small/messages", "<Message><MessageBody>"+text(1025)+"</MessageBody></Message>"), inMNS, mnsArgument},
		{"a batch to MNS", sendXML("<Messages>" + strings.Repeat("<Message><MessageBody>"+text(4097)+"</MessageBody></Message>", 16) + "</Messages>"), inMNS, mnsArgument},
		{"a long attribute name", jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":"x","MessageAttributes":{"`+text(257)+`":{"DataType":"String","StringValue":"x"}}}`), inJSON, invalidValue},
		{"a long type", jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":"x","MessageAttributes":{"a":{"DataType":"String.`+text(257)+`","StringValue":"x"}}}`), inJSON, invalidValue},
		{"a long group", jsonAsk("SendMessage", `{"QueueUrl":"orders.fifo","MessageBody":"x","MessageGroupId":"`+text(129)+`","MessageDeduplicationId":"d"}`), inJSON, invalidValue},
		{"a long batch id", jsonAsk("SendMessageBatch", `{"QueueUrl":"plain","Entries":[`+entry(text(81), 1)+`]}`), inJSON, fault{400, "AWS.SimpleQueueService.InvalidBatchEntryId"}},
		{"51 tags", jsonAsk("TagQueue", `{"QueueUrl":"plain","Tags":{`+tags(51)+`}}`), inJSON, invalidValue},
		{"a long tag", jsonAsk("TagQueue", `{"QueueUrl":"plain","Tags":{"`+text(129)+`":"x"}}`), inJSON, invalidValue},
		{"a long tag value", jsonAsk("TagQueue", `{"QueueUrl":"plain","Tags":{"x":"`+text(257)+`"}}`), inJSON, invalidValue},
	})
	if r := s.send(t, send("other", 1<<20)); r.status != http.StatusOK {
		t.Errorf("a message of exactly a mebibyte = %d %.200s, want 200", r.status, r.body)
	}
}

func tags(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"k%d":"v"`, i)
	}
	return strings.Join(all, ",")
}

// TestBodiesThatEndTooSoon gives a length and sends less, then closes its half of the connection.
func TestBodiesThatEndTooSoon(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	before := s.state(t)
	for _, tt := range []row{
		{"JSON", jsonAsk("SendMessage", `{"QueueUrl":"plain","MessageBody":"x"}`), inJSON, malformed},
		{"Query", queryAsk("Action=SendMessage&MessageBody=x"), inQuery, malformed},
		{"MNS", sendXML("<Message><MessageBody>x</MessageBody></Message>"), inMNS, mnsMalformed},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, chunked %v", tt.name, chunked), func(t *testing.T) {
				tt.ask.chunked = chunked
				wire := tt.ask.bytes(s.addr)
				c := s.dial(t)
				_ = c.SetDeadline(time.Now().Add(patience))
				_, _ = io.WriteString(c, wire[:len(wire)-8])
				_ = c.(interface{ CloseWrite() error }).CloseWrite()
				tt.shape(t, read(t, bufio.NewReader(c), tt.ask.method), tt.want)
			})
		}
	}
	if s.state(t) != before {
		t.Error("the queues have changed")
	}
}
