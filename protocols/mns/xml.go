package mns

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The layout of answers, recorded to the byte: the prologue with a space at its end, one namespace without a slash at
// its end (the Java client cannot read errors with one), a line for each element, two spaces for each level (the
// Python client fails on properties without white space between them), no line feed at the end.
const (
	prologue  = `<?xml version="1.0" ?>` + "\n"
	namespace = ` xmlns="http://mns.aliyuncs.com/doc/v1">` + "\n"
	indents   = "          "
)

// xmlCodec is the language of version 2015-06-06.
type xmlCodec struct{}

// Recorded, also for answers without a body.
var (
	xmlType   = []string{"text/xml;charset=utf-8"}
	xmlFormat = []string{"xml"}
)

func (xmlCodec) contentType() []string { return xmlType }
func (xmlCodec) format() []string      { return xmlFormat }
func (xmlCodec) malformed() *fault     { return errMalformedXML }

func (xmlCodec) read(raw []byte) (body, error) {
	root, err := readXML(string(raw))
	if err != nil {
		return nil, err
	}
	return root, nil
}

func (e *element) is(name string) bool { return e.name == name }

func (e *element) bind(p *plan, v reflect.Value) error {
	if e.name != p.root {
		return notInSchema(e.name)
	}
	return e.fill(p, v)
}

// fill gives the fields of a shape the values of the element's elements. Of several with one name the last counts.
func (e *element) fill(p *plan, v reflect.Value) error {
	for i := range p.body {
		f := &p.body[i]
		to := v.FieldByIndex(f.index)
		if f.list {
			if err := e.fillList(f, to); err != nil {
				return err
			}
			continue
		}
		kid := e.last(f.name)
		switch {
		case kid == nil:
		case f.texts:
			kid.fillTexts(to)
		case !setText(to, kid.text):
			return notInSchema(f.name)
		}
	}
	return nil
}

func (e *element) fillTexts(to reflect.Value) {
	texts := make(map[string]string, len(e.kids))
	for _, kid := range e.kids {
		texts[kid.name] = strings.Clone(kid.text)
	}
	to.Set(reflect.ValueOf(texts))
}

func (e *element) last(name string) *element {
	for i := len(e.kids) - 1; i >= 0; i-- {
		if e.kids[i].name == name {
			return &e.kids[i]
		}
	}
	return nil
}

func (e *element) fillList(f *field, to reflect.Value) error {
	if f.wrapper != "" {
		if e = e.last(f.wrapper); e == nil {
			return nil
		}
	}
	for i := range e.kids {
		if e.kids[i].name != f.name {
			continue
		}
		to.Grow(1)
		to.SetLen(to.Len() + 1)
		if err := e.kids[i].fillEntry(f, to.Index(to.Len()-1)); err != nil {
			return err
		}
	}
	return nil
}

func (e *element) fillEntry(f *field, to reflect.Value) error {
	if f.entry != nil {
		return e.fill(f.entry, to)
	}
	setText(to, e.text)
	return nil
}

func (xmlCodec) write(b []byte, p *plan, v reflect.Value) []byte {
	b = append(b, prologue+"<"...)
	b = append(b, p.root...)
	b = append(b, namespace...)
	b = appendFields(b, p, v, 1)
	return appendClose(b, p.root)
}

func appendFields(b []byte, p *plan, v reflect.Value, depth int) []byte {
	for i := range p.body {
		f := &p.body[i]
		from := v.FieldByIndex(f.index)
		switch {
		case f.inline:
			if !from.IsNil() {
				b = appendFields(b, f.entry, from.Elem(), depth)
			}
		case f.list:
			b = appendList(b, f, from, depth)
		case f.omit && from.IsZero():
		default:
			b = appendOpen(b, f.name, depth)
			b = appendValue(b, from)
			b = append(appendClose(b, f.name), '\n')
		}
	}
	return b
}

func appendList(b []byte, f *field, v reflect.Value, depth int) []byte {
	if v.Len() == 0 {
		return b
	}
	at := depth
	if f.wrapper != "" {
		b = append(appendOpen(b, f.wrapper, depth), '\n')
		at++
	}
	for i := range v.Len() {
		b = append(appendOpen(b, f.name, at), '\n')
		b = appendFields(b, f.entry, v.Index(i), at+1)
		b = append(b, indents[:2*at]...)
		b = append(appendClose(b, f.name), '\n')
	}
	if f.wrapper != "" {
		b = append(b, indents[:2*depth]...)
		b = append(appendClose(b, f.wrapper), '\n')
	}
	return b
}

func appendOpen(b []byte, name string, depth int) []byte {
	b = append(b, indents[:2*depth]...)
	b = append(b, '<')
	b = append(b, name...)
	return append(b, '>')
}

func appendClose(b []byte, name string) []byte {
	b = append(b, '<', '/')
	b = append(b, name...)
	return append(b, '>')
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return b
		}
		return appendValue(b, v.Elem())
	case reflect.Bool:
		return append(b, formatFlag(v.Bool())...)
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	}
	return appendText(b, v.String())
}

// plain are the bytes that stand for themselves in a text; those of characters beyond ASCII are looked at.
var plain = func() (t [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		t[c] = c != '&' && c != '<' && c != '>'
	}
	t['\n'], t['\t'] = true, true
	return t
}()

// appendText escapes what text must not contain, and no quotes: a recorded body has the recorded Content-Length only
// with raw ones.
func appendText(b []byte, text string) []byte {
	done := 0
	for at := 0; at < len(text); {
		if plain[text[at]] {
			at++
			continue
		}
		escape, size := escapeAt(text[at:])
		if escape != "" {
			b = append(b, text[done:at]...)
			b = append(b, escape...)
			done = at + size
		}
		at += size
	}
	return append(b, text[done:]...)
}

// escapeAt returns how the first character of a text is written, "" for as it is, and its size. A carriage return is a
// reference, since a parser would make a line feed of it. Characters that XML forbids cannot come from this API, but
// through another they may: one of them must not make a message unreadable for good, so they become U+FFFD.
func escapeAt(text string) (escape string, size int) {
	switch text[0] {
	case '&':
		return "&amp;", 1
	case '<':
		return "&lt;", 1
	case '>':
		return "&gt;", 1
	case '\r':
		return "&#xD;", 1
	}
	char, size := utf8.DecodeRuneInString(text)
	if char < ' ' || char == utf8.RuneError && size == 1 || char == 0xFFFE || char == 0xFFFF {
		return "\uFFFD", size
	}
	return "", size
}
