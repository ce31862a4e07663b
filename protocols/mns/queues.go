package mns

import (
	"context"
	"errors"
	"net/http"

	"github.com/sluicemq/sluice/core"
)

func (s *service) createQueue(ctx context.Context, in *queueSettingsInput) (*createdOutput, error) {
	if err := queueNames.check(in.Queue); err != nil {
		return nil, err
	}
	info, created, err := s.broker.Create(ctx, s.key(in.Queue), in.patch(), nil)
	if err != nil {
		return nil, err
	}
	return &createdOutput{Location: s.queueURL(info.Key.Name), created: created}, nil
}

// status tells a new queue from one that was there before. Recorded: 204 has a Location as well.
func (o *createdOutput) status() int {
	if o.created {
		return http.StatusCreated
	}
	return http.StatusNoContent
}

func (s *service) setQueueAttributes(ctx context.Context, in *queueSettingsInput) (*none, error) {
	err := s.broker.Amend(ctx, s.key(in.Queue), func(core.QueueInfo) (core.Patch, error) { return in.patch(), nil })
	if err != nil {
		return nil, err
	}
	return &none{}, nil
}

// patch holds what was given.
func (in *queueSettings) patch() core.Patch {
	p := core.Patch{
		Delay:      in.DelaySeconds.duration(),
		Visibility: in.VisibilityTimeout.duration(),
		Retention:  in.MessageRetentionPeriod.duration(),
		Wait:       in.PollingWaitSeconds.duration(),
		MaxSize:    in.MaximumMessageSize,
	}
	p.Notes = loggingNotes(in.LoggingEnabled)
	return p
}

func loggingNotes(enabled *bool) map[string]*string {
	switch {
	case enabled == nil:
		return nil
	case *enabled:
		return map[string]*string{loggingNote: new(loggingOn)}
	}
	return map[string]*string{loggingNote: new(loggingOff)}
}

func (s *service) getQueueAttributes(ctx context.Context, in *queueInput) (*getQueueAttributesOutput, error) {
	info, err := s.broker.Queue(ctx, s.key(in.Queue))
	if err != nil {
		return nil, err
	}
	return &getQueueAttributesOutput{queueAttributes: attributesOf(info)}, nil
}

// attributesOf shows a queue as it is, also with values of a bridged provider that this one could not have set.
func attributesOf(info core.QueueInfo) queueAttributes {
	set := info.Settings
	a := queueAttributes{
		QueueName:              string(info.Key.Name),
		DelaySeconds:           secondsOf(set.Delay),
		MaximumMessageSize:     set.MaxSize,
		MessageRetentionPeriod: secondsOf(set.Retention),
		VisibilityTimeout:      secondsOf(set.Visibility),
		CreateTime:             epochSecondsOf(info.Created),
		LastModifyTime:         epochSecondsOf(info.Modified),
		PollingWaitSeconds:     secondsOf(set.Wait),
		ActiveMessages:         info.Visible,
		InactiveMessages:       info.InFlight,
		DelayMessages:          info.Delayed,
		LoggingEnabled:         set.Notes[loggingNote] == loggingOn,
	}
	if set.FIFO {
		a.MessageType = 1 // UNVERIFIED: recorded is 0, for a standard queue
	}
	return a
}

// deleteQueue succeeds for a queue that is not there: asserted by the sample of the Java client.
func (s *service) deleteQueue(ctx context.Context, in *queueInput) (*none, error) {
	err := s.broker.DeleteQueue(ctx, s.key(in.Queue))
	if err != nil && !errors.Is(err, &core.Error{Kind: core.QueueNotFound}) {
		return nil, err
	}
	return &none{}, nil
}

func (s *service) listQueue(ctx context.Context, in *listQueueInput) (*listQueueOutput, error) {
	limit, after, err := in.bounds()
	if err != nil {
		return nil, err
	}
	infos, more, err := s.broker.Queues(ctx, s.inside, in.Prefix, core.QueueName(after), limit)
	if err != nil {
		return nil, err
	}
	out := &listQueueOutput{}
	for _, info := range infos {
		out.Queues = append(out.Queues, s.listed(info, in.WithMeta))
		out.NextMarker = marker(more, info.Key.Name)
	}
	return out, nil
}

func (s *service) listed(info core.QueueInfo, withMeta bool) listedQueue {
	l := listedQueue{QueueURL: s.queueURL(info.Key.Name)}
	if !withMeta {
		l.QueueName = string(info.Key.Name)
		return l
	}
	l.Attributes = new(attributesOf(info))
	return l
}
