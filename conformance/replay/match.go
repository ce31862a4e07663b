package replay

import "strings"

// mismatch is how a text differs from its template. An empty class means that it does not.
type mismatch struct {
	class Class
	want  string
}

// match compares a text with a template, and binds what it meets for the first time. On a mismatch nothing is bound but a
// whole value of the wrong form.
// escape is how known values are written at this place; nil leaves them as they are.
func (b *binder) match(want string, got string, escape func(string) string) mismatch {
	if want == got {
		return mismatch{}
	}
	t, err := compile(want)
	if err != nil {
		return mismatch{Value, err.Error()}
	}
	if len(t) == 1 && t[0].tok != nil {
		class, words := b.check(t[0].tok, got)
		if class == "" || class == ValueForm {
			b.keep(t[0].tok, got) // in whatever form: it can still be told whether it recurs
		}
		return mismatch{class, words}
	}
	trial := b.copy()
	m := &matcher{b: trial, parts: t, escape: escape}
	if m.from(0, got) {
		b.values = trial.values
		return mismatch{}
	}
	loose := &matcher{b: b.copy(), parts: t, escape: escape, loose: true}
	if len(t) > 1 && loose.from(0, got) {
		return mismatch{m.worst(), b.shown(t)}
	}
	return mismatch{Value, b.shown(t)}
}

// shown is a template as people should see it: with the values that are known.
func (b *binder) shown(t template) string {
	var out strings.Builder
	for _, p := range t {
		if p.tok == nil {
			out.WriteString(p.text)
		} else if v, ok := b.known(p.tok); ok {
			out.WriteString(v)
		} else {
			out.WriteString(p.tok.raw)
		}
	}
	return out.String()
}

// matcher walks along a text. Tokens take as little as makes the rest fit.
type matcher struct {
	b      *binder
	parts  template
	escape func(string) string
	loose  bool // tokens take anything
	failed Class
}

func (m *matcher) worst() Class {
	if m.failed == "" {
		return Value
	}
	return m.failed
}

func (m *matcher) from(i int, got string) bool {
	if i == len(m.parts) {
		return got == ""
	}
	p := m.parts[i]
	if p.tok == nil {
		rest, ok := strings.CutPrefix(got, p.text)
		return ok && m.from(i+1, rest)
	}
	if v, ok := m.b.known(p.tok); ok && !m.loose && p.tok.tolerance == 0 {
		rest, same := strings.CutPrefix(got, m.escaped(v))
		if !same {
			m.failed = recurs(p.tok, v, "")
		}
		return same && m.from(i+1, rest)
	}
	return m.open(i, got)
}

func (m *matcher) escaped(v string) string {
	if m.escape == nil {
		return v
	}
	return m.escape(v)
}

// open tries every end of a token whose value is not known.
func (m *matcher) open(i int, got string) bool {
	if i+1 == len(m.parts) {
		return m.takes(i, got, "")
	}
	next := m.parts[i+1]
	stop := next.text
	if next.tok != nil {
		stop, _ = m.b.known(next.tok)
	}
	if stop == "" {
		return false // two open values that touch: nobody can tell where one ends
	}
	for end := 0; ; end++ {
		at := strings.Index(got[end:], stop)
		if at < 0 {
			return false
		}
		end += at
		if m.takes(i, got[:end], got[end:]) {
			return true
		}
	}
}

func (m *matcher) takes(i int, value, rest string) bool {
	tok := m.parts[i].tok
	if m.loose {
		return m.from(i+1, rest)
	}
	if class, _ := m.b.check(tok, value); class != "" {
		m.failed = class
		return false
	}
	_, had := m.b.values[tok.name]
	m.b.keep(tok, value)
	if m.from(i+1, rest) {
		return true
	}
	if !had {
		delete(m.b.values, tok.name)
	}
	return false
}
