package histories_test

import (
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/sluicemq/sluice"
)

// tb is what is needed of a test, which may be one of many that rapid makes.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// server is a server that can be closed and opened again, and what it complained of.
type server struct {
	tb
	options sluice.Options
	running *sluice.Server

	mu     sync.Mutex
	faults []*sluice.Fault
}

func openServer(t tb, o sluice.Options) *server {
	s := &server{tb: t, options: o}
	s.options.OnFault = func(f *sluice.Fault) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = append(s.faults, f)
	}
	s.open()
	t.Cleanup(s.close)
	return s
}

func (s *server) open() {
	s.Helper()
	running, err := sluice.Open(s.options)
	if err != nil {
		s.Fatalf("Open(%q) = %v", s.options.Data, err)
	}
	s.running = running
}

func (s *server) close() {
	s.Helper()
	if err := s.running.Close(); err != nil {
		s.Errorf("Close() = %v", err)
	}
	s.checkFaults()
}

// restart closes the server and opens it on what it has kept.
func (s *server) restart() {
	s.close()
	s.open()
}

func (s *server) checkFaults() {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		s.Errorf("fault: %v", f)
	}
	s.faults = nil
}

// Do answers a request without a connection, as an HTTP client.
func (s *server) Do(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.RequestURI = r.URL.RequestURI()
	if r.Host == "" {
		r.Host = r.URL.Host
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	s.running.Handler().ServeHTTP(w, r)
	answer := w.Result()
	header := http.Header{} // names as a connection would bring them
	for name, values := range answer.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	answer.Header = header
	return answer, nil
}
