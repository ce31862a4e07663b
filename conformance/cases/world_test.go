// Package cases_test runs behaviours over which real clients tripped in other servers of the same protocols, and every
// error that the providers are known to answer with, against the whole server: raw HTTP requests in, exact answers
// compared, time moved by hand.
//
// A case is written once, in the verbs of client_test.go, and runs in every protocol that has the operation. Where it
// calls restart, it runs a second time over a data directory, and the server is really closed and opened there.
//
// Numbers such as K01 are those of the list of cases that the project keeps; TestEveryCaseIsThere knows how many there
// are. Where providers' behaviour is disputed, a case asserts what the code decided, and that the code says so.
package cases_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// epoch is when every world begins, in seconds.
const epoch = 1_790_000_000

// The protocols.
const (
	sqsJSON  = "sqs-json"
	sqsQuery = "sqs-query"
	mnsXML   = "mns"
)

var (
	onlySQS    = []string{sqsJSON, sqsQuery}
	onlyMNS    = []string{mnsXML}
	everywhere = []string{sqsJSON, sqsQuery, mnsXML}
)

// each runs a case in every one of the protocols, and once more with restarts if it asks for any.
func each(t *testing.T, number string, protocols []string, run func(c *client)) {
	t.Helper()
	eachWith(t, number, protocols, sluice.Options{}, run)
}

// eachWith is each with options for the server.
func eachWith(t *testing.T, number string, protocols []string, o sluice.Options, run func(c *client)) {
	t.Helper()
	for _, p := range protocols {
		t.Run(number+" "+p, func(t *testing.T) {
			t.Parallel()
			twice(t, "", o, func(w *world) { run(w.as(p)) })
		})
	}
}

// once runs what is about several protocols at a time, with restarts if it asks for any.
func once(t *testing.T, number string, run func(w *world)) {
	t.Helper()
	twice(t, number+" ", sluice.Options{}, run)
}

// twice runs a case, and once more over a data directory if it asks for restarts. The name of a run begins with the
// prefix.
func twice(t *testing.T, prefix string, o sluice.Options, run func(w *world)) {
	t.Helper()
	asked := false
	t.Run(prefix+"kept", func(t *testing.T) {
		inWorld(t, o, func(w *world) {
			run(w)
			asked = w.asked
		})
	})
	if !asked {
		return
	}
	t.Run(prefix+"restarted", func(t *testing.T) {
		kept := o
		kept.Data = filepath.Join(t.TempDir(), "data")
		inWorld(t, kept, run)
	})
}

// inWorld opens a server in a bubble, so that synctest.Wait can tell when a long poll is parked. The machine's time is
// not used.
func inWorld(t *testing.T, o sluice.Options, run func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := openWorld(t, o)
		defer w.close()
		run(w)
	})
}

// world is a server and its clock.
type world struct {
	t       testing.TB
	options sluice.Options
	clock   *clock.Manual
	server  *sluice.Server
	asked   bool   // for a restart
	onFault func() // nil: faults fail the test
}

func openWorld(t testing.TB, o sluice.Options) *world {
	t.Helper()
	w := &world{t: t, options: o, clock: clock.NewManual(time.Unix(epoch, 0))}
	w.options.Clock = w.clock
	w.options.OnFault = func(f *sluice.Fault) {
		if w.onFault != nil {
			w.onFault()
			return
		}
		t.Errorf("fault: %v", f)
	}
	w.open()
	return w
}

func (w *world) open() {
	w.t.Helper()
	server, err := sluice.Open(w.options)
	if err != nil {
		w.t.Fatalf("Open(%q) = %v", w.options.Data, err)
	}
	w.server = server
}

func (w *world) close() {
	if err := w.server.Close(); err != nil {
		w.t.Errorf("Close() = %v", err)
	}
}

// expectFaults gives faults to a function instead of failing the test.
func (w *world) expectFaults(onFault func()) { w.onFault = onFault }

// restart closes and opens the server where it has a data directory; elsewhere it notes that this would matter.
func (w *world) restart() {
	w.t.Helper()
	w.asked = true
	if w.options.Data == "" {
		return
	}
	w.close()
	w.open()
}

// after moves the clock by some seconds.
func (w *world) after(seconds float64) {
	w.clock.Advance(time.Duration(seconds * float64(time.Second)))
	synctest.Wait() // what the server does by itself at that time is done
}

// millis is the world's time as messages carry it.
func (w *world) millis() int64 { return w.clock.Now().UnixMilli() }

// as returns a client of one protocol.
func (w *world) as(protocol string) *client {
	c := &client{world: w, protocol: protocol}
	switch protocol {
	case mnsXML:
		c.wire = mns{w}
	default:
		c.wire = sqs{w, protocol == sqsQuery}
	}
	return c
}

// do sends a request and returns the answer as it came.
func (w *world) do(r *http.Request) reply {
	rec := httptest.NewRecorder()
	w.server.Handler().ServeHTTP(rec, r)
	return reply{status: rec.Code, header: rec.Header(), body: rec.Body.String()}
}

// waiting runs a request that is to be parked, calls meanwhile, and returns the answer and for how many seconds of the
// world's time it was parked. A request that never comes back is a deadlock of the bubble.
func waiting[A any](w *world, request func() A, meanwhile func()) (answer A, seconds float64) {
	w.t.Helper()
	began := w.clock.Now()
	done := make(chan A, 1)
	go func() { done <- request() }()
	synctest.Wait()
	select {
	case answer = <-done:
		return answer, 0
	default:
	}
	meanwhile()
	answer = <-done
	return answer, w.clock.Now().Sub(began).Seconds()
}

// marked fails the test unless a source file says UNVERIFIED within a few lines of some text of it: what is disputed
// must not look settled.
func marked(t testing.TB, file, text string) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(src), "\n")
	found := false
	for i, line := range lines {
		if !strings.Contains(line, text) {
			continue
		}
		found = true
		if strings.Contains(strings.Join(lines[max(i-5, 0):i+1], "\n"), "UNVERIFIED") {
			return
		}
	}
	t.Errorf("%s: %q is found: %v; it is not marked UNVERIFIED", file, text, found)
}
