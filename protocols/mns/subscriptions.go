package mns

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/sluicemq/sluice/core"
)

// The forms in which a subscription gets messages. Documented but for formatStream, which the Java client knows.
const (
	formatXML        = "XML"
	formatJSON       = "JSON"
	formatSimplified = "SIMPLIFIED"
	formatStream     = "STREAM"
)

var formats = map[string]bool{formatXML: true, formatJSON: true, formatSimplified: true, formatStream: true}

var strategies = map[string]core.Strategy{"BACKOFF_RETRY": core.BackoffRetry, "EXPONENTIAL_DECAY_RETRY": core.DecayRetry}

var strategyNames = [...]string{core.BackoffRetry: "BACKOFF_RETRY", core.DecayRetry: "EXPONENTIAL_DECAY_RETRY"}

func (s *service) subscribe(ctx context.Context, in *subscribeInput) (*createdOutput, error) {
	if err := subscriptionNames.check(in.Subscription); err != nil {
		return nil, err
	}
	settings, err := s.subscription(in)
	if err != nil {
		return nil, err
	}
	if err := s.checkRoom(ctx, in.Topic, settings.Endpoint); err != nil {
		return nil, err
	}
	info, created, err := s.broker.Subscribe(ctx, s.topic(in.Topic), core.SubscriptionName(in.Subscription), settings)
	if err != nil {
		return nil, err
	}
	// Recorded: the Location of a subscription, and of nothing else, is without a scheme.
	_, location, _ := strings.Cut(s.subscriptionURL(info), "://")
	return &createdOutput{Location: location, created: created}, nil
}

func (s *service) subscriptionURL(info core.SubscriptionInfo) string {
	return s.topicURL(info.Topic.Name) + "/subscriptions/" + string(info.Name)
}

func (s *service) subscription(in *subscribeInput) (core.SubscriptionSettings, error) {
	var none core.SubscriptionSettings
	endpoint, err := s.endpoint(in.Endpoint)
	if err != nil {
		return none, err
	}
	settings := core.SubscriptionSettings{Endpoint: endpoint, Tag: in.FilterTag, Format: formatXML, Owner: s.outside.Account}
	if utf8.RuneCountInString(in.FilterTag) > maxTag {
		return none, errFilterTag
	}
	strategy, err := strategyOf(in.NotifyStrategy)
	if err != nil {
		return none, err
	}
	if strategy != nil {
		settings.Strategy = *strategy
	}
	if in.NotifyContentFormat != nil {
		settings.Format = *in.NotifyContentFormat
	}
	if !formats[settings.Format] {
		return none, notInSchema("NotifyContentFormat")
	}
	return settings, nil
}

// strategyOf returns nil for nil: what was not given.
func strategyOf(name *string) (*core.Strategy, error) {
	if name == nil {
		return nil, nil
	}
	strategy, known := strategies[*name]
	if !known {
		return nil, notInSchema("NotifyStrategy")
	}
	return &strategy, nil
}

// checkRoom refuses a queue that takes less than the topic. Documented, but not with which error; a queue that is not
// there yet is not asked.
// UNVERIFIED: the error.
func (s *service) checkRoom(ctx context.Context, topic string, e core.Endpoint) error {
	if e.Kind != core.EndpointQueue {
		return nil
	}
	info, err := s.broker.Topic(ctx, s.topic(topic))
	if err != nil {
		return err
	}
	queue, err := s.broker.Queue(ctx, e.Queue)
	switch {
	case errors.Is(err, &core.Error{Kind: core.QueueNotFound}):
		return nil
	case err != nil:
		return err
	case queue.Settings.MaxSize < info.Settings.MaxSize:
		return errEndpoint
	}
	return nil
}

func (s *service) setSubscriptionAttributes(ctx context.Context, in *setSubscriptionInput) (*none, error) {
	if in.FilterTag != nil && utf8.RuneCountInString(*in.FilterTag) > maxTag {
		return nil, errFilterTag
	}
	strategy, err := strategyOf(in.NotifyStrategy)
	if err != nil {
		return nil, err
	}
	p := core.SubscriptionPatch{Tag: in.FilterTag, Strategy: strategy}
	if err := s.broker.AmendSubscription(ctx, s.topic(in.Topic), core.SubscriptionName(in.Subscription), p); err != nil {
		return nil, err
	}
	return &none{}, nil
}

func (s *service) getSubscriptionAttributes(ctx context.Context, in *subscriptionInput) (*getSubscriptionOutput, error) {
	info, err := s.broker.Subscription(ctx, s.topic(in.Topic), core.SubscriptionName(in.Subscription))
	if err != nil {
		return nil, err
	}
	return &getSubscriptionOutput{
		CreateTime:          epochSecondsOf(info.Created),
		Endpoint:            info.Settings.Endpoint.Address,
		FilterTag:           info.Settings.Tag,
		LastModifyTime:      epochSecondsOf(info.Modified),
		NotifyContentFormat: cmp.Or(info.Settings.Format, formatXML),
		NotifyStrategy:      strategyNames[info.Settings.Strategy],
		SubscriptionName:    string(info.Name),
		TopicName:           string(info.Topic.Name),
		TopicOwner:          s.outside.Account,
	}, nil
}

// unsubscribe succeeds for a subscription that is not there. Documented.
// UNVERIFIED: that it does not for a topic that is not there.
func (s *service) unsubscribe(ctx context.Context, in *subscriptionInput) (*none, error) {
	err := s.broker.Unsubscribe(ctx, s.topic(in.Topic), core.SubscriptionName(in.Subscription))
	if err != nil {
		return nil, err
	}
	return &none{}, nil
}

func (s *service) listSubscriptionByTopic(ctx context.Context, in *listSubscriptionInput) (*listSubscriptionOutput, error) {
	limit, after, err := in.bounds()
	if err != nil {
		return nil, err
	}
	infos, more, err := s.broker.Subscriptions(ctx, s.topic(in.Topic), in.Prefix, core.SubscriptionName(after), limit)
	if err != nil {
		return nil, err
	}
	out := &listSubscriptionOutput{}
	for _, info := range infos {
		out.Subscriptions = append(out.Subscriptions, listedSubscription{SubscriptionURL: s.subscriptionURL(info)})
		out.NextMarker = marker(more, info.Name)
	}
	return out, nil
}
