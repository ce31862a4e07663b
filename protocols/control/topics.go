package control

import (
	"net/http"
	"slices"

	"github.com/sluicemq/sluice/core"
)

func (a *API) listTopics(r *http.Request) (int, any, error) {
	p, err := readListing(r)
	if err != nil {
		return 0, nil, err
	}
	list := topicPage{
		Topics: []topicShape{},
		Total:  a.engine.Count(core.QueueFilter{Account: p.account, Region: p.region}, false).Topics,
	}
	for _, ns := range a.namespaces(p) {
		// One more than fits tells that there are more, be they in the next namespace.
		found, _, err := a.broker.Topics(r.Context(), ns, p.prefix, core.TopicName(p.afterIn(ns)), p.limit+1-len(list.Topics))
		if err != nil {
			return 0, nil, err
		}
		for i := range found {
			list.Topics = append(list.Topics, shownTopic(&found[i]))
		}
		if len(list.Topics) > p.limit {
			break
		}
	}
	if len(list.Topics) > p.limit {
		list.Topics = list.Topics[:p.limit]
		list.Next = new(queueRef(list.Topics[p.limit-1].topicRef).text())
	}
	return http.StatusOK, &list, nil
}

// namespaces returns those that a list goes on with.
func (a *API) namespaces(p listing) []core.Namespace {
	from := p.after.key().Namespace
	return slices.DeleteFunc(a.engine.Namespaces(), func(ns core.Namespace) bool {
		before := ns.Account < from.Account || ns.Account == from.Account && ns.Region < from.Region
		return before || p.account != "" && ns.Account != p.account || p.region != "" && ns.Region != p.region
	})
}

// afterIn returns the name in a namespace after which a list goes on, empty for its beginning.
func (p *listing) afterIn(ns core.Namespace) string {
	if ns != p.after.key().Namespace {
		return ""
	}
	return p.after.Name
}

func topicOf(r *http.Request) core.TopicKey {
	return core.TopicKey{
		Namespace: core.Namespace{Account: r.PathValue("account"), Region: r.PathValue("region")},
		Name:      core.TopicName(r.PathValue("topic")),
	}
}

func topicRefOf(k core.TopicKey) topicRef {
	return topicRef{k.Namespace.Account, k.Namespace.Region, string(k.Name)}
}

func shownTopic(t *core.TopicInfo) topicShape {
	return topicShape{
		topicRef: topicRefOf(t.Key), Created: stamp(t.Created), Modified: stamp(t.Modified), FIFO: t.Settings.FIFO,
		Waiting: t.Messages, MaxSizeBytes: t.Settings.MaxSize, Notes: t.Settings.Notes,
	}
}

func (a *API) getTopic(r *http.Request) (int, any, error) {
	t, err := a.broker.Topic(r.Context(), topicOf(r))
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, new(shownTopic(&t)), nil
}

func (a *API) listSubscriptions(r *http.Request) (int, any, error) {
	p := newParameters(r)
	limit, prefix, after := p.number("limit", 100, 1, 1000), p.text("prefix"), core.SubscriptionName(p.text("after"))
	if p.err != nil {
		return 0, nil, p.err
	}
	found, more, err := a.broker.Subscriptions(r.Context(), topicOf(r), prefix, after, limit)
	if err != nil {
		return 0, nil, err
	}
	list := subscriptionPage{Subscriptions: make([]subscriptionShape, len(found))}
	for i := range found {
		list.Subscriptions[i] = shownSubscription(&found[i])
	}
	if more && len(found) > 0 {
		list.Next = new(string(found[len(found)-1].Name))
	}
	return http.StatusOK, &list, nil
}

var endpointKinds = map[core.EndpointKind]string{
	core.EndpointQueue: "queue", core.EndpointPush: "push", core.EndpointOutbox: "outbox",
}

var strategies = map[core.Strategy]string{core.BackoffRetry: "backoff", core.DecayRetry: "decaying"}

func shownSubscription(s *core.SubscriptionInfo) subscriptionShape {
	e := s.Settings.Endpoint
	return subscriptionShape{
		Topic: topicRefOf(s.Topic), Name: string(s.Name), Created: stamp(s.Created), Modified: stamp(s.Modified),
		Endpoint: endpointShape{endpointKinds[e.Kind], maybe(&e.Queue), e.Address}, Tag: s.Settings.Tag,
		Format: s.Settings.Format, Owner: s.Settings.Owner, Strategy: strategies[s.Settings.Strategy],
		DeadLetter: maybe(s.Settings.DeadLetter),
	}
}

func (a *API) listOutbox(r *http.Request) (int, any, error) {
	p, err := readListing(r)
	if err != nil {
		return 0, nil, err
	}
	var all []core.Delivery
	for _, ns := range a.namespaces(p) {
		found, err := a.broker.Outbox(r.Context(), ns, p.limit)
		if err != nil {
			return 0, nil, err
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b core.Delivery) int { return b.At.Compare(a.At) })
	list := outboxPage{Outbox: []outboxEntry{}}
	for i := range all[:min(len(all), p.limit)] {
		list.Outbox = append(list.Outbox, shownDelivery(&all[i]))
	}
	return http.StatusOK, &list, nil
}

func shownDelivery(d *core.Delivery) outboxEntry {
	return outboxEntry{
		ID: d.ID.String(), Topic: topicRefOf(d.Topic), Subscription: string(d.Subscription.Name),
		Address: d.Subscription.Settings.Endpoint.Address, At: stamp(d.At), Body: d.Body, Tag: d.Tag,
		Attributes: shownAttributes(d.Attributes), Notes: d.Notes, Trace: shownTrace(d.Trace),
	}
}

func (a *API) clearOutbox(r *http.Request) (int, any, error) {
	p, err := readListing(r)
	if err != nil {
		return 0, nil, err
	}
	for _, ns := range a.namespaces(p) {
		if err := a.broker.ClearOutbox(r.Context(), ns); err != nil {
			return 0, nil, err
		}
	}
	return http.StatusNoContent, nil, nil
}
