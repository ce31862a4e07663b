package mns

import (
	"context"
	"regexp"
	"sync"
)

// bucketNote is where the engine keeps the bucket for an account's logs. Nothing is written into it.
const bucketNote = "LoggingBucket"

// bucket is what a bucket of the provider's object storage can be called; an empty name is none at all. Documented.
// It is compiled when it is first needed, which hardly ever happens.
var bucket = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z0-9][a-z0-9-]{1,61}[a-z0-9])?$`) })

func (s *service) getAccountAttributes(ctx context.Context, _ *none) (*accountOutput, error) {
	notes, err := s.broker.Notes(ctx, s.inside)
	if err != nil {
		return nil, err
	}
	return &accountOutput{LoggingBucket: notes[bucketNote]}, nil
}

// setAccountAttributes changes what is given.
// UNVERIFIED: that the service looks at the name, and not whether there is such a bucket.
func (s *service) setAccountAttributes(ctx context.Context, in *accountInput) (*none, error) {
	switch {
	case in.LoggingBucket == nil:
		return &none{}, nil
	case !bucket().MatchString(*in.LoggingBucket):
		return nil, notInSchema("LoggingBucket")
	}
	if err := s.broker.AmendNotes(ctx, s.inside, map[string]*string{bucketNote: in.LoggingBucket}); err != nil {
		return nil, err
	}
	return &none{}, nil
}

// openService answers with an order, since the service is always open.
// UNVERIFIED: what an order id looks like.
func (s *service) openService(context.Context, *none) (*openServiceOutput, error) {
	return &openServiceOutput{OrderID: "0"}, nil
}
