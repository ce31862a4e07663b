package protocols

import (
	"net/http"
	"strings"

	"github.com/sluicemq/sluice/core"
)

// Coder is implemented by dialects that can tell the code of an error without answering it, for those who count and
// trace what is answered.
type Coder interface {
	// Code returns the code with which Fail answers the error, such as "AWS.SimpleQueueService.NonExistentQueue".
	Code(c *Call, err error) string
}

// These bound what is taken over from headers and attributes that nobody else has bounded; what is longer is left out.
// A state of at least 512 characters and a baggage of at least 8192 bytes have to be taken over (Documented, W3C).
const (
	maxState   = 1024
	maxBaggage = 8192
)

// traceHeader is the header in which clients of AWS carry the context of X-Ray.
const traceHeader = "X-Amzn-Trace-Id"

// RequestTrace returns the trace that a request itself belongs to, by its headers: W3C's traceparent with what comes
// along with it or else, as Parent only, X-Ray's. Without a valid one it is zero.
func RequestTrace(r *http.Request) core.Trace {
	return CarriedTrace(r.Header.Get, ParentOf(r.Header.Get(traceHeader)))
}

// CarriedTrace reads W3C's three texts from a carrier, which returns "" for a name that it does not have. If its
// traceparent is not valid the trace has only the Parent that is given instead.
func CarriedTrace(carrier func(name string) string, otherwise string) core.Trace {
	parent := carrier("traceparent")
	if !IsParent(parent) {
		return core.Trace{Parent: otherwise}
	}
	t := core.Trace{Parent: parent}
	if state := carrier("tracestate"); len(state) <= maxState {
		t.State = state
	}
	if baggage := carrier("baggage"); len(baggage) <= maxBaggage {
		t.Baggage = baggage
	}
	return t
}

// A traceparent is "00-{32 digits}-{16 digits}-{2 digits}". Later versions may have more at the end (Documented, W3C).
const parentLength = 2 + 1 + 32 + 1 + 16 + 1 + 2

// IsParent reports whether a text is a valid traceparent of W3C.
func IsParent(s string) bool {
	if len(s) < parentLength || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return false
	}
	return extends(s[:2], s[parentLength:]) && isHex(s[:2]) && isID(s[3:35]) && isID(s[36:52]) && isHex(s[53:55])
}

// extends reports whether a version of a traceparent can have the text at its end.
func extends(version, more string) bool {
	switch {
	case version == "ff":
		return false
	case more == "":
		return true
	}
	return version != "00" && more[0] == '-' && len(more) <= parentLength
}

// XRayOf returns a valid traceparent in the form of X-Ray's header, and "" for anything else.
func XRayOf(parent string) string {
	if !IsParent(parent) {
		return ""
	}
	sampled := "0"
	if strings.IndexByte("13579bdf", parent[54]) >= 0 {
		sampled = "1"
	}
	return "Root=1-" + parent[3:11] + "-" + parent[11:35] + ";Parent=" + parent[36:52] + ";Sampled=" + sampled
}

// ParentOf returns a header of X-Ray as a traceparent. One without a parent belongs to a trace but names nothing in it
// that could be the parent of anything: for it, and for what is no such header, it returns "".
func ParentOf(xray string) string {
	root, parent, flags := "", "", "00"
	for field := range strings.SplitSeq(xray, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "Root":
			root = value
		case "Parent":
			parent = value
		case "Sampled":
			if value == "1" {
				flags = "01"
			}
		}
	}
	// {version}-{8 digits}-{24 digits}
	if len(root) != 35 || root[:2] != "1-" || root[10] != '-' || len(parent) != 16 {
		return ""
	}
	made := strings.ToLower("00-" + root[2:10] + root[11:] + "-" + parent + "-" + flags)
	if !IsParent(made) {
		return ""
	}
	return made
}

// isID reports whether a text is a number in lower-case hexadecimal digits that is not zero.
func isID(s string) bool { return isHex(s) && strings.Trim(s, "0") != "" }

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
