// Package replay sends recorded provider traffic to a server and says what differs in its answers.
//
// A recording is a text file of HTTP exchanges with its provenance on top; Parse reads one. What a provider makes up at
// will (ids, receipts, times, hosts) is bound at first sight, put into later requests, and has to recur equal. All else
// is compared: statuses, codes, texts, headers, the presence and the order of elements and, where the bytes are known,
// the layout. Each kind of difference has a name, a Class, so that a score can be read and a known difference be listed.
//
// The package knows no rule of a provider: what is right stands in the recordings alone.
package replay

import (
	"strings"
	"time"
)

// Evidence says how it is known that a provider answers so.
type Evidence string

// The levels of evidence, best first.
const (
	Recorded   Evidence = "recorded"   // the answer of the real provider
	Documented Evidence = "documented" // the provider's documentation says so
	Derived    Evidence = "derived"    // it follows from recordings and documentation of something else
)

var evidenceLevels = []Evidence{Recorded, Documented, Derived}

// The dialects: the folders of the corpus.
const (
	SQSJSON  = "sqs-json"
	SQSQuery = "sqs-query"
	MNS      = "mns"
	Cross    = "cross" // scenarios in which several dialects meet
)

// Dialects are all of them, in the order of reports.
func Dialects() []string { return []string{SQSJSON, SQSQuery, MNS, Cross} }

// Scenario is a recording: some exchanges, and where they are from. It depends on no other.
type Scenario struct {
	Dialect, Operation, Case string

	Title, Source, Date string
	Evidence            Evidence
	Exact               bool // every byte of the answers is known, not only names and values
	Unordered           map[string]bool
	Verified            bool // it is about signatures: only servers that check them can meet it
	Notes               []string

	Steps []Step
}

// Name is the path of a scenario in the corpus, without its ending.
func (s *Scenario) Name() string { return s.Dialect + "/" + s.Operation + "/" + s.Case }

// StepKind says what a step is for.
type StepKind string

// The kinds of steps.
const (
	Setup   StepKind = "setup"   // has to succeed; only what it binds is looked at
	Call    StepKind = "call"    // compared in full
	Advance StepKind = "advance" // lets time pass
	Cleanup StepKind = "cleanup" // done in any case; its answer does not matter
)

// Step is one thing that a scenario does.
type Step struct {
	Kind  StepKind
	Words string
	Line  int // where it begins in its file

	Pass     time.Duration // Advance
	Request  *Message
	Response *Message // nil: any success will do
}

// Message is a request or an answer as it is written down, its values in braces still in place.
type Message struct {
	Method, Path string // of a request
	Status       int    // of an answer
	Headers      []Header
	Body         string
}

// Header is a line of a header.
type Header struct{ Name, Value string }

// absent as the value of a header says that there must be none.
const absent = "{{absent}}"

// header returns a header by its name, without regard to case.
func (m *Message) header(name string) (string, bool) {
	for _, h := range m.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value, true
		}
	}
	return "", false
}

// dialectOf says which dialect a request speaks; within Cross it is seen from the request.
func (s *Scenario) dialectOf(m *Message) string {
	if s.Dialect != Cross {
		return s.Dialect
	}
	if _, ok := m.header("X-Amz-Target"); ok {
		return SQSJSON
	}
	if strings.HasPrefix(m.Path, "/queues") || strings.HasPrefix(m.Path, "/topics") {
		return MNS
	}
	return SQSQuery
}
