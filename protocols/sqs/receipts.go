package sqs

import (
	"strings"

	"github.com/sluicemq/sluice/core"
)

// handlePrefix begins every receipt handle of the real service (Recorded), where it is the version of the format.
const handlePrefix = "AQEB"

var (
	toHandle   = strings.NewReplacer("-", "+", "_", "/")
	fromHandle = strings.NewReplacer("+", "-", "/", "_")
)

// handle writes a receipt as a receipt handle, in the alphabet of base64.
func handle(r core.Receipt) string { return handlePrefix + toHandle.Replace(string(r)) }

// parseHandle reads a receipt handle. It accepts what handle writes and nothing else, and what it accepts is not yet
// known to be a receipt of the engine.
func parseHandle(text string) (core.Receipt, bool) {
	rest, ok := strings.CutPrefix(text, handlePrefix)
	if !ok || rest == "" || strings.ContainsFunc(rest, notBase64) {
		return "", false
	}
	return core.Receipt(fromHandle.Replace(rest)), true
}

func notBase64(c rune) bool {
	switch {
	case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '+', c == '/':
		return false
	}
	return true
}
