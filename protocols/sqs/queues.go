package sqs

import (
	"context"
	"strings"

	"github.com/sluicemq/sluice/core"
)

func (s *service) createQueue(ctx context.Context, from *caller, in *createQueueInput) (*queueURLOutput, error) {
	name, err := givenName(in.QueueName)
	if err != nil {
		return nil, err
	}
	if in.QueueName != nil && *in.QueueName == "" {
		return nil, invalidParameterValue.say("Queue name cannot be empty")
	}
	if in.Visibility != nil {
		in.Attributes = append(attributeMap{{Key: "VisibilityTimeout", Value: in.Visibility}}, in.Attributes...)
	}
	draft := &draft{service: s, from: from, creating: true, fifo: asksForFIFO(in.Attributes)}
	if err := draft.apply(in.Attributes); err != nil {
		return nil, err
	}
	if err := newQueueName(name, draft.fifo); err != nil {
		return nil, err
	}
	tags, err := newTags(in.Tags)
	if err != nil {
		return nil, err
	}
	key, err := s.toCreate(from, name, tags)
	if err != nil {
		return nil, err
	}
	if existing, err := s.broker.Queue(ctx, key); err == nil {
		draft.keepSpelling(existing.Settings)
	}
	q, _, err := s.broker.Create(ctx, key, draft.patch, tags)
	if err != nil {
		return nil, err
	}
	return &queueURLOutput{QueueURL: s.queueURL(from, q.Key)}, nil
}

// toCreate returns the key of a queue that the caller may create. Documented: tags need a permission of their own.
func (s *service) toCreate(from *caller, name string, tags map[string]string) (core.QueueKey, error) {
	key, err := s.named(from, place{name: core.QueueName(name)})
	if err == nil && len(tags) > 0 {
		err = s.may(from, key, "TagQueue")
	}
	return key, err
}

// givenName returns the name of a request that must have one.
func givenName(name *string) (string, error) {
	if name == nil {
		return "", invalidParameterValue.say("Value for parameter QueueName is invalid. Reason: Must specify a queue name.")
	}
	return *name, nil
}

func (s *service) getQueueURL(ctx context.Context, from *caller, in *getQueueURLInput) (*queueURLOutput, error) {
	if in.QueueName != nil && *in.QueueName == "" {
		in.QueueName = nil
	}
	name, err := givenName(in.QueueName)
	if err != nil {
		return nil, err
	}
	p := place{name: core.QueueName(name)}
	if in.Owner != nil {
		p.account = *in.Owner
	}
	key, err := s.named(from, p)
	if err != nil {
		return nil, err
	}
	q, err := s.broker.Queue(ctx, key)
	if err != nil {
		return nil, err
	}
	return &queueURLOutput{QueueURL: s.queueURL(from, q.Key)}, nil
}

func (s *service) deleteQueue(ctx context.Context, from *caller, in *queueInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	return s.broker.DeleteQueue(ctx, key)
}

func (s *service) purgeQueue(ctx context.Context, from *caller, in *queueInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	return s.broker.Purge(ctx, key)
}

func (s *service) listQueues(ctx context.Context, from *caller, in *listQueuesInput) (*listQueuesOutput, error) {
	prefix := ""
	if in.Prefix != nil {
		prefix = *in.Prefix
	}
	p, err := newPage(in.MaxResults, in.NextToken, prefix, "Invalid NextToken value.")
	if err != nil {
		return nil, err
	}
	all, err := s.own(from, core.QueueKey{Namespace: s.site.Inside(from.namespace)})
	if err != nil {
		return nil, err
	}
	queues, more, err := s.broker.Queues(ctx, all.Namespace, prefix, p.after, p.limit)
	if err != nil {
		return nil, err
	}
	out := &listQueuesOutput{QueueURLs: make([]string, 0, len(queues))}
	for i := range queues {
		out.QueueURLs = append(out.QueueURLs, s.queueURL(from, queues[i].Key))
	}
	if more {
		out.NextToken = p.next(queues[len(queues)-1].Key.Name)
	}
	return out, nil
}

func (s *service) listDeadLetterSources(ctx context.Context, from *caller, in *listSourcesInput) (*listSourcesOutput, error) {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return nil, err
	}
	p, err := newPage(in.MaxResults, in.NextToken, string(key.Name), "Invalid or expired next token.")
	if err != nil {
		return nil, s.refuse(ctx, key, err)
	}
	sources, more, err := s.broker.RedriveSources(ctx, key, p.after, p.limit)
	if err != nil {
		return nil, err
	}
	out := &listSourcesOutput{QueueURLs: make([]string, 0, len(sources))}
	for _, source := range sources {
		out.QueueURLs = append(out.QueueURLs, s.queueURL(from, source))
	}
	if more {
		out.NextToken = p.next(sources[len(sources)-1].Name)
	}
	return out, nil
}

// asksForFIFO reports whether the attributes of a new queue ask for a FIFO queue.
func asksForFIFO(given attributeMap) bool {
	value, _ := given.Get("FifoQueue")
	return value != nil && strings.EqualFold(*value, "true")
}
