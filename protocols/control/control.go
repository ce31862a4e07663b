// Package control is Sluice's own API: what people, tests and the page use to look into the queues of a running server
// and to change them behind the providers' backs. It is described in openapi.json, which a test holds against the
// handlers, and is served on a port of its own.
//
// It knows no provider but for the aliases of LocalStack (alias.go). Nothing in it is on the way of a request to a
// provider: what it knows of the past it has from a Watcher, which the engine tells and does not wait for.
package control

import (
	"context"
	_ "embed"
	"io/fs"
	"net/http"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
)

//go:embed openapi.json
var document []byte

// Document is the OpenAPI document of the API.
func Document() []byte { return document }

// Options say what the API works on. Engine and Clock have to be given.
type Options struct {
	Engine *core.Engine
	// Clock is the engine's. What it can do decides what can be done with the time.
	Clock clock.Clock
	// Watcher is an observer of the engine. Nil: there are no timelines and no live events.
	Watcher *Watcher
	// Dropped returns how many events the watcher has lost. Nil: none.
	Dropped func() int64
	Version string
	// Page are the files of the page, which everybody gets. Nil: there is none.
	Page fs.FS

	// Token has to come with every request but those for health. Empty: none has to, but the host that a request
	// names must be this machine by name, an address, or one of Hosts.
	Token string
	Hosts []string

	// InFlightLimit returns how many received messages a queue may have by the rules of its provider. 0: no limit.
	InFlightLimit func() int
	// Redeclare makes again what the configuration declares, after a reset. Nil: nothing is.
	Redeclare func(context.Context) error
	// SnapshotDir is where snapshots on disk are. Empty: there are none.
	SnapshotDir string

	// Home is where the aliases of LocalStack look for queues whose URLs do not say; Inside maps a namespace of its
	// provider to the engine's. Nil: they are the same.
	Home   core.Namespace
	Inside func(core.Namespace) core.Namespace

	// Endpoints returns the URLs at which clients of the providers reach the server, the best one first. Nil: nobody knows.
	Endpoints func() []string
	// Namespaces returns those that the server is set up with, the most usual one first. Nil: nobody knows.
	Namespaces func() []core.Namespace
	// Speaks returns the names of the providers whose clients see a namespace. Nil: nobody knows.
	Speaks func(core.Namespace) []string

	// Metrics is served at /metrics and Traces at /v1/traces. Nil: there is no such path.
	Metrics, Traces http.Handler
	// Spans returns the spans that applications have exported of a trace, in any form that has a form in JSON.
	Spans func(traceID string) []any
	// Extra are further handlers by the patterns of http.ServeMux, without a host. Each is called by its last word in
	// the offers of the overview.
	Extra map[string]http.Handler

	// OnFault is told of each fault of ours. Nil: nobody is.
	OnFault func(error)
}

// API answers the requests of the control API. It is safe for concurrent use.
type API struct {
	o         Options
	engine    *core.Engine
	broker    core.Broker
	watcher   *Watcher
	snapshots *shelf
	mux       *http.ServeMux
	names     int // how many a page of a search looks at
}

// New returns the API.
func New(o Options) *API {
	if o.Watcher == nil {
		o.Watcher = NewWatcher(Memory{})
	}
	if o.Dropped == nil {
		o.Dropped = func() int64 { return 0 }
	}
	if o.Inside == nil {
		o.Inside = func(ns core.Namespace) core.Namespace { return ns }
	}
	if o.Endpoints == nil {
		o.Endpoints = func() []string { return nil }
	}
	if o.Namespaces == nil {
		o.Namespaces = func() []core.Namespace { return nil }
	}
	if o.Speaks == nil {
		o.Speaks = func(core.Namespace) []string { return []string{} }
	}
	if o.OnFault == nil {
		o.OnFault = func(error) {}
	}
	a := &API{
		o: o, engine: o.Engine, broker: o.Engine.Under(rules), watcher: o.Watcher,
		snapshots: newShelf(o.SnapshotDir), mux: http.NewServeMux(), names: namesPerPage,
	}
	a.mount()
	return a
}

const day = 24 * time.Hour

// rules are what any provider allows, taken together: who looks behind the scenes is not bound by one of them.
var rules = core.Rules{
	Defaults: core.Settings{Visibility: 30 * time.Second, Retention: 4 * day, MaxSize: 1 << 20},

	QueueDelay:      core.Between(0, 7*day),
	QueueVisibility: core.Between(0, 12*time.Hour),
	QueueRetention:  core.Between(time.Minute, 14*day),
	QueueWait:       core.Between(0, 30*time.Second),
	QueueMaxSize:    core.Between(1024, 1<<20),

	Delay:             core.Between(0, 7*day),
	ReceiveVisibility: core.Between(0, 12*time.Hour),
	Wait:              core.Between(0, 30*time.Second),
	ReceiveMax:        core.Between(1, 16),
	Priority:          core.Between(1, 16),

	SizeCountsAttributes: true,
	FIFODelay:            true,
	GroupOnly:            true,
	MoveRate:             core.Between(1, 500),
	MoveKeepsReceives:    true,
	MaxTags:              50,
}
