package sluice_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence"
)

func open(t *testing.T, o sluice.Options) *sluice.Server {
	t.Helper()
	o.OnFault = func(f *sluice.Fault) { t.Errorf("fault: %v", f) }
	s, err := sluice.Open(o)
	if err != nil {
		t.Fatalf("Open(%+v): %v", o, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s
}

func TestHealthAnswersSmallJSON(t *testing.T) {
	h := open(t, sluice.Options{}).Handler()
	for _, tt := range []struct {
		method string
		status int
	}{
		{http.MethodGet, http.StatusOK},
		{http.MethodHead, http.StatusOK},
		{http.MethodPost, http.StatusMethodNotAllowed},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, "/health", nil))
		if w.Code != tt.status {
			t.Errorf("%s /health = %d, want %d", tt.method, w.Code, tt.status)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/health", nil))
	var got struct{ Status, Version string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Status != "ok" || got.Version != sluice.Version {
		t.Errorf("GET /health = %s (%v), want status ok and version %s", w.Body, err, sluice.Version)
	}
}

func TestRootPathGoesToTheDialects(t *testing.T) {
	w := httptest.NewRecorder()
	open(t, sluice.Options{}).Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if strings.Contains(w.Header().Get("Content-Type"), "text/plain") || w.Body.Len() == 0 {
		t.Errorf("GET / = %d %v %q, want a provider's answer", w.Code, w.Header(), w.Body)
	}
}

func TestClockIsTheOneOfTheOptions(t *testing.T) {
	hands := clock.NewManual(time.Unix(1_000_000_000, 0))
	if got := open(t, sluice.Options{Clock: hands}).Clock(); got != clock.Clock(hands) {
		t.Errorf("Clock() = %v, want the manual one", got)
	}
	if got := open(t, sluice.Options{}).Clock(); got != clock.Clock(clock.System{}) {
		t.Errorf("Clock() = %v, want the system's", got)
	}
}

func TestCloseTwiceIsTheSameAsOnce(t *testing.T) {
	s := open(t, sluice.Options{Data: filepath.Join(t.TempDir(), "data")})
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
}

func TestOpenRefusesDirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	open(t, sluice.Options{Data: dir})
	_, err := sluice.Open(sluice.Options{Data: dir})
	if failed, ok := errors.AsType[*sluice.OpenError](err); !ok || failed.Dir != dir || !errors.Is(err, persistence.ErrInUse) {
		t.Errorf("second Open = %v, want an OpenError of persistence.ErrInUse", err)
	}
	if want := "data directory " + dir + " is in use by another process"; err.Error() != want {
		t.Errorf("second Open says %q, want %q", err, want)
	}
}

func TestOpenRefusesWrongOptions(t *testing.T) {
	bridge := sluice.Bridge{MNS: sluice.DefaultMNS, SQS: sluice.DefaultSQS}
	for name, o := range map[string]sluice.Options{
		"sync":                  {Sync: "sometimes"},
		"SQS account":           {SQS: sluice.Home{Account: "12", Region: "us-east-1"}},
		"SQS region":            {SQS: sluice.Home{Account: "123456789012"}},
		"MNS account":           {MNS: sluice.Home{Account: "x", Region: "cn-hangzhou"}},
		"MNS region":            {MNS: sluice.Home{Account: "1", Region: "CN"}},
		"limit":                 {MaxInFlight: -1},
		"bridge without an end": {Bridges: []sluice.Bridge{{SQS: sluice.DefaultSQS}}},
		"bridge twice":          {Bridges: []sluice.Bridge{bridge, bridge}},
	} {
		if s, err := sluice.Open(o); err == nil {
			t.Errorf("%s: Open succeeded, want an error", name)
			_ = s.Close()
		}
	}
}

func TestServeEndsLongPollsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, sluice.Options{})
		l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		client := &http.Client{Transport: &http.Transport{DialContext: l.dial}}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, l) }()

		if got := request(t, client, http.MethodPut, "/queues/q", "<Queue/>"); got != http.StatusCreated {
			t.Fatalf("create = %d, want 201", got)
		}
		polled := make(chan int, 1)
		go func() { polled <- request(t, client, http.MethodGet, "/queues/q/messages?waitseconds=30", "") }()
		synctest.Wait()
		parked := s.Clock().Now()
		stop()
		if got := <-polled; got != http.StatusNotFound {
			t.Errorf("ended poll = %d, want %d, the empty answer of MNS", got, http.StatusNotFound)
		}
		if took := s.Clock().Now().Sub(parked); took != 0 {
			t.Errorf("the poll ended %v after the stop, want at once", took)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve() = %v, want nil", err)
		}
		client.CloseIdleConnections()
	})
}

func TestURLCanBeUsedOnThisMachine(t *testing.T) {
	for _, tt := range []struct {
		address net.Addr
		want    string
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9324}, "http://127.0.0.1:9324"},
		{&net.TCPAddr{IP: net.IPv6loopback, Port: 1}, "http://[::1]:1"},
		{&net.TCPAddr{IP: net.IPv6unspecified, Port: 1}, "http://localhost:1"},
		{&net.TCPAddr{IP: net.IPv4zero, Port: 1}, "http://localhost:1"},
		{&net.UnixAddr{Name: "pipes"}, "http://pipes"},
	} {
		if got := sluice.URL(tt.address); got != tt.want {
			t.Errorf("URL(%v) = %q, want %q", tt.address, got, tt.want)
		}
	}
}

func TestServeReportsABrokenListener(t *testing.T) {
	s := open(t, sluice.Options{})
	l := &pipes{closed: make(chan struct{})}
	_ = l.Close()
	if err := s.Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve() = %v, want %v", err, net.ErrClosed)
	}
}

// pipes is a listener without a network, so that a bubble of synctest can see that nothing moves any more.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

func request(t *testing.T, client *http.Client, method, path, body string) int {
	r, err := http.NewRequest(method, "http://sluice"+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
