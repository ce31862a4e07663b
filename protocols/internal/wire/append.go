package wire

import "unicode/utf8"

// plain tells for each byte where it stands for itself. Bytes above 127 are looked at one by one.
var plain = newPlain()

const (
	inJSON = 1 << iota
	inXML
)

func newPlain() (t [256]uint8) {
	for c := range utf8.RuneSelf {
		if c >= ' ' && c != '"' && c != '\\' {
			t[c] |= inJSON
		}
		if xmlEscapes[c] == "" {
			t[c] |= inXML
		}
	}
	return t
}

const hexDigits = "0123456789abcdef"

// AppendJSONText appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func AppendJSONText(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c]&inJSON != 0 {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size != 1 {
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		b = appendJSONEscape(b, c)
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendJSONEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	}
	if c >= utf8.RuneSelf {
		return append(b, "\uFFFD"...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendXMLText appends s as the text of an XML element, escaped as the real service does it: quotes and carriage
// returns are (Recorded: sqs-query, fact 8; the round trip of a carriage return is validated), tabs, newlines and
// apostrophes are not. Characters that XML 1.0 cannot carry, and bytes that are not UTF-8, become U+FFFD; the real
// service sends them raw, which no parser can read.
func AppendXMLText(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		if plain[s[i]]&inXML != 0 {
			i++
			continue
		}
		escape, size := xmlEscape(s[i:])
		if escape != "" {
			b = append(b, s[start:i]...)
			b = append(b, escape...)
			start = i + size
		}
		i += size
	}
	return append(b, s[start:]...)
}

// xmlEscape returns what stands for the first character of s, empty if that is the character itself, and its size.
func xmlEscape(s string) (escape string, size int) {
	c := s[0]
	if c < utf8.RuneSelf {
		return xmlEscapes[c], 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 || r == 0xFFFE || r == 0xFFFF {
		return "\uFFFD", size
	}
	return "", size
}

var xmlEscapes = newXMLEscapes()

func newXMLEscapes() (t [utf8.RuneSelf]string) {
	for c := range ' ' {
		t[c] = "\uFFFD"
	}
	t['\t'], t['\n'], t['\r'] = "", "", "&#xD;"
	t['&'], t['<'], t['>'], t['"'] = "&amp;", "&lt;", "&gt;", "&quot;"
	return t
}
