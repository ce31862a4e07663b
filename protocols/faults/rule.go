package faults

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"sync"
	"time"
)

// Kind is what goes wrong.
type Kind string

// The kinds of faults.
const (
	// Throttle refuses a request as its provider does when there are too many. Error may name another of its codes.
	Throttle Kind = "throttle"
	// Fail answers with the error named by Error, or the provider's internal one: before the work is done or, with At
	// After, although it was done.
	Fail Kind = "error"
	// OverLimit refuses a receive because too many messages are in flight. Only SQS does so.
	OverLimit Kind = "over-limit"
	// LostAnswer does the work and closes the connection in place of an answer.
	LostAnswer Kind = "lost-answer"
	// Latency lets a request wait for Delay before the work or, with At After, before the answer.
	Latency Kind = "latency"
	// Drop closes the connection of a receive that waits for a message, Delay after it began. One that has got a message
	// by then is answered.
	Drop Kind = "drop"
	// Duplicate delivers a message of a standard queue again although its visibility timeout has not passed, the first
	// Copies times that it is delivered. With At Delete it is the delete that is forgotten: it succeeds, and the message
	// is delivered again.
	Duplicate Kind = "duplicate"
	// Reorder shuffles the messages of one receive from a standard queue. With At Send a message becomes visible later
	// than it should, by up to Delay, so that others overtake it.
	Reorder Kind = "reorder"
)

// Moment is when a fault of a kind that knows several happens.
type Moment string

// The moments, the first of each pair being the default.
const (
	Before  Moment = "before"  // Fail, Latency: before the work is done
	After   Moment = "after"   // once it is done
	Receive Moment = "receive" // Duplicate, Reorder: in a receive
	Delete  Moment = "delete"  // Duplicate
	Send    Moment = "send"    // Reorder
)

// Rule says what goes wrong, where and how often. The zero value of a member but Name and Kind means no restriction or
// the default.
type Rule struct {
	// Name tells rules apart: 1 to 64 letters, digits, ".", "-" and "_".
	Name string
	Kind Kind

	// Provider is "sqs" or "mns"; empty: both.
	Provider string
	// Operation is a pattern for the provider's name of the operation, such as "Send*" or "*Message*"; empty: all.
	Operation string
	// Queue is a pattern for the name of the queue, or of the topic; empty: all, also requests that are about none.
	Queue string

	// Rate is the share of the requests picked that the fault happens to, from 0 to 1; nil: 1.
	Rate *float64
	// After is how many of them are spared first.
	After int
	// Count is how many times the fault happens at most, at least 1; nil: no bound.
	Count *int
	// Seed is what the rule's draws begin with.
	Seed uint64

	// Error names the error of Throttle and Fail: a code of the provider, such as "ServiceUnavailable", or one of
	// "throttled", "internal" and "unavailable", which every provider has. Requests of a provider that has no such error
	// are spared and not counted.
	Error string
	// At is when the fault happens; empty: the kind's default.
	At Moment
	// Delay is for how long, up to 15 minutes. Latency needs one; nil otherwise: 1 s.
	Delay *time.Duration
	// Copies is how many times Duplicate delivers a message again, 1 to 10; nil: 1.
	Copies *int
}

// maxDelay is the longest delay of a message that SQS allows (Documented), and far over what any client waits for.
const maxDelay = 15 * time.Minute

// trait is what a kind of fault takes.
type trait struct {
	moments  []Moment // the first is the default
	err      string   // the default of Error; empty: there is none
	fixed    bool     // Error cannot be chosen
	delay    bool     // it takes one
	delivery bool     // it happens in the engine's verbs, not around them
}

var traits = map[Kind]trait{
	Throttle:   {err: Throttled},
	Fail:       {moments: []Moment{Before, After}, err: Internal},
	OverLimit:  {err: TooMany, fixed: true},
	LostAnswer: {},
	Latency:    {moments: []Moment{Before, After}, delay: true},
	Drop:       {delay: true, delivery: true},
	Duplicate:  {moments: []Moment{Receive, Delete}, delivery: true},
	Reorder:    {moments: []Moment{Receive, Send}, delay: true, delivery: true},
}

// Kinds returns all kinds of faults, in the order of the alphabet.
func Kinds() []Kind { return slices.Sorted(maps.Keys(traits)) }

// The errors that a rule can name without a provider's code, and that of OverLimit.
const (
	Throttled   = "throttled"
	Internal    = "internal"
	Unavailable = "unavailable"
	TooMany     = "over-limit"
)

// Invalid is what is wrong with a rule.
type Invalid struct {
	Rule  string // its name
	Field string // as the configuration spells it
	Text  string
}

// Error names the rule and says what is wrong.
func (e *Invalid) Error() string { return fmt.Sprintf("fault %q: %s %s", e.Rule, e.Field, e.Text) }

// ruleName is compiled when the first rule comes: most servers get none.
var ruleName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`) })

// check returns an *Invalid if something is wrong with a rule in itself.
func (r *Rule) check() error {
	wrong := func(field, format string, args ...any) error {
		return &Invalid{Rule: r.Name, Field: field, Text: fmt.Sprintf(format, args...)}
	}
	t, known := traits[r.Kind]
	switch {
	case !ruleName().MatchString(r.Name):
		return wrong("name", "is not 1 to 64 letters, digits, \".\", \"-\" and \"_\"")
	case !known:
		return wrong("kind", "is %q, want throttle, error, over-limit, lost-answer, latency, drop, duplicate or reorder", r.Kind)
	case r.Rate != nil && !(*r.Rate >= 0 && *r.Rate <= 1): // also refuses what is no number
		return wrong("rate", "is %v, want 0 to 1", *r.Rate)
	case r.After < 0:
		return wrong("after", "is %d, want at least 0", r.After)
	case r.Count != nil && *r.Count < 1:
		return wrong("count", "is %d, want at least 1", *r.Count)
	}
	if field, pattern := r.badPattern(); field != "" {
		return wrong(field, "is %q, which is no pattern", pattern)
	}
	return r.checkParameters(t, wrong)
}

func (r *Rule) badPattern() (field, pattern string) {
	for _, p := range [...]struct{ field, pattern string }{{"operation", r.Operation}, {"queue", r.Queue}} {
		if _, err := path.Match(p.pattern, ""); err != nil || len(p.pattern) > 256 {
			return p.field, p.pattern
		}
	}
	return "", ""
}

type complain func(field, format string, args ...any) error

func (r *Rule) checkParameters(t trait, wrong complain) error {
	switch {
	case r.Error != "" && (t.err == "" || t.fixed):
		return wrong("error", "means nothing to the kind %s", r.Kind)
	case r.At != "" && !slices.Contains(t.moments, r.At):
		return wrong("at", "is %q, want %s", r.At, t.choice())
	}
	if err := r.checkDelay(t, wrong); err != nil {
		return err
	}
	return r.checkCopies(wrong)
}

func (r *Rule) checkDelay(t trait, wrong complain) error {
	switch {
	case r.Delay == nil && r.Kind == Latency:
		return wrong("delay", "is missing")
	case r.Delay == nil:
		return nil
	case !t.delay || r.Kind == Reorder && r.At != Send:
		return wrong("delay", "means nothing here")
	case *r.Delay < time.Millisecond || *r.Delay > maxDelay:
		return wrong("delay", "is %v, want 1ms to %v", *r.Delay, maxDelay)
	}
	return nil
}

func (r *Rule) checkCopies(wrong complain) error {
	switch {
	case r.Copies == nil:
		return nil
	case r.Kind != Duplicate || r.At == Delete:
		return wrong("copies", "means something to duplicates in receives only")
	case *r.Copies < 1 || *r.Copies > 10:
		return wrong("copies", "is %d, want 1 to 10", *r.Copies)
	}
	return nil
}

func (t trait) choice() string {
	if len(t.moments) == 0 {
		return "none for this kind"
	}
	return fmt.Sprintf("%s or %s", t.moments[0], t.moments[1])
}

// moment returns when the fault happens.
func (r *Rule) moment() Moment {
	if moments := traits[r.Kind].moments; r.At == "" && len(moments) > 0 {
		return moments[0]
	}
	return r.At
}

// delay returns for how long.
func (r *Rule) delay() time.Duration {
	if r.Delay == nil {
		return time.Second
	}
	return *r.Delay
}

// copies returns how many times a message is delivered again.
func (r *Rule) copies() int {
	if r.Copies == nil {
		return 1
	}
	return *r.Copies
}

// errorName returns the name of the error.
func (r *Rule) errorName() string {
	if r.Error != "" {
		return r.Error
	}
	return traits[r.Kind].err
}
