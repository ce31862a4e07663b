package wire

import (
	"cmp"
	"encoding/base64"
	"reflect"
	"slices"
	"strconv"
)

// JSONEncoder compiles a function that appends a T as JSON without white space: members in the order of their names,
// nothing for what is absent, empty lists and empty texts included. Booleans and integers are always there.
func JSONEncoder[T any]() func(b []byte, v *T) []byte {
	return jsonEncoder[T](jsonStyle{})
}

// PlainJSONEncoder compiles a function that appends a T the way the Query protocol renders its answers in JSON: what
// is absent is null, and Maps are lists of structures. (Seen in public integrations that translate XML answers.)
func PlainJSONEncoder[T any]() func(b []byte, v *T) []byte {
	return jsonEncoder[T](jsonStyle{plain: true})
}

func jsonEncoder[T any](s jsonStyle) func(b []byte, v *T) []byte {
	out := s.out(reflect.TypeFor[T](), "", "")
	return func(b []byte, v *T) []byte { return out(b, reflect.ValueOf(v).Elem()) }
}

type jsonStyle struct{ plain bool }

type writer func(b []byte, v reflect.Value) []byte

func (s jsonStyle) out(t reflect.Type, key, value string) writer {
	switch {
	case isMap(t) && s.plain:
		return s.outPairs(t, key, value)
	case isMap(t):
		return s.outMap(t)
	case isBytes(t):
		return writeBlob
	case t.Kind() == reflect.Slice:
		return s.outList(t)
	case t.Kind() == reflect.Struct:
		return s.outStruct(t)
	case t.Kind() == reflect.Pointer:
		out := s.out(t.Elem(), key, value)
		return func(b []byte, v reflect.Value) []byte { return out(b, v.Elem()) }
	case t.Kind() == reflect.String:
		return func(b []byte, v reflect.Value) []byte { return AppendJSONText(b, v.String()) }
	}
	return scalar(t)
}

// scalar writes what looks the same in JSON and in XML.
func scalar(t reflect.Type) writer {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }
	}
	panic(unsupported(t))
}

func (s jsonStyle) outStruct(t reflect.Type) writer {
	type member struct {
		index []int
		name  string // `"Name":`
		out   writer
	}
	var members []member
	for _, f := range fieldsOf(t) {
		name := f.json
		if s.plain {
			name = f.plain
		}
		out := s.out(t.FieldByIndex(f.index).Type, f.key, f.value)
		members = append(members, member{f.index, string(AppendJSONText(nil, name)) + ":", out})
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	return func(b []byte, v reflect.Value) []byte {
		comma := byte('{')
		for i := range members {
			m := &members[i]
			f := v.FieldByIndex(m.index)
			gone := absent(f)
			if gone && !s.plain {
				continue
			}
			b = append(append(b, comma), m.name...)
			comma = ','
			if gone {
				b = append(b, "null"...)
				continue
			}
			b = m.out(b, f)
		}
		if comma == '{' {
			b = append(b, '{')
		}
		return append(b, '}')
	}
}

// absent reports whether a member is left out of an answer. Bytes may be none and yet a value.
func absent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.String:
		return v.Len() == 0 && (!isBytes(v.Type()) || v.IsNil())
	case reflect.Pointer:
		return v.IsNil()
	}
	return false
}

func (s jsonStyle) outList(t reflect.Type) writer {
	out := s.out(t.Elem(), "", "")
	return func(b []byte, v reflect.Value) []byte {
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = out(b, v.Index(i))
		}
		return append(b, ']')
	}
}

func (s jsonStyle) outMap(t reflect.Type) writer {
	out := s.out(t.Elem().Field(1).Type, "", "")
	return func(b []byte, v reflect.Value) []byte {
		b = append(b, '{')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			entry := v.Index(i)
			b = append(AppendJSONText(b, entry.Field(0).String()), ':')
			b = out(b, entry.Field(1))
		}
		return append(b, '}')
	}
}

func (s jsonStyle) outPairs(t reflect.Type, key, value string) writer {
	out := s.out(t.Elem().Field(1).Type, "", "")
	opening := string(append(AppendJSONText([]byte(`{`), key), ':'))
	middle := string(append(AppendJSONText([]byte(`,`), value), ':'))
	return func(b []byte, v reflect.Value) []byte {
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			entry := v.Index(i)
			b = AppendJSONText(append(b, opening...), entry.Field(0).String())
			b = append(out(append(b, middle...), entry.Field(1)), '}')
		}
		return append(b, ']')
	}
}

func writeBlob(b []byte, v reflect.Value) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, v.Bytes())
	return append(b, '"')
}
