package policy

import (
	"slices"
	"strings"
)

// Decision is what a policy says of a request.
type Decision int

// The decisions.
const (
	Silent    Decision = iota // it says nothing
	Delegated                 // a statement allows it to the account of the one who asks, which has to allow it to its users
	Allowed                   // a statement allows it to the one who asks, and none denies it
	Denied                    // a statement denies it
)

// Request is what somebody wants to do.
type Request struct {
	// Account is whose credentials are used; empty for somebody unknown.
	Account string
	// Principals are all resource names of the one who asks: that of the account itself or of its user, or those of the
	// session of a role and of the role.
	Principals []string
	// Action is what, such as "sqs:SendMessage". Case does not count.
	Action string
	// Resource is what to, as a resource name.
	Resource string
	// Values are those of condition keys, by their names in lower case. A key with no values is known and not part of
	// this request; a key that is not there is unknown, unless it is of a family.
	Values map[string][]string
	// Families are beginnings of keys, in lower case, of which all are known: those that Values does not have are not
	// part of this request.
	Families []string
}

// value returns the values of a key, and whether it is known.
func (r *Request) value(key string) (values []string, known bool) {
	if values, known = r.Values[key]; known {
		return values, true
	}
	return nil, slices.ContainsFunc(r.Families, func(family string) bool { return strings.HasPrefix(key, family) })
}

// Decide returns what the policy says of a request.
func (d *Document) Decide(r *Request) Decision {
	decision, action := Silent, strings.ToLower(r.Action)
	for i := range d.statements {
		s := &d.statements[i]
		to := s.meant(r)
		switch {
		case to == Silent || !s.about(r, action) || !s.holds(r):
		case s.deny:
			return Denied
		default:
			decision = max(decision, to)
		}
	}
	return decision
}

// about reports whether a statement speaks of the action, which is in lower case, and of the resource.
func (s *statement) about(r *Request, action string) bool {
	matches := func(p string) bool { return Match(p, action) }
	return slices.ContainsFunc(s.actions.values, matches) != s.actions.not && s.reaches(r)
}

// reaches reports whether a statement speaks of the resource. Where that is not known, only one that denies does.
func (s *statement) reaches(r *Request) bool {
	if !s.resources.given {
		return true
	}
	vague := false
	for _, p := range s.phrases {
		filled, present, known := p.in(r)
		if present && filled.match(r.Resource) {
			return !s.resources.not
		}
		vague = vague || !known
	}
	if vague {
		return s.deny
	}
	return s.resources.not
}

// meant returns how a statement means the one who asks: Allowed for itself, Delegated for its account, Silent not at all.
func (s *statement) meant(r *Request) (to Decision) {
	if !s.principals.given {
		return Allowed
	}
	if s.principals.not && s.deny {
		if r.exempt(s.principals.values) {
			return Silent
		}
		return Allowed
	}
	for _, p := range s.principals.values {
		to = max(to, r.named(p))
	}
	if s.principals.not {
		return Allowed - to // those that are not named
	}
	return to
}

// named returns how an entry of Principal names the one who asks. Documented: a resource name has no wildcards here, but
// for the one that stands for everybody; that of a role names its sessions; and an account is allowed something so that
// it allows it to its users.
// UNVERIFIED: the last also for users of the queue's own account, which SQS has not been asked about.
func (r *Request) named(p string) Decision {
	switch {
	case p == "*":
		return Allowed
	case r.Account == "":
		return Silent
	case slices.Contains(r.Principals, p):
		return Allowed
	case r.isAccount(p):
		return Delegated
	}
	return Silent
}

// isAccount reports whether an entry of Principal is the account: its number, or arn:aws:iam::123456789012:root.
func (r *Request) isAccount(p string) bool {
	parts := strings.Split(p, ":")
	return p == r.Account || len(parts) == 6 && parts[0] == "arn" && parts[2] == "iam" && parts[4] == r.Account && parts[5] == "root"
}

// exempt reports whether NotPrincipal keeps a denial from the one who asks. Documented: it has to name the account as well,
// and for a session the role: each of them is looked at for itself.
func (r *Request) exempt(named []string) bool {
	if slices.Contains(named, "*") {
		return true
	}
	account := r.Account != "" && slices.ContainsFunc(named, r.isAccount)
	return account && !slices.ContainsFunc(r.Principals, func(p string) bool { return !r.isAccount(p) && !slices.Contains(named, p) })
}

// holds reports whether all conditions of a statement hold. One that is not understood holds only for a statement that
// denies.
func (s *statement) holds(r *Request) bool {
	if len(s.unknown) > 0 && !s.deny {
		return false
	}
	for i := range s.conditions {
		met, known := s.conditions[i].met(r)
		if !known {
			met = s.deny
		}
		if !met {
			return false
		}
	}
	return true
}
