package crash_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// mnsWire speaks the XML of MNS.
type mnsWire struct{ *host }

func (*mnsWire) String() string { return "MNS" }
func (*mnsWire) most() int      { return 16 }
func (*mnsWire) largest() int   { return 64 << 10 }

type mnsProperty struct{ Name, Value, Type string }

type mnsMessage struct {
	MessageId, MessageBodyMD5, ReceiptHandle string
	MessageBody, MessageGroupId              string
	NextVisibleTime                          int64
	DequeueCount                             int
	UserProperties                           []mnsProperty `xml:"UserProperties>PropertyValue"`
}

func (w *mnsWire) call(ctx context.Context, method, queue, query string, body []byte, out any) error {
	a, err := w.do(ctx, method, "/queues/"+queue+"/messages"+query, body, map[string]string{
		"x-mns-version": "2015-06-06", "Content-Type": "text/xml;charset=utf-8",
	})
	switch {
	case err != nil:
		return err
	case a.status >= 300:
		var f struct{ Code, Message string }
		_ = xml.Unmarshal(a.body, &f) // a list of failed handles has no code; its reader looks again
		return &mnsRefusal{refusal{a.status, f.Code, f.Message}, a.body}
	case len(a.body) == 0:
		return nil
	}
	return xml.Unmarshal(a.body, out)
}

// mnsRefusal keeps the body, since a batch that failed in part is an error with a list.
type mnsRefusal struct {
	refusal
	body []byte
}

func (r *mnsRefusal) Unwrap() error { return &r.refusal }

func (m mnsMessage) sent() sent {
	return sent{id: plainID(m.MessageId), md5: strings.ToLower(m.MessageBodyMD5), receipt: m.ReceiptHandle}
}

func (w *mnsWire) send(ctx context.Context, queue string, messages []outgoing) ([]sent, error) {
	if len(messages) == 1 {
		var out mnsMessage
		err := w.call(ctx, http.MethodPost, queue, "", mnsBody(messages[0]), &out)
		return []sent{out.sent()}, err
	}
	var body bytes.Buffer
	body.WriteString("<Messages>")
	for _, m := range messages {
		body.Write(mnsBody(m))
	}
	body.WriteString("</Messages>")
	var out struct{ Message []mnsMessage }
	if err := w.call(ctx, http.MethodPost, queue, "", body.Bytes(), &out); err != nil {
		return nil, err
	}
	if len(out.Message) != len(messages) {
		return nil, fmt.Errorf("%d of %d messages were sent", len(out.Message), len(messages))
	}
	all := make([]sent, len(messages))
	for i, m := range out.Message {
		all[i] = m.sent()
	}
	return all, nil
}

func mnsBody(m outgoing) []byte {
	var b bytes.Buffer
	element := func(name, text string) {
		b.WriteString("<" + name + ">")
		_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
		b.WriteString("</" + name + ">")
	}
	b.WriteString("<Message>")
	element("MessageBody", m.body)
	if m.delay != nil {
		element("DelaySeconds", fmt.Sprint(wholeSeconds(*m.delay)))
	}
	if m.group != "" {
		element("MessageGroupId", m.group)
	}
	b.WriteString("<UserProperties>")
	for _, a := range m.attributes {
		value := string(a.value)
		if a.kind == "Binary" {
			value = base64.StdEncoding.EncodeToString(a.value)
		}
		b.WriteString("<PropertyValue>")
		element("Name", a.name)
		element("Value", value)
		element("Type", mnsType(a.kind))
		b.WriteString("</PropertyValue>")
	}
	b.WriteString("</UserProperties></Message>")
	return b.Bytes()
}

// mnsType is the name of an SQS type in MNS, where types have no labels.
func mnsType(kind string) string {
	base, _, _ := strings.Cut(kind, ".")
	return strings.ToUpper(base)
}

func (w *mnsWire) receive(ctx context.Context, queue string, r receiveRequest) ([]delivery, error) {
	return w.fetch(ctx, queue, fmt.Sprintf("?numOfMessages=%d&waitseconds=%d", r.limit, wholeSeconds(r.wait)))
}

// peek shows up to 16 visible messages without touching them.
func (w *mnsWire) peek(ctx context.Context, queue string) ([]delivery, error) {
	return w.fetch(ctx, queue, "?numOfMessages=16&peekonly=true")
}

func (w *mnsWire) fetch(ctx context.Context, queue, query string) ([]delivery, error) {
	var out struct{ Message []mnsMessage }
	err := w.call(ctx, http.MethodGet, queue, query, nil, &out)
	if r, ok := errors.AsType[*mnsRefusal](err); ok && r.code == "MessageNotExist" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := make([]delivery, len(out.Message))
	for i, m := range out.Message {
		all[i] = delivery{
			id: plainID(m.MessageId), receipt: m.ReceiptHandle, body: m.MessageBody, md5: strings.ToLower(m.MessageBodyMD5),
			count: m.DequeueCount, group: m.MessageGroupId, visibleAt: time.UnixMilli(m.NextVisibleTime),
		}
		for _, p := range m.UserProperties {
			value := []byte(p.Value)
			if p.Type == "BINARY" {
				if value, err = base64.StdEncoding.DecodeString(p.Value); err != nil {
					return nil, err
				}
			}
			all[i].attributes = append(all[i].attributes, attribute{p.Name, p.Type, value})
		}
	}
	return all, nil
}

func (w *mnsWire) change(ctx context.Context, queue, receipt string, timeout time.Duration) (string, time.Time, error) {
	var out mnsMessage
	query := fmt.Sprintf("?receiptHandle=%s&visibilityTimeout=%d", url.QueryEscape(receipt), wholeSeconds(timeout))
	err := w.call(ctx, http.MethodPut, queue, query, nil, &out)
	return out.ReceiptHandle, time.UnixMilli(out.NextVisibleTime), err
}

func (w *mnsWire) remove(ctx context.Context, queue string, receipts []string) ([]error, error) {
	if len(receipts) == 1 {
		return oneForAll(w.call(ctx, http.MethodDelete, queue, "?ReceiptHandle="+url.QueryEscape(receipts[0]), nil, nil))
	}
	body := "<ReceiptHandles><ReceiptHandle>" + strings.Join(receipts, "</ReceiptHandle><ReceiptHandle>") + "</ReceiptHandle></ReceiptHandles>"
	err := w.call(ctx, http.MethodDelete, queue, "", []byte(body), nil)
	errs := make([]error, len(receipts))
	r, ok := errors.AsType[*mnsRefusal](err)
	if !ok || r.code != "" {
		return errs, err
	}
	var failed struct {
		Error []struct{ ErrorCode, ErrorMessage, ReceiptHandle string }
	}
	if err := xml.Unmarshal(r.body, &failed); err != nil {
		return nil, err
	}
	for _, f := range failed.Error {
		if i := slices.Index(receipts, f.ReceiptHandle); i >= 0 {
			errs[i] = &refusal{r.status, f.ErrorCode, f.ErrorMessage}
		}
	}
	return errs, nil
}
