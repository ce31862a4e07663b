package sqs

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/kept"
)

// answers are the shapes of the answers. An encoder that is given another one than its own panics, and so does the test.
var answers = map[string]reflect.Type{
	"CreateQueue":                  reflect.TypeFor[queueURLOutput](),
	"GetQueueUrl":                  reflect.TypeFor[queueURLOutput](),
	"ListQueues":                   reflect.TypeFor[listQueuesOutput](),
	"GetQueueAttributes":           reflect.TypeFor[getQueueAttributesOutput](),
	"SendMessage":                  reflect.TypeFor[sentMessage](),
	"SendMessageBatch":             reflect.TypeFor[sendMessageBatchOutput](),
	"ReceiveMessage":               reflect.TypeFor[receiveMessageOutput](),
	"DeleteMessageBatch":           reflect.TypeFor[deleteMessageBatchOutput](),
	"ChangeMessageVisibilityBatch": reflect.TypeFor[changeVisibilityBatchOutput](),
	"ListQueueTags":                reflect.TypeFor[listQueueTagsOutput](),
	"ListDeadLetterSourceQueues":   reflect.TypeFor[listSourcesOutput](),
	"StartMessageMoveTask":         reflect.TypeFor[startMoveOutput](),
	"CancelMessageMoveTask":        reflect.TypeFor[cancelMoveOutput](),
	"ListMessageMoveTasks":         reflect.TypeFor[listMovesOutput](),
}

// TestREADMEListsWhatIsServed keeps the tables between two marks of the README. With -update it writes them.
func TestREADMEListsWhatIsServed(t *testing.T) {
	const begin, end = "<!-- tables: go test ./protocols/sqs -run README -update -->\n", "<!-- end of tables -->\n"
	kept.Part(t, "README.md", begin, end, operationTables()+valueTable()+attributeTable()+systemAttributeTable())
}

// operationTables has a section for each operation.
func operationTables() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		o := operations[name]
		b.WriteString("\n## " + name + "\n\n")
		in, _ := o.fromJSON([]byte("{}"))
		b.WriteString("| request: JSON | Query | value |\n| --- | --- | --- |\n")
		writeMembers(&b, reflect.TypeOf(in).Elem(), rowPath{index: ".N", inMap: ".N."})
		if o.silent {
			b.WriteString("\nThe answer has no content.\n")
			continue
		}
		o.json(nil, reflect.New(answers[name]).Interface())
		b.WriteString("\n| answer: JSON | XML | value |\n| --- | --- | --- |\n")
		writeMembers(&b, answers[name], rowPath{inMap: "/"})
	}
	return b.String()
}

// rowPath is where a table has got to: the paths in both languages, and how the second one goes into lists and maps.
type rowPath struct{ json, xml, index, inMap string }

// separator stands between the names of a path.
func (m rowPath) separator() string {
	if m.index != "" {
		return "."
	}
	return "/"
}

// writeMembers writes a row for each member of a shape, and for those of the shapes within it.
func writeMembers(b *strings.Builder, shape reflect.Type, at rowPath) {
	for _, f := range reflect.VisibleFields(shape) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		query := strings.Split(f.Tag.Get("query"), ",")
		names := strings.Split(cmp.Or(query[0], name), "|")
		m := at
		m.json, m.xml = at.json+name, at.xml+names[0]
		var more []string
		if len(names) > 1 {
			more = append(more, "in forms also "+strings.Join(names[1:], ", "))
		}
		if plain, ok := strings.CutPrefix(options, "plain="); ok {
			more = append(more, "in JSON of the Query protocol "+plain)
		}
		m.write(b, f.Type, query, more)
	}
}

// write writes the row of one member.
func (m rowPath) write(b *strings.Builder, t reflect.Type, query, more []string) {
	kind := valueKind(t)
	xml := code(m.xml)
	entry := t
	switch {
	case len(query) == 3: // a map
		entry = t.Elem().Field(1).Type
		kind = "map to " + valueKind(entry)
		xml = code(m.xml+m.inMap+query[1]) + ", " + code(m.xml+m.inMap+query[2])
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		entry = t.Elem()
		kind = "list of " + valueKind(entry)
		m.json, m.xml = m.json+"[]", m.xml+m.index
		xml = code(m.xml)
	}
	if cmp.Or(strings.TrimSuffix(m.json, "[]"), "-") == "-" {
		m.json = ""
	}
	row := []string{code(m.json), xml, strings.Join(append([]string{kind}, more...), "; ")}
	b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	if entry.Kind() == reflect.Struct && entry != reflect.TypeFor[attributeValue]() {
		m.json, m.xml = m.json+".", m.xml+m.separator()
		writeMembers(b, entry, m)
	}
}

func code(name string) string {
	if name == "" {
		return "none"
	}
	return "`" + name + "`"
}

// valueKind says what a value is.
func valueKind(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[attributeValue]():
		return "[attribute value](#value-of-a-message-attribute)"
	case reflect.TypeFor[seconds]():
		return "seconds"
	case reflect.TypeFor[epochMillis]():
		return "milliseconds since 1970"
	case reflect.TypeFor[[]byte]():
		return "base64"
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct:
		return "structure"
	}
	return "number"
}

func valueTable() string {
	var b strings.Builder
	b.WriteString("\n## Value of a message attribute\n\n| JSON | Query | value |\n| --- | --- | --- |\n")
	writeMembers(&b, reflect.TypeFor[attributeValue](), rowPath{index: ".N"})
	b.WriteString("\nBoth lists are refused, as by the service.\n")
	return b.String()
}

// attributeTable has the queue attributes that the official client knows, and any that it does not.
func attributeTable() string {
	var b strings.Builder
	b.WriteString("\n## Queue attributes\n\n| attribute | read | set | only FIFO queues |\n| --- | :-: | :-: | :-: |\n")
	known := map[string]bool{"All": true}
	for _, a := range attributes {
		known[a.name] = true
		b.WriteString("| `" + a.name + "` |" + tick(a.show != nil) + tick(a.set != nil) + tick(a.standard != nil) + "\n")
	}
	for _, name := range types.QueueAttributeName("").Values() {
		if !known[string(name)] {
			b.WriteString("| `" + string(name) + "` | not served | | |\n")
		}
	}
	return b.String()
}

// systemAttributeTable has the system attributes of a message, which has all of them.
func systemAttributeTable() string {
	full := core.Received{FIFO: true, Message: core.Message{
		Trace: core.Trace{XRay: "x"}, Sender: "x", Group: "x", DeduplicationID: "x", Source: &core.QueueKey{},
	}}
	s := &service{site: &protocols.Site{}}
	shown := s.shownSystem(&full, newSystemFilter(nil, []string{"All"}))
	var b strings.Builder
	b.WriteString("\n## System attributes of received messages\n\n| attribute | served |\n| --- | :-: |\n")
	for _, name := range types.MessageSystemAttributeName("").Values() {
		if name == "All" {
			continue
		}
		_, served := shown.Get(string(name))
		b.WriteString("| `" + string(name) + "` |" + tick(served) + "\n")
	}
	return b.String()
}

func tick(yes bool) string {
	if yes {
		return " ✓ |"
	}
	return "  |"
}
