package mns

import (
	"context"
	"errors"

	"github.com/sluicemq/sluice/core"
)

func (s *service) topic(name string) core.TopicKey {
	return core.TopicKey{Namespace: s.inside, Name: core.TopicName(name)}
}

func (s *service) topicURL(topic core.TopicName) string {
	return s.url + topicsPath + "/" + string(topic)
}

// createTopic cannot say that a topic is to be a FIFO topic: that is up to the configuration. Documented: the control
// plane has a type for topics and this API has none, nor does it show one.
func (s *service) createTopic(ctx context.Context, in *topicSettingsInput) (*createdOutput, error) {
	if err := topicNames.check(in.Topic); err != nil {
		return nil, err
	}
	info, created, err := s.broker.CreateTopic(ctx, s.topic(in.Topic), in.patch())
	if err != nil {
		return nil, err
	}
	return &createdOutput{Location: s.topicURL(info.Key.Name), created: created}, nil
}

func (in *topicSettings) patch() core.TopicPatch {
	return core.TopicPatch{MaxSize: in.MaximumMessageSize, Notes: loggingNotes(in.LoggingEnabled)}
}

func (s *service) setTopicAttributes(ctx context.Context, in *topicSettingsInput) (*none, error) {
	if err := s.broker.AmendTopic(ctx, s.topic(in.Topic), in.patch()); err != nil {
		return nil, err
	}
	return &none{}, nil
}

func (s *service) getTopicAttributes(ctx context.Context, in *topicInput) (*getTopicAttributesOutput, error) {
	info, err := s.broker.Topic(ctx, s.topic(in.Topic))
	if err != nil {
		return nil, err
	}
	return &getTopicAttributesOutput{topicAttributes: topicAttributesOf(info)}, nil
}

func topicAttributesOf(info core.TopicInfo) topicAttributes {
	return topicAttributes{
		TopicName:              string(info.Key.Name),
		CreateTime:             epochSecondsOf(info.Created),
		LastModifyTime:         epochSecondsOf(info.Modified),
		MaximumMessageSize:     info.Settings.MaxSize,
		MessageRetentionPeriod: secondsOf(rules.TopicRetention),
		MessageCount:           info.Messages,
		LoggingEnabled:         info.Settings.Notes[loggingNote] == loggingOn,
	}
}

// deleteTopic succeeds for a topic that is not there.
// UNVERIFIED: by analogy with queues and subscriptions.
func (s *service) deleteTopic(ctx context.Context, in *topicInput) (*none, error) {
	err := s.broker.DeleteTopic(ctx, s.topic(in.Topic))
	if err != nil && !errors.Is(err, &core.Error{Kind: core.TopicNotFound}) {
		return nil, err
	}
	return &none{}, nil
}

func (s *service) listTopic(ctx context.Context, in *listTopicInput) (*listTopicOutput, error) {
	limit, after, err := in.bounds()
	if err != nil {
		return nil, err
	}
	infos, more, err := s.broker.Topics(ctx, s.inside, in.Prefix, core.TopicName(after), limit)
	if err != nil {
		return nil, err
	}
	out := &listTopicOutput{}
	for _, info := range infos {
		listed := listedTopic{TopicURL: s.topicURL(info.Key.Name)}
		if in.WithMeta {
			listed.Attributes = new(topicAttributesOf(info))
		}
		out.Topics = append(out.Topics, listed)
		out.NextMarker = marker(more, info.Key.Name)
	}
	return out, nil
}
