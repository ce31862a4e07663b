package mns

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/sluicemq/sluice/core"
)

func (s *service) createQueue(ctx context.Context, in *queueSettingsInput) (*createQueueOutput, error) {
	if err := checkName(in.Queue); err != nil {
		return nil, err
	}
	info, created, err := s.broker.Create(ctx, s.key(in.Queue), in.patch(), nil)
	if err != nil {
		return nil, err
	}
	return &createQueueOutput{Location: s.queueURL(info.Key.Name), created: created}, nil
}

// status tells a new queue from one that was there before. Recorded: 204 has a Location as well.
func (o *createQueueOutput) status() int {
	if o.created {
		return http.StatusCreated
	}
	return http.StatusNoContent
}

// checkName refuses names that the provider does not allow for new queues. A bridged queue may have any name, and is
// served under it.
func checkName(name string) error {
	if name == "" || len(name) > maxNameSize {
		return errQueueNameLength
	}
	for i := range len(name) {
		if c := name[i]; c == '.' || c == '_' || !isNameByte(c, false) || i == 0 && c == '-' {
			return errInvalidQueueName
		}
	}
	return nil
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
	switch {
	case in.LoggingEnabled == nil:
	case *in.LoggingEnabled:
		p.Notes = map[string]*string{loggingNote: new(loggingOn)}
	default:
		p.Notes = map[string]*string{loggingNote: new(loggingOff)}
	}
	return p
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

// A marker is the name of the last queue of the page before, in base64.
var markers = base64.RawURLEncoding

func (s *service) listQueue(ctx context.Context, in *listQueueInput) (*listQueueOutput, error) {
	limit := maxListed
	if in.Number != nil {
		limit = *in.Number
	}
	if limit < 1 || limit > maxListed {
		return nil, errListSize
	}
	after, err := markers.DecodeString(in.Marker)
	if err != nil {
		return nil, errListMarker
	}
	infos, more, err := s.broker.Queues(ctx, s.inside, in.Prefix, core.QueueName(after), limit)
	if err != nil {
		return nil, err
	}
	out := &listQueueOutput{}
	for _, info := range infos {
		out.Queues = append(out.Queues, s.listed(info, in.WithMeta))
	}
	if more && len(infos) > 0 {
		out.NextMarker = markers.EncodeToString([]byte(infos[len(infos)-1].Key.Name))
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
