package record_test

import (
	"strings"
	"testing"

	"github.com/sluicemq/sluice/conformance/record"
	"github.com/sluicemq/sluice/conformance/replay"
)

const har = `{"log":{"entries":[
{"startedDateTime":"2026-03-01T12:00:00Z",
 "request":{"method":"PUT","url":"https://5555666677778888.mns.cn-shanghai.aliyuncs.com/queues/orders","headers":[{"name":"Authorization","value":"MNS LTAISECRETSECRET:c2VjcmV0"},{"name":"x-mns-version","value":"2015-06-06"}],"postData":{"text":"<Queue/>"}},
 "response":{"status":204,"headers":[{"name":"Location","value":"http://5555666677778888.mns.cn-shanghai.aliyuncs.com/queues/orders"},{"name":"x-mns-request-id","value":"6AB5CE244131450F0007BF67"}],"content":{"text":""}}},
{"startedDateTime":"2026-03-01T12:00:01Z",
 "request":{"method":"POST","url":"https://5555666677778888.mns.cn-shanghai.aliyuncs.com/queues/orders/messages","headers":[],"postData":{"text":"<Message><MessageBody>x</MessageBody></Message>"}},
 "response":{"status":201,"headers":[],"content":{"encoding":"base64","text":"PE1lc3NhZ2U+PE1lc3NhZ2VJZD4xNzkzOEIzNzMzRkQ3RkJBN0Y5RjdEQTBBRURBQUJERTwvTWVzc2FnZUlkPjwvTWVzc2FnZT4="}}}
]}}`

const cassette = `version: 2
interactions:
- request:
    method: POST
    url: https://sqs.us-east-1.amazonaws.com/
    body: '{"QueueName":"orders"}'
    headers:
      X-Amz-Target: [AmazonSQS.CreateQueue]
      Authorization: ["AWS4-HMAC-SHA256 Credential=AKIASECRETSECRET1234/x"]
  response:
    code: 200
    body: '{"QueueUrl":"https://sqs.us-east-1.amazonaws.com/555566667777/orders"}'
    headers:
      Date: ["Sun, 01 Mar 2026 12:00:00 GMT"]
      Content-Type: [application/x-amz-json-1.0]
`

func TestArchivesBecomeRecordings(t *testing.T) {
	for _, tt := range []struct {
		name, data, dialect string
		read                func([]byte) ([]*record.Exchange, error)
		want                []string
	}{
		{"HAR", har, replay.MNS, record.FromHAR, []string{
			"date: 2026-03-01", "PUT /queues/{{unique:queue1}} HTTP/1.1", "POST /queues/{{unique:queue1}}/messages HTTP/1.1",
			"Location: http://1234567890123456.mns.cn-shanghai.aliyuncs.com/queues/{{unique:queue1}}",
			"x-mns-request-id: {{hex24:requestId1}}", "<MessageId>{{hex32:messageId1}}</MessageId>",
		}},
		{"cassette", cassette, replay.SQSJSON, record.FromCassette, []string{
			"date: 2026-03-01", `{"QueueName":"{{unique:queue1}}"}`, `{"QueueUrl":"{{url:queueUrl1}}"}`, "Content-Type: application/x-amz-json-1.0",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, err := tt.read([]byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			text := record.Recordings("somewhere", all)[tt.dialect]
			if _, err := replay.Parse(tt.dialect+"/Session/x.http", text); err != nil {
				t.Errorf("Parse(…) = %v\n%s", err, text)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("the recording does not contain %q:\n%s", want, text)
				}
			}
			for _, never := range []string{"SECRET", "c2VjcmV0", "5555"} {
				if strings.Contains(text, never) {
					t.Errorf("the recording contains %q:\n%s", never, text)
				}
			}
		})
	}
}

func TestArchivesThatCannotBeReadAreErrors(t *testing.T) {
	for _, data := range []string{"", "[", `{"log":{"entries":[{"request":{"url":"http://\u007f"}}]}}`, `{"log":{"entries":[{"response":{"content":{"encoding":"base64","text":"*"}}}]}}`} {
		if got, err := record.FromHAR([]byte(data)); err == nil {
			t.Errorf("FromHAR(%q) = %v, want an error", data, got)
		}
	}
	for _, data := range []string{"[", "interactions: 3", "interactions: [{request: {url: \"http://\\x7f\"}}]"} {
		if got, err := record.FromCassette([]byte(data)); err == nil {
			t.Errorf("FromCassette(%q) = %v, want an error", data, got)
		}
	}
}
