package migration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/sluicemq/sluice"
)

// template is a template of CloudFormation, with its functions in their long form.
type template struct {
	parameters map[string]any // by name: what a reference to it comes to; an error, if to nothing
	mappings   map[string]any
	conditions map[string]any
	resources  map[string]any
	lines      map[string]int // where resources begin, and their properties, as Orders and Orders.QueueName
	home       sluice.Home
	queues     map[string]string  // names of queues by the names of their resources
	decided    map[string]verdict // of conditions
	spent      int                // what functions have come to so far, in bytes and elements of lists
}

// maxNesting bounds how deep functions stand in each other.
const maxNesting = 32

// readTemplate reads YAML or JSON.
func readTemplate(text []byte, values map[string]string, home sluice.Home) (*template, error) {
	t := &template{home: home, lines: map[string]int{}, queues: map[string]string{}, decided: map[string]verdict{}}
	read := t.readYAML
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		read = t.readJSON
	}
	content, err := read(text)
	if err != nil {
		return nil, err
	}
	root, _ := content.(map[string]any)
	t.resources, _ = root["Resources"].(map[string]any)
	t.mappings, _ = root["Mappings"].(map[string]any)
	t.conditions, _ = root["Conditions"].(map[string]any)
	if t.resources == nil {
		return nil, errors.New("there is no section Resources")
	}
	declared, _ := root["Parameters"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, ok := declared[name]; !ok && !strings.HasPrefix(name, "AWS::") {
			return nil, fmt.Errorf("there is no parameter %s", name)
		}
	}
	t.settle(declared, values)
	return t, nil
}

func (t *template) readJSON(text []byte) (content any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&content); err != nil {
		return nil, err
	}
	t.findLines(text)
	return content, nil
}

// findLines notes in which lines of a JSON the resources and their properties begin.
func (t *template) findLines(text []byte) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	line, counted := 1, 0
	for {
		if _, err := d.ReadToken(); err != nil {
			return // at its end
		}
		if depth := d.StackDepth(); depth != 2 && depth != 4 {
			continue
		}
		name, ok := nameOf(strings.Split(string(d.StackPointer()), "/"))
		if !ok || t.lines[name] != 0 {
			continue
		}
		at := int(d.InputOffset())
		line += bytes.Count(text[counted:at], []byte("\n"))
		counted, t.lines[name] = at, line
	}
}

// nameOf returns the name in lines of what stands at a place.
func nameOf(path []string) (string, bool) {
	switch {
	case len(path) < 3 || path[1] != "Resources":
		return "", false
	case len(path) == 3:
		return path[2], true
	case len(path) == 5 && path[3] == "Properties":
		return path[2] + "." + path[4], true
	}
	return "", false
}

func (t *template) readYAML(text []byte) (any, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	eachField(member(&n, "Resources"), func(resource, fields *yaml.Node) {
		t.lines[resource.Value] = resource.Line
		eachField(member(fields, "Properties"), func(property, _ *yaml.Node) {
			t.lines[resource.Value+"."+property.Value] = property.Line
		})
	})
	return long(&n, 0)
}

func eachField(n *yaml.Node, do func(key, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		do(n.Content[i], n.Content[i+1])
	}
}

func member(n *yaml.Node, name string) (found *yaml.Node) {
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	eachField(n, func(key, value *yaml.Node) {
		if key.Value == name {
			found = value
		}
	})
	return found
}

// at says where a resource or one of its properties stands, for warnings.
func (t *template) at(resource string, property ...string) string {
	line := t.lines[resource]
	if len(property) > 0 {
		line = max(line, t.lines[resource+"."+property[0]])
	}
	place := strings.Join(append([]string{resource}, property...), ": ")
	if line == 0 {
		return place
	}
	return fmt.Sprintf("line %d: %s", line, place)
}

// settle finds the values of parameters: those that are given, and otherwise their defaults. The default of one that is
// kept in Systems Manager is where it is kept.
func (t *template) settle(declared map[string]any, values map[string]string) {
	t.parameters = map[string]any{
		"AWS::AccountId": t.home.Account, "AWS::Region": t.home.Region, "AWS::Partition": partition(t.home.Region),
		"AWS::URLSuffix": suffix(t.home.Region), "AWS::StackName": "stack", "AWS::NotificationARNs": []any{}, "AWS::NoValue": removed{},
	}
	for name, value := range values {
		t.parameters[name] = value
	}
	for name, p := range declared {
		fields, _ := p.(map[string]any)
		kind := fmt.Sprint(fields["Type"])
		value, given := t.parameters[name]
		if !given && fields["Default"] != nil && !strings.HasPrefix(kind, "AWS::SSM::") {
			value, given = fields["Default"], true
		}
		text, isText := value.(string)
		if isText && (kind == "CommaDelimitedList" || strings.Contains(kind, "List<")) {
			value = listOf(text)
		}
		if !given {
			value = fmt.Errorf("parameter %s has no value", name)
		}
		t.parameters[name] = value
	}
	stack := "arn:" + partition(t.home.Region) + ":cloudformation:" + t.home.Region + ":" + t.home.Account + ":stack/"
	t.parameters["AWS::StackId"] = stack + fmt.Sprint(t.parameters["AWS::StackName"]) + "/00000000-0000-0000-0000-000000000000"
}

func listOf(text string) []any {
	list := []any{}
	for part := range strings.SplitSeq(text, ",") {
		list = append(list, strings.TrimSpace(part))
	}
	return list
}

// partition is the part of the world that a region is in, as resource names have it.
func partition(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov"
	}
	return "aws"
}

// suffix is what the host names of a region end in.
func suffix(region string) string {
	if partition(region) == "aws-cn" {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
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
		return isOnIn(n.Value)
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
	if name != "Ref" && name != "Condition" {
		name = "Fn::" + name
	}
	return map[string]any{name: argument}
}
