package cases_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const mnsHost = "1234567890123456.mns.cn-hangzhou.mns.localhost:4566"

// mns speaks the XML protocol of MNS.
type mns struct{ *world }

// call sends a request and reads its answer.
func (m mns) call(method, target, body string) reply {
	m.t.Helper()
	return m.answered(m.do(m.request(method, target, body)))
}

func (m mns) request(method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = mnsHost
	r.Header.Set("x-mns-version", "2015-06-06")
	if body != "" {
		r.Header.Set("Content-Type", "text/xml;charset=utf-8")
	}
	return r
}

var mnsRequestID = regexp.MustCompile(`^[0-9A-F]{24}$`)

// answered reads what is wrong from an answer, and fails the test unless its envelope is just the provider's.
func (m mns) answered(r reply) reply {
	m.t.Helper()
	id := strings.Join(r.header["x-mns-request-id"], ",")
	if r.header.Get("Content-Type") != "text/xml;charset=utf-8" || strings.Join(r.header["x-mns-version"], ",") != "2015-06-06" || !mnsRequestID.MatchString(id) {
		m.t.Errorf("answer has the headers %v", r.header)
	}
	if r.status == http.StatusNoContent || r.body == "" {
		return r
	}
	doc, err := parseXML(r.body)
	if err != nil || doc.XMLName.Space != "http://mns.aliyuncs.com/doc/v1" || !strings.HasPrefix(r.body, "<?xml version=\"1.0\" ?>\n<") {
		m.t.Errorf("answer is %q: %v", r.body, err)
	}
	if doc.name() != "Error" {
		return r
	}
	r.code, r.text = doc.at("Code"), doc.at("Message")
	want := fmt.Sprintf("<?xml version=\"1.0\" ?>\n<Error xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n  <Code>%s</Code>\n  <Message>%s</Message>\n"+
		"  <RequestId>%s</RequestId>\n  <HostId>http://%s</HostId>\n</Error>", r.code, r.text, id, mnsHost)
	if r.body != want {
		m.t.Errorf("error is\n%s\nwant\n%s", r.body, want)
	}
	return r
}

// settingNames are MNS's names of settings, by those of SQS.
var settingNames = map[string]string{
	"DelaySeconds": "DelaySeconds", "MaximumMessageSize": "MaximumMessageSize", "MessageRetentionPeriod": "MessageRetentionPeriod",
	"VisibilityTimeout": "VisibilityTimeout", "ReceiveMessageWaitTimeSeconds": "PollingWaitSeconds",
	countVisible: "ActiveMessages", countInFlight: "InactiveMessages", countDelayed: "DelayMessages",
	"CreatedTimestamp": "CreateTime", "LastModifiedTimestamp": "LastModifyTime",
}

func (m mns) queueDocument(settings map[string]string) string {
	m.t.Helper()
	var b strings.Builder
	for name, value := range settings {
		own, known := settingNames[name]
		if !known {
			m.t.Fatalf("MNS has no setting %s", name)
		}
		b.WriteString(tag(own, escaped(value)))
	}
	return tag("Queue", b.String())
}

func tag(name, content string) string { return "<" + name + ">" + content + "</" + name + ">" }

func (m mns) create(queue string, settings map[string]string) reply {
	m.t.Helper()
	return m.call(http.MethodPut, "/queues/"+queue, m.queueDocument(settings))
}

func (m mns) set(queue string, settings map[string]string) reply {
	m.t.Helper()
	return m.call(http.MethodPut, "/queues/"+queue+"?metaoverride=true", m.queueDocument(settings))
}

func (m mns) settings(queue string) (map[string]string, reply) {
	m.t.Helper()
	r := m.call(http.MethodGet, "/queues/"+queue, "")
	if r.status != http.StatusOK {
		return nil, r
	}
	doc, _ := parseXML(r.body)
	settings := map[string]string{}
	for name, own := range settingNames {
		settings[name] = doc.at(own)
	}
	return settings, r
}

func (m mns) drop(queue string) reply {
	m.t.Helper()
	return m.call(http.MethodDelete, "/queues/"+queue, "")
}

// mnsKinds are MNS's types of properties, by SQS's.
var mnsKinds = map[string]string{"String": "STRING", "Number": "NUMBER", "Binary": "BINARY", "Boolean": "BOOLEAN"}

func (m mns) document(s sending) string {
	m.t.Helper()
	if s.dedup != nil {
		m.t.Fatal("MNS knows no deduplication ids")
	}
	var b strings.Builder
	b.WriteString(tag("MessageBody", escaped(s.body)))
	if s.delay != nil {
		b.WriteString(tag("DelaySeconds", fmt.Sprint(*s.delay)))
	}
	if s.priority != nil {
		b.WriteString(tag("Priority", fmt.Sprint(*s.priority)))
	}
	if s.group != nil {
		b.WriteString(tag("MessageGroupId", escaped(*s.group)))
	}
	var properties strings.Builder
	for _, a := range s.attributes {
		value := a.value
		if a.kind == "Binary" {
			value = base64.StdEncoding.EncodeToString([]byte(value))
		}
		properties.WriteString(tag("PropertyValue", tag("Name", escaped(a.name))+tag("Value", escaped(value))+tag("Type", mnsKinds[a.kind])))
	}
	if len(s.attributes) > 0 {
		b.WriteString(tag("UserProperties", properties.String()))
	}
	if s.trace != "" {
		b.WriteString(tag("SystemProperties", tag("SystemPropertyValue", tag("Name", "traceparent")+tag("Value", escaped(s.trace))+tag("Type", "STRING"))))
	}
	return tag("Message", b.String())
}

func (m mns) send(queue string, s sending) sent {
	m.t.Helper()
	r := m.call(http.MethodPost, "/queues/"+queue+"/messages", m.document(s))
	if r.code != "" {
		return sent{reply: r}
	}
	doc, _ := parseXML(r.body)
	got := mnsSent(doc).sent
	got.reply = r
	return got
}

func mnsSent(e element) entry {
	return entry{
		sent: sent{id: e.at("MessageId"), md5: e.at("MessageBodyMD5"), handle: e.at("ReceiptHandle")},
		code: e.at("ErrorCode"), text: e.at("ErrorMessage"),
	}
}

func (m mns) sendBatch(queue string, all ...sending) batch {
	m.t.Helper()
	var b strings.Builder
	for _, s := range all {
		b.WriteString(m.document(s))
	}
	got := batch{reply: m.call(http.MethodPost, "/queues/"+queue+"/messages", tag("Messages", b.String()))}
	if got.code == "" {
		doc, _ := parseXML(got.body)
		for _, kid := range doc.Kids {
			got.entries = append(got.entries, mnsSent(kid))
		}
	}
	return got
}

func (m mns) receive(queue string, a asking) received {
	m.t.Helper()
	if a.visibility != nil || a.attempt != nil {
		m.t.Fatal("MNS takes neither a visibility timeout nor an attempt id with a receive")
	}
	q := url.Values{}
	if a.max != nil {
		q.Set("numOfMessages", fmt.Sprint(*a.max))
	}
	if a.wait != nil && !a.peek {
		q.Set("waitseconds", fmt.Sprint(*a.wait))
	}
	if a.peek {
		q.Set("peekonly", "true")
	}
	got := received{reply: m.call(http.MethodGet, "/queues/"+queue+"/messages?"+q.Encode(), "")}
	if got.status != http.StatusOK {
		return got
	}
	doc, _ := parseXML(got.body)
	all := []element{doc}
	if doc.name() == "Messages" {
		all = doc.Kids
	}
	for _, e := range all {
		got.messages = append(got.messages, m.message(e))
	}
	return got
}

func (m mns) message(e element) message {
	got := message{
		id: e.at("MessageId"), handle: e.at("ReceiptHandle"), body: e.at("MessageBody"), md5: e.at("MessageBodyMD5"),
		names: e.names(), fields: map[string]string{}, system: map[string]string{},
	}
	for _, kid := range e.Kids {
		got.fields[kid.name()] = kid.Text
	}
	for _, p := range e.kid("SystemProperties").Kids {
		got.system[p.at("Name")] = p.at("Value")
	}
	for _, p := range e.kid("UserProperties").Kids {
		a := attribute{name: p.at("Name"), value: p.at("Value")}
		for kind, own := range mnsKinds {
			if own == p.at("Type") {
				a.kind = kind
			}
		}
		if a.kind == "Binary" {
			raw, err := base64.StdEncoding.DecodeString(a.value)
			if err != nil {
				m.t.Errorf("binary property %q: %v", a.value, err)
			}
			a.value = string(raw)
		}
		got.attributes = append(got.attributes, a)
	}
	slices.SortFunc(got.attributes, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	return got
}

func (m mns) remove(queue, handle string) reply {
	m.t.Helper()
	return m.call(http.MethodDelete, "/queues/"+queue+"/messages?ReceiptHandle="+url.PathEscape(handle), "")
}

func (m mns) removeBatch(queue string, handles ...string) batch {
	m.t.Helper()
	var b strings.Builder
	for _, h := range handles {
		b.WriteString(tag("ReceiptHandle", escaped(h)))
	}
	got := batch{reply: m.call(http.MethodDelete, "/queues/"+queue+"/messages", tag("ReceiptHandles", b.String()))}
	if got.code != "" {
		return got
	}
	got.entries = make([]entry, len(handles))
	if got.status == http.StatusNoContent {
		return got
	}
	doc, _ := parseXML(got.body)
	for _, e := range doc.Kids {
		i := slices.Index(handles, e.at("ReceiptHandle"))
		if i < 0 {
			m.t.Fatalf("BatchDeleteMessage names the handle %q", e.at("ReceiptHandle"))
		}
		got.entries[i].code, got.entries[i].text = e.at("ErrorCode"), e.at("ErrorMessage")
	}
	return got
}

func (m mns) change(queue, handle string, timeout int) changed {
	m.t.Helper()
	r := m.call(http.MethodPut, fmt.Sprintf("/queues/%s/messages?ReceiptHandle=%s&VisibilityTimeout=%d", queue, url.PathEscape(handle), timeout), "")
	doc, _ := parseXML(r.body)
	return changed{reply: r, handle: doc.at("ReceiptHandle"), visible: doc.at("NextVisibleTime")}
}
