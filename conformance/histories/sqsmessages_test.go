package histories_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/sluicemq/sluice/conformance/model"
)

// aboutMessage is what the texts about a message that is sent may speak of.
func aboutMessage(o model.Outgoing) []string {
	about := []string{"{dedup}", aws.ToString(o.DedupID)}
	if o.Delay != nil {
		about = append(about, "{value}", fmt.Sprint(seconds(*o.Delay)))
	}
	return about
}

func (v *sqsVoice) send(queue string, batch bool, messages []outgoing) model.Sent {
	e := model.Sent{Queue: queue, Rules: &model.SQS}
	for _, o := range messages {
		e.Messages = append(e.Messages, o.Outgoing)
	}
	if batch {
		v.sendBatch(&e, messages)
	} else {
		v.sendOne(&e, messages[0])
	}
	v.note(e.Results, messages)
	return e
}

func (v *sqsVoice) sendOne(e *model.Sent, o outgoing) {
	in := &sqs.SendMessageInput{
		QueueUrl: queueURL(e.Queue), MessageBody: &o.Body, MessageGroupId: o.Group, MessageDeduplicationId: o.DedupID,
		MessageAttributes: sqsAttributes(o.attributes),
	}
	send := v.client.SendMessage
	if o.Delay != nil {
		in.DelaySeconds = int32(seconds(*o.Delay))
		if in.DelaySeconds == 0 {
			send = v.raw.sendWithoutDelay
		}
	}
	got, err := send(context.Background(), in)
	if err != nil {
		e.Refused = v.refusal(err, sqsSend, aboutMessage(o.Outgoing)...)
		return
	}
	e.Results = []model.SendResult{{ID: plainID(*got.MessageId), Sequence: aws.ToString(got.SequenceNumber)}}
}

func (v *sqsVoice) sendBatch(e *model.Sent, messages []outgoing) {
	in := &sqs.SendMessageBatchInput{QueueUrl: queueURL(e.Queue)}
	zero := false
	for i, o := range messages {
		entry := types.SendMessageBatchRequestEntry{
			Id: entryID(i), MessageBody: &o.Body, MessageGroupId: o.Group, MessageDeduplicationId: o.DedupID,
			MessageAttributes: sqsAttributes(o.attributes),
		}
		if o.Delay != nil {
			entry.DelaySeconds = int32(seconds(*o.Delay))
			zero = zero || *o.Delay == 0
		}
		in.Entries = append(in.Entries, entry)
	}
	send := v.client.SendMessageBatch
	if zero {
		send = v.raw.sendBatch(messages)
	}
	got, err := send(context.Background(), in)
	if err != nil {
		e.Refused = v.refusal(err, sqsSendBatch)
		return
	}
	words := sqsSendStandard
	if strings.HasSuffix(e.Queue, ".fifo") {
		words = sqsSendFIFO
	}
	e.Results = make([]model.SendResult, len(messages))
	for i := range e.Results {
		e.Results[i].Refused = "not answered"
	}
	for _, r := range got.Successful {
		e.Results[place(r.Id)] = model.SendResult{ID: plainID(*r.MessageId), Sequence: aws.ToString(r.SequenceNumber)}
	}
	for _, r := range got.Failed {
		i := place(r.Id)
		e.Results[i] = model.SendResult{Refused: entryRefusal(r, words, aboutMessage(messages[i].Outgoing)...)}
	}
}

// entryID names an entry of a batch; place reads such a name.
func entryID(i int) *string { return aws.String(fmt.Sprint(i)) }

func place(id *string) int { return number(*id) }

func sqsAttributes(all []attribute) map[string]types.MessageAttributeValue {
	attributes := map[string]types.MessageAttributeValue{}
	for _, a := range all {
		value := types.MessageAttributeValue{DataType: aws.String(a.kind)}
		if a.kind == "Binary" {
			value.BinaryValue = []byte(a.value)
		} else {
			value.StringValue = aws.String(a.value)
		}
		attributes[a.name] = value
	}
	return attributes
}

func (v *sqsVoice) receive(queue string, a asking) model.Received {
	in := &sqs.ReceiveMessageInput{
		QueueUrl: queueURL(queue), WaitTimeSeconds: int32(a.wait), MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
	}
	if a.attempt != "" {
		in.ReceiveRequestAttemptId = &a.attempt
	}
	about, zero := []string{"{attempt}", a.attempt}, false
	if a.max != nil {
		in.MaxNumberOfMessages = int32(*a.max)
		about, zero = append(about, "{max}", fmt.Sprint(*a.max)), *a.max == 0
	}
	if a.visibility != nil {
		in.VisibilityTimeout = int32(seconds(*a.visibility))
		about, zero = append(about, "{value}", fmt.Sprint(in.VisibilityTimeout)), zero || *a.visibility == 0
	}
	receive := v.client.ReceiveMessage
	if zero {
		receive = v.raw.receive(a)
	}
	got, err := receive(context.Background(), in)
	e := model.Received{
		Queue: queue, Rules: &model.SQS, Max: a.max, Visibility: a.visibility, Attempt: a.attempt, Waited: a.wait > 0,
		Refused: v.refusal(err, sqsReceive, about...),
	}
	if err != nil {
		return e
	}
	for _, m := range got.Messages {
		e.Messages = append(e.Messages, v.seen(&m))
	}
	return e
}

func (v *sqsVoice) seen(m *types.Message) model.Seen {
	s := model.Seen{
		ID: plainID(*m.MessageId), Handle: *m.ReceiptHandle, Body: *m.Body,
		Group: m.Attributes["MessageGroupId"], DedupID: m.Attributes["MessageDeduplicationId"], Sequence: m.Attributes["SequenceNumber"],
		Source:   strings.TrimPrefix(m.Attributes["DeadLetterQueueSourceArn"], arnPrefix),
		Receives: number(m.Attributes["ApproximateReceiveCount"]),
		Sent:     millis(m.Attributes["SentTimestamp"]), First: millis(m.Attributes["ApproximateFirstReceiveTimestamp"]),
	}
	var attributes []attribute
	for name, a := range m.MessageAttributes {
		value := aws.ToString(a.StringValue)
		if *a.DataType == "Binary" {
			value = string(a.BinaryValue)
		}
		attributes = append(attributes, attribute{name, *a.DataType, value})
	}
	v.check(s.ID, attributes)
	return s
}

func (v *sqsVoice) remove(queue string, batch bool, receipts []model.Receipt) []model.Deleted {
	out := make([]model.Deleted, len(receipts))
	for i, r := range receipts {
		out[i] = model.Deleted{Queue: queue, Rules: &model.SQS, Receipt: r}
	}
	if !batch {
		_, err := v.client.DeleteMessage(context.Background(), &sqs.DeleteMessageInput{QueueUrl: queueURL(queue), ReceiptHandle: &receipts[0].Handle})
		out[0].Refused = v.refusal(err, sqsDelete, "{handle}", receipts[0].Handle)
		return out
	}
	in := &sqs.DeleteMessageBatchInput{QueueUrl: queueURL(queue)}
	for i := range receipts {
		in.Entries = append(in.Entries, types.DeleteMessageBatchRequestEntry{Id: entryID(i), ReceiptHandle: &receipts[i].Handle})
	}
	got, err := v.client.DeleteMessageBatch(context.Background(), in)
	for i := range out {
		out[i].Refused = v.refusal(err, sqsWords)
	}
	if err != nil {
		return out
	}
	for _, f := range got.Failed {
		i := place(f.Id)
		out[i].Refused = entryRefusal(f, sqsDeleteEntry, "{handle}", receipts[i].Handle)
	}
	var done []string
	for _, e := range got.Successful {
		done = append(done, *e.Id)
	}
	v.answered(len(out), done, got.Failed)
	return out
}

func (v *sqsVoice) change(queue string, batch bool, changes []model.Changed) []model.Changed {
	out := slices.Clone(changes)
	if batch {
		v.changeBatch(queue, out)
		return out
	}
	in := &sqs.ChangeMessageVisibilityInput{QueueUrl: queueURL(queue), ReceiptHandle: &out[0].Receipt.Handle, VisibilityTimeout: int32(seconds(out[0].Timeout))}
	_, err := v.client.ChangeMessageVisibility(context.Background(), in)
	out[0].Refused = v.refusal(err, sqsChange, aboutChange(out[0])...)
	return out
}

func aboutChange(c model.Changed) []string {
	return []string{"{handle}", c.Receipt.Handle, "{value}", fmt.Sprint(seconds(c.Timeout))}
}

func (v *sqsVoice) changeBatch(queue string, out []model.Changed) {
	in := &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: queueURL(queue)}
	zero := false
	for i := range out {
		timeout := int32(seconds(out[i].Timeout))
		zero = zero || timeout == 0
		in.Entries = append(in.Entries, types.ChangeMessageVisibilityBatchRequestEntry{Id: entryID(i), ReceiptHandle: &out[i].Receipt.Handle, VisibilityTimeout: timeout})
	}
	change := v.client.ChangeMessageVisibilityBatch
	if zero {
		change = v.raw.changeBatch
	}
	got, err := change(context.Background(), in)
	for i := range out {
		out[i].Refused = v.refusal(err, sqsWords)
	}
	if err != nil {
		return
	}
	for _, f := range got.Failed {
		i := place(f.Id)
		out[i].Refused = entryRefusal(f, sqsChangeEntry, aboutChange(out[i])...)
	}
	var done []string
	for _, e := range got.Successful {
		done = append(done, *e.Id)
	}
	v.answered(len(out), done, got.Failed)
}

// answered checks that each of n entries of a batch was answered once.
func (v *sqsVoice) answered(n int, successful []string, failed []types.BatchResultErrorEntry) {
	v.Helper()
	for _, f := range failed {
		successful = append(successful, *f.Id)
	}
	slices.Sort(successful)
	var want []string
	for i := range n {
		want = append(want, *entryID(i))
	}
	if !slices.Equal(successful, want) {
		v.Errorf("a batch of %q was answered for %q", want, successful)
	}
}
