package cases_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// flatNames are the names of lists and maps in the Query protocol, with the names of a map's two members.
var flatNames = map[string][3]string{
	"AWSAccountIds":               {"AWSAccountId"},
	"Actions":                     {"ActionName"},
	"AttributeNames":              {"AttributeName"},
	"Attributes":                  {"Attribute", "Name", "Value"},
	"BinaryListValues":            {"BinaryListValue"},
	"MessageAttributeNames":       {"MessageAttributeName"},
	"MessageAttributes":           {"MessageAttribute", "Name", "Value"},
	"MessageSystemAttributeNames": {"MessageSystemAttributeName"},
	"MessageSystemAttributes":     {"MessageSystemAttribute", "Name", "Value"},
	"StringListValues":            {"StringListValue"},
	"TagKeys":                     {"TagKey"},
	"Tags":                        {"Tag", "Key", "Value"},
	"tags":                        {"Tag", "Key", "Value"},
}

// flatten writes the input of an operation as a form, each parameter after an ampersand.
func flatten(operation string, in obj) string {
	var b strings.Builder
	flat(&b, operation, "", in)
	return b.String()
}

func flat(b *strings.Builder, operation, prefix string, in obj) {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		names, known := flatNames[name]
		if name == "Entries" {
			names, known = [3]string{operation + "RequestEntry"}, true
		}
		if !known {
			names[0] = name
		}
		at := prefix + names[0]
		switch v := in[name].(type) {
		case map[string]string:
			for i, k := range slices.Sorted(maps.Keys(v)) {
				put(b, fmt.Sprintf("%s.%d.%s", at, i+1, names[1]), k)
				put(b, fmt.Sprintf("%s.%d.%s", at, i+1, names[2]), v[k])
			}
		case obj:
			for i, k := range slices.Sorted(maps.Keys(v)) {
				put(b, fmt.Sprintf("%s.%d.%s", at, i+1, names[1]), k)
				flat(b, operation, fmt.Sprintf("%s.%d.%s.", at, i+1, names[2]), v[k].(obj))
			}
		case []obj:
			if len(v) == 0 {
				put(b, at, "") // as botocore writes an empty list
			}
			for i := range v {
				flat(b, operation, fmt.Sprintf("%s.%d.", at, i+1), v[i])
			}
		case []string:
			for i := range v {
				put(b, fmt.Sprintf("%s.%d", at, i+1), v[i])
			}
		case []byte:
			put(b, at, base64.StdEncoding.EncodeToString(v))
		default:
			put(b, at, fmt.Sprint(v))
		}
	}
}

func put(b *strings.Builder, name, value string) {
	b.WriteString("&" + name + "=" + url.QueryEscape(value))
}

// manyNames are what lists are called in JSON, by the name of one element in XML.
var manyNames = map[string]string{
	"BatchResultErrorEntry":                   "Failed",
	"ChangeMessageVisibilityBatchResultEntry": "Successful",
	"DeleteMessageBatchResultEntry":           "Successful",
	"ListMessageMoveTasksResultEntry":         "Results",
	"Message":                                 "Messages",
	"QueueUrl":                                "QueueUrls",
	"SendMessageBatchResultEntry":             "Successful",
	"ListDeadLetterSourceQueues QueueUrl":     "queueUrls",
	"CreateQueue QueueUrl":                    "",
	"GetQueueUrl QueueUrl":                    "",
	"SendMessageBatch Message":                "", // the text of an error
	"DeleteMessageBatch Message":              "",
	"ChangeMessageVisibilityBatch Message":    "",
}

// gathered brings a result in XML into the form that it has in JSON.
func gathered(operation string, e element) obj {
	out := obj{}
	for _, k := range e.Kids {
		many, special := manyNames[operation+" "+k.name()]
		if !special {
			many = manyNames[k.name()]
		}
		switch {
		case k.name() == "Attribute" || k.name() == "MessageAttribute" || k.name() == "Tag":
			key, value := k.kid("Name"), k.kid("Value")
			if k.name() == "Tag" {
				key = k.kid("Key")
			}
			entries, _ := out[k.name()+"s"].(obj)
			if entries == nil {
				entries = obj{}
				out[k.name()+"s"] = entries
			}
			entries[key.Text] = member(operation, value)
		case many != "":
			out[many] = append(list(out[many]), member(operation, k))
		default:
			out[k.name()] = member(operation, k)
		}
	}
	return out
}

func member(operation string, e element) any {
	if len(e.Kids) == 0 {
		return e.Text
	}
	return gathered(operation, e)
}

// text returns a member of an object that is a text, "" where it is not there.
func text(v any, name string) string {
	o, _ := v.(obj)
	s, _ := o[name].(string)
	return s
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func textMap(v any) map[string]string {
	o, _ := v.(obj)
	m := make(map[string]string, len(o))
	for k := range o {
		m[k], _ = o[k].(string)
	}
	return m
}
