package sqs

import (
	"context"

	"github.com/sluicemq/sluice/core"
)

const deleteEntry = "DeleteMessageBatchRequestEntry"

func (s *service) deleteMessage(ctx context.Context, from *caller, in *deleteMessageInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	receipt, err := newReceipt(in.ReceiptHandle, "MessageHandle") // the name in the text is Recorded, in both protocols
	if err != nil {
		return s.refuse(ctx, key, err)
	}
	errs, err := s.broker.Delete(ctx, key, []core.Receipt{receipt})
	if err != nil {
		return err
	}
	return errs[0]
}

// newReceipt reads a receipt handle; what names it in the text about its absence.
func newReceipt(given *string, what string) (core.Receipt, error) {
	if given == nil || *given == "" {
		return "", missing(what)
	}
	receipt, ok := parseHandle(*given)
	if !ok {
		return "", invalidHandle(*given)
	}
	return receipt, nil
}

func (s *service) deleteMessageBatch(ctx context.Context, from *caller, in *deleteMessageBatchInput) (*deleteMessageBatchOutput, error) {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return nil, err
	}
	if err := checkBatch(deleteEntry, in.Entries, func(e *deleteMessageEntry) *string { return e.ID }); err != nil {
		return nil, s.refuse(ctx, key, err)
	}
	receipts, errs := make([]core.Receipt, len(in.Entries)), make(entryErrors, len(in.Entries))
	for i := range in.Entries {
		receipts[i], errs[i] = newReceipt(in.Entries[i].ReceiptHandle, "ReceiptHandle")
	}
	err = eachGood(ctx, s, key, receipts, errs, func(good []core.Receipt) ([]error, error) {
		return s.broker.Delete(ctx, key, good)
	})
	if err != nil {
		return nil, err
	}
	out := &deleteMessageBatchOutput{}
	out.Successful, out.Failed = errs.results(func(i int) string { return *in.Entries[i].ID })
	return out, nil
}
