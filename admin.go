package sluice

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/protocols/control"
	"github.com/sluicemq/sluice/protocols/control/page"
	"github.com/sluicemq/sluice/protocols/otlp"
)

// Admin configures the control API, by which people and tests look into queues and move the time. It has no limit to
// what it shows and changes, so it belongs on a port of its own; see Server.Admin.
type Admin struct {
	// Token has to come with every request but those for health. Empty: none has to, and requests must name the host
	// as localhost, as an address, or as one of Hosts.
	Token string
	Hosts []string
	// Endpoints are the URLs at which clients of the providers reach the server, for the commands that the page offers.
	// Empty means PublicURL or, without one, the address that Serve listens on, once it does.
	Endpoints []string
	// History bounds what is remembered of messages. The zero value is good.
	History History
	// Metrics is served at /metrics. Nil: there is no such path.
	Metrics http.Handler
	// Extra are further handlers by the patterns of http.ServeMux, without a host.
	Extra map[string]http.Handler
}

// History bounds what is remembered of messages.
type History = control.Memory

// snapshots is the folder of snapshots in the data directory.
const snapshots = "snapshots"

// Admin returns the control API with its page. Without Options.Admin it is there as well, but nothing of the past is
// remembered and there are no live events. A server for it needs no more than NewHTTPServer.
func (s *Server) Admin() http.Handler { return s.control }

// watch prepares options for the control API: somebody has to remember what happens, and the clock has to obey.
func (o *Options) watch() *control.Watcher {
	if o.Admin == nil {
		return nil
	}
	if o.Clock == nil {
		o.Clock = clock.NewAdjustable()
	}
	w := control.NewWatcher(o.Admin.History)
	o.Observers = append(o.Observers[:len(o.Observers):len(o.Observers)], w)
	return w
}

// newControl returns the control API of a server whose engine is open.
func (s *Server) newControl(o Options, w *control.Watcher) *control.API {
	if o.Admin == nil {
		o.Admin = &Admin{}
	}
	spans := otlp.New(otlp.Options{})
	extra := map[string]http.Handler{"/api/v1/faults": s.FaultsHandler(), "/api/v1/faults/": s.FaultsHandler()}
	for pattern, h := range o.Admin.Extra {
		extra[pattern] = h
	}
	c := control.Options{
		Engine: s.engine, Clock: o.Clock, Watcher: w, Version: Version, Page: page.Files,
		Token: o.Admin.Token, Hosts: o.Admin.Hosts,
		InFlightLimit: s.inFlightLimit,
		Redeclare:     s.redeclare,
		Endpoints:     s.endpoints, Namespaces: func() []core.Namespace { return s.current().namespaces() }, Speaks: s.speaks,
		Inside:  s.inside,
		Metrics: o.Admin.Metrics, Traces: spans, Spans: control.Spans(spans), Extra: extra,
		OnFault: o.backgroundFault,
	}
	if o.Data != Memory {
		c.SnapshotDir = filepath.Join(o.Data, snapshots)
	}
	if i := len(o.Observers) - 1; w != nil {
		c.Dropped = func() int64 { return s.engine.Dropped()[i] }
	}
	return control.New(c)
}

// inFlightLimit is how many messages of a queue may be in flight. Documented for SQS; MNS has no such limit.
func (s *Server) inFlightLimit() int {
	const documented = 120_000
	o := s.current()
	return o.limited(core.Rules{MaxInFlight: documented}).MaxInFlight
}

// endpoints are the URLs of the server, first of all the one that its answers name.
func (s *Server) endpoints() []string {
	o := s.current()
	var urls []string
	if o.PublicURL != "" {
		urls = append(urls, o.PublicURL)
	}
	if o.Admin != nil {
		urls = append(urls, o.Admin.Endpoints...)
	}
	if url := s.reached(); len(urls) == 0 && url != "" {
		urls = append(urls, url)
	}
	return urls
}

// inside maps a namespace of SQS to the engine's. What is empty in it is that of the home.
func (s *Server) inside(ns core.Namespace) core.Namespace {
	site := s.site.Load()
	return site.Inside(core.Namespace{Account: cmp.Or(ns.Account, site.SQS.Account), Region: cmp.Or(ns.Region, site.SQS.Region)})
}

// namespaces are the homes and what is bridged, in the names of the engine.
func (o Options) namespaces() []core.Namespace {
	inside := o.site().Inside
	all := []core.Namespace{inside(o.SQS.Namespace())}
	add := func(h Home) {
		if ns := inside(h.Namespace()); !slices.Contains(all, ns) {
			all = append(all, ns)
		}
	}
	add(o.MNS)
	for _, b := range o.Bridges {
		add(b.SQS)
	}
	return all
}

// speaks names the providers whose clients see a namespace of the engine. Either could name any account; an account of 12
// digits that nobody has set up for MNS is one of SQS all the same.
func (s *Server) speaks(ns core.Namespace) []string {
	o := s.current()
	providers := []string{}
	if sqsHomes.account.MatchString(ns.Account) {
		providers = append(providers, "sqs")
	}
	bridged := o.site().Outside(ns) != ns
	ofKey := o.AccountPerKey && ns.Region == o.MNS.Region
	if bridged || ofKey || ns.Account == o.MNS.Account || len(providers) == 0 {
		providers = append(providers, "mns")
	}
	return providers
}

// redeclare brings the resources about with which the server was opened, or reloaded last.
func (s *Server) redeclare(ctx context.Context) error {
	o := s.current()
	return s.declare(ctx, o.site(), &o.Resources)
}

// aliases answers LocalStack's paths besides what another handler answers.
func (s *Server) aliases(others http.Handler) http.Handler {
	open, closed := s.control.Alias(false), s.control.Alias(true)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !control.IsAlias(r.URL.Path):
			others.ServeHTTP(w, r)
		case s.verifies():
			closed.ServeHTTP(w, r)
		default:
			open.ServeHTTP(w, r)
		}
	})
}

// verifies reports whether requests have to be signed.
func (s *Server) verifies() bool { return s.current().Credentials != nil }
