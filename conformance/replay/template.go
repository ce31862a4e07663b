package replay

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// kinds are the forms that a bound value can have.
var kinds = map[string]func() *regexp.Regexp{
	"uuid":   Pattern(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`),
	"uuid4":  Pattern(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$`),
	"uuid5":  Pattern(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$`),
	"hex24":  Pattern(`^[0-9A-F]{24}$`),
	"hex32":  Pattern(`^[0-9A-F]{32}$`),
	"md5":    Pattern(`^([0-9a-f]{32}|[0-9A-F]{32})$`),
	"handle": Pattern(`^[^\s<>"&]{1,1000}$`),
	"ms":     Pattern(`^[0-9]{13}$`),
	"us":     Pattern(`^[0-9]{16}$`),
	"s":      Pattern(`^[0-9]{10}$`),
	"digits": Pattern(`^[0-9]+$`),
	"int":    Pattern(`^-?[0-9]+$`),
	"seq":    Pattern(`^[0-9]{20}$`),
	"url":    Pattern(`^https?://[^\s<>"]+$`),
	"arn":    Pattern(`^(arn|acs):[^\s<>"]+$`),
	"word":   Pattern(`^[A-Za-z0-9_-]+$`),
	"text":   Pattern(`(?s)^.*$`),
}

// token is a value in braces.
type token struct {
	raw  string
	kind string // empty: the value has to be known
	name string // "_": checked by its kind, never kept
	path bool   // the path of a URL only

	relation string // "!=" or ">=", to the value called than
	than     string

	offset, tolerance int64
	shifted           bool
}

// part is a literal, or a token where tok is not nil.
type part struct {
	text string
	tok  *token
}

// template is a text with tokens.
type template []part

var tokenForm = Pattern(`\{\{([^{}]*)\}\}`)

// compile reads a text. Tokens that are the same in every run become literals at once.
func compile(text string) (template, error) {
	var t template
	last := 0
	for _, m := range tokenForm().FindAllStringSubmatchIndex(text, -1) {
		t = t.literal(text[last:m[0]])
		last = m[1]
		inner := text[m[2]:m[3]]
		if static, ok, err := expandStatic(inner); err != nil {
			return nil, err
		} else if ok {
			t = t.literal(static)
			continue
		}
		tok, err := parseToken(inner)
		if err != nil {
			return nil, err
		}
		t = append(t, part{tok: tok})
	}
	return t.literal(text[last:]), nil
}

func (t template) literal(text string) template {
	switch n := len(t); {
	case text == "":
		return t
	case n > 0 && t[n-1].tok == nil:
		t[n-1].text += text
		return t
	default:
		return append(t, part{text: text})
	}
}

// maxRepeat bounds the bytes of {{repeat}}: twice the largest message of a provider, and some.
const maxRepeat = 4 << 20

func expandStatic(inner string) (text string, ok bool, err error) {
	word, rest, _ := strings.Cut(inner, ":")
	switch word {
	case "nl":
		return "\n", true, nil
	case "cr":
		return "\r", true, nil
	case "tab":
		return "\t", true, nil
	case "byte":
		b, err := hex.DecodeString(rest)
		return string(b), true, err
	case "base64":
		return base64.StdEncoding.EncodeToString([]byte(rest)), true, nil
	case "repeat":
		i := strings.LastIndexByte(rest, ':')
		if i < 0 {
			return "", true, fmt.Errorf("{{%s}}: want {{repeat:TEXT:N}}", inner)
		}
		n, err := strconv.Atoi(rest[i+1:])
		if err != nil || n < 0 || n*i > maxRepeat {
			return "", true, fmt.Errorf("{{%s}}: want at most %d bytes", inner, maxRepeat)
		}
		return strings.Repeat(rest[:i], n), true, nil
	}
	return "", false, nil
}

var (
	tokenInner = Pattern(`^(?:([a-z0-9]+):)?([A-Za-z_][A-Za-z0-9_]*)(\.path)?(?:(!=|>=)([A-Za-z_][A-Za-z0-9_]*))?(?:([+-][0-9]+)(?:~([0-9]+))?)?$`)
	ownKind    = "unique"
)

func parseToken(inner string) (*token, error) {
	// In the layout of XML a > can be written as an entity.
	m := tokenInner().FindStringSubmatch(strings.ReplaceAll(inner, "&gt;", ">"))
	if m == nil {
		return nil, fmt.Errorf("{{%s}} is no value", inner)
	}
	t := &token{raw: "{{" + inner + "}}", kind: m[1], name: m[2], path: m[3] != "", relation: m[4], than: m[5]}
	if kinds[t.kind] == nil && t.kind != "" && t.kind != ownKind {
		return nil, fmt.Errorf("{{%s}}: there is no kind %q", inner, t.kind)
	}
	if m[6] != "" {
		t.shifted = true
		t.offset, _ = strconv.ParseInt(m[6], 10, 64)
	}
	if m[7] != "" {
		t.tolerance, _ = strconv.ParseInt(m[7], 10, 64)
	}
	return t, nil
}
