package record_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/conformance/record"
	"github.com/sluicemq/sluice/conformance/replay"
)

func TestArchivesBecomeRecordings(t *testing.T) {
	for _, tt := range []struct {
		file, dialect string
		read          func([]byte) ([]*record.Exchange, error)
		want          []string
	}{
		{"browser.har", replay.MNS, record.FromHAR, []string{
			"date: 2026-03-01", "PUT /queues/{{unique:queue1}} HTTP/1.1", "POST /queues/{{unique:queue1}}/messages HTTP/1.1",
			"Location: http://{{host}}/queues/{{unique:queue1}}",
			"x-mns-request-id: {{hex24:requestId1}}", "<MessageId>{{hex32:messageId1}}</MessageId>",
		}},
		{"browser.har", replay.SQSQuery, record.FromHAR, []string{"Action=ListQueues&Version=2012-11-05\n", "<ListQueuesResult/>"}},
		{"go-vcr-v1.yaml", replay.SQSQuery, record.FromCassette, []string{
			"Action=CreateQueue&QueueName={{unique:queue1}}&Version=2012-11-05", "<QueueUrl>{{url:queueUrl1}}</QueueUrl>",
			"Action=GetQueueAttributes&AttributeName.1=All&QueueUrl={{queueUrl1}}&Version=2012-11-05",
			"<Value>arn:aws:sqs:{{region}}:{{account}}:{{unique:queue1}}</Value>",
		}},
		{"go-vcr-v4.yaml", replay.SQSJSON, record.FromCassette, []string{
			"date: 2026-03-01", `{"QueueName":"{{unique:queue1}}"}`, `{"QueueUrl":"{{url:queueUrl1}}"}`, "Content-Type: application/x-amz-json-1.0",
			`"QueueUrl":"{{queueUrl1}}","MessageBody":"hello {{byte:7B}}{{byte:7B}}name}} of orders"`, `"ReceiptHandle":"{{handle:receiptHandle1}}"`,
			"arn:aws:sqs:{{region}}:{{account}}:{{unique:queue1}}",
		}},
	} {
		t.Run(tt.file+" "+tt.dialect, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			all, err := tt.read(data)
			if err != nil {
				t.Fatal(err)
			}
			texts := record.Recordings("somewhere", all)
			if len(texts[tt.dialect]) != 1 {
				t.Fatalf("%d recordings of %s, want 1", len(texts[tt.dialect]), tt.dialect)
			}
			text := texts[tt.dialect][0]
			if _, err := replay.Parse(tt.dialect+"/Session/x.http", text); err != nil {
				t.Errorf("Parse(…) = %v\n%s", err, text)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("the recording does not contain %q:\n%s", want, text)
				}
			}
			everything := fmt.Sprint(texts)
			for _, never := range []string{"SECRET", "c2VjcmV0", "5555", "hunter2", "AssumeRole", "example.com"} {
				if strings.Contains(everything, never) {
					t.Errorf("the recordings contain %q:\n%s", never, everything)
				}
			}
		})
	}
}

func TestLongSessionsAreDivided(t *testing.T) {
	var all []*record.Exchange
	for range 501 {
		all = append(all, &record.Exchange{Method: "GET", Path: "/queues", Status: 200})
	}
	texts := record.Recordings("somewhere", all)[replay.MNS]
	if len(texts) != 2 {
		t.Fatalf("Recordings(501 exchanges) = %d, want 2", len(texts))
	}
	for _, text := range texts {
		if _, err := replay.Parse("mns/Session/x.http", text); err != nil {
			t.Errorf("Parse(…) = %v", err)
		}
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
