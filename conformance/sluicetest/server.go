package sluicetest

import (
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
)

// Endpoint is a base URL for requests through Server.Client. Any other does as well.
const Endpoint = "http://localhost"

// begin is what the clock of a server shows at first.
var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Server is a server of one test. Its methods may be called from any goroutine; those that fail the test only from its
// own.
type Server struct {
	*sluice.Server
	t     testing.TB
	clock *clock.Manual // nil: the options had a clock of their own
	home  core.Namespace
	log   *log

	listening sync.Once
	url       string
}

// Start opens a server in memory that is closed when the test ends. The functions change its options; a clock or a data
// directory that they set is used instead. Faults of the server fail the test.
func Start(t testing.TB, configure ...func(*sluice.Options)) *Server {
	t.Helper()
	var over atomic.Bool // a goroutine of the test that polls on is told that the server is closed
	o := sluice.Options{SQS: sluice.DefaultSQS, OnFault: func(f *sluice.Fault) {
		if !over.Load() {
			t.Errorf("fault of the server: %v", f)
		}
	}}
	for _, change := range configure {
		change(&o)
	}
	s := &Server{t: t, log: newLog(), home: o.SQS.Namespace()}
	if o.Clock == nil {
		s.clock = clock.NewManual(begin)
		o.Clock = s.clock
	}
	s.log.begin = o.Clock.Now()
	o.Observers = append(slices.Clone(o.Observers), s.log)
	o.Decorate.Broker = s.log.around(o.Decorate.Broker)
	var err error
	if s.Server, err = sluice.Open(o); err != nil {
		t.Fatalf("starting the server: %v", err)
	}
	t.Cleanup(func() {
		over.Store(true)
		if err := s.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	return s
}

// Client returns a client whose requests all go to the server, whatever host they name, and without a socket. A
// connection that the server drops is an error of it, as it is over a network.
func (s *Server) Client() *http.Client { return &http.Client{Transport: direct{s.Handler()}} }

// URL returns a URL at which the server is reached over the network, on a free port of this machine.
func (s *Server) URL() string {
	s.t.Helper()
	s.listening.Do(func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.t.Fatalf("listening: %v", err)
		}
		s.url = sluice.URL(l.Addr())
		ctx, stop := context.WithCancel(context.Background())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, l) }()
		s.t.Cleanup(func() {
			stop()
			if err := <-served; err != nil {
				s.t.Errorf("serving: %v", err)
			}
		})
	})
	return s.url
}

// Now returns the time of the server.
func (s *Server) Now() time.Time { return s.Clock().Now() }

// Advance moves the time forward and returns when what is due has happened. The options must not have a clock of their
// own.
func (s *Server) Advance(d time.Duration) {
	s.t.Helper()
	if s.clock == nil {
		s.t.Fatal("Advance: the options have a clock of their own, which only its owner can move")
	}
	s.clock.Advance(d)
	if _, _, err := s.Engine().Statuses(core.QueueFilter{Limit: 1 << 20}); err != nil { // brings all queues up to date
		s.t.Fatalf("Advance: %v", err)
	}
}

// Reset removes all queues, topics and messages, and what has happened so far.
func (s *Server) Reset() {
	s.t.Helper()
	if err := s.Engine().Reset(); err != nil {
		s.t.Fatalf("Reset: %v", err)
	}
	s.settle()
	s.log.forget()
}

// Snapshot keeps all queues, topics and messages in memory and returns a function that brings them back, as often as it
// is called. Receipts from then are good again. The clock stays, and events are not undone.
func (s *Server) Snapshot() (restore func()) {
	s.t.Helper()
	type record struct{ key, value []byte }
	var kept []record
	err := s.Engine().Dump(func(key, value []byte) error {
		kept = append(kept, record{slices.Clone(key), slices.Clone(value)})
		return nil
	})
	if err != nil {
		s.t.Fatalf("Snapshot: %v", err)
	}
	return func() {
		s.t.Helper()
		err := s.Engine().Restore(func(each func(key, value []byte) error) error {
			for _, r := range kept {
				if err := each(slices.Clone(r.key), slices.Clone(r.value)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.t.Fatalf("restoring a snapshot: %v", err)
		}
	}
}

// Key returns an access key that no other test has, for a server that gives each key an account of its own. Tests with
// keys of their own do not see each other's queues, in whatever process they run.
func Key() string { return "SLUICE" + rand.Text() }
