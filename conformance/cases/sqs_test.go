package cases_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
)

const (
	sqsHost = "sqs.us-east-1.localhost:4566"
	sqsHome = "000000000000"
	sqsXMLN = "http://queue.amazonaws.com/doc/2012-11-05/"
)

// sqs speaks both protocols of SQS: requests are built as JSON and, for Query, flattened; answers in XML are brought
// into the form of those in JSON.
type sqs struct {
	*world
	form bool
}

// obj is a JSON object.
type obj = map[string]any

// queueURL is the address of a queue, or an address that was given.
func queueURL(queue string) string {
	if strings.Contains(queue, "/") {
		return queue
	}
	return "http://" + sqsHost + "/" + sqsHome + "/" + queue
}

func queueARN(queue string) string { return "arn:aws:sqs:us-east-1:" + sqsHome + ":" + queue }

// call calls an operation.
func (s sqs) call(operation string, in obj) reply {
	s.t.Helper()
	return s.answered(s.do(s.request(operation, in)))
}

// request builds the request of an operation, for those that want to change something about it.
func (s sqs) request(operation string, in obj) *http.Request {
	s.t.Helper()
	if s.form {
		return s.raw("application/x-www-form-urlencoded", "", "Action="+operation+"&Version=2012-11-05"+flatten(operation, in))
	}
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.raw("application/x-amz-json-1.0", "AmazonSQS."+operation, string(body))
}

func (s sqs) raw(contentType, target, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://"+sqsHost+"/", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	if target != "" {
		r.Header.Set("X-Amz-Target", target)
	}
	return r
}

// answered reads what is wrong from an answer, and fails the test unless its envelope is just the provider's.
func (s sqs) answered(r reply) reply {
	s.t.Helper()
	if s.form {
		return s.answeredForm(r)
	}
	if got := r.header.Get("Content-Type"); got != "application/x-amz-json-1.0" {
		s.t.Errorf("Content-Type = %q: %s", got, r.body)
	}
	if r.status < 300 {
		return r
	}
	var e struct {
		Type    string `json:"__type"`
		Message *string
	}
	if err := json.Unmarshal([]byte(r.body), &e); err != nil {
		s.t.Errorf("error is %q: %v", r.body, err)
	}
	queryError := strings.Join(r.header["x-amzn-query-error"], ",")
	code, sender := strings.CutSuffix(queryError, ";Sender")
	if want := typeOf(code); e.Type != want || !sender {
		s.t.Errorf("x-amzn-query-error = %q with __type %q, want Sender and %q", queryError, e.Type, want)
	}
	r.code, r.kind = code, e.Type
	if e.Message != nil {
		r.text = *e.Message
	}
	return r
}

// The namespaces of errors in JSON.
const (
	modelled = "com.amazonaws.sqs#"
	general  = "com.amazon.coral.service#"
)

// types are the __type of the codes whose name is another. Recorded.
var types = map[string]string{
	"QueueAlreadyExists":    modelled + "QueueNameExists",
	"NonExistentQueue":      modelled + "QueueDoesNotExist",
	"InvalidParameterValue": general + "InvalidParameterValueException",
	"MissingParameter":      general + "MissingRequiredParameterException",
	"InvalidAction":         general + "UnknownOperationException",
	"MalformedInput":        general + "SerializationException",
	"RequestEntityTooLarge": general + "RequestEntityTooLarge",
}

// typeOf returns the __type that goes with a code of the Query protocol.
func typeOf(code string) string {
	name := strings.TrimPrefix(code, "AWS.SimpleQueueService.")
	if t, ok := types[name]; ok {
		return t
	}
	return modelled + name
}

func (s sqs) answeredForm(r reply) reply {
	s.t.Helper()
	doc, err := parseXML(r.body)
	if err != nil || r.header.Get("Content-Type") != "text/xml" || !strings.HasPrefix(r.body, `<?xml version="1.0"?><`) {
		s.t.Errorf("Query answers %s %q: %v", r.header.Get("Content-Type"), r.body, err)
	}
	id := r.header["x-amzn-RequestId"]
	if r.status < 300 {
		if doc.XMLName.Space != sqsXMLN || !slices.Contains(id, doc.at("ResponseMetadata/RequestId")) {
			s.t.Errorf("success has ids %q: %s", id, r.body)
		}
		return r
	}
	r.code, r.text = doc.at("Error/Code"), doc.at("Error/Message")
	shape := strings.Join(doc.names(), " ") + ": " + strings.Join(doc.kid("Error").names(), " ") + ": " + doc.at("Error/Type")
	if shape != "Error RequestId: Type Code Message Detail: Sender" || doc.XMLName.Space != sqsXMLN ||
		!slices.Contains(id, doc.at("RequestId")) || len(r.header["x-amzn-query-error"]) > 0 {
		s.t.Errorf("error has the shape %s and ids %q: %s", shape, id, r.body)
	}
	return r
}

// result returns the members of a successful answer, with all numbers and flags as texts.
func (s sqs) result(operation string, r reply) obj {
	s.t.Helper()
	if s.form {
		doc, err := parseXML(r.body)
		if err != nil {
			s.t.Fatal(err)
		}
		return gathered(operation, doc.kid(operation+"Result"))
	}
	if r.body == "" {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(r.body))
	d.UseNumber()
	var out obj
	if err := d.Decode(&out); err != nil {
		s.t.Fatalf("%s answers %q: %v", operation, r.body, err)
	}
	return texts(out).(obj)
}

// texts replaces all scalars by texts.
func texts(v any) any {
	switch v := v.(type) {
	case obj:
		for k := range v {
			v[k] = texts(v[k])
		}
		return v
	case []any:
		for i := range v {
			v[i] = texts(v[i])
		}
		return v
	}
	return fmt.Sprint(v)
}

// onQueue is the input of an operation on a queue.
func onQueue(queue string, more ...any) obj {
	in := obj{"QueueUrl": queueURL(queue)}
	for i := 0; i+1 < len(more); i += 2 {
		in[more[i].(string)] = more[i+1]
	}
	return in
}

func (s sqs) create(queue string, settings map[string]string) reply {
	s.t.Helper()
	in := obj{"QueueName": queue}
	if len(settings) > 0 {
		in["Attributes"] = settings
	}
	return s.call("CreateQueue", in)
}

func (s sqs) set(queue string, settings map[string]string) reply {
	s.t.Helper()
	return s.call("SetQueueAttributes", onQueue(queue, "Attributes", settings))
}

func (s sqs) settings(queue string) (map[string]string, reply) {
	s.t.Helper()
	r := s.call("GetQueueAttributes", onQueue(queue, "AttributeNames", []string{"All"}))
	if r.status != http.StatusOK {
		return nil, r
	}
	return textMap(s.result("GetQueueAttributes", r)["Attributes"]), r
}

func (s sqs) drop(queue string) reply {
	s.t.Helper()
	return s.call("DeleteQueue", onQueue(queue))
}

// outgoing are the members of a message to be sent.
func outgoing(m sending) obj {
	in := obj{"MessageBody": m.body}
	if m.delay != nil {
		in["DelaySeconds"] = *m.delay
	}
	if m.group != nil {
		in["MessageGroupId"] = *m.group
	}
	if m.dedup != nil {
		in["MessageDeduplicationId"] = *m.dedup
	}
	attributes := obj{}
	for _, a := range m.attributes {
		attributes[a.name] = attributeValue(a)
	}
	if len(attributes) > 0 {
		in["MessageAttributes"] = attributes
	}
	if m.trace != "" {
		in["MessageSystemAttributes"] = obj{"AWSTraceHeader": obj{"DataType": "String", "StringValue": m.trace}}
	}
	return in
}

func attributeValue(a attribute) obj {
	if strings.HasPrefix(a.kind, "Binary") {
		return obj{"DataType": a.kind, "BinaryValue": []byte(a.value)}
	}
	return obj{"DataType": a.kind, "StringValue": a.value}
}

func (s sqs) refuses(m sending) {
	s.t.Helper()
	if m.priority != nil {
		s.t.Fatal("SQS knows no priority")
	}
}

func (s sqs) send(queue string, m sending) sent {
	s.t.Helper()
	s.refuses(m)
	in := outgoing(m)
	in["QueueUrl"] = queueURL(queue)
	r := s.call("SendMessage", in)
	if r.status != http.StatusOK {
		return sent{reply: r}
	}
	got := sentOf(s.result("SendMessage", r))
	got.reply = r
	return got
}

func sentOf(v any) sent {
	return sent{
		id: text(v, "MessageId"), md5: text(v, "MD5OfMessageBody"), attributesMD5: text(v, "MD5OfMessageAttributes"),
		systemMD5: text(v, "MD5OfMessageSystemAttributes"), sequence: text(v, "SequenceNumber"),
	}
}

func (s sqs) sendBatch(queue string, all ...sending) batch {
	s.t.Helper()
	entries := []obj{}
	for _, m := range all {
		s.refuses(m)
		entries = append(entries, outgoing(m))
	}
	return s.batch("SendMessageBatch", queue, entries)
}

// batch calls an operation with entries, to which it gives the ids e0, e1 and so on.
func (s sqs) batch(operation, queue string, entries []obj) batch {
	s.t.Helper()
	for i := range entries {
		entries[i]["Id"] = "e" + strconv.Itoa(i)
	}
	r := s.call(operation, onQueue(queue, "Entries", entries))
	b := batch{reply: r}
	if r.status != http.StatusOK {
		return b
	}
	b.entries = make([]entry, len(entries))
	out, seen := s.result(operation, r), 0
	at := func(v any) *entry {
		i, err := strconv.Atoi(strings.TrimPrefix(text(v, "Id"), "e"))
		if err != nil || i >= len(entries) {
			s.t.Fatalf("%s answers for the entry %q", operation, text(v, "Id"))
		}
		seen++
		return &b.entries[i]
	}
	for _, v := range list(out["Successful"]) {
		at(v).sent = sentOf(v)
	}
	for _, v := range list(out["Failed"]) {
		e := at(v)
		e.code, e.text = text(v, "Code"), text(v, "Message")
		if text(v, "SenderFault") != "true" {
			s.t.Errorf("%s: SenderFault of %v is not true", operation, v)
		}
	}
	if seen != len(entries) {
		s.t.Errorf("%s answers for %d entries of %d: %s", operation, seen, len(entries), r.body)
	}
	return b
}

func (s sqs) receive(queue string, a asking) received {
	s.t.Helper()
	if a.peek {
		s.t.Fatal("SQS knows no peek")
	}
	in := onQueue(queue)
	for name, value := range map[string]*int{"MaxNumberOfMessages": a.max, "WaitTimeSeconds": a.wait, "VisibilityTimeout": a.visibility} {
		if value != nil {
			in[name] = *value
		}
	}
	if a.attempt != nil {
		in["ReceiveRequestAttemptId"] = *a.attempt
	}
	if a.system != nil {
		in["MessageSystemAttributeNames"] = a.system
	}
	if a.names != nil {
		in["MessageAttributeNames"] = a.names
	}
	got := received{reply: s.call("ReceiveMessage", in)}
	if got.status == http.StatusOK {
		for _, v := range list(s.result("ReceiveMessage", got.reply)["Messages"]) {
			got.messages = append(got.messages, s.message(v.(obj)))
		}
	}
	return got
}

func (s sqs) message(v obj) message {
	m := message{
		id: text(v, "MessageId"), handle: text(v, "ReceiptHandle"), body: text(v, "Body"), md5: text(v, "MD5OfBody"),
		attributesMD5: text(v, "MD5OfMessageAttributes"), system: textMap(v["Attributes"]),
	}
	for name := range v {
		m.names = append(m.names, name)
	}
	slices.Sort(m.names)
	attributes, _ := v["MessageAttributes"].(obj)
	for name, value := range attributes {
		a := attribute{name: name, kind: text(value, "DataType"), value: text(value, "StringValue")}
		if raw := text(value, "BinaryValue"); raw != "" {
			decoded, err := base64.StdEncoding.DecodeString(raw)
			if err != nil {
				s.t.Errorf("BinaryValue %q: %v", raw, err)
			}
			a.value = string(decoded)
		}
		m.attributes = append(m.attributes, a)
	}
	slices.SortFunc(m.attributes, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	return m
}

func (s sqs) remove(queue, handle string) reply {
	s.t.Helper()
	return s.call("DeleteMessage", onQueue(queue, "ReceiptHandle", handle))
}

func (s sqs) removeBatch(queue string, handles ...string) batch {
	s.t.Helper()
	entries := []obj{}
	for _, h := range handles {
		entries = append(entries, obj{"ReceiptHandle": h})
	}
	return s.batch("DeleteMessageBatch", queue, entries)
}

func (s sqs) change(queue, handle string, timeout int) changed {
	s.t.Helper()
	return changed{reply: s.call("ChangeMessageVisibility", onQueue(queue, "ReceiptHandle", handle, "VisibilityTimeout", timeout)), handle: handle}
}

// compact writes a value as JSON.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return strings.TrimSpace(b.String())
}
