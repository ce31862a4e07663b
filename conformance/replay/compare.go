package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// answer is what a server sent.
type answer struct {
	status int
	header http.Header
	body   string
}

// comparison collects how an answer differs from its recording.
type comparison struct {
	b         *binder
	exact     bool
	unordered map[string]bool
	xml       bool
	free      bool // items came in another order where that does not matter
	found     []Difference
}

func (c *comparison) add(class Class, where, want, got string) {
	c.found = append(c.found, Difference{Class: class, Where: where, Want: short(want), Got: short(got)})
}

// answer compares all of an answer.
func (c *comparison) answer(want *Message, got answer) {
	if got.status != want.Status {
		c.add(Status, "", strconv.Itoa(want.Status), strconv.Itoa(got.status)+" "+got.body)
	}
	for _, h := range want.Headers {
		c.header(h, got.header)
	}
	c.body(want.Body, got.body)
}

// header compares one header. Its name is looked up without regard to case: HTTP/2 and clients change it.
func (c *comparison) header(want Header, all http.Header) {
	got, ok := "", false
	for name, values := range all {
		if strings.EqualFold(name, want.Name) && len(values) > 0 {
			got, ok = strings.Join(values, ", "), true
		}
	}
	switch {
	case want.Value == absent && ok:
		c.add(HeaderExtra, want.Name, "", got)
	case want.Value == absent:
	case !ok:
		c.add(HeaderMissing, want.Name, want.Value, "")
	default:
		m := c.b.match(want.Value, got, nil)
		if strings.EqualFold(want.Name, "x-amzn-query-error") && m.class != "" {
			m.class = ErrorCode
		} else if m.class == Value {
			m.class = HeaderChanged
		}
		if m.class != "" {
			c.add(m.class, want.Name, m.want, got)
		}
	}
}

func (c *comparison) body(want, got string) {
	if want == "" || got == "" {
		if want != got {
			c.add(Body, "", want, got)
		}
		return
	}
	parse, escape := parseXML, escapeXML
	w := want
	if strings.HasPrefix(want, "<") {
		c.xml = true
	} else {
		parse, escape, w = parseJSON, escapeJSON, quoteBare(want)
	}
	wanted, err := parse(w)
	if err != nil {
		c.raw(want, got)
		return
	}
	found, err := parse(got)
	if err != nil {
		c.add(Body, err.Error(), want, got)
		return
	}
	before := len(c.found)
	if c.rootNames(wanted, found) {
		c.node("", wanted, found)
	}
	if len(c.found) == before && c.exact && !c.free {
		c.layout(want, got, escape)
	}
}

// raw compares a body that is neither JSON nor XML.
func (c *comparison) raw(want, got string) {
	if m := c.b.match(want, got, nil); m.class != "" {
		c.add(m.class, "body", m.want, got)
	}
}

func (c *comparison) rootNames(want, got *node) bool {
	if want.name == got.name {
		return true
	}
	c.add(ElementMissing, want.name, want.name, got.name)
	return false
}

func (c *comparison) layout(want, got string, escape func(string) string) {
	m := c.b.match(want, got, escape)
	if m.class == "" {
		return
	}
	i := 0
	for i < len(got) && i < len(m.want) && got[i] == m.want[i] {
		i++
	}
	i = max(0, i-20)
	c.add(Layout, "byte "+strconv.Itoa(i), m.want[i:], got[min(i, len(got)):])
}

func escapeJSON(s string) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return s
	}
	return strings.Trim(out.String(), "\"\n")
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escapeXML(s string) string { return xmlEscapes.Replace(s) }

// node compares a value or an element with all that is in it. The names of both are the same.
func (c *comparison) node(where string, want, got *node) {
	if want.form != got.form {
		c.add(JSONType, where, string(want.form)+" "+want.text, string(got.form)+" "+got.text)
		return
	}
	if want.form == list {
		c.items(where, want, got)
		return
	}
	if want.form != object {
		c.leaf(where, want.text, got.text)
	}
	pairs := c.pair(where, want, got)
	for _, p := range pairs {
		c.node(p.where, p.want, p.got)
	}
}

func (c *comparison) leaf(where, want, got string) {
	m := c.b.match(want, got, nil)
	if m.class == "" {
		return
	}
	if m.class == Value {
		m.class = wordsOf(where)
	}
	c.add(m.class, where, m.want, got)
}

// wordsOf tells codes and texts of errors from other values, by where providers put them.
func wordsOf(where string) Class {
	last := where[strings.LastIndexByte(where, '.')+1:]
	entry := strings.HasPrefix(where, "Failed.") || strings.Contains(where, "BatchResultErrorEntry")
	switch {
	case where == "__type" || last == "Code" || last == "ErrorCode":
		return ErrorCode
	case last == "ErrorMessage" || where == "Error.Message" || strings.EqualFold(where, "message") || entry && last == "Message":
		return Text
	}
	return Value
}

type pair struct {
	where     string
	want, got *node
}

// pair finds the children that belong together, and says which are missing, too many or in another order.
func (c *comparison) pair(where string, want, got *node) []pair {
	var pairs []pair
	groups := make(map[string][]*node)
	for _, g := range got.children {
		groups[g.name] = append(groups[g.name], g)
	}
	for _, name := range names(want.children) {
		mine := withName(want.children, name)
		theirs := groups[name]
		at := join(where, name)
		if c.unordered[name] && len(mine) == len(theirs) {
			theirs = c.fit(at, mine, theirs)
		}
		for i, w := range mine {
			if i >= len(theirs) {
				c.add(c.class(KeyMissing, ElementMissing), at, w.brief(), "")
				continue
			}
			pairs = append(pairs, pair{numbered(at, i, len(mine)), w, theirs[i]})
		}
		for _, g := range theirs[min(len(mine), len(theirs)):] {
			c.add(c.class(KeyExtra, ElementExtra), at, "", g.brief())
		}
		delete(groups, name)
	}
	for _, g := range got.children {
		if groups[g.name] != nil {
			c.add(c.class(KeyExtra, ElementExtra), join(where, g.name), "", g.brief())
		}
	}
	c.order(where, want, got)
	return pairs
}

func (c *comparison) class(json, xml Class) Class {
	if c.xml {
		return xml
	}
	return json
}

// order compares the order of the names that both have.
func (c *comparison) order(where string, want, got *node) {
	if !c.exact {
		return
	}
	w, g := common(want.children, got.children), common(got.children, want.children)
	if !slices.Equal(w, g) && len(w) == len(g) {
		c.add(c.class(KeyOrder, ElementOrder), where, strings.Join(w, " "), strings.Join(g, " "))
	}
}

func common(of, with []*node) []string {
	other := setOf(names(with))
	var out []string
	for _, n := range of {
		if other[n.name] {
			out = append(out, n.name)
		}
	}
	return out
}

// items compares lists.
func (c *comparison) items(where string, want, got *node) {
	theirs := got.children
	if c.unordered[want.name] && len(want.children) == len(theirs) {
		theirs = c.fit(where, want.children, theirs)
	}
	for i, w := range want.children {
		at := join(where, strconv.Itoa(i))
		if i >= len(theirs) {
			c.add(KeyMissing, at, w.brief(), "")
			continue
		}
		c.node(at, w, theirs[i])
	}
	for i := len(want.children); i < len(theirs); i++ {
		c.add(KeyExtra, join(where, strconv.Itoa(i)), "", theirs[i].brief())
	}
}

// fit sorts what was got so that as much as possible equals what was wanted.
func (c *comparison) fit(where string, want, got []*node) []*node {
	left := slices.Clone(got)
	out := make([]*node, len(want))
	trial := c.b.copy()
	for i, w := range want {
		for j, g := range left {
			t := &comparison{b: trial.copy(), exact: c.exact, unordered: c.unordered, xml: c.xml}
			if t.node(where, w, g); len(t.found) == 0 {
				out[i], trial = g, t.b
				left = slices.Delete(left, j, j+1)
				break
			}
		}
	}
	for i := range out {
		if out[i] == nil {
			out[i], left = left[0], left[1:]
		}
	}
	c.free = c.free || !slices.Equal(out, got)
	return out
}

func (n *node) brief() string {
	if len(n.children) > 0 {
		return fmt.Sprintf("%s with %s", n.name, strings.Join(names(n.children), " "))
	}
	return n.name + " " + n.text
}

// names returns each name once, in the order of the first of it.
func names(nodes []*node) []string {
	var out []string
	seen := make(map[string]bool)
	for _, n := range nodes {
		if !seen[n.name] {
			seen[n.name] = true
			out = append(out, n.name)
		}
	}
	return out
}

func withName(nodes []*node, name string) []*node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n *node) bool { return n.name != name })
}

func join(where, name string) string {
	if where == "" {
		return name
	}
	return where + "." + name
}

func numbered(where string, i, n int) string {
	if n == 1 {
		return where
	}
	return where + "." + strconv.Itoa(i)
}
