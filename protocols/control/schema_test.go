package control_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/sluicemq/sluice/protocols/control"
)

// schemas reads so much of JSON Schema as openapi.json uses, and refuses what it does not know.
type schemas struct {
	doc map[string]any
}

func readDocument(t *testing.T) schemas {
	t.Helper()
	var s schemas
	if err := json.Unmarshal(control.Document(), &s.doc); err != nil {
		t.Fatalf("openapi.json: %v", err)
	}
	return s
}

// at follows a path of members.
func (s schemas) at(path ...string) any {
	var v any = s.doc
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

var known = []string{
	"$ref", "type", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "oneOf",
	"pattern", "minimum", "maximum", "format", "examples", "default",
}

// check returns what is wrong with a value.
func (s schemas) check(at string, schema any, v any) []string {
	m, ok := schema.(map[string]any)
	if !ok {
		return []string{at + ": no schema"}
	}
	for name := range m {
		if !slices.Contains(known, name) {
			return []string{at + ": the checker does not know " + name}
		}
	}
	if ref, ok := m["$ref"].(string); ok {
		return s.check(at, s.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), v)
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if choices, ok := m[name].([]any); ok {
			return s.checkChoices(at, choices, v)
		}
	}
	if problem := checkType(m["type"], v); problem != "" {
		return []string{at + ": " + problem}
	}
	if enum, ok := m["enum"].([]any); ok && !slices.Contains(enum, v) {
		return []string{fmt.Sprintf("%s: %v is none of %v", at, v, enum)}
	}
	switch v := v.(type) {
	case string:
		return checkText(at, m, v)
	case float64:
		return checkNumber(at, m, v)
	case []any:
		var problems []string
		for i := range v {
			problems = append(problems, s.check(fmt.Sprintf("%s/%d", at, i), m["items"], v[i])...)
		}
		return problems
	case map[string]any:
		return s.checkObject(at, m, v)
	}
	return nil
}

func (s schemas) checkChoices(at string, choices []any, v any) []string {
	var problems []string
	for _, c := range choices {
		found := s.check(at, c, v)
		if len(found) == 0 {
			return nil
		}
		problems = append(problems, found...)
	}
	return problems
}

func (s schemas) checkObject(at string, m map[string]any, v map[string]any) (problems []string) {
	required, _ := m["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			problems = append(problems, fmt.Sprintf("%s: %v is missing", at, name))
		}
	}
	properties, _ := m["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		schema, ok := properties[name]
		if extra, given := m["additionalProperties"]; !ok && given {
			if extra == false {
				problems = append(problems, at+": "+name+" is in no schema")
				continue
			}
			schema, ok = extra, true
		}
		if ok {
			problems = append(problems, s.check(at+"/"+name, schema, v[name])...)
		}
	}
	return problems
}

func checkType(want, v any) string {
	types, ok := want.([]any)
	if !ok {
		types = []any{want}
	}
	for _, t := range types {
		n, isNumber := v.(float64)
		var fits bool
		switch t {
		case nil:
			fits = true
		case "object":
			_, fits = v.(map[string]any)
		case "array":
			_, fits = v.([]any)
		case "string":
			_, fits = v.(string)
		case "boolean":
			_, fits = v.(bool)
		case "null":
			fits = v == nil
		case "number":
			fits = isNumber
		case "integer":
			fits = isNumber && n == float64(int64(n))
		}
		if fits {
			return ""
		}
	}
	return fmt.Sprintf("%v is no %v", v, want)
}

func checkText(at string, m map[string]any, v string) []string {
	if pattern, ok := m["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(v) {
		return []string{fmt.Sprintf("%s: %q does not match %s", at, v, pattern)}
	}
	if m["format"] == "date-time" {
		if _, err := time.Parse("2006-01-02T15:04:05.000Z", v); err != nil {
			return []string{fmt.Sprintf("%s: %q is not in the form of times", at, v)}
		}
	}
	return nil
}

func checkNumber(at string, m map[string]any, v float64) []string {
	if least, ok := m["minimum"].(float64); ok && v < least {
		return []string{fmt.Sprintf("%s: %v is below %v", at, v, least)}
	}
	if most, ok := m["maximum"].(float64); ok && v > most {
		return []string{fmt.Sprintf("%s: %v is above %v", at, v, most)}
	}
	return nil
}

// operation finds an operation by a path of a request.
func (s schemas) operation(method, path string) (name string, op map[string]any) {
	paths, _ := s.at("paths").(map[string]any)
	best := -1
	for template := range paths {
		fixed, ok := fits(template, path)
		if o, has := paths[template].(map[string]any)[strings.ToLower(method)].(map[string]any); ok && has && fixed > best {
			name, op, best = template, o, fixed
		}
	}
	return name, op
}

// fits reports whether a path is one of a template, and how many of its parts are fixed.
func fits(template, path string) (fixed int, ok bool) {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return 0, false
	}
	for i := range want {
		switch {
		case want[i] == got[i]:
			fixed++
		case !strings.HasPrefix(want[i], "{") || got[i] == "":
			return 0, false
		}
	}
	return fixed, true
}

func TestExamplesInTheDocumentFitTheirSchemas(t *testing.T) {
	s := readDocument(t)
	all, _ := s.at("components", "schemas").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		examples, _ := all[name].(map[string]any)["examples"].([]any)
		for i, example := range examples {
			at := fmt.Sprintf("%s example %d", name, i)
			for _, problem := range s.check(at, all[name], example) {
				if !strings.Contains(problem, "is not in the form of times") { // a request may give fewer digits
					t.Error(problem)
				}
			}
		}
	}
}
