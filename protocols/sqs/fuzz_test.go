package sqs

import "testing"

// FuzzRequests throws requests at the whole dialect: whatever they are, nobody is to blame but their senders.
func FuzzRequests(f *testing.F) {
	for _, seed := range []struct{ operation, doc, form string }{
		{"CreateQueue", `{"QueueName":"q.fifo","Attributes":{"FifoQueue":"true","RedrivePolicy":"{}","Policy":"{\"Statement\":{}}"},"tags":{"a":null}}`, "Action=CreateQueue&QueueName=a&Attribute.1.Name=Policy&Attribute.1.Value=%7B%7D"},
		{"SetQueueAttributes", `{"QueueUrl":"q","Attributes":{"RedriveAllowPolicy":"{\"redrivePermission\":\"byQueue\",\"sourceQueueArns\":[1]}"}}`, "Action=SetQueueAttributes&QueueUrl=q&Attribute.Name=KmsMasterKeyId&Attribute.Value="},
		{"SendMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"a","MessageBody":"x","MessageAttributes":{"k":{"DataType":"Number","StringValue":"1e5"}}},{}]}`, "Action=SendMessageBatch&QueueUrl=q&SendMessageBatchRequestEntry.1.Id=a"},
		{"ReceiveMessage", `{"QueueUrl":"q","MessageAttributeNames":["a.*"],"WaitTimeSeconds":0}`, "Action=ReceiveMessage&QueueUrl=q&AttributeName=All"},
		{"DeleteMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"a","ReceiptHandle":"AQEBx"}]}`, "Action=ListQueues&MaxResults=1&NextToken=eAp5"},
		{"AddPermission", `{"QueueUrl":"q","Label":"a","AWSAccountIds":["123456789012"],"Actions":["*"]}`, "Action=RemovePermission&QueueUrl=/000000000000/q&Label=a"},
		{"CancelMessageMoveTask", `{"TaskHandle":"eyJ0YXNrSWQiOiJ4In0="}`, "Action=ListMessageMoveTasks&SourceArn=arn:aws:sqs:us-east-1:000000000000:q"},
	} {
		f.Add(seed.operation, seed.doc, seed.form)
	}
	f.Fuzz(func(t *testing.T, operation, doc, form string) {
		if operation == "ReceiveMessage" {
			doc = `{"QueueUrl":"q"}` // a fuzzed one may wait, and the clock stands still
		}
		s := newServer(t)
		s.queue("q", "")
		for _, got := range []reply{s.json(operation, doc), s.query(form + "&WaitTimeSeconds=0")} {
			if got.status >= 500 {
				t.Errorf("%s %s: %d %s", operation, doc, got.status, got.body)
			}
		}
	})
}
