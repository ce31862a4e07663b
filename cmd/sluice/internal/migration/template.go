package migration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sluicemq/sluice"
)

// template is a template of CloudFormation, with its functions in their long form.
type template struct {
	parameters map[string]any // by name: what a reference to it comes to
	mappings   map[string]any
	resources  map[string]any
	home       sluice.Home
	queues     map[string]string // names of queues by the names of their resources
}

// maxNesting bounds how deep functions stand in each other.
const maxNesting = 32

// readTemplate reads YAML or JSON.
func readTemplate(text []byte, values map[string]string, home sluice.Home) (*template, error) {
	var content any
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&content); err != nil {
			return nil, err
		}
	} else {
		var n yaml.Node
		if err := yaml.Unmarshal(text, &n); err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
		}
		var err error
		if content, err = long(&n, 0); err != nil {
			return nil, err
		}
	}
	root, _ := content.(map[string]any)
	t := &template{home: home, queues: map[string]string{}}
	t.resources, _ = root["Resources"].(map[string]any)
	t.mappings, _ = root["Mappings"].(map[string]any)
	if t.resources == nil {
		return nil, errors.New("there is no section Resources")
	}
	declared, _ := root["Parameters"].(map[string]any)
	for name := range values {
		if _, ok := declared[name]; !ok && !strings.HasPrefix(name, "AWS::") {
			return nil, fmt.Errorf("there is no parameter %s", name)
		}
	}
	t.settle(declared, values)
	return t, nil
}

// settle finds the values of parameters: those that are given, and otherwise their defaults.
func (t *template) settle(declared map[string]any, values map[string]string) {
	t.parameters = map[string]any{
		"AWS::AccountId": t.home.Account, "AWS::Region": t.home.Region, "AWS::Partition": "aws",
		"AWS::URLSuffix": "amazonaws.com", "AWS::StackName": "stack",
	}
	for name, p := range declared {
		if fields, ok := p.(map[string]any); ok && fields["Default"] != nil {
			t.parameters[name] = fields["Default"]
		}
	}
	for name, value := range values {
		t.parameters[name] = value
	}
}

// long returns a node as maps, lists and scalars, with functions such as !Ref x as {"Ref": x}.
func long(n *yaml.Node, depth int) (any, error) {
	if depth > 2*maxNesting {
		return nil, fmt.Errorf("line %d: more than %d levels", n.Line, 2*maxNesting)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return long(n.Content[0], depth)
	case yaml.AliasNode:
		return nil, fmt.Errorf("line %d: CloudFormation knows no aliases", n.Line)
	case yaml.MappingNode, yaml.SequenceNode:
		return longTree(n, depth)
	default: // a scalar
	}
	if function, ok := shortFunction(n); ok {
		return longFunction(function, n.Value), nil
	}
	return scalarOf(n), nil
}

// scalarOf keeps texts as they stand there: a date is no time, as in the version of a policy, and an account no number.
func scalarOf(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true") || strings.EqualFold(n.Value, "yes") || strings.EqualFold(n.Value, "on")
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}

// shortFunction returns the function that a node is the argument of, as in !Ref x.
func shortFunction(n *yaml.Node) (string, bool) {
	function, ok := strings.CutPrefix(n.Tag, "!")
	return function, ok && function != "" && function[0] != '!'
}

func longTree(n *yaml.Node, depth int) (any, error) {
	fields, list := map[string]any{}, []any{}
	for i := 0; i < len(n.Content); i++ {
		each := n.Content[i]
		if n.Kind == yaml.MappingNode {
			i++
		}
		v, err := long(n.Content[i], depth+1)
		if err != nil {
			return nil, err
		}
		fields[each.Value], list = v, append(list, v)
	}
	var tree any = fields
	if n.Kind == yaml.SequenceNode {
		tree = list
	}
	if function, ok := shortFunction(n); ok {
		return longFunction(function, tree), nil
	}
	return tree, nil
}

func longFunction(name string, argument any) any {
	if text, ok := argument.(string); ok && name == "GetAtt" {
		resource, attribute, _ := strings.Cut(text, ".")
		argument = []any{resource, attribute}
	}
	if name != "Ref" && name != "Condition" {
		name = "Fn::" + name
	}
	return map[string]any{name: argument}
}

// resolve replaces functions by what they come to. Returns an error that names the first that comes to nothing.
func (t *template) resolve(v any, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("more than %d functions in each other", maxNesting)
	}
	switch v := v.(type) {
	case []any:
		list := make([]any, 0, len(v))
		for _, each := range v {
			r, err := t.resolve(each, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, r)
		}
		return list, nil
	case map[string]any:
		if name, argument, ok := function(v); ok {
			return t.call(name, argument, depth)
		}
		fields := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			r, err := t.resolve(v[name], depth+1)
			if err != nil {
				return nil, err
			}
			fields[name] = r
		}
		return fields, nil
	}
	return v, nil
}

func function(v map[string]any) (name string, argument any, ok bool) {
	if len(v) != 1 {
		return "", nil, false
	}
	for name, argument = range v {
		ok = name == "Ref" || strings.HasPrefix(name, "Fn::")
	}
	return name, argument, ok
}

// call calls a function. Sub finds its references in the text itself, so that its argument is not resolved before.
func (t *template) call(name string, argument any, depth int) (any, error) {
	if name == "Fn::Sub" {
		return t.sub(argument, depth)
	}
	argument, err := t.resolve(argument, depth+1)
	if err != nil {
		return nil, err
	}
	list, _ := argument.([]any)
	switch {
	case name == "Ref":
		return t.ref(fmt.Sprint(argument))
	case name == "Fn::GetAtt" && len(list) == 2:
		return t.getAtt(fmt.Sprint(list[0]), fmt.Sprint(list[1]))
	case name == "Fn::Join" && len(list) == 2:
		return join(list[0], list[1])
	case name == "Fn::FindInMap" && len(list) >= 3:
		return t.find(fmt.Sprint(list[0]), fmt.Sprint(list[1]), fmt.Sprint(list[2]))
	}
	return nil, fmt.Errorf("%s cannot be resolved", name)
}

func join(separator, list any) (any, error) {
	parts, ok := list.([]any)
	if !ok {
		return nil, errors.New("Fn::Join cannot be resolved")
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = fmt.Sprint(p)
	}
	return strings.Join(texts, fmt.Sprint(separator)), nil
}

func (t *template) find(in, first, second string) (any, error) {
	outer, _ := t.mappings[in].(map[string]any)
	inner, _ := outer[first].(map[string]any)
	if found, ok := inner[second]; ok {
		return found, nil
	}
	return nil, fmt.Errorf("%s has no %s of %s", in, second, first)
}

func (t *template) ref(name string) (any, error) {
	if queue, ok := t.queues[name]; ok {
		return "https://sqs." + t.home.Region + ".amazonaws.com/" + t.home.Account + "/" + queue, nil
	}
	if v, ok := t.parameters[name]; ok {
		return v, nil
	}
	return nil, fmt.Errorf("%s has no value", name)
}

func (t *template) getAtt(resource, attribute string) (any, error) {
	queue, ok := t.queues[resource]
	switch {
	case ok && attribute == "Arn":
		return t.arn(queue), nil
	case ok && attribute == "QueueName":
		return queue, nil
	case ok && attribute == "QueueUrl":
		return t.ref(resource)
	}
	return nil, fmt.Errorf("%s.%s has no value", resource, attribute)
}

func (t *template) arn(queue string) string {
	return "arn:aws:sqs:" + t.home.Region + ":" + t.home.Account + ":" + queue
}

var reference = regexp.MustCompile(`\$\{[^}]*\}`)

// sub replaces ${Name}, ${Resource.Attribute} and, in its long form, names of its own. ${!x} stands for ${x} itself.
func (t *template) sub(argument any, depth int) (any, error) {
	own := map[string]any{}
	if list, ok := argument.([]any); ok && len(list) == 2 {
		given, err := t.resolve(list[1], depth+1)
		if err != nil {
			return nil, err
		}
		own, _ = given.(map[string]any)
		argument = list[0]
	}
	text, ok := argument.(string)
	if !ok {
		return nil, errors.New("Fn::Sub cannot be resolved")
	}
	var failed error
	replaced := reference.ReplaceAllStringFunc(text, func(match string) string {
		name := strings.TrimSpace(match[2 : len(match)-1])
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			return "${" + literal + "}"
		}
		v, there := own[name]
		var err error
		switch resource, attribute, dotted := strings.Cut(name, "."); {
		case there:
		case dotted:
			v, err = t.getAtt(resource, attribute)
		default:
			v, err = t.ref(name)
		}
		failed = errors.Join(failed, err)
		return fmt.Sprint(v)
	})
	return replaced, failed
}
