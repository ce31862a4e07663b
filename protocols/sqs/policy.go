package sqs

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/protocols/internal/wire"
	access "github.com/sluicemq/sluice/protocols/policy"
)

const notePolicy = "Policy"

// setPolicy notes an access policy as it was sent. One that own could not read, and whose denials would then count for
// nothing, is none.
func (d *draft) setPolicy(value string) error {
	if value == "" { // removes the policy (validated)
		d.setNote(notePolicy, nil)
		return nil
	}
	p, ok := parsePolicy(value)
	if !ok || len(value) > maxPolicy || len(p.statements) == 0 {
		return invalidValue(notePolicy) // Recorded 2025
	}
	if n := len(p.statements); n > maxStatements {
		refusal := overLimit
		if d.creating {
			refusal = invalidParameterValue
		}
		return refusal.say("%d statements were found in the submitted policy, max allowed is 20", n)
	}
	if _, err := access.ParseResource(value); err != nil {
		return invalidValue(notePolicy)
	}
	d.setNote(notePolicy, &value)
	return nil
}

// policy is an access policy in pieces: its members, and the statements among them.
type policy struct {
	object
	statements []jsontext.Value
}

func parsePolicy(text string) (policy, bool) {
	o, ok := parseObject([]byte(text))
	if !ok {
		return policy{}, false
	}
	if version, given := o.get("Version"); given && string(version) != `"2012-10-17"` && string(version) != `"2008-10-17"` {
		return policy{}, false
	}
	value, _ := o.get("Statement")
	if value.Kind() == '{' {
		return policy{o, []jsontext.Value{value}}, true
	}
	statements, ok := parseList(value)
	return policy{o, statements}, ok
}

// labelled returns the place of the statement with that label, or -1.
func (p policy) labelled(label string) int {
	return slices.IndexFunc(p.statements, func(value jsontext.Value) bool {
		o, _ := parseObject(value)
		sid, ok := o.text("Sid")
		return ok && sid == label
	})
}

// String writes the policy with its statements as a list, and its other members as they were.
func (p policy) String() string {
	b := []byte{'{'}
	for i, m := range p.object {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendJSONText(b, m.name), ':')
		if m.name == "Statement" {
			b = appendList(b, p.statements)
			continue
		}
		b = append(b, m.value...)
	}
	return string(append(b, '}'))
}

func appendList(b []byte, values []jsontext.Value) []byte {
	b = append(b, '[')
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, value...)
	}
	return append(b, ']')
}
