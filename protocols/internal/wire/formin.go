package wire

import (
	"bytes"
	"encoding/base64"
	"reflect"
	"strconv"
)

// FormDecoder compiles a function that reads a form into a T. Lists and Maps are flattened: List.1, List.2, and
// Map.1.Name with Map.1.Value. Gaps in the numbering are closed. Accepted as well, since clients send it: List without
// a number for one element and members without a number for the only structure (boto 2, kombu, ex_aws), List= for an
// empty list (botocore), and the names of the JSON members (Java 2, aws-sdk-java-v2 issue 2524). Unknown parameters
// are ignored, of repeated ones the last counts. Returns *Malformed.
func FormDecoder[T any]() func(f Form, into *T) error {
	in := formStruct(reflect.TypeFor[T]())
	return func(f Form, into *T) error {
		_, err := in(f, 0, reflect.ValueOf(into).Elem())
		return err
	}
}

// formReader reads parameters whose names agree up to the segment that starts at byte `at`; a name that is shorter
// has ended. It reports whether they held anything for the value.
type formReader func(f Form, at int, v reflect.Value) (bool, error)

func formIn(t reflect.Type, key, value string) formReader {
	switch {
	case isMap(t):
		return formList(t, formEntry(t.Elem(), key, value))
	case isBytes(t):
		return formBlob
	case t.Kind() == reflect.Slice:
		return formList(t, formIn(t.Elem(), "", ""))
	case t.Kind() == reflect.Struct:
		return formStruct(t)
	case t.Kind() == reflect.Pointer:
		return formPointer(t)
	case t.Kind() == reflect.String:
		return formText
	case t.Kind() == reflect.Int:
		return formInt
	}
	panic(unsupported(t))
}

func (p parameter) ended(at int) bool { return at > len(p.name) }

func (p parameter) segment(at int) []byte {
	s, _, _ := bytes.Cut(p.name[at:], []byte{'.'})
	return s
}

// head returns how many of the first parameters have the same segment at that place.
func (f Form) head(at int) (segment []byte, n int) {
	segment = f[0].segment(at)
	for n = 1; n < len(f); n++ {
		if f[n].ended(at) || !bytes.Equal(f[n].segment(at), segment) {
			break
		}
	}
	return segment, n
}

// last returns the value of the last parameter whose name has ended.
func (f Form) last(at int) (value []byte, found bool) {
	for _, p := range f {
		if p.ended(at) {
			value, found = p.value, true
		}
	}
	return value, found
}

func formStruct(t reflect.Type) formReader {
	type member struct {
		index []int
		in    formReader
	}
	members := map[string]member{}
	for _, f := range fieldsOf(t) {
		m := member{f.index, formIn(t.FieldByIndex(f.index).Type, f.key, f.value)}
		for _, name := range f.query {
			members[name] = m
		}
	}
	return func(f Form, at int, v reflect.Value) (found bool, err error) {
		for len(f) > 0 {
			if f[0].ended(at) {
				f = f[1:]
				continue
			}
			found = true
			name, n := f.head(at)
			if m, known := members[string(name)]; known {
				if _, err := m.in(f[:n], at+len(name)+1, v.FieldByIndex(m.index)); err != nil {
					return true, err
				}
			}
			f = f[n:]
		}
		return found, nil
	}
}

// formEntry reads one entry of a Map, which is a structure with members of the given names.
func formEntry(t reflect.Type, key, value string) formReader {
	in := formIn(t.Field(1).Type, "", "")
	return func(f Form, at int, v reflect.Value) (found bool, err error) {
		for len(f) > 0 {
			if f[0].ended(at) {
				f = f[1:]
				continue
			}
			found = true
			name, n := f.head(at)
			switch string(name) {
			case key:
				_, err = formText(f[:n], at+len(name)+1, v.Field(0))
			case value:
				_, err = in(f[:n], at+len(name)+1, v.Field(1))
			}
			if err != nil {
				return true, err
			}
			f = f[n:]
		}
		return found, nil
	}
}

func formList(t reflect.Type, in formReader) formReader {
	scalars := t.Elem().Kind() != reflect.Struct
	return func(f Form, at int, v reflect.Value) (bool, error) {
		if v.IsNil() {
			v.Set(reflect.MakeSlice(t, 0, 4))
		}
		for len(f) > 0 {
			n, next := 1, at
			switch ended := f[0].ended(at); {
			case ended && len(f[0].value) == 0: // List= is an empty list
				f = f[1:]
				continue
			case !ended && isNumber(f[0].segment(at)):
				var number []byte
				number, n = f.head(at)
				next = at + len(number) + 1
			case !ended && scalars:
				return true, nil // List.Name means nothing where elements have no members
			case !ended:
				n = len(f)
			}
			if err := formElement(f[:n], next, v, in); err != nil {
				return true, err
			}
			f = f[n:]
		}
		return true, nil
	}
}

func formElement(f Form, at int, list reflect.Value, in formReader) error {
	found, err := in(f, at, grow(list))
	if !found {
		list.SetLen(list.Len() - 1)
	}
	return err
}

func formPointer(t reflect.Type) formReader {
	in := formIn(t.Elem(), "", "")
	return func(f Form, at int, v reflect.Value) (bool, error) {
		p := reflect.New(t.Elem())
		found, err := in(f, at, p.Elem())
		if found {
			v.Set(p)
		}
		return found, err
	}
}

func formText(f Form, at int, v reflect.Value) (bool, error) {
	value, found := f.last(at)
	if found {
		v.SetString(string(value))
	}
	return found, nil
}

func formInt(f Form, at int, v reflect.Value) (bool, error) {
	value, found := f.last(at)
	if !found {
		return false, nil
	}
	n, err := strconv.ParseInt(string(value), 10, 32)
	if err != nil {
		// UNVERIFIED: by analogy with JSON.
		return true, &Malformed{Text: "STRING_VALUE" + notConverted + "an Integer"}
	}
	v.SetInt(n)
	return true, nil
}

func formBlob(f Form, at int, v reflect.Value) (bool, error) {
	value, found := f.last(at)
	if !found {
		return false, nil
	}
	b, err := base64.StdEncoding.AppendDecode([]byte{}, value)
	if err != nil {
		return true, &Malformed{} // UNVERIFIED: by analogy with JSON
	}
	v.SetBytes(b)
	return true, nil
}
