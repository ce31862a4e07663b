package sqs

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

const traceHeader = "AWSTraceHeader"

// newAttributes reads the attributes of a message and returns them in the order of their names. All errors are of
// the message. Unless a comment says more, the rules are validated and the texts are transcribed.
func newAttributes(given wire.Map[attributeValue]) ([]core.Attribute, error) {
	if len(given) == 0 {
		return nil, nil
	}
	if n := len(given); n > maxAttributes { // the text was seen in a public issue
		return nil, invalidParameterValue.say("Number of message attributes [%d] exceeds the allowed maximum [10].", n)
	}
	attributes := make([]core.Attribute, 0, len(given))
	for i := range given {
		if err := checkAttributeName(given[i].Key); err != nil {
			return nil, err
		}
		a, err := newAttribute("user", given[i].Key, &given[i].Value)
		if err != nil {
			return nil, err
		}
		attributes = append(attributes, a)
	}
	slices.Reverse(attributes) // a repeated one counts as it is said last
	slices.SortStableFunc(attributes, func(a, b core.Attribute) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(attributes, func(a, b core.Attribute) bool { return a.Name == b.Name }), nil
}

// newTrace reads the system attributes of a message, of which there is but one, and returns its value and the digest
// of what was sent. Without it the header of X-Ray is the one of the request.
//
// W3C's form is what receivers in other protocols get: that of the message attributes, in which OpenTelemetry's clients
// send it, or else that of the system attribute, or else the request's. Receivers of SQS are not shown what is derived.
func newTrace(from *caller, attributes []core.Attribute, given wire.Map[attributeValue]) (core.Trace, *string, error) {
	xray, digest, err := systemTrace(from, given)
	if err != nil {
		return core.Trace{}, nil, err
	}
	t := protocols.CarriedTrace(textOf(attributes), "")
	if t.Parent == "" && digest != nil {
		t.Parent = protocols.ParentOf(xray)
	}
	if t.Parent == "" {
		t = protocols.RequestTrace(from.request)
	}
	t.XRay = xray
	return t, digest, nil
}

// textOf returns attributes as a carrier of a trace. OpenTelemetry's instrumentation of boto3 for SQS puts "otel." before
// the names (seen in its version 0.33b0); all others use them as they are.
func textOf(attributes []core.Attribute) func(string) string {
	return func(name string) string {
		for i := range attributes {
			a := &attributes[i]
			if bare, _ := strings.CutPrefix(a.Name, "otel."); bare == name && a.Kind == core.Text {
				return string(a.Value)
			}
		}
		return ""
	}
}

// systemTrace returns the header of X-Ray and, if it is a system attribute of the message, the digest of that.
func systemTrace(from *caller, given wire.Map[attributeValue]) (string, *string, error) {
	if len(given) == 0 {
		return from.trace(), nil, nil
	}
	var attributes []core.Attribute
	for i := range given {
		if given[i].Key != traceHeader {
			return "", nil, invalidParameterValue.say("Message system attribute name '%s' is invalid.", given[i].Key) // seen in a run against the real service, 2026-05
		}
		a, err := newAttribute("system", traceHeader, &given[i].Value)
		if err != nil {
			return "", nil, err
		}
		if len(a.Value) > maxTrace {
			// UNVERIFIED: only that it must be a valid header of X-Ray is documented, and those are short.
			return "", nil, invalidParameterValue.say("Message (system) attribute '%s' must be shorter than %d bytes.", traceHeader, maxTrace)
		}
		attributes = append(attributes[:0], a)
	}
	return string(attributes[0].Value), attributesDigest(attributes), nil
}

func checkAttributeName(name string) error {
	const of = "Message (user) attribute name must "
	switch upper := strings.ToUpper(name); {
	case name == "":
		return invalidParameterValue.say("The request must contain non-empty message (user) attribute names.")
	case len(name) > maxAttributeName: // 257 is refused; UNVERIFIED: that 256 is not
		return invalidParameterValue.say(of + "be shorter than 256 bytes.")
	case strings.ContainsFunc(name, notInAttributeName):
		return invalidParameterValue.say("Message (user) attributes name can only contain upper and lower score characters, digits, periods, hyphens and underscores. ")
	case strings.HasPrefix(upper, "AWS.") || strings.HasPrefix(upper, "AMAZON."):
		return invalidParameterValue.say("You can't use message attribute names beginning with 'AWS.' or 'Amazon'. These strings are reserved for internal use.")
	case strings.HasPrefix(name, "."):
		return invalidParameterValue.say(of + "not begin with character '.'.")
	case strings.HasSuffix(name, "."):
		return invalidParameterValue.say(of + "not end with character '.'.")
	case strings.Contains(name, ".."): // documented; UNVERIFIED: that the real service really refuses it
		return invalidParameterValue.say(of + "not have successive '.' characters.")
	}
	return nil
}

// notInAttributeName: besides the documented characters the real service takes Latin letters such as ø, ß and ä
// (validated); which others is not known.
func notInAttributeName(c rune) bool {
	switch {
	case c < 0x80 && isAlphanumeric(byte(c)), c == '_', c == '-', c == '.':
		return false
	case 0xC0 <= c && c <= 0x17F && c != '×' && c != '÷':
		return false
	}
	return true
}

// newAttribute checks type and value; whose is "user" or "system", for the texts.
func newAttribute(whose, name string, v *attributeValue) (core.Attribute, error) {
	a := core.Attribute{Name: name}
	kind, label, err := splitType(whose, name, v)
	if err != nil {
		return a, err
	}
	a.Kind, a.Label = kind, label
	a.Value, err = attributeBytes(whose, name, kind, v)
	if err != nil {
		return a, err
	}
	switch {
	case kind == core.Number && !isNumber(string(a.Value)):
		return a, invalidParameterValue.say("Can't cast the value of message (%s) attribute '%s' to a number.", whose, name)
	case kind == core.Text && !onlyWireCharacters(string(a.Value)): // validated; UNVERIFIED: the text
		return a, invalidParameterValue.say(invalidCharacters)
	}
	return a, nil
}

// splitType splits a data type such as "Number.java.lang.Long" at its first period.
func splitType(whose, name string, v *attributeValue) (core.AttributeKind, string, error) {
	if v.DataType == nil || *v.DataType == "" {
		return 0, "", invalidParameterValue.say("The message (%s) attribute '%s' must contain a non-empty message attribute type.", whose, name)
	}
	if len(*v.DataType) > maxAttributeType {
		return 0, "", invalidParameterValue.say("Message (%s) attribute type must be shorter than 256 bytes.", whose)
	}
	base, label, labelled := strings.Cut(*v.DataType, ".")
	kind := slices.Index(kindNames[:], base)
	if kind < 0 || labelled && label == "" {
		return 0, "", invalidParameterValue.say("The type of message (%s) attribute '%s' is invalid. You must use only the following supported type prefixes: Binary, Number, String.", whose, name)
	}
	return core.AttributeKind(kind), label, nil
}

// kindNames are the provider's names for the engine's kinds, in its order. It has none for a boolean.
var kindNames = [...]string{core.Text: "String", core.Number: "Number", core.Binary: "Binary"}

// attributeBytes returns the value, which must be the one member that fits the type and may not be empty.
func attributeBytes(whose, name string, kind core.AttributeKind, v *attributeValue) ([]byte, error) {
	field := "String"
	value, given := []byte(nil), v.StringValue != nil
	if given {
		value = []byte(*v.StringValue)
	}
	if kind == core.Binary {
		field, value, given = "Binary", v.BinaryValue, v.BinaryValue != nil
	}
	other := v.StringValue != nil || v.BinaryValue != nil
	switch {
	case len(v.StringListValues) > 0 || len(v.BinaryListValues) > 0: // Recorded
		return nil, unsupportedOperation.say("Message attribute list values in SendMessage operation are not supported.")
	case v.StringValue != nil && v.BinaryValue != nil:
		return nil, invalidParameterValue.say("Message (%s) attribute '%s' must have a single value.", whose, name)
	case !other:
		return nil, invalidParameterValue.say("The message (%s) attribute '%s' must contain a non-empty message attribute value.", whose, name)
	case !given:
		return nil, invalidParameterValue.say("Message (%s) attribute '%s' with type '%s' must use field '%s'.", whose, name, *v.DataType, field)
	case len(value) == 0: // Recorded 2024-04-30
		return nil, invalidParameterValue.say("Message (%s) attribute '%s' must contain a non-empty value of type '%s'.", whose, name, *v.DataType)
	}
	return value, nil
}

// isNumber reports whether a text is a decimal number within the documented range.
func isNumber(s string) bool {
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return false
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && math.Abs(f) <= 1e126 && precision(s) <= maxPrecision
}

// precision returns how many significant digits a number has.
func precision(s string) (digits int) {
	mantissa := strings.ToLower(s)
	if i := strings.IndexByte(mantissa, 'e'); i >= 0 {
		mantissa = mantissa[:i]
	}
	mantissa = strings.TrimLeft(strings.ReplaceAll(mantissa, ".", ""), "+-0")
	return len(strings.TrimRight(mantissa, "0"))
}

// dataType writes the type of an attribute. A boolean, which only another provider makes, is a text with a label.
func dataType(a *core.Attribute) string {
	base, label := "String", a.Label
	switch {
	case a.Kind != core.Boolean:
		base = kindNames[a.Kind]
	case label == "":
		label = "boolean"
	}
	if label == "" {
		return base
	}
	return base + "." + label
}

// attributesSize is what attributes count for in the size of a message.
func attributesSize(attributes []core.Attribute) (n int) {
	for i := range attributes {
		a := &attributes[i]
		n += len(a.Name) + len(dataType(a)) + len(a.Value)
	}
	return n
}

// filter selects attributes by the names of a receive.
type filter struct {
	all      bool
	exact    map[string]bool
	prefixes []string
}

// newFilter reads names: exact ones, prefixes before ".*", or all of them by "All", ".*" or "*" (Recorded
// 2024-04-30). Names that no attribute can have match nothing.
func newFilter(names []string) filter {
	f := filter{exact: make(map[string]bool, len(names))}
	for _, name := range names {
		prefix, isPrefix := strings.CutSuffix(name, ".*")
		switch {
		case name == "All" || name == "*" || name == ".*":
			f.all = true
		case isPrefix:
			f.prefixes = append(f.prefixes, prefix)
		default:
			f.exact[name] = true
		}
	}
	return f
}

func (f *filter) matches(name string) bool {
	return f.all || f.exact[name] || slices.ContainsFunc(f.prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// selected returns the attributes that match, in their order, which is that of the names.
func (f *filter) selected(attributes []core.Attribute) []core.Attribute {
	if f.all || len(attributes) == 0 {
		return attributes
	}
	var chosen []core.Attribute
	for i := range attributes {
		if f.matches(attributes[i].Name) {
			chosen = append(chosen, attributes[i])
		}
	}
	return chosen
}

// shownAttributes turns attributes into their shapes.
func shownAttributes(attributes []core.Attribute) wire.Map[attributeValue] {
	shown := make(wire.Map[attributeValue], len(attributes))
	for i := range attributes {
		a := &attributes[i]
		kind := dataType(a)
		shown[i].Key, shown[i].Value.DataType = a.Name, &kind
		if a.Kind == core.Binary {
			shown[i].Value.BinaryValue = append([]byte{}, a.Value...) // an empty value is one
			continue
		}
		text := string(a.Value)
		shown[i].Value.StringValue = &text
	}
	return shown
}
