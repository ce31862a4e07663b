package histories_test

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sluicemq/sluice/conformance/model"
)

// mnsWords are what MNS says for each refusal. Recorded is MessageNotExist; the others are documented.
var mnsWords = refusals{
	model.QueueMissing:      {"", 404, "QueueNotExist", "The queue name you provided is not exist."},
	model.DelayOutOfRange:   {"", 400, "InvalidArgument", "The value of DelaySeconds should between 0 and 604800 seconds."},
	model.PriorityRange:     {"", 400, "InvalidArgument", "The value of Priority should between 1 and 16."},
	model.GroupMissing:      {"", 400, "FifoMissingMessageGroupId", "MessageGroupId is required for a fifo queue."},
	model.MaxOutOfRange:     {"", 400, "InvalidArgument", "The value of numOfMessages should between 1 and 16."},
	model.TimeoutOutOfRange: {"", 400, "InvalidArgument", "The value of VisibilityTimeout should between 1 and 43200 seconds."},
	model.HandleInvalid:     {"", 400, "ReceiptHandleError", "The receipt handle you provide is not valid."},
	model.HandleExpired:     {"", 404, "MessageNotExist", "Message not exist."},
}

// mnsVoice sends raw requests of MNS.
type mnsVoice struct {
	*ledger
	doer
	host string // with which it connects
}

func (v *mnsVoice) rules() *model.Rules { return &model.MNS }

func (v *mnsVoice) provider() string { return "MNS" }

// element is an element of an answer.
type element struct {
	XMLName xml.Name
	Text    string    `xml:",chardata"`
	Kids    []element `xml:",any"`
}

func (e element) kid(name string) element {
	for _, k := range e.Kids {
		if k.XMLName.Local == name {
			return k
		}
	}
	return element{}
}

func (e element) at(name string) string { return e.kid(name).Text }

// call sends a request and returns the answer's document and, if it is an error, what it says.
func (v *mnsVoice) call(method, target, body string) (element, int, said) {
	r, err := http.NewRequest(method, "http://"+v.host+target, strings.NewReader(body))
	if err != nil {
		return element{}, 0, said{text: err.Error()}
	}
	r.Host = "1234567890123456.mns.cn-hangzhou.localhost"
	r.Header.Set("x-mns-version", "2015-06-06")
	answer, err := v.Do(r)
	if err != nil {
		return element{}, 0, said{text: err.Error()}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return element{}, 0, said{text: err.Error()}
	}
	var doc element
	if len(text) > 0 {
		if err := xml.Unmarshal(text, &doc); err != nil {
			return doc, 0, said{text: fmt.Sprintf("%v: %q", err, text)}
		}
	}
	if doc.XMLName.Local == "Error" {
		return doc, answer.StatusCode, said{status: answer.StatusCode, code: doc.at("Code"), text: doc.at("Message")}
	}
	return doc, answer.StatusCode, said{}
}

func (s said) nothing() bool { return s == said{} }

func (v *mnsVoice) refusal(s said, about ...string) model.Refusal {
	if s.nothing() {
		return model.None
	}
	return mnsWords.of(s, about...)
}

func tag(name, content string) string { return "<" + name + ">" + content + "</" + name + ">" }

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

var mnsKinds = map[string]string{"String": "STRING", "Number": "NUMBER", "Binary": "BINARY"}

func document(o outgoing) string {
	doc := tag("MessageBody", escaped(o.Body))
	if o.Delay != nil {
		doc += tag("DelaySeconds", fmt.Sprint(seconds(*o.Delay)))
	}
	if o.Priority != nil {
		doc += tag("Priority", fmt.Sprint(*o.Priority))
	}
	if o.Group != nil {
		doc += tag("MessageGroupId", escaped(*o.Group))
	}
	properties := ""
	for _, a := range o.attributes {
		value := a.value
		if a.kind == "Binary" {
			value = base64.StdEncoding.EncodeToString([]byte(value))
		}
		properties += tag("PropertyValue", tag("Name", escaped(a.name))+tag("Value", escaped(value))+tag("Type", mnsKinds[a.kind]))
	}
	if properties != "" {
		doc += tag("UserProperties", properties)
	}
	return tag("Message", doc)
}

func messages(queue string) string { return "/queues/" + queue + "/messages" }

func (v *mnsVoice) send(queue string, batch bool, all []outgoing) model.Sent {
	e := model.Sent{Queue: queue, Rules: &model.MNS}
	body := ""
	for i := range all {
		all[i].DedupID = nil // there is no such thing
		e.Messages = append(e.Messages, all[i].Outgoing)
		body += document(all[i])
	}
	if batch {
		body = tag("Messages", body)
	}
	doc, status, s := v.call(http.MethodPost, messages(queue), body)
	if e.Refused = v.refusal(s); e.Refused != model.None {
		return e
	}
	sent := doc.Kids
	if !batch {
		sent = []element{doc}
	}
	if status != http.StatusCreated || len(sent) != len(all) {
		v.Errorf("%d messages were sent and the answer is %d %+v", len(all), status, doc)
		return e
	}
	for i, m := range sent {
		if got, want := m.at("MessageBodyMD5"), bodyDigest(all[i].Body); got != want {
			v.Errorf("MessageBodyMD5 of %q is %s, want %s", all[i].Body, got, want)
		}
		e.Results = append(e.Results, model.SendResult{ID: plainID(m.at("MessageId")), Handle: m.at("ReceiptHandle")})
	}
	v.note(e.Results, all)
	return e
}

// bodyDigest is the digest of a body. Recorded 2022 to 2024 for messages without properties.
func bodyDigest(body string) string {
	sum := md5.Sum([]byte(body))
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}

func (v *mnsVoice) receive(queue string, a asking) model.Received {
	q := url.Values{}
	if a.max != nil {
		q.Set("numOfMessages", fmt.Sprint(*a.max))
	}
	if a.wait > 0 {
		q.Set("waitseconds", fmt.Sprint(a.wait))
	}
	e := model.Received{Queue: queue, Rules: &model.MNS, Max: a.max, Waited: a.wait > 0}
	e.Messages, e.Refused = v.fetch(queue, q)
	return e
}

func (v *mnsVoice) peek(queue string, most *int) model.Peeked {
	q := url.Values{"peekonly": {"true"}}
	if most != nil {
		q.Set("numOfMessages", fmt.Sprint(*most))
	}
	e := model.Peeked{Queue: queue, Rules: &model.MNS, Max: most}
	e.Messages, e.Refused = v.fetch(queue, q)
	return e
}

func (v *mnsVoice) fetch(queue string, q url.Values) ([]model.Seen, model.Refusal) {
	doc, status, s := v.call(http.MethodGet, messages(queue)+"?"+q.Encode(), "")
	refusal := v.refusal(s)
	if refusal == model.HandleExpired { // the same words say that there is no message, also to a batch. Recorded
		return nil, model.None
	}
	if refusal != model.None {
		return nil, refusal
	}
	all := doc.Kids
	if !q.Has("numOfMessages") {
		all = []element{doc}
	}
	if status != http.StatusOK || len(all) == 0 {
		v.Errorf("a receive without an error is answered with %d and %d messages", status, len(all))
	}
	var seen []model.Seen
	for _, m := range all {
		seen = append(seen, v.seen(m))
	}
	return seen, model.None
}

func (v *mnsVoice) seen(m element) model.Seen {
	s := model.Seen{
		ID: plainID(m.at("MessageId")), Handle: m.at("ReceiptHandle"), Body: m.at("MessageBody"), Group: m.at("MessageGroupId"),
		Receives: number(m.at("DequeueCount")), Priority: number(m.at("Priority")),
		Sent: millis(m.at("EnqueueTime")), First: millis(m.at("FirstDequeueTime")),
	}
	if s.Handle != "" {
		s.Next = millis(m.at("NextVisibleTime"))
	}
	if got, want := m.at("MessageBodyMD5"), bodyDigest(s.Body); got != want {
		v.Errorf("MessageBodyMD5 of %q is %s, want %s", s.Body, got, want)
	}
	var attributes []attribute
	for _, p := range m.kid("UserProperties").Kids {
		a := attribute{name: p.at("Name"), value: p.at("Value")}
		for kind, own := range mnsKinds {
			if own == p.at("Type") {
				a.kind = kind
			}
		}
		if a.kind == "Binary" {
			raw, err := base64.StdEncoding.DecodeString(a.value)
			if err != nil {
				v.Errorf("binary property %q: %v", a.value, err)
			}
			a.value = string(raw)
		}
		attributes = append(attributes, a)
	}
	v.check(s.ID, attributes)
	return s
}

func (v *mnsVoice) remove(queue string, batch bool, receipts []model.Receipt) []model.Deleted {
	out := make([]model.Deleted, len(receipts))
	body := ""
	for i, r := range receipts {
		out[i] = model.Deleted{Queue: queue, Rules: &model.MNS, Receipt: r}
		body += tag("ReceiptHandle", escaped(r.Handle))
	}
	if !batch {
		_, status, s := v.call(http.MethodDelete, messages(queue)+"?ReceiptHandle="+url.PathEscape(receipts[0].Handle), "")
		if out[0].Refused = v.refusal(s); s.nothing() && status != http.StatusNoContent {
			v.Errorf("a deletion without an error is answered with %d", status)
		}
		return out
	}
	v.removeBatch(queue, body, out)
	return out
}

// removeBatch fills in what became of each message of a batch.
func (v *mnsVoice) removeBatch(queue, body string, out []model.Deleted) {
	doc, status, s := v.call(http.MethodDelete, messages(queue), tag("ReceiptHandles", body))
	for i := range out {
		out[i].Refused = v.refusal(s)
	}
	failed := 0
	for i, f := range doc.Kids {
		if !s.nothing() {
			break
		}
		failed++
		at := len(out) - 1 // of a handle that was named twice the later one failed
		for at >= 0 && (out[at].Receipt.Handle != f.at("ReceiptHandle") || out[at].Refused != model.None) {
			at--
		}
		if at < 0 || status != http.StatusNotFound {
			v.Errorf("failure %d of a deletion is %+v", i, f)
			continue
		}
		whole := said{status: mnsStatus[f.at("ErrorCode")], code: f.at("ErrorCode"), text: f.at("ErrorMessage")}
		out[at].Refused = v.refusal(whole)
	}
	if s.nothing() && failed == 0 && status != http.StatusNoContent {
		v.Errorf("a deletion without failures is answered with %d", status)
	}
}

// mnsStatus are the statuses that errors have where they stand alone.
var mnsStatus = map[string]int{"ReceiptHandleError": 400, "MessageNotExist": 404}

// change has no batch: changes are made one by one.
func (v *mnsVoice) change(queue string, _ bool, changes []model.Changed) []model.Changed {
	out := slices.Clone(changes)
	for i := range out {
		c := &out[i]
		target := fmt.Sprintf("%s?ReceiptHandle=%s&VisibilityTimeout=%d", messages(queue), url.PathEscape(c.Receipt.Handle), seconds(c.Timeout))
		doc, status, s := v.call(http.MethodPut, target, "")
		if c.Refused = v.refusal(s); c.Refused == model.None {
			if status != http.StatusOK {
				v.Errorf("a change without an error is answered with %d", status)
			}
			c.Handle, c.Next = doc.at("ReceiptHandle"), millis(doc.at("NextVisibleTime"))
		}
	}
	return out
}

func (v *mnsVoice) counts(queue string) model.Counted {
	doc, _, s := v.call(http.MethodGet, "/queues/"+queue, "")
	c := model.Counted{Queue: queue, Refused: v.refusal(s)}
	if c.Refused == model.None {
		c.Visible, c.InFlight, c.Delayed = number(doc.at("ActiveMessages")), number(doc.at("InactiveMessages")), number(doc.at("DelayMessages"))
	}
	return c
}
