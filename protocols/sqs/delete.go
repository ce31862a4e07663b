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
	if err := s.deleteGood(ctx, key, receipts, errs); err != nil {
		return nil, err
	}
	out := &deleteMessageBatchOutput{}
	for i := range in.Entries {
		id := *in.Entries[i].ID
		if errs[i] != nil {
			out.Failed = append(out.Failed, failed(id, errs[i]))
			continue
		}
		out.Successful = append(out.Successful, resultEntry{id})
	}
	return out, nil
}

// deleteGood deletes the messages of the entries without an error and enters the errors of the engine.
func (s *service) deleteGood(ctx context.Context, key core.QueueKey, receipts []core.Receipt, errs entryErrors) error {
	places := errs.pending()
	if len(places) == 0 {
		_, err := s.broker.Queue(ctx, key)
		return err
	}
	good := make([]core.Receipt, len(places))
	for n, i := range places {
		good[n] = receipts[i]
	}
	deleted, err := s.broker.Delete(ctx, key, good)
	if err != nil {
		return err
	}
	for n, i := range places {
		errs[i] = deleted[n]
	}
	return nil
}
