// Package hocon reads the part of HOCON that configuration files of queue servers use: objects with and without braces,
// paths as keys, lists, quoted, triple-quoted and unquoted texts, comments. Objects that come twice are merged, other
// values replaced, as the format wants it.
//
// It does not read what needs other files or other values: includes are told to the caller, and a substitution such as
// ${PORT} or an addition with += is an error.
package hocon

import (
	"fmt"
	"strings"
)

// Bounds on what is read.
const (
	maxSize  = 1 << 20
	maxDepth = 64
)

// Value is a text, a list or an object.
type Value struct {
	Line   int // where it begins
	Text   string
	Quoted bool // the text, or a part of it, stands in quotes
	List   []*Value
	Object *Object // nil unless it is one
}

// Object has its fields in the order in which they came first.
type Object struct {
	Names  []string
	fields map[string]*Value
}

// Include is a file that the text asks for.
type Include struct {
	Line int
	What string // as it stands there, such as classpath("application.conf")
}

// Get returns the value at a path, or nil if there is none.
func (o *Object) Get(path ...string) *Value {
	var v *Value
	for _, name := range path {
		if o == nil {
			return nil
		}
		if v = o.fields[name]; v == nil {
			return nil
		}
		o = v.Object
	}
	return v
}

// put adds a value at a path, as the format wants it: objects are merged, everything else is replaced.
func (o *Object) put(path []string, v *Value) {
	name := path[0]
	have := o.fields[name]
	if len(path) > 1 {
		inner := &Object{fields: map[string]*Value{}}
		inner.put(path[1:], v)
		v = &Value{Line: v.Line, Object: inner}
	}
	if have == nil {
		o.Names = append(o.Names, name)
	}
	if have != nil && have.Object != nil && v.Object != nil {
		for _, name := range v.Object.Names {
			have.Object.put([]string{name}, v.Object.fields[name])
		}
		return
	}
	o.fields[name] = v
}

// Parse reads a text. Errors name the line.
func Parse(text string) (*Object, []Include, error) {
	if len(text) > maxSize {
		return nil, nil, fmt.Errorf("larger than %d bytes", maxSize)
	}
	p := &parser{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	p.blank()
	braces := p.take('{')
	o, err := p.object(braces, 0)
	if err != nil {
		return nil, nil, err
	}
	p.blank()
	if !p.end() {
		return nil, nil, p.errorf("%q after the end", p.peek())
	}
	return o, p.includes, nil
}
