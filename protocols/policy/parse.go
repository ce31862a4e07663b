package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is a policy that has been read. It is safe for concurrent use.
type Document struct{ statements []statement }

type statement struct {
	deny       bool
	principals list
	actions    list // in lower case
	resources  list
	phrases    []phrase // the values of resources
	conditions []condition
	unknown    []string // what is not understood
}

// list is an element such as Action, or its Not form.
type list struct {
	given, not bool
	values     []string
}

// The bounds of what is read. The policy of a queue has at most 8 KiB and 20 statements, that of a user of RAM 6 KiB
// (Documented).
const (
	maxText       = 64 << 10
	maxStatements = 200
)

// ParseResource reads the policy of a resource, in which every statement says whom it is about. One that does not say
// which resource means that which it belongs to.
func ParseResource(text string) (*Document, error) { return parse(text, false) }

// ParseIdentity reads the policy of a user, in which every statement says which resources it is about.
func ParseIdentity(text string) (*Document, error) { return parse(text, true) }

// versions are those of IAM and of RAM.
var versions = []string{"", "2012-10-17", "2008-10-17", "1"}

// variables is what a version makes of ${…}.
type variables int

const (
	plainText variables = iota // Documented, of IAM but for its last version
	replaced                   // Documented, of the last version of IAM
	unclear                    // of RAM, whose reference does not speak of them
)

func variablesOf(version string) variables {
	switch version {
	case "2012-10-17":
		return replaced
	case "1":
		return unclear
	}
	return plainText
}

func parse(text string, identity bool) (*Document, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the policy has %d bytes, more than %d", len(text), maxText)
	}
	var doc documentJSON
	if err := json.Unmarshal([]byte(text), &doc, json.RejectUnknownMembers(true)); err != nil {
		return nil, errors.New("the policy is no JSON in the form of one: " + inShort(err))
	}
	switch n := len(doc.Statement); {
	case !slices.Contains(versions, string(doc.Version)):
		return nil, fmt.Errorf("the version of the policy is %q, want one of %q", doc.Version, versions[1:])
	case n == 0 || n > maxStatements:
		return nil, fmt.Errorf("the policy has %d statements, want 1 to %d", n, maxStatements)
	}
	d := &Document{statements: make([]statement, len(doc.Statement))}
	for i, value := range doc.Statement {
		s, err := readStatement(value, identity, variablesOf(string(doc.Version)))
		if err != nil {
			return nil, fmt.Errorf("statement %d of the policy: %w", i+1, err)
		}
		d.statements[i] = s
	}
	return d, nil
}

// inShort drops the prefixes of the decoder's errors.
func inShort(err error) string {
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		return "at " + string(wrong.JSONPointer)
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}

// Unknown returns what the policy has and this package does not understand, each once.
func (d *Document) Unknown() []string {
	var all []string
	for i := range d.statements {
		all = append(all, d.statements[i].unknown...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

type documentJSON struct {
	Version   scalar         // which null is none of
	ID        jsontext.Value `json:"Id"`
	Statement oneOrMore[jsontext.Value]
}

type statementJSON struct {
	Sid          jsontext.Value
	Effect       string
	Principal    *principals
	NotPrincipal *principals
	Action       *oneOrMore[scalar]
	NotAction    *oneOrMore[scalar]
	Resource     *oneOrMore[scalar]
	NotResource  *oneOrMore[scalar]
	Condition    map[string]map[string]oneOrMore[scalar]
}

// readStatement reads a statement. A member that is null is no member that is not there: the grammar of IAM has no null,
// and to leave out a condition would allow more.
// UNVERIFIED: that both providers refuse null.
func readStatement(value jsontext.Value, identity bool, variables variables) (statement, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(value, &members); err != nil {
		return statement{}, errors.New("it is no JSON in the form of one: " + inShort(err))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if members[name].Kind() == 'n' {
			return statement{}, fmt.Errorf("its %s is null", name)
		}
	}
	var j statementJSON
	if err := json.Unmarshal(value, &j, json.RejectUnknownMembers(true)); err != nil {
		return statement{}, errors.New("it is no JSON in the form of one: " + inShort(err))
	}
	return j.statement(identity, variables)
}

func (j *statementJSON) statement(identity bool, variables variables) (s statement, err error) {
	s.deny = j.Effect == "Deny"
	if !s.deny && j.Effect != "Allow" {
		return s, fmt.Errorf("its Effect is %q, want Allow or Deny", j.Effect)
	}
	if s.actions, err = choose("Action", j.Action, j.NotAction); err != nil {
		return s, err
	}
	for i, action := range s.actions.values {
		s.actions.values[i] = strings.ToLower(action) // as the action of a request is read
	}
	if s.resources, err = choose("Resource", j.Resource, j.NotResource); err != nil {
		return s, err
	}
	if s.principals, err = choose("Principal", j.Principal.scalars(), j.NotPrincipal.scalars()); err != nil {
		return s, err
	}
	if err := s.complete(identity); err != nil {
		return s, err
	}
	for _, text := range s.resources.values {
		s.phrases = append(s.phrases, s.phrase(completed(text), variables))
	}
	return s, s.condition(j.Condition, variables)
}

// complete checks that a statement has what its kind of policy must have.
func (s *statement) complete(identity bool) error {
	switch {
	case !s.actions.given:
		return errors.New("its Action is missing")
	case identity && s.principals.given:
		return errors.New("the policy of a user has no Principal")
	case identity && !s.resources.given:
		return errors.New("its Resource is missing")
	case !identity && !s.principals.given:
		return errors.New("its Principal is missing")
	}
	return nil
}

// phrase reads a text that may have variables, and notes those that are not understood.
func (s *statement) phrase(text string, variables variables) phrase {
	if variables == plainText || !strings.Contains(text, "${") {
		return phrase{{plain: wild(text)}}
	}
	if p, ok := read(text); ok && variables == replaced {
		return p
	}
	s.unknown = append(s.unknown, "variables")
	return phrase{{variable: "${"}} // the name of no key, so that it may be anything
}

func choose(name string, is, not *oneOrMore[scalar]) (l list, err error) {
	given := is
	if given == nil {
		given, l.not = not, true
	}
	if given == nil {
		return list{}, nil
	}
	if is != nil && not != nil {
		return l, fmt.Errorf("%s and Not%s are both there", name, name)
	}
	if l.not {
		name = "Not" + name
	}
	if len(*given) == 0 {
		return l, fmt.Errorf("its %s has nothing in it", name)
	}
	l.given = true
	for _, value := range *given {
		l.values = append(l.values, string(value))
	}
	return l, nil
}

// oneOrMore is a value that may stand for a list of itself.
type oneOrMore[T any] []T

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *oneOrMore[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '[' {
		return json.UnmarshalDecode(d, (*[]T)(l))
	}
	*l = make(oneOrMore[T], 1)
	return json.UnmarshalDecode(d, &(*l)[0])
}

// scalar is a text, or a number or truth value as a text.
type scalar string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (s *scalar) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '"', '0', 't', 'f':
		*s = scalar(token.String())
		return nil
	}
	return errors.New("want a text")
}

// principals are those that a statement is about: "*", or lists by kinds. Those of services and the like keep their kind in
// front of them, so that they are nobody here. Documented: the kinds, and that a part of a name has no wildcards.
type principals []scalar

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (p *principals) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*p = principals{}
	if d.PeekKind() == '"' {
		var all scalar
		if err := json.UnmarshalDecode(d, &all); err != nil || all != "*" {
			return errors.New("want * or lists by kinds")
		}
		*p = append(*p, all)
		return nil
	}
	var kinds map[string]oneOrMore[scalar]
	if err := json.UnmarshalDecode(d, &kinds); err != nil {
		return err
	}
	for kind, names := range kinds {
		if len(names) == 0 || !slices.Contains([]string{"AWS", "Service", "Federated", "CanonicalUser"}, kind) {
			return errors.New("want lists by kinds")
		}
		for _, name := range names {
			switch {
			case kind != "AWS":
				name = scalar(kind) + ":" + name
			case name != "*" && strings.ContainsAny(string(name), "*?"):
				return errors.New("want the whole name")
			}
			*p = append(*p, name)
		}
	}
	return nil
}

func (p *principals) scalars() *oneOrMore[scalar] {
	return (*oneOrMore[scalar])(p)
}
