package control_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const peek = "/_aws/sqs/messages"

func TestLocalStacksMessages(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	d.ask("PUT", queues+"f.fifo", `{"contentDedup":true}`).want(201)
	url := peek + "?QueueUrl=http://sqs.us-east-1.localhost.localstack.cloud:4566/000000000000/orders"
	in := func(path string, headers ...string) answer {
		t.Helper()
		return d.ask("GET", path, "", append([]string{"Accept", "application/json"}, headers...)...)
	}
	messages := func(a answer) []any {
		list, _ := a.want(200).get("ReceiveMessageResponse", "ReceiveMessageResult", "Message").([]any)
		return list
	}
	if got := in(url).want(200).get("ReceiveMessageResponse", "ReceiveMessageResult"); !cmp.Equal(got, map[string]any{}) {
		t.Errorf("an empty queue has %v", got)
	}
	d.send(orders, `{"body":"message-1","attributes":[{"name":"a","kind":"text","value":"<v>"}]}`)
	one := in(url).want(200).get("ReceiveMessageResponse", "ReceiveMessageResult", "Message").(map[string]any)
	if one["Body"] != "message-1" || one["MD5OfBody"] != "3d6b824fd8c1520e9a047d21fee6fb1f" || one["ReceiptHandle"] != "SQS/BACKDOOR/ACCESS" {
		t.Errorf("one message = %v", one)
	}
	d.send(orders, `{"body":"message-2"}`)
	d.send(orders, `{"body":"message-3","delaySeconds":10}`)
	d.ask("POST", orders+"/receive", "").want(200)
	for query, want := range map[string]int{"": 0, "&ShowInvisible=True": 2, "&ShowInvisible=true&ShowDelayed=true": 3} {
		if got := len(messages(in(url + query))); got != want {
			t.Errorf("%q shows a list of %d messages, want %d", query, got, want)
		}
	}
	d.ask("GET", orders, "").want(200, "counts.visible", 1, "counts.inFlight", 1)

	for _, body := range []string{"1", "2"} {
		d.send(queues+"f.fifo", `{"body":"message-`+body+`","group":"g"}`)
	}
	d.send(queues+"f.fifo", `{"body":"message-3","group":"h"}`)
	d.ask("POST", queues+"f.fifo/receive", "").want(200)
	left := in(peek+"/us-east-1/000000000000/f.fifo").want(200).get("ReceiveMessageResponse", "ReceiveMessageResult", "Message", "Body")
	if left != "message-3" {
		t.Errorf("behind a group that is in flight: %v, want message-3", left)
	}
}

func TestLocalStacksMessagesInOtherForms(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	d.send(orders, `{"body":"a<b","attributes":[{"name":"n","kind":"binary","value":"AAE="}]}`)
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		want                     []string
	}{
		{"XML", "GET", peek + "?QueueUrl=/000000000000/orders", "", nil, []string{
			"<ReceiveMessageResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><ReceiveMessageResult><Message><MessageId>",
			"<Body>a&lt;b</Body><Attribute><Name>SenderId</Name><Value>000000000000</Value></Attribute>",
			"<Name>ApproximateReceiveCount</Name><Value>0</Value>", "<Name>IsVisible</Name><Value>true</Value>",
			"<MessageAttribute><Name>n</Name><Value><BinaryValue>AAE=</BinaryValue><DataType>Binary</DataType></Value></MessageAttribute>",
			"</ReceiveMessageResult><ResponseMetadata><RequestId>",
		}},
		{
			"Query client", "POST", peek, "Action=ReceiveMessage&QueueUrl=http%3A%2F%2Fx%2Fqueue%2Fus-east-1%2F000000000000%2Forders&MaxNumberOfMessages=1",
			[]string{"Content-Type", "application/x-www-form-urlencoded"},
			[]string{"<Body>a&lt;b</Body>"},
		},
		{
			"JSON client", "POST", peek, `{"QueueUrl":"http://us-east-1.queue.localhost/000000000000/orders","MaxNumberOfMessages":1}`,
			[]string{"Content-Type", "application/x-amz-json-1.0", "X-Amz-Target", "AmazonSQS.ReceiveMessage"},
			[]string{`{"Messages":[{"MessageId":"`, `"ApproximateReceiveCount":"0"`, `"MessageAttributes":{"n":{"BinaryValue":"AAE=","DataType":"Binary"}}`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := d.ask(tt.method, tt.path, tt.body, tt.headers...)
			a.T = t
			a.want(200)
			for _, want := range tt.want {
				if !strings.Contains(string(a.body), want) {
					t.Errorf("%s, want %s in it", a.body, want)
				}
			}
		})
	}
}

func TestLocalStacksMessagesRefused(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	for _, tt := range []struct {
		path   string
		status int
		code   string
	}{
		{peek, 400, "AWS.SimpleQueueService.NonExistentQueue"},
		{peek + "?QueueUrl=http://localhost:4566/nonsense", 404, "InvalidAddress"},
		{peek + "?QueueUrl=http://localhost:4566/000000000000/none", 400, "AWS.SimpleQueueService.NonExistentQueue"},
		{peek + "/us-east-2/000000000000/orders", 400, "AWS.SimpleQueueService.NonExistentQueue"},
		{peek + "?Action=SendMessage&QueueUrl=/000000000000/orders", 400, "InvalidRequest"},
	} {
		d.ask("GET", tt.path, "", "Accept", "application/json").want(tt.status, "ErrorResponse.Error.Code", tt.code)
	}
	d.ask("POST", peek, "{", "Content-Type", "application/x-amz-json-1.0").want(400)
	d.ask("POST", peek, `{"QueueUrl":"/1/none"}`, "Content-Type", "application/x-amz-json-1.0").want(400)
}

func TestAliasOnAPortForEverybody(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	for _, tt := range []struct {
		closed bool
		path   string
		want   int
	}{
		{false, peek + "?QueueUrl=/000000000000/orders", 200},
		{true, peek + "?QueueUrl=/000000000000/orders", 403},
		{true, "/_localstack/health", 200},
		{false, "/_aws/sqs/messages/x", 404},
	} {
		w := httptest.NewRecorder()
		d.api.Alias(tt.closed).ServeHTTP(w, d.request(http.MethodGet, tt.path, "", "Host", "queues.example"))
		if w.Code != tt.want {
			t.Errorf("GET %s, closed %v = %d %s, want %d", tt.path, tt.closed, w.Code, w.Body, tt.want)
		}
	}
}

// LocalStack does not page, so that an answer could be as large as the queue.
func TestAliasShowsABoundedAmount(t *testing.T) {
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	body := `{"body":"` + strings.Repeat("x", 1<<20) + `"}`
	for range 40 {
		d.ask("POST", orders+"/messages", body).want(201)
	}
	a := d.ask("GET", "/_aws/sqs/messages?QueueUrl=http://localhost/000000000000/orders", "")
	if n := strings.Count(string(a.body), "<Message>"); n != 32 {
		t.Errorf("%d messages of 1 MiB are shown, want 32", n)
	}
}
