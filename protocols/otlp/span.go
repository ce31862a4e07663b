package otlp

import (
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"
)

// TraceID is the id of a trace.
type TraceID [16]byte

// SpanID is the id of a span.
type SpanID [8]byte

// String returns 32 hexadecimal digits.
func (t TraceID) String() string { return hex.EncodeToString(t[:]) }

// String returns 16 hexadecimal digits.
func (s SpanID) String() string { return hex.EncodeToString(s[:]) }

// ParseTraceID reads 32 hexadecimal digits. It is not ok for anything else, and for zero, which is no trace.
func ParseTraceID(s string) (t TraceID, ok bool) {
	if len(s) != 2*len(t) {
		return t, false
	}
	_, err := hex.Decode(t[:], []byte(s))
	return t, err == nil && t != TraceID{}
}

// Span is a span of an application. Texts are valid UTF-8 and cut where they are too long.
type Span struct {
	Trace      TraceID
	ID, Parent SpanID // Parent is zero for a root
	Name       string
	Service    string // the service.name of its resource
	Scope      string // the instrumentation that made it
	Kind       string // "internal", "server", "client", "producer", "consumer", or empty
	Start, End time.Time
	Failed     bool   // its status is an error
	Message    string // of the status
	Attributes []Attribute
	Events     []Event
	Links      []Link
}

// Attribute is a name with a value, whatever its type, as text: lists and maps look like JSON.
type Attribute struct{ Key, Value string }

// Event is something that happened during a span.
type Event struct {
	Name       string
	At         time.Time
	Attributes []Attribute
}

// Link names a span elsewhere.
type Link struct {
	Trace TraceID
	ID    SpanID
}

// These bound one span; what is over is left out. The first is the SDKs' own default.
const (
	maxAttributes = 128
	maxEvents     = 64
	maxLinks      = 64
	maxName       = 512
	maxValue      = 4096
	maxDepth      = 8 // of lists and maps in a value
)

// kinds are the names of kinds by their numbers.
var kinds = [...]string{"", "internal", "server", "client", "producer", "consumer"}

func kindOf(n uint64) string {
	if n < uint64(len(kinds)) {
		return kinds[n]
	}
	return ""
}

// failedStatus is the number of the status that is an error.
const failedStatus = 2

// text makes a text ours: it is cut to a length, valid, and does not keep the request in memory.
func text(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
		for range utf8.UTFMax { // not in the middle of a character
			if r, n := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || n != 1 {
				break
			}
			s = s[:len(s)-1]
		}
	}
	if !utf8.ValidString(s) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Clone(s)
}

// instant returns the time of nanoseconds since 1970.
func instant(nanos uint64) time.Time { return time.Unix(0, int64(nanos)).UTC() }

func (s *Span) valid() bool { return s.Trace != TraceID{} && s.ID != SpanID{} }

// objects is of how many parts a span consists, itself being one.
func (s *Span) objects() int {
	n := 1 + len(s.Attributes) + len(s.Events) + len(s.Links)
	for i := range s.Events {
		n += len(s.Events[i].Attributes)
	}
	return n
}

// Sizes of objects, about.
const (
	spanBytes      = 320
	attributeBytes = 32
	eventBytes     = 64
	linkBytes      = 24
)

// size is about how much memory a span takes.
func (s *Span) size() int {
	n := spanBytes + len(s.Name) + len(s.Message) + len(s.Scope) + len(s.Links)*linkBytes + sizeOf(s.Attributes)
	for i := range s.Events {
		n += eventBytes + len(s.Events[i].Name) + sizeOf(s.Events[i].Attributes)
	}
	return n
}

func sizeOf(attributes []Attribute) (n int) {
	for i := range attributes {
		n += attributeBytes + len(attributes[i].Key) + len(attributes[i].Value)
	}
	return n
}
