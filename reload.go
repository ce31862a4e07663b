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
func (s *Server) speak(o Options) *protocols.Site {
	site := o.site()
	site.Broker = func(r core.Rules) core.Broker { return decorated(o.Decorate.Broker, s.broker(&o, r)) }
	s.dialects.swap(protocols.NewHandler(o.Decorate.dialects(s.faulty(all.Dialects(site))), s.requestFault))
	return site
}

// current returns what the server runs with at this moment.
func (s *Server) current() Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options
}

// declare brings resources about, in the names of the site.
func (s *Server) declare(ctx context.Context, site *protocols.Site, r *Resources) error {
	d := &declaration{site: site, broker: s.engine.Under}
	return d.declare(ctx, r)
}

// Reload applies options to a running server as far as that is possible: Credentials, AccountPerKey, Strict, MaxInFlight,
// MicrosecondVisibleTime, PublicURL, QueueURLs, Faults and Resources. Faults count only if they are others than at the
// last time, so that what SetFaults has set stays otherwise. Resources are declared as Open does it; nothing is ever
// removed. It returns the names of options that differ and have to wait for the next start. Of Clock, Observers and
// OnFault those of Open stay in use. An error of the options changes nothing; one of the resources leaves those that
// came before it. Calls must not overlap.
func (s *Server) Reload(ctx context.Context, o Options) (waiting []string, err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	next := s.options
	for _, fixed := range []struct {
		name  string
		apart bool
	}{
		{"data", o.Data != next.Data},
		{"sync", o.Sync != next.Sync},
		{"sqs", o.SQS != next.SQS},
		{"mns", o.MNS != next.MNS},
		{"bridges", !slices.Equal(o.Bridges, next.Bridges)},
		{"push-hosts", !slices.Equal(o.PushHosts, next.PushHosts)},
	} {
		if fixed.apart {
			waiting = append(waiting, fixed.name)
		}
	}
	next.Credentials, next.Strict, next.MaxInFlight = o.Credentials, o.Strict, o.MaxInFlight
	next.AccountPerKey = o.AccountPerKey
	next.MicrosecondVisibleTime, next.PublicURL, next.QueueURLs = o.MicrosecondVisibleTime, o.PublicURL, o.QueueURLs
	next.Resources = o.Resources // for a reset
	site := s.adopt(next)
	if err := s.reloadFaults(o.Faults); err != nil {
		return waiting, err
	}
	return waiting, s.declare(ctx, site, &o.Resources)
}
