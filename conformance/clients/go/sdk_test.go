// Package sdk_test runs the official AWS SDK for Go against the server, in process and on a manual clock. The SDK speaks
// both protocols of SQS, so each test runs once in each: what a program sees must not depend on the protocol.
package sdk_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/schemas"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/transport/http/protocol/awsquery"
	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// bench is a client of a server of its own.
type bench struct {
	*sqs.Client
	t     *testing.T
	clock *clock.Manual
	queue *string
}

var protocols = map[string]func(*sqs.Options){
	"JSON":  func(*sqs.Options) {},
	"Query": func(o *sqs.Options) { o.Protocol = awsquery.New(schemas.AmazonSQS) },
}

// inBoth runs a test in both protocols, with a queue that has the given name and attributes.
func inBoth(t *testing.T, name string, attributes map[string]string, test func(*bench)) {
	for protocol, speak := range protocols {
		t.Run(protocol, func(t *testing.T) {
			b := &bench{t: t, clock: clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
			server, err := sluice.Open(sluice.Options{
				Clock:   b.clock,
				OnFault: func(f *sluice.Fault) { t.Errorf("fault: %v", f) },
			})
			if err != nil {
				t.Fatal(err)
			}
			web := httptest.NewServer(server.Handler())
			t.Cleanup(func() {
				web.Close()
				if err := server.Close(); err != nil {
					t.Error(err)
				}
			})
			b.Client = sqs.New(sqs.Options{
				BaseEndpoint: &web.URL,
				Region:       "us-east-1",
				Retryer:      aws.NopRetryer{},
				Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
				}),
			}, speak)
			b.queue = b.create(name, attributes)
			test(b)
		})
	}
}

func (b *bench) create(name string, attributes map[string]string) *string {
	b.t.Helper()
	made, err := b.CreateQueue(b.t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		b.t.Fatalf("CreateQueue(%q) = %v", name, err)
	}
	return made.QueueUrl
}

func (b *bench) send(in *sqs.SendMessageInput) *sqs.SendMessageOutput {
	b.t.Helper()
	if in.QueueUrl == nil {
		in.QueueUrl = b.queue
	}
	sent, err := b.SendMessage(b.t.Context(), in)
	if err != nil {
		b.t.Fatalf("SendMessage(%q) = %v", *in.MessageBody, err)
	}
	return sent
}

func (b *bench) receive(queue *string) []types.Message {
	b.t.Helper()
	got, err := b.ReceiveMessage(b.t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl:                    queue,
		MaxNumberOfMessages:         10,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
		MessageAttributeNames:       []string{"All"},
	})
	if err != nil {
		b.t.Fatalf("ReceiveMessage = %v", err)
	}
	return got.Messages
}

func bodies(messages []types.Message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, *m.Body)
	}
	return all
}

func (b *bench) wantBodies(queue *string, want ...string) []types.Message {
	b.t.Helper()
	got := b.receive(queue)
	if diff := cmp.Diff(want, bodies(got)); diff != "" {
		b.t.Fatalf("received bodies (-want +got):\n%s", diff)
	}
	return got
}

func TestMessageGoesThroughItsLife(t *testing.T) {
	inBoth(t, "q", nil, func(b *bench) {
		sent := b.send(&sqs.SendMessageInput{
			MessageBody: aws.String("héllo <&> ]]>"),
			MessageAttributes: map[string]types.MessageAttributeValue{
				"text":   {DataType: aws.String("String.kind"), StringValue: aws.String("x y+z")},
				"number": {DataType: aws.String("Number"), StringValue: aws.String("-4.5")},
				"bytes":  {DataType: aws.String("Binary"), BinaryValue: []byte{0, 1, 255}},
			},
		})
		got := b.wantBodies(b.queue, "héllo <&> ]]>")[0]
		if *got.MessageId != *sent.MessageId || *got.MD5OfMessageAttributes != *sent.MD5OfMessageAttributes {
			b.t.Errorf("received %s %s, want what was sent: %s %s",
				*got.MessageId, *got.MD5OfMessageAttributes, *sent.MessageId, *sent.MD5OfMessageAttributes)
		}
		if diff := cmp.Diff([]byte{0, 1, 255}, got.MessageAttributes["bytes"].BinaryValue); diff != "" || len(got.MessageAttributes) != 3 {
			b.t.Errorf("attributes = %v, want the three that were sent (-want +got):\n%s", got.MessageAttributes, diff)
		}
		if got.Attributes["ApproximateReceiveCount"] != "1" || got.Attributes["SentTimestamp"] != "1767225600000" {
			b.t.Errorf("system attributes = %v, want the first receive of a message sent at 1767225600000", got.Attributes)
		}
		b.wantBodies(b.queue) // hidden
		if _, err := b.DeleteMessage(b.t.Context(), &sqs.DeleteMessageInput{
			QueueUrl: b.queue, ReceiptHandle: got.ReceiptHandle,
		}); err != nil {
			b.t.Fatal(err)
		}
		b.clock.Advance(time.Hour)
		b.wantBodies(b.queue)
	})
}

func TestVisibilityTimeoutBringsAMessageBack(t *testing.T) {
	inBoth(t, "q", map[string]string{"VisibilityTimeout": "10"}, func(b *bench) {
		b.send(&sqs.SendMessageInput{MessageBody: aws.String("m")})
		got := b.wantBodies(b.queue, "m")[0]
		b.clock.Advance(9 * time.Second)
		b.wantBodies(b.queue)
		if _, err := b.ChangeMessageVisibility(b.t.Context(), &sqs.ChangeMessageVisibilityInput{
			QueueUrl: b.queue, ReceiptHandle: got.ReceiptHandle, VisibilityTimeout: 100,
		}); err != nil {
			b.t.Fatal(err)
		}
		b.clock.Advance(99 * time.Second)
		b.wantBodies(b.queue)
		b.clock.Advance(time.Second)
		if again := b.wantBodies(b.queue, "m")[0]; again.Attributes["ApproximateReceiveCount"] != "2" {
			b.t.Errorf("second receive counts %s, want 2", again.Attributes["ApproximateReceiveCount"])
		}
	})
}

func TestDelayHidesANewMessage(t *testing.T) {
	inBoth(t, "q", map[string]string{"DelaySeconds": "5"}, func(b *bench) {
		b.send(&sqs.SendMessageInput{MessageBody: aws.String("queue's delay")})
		b.send(&sqs.SendMessageInput{MessageBody: aws.String("own delay"), DelaySeconds: 60})
		b.wantBodies(b.queue)
		b.clock.Advance(5 * time.Second)
		b.wantBodies(b.queue, "queue's delay")
		b.clock.Advance(55 * time.Second)
		if got := bodies(b.receive(b.queue)); !cmp.Equal(got, []string{"own delay", "queue's delay"}) &&
			!cmp.Equal(got, []string{"queue's delay", "own delay"}) {
			b.t.Errorf("after 60 s received %q, want both", got)
		}
	})
}

func TestBatchesReportEachEntry(t *testing.T) {
	inBoth(t, "q", nil, func(b *bench) {
		sent, err := b.SendMessageBatch(b.t.Context(), &sqs.SendMessageBatchInput{QueueUrl: b.queue, Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("a"), MessageBody: aws.String("first")},
			{Id: aws.String("b"), MessageBody: aws.String("late"), DelaySeconds: 901},
			{Id: aws.String("c"), MessageBody: aws.String("third")},
		}})
		if err != nil {
			b.t.Fatal(err)
		}
		if len(sent.Successful) != 2 || len(sent.Failed) != 1 || *sent.Failed[0].Id != "b" || !sent.Failed[0].SenderFault {
			b.t.Fatalf("SendMessageBatch = %+v, want b alone to fail, by its sender's fault", sent)
		}
		got := b.receive(b.queue)
		entries := []types.DeleteMessageBatchRequestEntry{{Id: aws.String("wrong"), ReceiptHandle: aws.String("nonsense")}}
		for _, m := range got {
			entries = append(entries, types.DeleteMessageBatchRequestEntry{Id: m.MessageId, ReceiptHandle: m.ReceiptHandle})
		}
		deleted, err := b.DeleteMessageBatch(b.t.Context(), &sqs.DeleteMessageBatchInput{QueueUrl: b.queue, Entries: entries})
		if err != nil {
			b.t.Fatal(err)
		}
		if len(deleted.Successful) != 2 || len(deleted.Failed) != 1 || *deleted.Failed[0].Code != "ReceiptHandleIsInvalid" {
			b.t.Errorf("DeleteMessageBatch = %+v, want two deleted and ReceiptHandleIsInvalid", deleted)
		}
		_, err = b.SendMessageBatch(b.t.Context(), &sqs.SendMessageBatchInput{QueueUrl: b.queue, Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("same"), MessageBody: aws.String("1")}, {Id: aws.String("same"), MessageBody: aws.String("2")},
		}})
		wantError[*types.BatchEntryIdsNotDistinct](b.t, err)
	})
}

func TestGroupsKeepTheirOrder(t *testing.T) {
	fifo := map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"}
	inBoth(t, "q.fifo", fifo, func(b *bench) {
		for _, m := range []struct{ group, body string }{{"g", "1"}, {"h", "other"}, {"g", "2"}, {"g", "2"}} {
			b.send(&sqs.SendMessageInput{MessageBody: &m.body, MessageGroupId: &m.group})
		}
		got := b.receive(b.queue)
		if n := len(got); n != 3 {
			b.t.Fatalf("received %d, want 3: the last one was a duplicate", n)
		}
		var order []string
		for _, m := range got {
			if m.Attributes["MessageGroupId"] == "g" {
				order = append(order, *m.Body)
			}
		}
		if diff := cmp.Diff([]string{"1", "2"}, order); diff != "" {
			b.t.Errorf("order of group g (-want +got):\n%s", diff)
		}
		b.send(&sqs.SendMessageInput{MessageBody: aws.String("3"), MessageGroupId: aws.String("g")})
		b.wantBodies(b.queue) // g waits for what is in flight
	})
}

func TestFailedMessagesGoToTheDeadLetterQueue(t *testing.T) {
	inBoth(t, "dead", nil, func(b *bench) {
		source := b.create("source", map[string]string{
			"VisibilityTimeout": "1",
			"RedrivePolicy":     `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":"2"}`,
		})
		b.send(&sqs.SendMessageInput{QueueUrl: source, MessageBody: aws.String("m")})
		for range 2 {
			b.wantBodies(source, "m")
			b.clock.Advance(time.Second)
		}
		b.wantBodies(source)
		got := b.wantBodies(b.queue, "m")[0]
		if want := "arn:aws:sqs:us-east-1:000000000000:source"; got.Attributes["DeadLetterQueueSourceArn"] != want {
			b.t.Errorf("source of the dead letter = %q, want %q", got.Attributes["DeadLetterQueueSourceArn"], want)
		}
	})
}

func TestQueuesAreListedTaggedAndDeleted(t *testing.T) {
	inBoth(t, "q", nil, func(b *bench) {
		ctx := b.t.Context()
		if _, err := b.TagQueue(ctx, &sqs.TagQueueInput{QueueUrl: b.queue, Tags: map[string]string{"team": "a b"}}); err != nil {
			b.t.Fatal(err)
		}
		tags, err := b.ListQueueTags(ctx, &sqs.ListQueueTagsInput{QueueUrl: b.queue})
		if err != nil || tags.Tags["team"] != "a b" {
			b.t.Errorf("ListQueueTags = %v, %v, want team", tags, err)
		}
		all, err := b.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: b.queue, AttributeNames: []types.QueueAttributeName{"All"}})
		if err != nil || all.Attributes["QueueArn"] != "arn:aws:sqs:us-east-1:000000000000:q" {
			b.t.Errorf("GetQueueAttributes = %v, %v, want the ARN of q", all, err)
		}
		list, err := b.ListQueues(ctx, &sqs.ListQueuesInput{})
		if err != nil || !cmp.Equal(list.QueueUrls, []string{*b.queue}) {
			b.t.Errorf("ListQueues = %v, %v, want %s", list, err, *b.queue)
		}
		if _, err := b.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: b.queue}); err != nil {
			b.t.Fatal(err)
		}
		_, err = b.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("q")})
		wantError[*types.QueueDoesNotExist](b.t, err)
	})
}

func TestErrorsHaveTheSDKsTypes(t *testing.T) {
	inBoth(t, "q", nil, func(b *bench) {
		ctx := b.t.Context()
		_, err := b.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: b.queue, ReceiptHandle: aws.String("nonsense")})
		wantError[*types.ReceiptHandleIsInvalid](b.t, err)

		_, err = b.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: b.queue, Attributes: map[string]string{"Nonsense": "1"}})
		wantError[*types.InvalidAttributeName](b.t, err)

		_, err = b.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("q"), Attributes: map[string]string{"VisibilityTimeout": "1"}})
		wantError[*types.QueueNameExists](b.t, err)

		_, err = b.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: b.queue, Entries: []types.SendMessageBatchRequestEntry{}})
		wantError[*types.EmptyBatchRequest](b.t, err)

		_, err = b.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: b.queue, MaxNumberOfMessages: 11})
		if failed, ok := errors.AsType[smithy.APIError](err); !ok || failed.ErrorCode() != "InvalidParameterValue" {
			b.t.Errorf("ReceiveMessage of 11 = %v, want InvalidParameterValue", err)
		}
	})
}

func wantError[E error](t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[E](err); !ok {
		var want E
		t.Errorf("error = %v (%T), want a %T", err, err, want)
	}
}
