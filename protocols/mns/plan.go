package mns

import (
	"fmt"
	"reflect"
	"strings"
)

// plan is what the codecs know of a shape: the names of its fields on the wire and how to reach them. Plans are made
// when the program starts; a tag that makes no sense panics there.
type plan struct {
	root     string // of the body; "" for a shape without one
	optional bool   // a request may come without its body
	line     []field
	body     []field
}

// source is the part of a request or an answer that a field stands in.
type source uint8

const (
	inPath source = iota
	inQuery
	inHeader
	inBody
)

// field is one tagged field of a shape.
type field struct {
	source  source
	name    string
	wrapper string // lists: the element around the entries, or ""
	list    bool
	texts   bool  // a map of the texts of all elements in the field's own
	inline  bool  // a pointer to a shape whose fields stand in this one's place
	omit    bool  // left out of answers when it is empty
	index   []int // as reflect.Value.FieldByIndex takes it
	entry   *plan // of a list's entries or of an inline shape; nil for texts
}

var sources = map[string]source{"path": inPath, "query": inQuery, "header": inHeader, "xml": inBody}

func planOf[T any]() *plan {
	p := &plan{}
	p.scan(reflect.TypeFor[T](), nil)
	return p
}

// scan adds the fields of a struct, and in their place those of the structs it embeds.
func (p *plan) scan(t reflect.Type, at []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(at[:len(at):len(at)], i)
		if sf.Anonymous {
			p.scan(sf.Type, index)
			continue
		}
		if root, ok := sf.Tag.Lookup("root"); ok {
			name, option, _ := strings.Cut(root, ",")
			p.root, p.optional = name, option == "optional"
		}
		for key, from := range sources {
			if tag, ok := sf.Tag.Lookup(key); ok {
				p.add(fieldOf(sf.Type, from, tag, index))
			}
		}
	}
}

func (p *plan) add(f field) {
	if f.source == inBody {
		p.body = append(p.body, f)
		return
	}
	p.line = append(p.line, f)
}

func fieldOf(t reflect.Type, from source, tag string, index []int) field {
	name, option, _ := strings.Cut(tag, ",")
	f := field{source: from, name: name, inline: option == "inline", omit: option == "omitempty", index: index}
	if wrapper, entry, ok := strings.Cut(name, ">"); ok {
		f.wrapper, f.name = wrapper, entry
	}
	f.list, f.texts = t.Kind() == reflect.Slice, t.Kind() == reflect.Map
	if f.list || f.inline {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		f.entry = &plan{}
		f.entry.scan(t, nil)
	}
	return f
}

// setText gives a field the value that a text stands for and reports whether it stands for one.
func setText(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.Pointer:
		to := reflect.New(v.Type().Elem())
		if !setText(to.Elem(), text) {
			return false
		}
		v.Set(to)
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		value, ok := parseFlag(text)
		if !ok {
			return false
		}
		v.SetBool(value)
	case reflect.Int, reflect.Int64:
		value, ok := parseNumber(text)
		if !ok {
			return false
		}
		v.SetInt(value)
	default:
		panic(fmt.Sprintf("mns: a shape has a field of type %s", v.Type()))
	}
	return true
}

// setBeyond gives a number that was given as no number a value that no range contains.
func setBeyond(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		to := reflect.New(v.Type().Elem())
		setBeyond(to.Elem())
		v.Set(to)
	case reflect.Int, reflect.Int64:
		v.SetInt(beyond)
	}
}
