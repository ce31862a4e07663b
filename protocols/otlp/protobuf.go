package otlp

import (
	"encoding/base64"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

var errProtobuf = malformed("the body is not an ExportTraceServiceRequest")

// field is one field of a message: text for the type of bytes, number for all others.
type field struct {
	number protowire.Number
	typ    protowire.Type
	text   []byte
	value  uint64
}

// fields calls a function for each field of a message. Groups, which the protocol does not have, are skipped.
func fields(b []byte, visit func(f *field) error) error {
	for len(b) > 0 {
		var f field
		var n int
		f.number, f.typ, n = protowire.ConsumeTag(b)
		if n < 0 {
			return errProtobuf
		}
		b = b[n:]
		if n = f.consume(b); n < 0 {
			return errProtobuf
		}
		b = b[n:]
		if err := visit(&f); err != nil {
			return err
		}
	}
	return nil
}

// consume reads a value and returns its length, or a negative number.
func (f *field) consume(b []byte) (n int) {
	switch f.typ {
	case protowire.BytesType:
		f.text, n = protowire.ConsumeBytes(b)
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(b)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(b)
	default:
		n = protowire.ConsumeFieldValue(f.number, f.typ, b)
	}
	return n
}

// is reports whether a field is a message, a text or bytes of a number.
func (f *field) is(n protowire.Number) bool { return f.number == n && f.typ == protowire.BytesType }

// protobufReader gathers the spans of a request.
type protobufReader struct {
	service, scope string
	spans          []*Span
	rejected       int
	objects        int
}

// readProtobuf reads an ExportTraceServiceRequest.
func readProtobuf(body []byte) ([]*Span, int, error) {
	r := &protobufReader{}
	err := fields(body, func(f *field) error {
		if f.is(1) {
			return r.resource(f.text)
		}
		return nil
	})
	return r.spans, r.rejected, err
}

// resource reads ResourceSpans. What it says about the resource may come after the spans.
func (r *protobufReader) resource(b []byte) error {
	r.service = ""
	err := fields(b, func(f *field) error {
		if !f.is(1) {
			return nil
		}
		attributes, err := attributesIn(f.text, 1)
		for _, a := range attributes {
			if a.Key == "service.name" {
				r.service = text(a.Value, maxName)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return fields(b, func(f *field) error {
		if f.is(2) {
			return r.scopeSpans(f.text)
		}
		return nil
	})
}

func (r *protobufReader) scopeSpans(b []byte) error {
	r.scope = ""
	err := fields(b, func(f *field) error {
		if !f.is(1) {
			return nil
		}
		return fields(f.text, func(f *field) error {
			if f.is(1) {
				r.scope = text(string(f.text), maxName)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return fields(b, func(f *field) error {
		if f.is(2) {
			return r.span(f.text)
		}
		return nil
	})
}

// span reads a Span, if it has valid ids.
func (r *protobufReader) span(b []byte) error {
	s := Span{Service: r.service, Scope: r.scope}
	if err := fields(b, s.identify); err != nil {
		return err
	}
	if !s.valid() {
		r.rejected++
		return nil
	}
	if err := fields(b, s.read); err != nil {
		return err
	}
	attributes, err := attributesIn(b, 9)
	if err != nil {
		return err
	}
	s.Attributes = attributes
	if r.objects += s.objects(); r.objects > maxObjects {
		return errTooLarge // two bytes can stand for an event
	}
	kept := s
	r.spans = append(r.spans, &kept)
	return nil
}

func (s *Span) identify(f *field) error {
	switch {
	case f.is(1) && len(f.text) == len(s.Trace):
		copy(s.Trace[:], f.text)
	case f.is(2) && len(f.text) == len(s.ID):
		copy(s.ID[:], f.text)
	case f.is(4) && len(f.text) == len(s.Parent):
		copy(s.Parent[:], f.text)
	}
	return nil
}

func (s *Span) read(f *field) error {
	switch {
	case f.is(5):
		s.Name = text(string(f.text), maxName)
	case f.number == 6 && f.typ == protowire.VarintType:
		s.Kind = kindOf(f.value)
	case f.number == 7 && f.typ == protowire.Fixed64Type:
		s.Start = instant(f.value)
	case f.number == 8 && f.typ == protowire.Fixed64Type:
		s.End = instant(f.value)
	default:
		return s.readPart(f)
	}
	return nil
}

// readPart reads what is a message of its own.
func (s *Span) readPart(f *field) error {
	switch {
	case f.is(11) && len(s.Events) < maxEvents:
		return s.event(f.text)
	case f.is(13) && len(s.Links) < maxLinks:
		return s.link(f.text)
	case f.is(15):
		return fields(f.text, s.status)
	}
	return nil
}

func (s *Span) status(f *field) error {
	switch {
	case f.is(2):
		s.Message = text(string(f.text), maxValue)
	case f.number == 3 && f.typ == protowire.VarintType:
		s.Failed = f.value == failedStatus
	}
	return nil
}

func (s *Span) event(b []byte) error {
	var e Event
	err := fields(b, func(f *field) error {
		switch {
		case f.number == 1 && f.typ == protowire.Fixed64Type:
			e.At = instant(f.value)
		case f.is(2):
			e.Name = text(string(f.text), maxName)
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.Attributes, err = attributesIn(b, 3)
	s.Events = append(s.Events, e)
	return err
}

func (s *Span) link(b []byte) error {
	var to Span
	err := fields(b, to.identify)
	if to.valid() {
		s.Links = append(s.Links, Link{to.Trace, to.ID})
	}
	return err
}

// attributesIn reads the fields of a number as attributes.
func attributesIn(b []byte, number protowire.Number) ([]Attribute, error) {
	var attributes []Attribute
	err := fields(b, func(f *field) error {
		if !f.is(number) || len(attributes) == maxAttributes {
			return nil
		}
		key, value, err := keyValue(f.text, 0)
		if err == nil && key != "" {
			attributes = append(attributes, Attribute{text(key, maxName), text(string(value), maxValue)})
		}
		return err
	})
	return attributes, err
}

// keyValue reads a KeyValue. Its value is not longer than a bit more than maxValue.
func keyValue(b []byte, depth int) (key string, value []byte, err error) {
	err = fields(b, func(f *field) error {
		switch {
		case f.is(1):
			key = string(f.text[:min(len(f.text), maxName+1)])
		case f.is(2):
			value, err = appendValue(nil, f.text, depth)
			return err
		}
		return nil
	})
	return key, value, err
}

// appendValue appends an AnyValue as text. A text within a list or map has quotes around it.
func appendValue(to, b []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return append(to, "..."...), nil
	}
	err := fields(b, func(f *field) (err error) {
		switch {
		case f.is(5):
			to, err = appendList(append(to, '['), f.text, depth, false)
			to = append(to, ']')
		case f.is(6):
			to, err = appendList(append(to, '{'), f.text, depth, true)
			to = append(to, '}')
		case f.typ == protowire.BytesType:
			to = appendText(to, f, depth > 0)
		default:
			to = appendNumber(to, f)
		}
		return err
	})
	return to, err
}

// appendText appends the text of a value, or its bytes.
func appendText(to []byte, f *field, quoted bool) []byte {
	text := f.text[:min(len(f.text), maxValue+1)]
	switch {
	case f.number == 7:
		return base64.StdEncoding.AppendEncode(to, text)
	case f.number == 1 && quoted:
		return strconv.AppendQuote(to, string(text))
	case f.number == 1:
		return append(to, text...)
	}
	return to
}

func appendNumber(to []byte, f *field) []byte {
	switch {
	case f.number == 2 && f.typ == protowire.VarintType:
		return strconv.AppendBool(to, f.value != 0)
	case f.number == 3 && f.typ == protowire.VarintType:
		return strconv.AppendInt(to, int64(f.value), 10)
	case f.number == 4 && f.typ == protowire.Fixed64Type:
		return strconv.AppendFloat(to, math.Float64frombits(f.value), 'g', -1, 64)
	}
	return to
}

// appendList appends the values of an ArrayValue or, with names, a KeyValueList, until the text is long enough.
func appendList(to, b []byte, depth int, named bool) ([]byte, error) {
	began := len(to)
	err := fields(b, func(f *field) (err error) {
		if !f.is(1) || len(to) > maxValue {
			return nil
		}
		if len(to) > began {
			to = append(to, ',')
		}
		if !named {
			to, err = appendValue(to, f.text, depth+1)
			return err
		}
		key, value, err := keyValue(f.text, depth+1)
		to = append(append(strconv.AppendQuote(to, key), ':'), value...)
		return err
	})
	return to, err
}
