package sqs

import "unicode/utf8"

// onlyWireCharacters reports whether a text consists of the characters that a message may hold: those of XML 1.0
// (documented; validated for U+0000, U+0008, U+0013 and U+FFFF).
func onlyWireCharacters(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if (r == utf8.RuneError && size == 1) || r == 0xFFFE || r == 0xFFFF {
			return false
		}
		i += size
	}
	return true
}

// isID reports whether a text can be the id of a group, of a deduplication or of a receive attempt: 1 to 128 letters,
// digits and marks of ASCII, without blanks (Recorded 2025-07-30).
func isID(s string) bool {
	if len(s) == 0 || len(s) > maxID {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isName reports whether a text is 1 to longest letters, digits, hyphens and underscores of ASCII: the rule for the
// names of queues, for the ids of batch entries and for labels.
func isName(s string, longest int) bool {
	if len(s) == 0 || len(s) > longest {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isAlphanumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isAccount reports whether a text is the id of an account: 12 digits.
func isAccount(s string) bool {
	if len(s) != 12 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
