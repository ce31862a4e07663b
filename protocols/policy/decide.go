package policy

import (
	"slices"
	"strings"
)

// Decision is what a policy says of a request.
type Decision int

// The decisions.
const (
	Silent  Decision = iota // it says nothing
	Allowed                 // a statement allows it, and none denies it
	Denied                  // a statement denies it
)

// Request is what somebody wants to do.
type Request struct {
	// Account and Principal are who: the account, and the resource name of the user. Empty for somebody unknown.
	Account, Principal string
	// Action is what, such as "sqs:SendMessage". Case does not count.
	Action string
	// Resource is what to, as a resource name.
	Resource string
	// Values are those of condition keys, by their names in lower case. A key with no values is known and not part of
	// this request; a key that is not there is unknown.
	Values map[string][]string
}

// Decide returns what the policy says of a request.
func (d *Document) Decide(r *Request) Decision {
	decision, action := Silent, strings.ToLower(r.Action)
	for i := range d.statements {
		s := &d.statements[i]
		switch {
		case !s.about(r, action):
		case s.deny && s.holds(r, true):
			return Denied
		case !s.deny && s.holds(r, false):
			decision = Allowed
		}
	}
	return decision
}

// about reports whether a statement speaks of the one who asks, the action, which is in lower case, and the resource.
func (s *statement) about(r *Request, action string) bool {
	return s.actions.admits(func(p string) bool { return Match(p, action) }) &&
		(!s.resources.given || s.vague || s.resources.admits(func(p string) bool { return Match(p, r.Resource) })) &&
		(!s.principals.given || s.principals.admits(r.isPrincipal))
}

func (l *list) admits(matches func(string) bool) bool {
	return slices.ContainsFunc(l.values, matches) != l.not
}

// isPrincipal reports whether an entry of Principal means the one who asks. An account stands for all its users.
// Documented: a resource name has no wildcards here, but for the one that stands for everybody.
func (r *Request) isPrincipal(p string) bool {
	if p == "*" {
		return true
	}
	if r.Account == "" {
		return false
	}
	if p == r.Account || p == r.Principal {
		return true
	}
	parts := strings.Split(p, ":") // arn:aws:iam::123456789012:root
	return len(parts) == 6 && parts[2] == "iam" && parts[4] == r.Account && parts[5] == "root"
}

// holds reports whether all conditions of a statement hold, and what to take for one that is not understood.
func (s *statement) holds(r *Request, otherwise bool) bool {
	if len(s.unknown) > 0 && !otherwise {
		return false
	}
	for i := range s.conditions {
		met, known := s.conditions[i].met(r)
		if !known {
			met = otherwise
		}
		if !met {
			return false
		}
	}
	return true
}

// Match reports whether a text matches a pattern, in which * stands for any characters and ? for one. It takes time in
// proportion to the product of the lengths at most.
func Match(pattern, text string) bool {
	p, t, star, retry := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			retry++
			p, t = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
