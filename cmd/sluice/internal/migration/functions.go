package migration

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// removed is what AWS::NoValue comes to: a property or element that is not there.
type removed struct{}

// maxSpent bounds what all functions of a template come to together: a few references to each other make much out of little.
const maxSpent = 16 << 20

// spend counts what a function comes to.
func (t *template) spend(n int) error {
	if t.spent += n; t.spent > maxSpent {
		return fmt.Errorf("the functions of the template come to more than %d bytes", maxSpent)
	}
	return nil
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
			if r != (removed{}) {
				list = append(list, r)
			}
		}
		return list, nil
	case map[string]any:
		if name, argument, ok := function(v); ok {
			return t.call(name, argument, depth)
		}
		return t.resolveFields(v, depth)
	case string:
		if strings.Contains(v, "{{resolve:") {
			return nil, fmt.Errorf("%s cannot be looked up", v)
		}
	}
	return v, nil
}

func (t *template) resolveFields(given map[string]any, depth int) (any, error) {
	fields := make(map[string]any, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		r, err := t.resolve(given[name], depth+1)
		if err != nil {
			return nil, err
		}
		if r != (removed{}) {
			fields[name] = r
		}
	}
	return fields, nil
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

// functions are those whose arguments are resolved before, with how many of them they take.
var functions = map[string]struct {
	least, most int
	call        func(t *template, arguments []any) (any, error)
}{
	"Fn::GetAtt":       {2, 2, (*template).getAtt},
	"Fn::Join":         {2, 2, (*template).join},
	"Fn::Split":        {2, 2, (*template).split},
	"Fn::Select":       {2, 2, (*template).choose},
	"Fn::FindInMap":    {3, 4, (*template).find},
	"Fn::Length":       {1, 1, (*template).length},
	"Fn::ToJsonString": {1, 1, (*template).toJSON},
}

// call calls a function. Sub finds its references in the text itself, and If takes one of two, so that their arguments
// are not resolved before.
func (t *template) call(name string, argument any, depth int) (any, error) {
	switch name {
	case "Fn::Sub":
		return t.sub(argument, depth)
	case "Fn::If":
		return t.choice(argument, depth)
	case "Ref":
		return t.ref(fmt.Sprint(argument))
	}
	f, known := functions[name]
	if !known {
		return nil, fmt.Errorf("%s cannot be resolved", name)
	}
	argument, err := t.resolve(argument, depth+1)
	if err != nil {
		return nil, err
	}
	arguments, isList := argument.([]any)
	text, isText := argument.(string)
	switch {
	case name == "Fn::GetAtt" && isText: // a dotted text
		resource, attribute, _ := strings.Cut(text, ".")
		arguments = []any{resource, attribute}
	case f.most == 1:
		arguments = []any{argument}
	case !isList:
		return nil, fmt.Errorf("%s wants a list", name)
	}
	if len(arguments) < f.least || len(arguments) > f.most {
		return nil, fmt.Errorf("%s has %d arguments, want %d", name, len(arguments), f.least)
	}
	return f.call(t, arguments)
}

// choice is Fn::If. What is not chosen need not come to anything.
func (t *template) choice(argument any, depth int) (any, error) {
	list, _ := argument.([]any)
	if len(list) != 3 {
		return nil, errors.New("Fn::If wants a condition and two values")
	}
	holds, err := t.condition(fmt.Sprint(list[0]), depth+1)
	switch {
	case err != nil:
		return nil, err
	case holds:
		return t.resolve(list[1], depth+1)
	}
	return t.resolve(list[2], depth+1)
}

func (t *template) join(arguments []any) (any, error) {
	parts, ok := arguments[1].([]any)
	if !ok {
		return nil, errors.New("Fn::Join wants a list")
	}
	separator := fmt.Sprint(arguments[0])
	texts := make([]string, len(parts))
	size := 0
	for i, p := range parts {
		text, err := single(p)
		if err != nil {
			return nil, fmt.Errorf("Fn::Join: %w", err)
		}
		texts[i] = text
		size += len(separator) + len(text)
	}
	if err := t.spend(size); err != nil {
		return nil, err
	}
	return strings.Join(texts, separator), nil
}

// single returns a value as a text, as functions on texts take them.
func single(v any) (string, error) {
	switch v := v.(type) {
	case string, json.Number, bool:
		return fmt.Sprint(v), nil
	}
	return "", errors.New("a list or a section stands where a text has to")
}

func (t *template) split(arguments []any) (any, error) {
	separator, err := single(arguments[0])
	if err != nil || separator == "" {
		return nil, errors.New("Fn::Split wants a separator")
	}
	text, err := single(arguments[1])
	if err != nil {
		return nil, fmt.Errorf("Fn::Split: %w", err)
	}
	list := []any{}
	for part := range strings.SplitSeq(text, separator) {
		list = append(list, part)
	}
	return list, t.spend(len(text) + len(list))
}

func (t *template) choose(arguments []any) (any, error) {
	list, ok := arguments[1].([]any)
	i, err := strconv.Atoi(fmt.Sprint(arguments[0]))
	if !ok || err != nil || i < 0 || i >= len(list) {
		return nil, fmt.Errorf("Fn::Select has no element %v of %d", arguments[0], len(list))
	}
	return list[i], t.spend(1)
}

func (t *template) length(arguments []any) (any, error) {
	list, ok := arguments[0].([]any)
	if !ok {
		return nil, errors.New("Fn::Length wants a list")
	}
	return json.Number(strconv.Itoa(len(list))), nil
}

func (t *template) toJSON(arguments []any) (any, error) {
	text := textOf(arguments[0])
	return text, t.spend(len(text))
}

// find looks into a mapping. Its fourth argument is what there is if the mapping has nothing.
func (t *template) find(arguments []any) (any, error) {
	in, first, second := fmt.Sprint(arguments[0]), fmt.Sprint(arguments[1]), fmt.Sprint(arguments[2])
	outer, _ := t.mappings[in].(map[string]any)
	inner, _ := outer[first].(map[string]any)
	if found, ok := inner[second]; ok {
		return found, t.spend(1)
	}
	if len(arguments) == 4 {
		if fields, ok := arguments[3].(map[string]any); ok && fields["DefaultValue"] != nil {
			return fields["DefaultValue"], t.spend(1)
		}
	}
	return nil, fmt.Errorf("%s has no %s of %s", in, second, first)
}

func (t *template) ref(name string) (any, error) {
	if queue, ok := t.queues[name]; ok {
		return "https://sqs." + t.home.Region + "." + suffix(t.home.Region) + "/" + t.home.Account + "/" + queue, nil
	}
	v, ok := t.parameters[name]
	if !ok {
		return t.elsewhere(name, "Ref")
	}
	switch v := v.(type) {
	case error:
		return nil, v
	case []any:
		return v, t.spend(1 + len(v))
	}
	return v, t.spend(1)
}

func (t *template) getAtt(arguments []any) (any, error) {
	resource, attribute := fmt.Sprint(arguments[0]), fmt.Sprint(arguments[1])
	queue, ok := t.queues[resource]
	switch {
	case !ok:
		return t.elsewhere(resource, attribute)
	case attribute == "Arn":
		return t.arn("sqs", queue), nil
	case attribute == "QueueName":
		return queue, nil
	case attribute == "QueueUrl":
		return t.ref(resource)
	}
	return nil, fmt.Errorf("%s.%s has no value", resource, attribute)
}

func (t *template) arn(service, resource string) string {
	return "arn:" + partition(t.home.Region) + ":" + service + ":" + t.home.Region + ":" + t.home.Account + ":" + resource
}

// others are the resources of other services that policies of queues speak of: which property names them, and which
// function comes to which resource name.
var others = map[string]struct{ property, function, service, prefix string }{
	"AWS::SNS::Topic":           {"TopicName", "Ref TopicArn", "sns", ""},
	"AWS::Events::Rule":         {"Name", "Arn", "events", "rule/"},
	"AWS::Lambda::Function":     {"FunctionName", "Arn", "lambda", "function:"},
	"AWS::Serverless::Function": {"FunctionName", "Arn", "lambda", "function:"},
	"AWS::S3::Bucket":           {"BucketName", "Arn", "s3", ""},
	"AWS::IAM::Role":            {"RoleName", "Arn", "iam", "role/"},
	"AWS::IAM::User":            {"UserName", "Arn", "iam", "user/"},
}

// elsewhere is what a function comes to for a resource of another service. One without a name has that of its resource.
func (t *template) elsewhere(resource, function string) (any, error) {
	kind, properties := t.resource(resource)
	other, known := others[kind]
	if !known || function != "Ref" && !slices.Contains(strings.Fields(other.function), function) {
		return nil, noValue(resource, function)
	}
	name := resource
	if text, ok := properties[other.property].(string); ok && text != "" { // a name made by functions is as good as none
		name = text
	}
	if !slices.Contains(strings.Fields(other.function), function) {
		return name, nil
	}
	arn := t.arn(other.service, other.prefix+name)
	switch other.service { // whose resources have no region, or not even an account
	case "s3":
		arn = "arn:" + partition(t.home.Region) + ":s3:::" + name
	case "iam":
		arn = strings.Replace(arn, ":"+t.home.Region+":", "::", 1)
	}
	return arn, nil
}

func noValue(name, attribute string) error {
	if attribute != "Ref" {
		name += "." + attribute
	}
	return fmt.Errorf("%s has no value", name)
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
		return nil, errors.New("Fn::Sub wants a text")
	}
	if err := t.spend(len(text)); err != nil {
		return nil, err
	}
	var failed error
	replaced := reference.ReplaceAllStringFunc(text, func(match string) string {
		if failed != nil {
			return ""
		}
		var value string
		if value, failed = t.subbed(strings.TrimSpace(match[2:len(match)-1]), own); failed == nil {
			failed = t.spend(len(value))
		}
		return value
	})
	return replaced, failed
}

// subbed is what stands in the place of a reference in a text.
func (t *template) subbed(name string, own map[string]any) (string, error) {
	if literal, ok := strings.CutPrefix(name, "!"); ok {
		return "${" + literal + "}", nil
	}
	v, there := own[name]
	var err error
	switch resource, attribute, dotted := strings.Cut(name, "."); {
	case there:
	case dotted:
		v, err = t.getAtt([]any{resource, attribute})
	default:
		v, err = t.ref(name)
	}
	if err != nil {
		return "", err
	}
	text, err := single(v)
	if err != nil {
		return "", fmt.Errorf("Fn::Sub: ${%s}: %w", name, err)
	}
	return text, nil
}
