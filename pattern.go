package sluice

import (
	"regexp"
	"sync"
)

// pattern returns a function that returns a regular expression, compiled at its first call. What says how often a letter
// may come is compiled as that many letters: those for names took half a megabyte and a millisecond of every start, and most
// servers are given none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
