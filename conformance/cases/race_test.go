//go:build race

package cases_test

// raced reports whether the race detector is on.
const raced = true
