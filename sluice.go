// Package sluice runs cloud message queues inside a Go program: Amazon SQS (its JSON 1.0 and its Query protocol) and
// Alibaba Cloud MNS (XML), served from one engine on one port.
//
// Open starts the engine over a data directory or in memory. Handler is an ordinary http.Handler, so that a test can
// put it behind an httptest.Server and point a real SDK at it; Serve runs it on a listener with the time limits that
// long polls need. With a clock.Manual in Options a test moves the time by hand instead of waiting for it.
//
// The package wires the parts together and holds no rule of a provider; those live under protocols. The program in
// cmd/sluice is a thin shell around it.
package sluice

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/all"
	"github.com/sluicemq/sluice/protocols/control"
	"github.com/sluicemq/sluice/protocols/faults"
	"github.com/sluicemq/sluice/protocols/mns"
)

// Version is the version of Sluice, as the program and its health answer show it.
const Version = "0.1.0"

// Server is a running engine with its dialects. It is safe for concurrent use.
type Server struct {
	clock     clock.Clock
	handler   http.Handler
	dialects  swapping   // part of handler
	mu        sync.Mutex // of options
	options   Options    // what it runs with
	faults    *faults.Set
	engine    *core.Engine
	authority *Authority
	control   *control.API
	onFault   func(*Fault)
	close     func() error
	site      atomic.Pointer[protocols.Site] // what the dialects share at this moment
	served    atomic.Pointer[string]         // the first URL that Serve listens on; nil before that
}

// Open starts an engine. Returns an *OpenError if the data cannot be opened, and another error if an option is wrong. Nothing
// stays open in either case. What a first start puts into a data directory may be there by then: an empty store, the authority
// below tls and the key of pushes. Queues and messages are as they were, unless the engine fails in the middle as with Reload.
func Open(o Options) (*Server, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	watcher := o.watch()
	o = o.withDefaults()
	store, err := o.openStore()
	if err != nil {
		return nil, &OpenError{Dir: o.Data, Err: err}
	}
	store = decorated(o.Decorate.Store, store)
	s := &Server{clock: o.Clock, onFault: o.OnFault, options: o}
	s.site.Store(o.site())
	pusher, err := s.openPusher(o)
	if err != nil {
		return nil, &OpenError{Dir: o.Data, Err: errors.Join(err, store.Close())}
	}
	named := &renaming{current: s.site.Load, Pusher: pusher, rendered: mns.Render(&protocols.Site{})}
	engine, err := core.Open(store, core.Options{
		Clock:      o.Clock,
		BodyBudget: o.BodyBudget,
		Observers:  o.Observers,
		Pusher:     named,
		Render:     named.Render,
		OnError:    o.backgroundFault,
	})
	if err != nil {
		return nil, &OpenError{Dir: o.Data, Err: errors.Join(err, store.Close())}
	}
	s.engine = engine
	s.faults = faults.NewSet(all.Providers(), o.Clock, s.again)
	if len(o.Faults) > 0 {
		_ = s.faults.Replace(o.Faults) // they were checked with the other options
	}
	s.speak(o)
	if err := s.declare(context.Background(), o.site(), &o.Resources); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	s.close = sync.OnceValue(engine.Close)
	s.control = s.newControl(o, watcher)
	s.handler = s.aliases(route(&s.dialects, pusher))
	return s, nil
}

// Handler answers the requests of all dialects, and GET /health. It stops working when the server is closed.
func (s *Server) Handler() http.Handler { return s.handler }

// Engine returns the engine, for those who look behind the providers' scenes, such as tests. It is closed with the server.
func (s *Server) Engine() *core.Engine { return s.engine }

// Clock returns the clock that the engine goes by: the one of Options, or the machine's.
func (s *Server) Clock() clock.Clock { return s.clock }

// Dropped returns how many events each of Options.Observers has lost by being slow.
func (s *Server) Dropped() []int64 { return s.engine.Dropped() }

// Close stops the engine and releases the data directory. What was answered is durable by then. Calling it again
// returns what the first call did.
func (s *Server) Close() error { return s.close() }

func (s *Server) requestFault(c *protocols.Call, err error) {
	s.onFault(&Fault{Operation: c.Operation, RequestID: c.RequestID, Err: err, Context: c.Request.Context()})
}

// Fault is something that went wrong and that no client is to blame for. Clients see only their provider's internal
// error.
type Fault struct {
	Operation string // the provider's name of it; empty outside a request
	RequestID string // as the client sees it; empty outside a request
	Err       error
	Context   context.Context // of the request, for those who log its trace; nil outside a request
}

// Error says what went wrong, and for which request.
func (f *Fault) Error() string {
	if f.RequestID == "" {
		return f.Err.Error()
	}
	return fmt.Sprintf("%s (request %s): %v", f.Operation, f.RequestID, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// OpenError tells which data directory could not be opened. Err is persistence.ErrInUse where another process has it.
type OpenError struct {
	Dir string
	Err error
}

// Error names the directory and the reason.
func (e *OpenError) Error() string {
	if errors.Is(e.Err, persistence.ErrInUse) {
		return fmt.Sprintf("data directory %s is in use by another process", e.Dir)
	}
	return fmt.Sprintf("cannot open data directory %s: %v", e.Dir, e.Err)
}

// Unwrap returns the reason.
func (e *OpenError) Unwrap() error { return e.Err }
