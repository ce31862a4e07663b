package sluice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/sluicemq/sluice/protocols/mns"
)

// How long a client may take. The longest poll is MNS's of 30 seconds (Documented), and its answer has to be written
// within the write limit; the read limit has to outlast the poll too, since its end looks like a client that has gone.
const (
	headerLimit = 10 * time.Second
	readLimit   = 60 * time.Second
	writeLimit  = 120 * time.Second
	idleLimit   = 120 * time.Second
	headerBytes = 64 << 10

	// grace is how long requests may go on once serving is to end.
	grace = 700 * time.Millisecond
)

// NewHTTPServer returns a server for the handler with limits that keep slow clients from holding connections and still
// let every long poll finish.
func NewHTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerLimit,
		ReadTimeout:       readLimit,
		WriteTimeout:      writeLimit,
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    headerBytes,
	}
}

// Serve answers requests on l until ctx ends. It then takes no new ones, ends long polls at once, each with the empty
// answer of its provider, and gives what else runs 0.7 seconds. Returns nil after that, or an error if the listener
// failed. The server stays open.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	polls, endPolls := context.WithCancel(context.WithoutCancel(ctx))
	defer endPolls()
	srv := NewHTTPServer(s.handler)
	srv.BaseContext = func(net.Listener) context.Context { return polls }
	srv.ErrorLog = log.New(faultWriter{s.onFault}, "", 0)

	url := URL(l.Addr())
	s.served.CompareAndSwap(nil, &url)
	served := make(chan error, 1)
	go func() { served <- serveConnections(srv, l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
		endPolls()
		return drain(srv)
	}
}

// URL returns the URL at which programs on this machine reach a listener, also one on all addresses.
func URL(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return "http://" + a.String()
	}
	if net.ParseIP(host).IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// reached is where receivers of pushes find this server; empty until that is known.
func (s *Server) reached() string {
	o := s.current()
	url := cmp.Or(o.PushURL, o.PublicURL)
	if served := s.served.Load(); url == "" && served != nil {
		url = *served
	}
	return url
}

func drain(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return srv.Close()
	}
	return err
}

// handshake begins what net/http says of clients that do not get through with TLS. That is no fault of the server: they do
// not know its certificate, or spoke something else.
const handshake = "http: TLS handshake error"

// faultWriter turns what net/http would log into faults.
type faultWriter struct{ onFault func(*Fault) }

func (w faultWriter) Write(line []byte) (int, error) {
	if text := strings.TrimSpace(string(line)); !strings.HasPrefix(text, handshake) {
		w.onFault(&Fault{Err: errors.New(text)})
	}
	return len(line), nil
}

// route answers three paths that are no provider's: /health, by which containers and test harnesses tell that the server is
// ready, and those of the certificate by which receivers verify pushes and of the authority behind it. The rest goes to
// the dialects. http.ServeMux is not used as it redirects paths that it finds unclean.
func route(dialects, certificates http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/health":
			health(w, r)
		case mns.CertificatePath, mns.AuthorityPath:
			certificates.ServeHTTP(w, r)
		default:
			dialects.ServeHTTP(w, r)
		}
	})
}

func health(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, "{\"status\":\"ok\",\"version\":%q}\n", Version)
}
