package mns

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// prologues are the XML declarations of the provider's clients.
var prologues = []string{
	`<?xml version="1.0" encoding="UTF-8"?>`,
	`<?xml version="1.0" encoding="utf-8"?>`,
	`<?xml version="1.0" encoding="UTF-8" standalone="no"?>`,
	`<?xml version="1.0" ?>`,
	`<?xml version="1.0"?>`,
}

// plainReader reads XML without comments, sections, instructions, prefixed elements, character references, carriage
// returns and DTDs. It is strict: what it accepts, an XML package accepts with the same result (FuzzReadXML), and what
// it does not accept may be well-formed all the same.
type plainReader struct {
	doc  string
	at   int
	tags int
}

// readPlain reads a document if it is plain, and says so.
func readPlain(doc string) (*element, bool) {
	if !plainText(doc) {
		return nil, false
	}
	r := plainReader{doc: doc}
	if i := slices.IndexFunc(prologues, func(p string) bool { return strings.HasPrefix(doc, p) }); i >= 0 {
		r.at = len(prologues[i])
	}
	r.space()
	root := &element{}
	if !r.element(root, 1) {
		return nil, false
	}
	r.space()
	return root, r.at == len(doc)
}

// plainText reports whether a text is UTF-8 of characters that XML 1.0 allows, without carriage returns, which XML
// turns into line feeds.
func plainText(doc string) bool {
	ascii := true
	for i := range len(doc) {
		switch c := doc[i]; {
		case c < ' ' && c != '\n' && c != '\t':
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(doc) && !strings.Contains(doc, "\uFFFE") && !strings.Contains(doc, "\uFFFF")
}

// element reads an element from its '<' on.
func (r *plainReader) element(e *element, depth int) bool {
	name, open, ok := r.startTag()
	if !ok || depth > maxDepth {
		return false
	}
	e.name = name
	for open {
		text, ok := r.text()
		if !ok {
			return false
		}
		if strings.HasPrefix(r.doc[r.at:], "</") {
			if e.kids == nil {
				e.text = text
			}
			return r.endTag(name)
		}
		e.kids = append(e.kids, element{})
		if !r.element(&e.kids[len(e.kids)-1], depth+1) {
			return false
		}
	}
	return true
}

// startTag reads a start tag; open is false if it is the end tag as well.
func (r *plainReader) startTag() (name string, open, ok bool) {
	if r.tags++; r.tags > maxTags || !r.take("<") {
		return "", false, false
	}
	if name = r.name(); name == "" {
		return "", false, false
	}
	for {
		spaced := r.space()
		if r.take(">") {
			return name, true, true
		}
		if r.take("/>") {
			return name, false, true
		}
		if !spaced || !r.attribute() {
			return "", false, false
		}
	}
}

// attribute reads name="value", with at most one prefix before the name.
func (r *plainReader) attribute() bool {
	if r.tags++; r.tags > maxTags {
		return false
	}
	if r.name() == "" || r.take(":") && r.name() == "" {
		return false
	}
	if r.space(); !r.take("=") {
		return false
	}
	r.space()
	quote := `"`
	if !r.take(quote) {
		if quote = `'`; !r.take(quote) {
			return false
		}
	}
	value, _, ok := strings.Cut(r.doc[r.at:], quote)
	r.at += len(value) + 1
	return ok && !strings.ContainsAny(value, "<&")
}

func (r *plainReader) endTag(name string) bool {
	if !r.take("</") || r.name() != name {
		return false
	}
	r.space()
	return r.take(">")
}

// name reads a name of ASCII characters without a colon, or nothing.
func (r *plainReader) name() string {
	start := r.at
	for r.at < len(r.doc) && isNameByte(r.doc[r.at], r.at == start) {
		r.at++
	}
	return r.doc[start:r.at]
}

func isNameByte(c byte, first bool) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		return true
	case '0' <= c && c <= '9', c == '-', c == '.':
		return !first
	}
	return false
}

// text reads character data up to the next '<'.
func (r *plainReader) text() (string, bool) {
	n := strings.IndexByte(r.doc[r.at:], '<')
	if n < 0 {
		return "", false
	}
	text := r.doc[r.at : r.at+n]
	r.at += n
	if strings.Contains(text, "]]>") {
		return "", false
	}
	return unescape(text)
}

// entities are the references that XML has without a DTD.
var entities = []entity{{"&quot;", '"'}, {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&apos;", '\''}}

type entity struct {
	name string
	char byte
}

// unescape resolves the references of a text, and reports whether it has no others than entities.
func unescape(text string) (string, bool) {
	at := strings.IndexByte(text, '&')
	if at < 0 {
		return text, true
	}
	plain := make([]byte, 0, len(text))
	for ; at >= 0; at = strings.IndexByte(text, '&') {
		plain = append(plain, text[:at]...)
		text = text[at:]
		i := slices.IndexFunc(entities, func(e entity) bool { return strings.HasPrefix(text, e.name) })
		if i < 0 {
			return "", false
		}
		plain = append(plain, entities[i].char)
		text = text[len(entities[i].name):]
	}
	return string(append(plain, text...)), true
}

// space skips white space and reports whether there was any.
func (r *plainReader) space() bool {
	start := r.at
	for r.at < len(r.doc) && (r.doc[r.at] == ' ' || r.doc[r.at] == '\n' || r.doc[r.at] == '\t') {
		r.at++
	}
	return r.at > start
}

// take skips the literal if it is next.
func (r *plainReader) take(literal string) bool {
	if !strings.HasPrefix(r.doc[r.at:], literal) {
		return false
	}
	r.at += len(literal)
	return true
}
