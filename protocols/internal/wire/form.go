package wire

import (
	"bytes"
	"errors"
	"slices"
)

// maxParameters bounds the parameters of one form. The largest honest request, a batch of ten messages with ten
// attributes each, has fewer than 400; more are allowed so that an oversized batch still gets the answer of one.
const maxParameters = 10_000

// Errors of ParseForm.
var (
	ErrFormSyntax  = errors.New("wire: a form has a broken escape")
	ErrFormTooLong = errors.New("wire: a form has too many parameters")
)

// Form is a list of parameters, ordered by the segments of their names: numbers by value and before other names.
// Parameters of the same name keep their order.
type Form []parameter

type parameter struct{ name, value []byte }

// ParseForm reads url-encoded parameters, of a body and of a query string. It unescapes in place, so the sources must
// not be used afterwards. Returns ErrFormSyntax or ErrFormTooLong.
func ParseForm(sources ...[]byte) (Form, error) {
	n := len(sources)
	for _, s := range sources {
		n += bytes.Count(s, []byte{'&'})
	}
	if n > maxParameters {
		return nil, ErrFormTooLong
	}
	form := make(Form, 0, n)
	for _, s := range sources {
		for len(s) > 0 {
			var one []byte
			one, s, _ = bytes.Cut(s, []byte{'&'})
			if len(one) == 0 {
				continue
			}
			p, ok := parseParameter(one)
			if !ok {
				return nil, ErrFormSyntax
			}
			form = append(form, p)
		}
	}
	// Most clients send their parameters in this very order, which the sort finds in one pass.
	slices.SortStableFunc(form, func(a, b parameter) int { return compareNames(a.name, b.name) })
	return form, nil
}

func parseParameter(one []byte) (p parameter, ok bool) {
	name, value, _ := bytes.Cut(one, []byte{'='})
	if p.name, ok = unescape(name); !ok {
		return p, false
	}
	p.value, ok = unescape(value)
	return p, ok
}

// unescape replaces escapes in place; the result is never longer.
func unescape(s []byte) ([]byte, bool) {
	i := bytes.IndexAny(s, "%+")
	if i < 0 {
		return s, true
	}
	out := s[:i]
	for ; i < len(s); i++ {
		c := s[i]
		switch c {
		case '+':
			c = ' '
		case '%':
			if i+2 >= len(s) {
				return nil, false
			}
			high, low := unhex(s[i+1]), unhex(s[i+2])
			if high > 15 || low > 15 {
				return nil, false
			}
			c = high<<4 | low
			i += 2
		}
		out = append(out, c)
	}
	return out, true
}

func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// Get returns the value of the parameter with exactly that name, the last one if it is repeated.
func (f Form) Get(name string) (value string, found bool) {
	for _, p := range f {
		if string(p.name) == name {
			value, found = string(p.value), true
		}
	}
	return value, found
}

// compareNames orders names segment by segment. Numbers are compared as texts of digits, so none is too large.
func compareNames(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		var x, y []byte
		x, a, _ = bytes.Cut(a, []byte{'.'})
		y, b, _ = bytes.Cut(b, []byte{'.'})
		if c := compareSegments(x, y); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

func compareSegments(x, y []byte) int {
	nx, ny := isNumber(x), isNumber(y)
	switch {
	case nx && ny:
		x, y = bytes.TrimLeft(x, "0"), bytes.TrimLeft(y, "0")
		if len(x) != len(y) {
			return len(x) - len(y)
		}
	case nx:
		return -1
	case ny:
		return 1
	}
	return bytes.Compare(x, y)
}

func isNumber(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}
