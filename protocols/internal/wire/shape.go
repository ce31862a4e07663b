package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Map is a map of a wire language that keeps its order and, as it comes in, its repetitions.
type Map[V any] []Entry[V]

// Entry is one key of a Map with its value.
type Entry[V any] struct {
	Key   string
	Value V
}

// Get returns the value of a key, the last one if it is repeated.
func (m Map[V]) Get(key string) (value V, found bool) {
	for i := range m {
		if m[i].Key == key {
			value, found = m[i].Value, true
		}
	}
	return value, found
}

// entries marks the types that are Maps rather than lists.
func (Map[V]) entries() {}

var mapType = reflect.TypeFor[interface{ entries() }]()

// Malformed is returned by decoders for an input that is not of the expected types. Text is what the provider's
// deserialiser says about it, and empty where that is not known.
type Malformed struct{ Text string }

func (e *Malformed) Error() string { return "wire: malformed input: " + e.Text }

// field is one member of a shape.
type field struct {
	index      []int
	json       string
	plain      string   // its name in JSON that is rendered from the Query protocol
	query      []string // the first is written, all are read
	key, value string   // the element names of a Map
	cast       bool
}

// fieldsOf returns the members of a struct type; those of embedded structs belong to it. A shape that breaks the
// rules of this package is a bug of ours and panics when the program starts.
func fieldsOf(t reflect.Type) []field {
	var all []field
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			all = append(all, newField(f))
		}
	}
	return all
}

func newField(f reflect.StructField) field {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	fd := field{index: f.Index, json: name, plain: name, cast: options == "cast"}
	if plain, ok := strings.CutPrefix(options, "plain="); ok {
		fd.plain = plain
	}
	query := strings.Split(f.Tag.Get("query"), ",")
	if len(query) == 3 {
		fd.key, fd.value = query[1], query[2]
	}
	for _, n := range append(strings.Split(query[0], "|"), name) {
		if n != "" && n != "-" && !slices.Contains(fd.query, n) {
			fd.query = append(fd.query, n)
		}
	}
	if len(fd.query) == 0 || name == "" {
		panic(fmt.Sprintf("wire: field %s has no name", f.Name))
	}
	return fd
}

func isMap(t reflect.Type) bool { return t.Implements(mapType) }

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

func unsupported(t reflect.Type) string { return "wire: a shape may not have a " + t.String() }

// grow appends a zero element to a slice and returns it.
func grow(v reflect.Value) reflect.Value {
	n := v.Len()
	v.Grow(1)
	v.SetLen(n + 1)
	last := v.Index(n)
	last.SetZero()
	return last
}
