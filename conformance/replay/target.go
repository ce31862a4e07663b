package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// Target is a server to replay against.
type Target struct {
	Name string
	// Restart closes and opens the server between the setup and the first call of each scenario.
	Restart bool

	// Verifies says that the server checks signatures, so that scenarios about them can be met.
	Verifies bool
	// Timeout is how long an answer may take, on a target in real time; one to a receive that may wait for a message may
	// take as much longer as the longest wait. 0 means 10 seconds.
	Timeout time.Duration

	// Places by dialect: what {{account}} and {{region}} stand for. Nil means Places().
	Places map[string]Place
	// Keys by dialect: what requests are signed with. Nil means AnyKey. What a recording says of a signature is sent as it
	// is written.
	Keys map[string]Key

	open     func(s *Scenario) (endpoint, error)
	realTime bool    // waits really wait
	shared   *shared // nil, or the server of the scenarios that need no time of their own
}

// Keys are the keys of the two providers, by dialect.
func Keys(amazon, alibaba Key) map[string]Key {
	return map[string]Key{SQSJSON: amazon, SQSQuery: amazon, MNS: alibaba}
}

// endpoint is a server that one scenario talks to.
type endpoint interface {
	url() *url.URL
	do(r *http.Request, body string) (answer, error)
	now() time.Time
	pass(ctx context.Context, d time.Duration) error
	restart() error
	close() error
}

// errNoRestart is what a server answers that cannot be restarted.
var errNoRestart = errors.New("this server cannot be restarted")

// maxAnswer bounds what is read of an answer.
const maxAnswer = 16 << 20

// remote is a server behind a URL, in real time.
type remote struct {
	base   *url.URL
	client *http.Client
	clock  clock.System
}

// Remote is the server at an address such as http://localhost:9324. Scenarios run on it in real time.
func Remote(name, address string) (Target, error) {
	u, err := url.Parse(address)
	if err != nil {
		return Target{}, fmt.Errorf("target: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return Target{}, fmt.Errorf("target is %q, want http://host:port", address)
	}
	e := &remote{base: &url.URL{Scheme: u.Scheme, Host: u.Host}, client: &http.Client{
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
	return Target{Name: name, Places: placesAt(u), realTime: true, open: func(*Scenario) (endpoint, error) { return e, nil }}, nil
}

func (e *remote) url() *url.URL  { return e.base }
func (e *remote) now() time.Time { return e.clock.Now() }
func (e *remote) restart() error { return errNoRestart }
func (e *remote) close() error   { return nil }

func (e *remote) do(r *http.Request, _ string) (answer, error) {
	res, err := e.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return answer{}, err
	}
	return answer{res.StatusCode, res.Header, string(body)}, nil
}

func (e *remote) pass(ctx context.Context, d time.Duration) error {
	reached, giveUp := e.clock.Until(e.clock.Now().Add(d))
	defer giveUp()
	select {
	case <-reached:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// OpenFunc opens a server that goes by the clock, and returns what closes it.
type OpenFunc func(c clock.Clock) (http.Handler, func() error, error)

// epoch is when the virtual time of every scenario begins.
var epoch = time.Unix(1_790_000_000, 0)

// InMemory is a server within this process, a new one for each scenario, on virtual time: nothing really waits.
func InMemory(name string, open OpenFunc) Target {
	return Target{Name: name, open: func(s *Scenario) (endpoint, error) { return openInside(s, open) }}
}

func openInside(s *Scenario, open OpenFunc) (*inside, error) {
	e := &inside{open: open, clock: &virtual{Manual: clock.NewManual(epoch)}, waits: s.waits()}
	return e, e.start()
}

type inside struct {
	open    OpenFunc
	clock   *virtual
	waits   bool // there are receives that may wait
	handler http.Handler
	stop    func() error
}

func (e *inside) start() (err error) {
	e.handler, e.stop, err = e.open(e.clock)
	return err
}

func (e *inside) url() *url.URL  { return &url.URL{Scheme: "http", Host: "localhost:9324"} }
func (e *inside) now() time.Time { return e.clock.Now() }
func (e *inside) close() error   { return e.stop() }

func (e *inside) restart() error { return errors.Join(e.stop(), e.start()) }

// breath is the real time that a server gets for what it does in the background, before the virtual time moves on.
const breath = 15 * time.Millisecond

// pass stops at every instant for which the server waits, so that each thing happens at its own time.
func (e *inside) pass(ctx context.Context, d time.Duration) error {
	const mostStops = 64
	end := e.clock.Now().Add(d)
	err := e.breathe(ctx)
	for range mostStops {
		if err != nil || !e.clock.leap(end) {
			break
		}
		err = e.breathe(ctx)
	}
	if err != nil {
		return err
	}
	e.clock.Advance(end.Sub(e.clock.Now()))
	return e.breathe(ctx)
}

func (e *inside) breathe(ctx context.Context) error {
	var real remote
	return real.pass(ctx, breath)
}

// patience is how long a receive may take in real time before it counts as parked. It is generous: a receive that is only
// slow must not see the time move.
const patience = 750 * time.Millisecond

func (e *inside) do(r *http.Request, body string) (answer, error) {
	type outcome struct {
		a   answer
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		a, err := serve(e.handler, r)
		done <- outcome{a, err}
	}()
	for {
		var parked <-chan struct{}
		giveUp := func() {}
		if e.waits && mayPark(r, body) {
			real := clock.System{}
			parked, giveUp = real.Until(real.Now().Add(patience))
		}
		select {
		case o := <-done:
			giveUp()
			return o.a, o.err
		case <-parked:
			e.clock.leap(e.clock.Now().Add(requestLimit))
		}
	}
}

// waits tells whether a scenario has receives that may wait for a message. Elsewhere a receive is never parked, however
// slow the machine is.
func (s *Scenario) waits() bool {
	return slices.ContainsFunc(s.Steps, func(step Step) bool {
		if step.Request == nil {
			return false
		}
		text := strings.ToLower(step.Request.Path + step.Request.Body)
		return strings.Contains(text, "waittimeseconds") || strings.Contains(text, "waitseconds")
	})
}

// longestWait is the longest that a receive of either provider can wait for a message.
const longestWait = 30 * time.Second

// limit is how long the answer to a request may take.
func (t *Target) limit(s *Scenario, r *http.Request, body string) time.Duration {
	switch limit := cmp.Or(t.Timeout, 10*time.Second); {
	case !t.realTime:
		return requestLimit
	case s.waits() && mayPark(r, body):
		return limit + longestWait
	default:
		return limit
	}
}

// mayPark tells receives, the only requests that wait for something to happen.
func mayPark(r *http.Request, body string) bool {
	return strings.Contains(r.Header.Get("X-Amz-Target"), "ReceiveMessage") || strings.Contains(body, "Action=ReceiveMessage") ||
		r.Method == http.MethodGet && (strings.HasSuffix(r.URL.Path, "/messages") || strings.Contains(r.URL.RawQuery, "ReceiveMessage"))
}

// serve answers a request as a server would that has read it from a connection.
func serve(h http.Handler, r *http.Request) (a answer, err error) {
	r.RequestURI = r.URL.RequestURI()
	r.RemoteAddr = "127.0.0.1:40000"
	w := &recorder{header: http.Header{}}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the handler panicked: %v", p)
		}
	}()
	h.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK)
	return answer{w.status, w.sent, w.body.String()}, nil
}

// recorder keeps what a handler writes. It keeps the case of header names, too.
type recorder struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
