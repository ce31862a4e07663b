// Package sqs speaks Amazon SQS in both of its languages: JSON 1.0 and the older Query protocol with XML answers.
//
// Both share one table of operations (operations.go), one set of shapes (shapes.go) and one table of errors
// (errors.go); json.go and query.go hold a codec each and name no operation. A handler only translates: shape to
// request of the engine, verb, result to shape. What a queue does is decided in package core, by the limits of
// rules.go.
//
// Evidence in comments: "Recorded" is traffic of the real service, "validated" an assertion of a public test that
// passed against it, "transcribed" a text found in several independent emulators, "documented" the provider's manual.
// UNVERIFIED marks what is a guess.
package sqs

import (
	"context"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// JSON returns the dialect of AWS JSON 1.0, named "sqs-json".
func JSON(site *protocols.Site) protocols.Dialect { return &jsonDialect{newService(site)} }

// Query returns the dialect of the Query protocol, named "sqs-query". It has an answer for every request, so it is
// fit to be the last dialect.
func Query(site *protocols.Site) protocols.Dialect { return &queryDialect{newService(site)} }

// service is what the handlers work with.
type service struct {
	site   *protocols.Site
	broker core.Broker
	users  map[string]*user // by their access keys; nil while nobody verifies them
}

func newService(site *protocols.Site) *service {
	return &service{site: site, broker: site.Broker(rules(site.Strict)), users: newUsers(site)}
}

// refuse returns err, which says what is wrong with a request, unless there is no such queue: that comes first
// (validated for receipts, batches, tags and attributes).
func (s *service) refuse(ctx context.Context, key core.QueueKey, err error) error {
	if _, missing := s.broker.Queue(ctx, key); missing != nil {
		return missing
	}
	return err
}
