package policy

import "strings"

// pattern is a text with wildcards: bytes as they are, and what is below zero.
type pattern []int16

// The wildcards of a pattern: any characters, and one.
const (
	many int16 = -1
	one  int16 = -2
)

// wild reads a text in which * stands for any characters and ? for one.
func wild(text string) pattern {
	p := literal(text)
	for i, b := range p {
		switch b {
		case '*':
			p[i] = many
		case '?':
			p[i] = one
		}
	}
	return p
}

func literal(text string) pattern {
	p := make(pattern, len(text))
	for i := range len(text) {
		p[i] = int16(text[i])
	}
	return p
}

// Match reports whether a text matches a pattern, in which * stands for any characters and ? for one. It takes time in
// proportion to the product of the lengths at most.
func Match(given, text string) bool { return wild(given).match(text) }

func (p pattern) match(text string) bool {
	at, t, star, retry := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case at < len(p) && p[at] == many:
			star, retry = at, t
			at++
		case at < len(p) && (p[at] == one || p[at] == int16(text[t])):
			at++
			t++
		case star >= 0:
			retry++
			at, t = star+1, retry
		default:
			return false
		}
	}
	for at < len(p) && p[at] == many {
		at++
	}
	return at == len(p)
}

// matchARN compares each of the six parts for itself, so that a wildcard does not reach beyond its part. Documented.
func (p pattern) matchARN(given string) bool {
	parts := strings.SplitN(given, ":", 6)
	if len(p) == 1 && p[0] == many {
		return true
	}
	if len(parts) != 6 {
		return false
	}
	for i, part := range parts {
		end := len(p)
		if i < 5 {
			if end = p.index(':'); end < 0 {
				return false
			}
		}
		if !p[:end].match(part) {
			return false
		}
		p = p[min(end+1, len(p)):]
	}
	return true
}

func (p pattern) index(b int16) int {
	for i := range p {
		if p[i] == b {
			return i
		}
	}
	return -1
}

// text is a pattern as it was written.
func (p pattern) text() string {
	b := make([]byte, len(p))
	for i, c := range p {
		switch c {
		case many:
			b[i] = '*'
		case one:
			b[i] = '?'
		default:
			b[i] = byte(c)
		}
	}
	return string(b)
}

// completed gives a resource name of AWS that has fewer than six parts a * for each that it lacks. Documented: arn:aws:sqs is
// all that SQS has.
func completed(text string) string {
	if !strings.HasPrefix(text, "arn:") {
		return text
	}
	parts := 1
	for rest := text; rest != ""; {
		before, after, _ := strings.Cut(rest, "${") // the colons of variables are not its own
		parts += strings.Count(before, ":")
		_, rest, _ = strings.Cut(after, "}")
	}
	return text + strings.Repeat(":*", max(0, 6-parts))
}

// phrase is a text of a policy with wildcards and variables, such as ${aws:username}.
type phrase []piece

// piece is a variable or, without a name, what stands between variables.
type piece struct {
	plain    pattern
	variable string  // its name in lower case
	absent   *string // what stands for a variable without a value; nil: nothing
}

// read reads a text. Reports false if it has a variable that is none.
func read(text string) (phrase, bool) {
	var p phrase
	for {
		before, rest, has := strings.Cut(text, "${")
		p = append(p, piece{plain: wild(before)})
		if !has {
			return p, true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || name == "" {
			return nil, false
		}
		v, ok := variable(name)
		if !ok {
			return nil, false
		}
		p, text = append(p, v), after
	}
}

// variable reads what stands within ${ and }: one of * ? $ as itself, or the name of a key, with a value for when it has
// none. Documented.
func variable(name string) (piece, bool) {
	if strings.Contains("*?$", name) && len(name) == 1 {
		return piece{plain: literal(name)}, true
	}
	key, absent, has := strings.Cut(name, ",")
	v := piece{variable: strings.ToLower(strings.TrimSpace(key))}
	if has {
		absent = strings.TrimSpace(absent)
		if len(absent) < 2 || absent[0] != '\'' || absent[len(absent)-1] != '\'' {
			return v, false
		}
		absent = absent[1 : len(absent)-1]
		v.absent = &absent
	}
	return v, true
}

// in puts the values of a request into a phrase. They are taken as they are: a * in one is no wildcard. Without a value the
// phrase is like nothing, which present tells. Documented.
func (p phrase) in(r *Request) (filled pattern, present, known bool) {
	if len(p) == 1 && p[0].variable == "" {
		return p[0].plain, true, true
	}
	for _, each := range p {
		if each.variable == "" {
			filled = append(filled, each.plain...)
			continue
		}
		values, known := r.value(each.variable)
		switch {
		case !known || len(values) > 1: // of several values it is not known which is meant
			return nil, false, false
		case len(values) == 1:
			filled = append(filled, literal(values[0])...)
		case each.absent != nil:
			filled = append(filled, literal(*each.absent)...)
		default:
			return nil, false, true
		}
	}
	return filled, true, true
}
