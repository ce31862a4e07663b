package mns

import (
	"context"
	"net/http"

	"github.com/sluicemq/sluice/core"
)

func (s *service) deleteMessage(ctx context.Context, in *deleteMessageInput) (*none, error) {
	if in.ReceiptHandle == nil {
		return nil, errNoHandle
	}
	errs, err := s.broker.Delete(ctx, s.key(in.Queue), []core.Receipt{receiptOf(*in.ReceiptHandle)})
	if err != nil {
		return nil, err
	}
	if errs[0] != nil {
		return nil, errs[0]
	}
	return &none{}, nil
}

// batchDeleteMessage deletes what it can and names the handles of the rest.
func (s *service) batchDeleteMessage(ctx context.Context, in *batchDeleteMessageInput) (*batchDeleteMessageOutput, error) {
	if len(in.ReceiptHandles) == 0 || len(in.ReceiptHandles) > maxBatch {
		return nil, errHandlesSize
	}
	receipts := make([]core.Receipt, len(in.ReceiptHandles))
	for i, handle := range in.ReceiptHandles {
		receipts[i] = receiptOf(handle)
	}
	errs, err := s.broker.Delete(ctx, s.key(in.Queue), receipts)
	if err != nil {
		return nil, err
	}
	out := &batchDeleteMessageOutput{}
	for i, err := range errs {
		if err != nil {
			f := translate(err)
			out.Errors = append(out.Errors, handleFailed{f.code, f.text, in.ReceiptHandles[i]})
		}
	}
	return out, nil
}

// status is 404 as soon as one handle failed: documented, and recorded from a sister product.
func (o *batchDeleteMessageOutput) status() int {
	if len(o.Errors) > 0 {
		return http.StatusNotFound
	}
	return http.StatusNoContent
}

func (s *service) changeMessageVisibility(ctx context.Context, in *changeVisibilityInput) (*changeVisibilityOutput, error) {
	if in.ReceiptHandle == nil {
		return nil, errNoHandle
	}
	if in.VisibilityTimeout == nil {
		return nil, errNoTimeout
	}
	change := core.VisibilityChange{Receipt: receiptOf(*in.ReceiptHandle), Timeout: *in.VisibilityTimeout.duration()}
	changed, err := s.broker.ChangeVisibility(ctx, s.key(in.Queue), []core.VisibilityChange{change})
	if err != nil {
		return nil, err
	}
	if changed[0].Err != nil {
		return nil, changed[0].Err
	}
	id := (*in.ReceiptHandle)[:idSize] // there is one, since the receipt is good
	return &changeVisibilityOutput{
		ReceiptHandle:   renewHandle(id, changed[0].Receipt),
		NextVisibleTime: s.nextVisible(changed[0].VisibleAt),
	}, nil
}
