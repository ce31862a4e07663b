package sluice

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/all"
)

// swapping is a handler that can be replaced while it serves.
type swapping struct{ current atomic.Pointer[http.Handler] }

func (s *swapping) swap(h http.Handler) { s.current.Store(&h) }

// ServeHTTP answers with the handler of this moment.
func (s *swapping) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*s.current.Load()).ServeHTTP(w, r)
}

// speak answers requests from now on as the options say. Dialects are stateless, so new ones can take over at any time;
// requests that run already end as they began.
func (s *Server) speak(o Options) {
	site := o.site()
	s.site.Store(site)
	site.Broker = func(r core.Rules) core.Broker { return decorated(o.Decorate.Broker, s.broker(&o, r)) }
	s.dialects.swap(protocols.NewHandler(o.Decorate.dialects(s.faulty(all.Dialects(site))), s.requestFault))
}

// current returns what the server runs with at this moment.
func (s *Server) current() Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options
}

// declare brings resources about, in the names of the site. It changes nothing if it is known before that one of them
// cannot be.
func (s *Server) declare(ctx context.Context, site *protocols.Site, r *Resources) error {
	if err := tryOut(ctx, s.clock, site, r, s.engine); err != nil {
		return err
	}
	return newDeclaration(site, s.engine.Under).declare(ctx, r)
}

// Reload applies options to a running server, all but Data, Sync, BodyBudget, PushHosts, Clock, Observers, OnFault,
// Decorate and, but for its Endpoints, Admin: of those what Open was given stays in use. It returns the names of the first
// four that differ and have to wait for the next start. Faults count only if they are others than
// at the last time, so that what SetFaults has set stays otherwise. Resources are declared as Open does it; nothing is
// ever removed. What belonged to other homes and bridges is kept and not renamed, as if the server had been opened
// with them.
//
// An error changes nothing, and tells everything that is wrong with the resources; only where the engine fails in the middle,
// as on a full disk, some of them have been made already. Calls must not overlap.
func (s *Server) Reload(ctx context.Context, o Options) (waiting []string, err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	next, o := s.current(), o.withDefaults()
	for _, fixed := range []struct {
		name  string
		apart bool
	}{
		{"data", o.Data != next.Data},
		{"sync", o.Sync != next.Sync},
		{"body-budget", o.Data == next.Data && o.BodyBudget != next.BodyBudget},
		{"push-hosts", !slices.Equal(o.PushHosts, next.PushHosts)},
	} {
		if fixed.apart {
			waiting = append(waiting, fixed.name)
		}
	}
	next.SQS, next.MNS, next.Bridges = o.SQS, o.MNS, o.Bridges
	next.Credentials, next.AccountPerKey, next.Strict, next.MaxInFlight = o.Credentials, o.AccountPerKey, o.Strict, o.MaxInFlight
	next.MicrosecondVisibleTime, next.PublicURL, next.QueueURLs = o.MicrosecondVisibleTime, o.PublicURL, o.QueueURLs
	next.PushURL, next.Admin = o.PushURL, next.Admin.at(o.Admin)
	next.Resources = o.Resources // for a reset
	if err := s.declare(ctx, next.site(), &o.Resources); err != nil {
		return nil, err
	}
	s.adopt(next)
	return waiting, s.reloadFaults(o.Faults)
}

// at returns the same with the endpoints of another one, if both are there.
func (a *Admin) at(other *Admin) *Admin {
	if a == nil || other == nil {
		return a
	}
	moved := *a
	moved.Endpoints = other.Endpoints
	return &moved
}

// renaming lets the names in what topics deliver follow the bridges of the moment, which the server knows: who renders and
// who pushes is made once, for a site without bridges, and is told of topics as clients of their provider know them.
type renaming struct {
	current func() *protocols.Site
	core.Pusher
	rendered func(core.Delivery) core.Outgoing
}

func (r *renaming) outside(d core.Delivery) core.Delivery {
	d.Topic.Namespace = r.current().Outside(d.Topic.Namespace)
	return d
}

// Push implements core.Pusher.
func (r *renaming) Push(ctx context.Context, d core.Delivery) error {
	return r.Pusher.Push(ctx, r.outside(d))
}

// Render is for core.Options.
func (r *renaming) Render(d core.Delivery) core.Outgoing { return r.rendered(r.outside(d)) }
