package sluice

import (
	"net/http"
	"reflect"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/all"
	"github.com/sluicemq/sluice/protocols/faults"
)

// FaultRule says what goes wrong on purpose, where and how often.
type FaultRule = faults.Rule

// FaultKind is what goes wrong.
type FaultKind = faults.Kind

// FaultMoment is when it goes wrong, see the constants of package faults.
type FaultMoment = faults.Moment

// FaultStatus is a rule with what came of it since it was set.
type FaultStatus = faults.Status

// The kinds of faults, see the constants of package faults.
const (
	FaultThrottle   = faults.Throttle
	FaultError      = faults.Fail
	FaultOverLimit  = faults.OverLimit
	FaultLostAnswer = faults.LostAnswer
	FaultLatency    = faults.Latency
	FaultDrop       = faults.Drop
	FaultDuplicate  = faults.Duplicate
	FaultReorder    = faults.Reorder
)

// SetFaults makes these rules, and no others, hold from the next request on. They begin anew, also those that were there
// already. Returns an error if one of them is wrong, and then changes nothing. Without rules nothing is in the path of
// requests.
func (s *Server) SetFaults(rules ...FaultRule) error { return s.faults.Replace(rules) }

// Faults returns the rules in their order, each with how many times it was asked and happened.
func (s *Server) Faults() []FaultStatus { return s.faults.List() }

// FaultsHandler returns the rules as a part of the control API, for all paths that end in /faults or /faults/{name}.
func (s *Server) FaultsHandler() http.Handler { return s.faults.Handler() }

// FaultRuleError is what is wrong with a rule.
type FaultRuleError = faults.Invalid

// CheckFaults returns a *FaultRuleError if one of the rules is wrong.
func CheckFaults(rules ...FaultRule) error {
	return faults.NewSet(all.Providers(), nil, nil).Check(rules)
}

// broker returns the engine under a dialect's rules, with what goes wrong on purpose.
func (s *Server) broker(o *Options, r core.Rules) core.Broker {
	if s.faults.Empty() {
		return s.engine.Under(o.limited(r))
	}
	return s.faults.Broker(o.limited(r), s.engine.Under)
}

// faulty puts what goes wrong on purpose around dialects.
func (s *Server) faulty(dialects []protocols.Dialect) []protocols.Dialect {
	if s.faults.Empty() {
		return dialects
	}
	for i := range dialects {
		dialects[i] = s.faults.Dialect(dialects[i])
	}
	return dialects
}

// reloadFaults sets rules that are others than those that were loaded last.
func (s *Server) reloadFaults(rules []FaultRule) error {
	s.mu.Lock()
	same := reflect.DeepEqual(rules, s.options.Faults)
	s.options.Faults = rules
	s.mu.Unlock()
	if same {
		return nil
	}
	return s.faults.Replace(rules)
}

// adopt runs with other options from now on.
func (s *Server) adopt(o Options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options = o
	s.speak(o)
}

// again takes the rules of faults into the path of requests, or out of it.
func (s *Server) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.speak(s.options)
}
