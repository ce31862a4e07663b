package replay

import (
	"regexp"
	"sync"
)

// Pattern returns a function that returns a regular expression, compiled at its first call. Those of this package and of
// the recorder are part of a program whose other commands have no use for them, and took a fifth of its start.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
