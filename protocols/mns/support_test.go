package mns

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/protocols/kept"
)

// shapes are the inputs and outputs of all operations; which are whose is told by their plans.
var shapes = []reflect.Type{
	reflect.TypeFor[none](), reflect.TypeFor[queueInput](), reflect.TypeFor[queueSettingsInput](), reflect.TypeFor[createdOutput](),
	reflect.TypeFor[getQueueAttributesOutput](), reflect.TypeFor[listQueueInput](), reflect.TypeFor[listQueueOutput](),
	reflect.TypeFor[sendMessageInput](), reflect.TypeFor[batchSendMessageInput](), reflect.TypeFor[sendMessageOutput](),
	reflect.TypeFor[batchSendMessageOutput](), reflect.TypeFor[receiveMessageInput](), reflect.TypeFor[receiveMessageOutput](),
	reflect.TypeFor[batchReceiveMessageOutput](), reflect.TypeFor[deleteMessageInput](), reflect.TypeFor[batchDeleteMessageInput](),
	reflect.TypeFor[batchDeleteMessageOutput](), reflect.TypeFor[changeVisibilityInput](), reflect.TypeFor[changeVisibilityOutput](),
	reflect.TypeFor[accountInput](), reflect.TypeFor[accountOutput](), reflect.TypeFor[openServiceOutput](),
	reflect.TypeFor[topicInput](), reflect.TypeFor[topicSettingsInput](), reflect.TypeFor[getTopicAttributesOutput](),
	reflect.TypeFor[listTopicOutput](), reflect.TypeFor[publishMessageInput](), reflect.TypeFor[subscriptionInput](),
	reflect.TypeFor[subscribeInput](), reflect.TypeFor[setSubscriptionInput](), reflect.TypeFor[getSubscriptionOutput](),
	reflect.TypeFor[listSubscriptionInput](), reflect.TypeFor[listSubscriptionOutput](),
}

// marked are the query strings that tell an operation from others of the same method and path.
var marked = map[string]string{
	"BatchPeekMessage":          "peekonly=true&numOfMessages=2",
	"PeekMessage":               "peekonly=true",
	"BatchReceiveMessage":       "numOfMessages=2",
	"DeleteMessage":             "ReceiptHandle=x",
	"SetQueueAttributes":        "metaoverride=true",
	"SetTopicAttributes":        "metaoverride=true",
	"SetSubscriptionAttributes": "metaoverride=true",
	"GetAccountAttributes":      "accountmeta=true",
	"SetAccountAttributes":      "accountmeta=true",
}

// others are answers that do not have the usual status of their operation: of what was there already, and of batches of
// which something failed.
var others = []statusOwner{
	&createdOutput{}, &batchSendMessageOutput{failed: true}, &batchDeleteMessageOutput{Errors: make([]handleFailed, 1)},
}

// without lists members that an operation takes and that change nothing.
var without = map[string]string{"BatchPeekMessage waitseconds": "has no effect", "PeekMessage waitseconds": "has no effect"}

// leftOut are members of a shared shape that answers to these operations do not have.
var leftOut = map[string][]string{
	"BatchPeekMessage": {"ReceiptHandle", "NextVisibleTime"},
	"PeekMessage":      {"ReceiptHandle", "NextVisibleTime"},
	"SendMessage":      {"ErrorCode", "ErrorMessage"},
	"PublishMessage":   {"ErrorCode", "ErrorMessage", "ReceiptHandle"},
}

// TestREADMEListsWhatIsServed keeps the tables between two marks of the README. With -update it writes them.
func TestREADMEListsWhatIsServed(t *testing.T) {
	const begin, end = "<!-- tables: go test ./protocols/mns -run README -update -->\n", "<!-- end of tables -->\n"
	var b strings.Builder
	for i := range operations {
		writeOperation(t, &b, &operations[i])
	}
	kept.Part(t, "README.md", begin, end, b.String())
}

// writeOperation writes the section of an operation.
func writeOperation(t *testing.T, b *strings.Builder, o *operation) {
	t.Helper()
	if chosen := choose(o, marked[o.name]); chosen != o.name {
		t.Errorf("the request of %s is one of %s", o.name, chosen)
	}
	target := regexp.MustCompile(`:\[[^}]*`).ReplaceAllString(o.path, "")
	if query := marked[o.name]; query != "" {
		target += "?" + strings.NewReplacer("=2", "=n", "=x", "=…").Replace(query)
	}
	inJSON := false
	for _, other := range dataPlane() {
		inJSON = inJSON || other.name == o.name
	}
	forms := "XML alone"
	if inJSON {
		forms = "XML and JSON"
	}
	fmt.Fprintf(b, "\n## %s\n\n`%s %s`, in %s\n\n", o.name, o.method, target, forms)
	in := table{o: o, json: inJSON, title: "request"}
	in.writePlan(o.in, shapeOfPlan(t, o.in))
	out := table{o: o, json: inJSON, title: fmt.Sprintf("answer, %d", o.status)}
	answer := shapeOfPlan(t, o.out)
	for _, other := range others {
		if reflect.TypeOf(other).Elem() == answer {
			out.title += fmt.Sprintf(" or %d", other.status())
		}
	}
	out.writePlan(o.out, answer)
	b.WriteString(in.String() + "\n" + out.String())
}

// choose returns the operation that is taken for the request of another one with this query string.
func choose(o *operation, raw string) string {
	q, _ := parseQuery(raw)
	r := &request{query: q}
	if o.in.root != "" {
		r.body = &element{name: o.in.root}
	}
	for _, other := range operations {
		if other.method == o.method && other.path == o.path && other.where(r) {
			return other.name
		}
	}
	return ""
}

func shapeOfPlan(t *testing.T, p *plan) reflect.Type {
	t.Helper()
	for _, shape := range shapes {
		known := &plan{}
		known.scan(shape, nil)
		if reflect.DeepEqual(known, p) {
			return shape
		}
	}
	t.Fatalf("no shape has the plan of %s, %v", p.root, p.line)
	return nil
}

// table is the table of a request or an answer.
type table struct {
	o     *operation
	json  bool
	title string
	rows  []string
}

func (t *table) String() string {
	if len(t.rows) == 0 {
		return strings.ToUpper(t.title[:1]) + t.title[1:] + ": no members.\n"
	}
	head := "| " + t.title + ": XML | JSON | value |\n| --- | --- | --- |\n"
	if !t.json {
		head = "| " + t.title + " | value |\n| --- | --- |\n"
	}
	return head + strings.Join(t.rows, "")
}

func (t *table) add(inXML, inJSON, value string) {
	if t.json {
		inXML += " | " + inJSON
	}
	if row := "| " + inXML + " | "; !strings.Contains(strings.Join(t.rows, ""), row) {
		t.rows = append(t.rows, row+value+" |\n")
	}
}

// writePlan writes the members of a shape.
func (t *table) writePlan(p *plan, shape reflect.Type) {
	places := map[source]string{inPath: "path", inQuery: "query", inHeader: "header"}
	for _, f := range p.line {
		if f.source == inQuery && choose(t.o, strings.Trim(marked[t.o.name]+"&"+f.name+"=2", "&")) != t.o.name {
			continue // it makes another operation of the request
		}
		value := valueKind(shape.FieldByIndex(f.index).Type)
		if why := without[t.o.name+" "+f.name]; why != "" {
			value += "; " + why
		}
		at := places[f.source] + " `" + f.name + "`"
		t.add(at, at, value)
	}
	t.writeBody(p, shape, p.root+"/", "", "")
}

// writeBody writes the elements of a shape below a path.
func (t *table) writeBody(p *plan, shape reflect.Type, inXML, inJSON, when string) {
	for i := range p.body {
		f := &p.body[i]
		if slices.Contains(leftOut[t.o.name], f.name) {
			continue
		}
		of := shape.FieldByIndex(f.index).Type
		switch {
		case f.inline:
			t.writeBody(f.entry, of.Elem(), inXML, inJSON, "; with `x-mns-with-meta: true`")
		case f.wrapper != "":
			t.addProperties(f, inXML+f.wrapper, inJSON+f.wrapper)
		case f.list && f.entry != nil:
			t.writeBody(f.entry, of.Elem(), inXML+f.name+"/", inJSON+f.name+"s[].", when)
		case f.list:
			t.add(code(inXML+f.name), code(inJSON+f.name+"s[]"), "list of text"+when)
		default:
			t.add(code(inXML+f.name), code(inJSON+f.name), valueKind(of)+when)
		}
	}
}

// addProperties adds the members of a list of properties, which is an object in JSON.
func (t *table) addProperties(f *field, inXML, inJSON string) {
	inXML += "/" + f.name + "/"
	t.add(code(inXML+"Name"), code(inJSON)+", a member's name", "text")
	t.add(code(inXML+"Type"), code(inJSON+".*.DataType"), "STRING, NUMBER, BOOLEAN or BINARY")
	t.add(code(inXML+"Value"), code(inJSON+".*.StringValue")+", "+code(inJSON+".*.BinaryValue"), "text; base64 for BINARY")
}

func code(name string) string { return "`" + name + "`" }

// valueKind says what a value is.
func valueKind(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[seconds]():
		return "seconds"
	case reflect.TypeFor[epochSeconds]():
		return "seconds since 1970"
	case reflect.TypeFor[epochMillis](), reflect.TypeFor[epochVisible]():
		return "milliseconds since 1970"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Map:
		return "elements with a text each: those that push to mail, SMS and the like"
	case reflect.String:
		return "text"
	}
	return "number"
}
