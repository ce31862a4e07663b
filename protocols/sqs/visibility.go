package sqs

import (
	"context"
	"errors"

	"github.com/sluicemq/sluice/core"
)

const changeEntry = "ChangeMessageVisibilityBatchRequestEntry"

func (s *service) changeVisibility(ctx context.Context, from *caller, in *changeVisibilityInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	change, err := newChange(in.ReceiptHandle, in.VisibilityTimeout, "VisibilityTimeout")
	if err != nil {
		return s.refuse(ctx, key, err)
	}
	changed, err := s.broker.ChangeVisibility(ctx, key, []core.VisibilityChange{change})
	if err != nil {
		return err
	}
	return unavailable(changed[0].Err)
}

func newChange(handle *string, timeout *seconds, timeoutName string) (core.VisibilityChange, error) {
	receipt, err := newReceipt(handle, "ReceiptHandle")
	if err == nil && timeout == nil {
		err = missing(timeoutName)
	}
	if err != nil {
		return core.VisibilityChange{}, err
	}
	return core.VisibilityChange{Receipt: receipt, Timeout: timeout.duration()}, nil
}

// unavailable makes no difference between a message that is gone and one whose delivery is over: to a visibility
// change both are not available (transcribed for FIFO queues; standard queues have no such error).
func unavailable(err error) error {
	if e, ok := errors.AsType[*core.Error](err); ok && e.Kind == core.ReceiptExpired {
		gone := *e
		gone.Kind = core.MessageGone
		return &gone
	}
	return err
}

func (s *service) changeVisibilityBatch(ctx context.Context, from *caller, in *changeVisibilityBatchInput) (*changeVisibilityBatchOutput, error) {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return nil, err
	}
	if err := checkBatch(changeEntry, in.Entries, func(e *changeVisibilityEntry) *string { return e.ID }); err != nil {
		return nil, s.refuse(ctx, key, err)
	}
	changes, errs := make([]core.VisibilityChange, len(in.Entries)), make(entryErrors, len(in.Entries))
	for i := range in.Entries {
		e := &in.Entries[i]
		changes[i], errs[i] = newChange(e.ReceiptHandle, e.VisibilityTimeout, entryMember(changeEntry, i, "VisibilityTimeout"))
	}
	err = eachGood(ctx, s, key, changes, errs, func(good []core.VisibilityChange) ([]error, error) {
		changed, err := s.broker.ChangeVisibility(ctx, key, good)
		failures := make([]error, len(changed))
		for i := range changed {
			failures[i] = unavailable(changed[i].Err)
		}
		return failures, err
	})
	if err != nil {
		return nil, err
	}
	out := &changeVisibilityBatchOutput{}
	out.Successful, out.Failed = errs.results(func(i int) string { return *in.Entries[i].ID })
	return out, nil
}
