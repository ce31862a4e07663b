package migration

import (
	"errors"
	"fmt"
)

// verdict is whether a condition holds, or why that cannot be known.
type verdict struct {
	holds bool
	err   error
}

// condition decides a condition of the section Conditions, each only once.
func (t *template) condition(name string, depth int) (bool, error) {
	if v, known := t.decided[name]; known {
		return v.holds, v.err
	}
	given, ok := t.conditions[name]
	if !ok {
		return false, fmt.Errorf("there is no condition %s", name)
	}
	t.decided[name] = verdict{err: fmt.Errorf("condition %s is made of itself", name)} // until it is decided
	holds, err := t.test(given, depth+1)
	t.decided[name] = verdict{holds, err}
	return holds, err
}

// test decides what a condition is made of.
func (t *template) test(v any, depth int) (bool, error) {
	if depth > maxNesting {
		return false, fmt.Errorf("more than %d functions in each other", maxNesting)
	}
	fields, _ := v.(map[string]any)
	if name, ok := fields["Condition"].(string); ok && len(fields) == 1 {
		return t.condition(name, depth+1)
	}
	name, argument, _ := function(fields)
	list, _ := argument.([]any)
	if name == "" {
		return false, errors.New("a condition is made of Fn::Equals, Fn::And, Fn::Or, Fn::Not and Condition")
	}
	if len(list) == 0 {
		return false, fmt.Errorf("%s wants a list", name)
	}
	switch name {
	case "Fn::Equals":
		return t.equal(list, depth+1)
	case "Fn::Not":
		holds, err := t.test(list[0], depth+1)
		return !holds, err
	case "Fn::And":
		return t.decide(list, false, depth+1)
	case "Fn::Or":
		return t.decide(list, true, depth+1)
	}
	return false, fmt.Errorf("%s cannot be decided", name)
}

// equal compares as CloudFormation does, to which every scalar is a text.
func (t *template) equal(list []any, depth int) (bool, error) {
	var texts [2]string
	if len(list) != len(texts) {
		return false, fmt.Errorf("Fn::Equals has %d values, want %d", len(list), len(texts))
	}
	for i, v := range list {
		r, err := t.resolve(v, depth)
		if err != nil {
			return false, err
		}
		if texts[i], err = single(r); err != nil {
			texts[i] = textOf(r)
		}
	}
	return texts[0] == texts[1], nil
}

// decide finds the first that decides: one that does not hold for Fn::And, and one that does for Fn::Or. One that cannot be
// known does not matter then.
func (t *template) decide(list []any, decisive bool, depth int) (bool, error) {
	var unknown error
	for _, each := range list {
		holds, err := t.test(each, depth)
		if err == nil && holds == decisive {
			return decisive, nil
		}
		unknown = errors.Join(unknown, err)
	}
	return !decisive, unknown
}
