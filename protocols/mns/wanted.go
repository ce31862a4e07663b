package mns

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	wanted "github.com/sluicemq/sluice/protocols/faults"
)

// Faults is what it takes to make the provider fail on purpose.
func Faults() wanted.Provider { return wanted.Provider{Failure: failure, Resource: resource} }

// failures are what can be wanted. Documented, where not said otherwise.
var failures = []*fault{
	{http.StatusTooManyRequests, "TooManyRequests", "The request is denied by cluster flow limiter for too many requests."}, // since 2024
	{http.StatusBadRequest, "QpsLimitExceeded", "The qps limit of the queue is exceeded"},                                   // before
	&internal,
	{http.StatusInternalServerError, "InternalServerError", "Interal error."},
	// UNVERIFIED: that there is one; a client of the provider tries again after this status.
	{http.StatusServiceUnavailable, "ServiceUnavailable", "The request has failed due to a temporary failure of the server."},
	translate(&core.Error{Kind: core.QueueNotFound}), translate(&core.Error{Kind: core.TopicNotFound}),
	errNoMessage, errAccessDenied, errExpired, errUnknownKey, errBadSignature,
}

func failure(name string) error {
	switch name {
	case wanted.Throttled:
		name = "TooManyRequests"
	case wanted.Internal:
		name = internal.code
	case wanted.Unavailable:
		name = "ServiceUnavailable"
	}
	for _, f := range failures {
		if f.code == name {
			return f
		}
	}
	return nil
}

// resource returns the name of the queue or topic in a call's path; empty for calls that are about none.
func resource(c *protocols.Call) string {
	path := c.Request.URL.EscapedPath()
	for _, prefix := range [...]string{queuesPath + "/", topicsPath + "/"} {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			rest, _, _ = strings.Cut(rest, "/")
			if name, err := url.PathUnescape(rest); err == nil {
				return name
			}
		}
	}
	return ""
}
