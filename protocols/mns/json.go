package mns

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

const jsonVersion = "2026-04-09"

// JSON returns the dialect of version 2026-04-09, the provider's data plane with JSON bodies: the operations on
// messages, and no others. It has to be asked before XML, which takes every version on its paths.
//
// What is known of it comes from the provider's client libraries of June 2026: no traffic of it is public.
func JSON(site *protocols.Site) protocols.Dialect {
	d := &dialect{
		name: "mns-json", version: []string{jsonVersion}, codec: jsonCodec{}, host: regionalNamespaceOf,
		router: newRouter(dataPlane()), broker: site.Broker(rulesOf(site)), site: site, policies: newPolicies(site),
	}
	return &jsonDialect{d}
}

// jsonDialect differs from the other version in what it claims.
type jsonDialect struct{ *dialect }

// Claims goes by the version header alone: methods, paths and queries are those of the other version.
func (d *jsonDialect) Claims(r *http.Request) bool {
	return r.Header.Get("X-Mns-Version") == jsonVersion && !speaksSQS(r)
}

// dataPlane are the operations on messages.
func dataPlane() []operation {
	var table []operation
	for _, o := range operations {
		if strings.HasSuffix(o.path, "/messages") {
			table = append(table, o)
		}
	}
	return table
}

// jsonCodec is the language of version 2026-04-09. Members are called as the elements of the other version are. A list
// is the one member of its body, named as the other version's root element; properties are an object by name instead
// of a list.
type jsonCodec struct{}

var (
	jsonType   = []string{"application/json"}
	jsonFormat = []string{"json"}

	// UNVERIFIED: by analogy with MalformedXML.
	errMalformedJSON = &fault{http.StatusBadRequest, "MalformedJSON", "The JSON you provided was not well-formed."}
)

func (jsonCodec) contentType() []string { return jsonType }
func (jsonCodec) format() []string      { return jsonFormat }
func (jsonCodec) malformed() *fault     { return errMalformedJSON }

// jsonBody is a body as a tree of elements. Its root has no name.
type jsonBody struct{ element }

// is goes by the list in the body: other structures have no name on the wire.
func (b *jsonBody) is(name string) bool { return b.entriesOf(name) != nil }

func (b *jsonBody) entriesOf(name string) *element {
	if kid := b.last(name); kid != nil && kid.list {
		return kid
	}
	return nil
}

func (jsonCodec) read(raw []byte) (body, error) {
	r := jsonReader{Decoder: jsontext.NewDecoder(bytes.NewReader(raw))}
	if r.PeekKind() != '{' {
		return nil, errMalformedJSON
	}
	b := &jsonBody{}
	if err := r.value(&b.element, 1); err != nil {
		return nil, errMalformedJSON
	}
	if _, err := r.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errMalformedJSON
	}
	return b, nil
}

// jsonReader reads values as elements.
type jsonReader struct {
	*jsontext.Decoder
	seen int
}

// value reads a value into an element. Members that are null are left out, as if they were absent.
func (r *jsonReader) value(e *element, depth int) error {
	if r.seen++; r.seen > maxTags || depth > maxDepth {
		return errMalformedJSON
	}
	token, err := r.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		return r.members(e, depth)
	case '[':
		e.list = true
		return r.entries(e, depth)
	default:
		e.text = token.String()
		return nil
	}
}

func (r *jsonReader) members(e *element, depth int) error {
	for r.PeekKind() != '}' {
		name, err := r.ReadToken()
		if err != nil {
			return err
		}
		kid := element{name: name.String()}
		if r.PeekKind() == 'n' {
			err = r.SkipValue()
		} else {
			err = r.value(&kid, depth+1)
			e.kids = append(e.kids, kid)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.ReadToken()
	return err
}

// entries reads the entries of a list. Each is named as the list without its plural: those of Messages are a Message.
func (r *jsonReader) entries(e *element, depth int) error {
	name := strings.TrimSuffix(e.name, "s")
	for r.PeekKind() != ']' {
		kid := element{name: name}
		if err := r.value(&kid, depth+1); err != nil {
			return err
		}
		e.kids = append(e.kids, kid)
	}
	_, err := r.ReadToken()
	return err
}

func (b *jsonBody) bind(p *plan, v reflect.Value) error {
	e := b.entriesOf(p.root)
	if e == nil {
		e = &b.element
	}
	e.unfold(p)
	return e.fill(p, v)
}

// unfold makes the properties of an object into a list.
func (e *element) unfold(p *plan) {
	for i := range p.body {
		f := &p.body[i]
		for k := range e.kids {
			kid := &e.kids[k]
			switch {
			case f.wrapper != "" && kid.name == f.wrapper:
				for n := range kid.kids {
					kid.kids[n] = kid.kids[n].property(f.name)
				}
			case f.wrapper == "" && f.list && f.entry != nil && kid.name == f.name:
				kid.unfold(f.entry)
			}
		}
	}
}

// property returns {DataType, StringValue, BinaryValue} under a name as {Name, Value, Type}.
func (e *element) property(entry string) element {
	p := element{name: entry, kids: []element{{name: "Name", text: e.name}}}
	kind := ""
	if kid := e.last("DataType"); kid != nil {
		kind = kid.text
		p.kids = append(p.kids, element{name: "Type", text: kind})
	}
	if kid := e.last(valueOf(kind)); kid != nil {
		p.kids = append(p.kids, element{name: "Value", text: kid.text})
	}
	return p
}

// valueOf names the member that holds a property's value. Binary values are base64 in both versions.
func valueOf(kind string) string {
	if kind == typeNames[core.Binary] {
		return "BinaryValue"
	}
	return "StringValue"
}

func (jsonCodec) write(b []byte, p *plan, v reflect.Value) []byte {
	return append(appendMembers(append(b, '{'), p, v), '}')
}

// appendMembers appends the fields of a shape that are not empty.
func appendMembers(b []byte, p *plan, v reflect.Value) []byte {
	for i := range p.body {
		f := &p.body[i]
		from := v.FieldByIndex(f.index)
		if from.IsZero() && (f.omit || f.list) {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		name := f.name
		switch {
		case f.wrapper != "":
			name = f.wrapper
		case f.list:
			name += "s"
		}
		b = append(wire.AppendJSONText(b, name), ':')
		b = appendMember(b, f, from)
	}
	return b
}

func appendMember(b []byte, f *field, v reflect.Value) []byte {
	switch {
	case f.wrapper != "":
		return appendProperties(b, v.Interface().([]property))
	case f.list:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendMembers(append(b, '{'), f.entry, v.Index(i)), '}')
		}
		return append(b, ']')
	case v.Kind() == reflect.String:
		return wire.AppendJSONText(b, v.String())
	}
	return strconv.AppendInt(b, v.Int(), 10)
}

func appendProperties(b []byte, properties []property) []byte {
	for i, p := range properties {
		b = append(b, "{,"[min(i, 1)])
		b = append(wire.AppendJSONText(b, p.Name), `:{"DataType":`...)
		b = append(wire.AppendJSONText(b, p.Type), ',')
		b = append(wire.AppendJSONText(b, valueOf(p.Type)), ':')
		b = append(wire.AppendJSONText(b, *p.Value), '}')
	}
	return append(b, '}')
}
