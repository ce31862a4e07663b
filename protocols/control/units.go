package control

import (
	"encoding/hex"
	"math"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
)

// layout is RFC 3339 with milliseconds, the engine's precision.
const layout = "2006-01-02T15:04:05.000Z"

func stamp(t time.Time) string { return t.UTC().Format(layout) }

// stampIf returns nil for no time at all.
func stampIf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

// longest is the longest duration that a request may give.
const longest = 100 * 366 * day

// duration reads a number of seconds, nil where there is none.
func duration(field string, seconds *float64) (*time.Duration, error) {
	if seconds == nil {
		return nil, nil //nolint:nilnil // what is absent is no error
	}
	if *seconds < 0 || *seconds > longest.Seconds() {
		return nil, invalid(field, "%s is %v, want a number of seconds that is not negative.", field, *seconds)
	}
	d := time.Duration(math.Round(*seconds*1000)) * time.Millisecond
	return &d, nil
}

// readID reads the id of a message as any of the protocols writes it: 32 hexadecimal digits in either case, or a UUID.
func readID(text string) (core.MessageID, error) {
	var id core.MessageID
	digits := strings.ReplaceAll(text, "-", "")
	if b, err := hex.DecodeString(digits); err == nil && len(b) == len(id) {
		copy(id[:], b)
		return id, nil
	}
	return id, invalid("message", "%q is not the id of a message, want 32 hexadecimal digits.", text)
}

// traceIDOf returns the id of the trace in which a message was sent: 32 hexadecimal digits, empty without one.
func traceIDOf(t core.Trace) string {
	if t == (core.Trace{}) {
		return ""
	}
	if parts := strings.Split(t.Parent, "-"); len(parts) >= 4 && isTraceID(parts[1]) {
		return strings.ToLower(parts[1])
	}
	for part := range strings.SplitSeq(t.XRay, ";") {
		if root, ok := strings.CutPrefix(strings.TrimSpace(part), "Root="); ok {
			// 1-5759e988-bd862e3fe1be46a994272793: version, seconds since 1970, and the rest of the id. Documented.
			if f := strings.Split(root, "-"); len(f) == 3 && isTraceID(f[1]+f[2]) {
				return strings.ToLower(f[1] + f[2])
			}
		}
	}
	return ""
}

func isTraceID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 32
}
