package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// jsonWire speaks the JSON protocol of SQS.
type jsonWire struct{ *host }

func (*jsonWire) String() string { return "SQS JSON" }
func (*jsonWire) most() int      { return 10 }
func (*jsonWire) largest() int   { return 1 << 20 }

// call does one operation and reads its answer into out, unless that is nil.
func (w *jsonWire) call(ctx context.Context, operation string, in map[string]any, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	a, err := w.do(ctx, http.MethodPost, "/", body, map[string]string{
		"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "AmazonSQS." + operation,
	})
	if err != nil {
		return err
	}
	if a.status != http.StatusOK {
		var f struct {
			Type    string `json:"__type"`
			Message string `json:"message"`
		}
		_ = json.Unmarshal(a.body, &f) // what is no JSON is refused all the same
		return &refusal{a.status, f.Type, f.Message}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(a.body, out)
}

func queueURL(queue string) string { return "http://localhost/000000000000/" + queue }

type jsonAttribute struct {
	DataType    string
	StringValue *string `json:",omitempty"`
	BinaryValue []byte  `json:",omitempty"`
}

// jsonSent is the answer for one message, alone or in a batch.
type jsonSent struct {
	Id, MessageId, MD5OfMessageBody, SequenceNumber string
}

func (s jsonSent) sent() sent {
	return sent{id: plainID(s.MessageId), md5: s.MD5OfMessageBody, sequence: s.SequenceNumber}
}

func (w *jsonWire) send(ctx context.Context, queue string, messages []outgoing) ([]sent, error) {
	if len(messages) == 1 {
		in := jsonMessage(messages[0])
		in["QueueUrl"] = queueURL(queue)
		var out jsonSent
		err := w.call(ctx, "SendMessage", in, &out)
		return []sent{out.sent()}, err
	}
	entries := make([]map[string]any, len(messages))
	for i, m := range messages {
		entries[i] = jsonMessage(m)
		entries[i]["Id"] = strconv.Itoa(i)
	}
	var out struct {
		Successful []jsonSent
		Failed     []jsonFailed
	}
	if err := w.call(ctx, "SendMessageBatch", map[string]any{"QueueUrl": queueURL(queue), "Entries": entries}, &out); err != nil {
		return nil, err
	}
	if len(out.Failed) > 0 || len(out.Successful) != len(messages) {
		return nil, fmt.Errorf("%d of %d entries were sent; failed: %v", len(out.Successful), len(messages), out.Failed)
	}
	all := make([]sent, len(messages))
	for _, s := range out.Successful {
		i, _ := strconv.Atoi(s.Id)
		all[i] = s.sent()
	}
	return all, nil
}

func jsonMessage(m outgoing) map[string]any {
	in := map[string]any{"MessageBody": m.body}
	if m.delay != nil {
		in["DelaySeconds"] = wholeSeconds(*m.delay)
	}
	if m.group != "" {
		in["MessageGroupId"] = m.group
	}
	if m.dedup != "" {
		in["MessageDeduplicationId"] = m.dedup
	}
	if len(m.attributes) > 0 {
		attributes := map[string]jsonAttribute{}
		for _, a := range m.attributes {
			attributes[a.name] = jsonAttributeOf(a)
		}
		in["MessageAttributes"] = attributes
	}
	return in
}

func jsonAttributeOf(a attribute) jsonAttribute {
	if a.kind == "Binary" {
		return jsonAttribute{DataType: a.kind, BinaryValue: a.value}
	}
	text := string(a.value)
	return jsonAttribute{DataType: a.kind, StringValue: &text}
}

type jsonReceived struct {
	MessageId, ReceiptHandle, Body, MD5OfBody string
	Attributes                                map[string]string
	MessageAttributes                         map[string]jsonAttribute
}

func (w *jsonWire) receive(ctx context.Context, queue string, r receiveRequest) ([]delivery, error) {
	in := map[string]any{
		"QueueUrl": queueURL(queue), "MaxNumberOfMessages": r.limit, "WaitTimeSeconds": wholeSeconds(r.wait),
		"VisibilityTimeout": wholeSeconds(r.timeout), "AttributeNames": []string{"All"}, "MessageAttributeNames": []string{"All"},
	}
	if r.attemptID != "" {
		in["ReceiveRequestAttemptId"] = r.attemptID
	}
	var out struct{ Messages []jsonReceived }
	if err := w.call(ctx, "ReceiveMessage", in, &out); err != nil {
		return nil, err
	}
	all := make([]delivery, len(out.Messages))
	for i, m := range out.Messages {
		all[i] = delivery{
			id: plainID(m.MessageId), receipt: m.ReceiptHandle, body: m.Body, md5: m.MD5OfBody,
			group: m.Attributes["MessageGroupId"], dedup: m.Attributes["MessageDeduplicationId"],
		}
		all[i].count, _ = strconv.Atoi(m.Attributes["ApproximateReceiveCount"])
		for name, a := range m.MessageAttributes {
			value := a.BinaryValue
			if a.StringValue != nil {
				value = []byte(*a.StringValue)
			}
			all[i].attributes = append(all[i].attributes, attribute{name, a.DataType, value})
		}
	}
	return all, nil
}

func (w *jsonWire) change(ctx context.Context, queue, receipt string, timeout time.Duration) (string, time.Time, error) {
	in := map[string]any{"QueueUrl": queueURL(queue), "ReceiptHandle": receipt, "VisibilityTimeout": wholeSeconds(timeout)}
	return receipt, time.Time{}, w.call(ctx, "ChangeMessageVisibility", in, nil)
}

type jsonFailed struct{ Id, Code, Message string }

func (w *jsonWire) remove(ctx context.Context, queue string, receipts []string) ([]error, error) {
	if len(receipts) == 1 {
		return oneForAll(w.call(ctx, "DeleteMessage", map[string]any{"QueueUrl": queueURL(queue), "ReceiptHandle": receipts[0]}, nil))
	}
	entries := make([]map[string]string, len(receipts))
	for i, receipt := range receipts {
		entries[i] = map[string]string{"Id": strconv.Itoa(i), "ReceiptHandle": receipt}
	}
	var out struct{ Failed []jsonFailed }
	if err := w.call(ctx, "DeleteMessageBatch", map[string]any{"QueueUrl": queueURL(queue), "Entries": entries}, &out); err != nil {
		return nil, err
	}
	errs := make([]error, len(receipts))
	for _, f := range out.Failed {
		i, _ := strconv.Atoi(f.Id)
		errs[i] = &refusal{http.StatusOK, f.Code, f.Message}
	}
	return errs, nil
}

// counts are what a queue says of its messages, all at one instant.
type counts struct{ visible, inFlight, delayed int }

func (w *jsonWire) counts(ctx context.Context, queue string) (counts, error) {
	in := map[string]any{"QueueUrl": queueURL(queue), "AttributeNames": []string{"All"}}
	var out struct{ Attributes map[string]string }
	err := w.call(ctx, "GetQueueAttributes", in, &out)
	var c counts
	for name, to := range map[string]*int{
		"ApproximateNumberOfMessages": &c.visible, "ApproximateNumberOfMessagesNotVisible": &c.inFlight,
		"ApproximateNumberOfMessagesDelayed": &c.delayed,
	} {
		*to, _ = strconv.Atoi(out.Attributes[name])
	}
	return c, err
}
