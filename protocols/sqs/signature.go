package sqs

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	algorithm   = "AWS4-HMAC-SHA256"
	serviceName = "sqs"
	terminator  = "aws4_request"

	dayFormat  = "20060102"
	timeFormat = "20060102T150405Z"

	// Documented.
	maxSkew     = 15 * time.Minute
	maxLifetime = 7 * 24 * time.Hour
)

// signature is what a request says of who has signed it, when, and what.
type signature struct {
	scope    scope
	headers  []string // that are signed, in lower case
	value    string
	token    string // of a temporary key
	at       time.Time
	lifetime time.Duration // of a presigned URL; 0: the signature is in a header
}

// scope is what a signing key is good for: {key}/{day}/{region}/{service}/aws4_request.
type scope struct{ key, day, region, service, terminator string }

// readSignature reads the signature of a request, in the Authorization header or in a presigned query. Nil without an
// error means that there is none.
func readSignature(r *http.Request) (*signature, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		return readHeader(header, r)
	}
	if !strings.Contains(r.URL.RawQuery, "X-Amz-") {
		return nil, nil
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, malformedQueryString.say("The query string contains a syntax error.")
	}
	if !values.Has("X-Amz-Algorithm") && !values.Has("X-Amz-Signature") {
		return nil, nil
	}
	return readPresigned(values)
}

// readHeader reads "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=a;b, Signature=…".
// UNVERIFIED: the texts of its errors are those of other services. Status and code are Recorded.
func readHeader(header string, r *http.Request) (*signature, error) {
	parts := map[string]string{}
	if given, rest, _ := strings.Cut(header, " "); given == algorithm {
		for part := range strings.SplitSeq(rest, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			parts[name] = value
		}
	}
	date := r.Header.Get("X-Amz-Date")
	if date == "" {
		date = r.Header.Get("Date")
	}
	var text string
	for _, name := range []string{"Credential", "Signature", "SignedHeaders"} {
		if parts[name] == "" {
			text += "Authorization header requires '" + name + "' parameter. "
		}
	}
	if date == "" {
		text += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
	}
	if text != "" {
		return nil, incompleteSignature.say("%sAuthorization=%s", text, header)
	}
	s := &signature{value: parts["Signature"], token: r.Header.Get("X-Amz-Security-Token")}
	return s, s.read(parts["Credential"], parts["SignedHeaders"], date)
}

// readPresigned reads the parameters of a presigned URL.
// UNVERIFIED: the texts, as those of readHeader.
func readPresigned(values url.Values) (*signature, error) {
	var text string
	for _, name := range []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date", "X-Amz-Expires"} {
		if values.Get(name) == "" || name == "X-Amz-Algorithm" && values.Get(name) != algorithm {
			text += "AWS query-string parameters must include '" + name + "'. "
		}
	}
	if text != "" {
		return nil, incompleteSignature.say("%sRe-examine the query-string parameters.", text)
	}
	seconds, err := strconv.Atoi(values.Get("X-Amz-Expires"))
	if err != nil || seconds < 1 || seconds > int(maxLifetime/time.Second) {
		return nil, incompleteSignature.say("X-Amz-Expires must be a number between 1 and %d.", maxLifetime/time.Second)
	}
	s := &signature{
		value: values.Get("X-Amz-Signature"), token: values.Get("X-Amz-Security-Token"), lifetime: time.Duration(seconds) * time.Second,
	}
	return s, s.read(values.Get("X-Amz-Credential"), values.Get("X-Amz-SignedHeaders"), values.Get("X-Amz-Date"))
}

func (s *signature) read(credential, headers, date string) error {
	parts := strings.Split(credential, "/")
	if len(parts) != 5 {
		return incompleteSignature.say("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '%s'", credential)
	}
	s.scope = scope{parts[0], parts[1], parts[2], parts[3], parts[4]}
	s.headers = strings.Split(strings.ToLower(headers), ";")
	var err error
	if s.at, err = time.Parse(timeFormat, date); err != nil {
		s.at, err = http.ParseTime(date)
	}
	if err != nil {
		return incompleteSignature.say("Date must be in ISO-8601 'basic format'. Got '%s'. See http://en.wikipedia.org/wiki/ISO_8601", date)
	}
	return nil
}

// hostRegion returns the region that the name of the host asks for, or "".
func hostRegion(host string) string {
	region, _ := splitRegion(strings.ToLower(host))
	return region
}

// splitRegion returns the region in the name of a host and what stands behind it, as in sqs.{region}.… and
// {region}.queue.…; both are empty for any other host.
func splitRegion(host string) (region, domain string) {
	labels := strings.SplitN(host, ".", 3)
	switch {
	case len(labels) < 3:
	case labels[0] == serviceName && isRegion(labels[1]):
		return labels[1], labels[2]
	case labels[1] == "queue" && isRegion(labels[0]):
		return labels[0], labels[2]
	}
	return "", ""
}
