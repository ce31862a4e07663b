package sqs

import (
	"crypto/sha256"
	"encoding/base32"
	"net/http"
	"net/url"
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// caller is what a request says about itself outside of its parameters, and what its errors will speak of. It
// belongs to one request.
type caller struct {
	subject
	request   *http.Request
	namespace core.Namespace // as the provider sees it, before bridging
	accessKey string         // empty: the request is not signed
	senderID  string         // what sender has found
	user      *user          // whose key it is; nil: the request is not signed, or nobody verifies that
	operation string         // what it wants
}

// newCaller reads the credential scope of a signature, in the Authorization header or in a presigned query. The
// signature itself is for verify. The scope gives the region; an access key of 12 digits is an account as well, which
// other emulators made a convention for tests. What is not said is the home of the
// site; the host is not asked, since clients reach us by any name.
func newCaller(site *protocols.Site, r *http.Request) *caller {
	c := &caller{request: r, namespace: site.SQS.Namespace()}
	scope := credential(r)
	key, rest, _ := strings.Cut(scope, "/")
	c.accessKey = key
	if isAccount(key) {
		c.namespace.Account = key
	} else if own := site.AccountOf(key); own != "" {
		c.namespace.Account = own
	}
	// {key}/{date}/{region}/{service}/aws4_request
	if parts := strings.Split(rest, "/"); len(parts) == 4 && isRegion(parts[1]) {
		c.namespace.Region = parts[1]
	}
	return c
}

func credential(r *http.Request) string {
	if header := r.Header.Get("Authorization"); header != "" {
		_, scope, _ := strings.Cut(header, "Credential=")
		scope, _, _ = strings.Cut(scope, ",")
		return strings.TrimSpace(scope)
	}
	if strings.Contains(r.URL.RawQuery, "X-Amz-Credential=") {
		if values, err := url.ParseQuery(r.URL.RawQuery); err == nil {
			return values.Get("X-Amz-Credential")
		}
	}
	return ""
}

// isRegion reports whether a scope names a real region. Old clients derive it from the host name and then say
// "queue", "sqs" or "localhost" (seen with boto 2 and old Ruby clients): that means the home region.
func isRegion(s string) bool {
	last := s[strings.LastIndexByte(s, '-')+1:]
	if len(last) == 0 || len(last) == len(s) || len(s) > 32 || strings.Trim(last, "0123456789") != "" {
		return false
	}
	return isName(s, 32) && s == strings.ToLower(s)
}

// base returns scheme and host of the URLs in answers: those under which the client reached us, since clients send
// their next request to the URL they are given.
func (c *caller) base(site *protocols.Site) string {
	switch {
	case site.PublicURL != "":
		return strings.TrimRight(site.PublicURL, "/")
	case c.request.TLS != nil:
		return "https://" + c.request.Host
	}
	return "http://" + c.request.Host
}

// sender is the SenderId of the messages that the caller sends: like the id of a user (AIDA and 17 characters), and
// always the same for an access key; the client's address for anonymous callers.
func (c *caller) sender() string {
	switch {
	case c.senderID != "":
	case c.accessKey != "":
		sum := sha256.Sum256([]byte(c.accessKey))
		c.senderID = "AIDA" + base32.StdEncoding.EncodeToString(sum[:])[:17]
	default:
		c.senderID = addressOf(c.request.RemoteAddr)
	}
	return c.senderID
}

// trace is the X-Ray header of the request, which the real service copies to the messages sent (Recorded 2025-06-27).
// One that is no header of X-Ray by its length alone is not copied.
func (c *caller) trace() string {
	if header := c.request.Header.Get("X-Amzn-Trace-Id"); len(header) <= maxTrace {
		return header
	}
	return ""
}
