package control

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// aliasAnswer writes an answer in one of three forms: the XML of the Query protocol, by default; the same as JSON, with
// a list only where there are several of a name, as LocalStack makes it of the XML; and the JSON protocol's own.
type aliasAnswer struct {
	w    http.ResponseWriter
	form aliasForm
}

type aliasForm uint8

const (
	inXML aliasForm = iota
	inTreeJSON
	inAmazonJSON
)

func newAliasAnswer(w http.ResponseWriter, r *http.Request) *aliasAnswer {
	a := &aliasAnswer{w: w}
	switch {
	case isAmazonJSON(r):
		a.form = inAmazonJSON
	case strings.Contains(r.Header.Get("Accept"), "json"):
		a.form = inTreeJSON
	}
	return a
}

// element is a node of XML: it has text or children.
type element struct {
	name     string
	text     string
	children []element
}

func leaf(name, text string) element { return element{name: name, text: text} }

const xmlns = "http://queue.amazonaws.com/doc/2012-11-05/"

// requestID stands in every answer. There is no request of the provider to name.
const requestID = "00000000-0000-0000-0000-000000000000"

func (a *aliasAnswer) messages(list []core.Seen) {
	if a.form == inAmazonJSON {
		a.amazonMessages(list)
		return
	}
	result := element{name: "ReceiveMessageResult"}
	for i := range list {
		result.children = append(result.children, messageElement(&list[i]))
	}
	a.write(http.StatusOK, element{name: "ReceiveMessageResponse", children: []element{
		result, {name: "ResponseMetadata", children: []element{leaf("RequestId", requestID)}},
	}})
}

func messageElement(m *core.Seen) element {
	e := element{name: "Message", children: []element{
		leaf("MessageId", uuid(m.ID)), leaf("ReceiptHandle", aliasReceipt), leaf("MD5OfBody", m.Digest.String()),
		leaf("Body", m.Body),
	}}
	for _, pair := range aliasAttributes(m) {
		e.children = append(e.children, element{name: "Attribute", children: []element{leaf("Name", pair[0]), leaf("Value", pair[1])}})
	}
	if digest := attributesDigest(m.Attributes); digest != nil {
		e.children = append(e.children, leaf("MD5OfMessageAttributes", *digest))
	}
	for i := range m.Attributes {
		member, value := attributeValue(&m.Attributes[i])
		e.children = append(e.children, element{name: "MessageAttribute", children: []element{
			leaf("Name", m.Attributes[i].Name),
			{name: "Value", children: []element{leaf(member, value), leaf("DataType", dataType(&m.Attributes[i]))}},
		}})
	}
	return e
}

func (a *aliasAnswer) fail(status int, code, message string) {
	if a.form == inAmazonJSON {
		short := code[strings.LastIndexByte(code, '.')+1:]
		if short == "NonExistentQueue" {
			short = "QueueDoesNotExist"
		}
		a.w.Header().Set("x-amzn-query-error", code+";Sender")
		a.json(status, "application/x-amz-json-1.0", map[string]string{"__type": "com.amazonaws.sqs#" + short, "message": message})
		return
	}
	a.write(status, element{name: "ErrorResponse", children: []element{
		{name: "Error", children: []element{leaf("Type", "Sender"), leaf("Code", code), leaf("Message", message), leaf("Detail", "")}},
		leaf("RequestId", requestID),
	}})
}

func (a *aliasAnswer) write(status int, e element) {
	if a.form == inTreeJSON {
		a.json(status, "application/json", map[string]any{e.name: e.tree()})
		return
	}
	b := append([]byte("<?xml version='1.0' encoding='utf-8'?>\n<"), e.name...)
	b = append(b, ` xmlns="`+xmlns+`">`...)
	for i := range e.children {
		b = e.children[i].append(b)
	}
	b = append(b, "</"+e.name+">"...)
	a.w.Header().Set("Content-Type", "text/xml")
	a.w.WriteHeader(status)
	_, _ = a.w.Write(b)
}

func (e *element) append(b []byte) []byte {
	b = append(b, "<"+e.name+">"...)
	b = wire.AppendXMLText(b, e.text)
	for i := range e.children {
		b = e.children[i].append(b)
	}
	return append(b, "</"+e.name+">"...)
}

// tree is an element as JSON.
func (e *element) tree() any {
	if len(e.children) == 0 && e.name != "ReceiveMessageResult" {
		return e.text
	}
	tree := map[string]any{}
	for i := range e.children {
		c := &e.children[i]
		switch known := tree[c.name].(type) {
		case nil:
			tree[c.name] = c.tree()
		case []any:
			tree[c.name] = append(known, c.tree())
		default:
			tree[c.name] = []any{known, c.tree()}
		}
	}
	return tree
}

type amazonMessage struct {
	MessageID       string                     `json:"MessageId"`
	ReceiptHandle   string                     `json:"ReceiptHandle"`
	BodyDigest      string                     `json:"MD5OfBody"`
	Body            string                     `json:"Body"`
	Attributes      map[string]string          `json:"Attributes"`
	AttributeDigest *string                    `json:"MD5OfMessageAttributes,omitzero"`
	Values          map[string]amazonAttribute `json:"MessageAttributes,omitempty"`
}

type amazonAttribute map[string]string

func (a *aliasAnswer) amazonMessages(list []core.Seen) {
	out := struct {
		Messages []amazonMessage `json:"Messages"`
	}{make([]amazonMessage, len(list))}
	for i := range list {
		m := &list[i]
		o := amazonMessage{
			MessageID: uuid(m.ID), ReceiptHandle: aliasReceipt, BodyDigest: m.Digest.String(), Body: m.Body,
			Attributes: map[string]string{}, AttributeDigest: attributesDigest(m.Attributes), Values: map[string]amazonAttribute{},
		}
		for _, pair := range aliasAttributes(m) {
			o.Attributes[pair[0]] = pair[1]
		}
		for j := range m.Attributes {
			member, value := attributeValue(&m.Attributes[j])
			o.Values[m.Attributes[j].Name] = amazonAttribute{"DataType": dataType(&m.Attributes[j]), member: value}
		}
		out.Messages[i] = o
	}
	a.json(http.StatusOK, "application/x-amz-json-1.0", &out)
}

func (a *aliasAnswer) json(status int, mediaType string, v any) {
	body, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil { // texts of the store are UTF-8, so it cannot be
		status, body = http.StatusInternalServerError, []byte("{}")
	}
	a.w.Header().Set("Content-Type", mediaType)
	a.w.WriteHeader(status)
	_, _ = a.w.Write(body)
}
