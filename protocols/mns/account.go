package mns

import "context"

// getAccountAttributes shows an account whose logs go nowhere. SetAccountAttributes, which would name a bucket for
// them, is not served: there is nowhere to keep the name, and nothing that would write into the bucket.
func (s *service) getAccountAttributes(context.Context, *none) (*accountOutput, error) {
	return &accountOutput{}, nil
}

// openService answers with an order, since the service is always open.
// UNVERIFIED: what an order id looks like.
func (s *service) openService(context.Context, *none) (*openServiceOutput, error) {
	return &openServiceOutput{OrderID: "0"}, nil
}
