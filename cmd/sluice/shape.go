package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of a file. Those of aliases are of what a reader would see who writes them out: a page of aliases of aliases
// can stand for more than any memory holds.
const (
	maxFile     = 4 << 20   // bytes
	maxValues   = 1_000_000 // in the whole file
	maxDocument = 20_000    // in a value that stands for JSON
	maxKeys     = 1000      // of a section whose names are anybody's
)

var errUnknown = errors.New("unknown setting")

// shape holds what a file says against the settings that there are. It notes everything that cannot be read, with its
// line, and leaves it out of what it returns, so that the rest can be looked at all the same.
type shape struct {
	c       *config
	fitted  map[fitKey]*yaml.Node // what was looked at, but for entries, of which each has its line
	weights map[*yaml.Node]int    // see weigh
}

type fitKey struct {
	node *yaml.Node
	of   reflect.Type
}

// fit returns what can be read of a node, or nil.
func (s *shape) fit(n *yaml.Node, of reflect.Type, at place) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if n.ShortTag() == "!!null" {
		return n // as if it were left out
	}
	key := fitKey{n, of}
	if known, again := s.fitted[key]; again && at.section == "" {
		return known
	}
	fitted := s.fitKind(n, of, at)
	s.fitted[key] = fitted
	return fitted
}

func (s *shape) fitKind(n *yaml.Node, of reflect.Type, at place) *yaml.Node {
	_, list := reflect.Zero(of).Interface().(texts)
	switch {
	case of == reflect.TypeFor[document]():
		return s.document(n, at)
	case of == reflect.TypeFor[text](), list && n.Kind == yaml.ScalarNode:
		return s.kind(n, at, yaml.ScalarNode)
	case of.Kind() == reflect.Slice:
		return s.list(n, of, at)
	case of.Kind() == reflect.Map:
		return s.named(n, of, at)
	}
	return s.section(n, of, at)
}

// kind returns the node if it is of the kind, and notes what it is otherwise. The value is not told: it can be a secret in the
// wrong place, or all of a file that is no YAML.
func (s *shape) kind(n *yaml.Node, at place, want yaml.Kind) *yaml.Node {
	if n.Kind == want {
		return n
	}
	s.c.wrong(n.Line, at, fmt.Errorf("this is %s, want %s", inWords(n.Kind), inWords(want)))
	return nil
}

func inWords(k yaml.Kind) string {
	switch k {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a section"
	default:
		return "a single value"
	}
}

// list reads the elements of a list, those of a list of sections as the entries of their section.
func (s *shape) list(n *yaml.Node, of reflect.Type, at place) *yaml.Node {
	if s.kind(n, at, yaml.SequenceNode) == nil {
		return nil
	}
	entries := at.section != "" && at.index < 0
	list := *n
	list.Content = nil
	for i, each := range n.Content {
		if entries {
			at.index = i
			s.c.lines[at.section] = append(s.c.lines[at.section], each.Line)
		}
		fitted := s.fit(each, of.Elem(), at)
		if fitted != nil && fitted.ShortTag() == "!!null" {
			s.c.wrong(each.Line, at, errors.New("there is nothing in this place of the list"))
			fitted = nil
		}
		if fitted == nil && entries {
			fitted = &yaml.Node{Kind: yaml.MappingNode, Line: each.Line} // the others keep their places
		}
		if fitted != nil {
			list.Content = append(list.Content, fitted)
		}
	}
	return &list
}

// named reads a section whose names are anybody's, as those of tags are.
func (s *shape) named(n *yaml.Node, of reflect.Type, at place) *yaml.Node {
	if s.kind(n, at, yaml.MappingNode) == nil {
		return nil
	}
	if len(n.Content) > 2*maxKeys {
		s.c.wrong(n.Line, at, fmt.Errorf("there are %d names in this section, want up to %d", len(n.Content)/2, maxKeys))
		return nil
	}
	return s.pairs(n, of, at, func(string) (reflect.Type, error) { return of.Elem(), nil })
}

// section reads settings, and those that it takes over from elsewhere by <<.
func (s *shape) section(n *yaml.Node, of reflect.Type, at place) *yaml.Node {
	if s.kind(n, at, yaml.MappingNode) == nil {
		return nil
	}
	known := settingsOf(of)
	return s.pairs(n, of, at, func(name string) (reflect.Type, error) {
		t := known[name]
		if t != nil {
			return t, nil
		}
		if s.c.full() {
			return nil, errUnknown
		}
		if meant := nearest(name, slices.Sorted(maps.Keys(known))); meant != "" {
			return nil, fmt.Errorf("unknown setting %s, did you mean %s?", name, meant)
		}
		return nil, fmt.Errorf("unknown setting %s", name)
	})
}

// pairs reads the names and values of a section, each as what its name says.
func (s *shape) pairs(n *yaml.Node, of reflect.Type, at place, typeOf func(name string) (reflect.Type, error)) *yaml.Node {
	section := *n
	section.Content = nil
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		for name.Kind == yaml.AliasNode {
			name = name.Alias
		}
		if name.Kind != yaml.ScalarNode {
			s.c.wrong(name.Line, at, errors.New("the name of a setting has to be a single word"))
			continue
		}
		if line, twice := first[name.Value]; twice {
			s.c.wrong(name.Line, at, fmt.Errorf("%s is there twice, first in line %d", name.Value, line))
			continue
		}
		first[name.Value] = name.Line
		var fitted *yaml.Node
		if t, err := typeOf(name.Value); name.ShortTag() == "!!merge" {
			fitted = s.merged(value, of, at)
		} else if err != nil {
			s.c.wrong(name.Line, at, err)
		} else if of == reflect.TypeFor[config]() && isEntries(t) {
			fitted = s.fit(value, t, place{name.Value, -1})
		} else {
			fitted = s.fit(value, t, at)
		}
		if fitted != nil {
			section.Content = append(section.Content, name, fitted)
		}
	}
	return &section
}

// isEntries reports whether a setting is a list of sections.
func isEntries(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Slice && t != reflect.TypeFor[texts]()
}

// merged reads what << takes over: a section, or several of them.
func (s *shape) merged(n *yaml.Node, of reflect.Type, at place) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.SequenceNode {
		if n.Kind != yaml.MappingNode {
			return s.kind(n, at, yaml.MappingNode)
		}
		return s.fit(n, of, at)
	}
	list := *n
	list.Content = nil
	for _, each := range n.Content {
		if fitted := s.fit(each, of, at); fitted != nil && fitted.Kind == yaml.MappingNode {
			list.Content = append(list.Content, fitted)
		}
	}
	return &list
}

// document lets anything be that JSON can say.
func (s *shape) document(n *yaml.Node, at place) *yaml.Node {
	if !s.light(n, at, maxDocument) {
		return nil
	}
	var d document
	err := d.UnmarshalYAML(n)
	if err == nil {
		return n
	}
	texts := []string{err.Error()}
	if several, ok := errors.AsType[*yaml.TypeError](err); ok {
		texts = several.Errors
	}
	for _, each := range texts {
		line, text := lineIn(each)
		s.c.wrong(cmp.Or(line, n.Line), at, errors.New(text))
	}
	return nil
}

// light notes a node that stands for too much.
func (s *shape) light(n *yaml.Node, at place, bound int) bool {
	if s.weigh(n) <= bound {
		return true
	}
	s.c.wrong(n.Line, at, fmt.Errorf("there are more than %d values in this, with aliases written out", bound))
	return false
}

// weigh returns how many values a node has with all aliases written out, or more than any bound for one that is in itself.
func (s *shape) weigh(n *yaml.Node) int {
	if weight, known := s.weights[n]; known {
		return weight
	}
	s.weights[n] = maxValues + 1
	weight := 1
	if n.Kind == yaml.AliasNode {
		weight = s.weigh(n.Alias)
	}
	for _, each := range n.Content {
		weight = min(weight+s.weigh(each), maxValues+1)
	}
	s.weights[n] = weight
	return weight
}

// settingsOf are the fields of a struct by the names that they have in the file.
func settingsOf(of reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, tagged := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(options, "inline"):
			maps.Copy(fields, settingsOf(f.Type))
		case tagged:
			fields[name] = f.Type
		}
	}
	return fields
}
