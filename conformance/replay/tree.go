package replay

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// node is a value of JSON or an element of XML, so that both are compared alike.
type node struct {
	name     string // key, element, or empty for an item of a list
	form     form
	text     string
	children []*node
}

type form string

const (
	object  form = "object"
	list    form = "list"
	str     form = "string"
	number  form = "number"
	boolean form = "boolean"
	null    form = "null"
	element form = "element"
)

// maxNesting bounds the depth of an answer.
const maxNesting = 100

// bare marks, within a string of a quoted recording, a token that stood outside of a string: a number.
const bare = "\x01"

// parseJSON keeps the order of keys. Answers have no tokens; in recordings those outside of strings become numbers.
func parseJSON(text string) (*node, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	n, err := readJSON(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return n, nil
}

func readJSON(d *json.Decoder, depth int) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case json.Delim:
		if depth > maxNesting {
			return nil, errors.New("nested too deeply")
		}
		return readJSONChildren(d, v, depth)
	case string:
		if rest, ok := strings.CutPrefix(v, bare); ok {
			return &node{form: number, text: rest}, nil
		}
		return &node{form: str, text: v}, nil
	case json.Number:
		return &node{form: number, text: v.String()}, nil
	case bool:
		return &node{form: boolean, text: fmt.Sprint(v)}, nil
	default:
		return &node{form: null, text: "null"}, nil
	}
}

func readJSONChildren(d *json.Decoder, open json.Delim, depth int) (*node, error) {
	n := &node{form: list}
	if open == '{' {
		n.form = object
	}
	for d.More() {
		key := ""
		if n.form == object {
			t, err := d.Token()
			if err != nil {
				return nil, err
			}
			key, _ = t.(string)
		}
		child, err := readJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		child.name = key
		n.children = append(n.children, child)
	}
	_, err := d.Token()
	return n, err
}

// quoteBare puts tokens that stand outside of strings into strings, so that a recording can be read as JSON.
func quoteBare(text string) string {
	var out strings.Builder
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\' && i+1 < len(text):
			out.WriteByte(c)
			i++
		case c == '"':
			inString = !inString
		case !inString && strings.HasPrefix(text[i:], "{{"):
			if end := strings.Index(text[i:], "}}"); end > 0 && tokenForm().MatchString(text[i:i+end+2]) {
				out.WriteString(`"\u0001` + text[i:i+end+2] + `"`)
				i += end + 1
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// parseXML keeps the order of elements; attributes come first, under names that begin with @.
func parseXML(text string) (*node, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errors.New("not UTF-8") }
	top := &node{form: element}
	stack := []*node{top}
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if stack, err = grow(stack, t); err != nil {
			return nil, err
		}
	}
	if len(stack) != 1 || len(top.children) != 1 {
		return nil, errors.New("not one whole element")
	}
	return top.children[0], nil
}

func grow(stack []*node, t xml.Token) ([]*node, error) {
	n := stack[len(stack)-1]
	switch t := t.(type) {
	case xml.StartElement:
		if len(stack) > maxNesting {
			return nil, errors.New("nested too deeply")
		}
		child := &node{name: qualified(t.Name), form: element}
		for _, a := range t.Attr {
			child.children = append(child.children, &node{name: "@" + qualified(a.Name), form: element, text: a.Value})
		}
		n.children = append(n.children, child)
		return append(stack, child), nil
	case xml.EndElement:
		if len(stack) == 1 || n.name != qualified(t.Name) {
			return nil, fmt.Errorf("</%s> closes <%s>", qualified(t.Name), n.name)
		}
		if n.hasElements() && strings.TrimSpace(n.text) == "" {
			n.text = ""
		}
		return stack[:len(stack)-1], nil
	case xml.CharData:
		if len(stack) > 1 {
			n.text += string(t)
		} else if strings.TrimSpace(string(t)) != "" {
			return nil, errors.New("text outside of elements")
		}
	}
	return stack, nil
}

func (n *node) hasElements() bool {
	for _, c := range n.children {
		if !strings.HasPrefix(c.name, "@") {
			return true
		}
	}
	return false
}

func qualified(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}
