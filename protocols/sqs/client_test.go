package sqs

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/schemas"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go/transport/http/protocol/awsquery"
)

// direct is an HTTP client that calls the handler without a connection.
type direct struct{ handler http.Handler }

func (d direct) Do(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.RequestURI = r.URL.RequestURI()
	r.Host = r.URL.Host
	if r.Body == nil {
		r.Body = http.NoBody
	}
	d.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// officialClients runs a test with the provider's own client in both of its protocols.
func officialClients(t *testing.T, run func(t *testing.T, s *server, c *sqs.Client)) {
	for _, protocol := range []string{"JSON", "Query"} {
		t.Run(protocol, func(t *testing.T) {
			s := newServer(t)
			c := sqs.New(sqs.Options{
				Region:       "us-east-1",
				BaseEndpoint: aws.String("http://localhost:9324"),
				HTTPClient:   direct{s.handler},
				Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "secret"}, nil
				}),
			}, func(o *sqs.Options) {
				if protocol == "Query" {
					o.Protocol = awsquery.New(schemas.AmazonSQS)
				}
			})
			run(t, s, c)
		})
	}
}

// The client checks the digests of what it sends and receives.
func TestOfficialClientSendsReceivesAndDeletes(t *testing.T) {
	officialClients(t, func(t *testing.T, _ *server, c *sqs.Client) {
		ctx := t.Context()
		q, err := c.CreateQueue(ctx, &sqs.CreateQueueInput{
			QueueName: aws.String("q.fifo"), Attributes: map[string]string{"FifoQueue": "true"}, Tags: map[string]string{"a": "b"},
		})
		if err != nil {
			t.Fatal(err)
		}
		body := "a\r\n<>&\" é😀"
		sent, err := c.SendMessage(ctx, &sqs.SendMessageInput{
			QueueUrl: q.QueueUrl, MessageBody: &body, MessageGroupId: aws.String("g"), MessageDeduplicationId: aws.String("d"),
			MessageAttributes: map[string]types.MessageAttributeValue{
				"t": {DataType: aws.String("String.x"), StringValue: aws.String("v&")}, "b": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 255}},
			},
			MessageSystemAttributes: map[string]types.MessageSystemAttributeValue{"AWSTraceHeader": {DataType: aws.String("String"), StringValue: aws.String("Root=1")}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: q.QueueUrl, MessageAttributeNames: []string{"All"}, MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
		})
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("ReceiveMessage = %+v, %v, want one message", got, err)
		}
		m := got.Messages[0]
		if *m.Body != body || *m.MessageId != *sent.MessageId || m.Attributes["SequenceNumber"] != *sent.SequenceNumber || m.Attributes["AWSTraceHeader"] != "Root=1" ||
			!strings.HasPrefix(m.Attributes["SenderId"], "AIDA") || string(m.MessageAttributes["b"].BinaryValue) != "\x00\xff" || *m.MessageAttributes["t"].StringValue != "v&" {
			t.Errorf("received %+v", m)
		}
		batch, err := c.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: q.QueueUrl, Entries: []types.DeleteMessageBatchRequestEntry{
			{Id: aws.String("a"), ReceiptHandle: m.ReceiptHandle}, {Id: aws.String("b"), ReceiptHandle: aws.String("garbage")},
		}})
		if err != nil || len(batch.Successful) != 1 || len(batch.Failed) != 1 || *batch.Failed[0].Code != "ReceiptHandleIsInvalid" {
			t.Errorf("DeleteMessageBatch = %+v, %v, want one of each", batch, err)
		}
	})
}

func TestOfficialClientManagesQueues(t *testing.T) {
	officialClients(t, func(t *testing.T, _ *server, c *sqs.Client) {
		ctx := t.Context()
		q, err := c.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("q"), Attributes: map[string]string{"DelaySeconds": "0"}})
		if err != nil {
			t.Fatal(err)
		}
		if want := "http://localhost:9324/000000000000/q"; *q.QueueUrl != want {
			t.Errorf("QueueUrl = %s, want %s", *q.QueueUrl, want)
		}
		if _, err := c.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: q.QueueUrl, Attributes: map[string]string{"VisibilityTimeout": "5", "DelaySeconds": "1"}}); err != nil {
			t.Error(err)
		}
		if _, err := c.TagQueue(ctx, &sqs.TagQueueInput{QueueUrl: q.QueueUrl, Tags: map[string]string{"a": "1", "b": ""}}); err != nil {
			t.Error(err)
		}
		if _, err := c.UntagQueue(ctx, &sqs.UntagQueueInput{QueueUrl: q.QueueUrl, TagKeys: []string{"a"}}); err != nil {
			t.Error(err)
		}
		tags, err := c.ListQueueTags(ctx, &sqs.ListQueueTagsInput{QueueUrl: q.QueueUrl})
		if err != nil || len(tags.Tags) != 1 {
			t.Errorf("ListQueueTags = %v, %v, want one", tags, err)
		}
		attributes, err := c.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: q.QueueUrl, AttributeNames: []types.QueueAttributeName{"All"}})
		if err != nil || len(attributes.Attributes) != 12 || attributes.Attributes["VisibilityTimeout"] != "5" {
			t.Errorf("GetQueueAttributes = %v, %v, want 12", attributes, err)
		}
		queues, err := c.ListQueues(ctx, &sqs.ListQueuesInput{})
		if err != nil || len(queues.QueueUrls) != 1 {
			t.Errorf("ListQueues = %v, %v, want one", queues, err)
		}
		if _, err := c.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: q.QueueUrl}); err != nil {
			t.Error(err)
		}
		var missing *types.QueueDoesNotExist
		if _, err := c.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("q")}); !errors.As(err, &missing) {
			t.Errorf("GetQueueUrl of a deleted queue = %v, want QueueDoesNotExist", err)
		}
	})
}
