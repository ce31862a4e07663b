package replay

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// binder holds the values of one run of a scenario.
type binder struct {
	values map[string]string
	unique func() string
	now    func() time.Time
}

func (b *binder) copy() *binder {
	return &binder{values: maps.Clone(b.values), unique: b.unique, now: b.now}
}

// known returns the value of a token, unless it is one to be bound.
func (b *binder) known(t *token) (string, bool) {
	v, ok := b.lookup(t)
	switch {
	case !ok || t.name == "_":
		return "", false
	case t.path:
		u, err := url.Parse(v)
		if err != nil {
			return "", false
		}
		return u.EscapedPath(), true
	case t.shifted:
		n, err := strconv.ParseInt(v, 10, 64)
		return strconv.FormatInt(n+t.offset, 10), err == nil
	}
	return v, true
}

func (b *binder) lookup(t *token) (string, bool) {
	v, ok := b.values[t.name]
	switch {
	case ok:
	case t.kind == ownKind:
		v, ok = b.unique(), true
		b.values[t.name] = v
	case t.name == "now":
		v, ok = strconv.FormatInt(b.now().Unix(), 10), true
	case t.name == "nowms":
		v, ok = strconv.FormatInt(b.now().UnixMilli(), 10), true
	}
	return v, ok
}

// expand fills a template that goes into a request. Bound values are escaped, what was written down is not.
func (b *binder) expand(text string, escape func(string) string) (string, error) {
	text, err := b.encode(text)
	if err != nil {
		return "", err
	}
	t, err := compile(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, p := range t {
		if p.tok == nil {
			out.WriteString(p.text)
			continue
		}
		v, ok := b.known(p.tok)
		if !ok {
			return "", fmt.Errorf("%s is not bound", p.tok.raw)
		}
		if escape != nil && !p.tok.path {
			v = escape(v)
		}
		out.WriteString(v)
	}
	return out.String(), nil
}

// check says what is wrong with a value for a token that takes it. An empty class means nothing is.
func (b *binder) check(t *token, got string) (Class, string) {
	if want, ok := b.known(t); ok {
		return recurs(t, want, got), want
	}
	form := kinds[t.kind]
	if form == nil {
		return Unbound, t.raw + ", which was never bound"
	}
	if !form().MatchString(got) {
		return ValueForm, "a value of the form " + t.kind
	}
	than, ok := b.values[t.than]
	if t.relation == "" || !ok {
		return "", ""
	}
	if t.relation == "!=" && got == than {
		return NotRenewed, "another value than " + than
	}
	if t.relation == ">=" && less(got, than) {
		return Value, "at least " + than
	}
	return "", ""
}

func recurs(t *token, want, got string) Class {
	if want == got || t.tolerance > 0 && near(want, got, t.tolerance) {
		return ""
	}
	if t.shifted {
		return Value
	}
	return BoundChanged
}

func near(want, got string, tolerance int64) bool {
	w, err1 := strconv.ParseInt(want, 10, 64)
	g, err2 := strconv.ParseInt(got, 10, 64)
	return err1 == nil && err2 == nil && len(want) == len(got) && g-w <= tolerance && w-g <= tolerance
}

func less(a, b string) bool {
	x, err1 := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	return err1 != nil || err2 != nil || x < y
}

// keep binds a value to the name of a token.
func (b *binder) keep(t *token, v string) {
	if _, ok := b.values[t.name]; !ok && t.name != "_" && t.kind != "" {
		b.values[t.name] = v
	}
}

// encoded is {{base64:TEXT}} with values within, as $(NAME), or bytes, as $(7D): of a text in braces there can be none.
var (
	encoded = Pattern(`\{\{base64:([^{}]*\$\([^{}]*)\}\}`)
	within  = Pattern(`\$\(([A-Za-z0-9_]+)\)`)
	octet   = Pattern(`^[0-9A-F]{2}$`)
)

func (b *binder) encode(text string) (string, error) {
	var missing error
	text = encoded().ReplaceAllStringFunc(text, func(found string) string {
		plain := within().ReplaceAllStringFunc(encoded().FindStringSubmatch(found)[1], func(name string) string {
			name = strings.Trim(name, "$()")
			if v, ok := b.values[name]; ok {
				return v
			}
			if !octet().MatchString(name) {
				missing = fmt.Errorf("$(%s) is not bound", name)
				return ""
			}
			raw, err := hex.DecodeString(name)
			missing = cmp.Or(missing, err)
			return string(raw)
		})
		return base64.StdEncoding.EncodeToString([]byte(plain))
	})
	return text, missing
}
