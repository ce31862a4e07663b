package sqs

import (
	"net"
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// queue returns the key of the queue that a request is about: the one of its QueueUrl or else of its path. Returns
// QueueNotFound if neither names one, which the real service says also when there is no QueueUrl at all (Recorded).
func (s *service) queue(from *caller, given *string) (core.QueueKey, error) {
	text := from.request.URL.Path
	if given != nil && *given != "" {
		text = *given
	}
	p, ok := parseQueueURL(text)
	if !ok {
		return core.QueueKey{}, &core.Error{Kind: core.QueueNotFound, Value: text}
	}
	return s.named(from, p)
}

// named returns the key of a queue of which the request says only in part where it is.
func (s *service) named(from *caller, p place) (core.QueueKey, error) {
	ns := from.namespace
	if p.account != "" {
		ns.Account = p.account
	}
	if p.region != "" {
		ns.Region = p.region
	}
	from.subject.queue = p.name
	return s.own(from, core.QueueKey{Namespace: s.site.Inside(ns), Name: p.name})
}

// place is where a queue URL points to; account and region are empty where it does not say.
type place struct {
	region, account string
	name            core.QueueName
}

// parseQueueURL reads a queue URL or its path. Besides the provider's own form /{account}/{name} it accepts those that
// other emulators hand out, /queue/{name} and /queue/{region}/{account}/{name}, and the bare name, which the real
// service accepts too (validated). The host is never looked at: clients may have reached us by another name.
func parseQueueURL(text string) (place, bool) {
	path := text
	if _, rest, absolute := strings.Cut(text, "://"); absolute {
		_, path, _ = strings.Cut(rest, "/")
	}
	return parseQueuePath(path)
}

// withoutRegion returns what stands behind the region in a local host name as other emulators hand them out,
// sqs.{region}.localhost… and {region}.queue.localhost…; any other host as it is.
func withoutRegion(host string) string {
	_, domain := splitRegion(host)
	name, _, _ := strings.Cut(domain, ":")
	if first, _, _ := strings.Cut(name, "."); first != "localhost" {
		return host
	}
	return domain
}

func parseQueuePath(path string) (place, bool) {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) == 1 && parts[0] != "":
		return place{name: core.QueueName(parts[0])}, true
	case len(parts) == 2 && isAccount(parts[0]):
		return place{account: parts[0], name: core.QueueName(parts[1])}, true
	case len(parts) == 2 && parts[0] == "queue":
		return place{name: core.QueueName(parts[1])}, true
	case len(parts) == 4 && parts[0] == "queue" && isAccount(parts[2]):
		return place{region: parts[1], account: parts[2], name: core.QueueName(parts[3])}, true
	}
	return place{}, false
}

// isQueuePath reports whether a path is that of a queue URL as we hand them out.
func isQueuePath(path string) bool {
	p, ok := parseQueueURL(path)
	return ok && p.account != ""
}

// queueURL returns the URL of a queue for a caller, in the form that the site wants.
func (s *service) queueURL(from *caller, key core.QueueKey) string {
	base, ns := from.base(s.site), s.outside(key.Namespace)
	switch s.site.QueueURLs {
	case "", protocols.QueueURLHost:
	case protocols.QueueURLPath:
		base += "/queue/" + ns.Region
	case protocols.QueueURLStandard:
		base = under("sqs."+ns.Region+".", base)
	case protocols.QueueURLDomain:
		base = under(ns.Region+".queue.", base)
	}
	return base + "/" + ns.Account + "/" + string(key.Name)
}

// localDomain is a public name whose subdomains are all 127.0.0.1: what clients of LocalStack are used to.
const localDomain = "localhost.localstack.cloud"

// under puts labels before the host of a URL, in place of those for a region that it has. An address cannot have any, so
// that one is named instead.
func under(labels, base string) string {
	scheme, host, _ := strings.Cut(base, "://")
	name, port := host, ""
	if h, p, err := net.SplitHostPort(host); err == nil {
		name, port = h, ":"+p
	}
	name = withoutRegion(name)
	if net.ParseIP(strings.Trim(name, "[]")) != nil {
		name = localDomain
	}
	return scheme + "://" + labels + name + port
}

// outside returns a namespace of the engine as callers of SQS see it. Where another provider's namespace is joined
// with the home of SQS, its queues are shown as queues of that home.
func (s *service) outside(ns core.Namespace) core.Namespace {
	home := s.site.SQS.Namespace()
	if ns == s.site.Inside(home) {
		return home
	}
	return ns
}

// arn returns a queue's resource name.
func (s *service) arn(key core.QueueKey) string {
	ns := s.outside(key.Namespace)
	return "arn:" + partition(ns.Region) + ":sqs:" + ns.Region + ":" + ns.Account + ":" + string(key.Name)
}

// parseARN reads the resource name of a queue. The second result is its service; empty if the text is no resource
// name at all. What stands in the place of a region and is none is the home region, as it is in a signature: other emulators
// have resource names with "elasticmq" or nothing there, which settings and tests still hold.
func (s *service) parseARN(text string) (key core.QueueKey, service string) {
	parts := strings.Split(text, ":")
	if len(parts) != 6 || parts[0] != "arn" || parts[1] == "" || parts[5] == "" {
		return core.QueueKey{}, ""
	}
	ns := core.Namespace{Region: parts[3], Account: parts[4]}
	if !isRegion(ns.Region) {
		ns.Region = s.site.SQS.Region
	}
	return core.QueueKey{Namespace: s.site.Inside(ns), Name: core.QueueName(parts[5])}, parts[2]
}

// partition returns the part of the provider's world that a region belongs to.
func partition(region string) string {
	for _, p := range [...]struct{ prefix, partition string }{
		{"cn-", "aws-cn"}, {"us-gov-", "aws-us-gov"}, {"us-isob-", "aws-iso-b"}, {"us-iso-", "aws-iso"}, {"eusc-", "aws-eusc"},
	} {
		if strings.HasPrefix(region, p.prefix) {
			return p.partition
		}
	}
	return "aws"
}

// newQueueName checks the name of a queue that is to be made. The texts are transcribed, the code is validated.
func newQueueName(name string, fifo bool) error {
	switch base, suffix := strings.CutSuffix(name, ".fifo"); {
	case fifo && (!suffix || !isName(base, maxQueueName-len(".fifo"))):
		return invalidParameterValue.say("The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.")
	case !fifo && !isName(name, maxQueueName):
		return invalidParameterValue.say("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")
	}
	return nil
}
