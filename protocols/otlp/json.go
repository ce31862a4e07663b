package otlp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var errJSON = malformed("the body is not an ExportTraceServiceRequest in JSON")

// These bound what a body may hold, one in JSON before anything is made of it: an object takes a hundred times the room of
// the two characters that can stand for it.
const (
	maxObjects = 150_000
	maxNesting = 64
)

// The shapes of the request. Documented: names in camel case, ids as hexadecimal digits, numbers of 64 bits as texts or
// numbers, unknown members ignored.
type (
	jsonRequest struct {
		ResourceSpans []struct {
			Resource struct {
				Attributes []jsonAttribute `json:"attributes"`
			} `json:"resource"`
			ScopeSpans []struct {
				Scope struct {
					Name string `json:"name"`
				} `json:"scope"`
				Spans []jsonSpan `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	jsonSpan struct {
		Trace      string          `json:"traceId"`
		ID         string          `json:"spanId"`
		Parent     string          `json:"parentSpanId"`
		Name       string          `json:"name"`
		Kind       scalar          `json:"kind"`
		Start      scalar          `json:"startTimeUnixNano"`
		End        scalar          `json:"endTimeUnixNano"`
		Attributes []jsonAttribute `json:"attributes"`
		Events     []struct {
			At         scalar          `json:"timeUnixNano"`
			Name       string          `json:"name"`
			Attributes []jsonAttribute `json:"attributes"`
		} `json:"events"`
		Links []struct {
			Trace string `json:"traceId"`
			ID    string `json:"spanId"`
		} `json:"links"`
		Status struct {
			Message string `json:"message"`
			Code    scalar `json:"code"`
		} `json:"status"`
	}
	jsonAttribute struct {
		Key   string    `json:"key"`
		Value jsonValue `json:"value"`
	}
	jsonValue struct {
		String *string `json:"stringValue"`
		Bool   scalar  `json:"boolValue"`
		Int    scalar  `json:"intValue"`
		Double scalar  `json:"doubleValue"`
		Bytes  *string `json:"bytesValue"`
		Array  *struct {
			Values []jsonValue `json:"values"`
		} `json:"arrayValue"`
		Map *struct {
			Values []jsonAttribute `json:"values"`
		} `json:"kvlistValue"`
	}
)

// scalar is a number, a boolean or the name of either, as it is written but for its quotes; empty when it is absent.
type scalar string

// UnmarshalJSON takes texts, numbers and booleans; null counts as absent.
func (s *scalar) UnmarshalJSON(b []byte) error {
	switch kind := jsontext.Value(b).Kind(); kind {
	case '{', '[':
		return errJSON
	case 'n':
		*s = ""
	default:
		*s = scalar(strings.Trim(string(b), `"`))
	}
	return nil
}

// number returns a number that is not negative, and 0 for anything else.
func (s scalar) number() uint64 {
	n, err := strconv.ParseUint(string(s), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// kind reads a kind by its number or, as some senders have it, by its name.
func (s scalar) kind() string {
	if name, ok := strings.CutPrefix(string(s), "SPAN_KIND_"); ok {
		name = strings.ToLower(name)
		for _, known := range kinds {
			if name == known {
				return known
			}
		}
	}
	return kindOf(s.number())
}

// bounded reports whether a body is JSON that is worth reading.
func bounded(body []byte) error {
	objects := 0
	for d := jsontext.NewDecoder(bytes.NewReader(body)); ; {
		t, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errJSON
		case t.Kind() == '{' || t.Kind() == '[':
			objects++
		}
		if objects > maxObjects || d.StackDepth() > maxNesting {
			return errTooLarge
		}
	}
}

// readJSON reads an ExportTraceServiceRequest.
func readJSON(body []byte) (spans []*Span, rejected int, err error) {
	if err := bounded(body); err != nil {
		return nil, 0, err
	}
	var q jsonRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, 0, errJSON
	}
	for i := range q.ResourceSpans {
		resource := &q.ResourceSpans[i]
		service := ""
		for _, a := range attributesOf(resource.Resource.Attributes) {
			if a.Key == "service.name" {
				service = text(a.Value, maxName)
			}
		}
		for j := range resource.ScopeSpans {
			scope := &resource.ScopeSpans[j]
			for k := range scope.Spans {
				s := scope.Spans[k].span()
				if !s.valid() {
					rejected++
					continue
				}
				s.Service, s.Scope = service, text(scope.Scope.Name, maxName)
				spans = append(spans, s)
			}
		}
	}
	return spans, rejected, nil
}

func (j *jsonSpan) span() *Span {
	s := &Span{
		Name: text(j.Name, maxName), Kind: j.Kind.kind(), Start: instant(j.Start.number()), End: instant(j.End.number()),
		Failed:     j.Status.Code.number() == failedStatus || j.Status.Code == "STATUS_CODE_ERROR",
		Message:    text(j.Status.Message, maxValue),
		Attributes: attributesOf(j.Attributes),
	}
	hexadecimal(s.Trace[:], j.Trace)
	hexadecimal(s.ID[:], j.ID)
	hexadecimal(s.Parent[:], j.Parent)
	for i := range j.Events[:min(len(j.Events), maxEvents)] {
		e := &j.Events[i]
		s.Events = append(s.Events, Event{text(e.Name, maxName), instant(e.At.number()), attributesOf(e.Attributes)})
	}
	for i := range j.Links[:min(len(j.Links), maxLinks)] {
		var l Span
		hexadecimal(l.Trace[:], j.Links[i].Trace)
		hexadecimal(l.ID[:], j.Links[i].ID)
		if l.valid() {
			s.Links = append(s.Links, Link{l.Trace, l.ID})
		}
	}
	return s
}

// hexadecimal fills an id, or leaves it zero if the text is not one.
func hexadecimal(id []byte, s string) {
	if len(s) != 2*len(id) {
		return
	}
	if _, err := hex.Decode(id, []byte(s)); err != nil {
		clear(id)
	}
}

func attributesOf(given []jsonAttribute) []Attribute {
	var attributes []Attribute
	for i := range given {
		if given[i].Key != "" && len(attributes) < maxAttributes {
			value := string(given[i].Value.append(nil, 0))
			attributes = append(attributes, Attribute{text(given[i].Key, maxName), text(value, maxValue)})
		}
	}
	return attributes
}

// append appends a value as text, as appendValue does.
func (v *jsonValue) append(to []byte, depth int) []byte {
	if depth > maxDepth {
		return append(to, "..."...)
	}
	switch {
	case v.String != nil && depth == 0:
		return append(to, *v.String...)
	case v.String != nil:
		return strconv.AppendQuote(to, *v.String)
	case v.Bytes != nil:
		return append(to, *v.Bytes...)
	case v.Array != nil:
		to = append(to, '[')
		for i := range v.Array.Values {
			to = v.Array.Values[i].append(separated(to, i), depth+1)
		}
		return append(to, ']')
	case v.Map != nil:
		to = append(to, '{')
		for i := range v.Map.Values {
			to = append(strconv.AppendQuote(separated(to, i), v.Map.Values[i].Key), ':')
			to = v.Map.Values[i].Value.append(to, depth+1)
		}
		return append(to, '}')
	}
	return append(to, v.Bool+v.Int+v.Double...)
}

func separated(to []byte, i int) []byte {
	if i > 0 {
		return append(to, ',')
	}
	return to
}
