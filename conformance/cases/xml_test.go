package cases_test

import (
	"encoding/xml"
	"strings"
)

// element is an element of an XML answer: its elements or, if it has none, its text.
type element struct {
	XMLName xml.Name
	Text    string    `xml:",chardata"`
	Kids    []element `xml:",any"`
}

// parseXML reads a document.
func parseXML(doc string) (element, error) {
	var e element
	err := xml.Unmarshal([]byte(doc), &e)
	return e, err
}

func (e element) name() string { return e.XMLName.Local }

// kid returns the first element of a name, or an empty one.
func (e element) kid(name string) element {
	for _, k := range e.Kids {
		if k.name() == name {
			return k
		}
	}
	return element{}
}

// at returns the text at a path such as "Error/Code".
func (e element) at(path string) string {
	for name := range strings.SplitSeq(path, "/") {
		e = e.kid(name)
	}
	return e.Text
}

// names are those of the elements, in their order.
func (e element) names() (names []string) {
	for _, k := range e.Kids {
		names = append(names, k.name())
	}
	return names
}

// escaped writes a text so that it can stand in an element or an attribute.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}
