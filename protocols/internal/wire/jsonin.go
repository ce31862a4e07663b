package wire

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"reflect"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// The texts of the deserialiser of the real service (transcribed by third parties, not recorded).
const (
	startOfMap   = "Start of structure or map found where not expected."
	startOfList  = "Start of list found where not expected"
	listInMap    = "Unrecognized collection type class java.lang.String"
	notConverted = " can not be converted to "
)

// JSONDecoder compiles a function that reads a JSON document into a T. It returns *Malformed for what is not one
// JSON object, or not of the types of T. Unknown members are ignored, null is the same as absence, of repeated
// members the last counts. A nil pointer in a Map stands for null; without pointers such entries are left out.
func JSONDecoder[T any]() func(doc []byte, into *T) error {
	in := jsonIn(reflect.TypeFor[T](), false)
	return func(doc []byte, into *T) error {
		r := readers.Get().(*reader)
		defer r.release()
		r.source = *bytes.NewBuffer(doc)
		r.Reset(&r.source, jsonOptions)
		if err := in(r, reflect.ValueOf(into).Elem()); err != nil {
			return err
		}
		if _, err := r.ReadToken(); !errors.Is(err, io.EOF) {
			return &Malformed{}
		}
		return nil
	}
}

// reader is a decoder that is used again and again. It accepts documents of a nesting of at most 10,000.
type reader struct {
	*jsontext.Decoder
	source  bytes.Buffer // a buffer, since the decoder then reads in place
	scratch []byte
}

// release drops the document and gives the reader back, unless one huge text has left it with a huge scratch.
func (r *reader) release() {
	r.source = bytes.Buffer{}
	r.Reset(&r.source)
	if cap(r.scratch) <= 64<<10 {
		readers.Put(r)
	}
}

var (
	readers     = sync.Pool{New: func() any { return &reader{Decoder: jsontext.NewDecoder(&bytes.Buffer{})} }}
	jsonOptions = jsontext.AllowDuplicateNames(true)
)

type jsonReader func(r *reader, v reflect.Value) error

func jsonIn(t reflect.Type, cast bool) jsonReader {
	switch {
	case isMap(t):
		return jsonInMap(t, cast)
	case isBytes(t):
		return readBlob
	case t.Kind() == reflect.Slice:
		return jsonInList(t, cast)
	case t.Kind() == reflect.Struct:
		return jsonInStruct(t)
	case t.Kind() == reflect.Pointer:
		return jsonInPointer(t, cast)
	case t.Kind() == reflect.String:
		return func(r *reader, v reflect.Value) error {
			s, err := r.text(cast)
			v.SetString(s)
			return err
		}
	case t.Kind() == reflect.Int:
		return readInt
	}
	panic(unsupported(t))
}

func jsonInPointer(t reflect.Type, cast bool) jsonReader {
	in := jsonIn(t.Elem(), cast)
	return func(r *reader, v reflect.Value) error {
		p := reflect.New(t.Elem())
		v.Set(p)
		return in(r, p.Elem())
	}
}

func jsonInStruct(t reflect.Type) jsonReader {
	type member struct {
		index []int
		in    jsonReader
	}
	members := map[string]member{}
	for _, f := range fieldsOf(t) {
		if f.json != "-" {
			members[f.json] = member{f.index, jsonIn(t.FieldByIndex(f.index).Type, f.cast)}
		}
	}
	return func(r *reader, v reflect.Value) error {
		return r.object(func() error {
			m, known := members[string(r.scratch)]
			if !known {
				return broken(r.SkipValue())
			}
			if r.PeekKind() == 'n' {
				return broken(r.SkipValue())
			}
			return m.in(r, v.FieldByIndex(m.index))
		})
	}
}

// object reads an object and calls member for each of its members, with the name in scratch.
func (r *reader) object(member func() error) error {
	if err := r.open('{'); err != nil {
		return err
	}
	for {
		if r.PeekKind() == '}' {
			_, err := r.ReadToken()
			return broken(err)
		}
		name, err := r.ReadValue()
		if err != nil {
			return broken(err)
		}
		if r.scratch, err = jsontext.AppendUnquote(r.scratch[:0], name); err != nil {
			return broken(err)
		}
		if err := member(); err != nil {
			return err
		}
	}
}

// open reads the start of an object or a list.
func (r *reader) open(want jsontext.Kind) error {
	switch got := r.PeekKind(); {
	case got == want:
		_, err := r.ReadToken()
		return broken(err)
	case got == '{':
		return &Malformed{Text: startOfMap}
	case got == '[':
		return &Malformed{Text: startOfList}
	}
	return &Malformed{} // a scalar, or no JSON at all; the text of the real service is not known
}

func jsonInList(t reflect.Type, cast bool) jsonReader {
	in := jsonIn(t.Elem(), cast)
	return func(r *reader, v reflect.Value) error {
		if err := r.open('['); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(t, 0, 4))
		for {
			switch r.PeekKind() {
			case ']':
				_, err := r.ReadToken()
				return broken(err)
			case 'n':
				if err := r.SkipValue(); err != nil {
					return broken(err)
				}
				continue
			}
			if err := in(r, grow(v)); err != nil {
				return err
			}
		}
	}
}

func jsonInMap(t reflect.Type, cast bool) jsonReader {
	value := t.Elem().Field(1).Type
	in := jsonIn(value, cast)
	return func(r *reader, v reflect.Value) error {
		v.Set(reflect.MakeSlice(t, 0, 4))
		return r.object(func() error {
			key, kind := string(r.scratch), r.PeekKind()
			if kind == 'n' {
				if value.Kind() == reflect.Pointer {
					grow(v).Field(0).SetString(key)
				}
				return broken(r.SkipValue())
			}
			if kind == '[' && value.Kind() != reflect.Struct {
				return &Malformed{Text: listInMap}
			}
			entry := grow(v)
			entry.Field(0).SetString(key)
			return in(r, entry.Field(1))
		})
	}
}

// text reads a string; with cast also a number or a boolean, as the text they stand for.
func (r *reader) text(cast bool) (string, error) {
	switch kind := r.PeekKind(); {
	case kind == '"':
		raw, err := r.ReadValue()
		if err != nil {
			return "", broken(err)
		}
		if bytes.IndexByte(raw, '\\') < 0 {
			return string(raw[1 : len(raw)-1]), nil
		}
		r.scratch, err = jsontext.AppendUnquote(r.scratch[:0], raw)
		return string(r.scratch), broken(err)
	case cast && (kind == '0' || kind == 't' || kind == 'f'):
		raw, err := r.ReadValue()
		return string(raw), broken(err)
	}
	return "", r.unexpected("a String")
}

func readBlob(r *reader, v reflect.Value) error {
	s, err := r.text(false)
	if err != nil {
		return err
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return &Malformed{} // UNVERIFIED: status and type by analogy with other type errors
	}
	v.SetBytes(b)
	return nil
}

// readInt reads a whole number; one that is written with a fraction of zero counts as whole.
func readInt(r *reader, v reflect.Value) error {
	if r.PeekKind() != '0' {
		return r.unexpected("an Integer")
	}
	raw, err := r.ReadValue()
	if err != nil {
		return broken(err)
	}
	n, err := strconv.ParseInt(string(raw), 10, 32)
	if err != nil {
		f, ferr := strconv.ParseFloat(string(raw), 64)
		if n = int64(int32(f)); ferr != nil || float64(n) != f {
			return &Malformed{Text: "NUMBER_VALUE" + notConverted + "an Integer"}
		}
	}
	v.SetInt(n)
	return nil
}

// unexpected names the value that stands where another type is expected.
func (r *reader) unexpected(want string) error {
	switch r.PeekKind() {
	case '{':
		return &Malformed{Text: startOfMap}
	case '[':
		return &Malformed{Text: startOfList}
	case '"':
		return &Malformed{Text: "STRING_VALUE" + notConverted + want}
	case '0':
		return &Malformed{Text: "NUMBER_VALUE" + notConverted + want}
	case 't':
		return &Malformed{Text: "TRUE_VALUE" + notConverted + want}
	case 'f':
		return &Malformed{Text: "FALSE_VALUE" + notConverted + want}
	}
	return &Malformed{}
}

// broken turns an error of the JSON reader into ours; nil stays nil.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return &Malformed{}
}
