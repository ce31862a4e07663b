package mns

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sluicemq/sluice/core"
)

// maxEndpoint is how many bytes an endpoint may have.
// UNVERIFIED: there is no documented number.
const maxEndpoint = 2048

// UNVERIFIED: the text; documented are code and status.
var errEndpoint = &fault{http.StatusBadRequest, "EndpointInvalid", "The endpoint you provided is invalid."}

// endpoint reads where a subscription wants its messages: at a URL of HTTP, in a queue, in a mail, in a short message or
// on telephones.
// The engine keeps the text, which is what the subscription shows.
func (s *service) endpoint(text *string) (core.Endpoint, error) {
	if text == nil || len(*text) > maxEndpoint {
		return core.Endpoint{}, errEndpoint
	}
	e := core.Endpoint{Address: *text}
	scheme, rest, _ := strings.Cut(*text, ":")
	switch strings.ToLower(scheme) {
	case "http", "https":
		e.Kind = core.EndpointPush
		return e, checkURL(*text)
	case "acs":
		queue, ok := queueOf(rest)
		if !ok {
			return core.Endpoint{}, errEndpoint
		}
		e.Kind, e.Queue = core.EndpointQueue, s.key(queue)
		return e, nil
	case "mail", "sms", "push":
		// Sluice sends none of them: they can be looked at in the outbox.
		if !namesOne(rest, outboxChannels[strings.ToLower(scheme)]) {
			return core.Endpoint{}, errEndpoint
		}
		e.Kind = core.EndpointOutbox
		return e, nil
	}
	return core.Endpoint{}, errEndpoint
}

// outboxChannels follow the schemes of endpoints outside of the web. Documented are directmail and directsms; the Java
// client makes the others as well.
var outboxChannels = map[string][]string{"mail": {"directmail:"}, "sms": {"directsms:", "dayu:"}, "push": {""}}

// namesOne reports whether there is something behind one of the channels.
func namesOne(text string, channels []string) bool {
	return slices.ContainsFunc(channels, func(channel string) bool {
		address, ok := strings.CutPrefix(text, channel)
		return ok && address != ""
	})
}

// queueOf reads mns:{region}:{account}:queues/{name}. Region and account are not compared: clients take them from the
// host that they are given, and of localhost they make nonsense, such as mns:0:127:queues/q.
func queueOf(arn string) (string, bool) {
	parts := strings.SplitN(arn, ":", 4)
	if len(parts) != 4 || parts[0] != "mns" {
		return "", false
	}
	name, ok := strings.CutPrefix(strings.TrimPrefix(parts[3], "/"), "queues/")
	return name, ok && name != "" && !strings.Contains(name, "/")
}

// checkURL refuses what nothing can be pushed to. Documented: paths that begin with mns-reserved- are the service's own.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.HasPrefix(u.Path, "/mns-reserved-") {
		return errEndpoint
	}
	return nil
}
