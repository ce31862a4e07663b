package sqs

import (
	"strings"
	"testing"
)

func TestRedrivePolicy(t *testing.T) {
	s := newServer(t)
	s.queue("dlq", "")
	s.queue("denied", `{"RedriveAllowPolicy":"{\"redrivePermission\":\"denyAll\"}"}`)
	s.queue("dlq.fifo", `{"FifoQueue":"true"}`)
	s.queue("q", "")
	const arn = `arn:aws:sqs:us-east-1:000000000000:dlq`
	set := func(policy string) reply {
		return s.json("SetQueueAttributes", `{"QueueUrl":"q","Attributes":{"RedrivePolicy":`+quoted(policy)+`}}`)
	}
	for _, tt := range []struct{ policy, reason string }{
		{`{}`, "Redrive policy does not contain mandatory attribute: maxReceiveCount."},
		{`{"deadLetterTargetArn":"` + arn + `"}`, "Redrive policy does not contain mandatory attribute: maxReceiveCount."},
		{`{"maxReceiveCount":1}`, "Redrive policy does not contain mandatory attribute: deadLetterTargetArn."},
		{`{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":0}`, "Invalid value for maxReceiveCount: 0, valid values are from 1 to 1000 both inclusive."},
		{`{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":1001}`, "Invalid value for maxReceiveCount: 1001, valid values are from 1 to 1000 both inclusive."},
		{`{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":"x"}`, "Invalid value for maxReceiveCount: x, valid values are from 1 to 1000 both inclusive."},
		{`{"deadLetterTargetArn":"x","maxReceiveCount":1}`, "Dead-letter target ARN should be fully qualified ARN."},
		{`{"deadLetterTargetArn":1,"maxReceiveCount":1}`, "Dead-letter target ARN should be fully qualified ARN."},
		{`{"deadLetterTargetArn":"arn:aws:sns:us-east-1:000000000000:dlq","maxReceiveCount":1}`, "Only SQS queues are valid resources for deadLetterTargetArn."},
		{`{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":1,"x":1}`, "Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn]."},
		{`{"deadLetterTargetArn":"` + arn + `x","maxReceiveCount":1}`, "Dead letter target does not exist."},
		{`{"deadLetterTargetArn":"` + arn + `.fifo","maxReceiveCount":1}`, "Dead-letter queue must be same type of queue as the source.."},
		{`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:denied","maxReceiveCount":1}`, "The dead-letter queue's redrive allow policy does not allow this source queue."},
	} {
		s.jsonFault(set(tt.policy), 400, "InvalidParameterValue", "/InvalidParameterValueException", "Value "+tt.policy+" for parameter RedrivePolicy is invalid. Reason: "+tt.reason)
	}
	for _, policy := range []string{`x`, `[]`, `"{\"deadLetterTargetArn\":\"x\"}"`} {
		s.jsonFault(set(policy), 400, "InvalidAttributeValue", "InvalidAttributeValue", "Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.")
	}
	get := func() string {
		return s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["RedrivePolicy"]}`))
	}
	s.ok(set(`{"maxReceiveCount":"7","deadLetterTargetArn":"` + arn + `"}`))
	if got, want := get(), `{"Attributes":{"RedrivePolicy":"{\"deadLetterTargetArn\":\"`+arn+`\",\"maxReceiveCount\":7}"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.ok(s.json("ListDeadLetterSourceQueues", `{"QueueUrl":"dlq"}`)), `{"queueUrls":["`+home+`q"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.ok(set(""))
	if got := get(); got != "{}" {
		t.Errorf("got %s, want {}", got)
	}
	if got, want := s.ok(s.query("Action=ListDeadLetterSourceQueues&QueueUrl=dlq")), xml("ListDeadLetterSourceQueues", ""); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.ok(set(`{"maxReceiveCount":1,"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:q"}`)) // its own
}

func TestRedriveAllowPolicy(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	set := func(policy string) reply {
		return s.json("SetQueueAttributes", `{"QueueUrl":"q","Attributes":{"RedriveAllowPolicy":`+quoted(policy)+`}}`)
	}
	const arn = `"arn:aws:sqs:us-east-1:000000000000:a"`
	eleven := "[" + strings.Repeat(arn+",", 10) + arn + "]"
	for _, tt := range []struct{ policy, reason string }{
		{`{"redrivePermission":"byQueue"}`, "When you specify the byQueue permission type, you must also specify one or more sourceQueueArns values."},
		{`{"redrivePermission":"allowAll","sourceQueueArns":[` + arn + `]}`, "To specify one or more source queue ARNs, you must set redrivePermission to byQueue."},
		{`{"redrivePermission":"byQueue","sourceQueueArns":` + eleven + `}`, "The maximum number of source queue ARNs you can specify is 10."},
	} {
		s.jsonFault(set(tt.policy), 400, "InvalidParameterValue", "/InvalidParameterValueException",
			"Value "+tt.policy+" for parameter RedriveAllowPolicy is invalid. Reason: Amazon SQS can't create the redrive allow policy. "+tt.reason)
	}
	for _, policy := range []string{`x`, `{}`, `{"redrivePermission":"x"}`, `{"redrivePermission":"byQueue","sourceQueueArns":["x"]}`, `{"redrivePermission":"byQueue","sourceQueueArns":1}`} {
		s.jsonFault(set(policy), 400, "InvalidAttributeValue", "InvalidAttributeValue",
			"Invalid value for the parameter RedriveAllowPolicy. Reason: Amazon SQS can't create the redrive allow policy, as it’s in an unsupported format.")
	}
	for _, policy := range []string{`{"redrivePermission":"denyAll"}`, `{"redrivePermission":"byQueue","sourceQueueArns":[` + arn + `]}`, `{"redrivePermission":"allowAll"}`, ``} {
		s.ok(set(policy))
		want := `{"Attributes":{"RedriveAllowPolicy":` + quoted(policy) + `}}`
		if policy == "" {
			want = "{}"
		}
		if got := s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["RedriveAllowPolicy"]}`)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
