package sqs

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Policies are JSON texts inside of attributes. They are kept as they were sent, so they are read in pieces.

// member is one member of a JSON object, its value as it was written.
type member struct {
	name  string
	value jsontext.Value
}

type object []member

// parseObject reads a text that is one JSON object.
func parseObject(text []byte) (object, bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(slices.Clone(text)))
	start, err := d.ReadToken()
	if err != nil || start.Kind() != '{' {
		return nil, false
	}
	members := object{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return nil, false
		}
		m := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		m.value = slices.Clone(value)
		members = append(members, m)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	_, err = d.ReadToken()
	return members, errors.Is(err, io.EOF)
}

// parseList reads a text that is one JSON list.
func parseList(text []byte) ([]jsontext.Value, bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(slices.Clone(text)))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '[' {
		return nil, false
	}
	var values []jsontext.Value
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		values = append(values, slices.Clone(value))
	}
	return values, true
}

func (o object) get(name string) (jsontext.Value, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// text returns the text of a member that is a JSON string.
func (o object) text(name string) (string, bool) {
	value, ok := o.get(name)
	if !ok || value.Kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err == nil
}

// sameJSON reports whether two texts are the same JSON value, written in whatever way.
func sameJSON(a, b string) bool {
	x, y := jsontext.Value(a), jsontext.Value(b)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}
