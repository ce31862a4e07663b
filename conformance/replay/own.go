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

// Own is this very server, in memory, a new one for each scenario. It checks signatures in those that are about them.
func Own() Target {
	return Target{Name: "sluice", Verifies: true, open: func(s *Scenario) (endpoint, error) {
		return openInside(s, func(c clock.Clock) (http.Handler, func() error, error) {
			return openOwn(s.Verified, sluice.Options{Clock: c})
		})
	}}
}

// OwnOnDisk is this very server over data directories below dir. Scenarios in which no time passes and nobody waits share
// one server and its clock. The target is good for one run.
func OwnOnDisk(dir string, sync sluice.Sync) Target {
	all := &shared{disk: disk{dir, sync}}
	return Target{Name: "sluice on disk", Verifies: true, shared: all, open: func(s *Scenario) (endpoint, error) {
		if s.Verified || s.waits() || slices.ContainsFunc(s.Steps, func(step Step) bool { return step.Kind == Advance }) {
			return all.disk.open(s.Verified, s.waits())
		}
		return all, all.start()
	}}
}

// OwnRestarted is OwnOnDisk, closed and opened between the setup and the first call of every scenario.
func OwnRestarted(dir string, sync sluice.Sync) Target {
	t := OwnOnDisk(dir, sync)
	t.Name, t.Restart = "sluice restarted", true
	return t
}

// disk is where servers keep their data, and how sure of it they are before they answer.
type disk struct {
	dir  string
	sync sluice.Sync
}

func (d disk) open(verified, waits bool) (*onDisk, error) {
	data, err := os.MkdirTemp(d.dir, "scenario-")
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	e := &onDisk{data: data, inside: inside{clock: &virtual{Manual: clock.NewManual(epoch)}, waits: waits}}
	e.inside.open = func(c clock.Clock) (http.Handler, func() error, error) {
		return openOwn(verified, sluice.Options{Clock: c, Data: data, Sync: d.sync})
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

func openOwn(verified bool, o sluice.Options) (http.Handler, func() error, error) {
	o.Strict = true // recordings are of providers, which have wait rules
	if verified {
		o.Credentials = map[string]sluice.Credential{AnyKey.ID: {Secret: AnyKey.Secret}}
	}
	s, err := sluice.Open(o)
	if err != nil {
		return nil, nil, err
	}
	return s.Handler(), s.Close, nil
}

// shared is a server on which many scenarios run at a time. It is opened for the first of them, and outlives them.
type shared struct {
	*onDisk
	disk disk
	once sync.Once
	err  error
}

func (e *shared) start() error {
	e.once.Do(func() { e.onDisk, e.err = e.disk.open(false, false) })
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
