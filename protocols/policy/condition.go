package policy

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// operator is how a value of a condition is compared with one of a request.
type operator struct {
	compare func(wanted pattern, given string) bool
	reads   func(wanted string) bool // whether a value can be compared at all; nil: every one, and it may have variables
	not     bool                     // it holds if no value compares
	null    bool                     // it is about whether there is a value
}

// operators are those that are understood, without what may stand before and after them.
var operators = map[string]operator{
	"StringEquals":              {compare: equal},
	"StringNotEquals":           {compare: equal, not: true},
	"StringEqualsIgnoreCase":    {compare: equalFold},
	"StringNotEqualsIgnoreCase": {compare: equalFold, not: true},
	"StringLike":                {compare: pattern.match},
	"StringNotLike":             {compare: pattern.match, not: true},
	"ArnEquals":                 {compare: pattern.matchARN}, // Documented: it is the same as ArnLike
	"ArnLike":                   {compare: pattern.matchARN},
	"ArnNotEquals":              {compare: pattern.matchARN, not: true},
	"ArnNotLike":                {compare: pattern.matchARN, not: true},
	"IpAddress":                 {compare: within, reads: isRange},
	"NotIpAddress":              {compare: within, reads: isRange, not: true},
	"Bool":                      {compare: equalFold, reads: isTruth},
	"Null":                      {null: true, reads: isTruth},
	"NumericEquals":             {compare: numbers(equals), reads: isNumber},
	"NumericNotEquals":          {compare: numbers(equals), reads: isNumber, not: true},
	"NumericLessThan":           {compare: numbers(less), reads: isNumber},
	"NumericLessThanEquals":     {compare: numbers(atMost), reads: isNumber},
	"NumericGreaterThan":        {compare: numbers(more), reads: isNumber},
	"NumericGreaterThanEquals":  {compare: numbers(atLeast), reads: isNumber},
	"DateEquals":                {compare: dates(equals), reads: isDate},
	"DateNotEquals":             {compare: dates(equals), reads: isDate, not: true},
	"DateLessThan":              {compare: dates(less), reads: isDate},
	"DateLessThanEquals":        {compare: dates(atMost), reads: isDate},
	"DateGreaterThan":           {compare: dates(more), reads: isDate},
	"DateGreaterThanEquals":     {compare: dates(atLeast), reads: isDate},
}

// condition is one key of one operator.
type condition struct {
	operator
	key      string // in lower case
	values   []phrase
	ifExists bool // it holds if the request has no value
	anyOf    bool // ForAnyValue: it holds if it does for one of the values of the request
	allOf    bool // ForAllValues: it holds if it does for all of them, also for none
	vague    bool // one of its values cannot be read, so that it cannot be told whether it holds
}

// named reads the name of an operator with what may stand before and after it.
func named(name string) (c condition, known bool) {
	name, c.anyOf = strings.CutPrefix(name, "ForAnyValue:")
	if !c.anyOf {
		name, c.allOf = strings.CutPrefix(name, "ForAllValues:")
	}
	name, c.ifExists = strings.CutSuffix(name, "IfExists")
	c.operator, known = operators[name]
	return c, known && (!c.null || !c.ifExists && !c.anyOf && !c.allOf)
}

// condition reads the conditions of a statement.
func (s *statement) condition(given map[string]map[string]oneOrMore[scalar], variables variables) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] == nil {
			return errors.New("its condition " + name + " is null")
		}
		c, known := named(name)
		if !known {
			s.unknown = append(s.unknown, name)
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(given[name])) {
			c.key, c.values, c.vague = strings.ToLower(key), nil, false
			for _, value := range given[name][key] {
				c.values = append(c.values, s.value(name, string(value), &c, variables))
			}
			if len(c.values) == 0 {
				return errors.New("the condition " + name + " of " + key + " has no values")
			}
			s.conditions = append(s.conditions, c)
		}
	}
	return nil
}

// value reads a value of a condition, and notes one that cannot be read. Documented: only texts and resource names may have
// variables; truth values may as well, which nothing here needs.
func (s *statement) value(name, text string, c *condition, variables variables) phrase {
	if c.reads == nil {
		return s.phrase(text, variables)
	}
	if !c.reads(text) {
		c.vague = true
		s.unknown = append(s.unknown, name+" "+strconv.Quote(text))
	}
	return phrase{{plain: literal(text)}}
}

// met reports whether a condition holds; known is whether that can be told.
// Documented: without a value in the request, operators hold only in their Not form, with IfExists and with ForAllValues.
func (c *condition) met(r *Request) (met, known bool) {
	given, known := r.value(c.key)
	switch {
	case !known || c.vague:
		return false, false
	case c.null:
		is := strconv.FormatBool(len(given) == 0)
		return slices.ContainsFunc(c.values, func(w phrase) bool { return strings.EqualFold(w[0].plain.text(), is) }), true
	case len(given) == 0:
		return c.ifExists || c.allOf || c.not && !c.anyOf, true
	}
	wanted, known := c.wanted(r)
	compares := func(g string) bool {
		return slices.ContainsFunc(wanted, func(w pattern) bool { return c.compare(w, g) })
	}
	holds := func(g string) bool { return compares(g) != c.not }
	switch {
	case c.allOf:
		met = !slices.ContainsFunc(given, func(g string) bool { return !holds(g) })
	case c.anyOf:
		met = slices.ContainsFunc(given, holds)
	default:
		met = slices.ContainsFunc(given, compares) != c.not
	}
	return met, known
}

// wanted returns the values of a condition for a request. Those without a value for their variables are like nothing.
func (c *condition) wanted(r *Request) (wanted []pattern, known bool) {
	known = true
	for _, value := range c.values {
		filled, present, ok := value.in(r)
		known = known && ok
		if present {
			wanted = append(wanted, filled)
		}
	}
	return wanted, known
}

func equal(wanted pattern, given string) bool { return wanted.text() == given }

func equalFold(wanted pattern, given string) bool { return strings.EqualFold(wanted.text(), given) }

func isTruth(text string) bool {
	return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}

// within reports whether an address is in a range such as 10.0.0.0/8, or is that address.
func within(wanted pattern, given string) bool {
	address, err := netip.ParseAddr(given)
	if err != nil {
		return false
	}
	address = address.Unmap().WithZone("")
	if single, err := netip.ParseAddr(wanted.text()); err == nil {
		return single == address
	}
	network, err := netip.ParsePrefix(wanted.text())
	return err == nil && network.Contains(address)
}

func isRange(text string) bool {
	_, single := netip.ParseAddr(text)
	_, network := netip.ParsePrefix(text)
	return single == nil || network == nil
}

// The ways to compare what has an order.
func equals(c int) bool  { return c == 0 }
func less(c int) bool    { return c < 0 }
func atMost(c int) bool  { return c <= 0 }
func more(c int) bool    { return c > 0 }
func atLeast(c int) bool { return c >= 0 }

func numbers(holds func(compared int) bool) func(wanted pattern, given string) bool {
	return func(wanted pattern, given string) bool {
		w, ok := number(wanted.text())
		g, also := number(given)
		return ok && also && holds(cmp.Compare(g, w))
	}
}

func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

func isNumber(text string) bool {
	_, ok := number(text)
	return ok
}

func dates(holds func(compared int) bool) func(wanted pattern, given string) bool {
	return func(wanted pattern, given string) bool {
		w, ok := instant(wanted.text())
		g, also := instant(given)
		return ok && also && holds(g.Compare(w))
	}
}

func isDate(text string) bool {
	_, ok := instant(text)
	return ok
}

// instant reads a time in the form of ISO 8601, to the second, or a day, or seconds since 1970. Four digits are none, since
// they are a year as well.
func instant(text string) (time.Time, bool) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(n, 0), err == nil && len(text) != len("2006")
}
