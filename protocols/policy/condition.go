package policy

import (
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// condition is one key of one operator.
type condition struct {
	key      string // in lower case
	values   []string
	compare  func(wanted, given string) bool
	not      bool // it holds if no value compares
	ifExists bool // it holds if the request has no value
	null     bool // it is about whether there is a value
}

// operators are those that are understood, without IfExists.
var operators = map[string]condition{
	"StringEquals":              {compare: equal},
	"StringNotEquals":           {compare: equal, not: true},
	"StringEqualsIgnoreCase":    {compare: strings.EqualFold},
	"StringNotEqualsIgnoreCase": {compare: strings.EqualFold, not: true},
	"StringLike":                {compare: Match},
	"StringNotLike":             {compare: Match, not: true},
	"ArnEquals":                 {compare: matchARN}, // Documented: it is the same as ArnLike
	"ArnLike":                   {compare: matchARN},
	"ArnNotEquals":              {compare: matchARN, not: true},
	"ArnNotLike":                {compare: matchARN, not: true},
	"IpAddress":                 {compare: within},
	"NotIpAddress":              {compare: within, not: true},
	"Bool":                      {compare: strings.EqualFold},
	"Null":                      {null: true},
	"DateEquals":                {compare: dated(func(c int) bool { return c == 0 })},
	"DateNotEquals":             {compare: dated(func(c int) bool { return c == 0 }), not: true},
	"DateLessThan":              {compare: dated(func(c int) bool { return c < 0 })},
	"DateLessThanEquals":        {compare: dated(func(c int) bool { return c <= 0 })},
	"DateGreaterThan":           {compare: dated(func(c int) bool { return c > 0 })},
	"DateGreaterThanEquals":     {compare: dated(func(c int) bool { return c >= 0 })},
}

// condition reads the conditions of a statement.
func (s *statement) condition(given map[string]map[string]oneOrMore[scalar]) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		plain, ifExists := strings.CutSuffix(name, "IfExists")
		c, known := operators[plain]
		if !known || c.null && ifExists {
			s.unknown = append(s.unknown, name)
			continue
		}
		c.ifExists = ifExists
		for _, key := range slices.Sorted(maps.Keys(given[name])) {
			c.key, c.values = strings.ToLower(key), nil
			for _, value := range given[name][key] {
				s.variables(string(value))
				c.values = append(c.values, string(value))
			}
			if len(c.values) == 0 {
				return errors.New("the condition " + name + " of " + key + " has no values")
			}
			s.conditions = append(s.conditions, c)
		}
	}
	return nil
}

// met reports whether a condition holds; known is whether the key is known at all.
// Documented: without a value in the request, operators hold only in their Not form and with IfExists.
func (c *condition) met(r *Request) (met, known bool) {
	given, known := r.Values[c.key]
	switch {
	case !known:
		return false, false
	case c.null:
		return slices.Contains(c.values, strconv.FormatBool(len(given) == 0)), true
	case len(given) == 0:
		return c.not || c.ifExists, true
	}
	compares := slices.ContainsFunc(given, func(g string) bool {
		return slices.ContainsFunc(c.values, func(w string) bool { return c.compare(w, g) })
	})
	return compares != c.not, true
}

func equal(wanted, given string) bool { return wanted == given }

// matchARN compares each of the six parts for itself, so that a wildcard does not reach beyond its part. Documented.
func matchARN(wanted, given string) bool {
	w, g := strings.SplitN(wanted, ":", 6), strings.SplitN(given, ":", 6)
	if len(w) != 6 || len(g) != 6 {
		return wanted == "*"
	}
	for i := range w {
		if !Match(w[i], g[i]) {
			return false
		}
	}
	return true
}

// within reports whether an address is in a range such as 10.0.0.0/8, or is that address.
func within(wanted, given string) bool {
	address, err := netip.ParseAddr(given)
	if err != nil {
		return false
	}
	address = address.Unmap().WithZone("")
	if single, err := netip.ParseAddr(wanted); err == nil {
		return single == address
	}
	network, err := netip.ParsePrefix(wanted)
	return err == nil && network.Contains(address)
}

func dated(holds func(compared int) bool) func(wanted, given string) bool {
	return func(wanted, given string) bool {
		w, ok := instant(wanted)
		g, also := instant(given)
		return ok && also && holds(g.Compare(w))
	}
}

// instant reads a time in the form of ISO 8601, to the second, or a day, or seconds since 1970.
func instant(text string) (time.Time, bool) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(n, 0), err == nil
}
