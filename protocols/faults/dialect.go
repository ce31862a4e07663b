package faults

import (
	"context"
	"net/http"
	"strings"

	"github.com/sluicemq/sluice/protocols"
)

// Dialect returns a dialect whose requests and answers the rules break. A request that the dialect itself refuses, such
// as one with a wrong signature, is none of their business, and neither is a provider that the set does not know.
func (s *Set) Dialect(d protocols.Dialect) protocols.Dialect {
	provider, _, _ := strings.Cut(d.Name(), "-")
	of, known := s.providers[provider]
	if !known {
		return d
	}
	coder, _ := d.(protocols.Coder)
	return &dialect{Dialect: d, coder: coder, set: s, provider: provider, resource: of.Resource}
}

type dialect struct {
	protocols.Dialect
	coder    protocols.Coder // the dialect itself; nil: it is none
	set      *Set
	provider string
	resource func(*protocols.Call) string
}

// Decode puts the faults around the call's work.
func (d *dialect) Decode(r *http.Request) (*protocols.Call, error) {
	c, err := d.Dialect.Decode(r)
	if err != nil {
		return c, err
	}
	p := place{provider: d.provider, operation: c.Operation, resource: d.resource(c)}
	work := c.Run
	c.Run = func(ctx context.Context) (any, error) { return d.set.run(ctx, p, work) }
	return c, nil
}

// Code implements protocols.Coder for whoever is around. It is empty where the dialect has no codes.
func (d *dialect) Code(c *protocols.Call, err error) string {
	if d.coder == nil {
		return ""
	}
	return d.coder.Code(c, err)
}

// run does a request's work, or does not, as the rules say.
func (s *Set) run(ctx context.Context, p place, work func(context.Context) (any, error)) (any, error) {
	d := s.disrupt(p)
	s.sleep(ctx, d.before)
	if d.failure != nil && d.rule.moment() != After {
		return nil, injected{d.failure}
	}
	result, err := work(context.WithValue(ctx, placeKey{}, p))
	s.sleep(ctx, d.after)
	switch {
	case d.rule != nil && d.rule.Kind == LostAnswer:
		panic(http.ErrAbortHandler) // the way to close a connection without an answer
	case d.failure != nil && err == nil:
		return nil, injected{d.failure}
	}
	return result, err
}

// placeKey is where a context has the place of its request, for the engine's verbs.
type placeKey struct{}
