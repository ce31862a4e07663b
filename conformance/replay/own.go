package replay

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// Own is this very server, in memory, a new one for each scenario.
func Own() Target {
	return InMemory("sluice", func(c clock.Clock) (http.Handler, func() error, error) {
		return openOwn(sluice.Options{Clock: c})
	})
}

// OwnOnDisk is this very server over data directories below dir, each removed at the end of its scenario.
func OwnOnDisk(dir string) Target {
	return Target{Name: "sluice on disk", open: func(s *Scenario) (endpoint, error) { return openOnDisk(dir, s.waits()) }}
}

// OwnRestarted is this very server over data directories below dir, closed and opened between the setup and the first
// call of every scenario. Scenarios in which no time passes and nobody waits share one server, its restart and its
// clock. The target is good for one run.
func OwnRestarted(dir string) Target {
	all := &shared{dir: dir}
	return Target{Name: "sluice restarted", Restart: true, shared: all, open: func(s *Scenario) (endpoint, error) {
		if s.waits() || slices.ContainsFunc(s.Steps, func(step Step) bool { return step.Kind == Advance }) {
			return openOnDisk(dir, s.waits())
		}
		return all, all.start()
	}}
}

func openOnDisk(dir string, waits bool) (*onDisk, error) {
	data, err := os.MkdirTemp(dir, "scenario-")
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	e := &onDisk{data: data, inside: inside{clock: &virtual{Manual: clock.NewManual(epoch)}, waits: waits}}
	e.open = func(c clock.Clock) (http.Handler, func() error, error) {
		return openOwn(sluice.Options{Clock: c, Data: data})
	}
	return e, e.inside.start()
}

// onDisk is a server with a directory of its own.
type onDisk struct {
	inside
	data string
}

func (e *onDisk) close() error {
	err := e.inside.close()
	if removed := os.RemoveAll(e.data); err == nil {
		err = removed
	}
	return err
}

func openOwn(o sluice.Options) (http.Handler, func() error, error) {
	o.Strict = true // recordings are of providers, which have wait rules
	s, err := sluice.Open(o)
	if err != nil {
		return nil, nil, err
	}
	return s.Handler(), s.Close, nil
}

// shared is a server on which many scenarios run at a time. It is opened for the first of them, and outlives them.
type shared struct {
	*onDisk
	dir  string
	once sync.Once
	err  error
}

func (e *shared) start() error {
	e.once.Do(func() { e.onDisk, e.err = openOnDisk(e.dir, false) })
	return e.err
}

func (e *shared) close() error { return nil }

// again closes and opens the server, if any scenario has come to it.
func (e *shared) again() error {
	if e.onDisk == nil {
		return nil
	}
	return e.onDisk.restart()
}

func (e *shared) stop() error {
	if e.onDisk == nil {
		return nil
	}
	return e.onDisk.close()
}
