package mns

import (
	"errors"
	"io"
	"strings"

	"github.com/beevik/etree"
)

// element is an element of a request: its name without a prefix, and its elements or, if it has none, its text.
// Attributes are not kept: the provider's requests have no others than namespaces, of which clients send several.
//
// It is also the form into which JSON is read, whose members are elements then.
type element struct {
	name string
	text string
	kids []element
	list bool // JSON: the elements are the entries of a list
}

// Limits on what is not worth reading. A batch of 16 messages with 60 user properties each has 4,100 tags.
const (
	maxDepth = 16
	maxTags  = 5000
)

// readXML reads a document. Returns errMalformedXML for what is not well-formed, for documents with a DTD, in another
// encoding than UTF-8, and for those over the limits.
// UNVERIFIED: that the service refuses characters that XML cannot carry, too. Receivers once got some that it did take,
// and could not read the answer any more.
//
// Nearly all requests are of the plain kind that readPlain understands, which takes a tenth of the time of an XML
// package. All others, and the verdict on what is malformed, are left to etree.
func readXML(doc string) (*element, error) {
	if root, ok := readPlain(doc); ok {
		return root, nil
	}
	return readTree(doc)
}

// readTree reads a document by etree, after a look at how many things it would have to make.
func readTree(doc string) (*element, error) {
	if crowded(doc) {
		return nil, errMalformedXML
	}
	tree := etree.NewDocument()
	tree.ReadSettings = etree.ReadSettings{MaxDepth: maxDepth, CharsetReader: refuseCharset}
	if err := tree.ReadFromString(doc); err != nil {
		return nil, errMalformedXML
	}
	return rootOf(tree)
}

func refuseCharset(string, io.Reader) (io.Reader, error) {
	return nil, errors.New("mns: a body is not UTF-8")
}

// rootOf returns the only element of a document. etree's own check of this refuses white space after the root, which
// the PHP client sends.
func rootOf(tree *etree.Document) (*element, error) {
	var root *element
	for _, t := range tree.Child {
		switch t := t.(type) {
		case *etree.Element:
			if root != nil {
				return nil, errMalformedXML
			}
			e := elementOf(t)
			root = &e
		case *etree.CharData:
			if !t.IsWhitespace() {
				return nil, errMalformedXML
			}
		}
	}
	if root == nil {
		return nil, errMalformedXML
	}
	return root, nil
}

func elementOf(t *etree.Element) element {
	e := element{name: t.Tag}
	var text strings.Builder
	for _, child := range t.Child {
		switch child := child.(type) {
		case *etree.Element:
			e.kids = append(e.kids, elementOf(child))
		case *etree.CharData:
			text.WriteString(child.Data)
		}
	}
	if e.kids == nil {
		e.text = text.String()
	}
	return e
}

// crowded reports whether a document has more tags, attributes and sections than any request needs, or a DTD. It need
// not be right on what is malformed, since etree refuses that.
func crowded(doc string) bool {
	for seen := 0; ; {
		at := strings.IndexByte(doc, '<')
		if at < 0 {
			return false
		}
		rest, things, ok := skipMarkup(doc[at+1:])
		if seen += things; !ok || seen > maxTags {
			return true
		}
		doc = rest
	}
}

// skipMarkup returns what follows a tag or section whose '<' has been read, and how many things there are to make of
// it: attributes, and the element or section. It is not ok with declarations of a DTD.
func skipMarkup(doc string) (rest string, things int, ok bool) {
	switch {
	case strings.HasPrefix(doc, "/"):
		return doc, 0, true
	case strings.HasPrefix(doc, "![CDATA["):
		return after(doc, "]]>"), 1, true
	case strings.HasPrefix(doc, "!--"):
		return after(doc, "-->"), 1, true
	case strings.HasPrefix(doc, "?"):
		return after(doc, "?>"), 1, true
	case strings.HasPrefix(doc, "!"):
		return "", 0, false
	}
	for things = 1; ; things++ {
		at := strings.IndexAny(doc, `>"'`)
		if at < 0 {
			return "", things, true
		}
		if doc[at] == '>' {
			return doc[at+1:], things, true
		}
		doc = after(doc[at+1:], doc[at:at+1])
	}
}

func after(doc, end string) string {
	_, rest, _ := strings.Cut(doc, end)
	return rest
}
