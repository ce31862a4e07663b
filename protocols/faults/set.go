package faults

import (
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/protocols"
)

// Provider is what faults need to know of a provider's dialects.
type Provider struct {
	// Failure returns the provider's error of that name: Throttled, Internal, Unavailable, TooMany or a code of its own.
	// Nil if it has none.
	Failure func(name string) error
	// Resource returns the name of the queue or topic that a call is about, as the request says it; empty if there is
	// none.
	Resource func(c *protocols.Call) string
}

// Providers are the providers by their names: what the names of their dialects have before the first "-".
type Providers map[string]Provider

// MaxRules is how many rules a set holds at most: each request is held against every one of them.
const MaxRules = 100

// Status is a rule with what came of it since it was set.
type Status struct {
	Rule
	Picked int // requests, or for Duplicate messages, that the rule is about
	Fired  int // how many times the fault happened
}

// Set is the rules of a server. It is safe for concurrent use.
type Set struct {
	providers Providers
	clock     clock.Clock
	changed   func()

	mu    sync.Mutex
	rules []*active
}

// active is a rule at work.
type active struct {
	Rule
	draw          *rand.Rand
	picked, fired int
}

// NewSet returns a set without rules. The function is called after each change of the rules, from whatever goroutine
// made it; the decorators follow by themselves, so it is of use to whoever leaves them out while there are no rules.
func NewSet(p Providers, c clock.Clock, changed func()) *Set {
	return &Set{providers: p, clock: c, changed: changed}
}

// Check returns an *Invalid if one of the rules is wrong, if two have the same name, or if there are too many.
func (s *Set) Check(rules []Rule) error {
	if len(rules) > MaxRules {
		return &Invalid{Rule: rules[MaxRules].Name, Field: "name", Text: "is that of one rule too many: there can be 100"}
	}
	names := make(map[string]bool, len(rules))
	for i := range rules {
		r := &rules[i]
		if err := r.check(); err != nil {
			return err
		}
		if names[r.Name] {
			return &Invalid{Rule: r.Name, Field: "name", Text: "is that of another rule as well"}
		}
		names[r.Name] = true
		if err := s.checkProvider(r); err != nil {
			return err
		}
	}
	return nil
}

// checkProvider checks what depends on providers: a rule must mean something to one of those that it is about.
func (s *Set) checkProvider(r *Rule) error {
	if _, known := s.providers[r.Provider]; !known && r.Provider != "" {
		names := strings.Join(slices.Sorted(maps.Keys(s.providers)), " or ")
		return &Invalid{Rule: r.Name, Field: "provider", Text: "is \"" + r.Provider + "\", want " + names}
	}
	name := r.errorName()
	if name == "" {
		return nil
	}
	for provider, p := range s.providers {
		if (r.Provider == "" || r.Provider == provider) && p.Failure(name) != nil {
			return nil
		}
	}
	return &Invalid{Rule: r.Name, Field: "error", Text: "is \"" + name + "\", which is no error of that provider"}
}

// Replace sets all rules, which begin anew. Returns what Check does, and then changes nothing.
func (s *Set) Replace(rules []Rule) error {
	if err := s.Check(rules); err != nil {
		return err
	}
	next := make([]*active, len(rules))
	for i := range rules {
		next[i] = newActive(rules[i])
	}
	s.mu.Lock()
	s.rules = next
	s.mu.Unlock()
	s.changed()
	return nil
}

// Put sets one rule, in the place of the one of its name or at the end. The others go on. It reports whether the rule
// is new. Returns what Check does, and then changes nothing.
func (s *Set) Put(r Rule) (added bool, err error) {
	added, _, err = s.amend(r.Name, func(Rule, bool) (Rule, error) { return r, nil })
	return added, err
}

// Remove removes a rule and reports whether there was one of that name.
func (s *Set) Remove(name string) bool {
	s.mu.Lock()
	at := s.find(name)
	if at >= 0 {
		s.rules = slices.Delete(slices.Clone(s.rules), at, at+1)
	}
	s.mu.Unlock()
	if at >= 0 {
		s.changed()
	}
	return at >= 0
}

// amend sets the rule that a function makes of the one of that name, if there is one. The function must keep the name.
func (s *Set) amend(name string, change func(r Rule, exists bool) (Rule, error)) (added bool, now Status, err error) {
	if added, now, err = s.exchange(name, change); err == nil {
		s.changed()
	}
	return added, now, err
}

func (s *Set) exchange(name string, change func(r Rule, exists bool) (Rule, error)) (added bool, now Status, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, next := s.find(name), make([]Rule, len(s.rules), len(s.rules)+1)
	for i, a := range s.rules {
		next[i] = a.Rule
	}
	if at < 0 {
		at, next = len(next), append(next, Rule{Name: name})
	}
	added = at == len(s.rules)
	if next[at], err = change(next[at], !added); err != nil {
		return false, now, err
	}
	if err := s.Check(next); err != nil {
		return false, now, err
	}
	s.rules = slices.Clone(s.rules)
	if added {
		s.rules = append(s.rules, nil)
	}
	s.rules[at] = newActive(next[at])
	return added, Status{Rule: next[at]}, nil
}

func (s *Set) find(name string) int {
	return slices.IndexFunc(s.rules, func(a *active) bool { return a.Name == name })
}

// Empty reports whether there are no rules.
func (s *Set) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rules) == 0
}

// List returns the rules in their order, and what came of them.
func (s *Set) List() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Status, len(s.rules))
	for i, a := range s.rules {
		list[i] = Status{Rule: a.Rule, Picked: a.picked, Fired: a.fired}
	}
	return list
}

func newActive(r Rule) *active {
	name := fnv.New64a()
	name.Write([]byte(r.Name))
	return &active{Rule: r, draw: rand.New(rand.NewPCG(r.Seed, name.Sum64()))}
}

// place is where something can go wrong.
type place struct{ provider, operation, resource string }

func (r *Rule) picks(p place) bool {
	return (r.Provider == "" || r.Provider == p.provider) && matches(r.Operation, p.operation) && matches(r.Queue, p.resource)
}

func matches(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// fires counts a request that the rule is about and reports whether the fault happens to it. It draws in any case, so
// that what happens to later requests does not depend on the bounds.
func (a *active) fires() bool {
	a.picked++
	hit := a.Rate == nil || a.draw.Float64() < *a.Rate
	if !hit || a.picked <= a.After || a.Count != nil && a.fired >= *a.Count {
		return false
	}
	a.fired++
	return true
}

// disruption is all that goes wrong with one request around the work.
type disruption struct {
	before, after time.Duration
	rule          *Rule // Throttle, Fail, OverLimit or LostAnswer; nil: none of them
	failure       error // of that rule
}

// disrupt asks the rules one after another. Latency adds up; the first of the others is the last to be asked.
func (s *Set) disrupt(p place) (d disruption) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.rules {
		if traits[a.Kind].delivery || !a.picks(p) {
			continue
		}
		failure := s.failure(&a.Rule, p)
		if failure == nil && a.errorName() != "" || !a.fires() {
			continue
		}
		switch {
		case a.Kind != Latency:
			d.rule, d.failure = &a.Rule, failure
			return d
		case a.moment() == After:
			d.after += a.delay()
		default:
			d.before += a.delay()
		}
	}
	return d
}

// failure returns the error of a rule where it applies; nil where the provider has none, or has it for receives only.
func (s *Set) failure(r *Rule, p place) error {
	name := r.errorName()
	if name == "" || r.Kind == OverLimit && !strings.Contains(p.operation, "ReceiveMessage") {
		return nil
	}
	return s.providers[p.provider].Failure(name)
}

// delivers asks the rules of one kind and moment, and returns the first that fires.
func (s *Set) delivers(k Kind, at Moment, p place, applies func(*Rule) bool) *active {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.rules {
		if a.Kind == k && a.moment() == at && a.picks(p) && applies(&a.Rule) && a.fires() {
			return a
		}
	}
	return nil
}

// draws lets a rule draw further numbers.
func (s *Set) draws(a *active, with func(*rand.Rand)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	with(a.draw)
}

// always is for kinds that apply to whatever they pick.
func always(*Rule) bool { return true }

// sleep waits by the engine's clock, at most until ctx ends.
func (s *Set) sleep(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	reached, giveUp := s.clock.Until(s.clock.Now().Add(d))
	defer giveUp()
	select {
	case <-reached:
	case <-ctx.Done():
	}
}

// injected is an error that is wanted, so that nobody reports it as a fault of the server.
type injected struct{ error }

// IsFault implements protocols.Fault.
func (injected) IsFault() bool { return false }

// Unwrap returns the provider's error.
func (e injected) Unwrap() error { return e.error }

var _ protocols.Fault = injected{errors.New("")}
