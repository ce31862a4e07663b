package sqs

import (
	"strings"
	"testing"

	"github.com/sluicemq/sluice/core"
)

// Only SQS makes the names of FIFO queues tell: one that came about elsewhere is one all the same.
func TestFIFOQueueOfAnotherNameIsShownAsOne(t *testing.T) {
	s := newServer(t)
	key := core.QueueKey{Namespace: s.site.SQS.Namespace(), Name: "plain"}
	broker := s.site.Broker(rules(false))
	if _, _, err := broker.Create(t.Context(), key, core.Patch{FIFO: new(true)}, nil); err != nil {
		t.Fatal(err)
	}
	sent := s.ok(s.json("SendMessage", `{"QueueUrl":"plain","MessageBody":"m","MessageGroupId":"g","MessageDeduplicationId":"d"}`))
	if !strings.Contains(sent, `"SequenceNumber":"000000000000000000`) {
		t.Errorf("SendMessage = %s, want a sequence number", sent)
	}
	got := s.receive("plain", `"AttributeNames":["All"]`)
	if len(got) != 1 || got[0].Attributes["SequenceNumber"] == "" || got[0].Attributes["MessageGroupId"] != "g" || got[0].Attributes["MessageDeduplicationId"] != "d" {
		t.Errorf("received %+v, want sequence number, group and deduplication id", got)
	}
	s.jsonFault(s.json("ReceiveMessage", `{"QueueUrl":"plain","ReceiveRequestAttemptId":"a b"}`), 400, "InvalidParameterValue", "/InvalidParameterValueException",
		"Value a b for parameter ReceiveRequestAttemptId is invalid. Reason: ReceiveRequestAttemptId can only include alphanumeric and punctuation characters. 1 to 128 in length.")
	if shown := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"plain","AttributeNames":["FifoQueue"]}`)); shown != `{"Attributes":{"FifoQueue":"true"}}` {
		t.Errorf("GetQueueAttributes = %s", shown)
	}
}
