package replay

import "fmt"

// Class names a kind of difference between an answer and its recording.
type Class string

// The classes of differences.
const (
	Status    Class = "status"     // another status
	ErrorCode Class = "error-code" // another code of an error
	Text      Class = "error-text" // another text of an error

	HeaderMissing Class = "header-missing"
	HeaderChanged Class = "header-changed"
	HeaderExtra   Class = "header-extra" // a header that must not be there

	KeyMissing Class = "json-key-missing" // also an item of a list
	KeyExtra   Class = "json-key-extra"
	KeyOrder   Class = "json-key-order"
	JSONType   Class = "json-type" // a string in place of a number, and the like

	ElementMissing Class = "xml-element-missing" // also an attribute
	ElementExtra   Class = "xml-element-extra"
	ElementOrder   Class = "xml-element-order"

	Body   Class = "body"   // there is none, there must be none, or it cannot be read
	Layout Class = "layout" // the same content in other bytes

	Value        Class = "value-changed"       // another value of what is the same in every run
	ValueForm    Class = "value-form"          // a made-up value that has not the provider's form
	BoundChanged Class = "bound-value-changed" // a value that has to recur came back as another
	NotRenewed   Class = "value-not-renewed"   // a value that has to be a new one is an old one
	Unbound      Class = "unbound"             // the recording uses a value before it is bound

	SetupFailed Class = "setup"     // what the scenario needs could not be had
	Transport   Class = "transport" // no answer came
	Stale       Class = "stale"     // a listed deviation that is gone
)

// Classes are all classes of differences, in the order of reports.
func Classes() []Class {
	return []Class{
		Status, ErrorCode, Text, HeaderMissing, HeaderChanged, HeaderExtra, KeyMissing, KeyExtra, KeyOrder, JSONType,
		ElementMissing, ElementExtra, ElementOrder, Body, Layout, Value, ValueForm, BoundChanged, NotRenewed, Unbound,
		SetupFailed, Transport, Stale,
	}
}

// outward are the classes that concern how an answer is written down rather than what it says. Most clients do not see
// them; strict parsers, signatures and goldens do.
var outward = []Class{HeaderMissing, HeaderChanged, HeaderExtra, KeyExtra, KeyOrder, ElementExtra, ElementOrder, Layout, ValueForm}

// Difference is one thing in which an answer differs.
type Difference struct {
	Class Class  `json:"class"`
	Step  int    `json:"step"` // counted from 1
	Line  int    `json:"line"` // of the recording, where the step begins
	Where string `json:"where,omitempty"`
	Want  string `json:"want"`
	Got   string `json:"got"`
}

// String is one line about a difference.
func (d *Difference) String() string {
	where := ""
	if d.Where != "" {
		where = " at " + d.Where
	}
	return fmt.Sprintf("line %d: %s%s: got %q, want %q", d.Line, d.Class, where, d.Got, d.Want)
}
