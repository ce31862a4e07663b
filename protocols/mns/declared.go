package mns

import (
	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// Subscription is what a request would say of a subscription, for one that comes from a configuration. An empty member
// is one that the request leaves out.
type Subscription struct{ Endpoint, FilterTag, NotifyStrategy, NotifyContentFormat string }

// Settings returns what the engine has to know of it. The namespace is that of its topic, as this provider sees it; no
// more of the site is needed than its bridges. Returns the provider's own error if something is wrong.
func (s Subscription) Settings(site *protocols.Site, outside core.Namespace) (core.SubscriptionSettings, error) {
	in := subscribeInput{
		Endpoint: &s.Endpoint, FilterTag: s.FilterTag, NotifyStrategy: given(s.NotifyStrategy), NotifyContentFormat: given(s.NotifyContentFormat),
	}
	return (&service{outside: outside, inside: site.Inside(outside)}).subscription(&in)
}

func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// QueueEndpoint returns the endpoint of a subscription that wants its messages in a queue of the namespace.
func QueueEndpoint(outside core.Namespace, queue string) string {
	return "acs:mns:" + outside.Region + ":" + outside.Account + ":queues/" + queue
}

// LoggingNotes returns what a queue or topic with LoggingEnabled is told to remember; nil leaves it as it is. It is for
// resources that are declared rather than made by a request.
func LoggingNotes(enabled *bool) map[string]*string { return loggingNotes(enabled) }
