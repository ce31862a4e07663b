package sqs

import (
	"net/http/httptest"
	"strings"
	"testing"

	wanted "github.com/sluicemq/sluice/protocols/faults"
)

func TestEveryErrorThatCanBeWantedIsFound(t *testing.T) {
	names := []string{wanted.Throttled, wanted.Internal, wanted.Unavailable, wanted.TooMany}
	for _, f := range failures {
		names = append(names, f.code, f.name)
	}
	for _, name := range names {
		if failure(name) == nil {
			t.Errorf("failure(%q) = nil", name)
		}
	}
	if err := failure("Nonsense"); err != nil {
		t.Errorf("failure of nonsense = %v", err)
	}
}

func TestFaultsKnowTheQueueOfACall(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ operation, body, want string }{
		{"SendMessage", `{"QueueUrl":"http://localhost/000000000000/q","MessageBody":"x"}`, "q"},
		{"ReceiveMessage", `{"QueueUrl":"q"}`, "q"},
		{"CreateQueue", `{"QueueName":"made"}`, "made"},
		{"GetQueueUrl", `{"QueueName":"found"}`, "found"},
		{"StartMessageMoveTask", `{"SourceArn":"arn:aws:sqs:us-east-1:000000000000:dlq"}`, "dlq"},
		{"ListMessageMoveTasks", `{"SourceArn":"arn:aws:sqs:us-east-1:000000000000:dlq"}`, "dlq"},
		{"ListQueues", `{}`, ""},
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(tt.body))
		r.Header.Set("Content-Type", jsonType)
		r.Header.Set(targetHeader, targetPrefix+tt.operation)
		c, err := JSON(s.site).Decode(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := resource(c); got != tt.want {
			t.Errorf("resource of %s %s = %q, want %q", tt.operation, tt.body, got, tt.want)
		}
	}
	c, err := Query(s.site).Decode(httptest.NewRequest("GET", "/000000000000/onpath?Action=ReceiveMessage", nil))
	if got := resource(c); err != nil || got != "onpath" {
		t.Errorf("resource of a path = %q, %v", got, err)
	}
}
