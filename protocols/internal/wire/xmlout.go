package wire

import (
	"encoding/base64"
	"reflect"
)

// XMLEncoder compiles a function that appends the content of the XML element that a T is: its members as elements in
// the order of the fields, lists and Maps flattened, nothing for what is absent. Without members it appends nothing.
func XMLEncoder[T any]() func(b []byte, v *T) []byte {
	out := xmlContent(reflect.TypeFor[T]())
	return func(b []byte, v *T) []byte { return out(b, reflect.ValueOf(v).Elem()) }
}

// xmlContent returns a writer of what stands between the tags of an element.
func xmlContent(t reflect.Type) writer {
	switch {
	case isBytes(t):
		return func(b []byte, v reflect.Value) []byte { return base64.StdEncoding.AppendEncode(b, v.Bytes()) }
	case t.Kind() == reflect.Struct:
		return xmlStruct(t)
	case t.Kind() == reflect.Pointer:
		out := xmlContent(t.Elem())
		return func(b []byte, v reflect.Value) []byte { return out(b, v.Elem()) }
	case t.Kind() == reflect.String:
		return func(b []byte, v reflect.Value) []byte { return AppendXMLText(b, v.String()) }
	}
	return scalar(t)
}

func xmlStruct(t reflect.Type) writer {
	type member struct {
		index []int
		out   writer
	}
	var members []member
	for _, f := range fieldsOf(t) {
		members = append(members, member{f.index, xmlMember(f, t.FieldByIndex(f.index).Type)})
	}
	return func(b []byte, v reflect.Value) []byte {
		for i := range members {
			if f := v.FieldByIndex(members[i].index); !absent(f) {
				b = members[i].out(b, f)
			}
		}
		return b
	}
}

// xmlMember returns a writer of the element, or the elements, that a member is.
func xmlMember(f field, t reflect.Type) writer {
	name := f.query[0]
	switch {
	case isMap(t):
		return xmlEach(xmlElement(name, xmlEntry(t, f.key, f.value)))
	case t.Kind() == reflect.Slice && !isBytes(t):
		return xmlEach(xmlElement(name, xmlContent(t.Elem())))
	}
	return xmlElement(name, xmlContent(t))
}

func xmlEach(element writer) writer {
	return func(b []byte, v reflect.Value) []byte {
		for i := range v.Len() {
			b = element(b, v.Index(i))
		}
		return b
	}
}

func xmlEntry(t reflect.Type, key, value string) writer {
	k := xmlElement(key, xmlContent(t.Elem().Field(0).Type))
	v := xmlElement(value, xmlContent(t.Elem().Field(1).Type))
	return func(b []byte, entry reflect.Value) []byte {
		return v(k(b, entry.Field(0)), entry.Field(1))
	}
}

func xmlElement(name string, content writer) writer {
	open, end := "<"+name+">", "</"+name+">"
	return func(b []byte, v reflect.Value) []byte {
		return append(content(append(b, open...), v), end...)
	}
}
