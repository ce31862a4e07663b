package hocon

import (
	"encoding/json"
	"fmt"
	"strings"
)

// parser goes through a text once. Every function leaves it behind what it has read.
type parser struct {
	text     string
	at       int
	line     int
	includes []Include
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{p.line}, args...)...)
}

func (p *parser) end() bool { return p.at >= len(p.text) }

// peek returns the next byte, or 0 at the end.
func (p *parser) peek() byte {
	if p.end() {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) follows(s string) bool { return strings.HasPrefix(p.text[p.at:], s) }

// skip goes on by n bytes and counts the lines in them.
func (p *parser) skip(n int) {
	p.line += strings.Count(p.text[p.at:p.at+n], "\n")
	p.at += n
}

func (p *parser) take(b byte) bool {
	if p.peek() != b || p.end() {
		return false
	}
	p.skip(1)
	return true
}

// blank skips white space, line feeds and comments.
func (p *parser) blank() {
	for !p.end() {
		switch b := p.peek(); {
		case b == ' ' || b == '\t' || b == '\r' || b == '\f' || b == '\n':
			p.skip(1)
		case p.follows("\u00a0"):
			p.skip(len("\u00a0"))
		case p.comment():
			p.skip(len(p.restOfLine()))
		default:
			return
		}
	}
}

func (p *parser) comment() bool { return p.peek() == '#' || p.follows("//") }

func (p *parser) restOfLine() string {
	rest, _, _ := strings.Cut(p.text[p.at:], "\n")
	return rest
}

// separated skips what may stand between two fields or elements: line feeds and at most one comma.
func (p *parser) separated() error {
	p.blank()
	if p.take(',') {
		p.blank()
		if p.peek() == ',' {
			return p.errorf("two commas in a row")
		}
	}
	return nil
}

// object reads fields up to the closing brace, or to the end of the text if there are no braces.
func (p *parser) object(braces bool, depth int) (*Object, error) {
	if depth > maxDepth {
		return nil, p.errorf("more than %d levels", maxDepth)
	}
	o := &Object{fields: map[string]*Value{}}
	for {
		if err := p.separated(); err != nil {
			return nil, err
		}
		switch {
		case braces && p.take('}'):
			return o, nil
		case p.end() && braces:
			return nil, p.errorf("a closing } is missing")
		case p.end():
			return o, nil
		case p.include():
		default:
			if err := p.field(o, depth); err != nil {
				return nil, err
			}
		}
	}
}

// include reads include "file", include classpath("file") and the like. It looks at the rest of the line only once it
// knows that there is one: the line may be the whole file, and each of its fields is asked for.
func (p *parser) include() bool {
	if !p.follows("include") {
		return false
	}
	after := p.at + len("include")
	next := after
	for next < len(p.text) && strings.IndexByte(" \t", p.text[next]) >= 0 {
		next++
	}
	switch {
	case next == len(p.text) || strings.IndexByte("\r\n=:{", p.text[next]) >= 0: // a key of that name
		return false
	case next == after && p.text[next] != '"': // a longer key
		return false
	}
	line := p.restOfLine()
	what := line[len("include"):]
	for _, comment := range []string{"#", " //"} {
		what, _, _ = strings.Cut(what, comment)
	}
	p.includes = append(p.includes, Include{Line: p.line, What: strings.TrimSpace(what)})
	p.skip(len(line))
	return true
}

func (p *parser) field(o *Object, depth int) error {
	path, err := p.path()
	if err != nil {
		return err
	}
	if depth += len(path); depth > maxDepth {
		return p.errorf("more than %d levels", maxDepth)
	}
	p.blank()
	switch {
	case p.follows("+="):
		return p.errorf("+= cannot be read: write out the whole list")
	case p.peek() == '{':
	case p.take('='), p.take(':'):
		p.blank()
	default:
		return p.errorf("want = or { after %s", strings.Join(path, "."))
	}
	v, err := p.value(depth)
	if err == nil {
		o.put(path, v)
	}
	return err
}

// path reads a key: names with dots between them, each quoted or not.
func (p *parser) path() ([]string, error) {
	var path []string
	var name strings.Builder
	given := false
	for {
		switch b := p.peek(); {
		case b == '"':
			s, err := p.quoted()
			if err != nil {
				return nil, err
			}
			name.WriteString(s)
			given = true
		case b == '.' && given:
			p.skip(1)
			path, given = append(path, name.String()), false
			name.Reset()
		case p.end() || strings.IndexByte("=:{}[],\n+?!@*&^\\`$.", b) >= 0 || p.comment():
			last := strings.TrimRight(name.String(), " \t\r")
			if last == "" && !given {
				return nil, p.errorf("want the name of a setting")
			}
			return append(path, last), nil
		default:
			name.WriteByte(b)
			given = true
			p.skip(1)
		}
	}
}

// value reads a list, an object, or a text of one or more pieces up to the end of the line.
func (p *parser) value(depth int) (*Value, error) {
	line := p.line
	switch p.peek() {
	case '{':
		p.skip(1)
		o, err := p.object(true, depth+1)
		return &Value{Line: line, Object: o}, err
	case '[':
		p.skip(1)
		list, err := p.list(depth + 1)
		return &Value{Line: line, List: list}, err
	}
	v := &Value{Line: line}
	return v, p.pieces(v)
}

func (p *parser) list(depth int) ([]*Value, error) {
	if depth > maxDepth {
		return nil, p.errorf("more than %d levels", maxDepth)
	}
	list := []*Value{}
	for {
		if err := p.separated(); err != nil {
			return nil, err
		}
		switch {
		case p.take(']'):
			return list, nil
		case p.end():
			return nil, p.errorf("a closing ] is missing")
		}
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// pieces reads a text up to whatever ends it. White space between two pieces belongs to it.
func (p *parser) pieces(v *Value) error {
	var b strings.Builder
	kept := 0 // how much of it stays when white space at the end is cut off
	for !p.end() && strings.IndexByte("\n,}]#", p.peek()) < 0 && !p.comment() {
		piece, quoted, err := p.piece()
		if err != nil {
			return err
		}
		v.Quoted = v.Quoted || quoted
		b.WriteString(piece)
		if quoted || strings.Trim(piece, " \t\r") != "" {
			kept = b.Len()
		}
	}
	v.Text = b.String()[:kept]
	if v.Text == "" && !v.Quoted {
		return p.errorf("a value is missing")
	}
	return nil
}

// refused are the bytes that a text must not have outside of quotes. The format refuses more; * and the colons of
// addresses do no harm, and people write them.
const refused = "{[=+?!&^\\`$"

// piece reads a text in quotes, or one byte of a text without.
func (p *parser) piece() (piece string, quoted bool, err error) {
	switch c := p.peek(); {
	case p.follows("${"):
		return "", false, p.errorf("substitutions such as %s cannot be read: write the value itself", p.substitution())
	case c == '"':
		piece, err = p.quoted()
		return piece, true, err
	case strings.IndexByte(refused, c) >= 0:
		return "", false, p.errorf("%q in a value without quotes", c)
	}
	p.skip(1)
	return p.text[p.at-1 : p.at], false, nil
}

func (p *parser) substitution() string {
	text, _, closed := strings.Cut(p.restOfLine(), "}")
	if !closed {
		return text
	}
	return text + "}"
}

// quoted reads a text in one or three quotes.
func (p *parser) quoted() (string, error) {
	if p.follows(`"""`) {
		return p.triple()
	}
	for i := p.at + 1; i < len(p.text) && p.text[i] != '\n'; i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '"':
			var s string
			if json.Unmarshal([]byte(p.text[p.at:i+1]), &s) != nil {
				return "", p.errorf("%s is not a text in quotes", p.text[p.at:i+1])
			}
			p.skip(i + 1 - p.at)
			return s, nil
		}
	}
	return "", p.errorf("a closing quote is missing")
}

// triple reads a text in three quotes, in which nothing is special. Quotes beyond three at its end belong to it.
func (p *parser) triple() (string, error) {
	rest := p.text[p.at+3:]
	end := strings.Index(rest, `"""`)
	if end < 0 {
		return "", p.errorf("three closing quotes are missing")
	}
	for strings.HasPrefix(rest[end+1:], `"""`) {
		end++
	}
	p.skip(3 + end + 3)
	return rest[:end], nil
}
