package crash_test

import (
	"context"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// queryWire speaks the Query protocol of SQS.
type queryWire struct{ *host }

func (*queryWire) String() string { return "SQS Query" }
func (*queryWire) most() int      { return 10 }
func (*queryWire) largest() int   { return 1 << 20 }

// queryAnswer has a place for everything that any answer may hold.
type queryAnswer struct {
	Code     string          `xml:"Error>Code"`
	Text     string          `xml:"Error>Message"`
	Sent     querySent       `xml:"SendMessageResult"`
	Entries  []querySent     `xml:"SendMessageBatchResult>SendMessageBatchResultEntry"`
	Messages []queryReceived `xml:"ReceiveMessageResult>Message"`
	Failed   []queryFailed   `xml:"SendMessageBatchResult>BatchResultErrorEntry"`
	Stuck    []queryFailed   `xml:"DeleteMessageBatchResult>BatchResultErrorEntry"`
}

type querySent struct {
	Id, MessageId, MD5OfMessageBody, SequenceNumber string
}

type queryFailed struct{ Id, Code, Message string }

type queryReceived struct {
	MessageId, ReceiptHandle, Body, MD5OfBody string
	Attribute                                 []struct{ Name, Value string }
	MessageAttribute                          []struct {
		Name        string
		StringValue *string `xml:"Value>StringValue"`
		BinaryValue string  `xml:"Value>BinaryValue"`
		DataType    string  `xml:"Value>DataType"`
	}
}

func (w *queryWire) call(ctx context.Context, action, queue string, form url.Values) (*queryAnswer, error) {
	form.Set("Action", action)
	form.Set("Version", "2012-11-05")
	a, err := w.do(ctx, http.MethodPost, "/000000000000/"+queue, []byte(form.Encode()), map[string]string{
		"Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
	})
	if err != nil {
		return nil, err
	}
	var out queryAnswer
	err = xml.Unmarshal(a.body, &out)
	if a.status != http.StatusOK {
		return nil, &refusal{a.status, out.Code, out.Text}
	}
	return &out, err
}

func (s querySent) sent() sent {
	return sent{id: plainID(s.MessageId), md5: s.MD5OfMessageBody, sequence: s.SequenceNumber}
}

func (w *queryWire) send(ctx context.Context, queue string, messages []outgoing) ([]sent, error) {
	form := url.Values{}
	if len(messages) == 1 {
		fillMessage(form, "", messages[0])
		out, err := w.call(ctx, "SendMessage", queue, form)
		if err != nil {
			return nil, err
		}
		return []sent{out.Sent.sent()}, nil
	}
	for i, m := range messages {
		prefix := fmt.Sprintf("SendMessageBatchRequestEntry.%d.", i+1)
		form.Set(prefix+"Id", strconv.Itoa(i))
		fillMessage(form, prefix, m)
	}
	out, err := w.call(ctx, "SendMessageBatch", queue, form)
	if err != nil {
		return nil, err
	}
	if len(out.Failed) > 0 || len(out.Entries) != len(messages) {
		return nil, fmt.Errorf("%d of %d entries were sent; failed: %v", len(out.Entries), len(messages), out.Failed)
	}
	all := make([]sent, len(messages))
	for _, s := range out.Entries {
		i, _ := strconv.Atoi(s.Id)
		all[i] = s.sent()
	}
	return all, nil
}

func fillMessage(form url.Values, prefix string, m outgoing) {
	form.Set(prefix+"MessageBody", m.body)
	if m.delay != nil {
		form.Set(prefix+"DelaySeconds", strconv.Itoa(wholeSeconds(*m.delay)))
	}
	if m.group != "" {
		form.Set(prefix+"MessageGroupId", m.group)
	}
	if m.dedup != "" {
		form.Set(prefix+"MessageDeduplicationId", m.dedup)
	}
	for i, a := range m.attributes {
		at := fmt.Sprintf("%sMessageAttribute.%d.", prefix, i+1)
		form.Set(at+"Name", a.name)
		form.Set(at+"Value.DataType", a.kind)
		if a.kind == "Binary" {
			form.Set(at+"Value.BinaryValue", base64.StdEncoding.EncodeToString(a.value))
		} else {
			form.Set(at+"Value.StringValue", string(a.value))
		}
	}
}

func (w *queryWire) receive(ctx context.Context, queue string, r receiveRequest) ([]delivery, error) {
	form := url.Values{
		"MaxNumberOfMessages": {strconv.Itoa(r.limit)}, "WaitTimeSeconds": {strconv.Itoa(wholeSeconds(r.wait))},
		"VisibilityTimeout": {strconv.Itoa(wholeSeconds(r.timeout))},
		"AttributeName.1":   {"All"}, "MessageAttributeName.1": {"All"},
	}
	if r.attemptID != "" {
		form.Set("ReceiveRequestAttemptId", r.attemptID)
	}
	out, err := w.call(ctx, "ReceiveMessage", queue, form)
	if err != nil {
		return nil, err
	}
	all := make([]delivery, len(out.Messages))
	for i := range out.Messages {
		if all[i], err = out.Messages[i].delivery(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (m *queryReceived) delivery() (delivery, error) {
	d := delivery{id: plainID(m.MessageId), receipt: m.ReceiptHandle, body: m.Body, md5: m.MD5OfBody}
	for _, a := range m.Attribute {
		switch a.Name {
		case "ApproximateReceiveCount":
			d.count, _ = strconv.Atoi(a.Value)
		case "MessageGroupId":
			d.group = a.Value
		case "MessageDeduplicationId":
			d.dedup = a.Value
		}
	}
	for _, a := range m.MessageAttribute {
		value, err := base64.StdEncoding.DecodeString(a.BinaryValue)
		if err != nil {
			return d, err
		}
		if a.StringValue != nil {
			value = []byte(*a.StringValue)
		}
		d.attributes = append(d.attributes, attribute{a.Name, a.DataType, value})
	}
	return d, nil
}

func (w *queryWire) change(ctx context.Context, queue, receipt string, timeout time.Duration) (string, time.Time, error) {
	form := url.Values{"ReceiptHandle": {receipt}, "VisibilityTimeout": {strconv.Itoa(wholeSeconds(timeout))}}
	_, err := w.call(ctx, "ChangeMessageVisibility", queue, form)
	return receipt, time.Time{}, err
}

func (w *queryWire) remove(ctx context.Context, queue string, receipts []string) ([]error, error) {
	if len(receipts) == 1 {
		_, err := w.call(ctx, "DeleteMessage", queue, url.Values{"ReceiptHandle": receipts})
		return oneForAll(err)
	}
	form := url.Values{}
	for i, receipt := range receipts {
		prefix := fmt.Sprintf("DeleteMessageBatchRequestEntry.%d.", i+1)
		form.Set(prefix+"Id", strconv.Itoa(i))
		form.Set(prefix+"ReceiptHandle", receipt)
	}
	out, err := w.call(ctx, "DeleteMessageBatch", queue, form)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(receipts))
	for _, f := range out.Stuck {
		i, _ := strconv.Atoi(f.Id)
		errs[i] = &refusal{http.StatusOK, f.Code, f.Message}
	}
	return errs, nil
}
