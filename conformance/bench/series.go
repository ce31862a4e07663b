package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sluicemq/sluice/core/clock"
)

// Mode is how a server keeps its queues.
type Mode string

// The modes. Target is that of a server that somebody else has started.
const (
	Memory Mode = "memory" // nothing is kept
	OS     Mode = "os"     // survives a killed process
	Always Mode = "always" // survives a power loss
	Target Mode = "target"
)

// Starter starts a server in a mode and returns it with the function that ends it.
type Starter func(ctx context.Context, m Mode) (Endpoint, func() error, error)

// Harness runs series of measurements.
type Harness struct {
	Clock clock.Clock // nil means the machine's
	Start Starter
	Bare  Endpoint  // the bare handler; without a URL nothing is compared with it
	Runs  int       // of each load; 0 means 3
	Log   io.Writer // is told of each run; nil means that nobody is
}

func (h *Harness) withDefaults() Harness {
	d := *h
	d.Clock = cmp.Or[clock.Clock](h.Clock, clock.System{})
	d.Runs = cmp.Or(h.Runs, 3)
	d.Log = cmp.Or(h.Log, io.Discard)
	return d
}

// check finds what is wrong before anything was started.
func (h *Harness) check(loads []Load) error {
	if h.Runs < 0 || h.Runs > MaxRuns {
		return fmt.Errorf("runs is %d, want 1 to %d", h.Runs, MaxRuns)
	}
	for _, l := range loads {
		if err := l.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Series measures loads on one server of a mode. The runs go round: each load once, then each again, so that a
// disturbance of some seconds spoils one run of a few loads, not all runs of one.
func (h *Harness) Series(ctx context.Context, m Mode, loads []Load) ([]Cell, error) {
	d, cells, err := h.prepare(m, loads)
	if err != nil {
		return nil, err
	}
	err = d.with(ctx, m, func(server Endpoint) error {
		for range d.Runs {
			if err := d.round(ctx, server, cells); err != nil {
				return err
			}
		}
		return nil
	})
	return summarized(cells), err
}

// Apart is Series with a server of its own for each run of each load, so that none finds what another has left:
// memory, files, and the work to get rid of them.
func (h *Harness) Apart(ctx context.Context, m Mode, loads []Load) ([]Cell, error) {
	d, cells, err := h.prepare(m, loads)
	if err != nil {
		return nil, err
	}
	for range d.Runs {
		for i := range cells {
			one := cells[i : i+1]
			if err := d.with(ctx, m, func(server Endpoint) error { return d.round(ctx, server, one) }); err != nil {
				return nil, err
			}
		}
	}
	return summarized(cells), nil
}

// prepare checks everything before anything is started.
func (h *Harness) prepare(m Mode, loads []Load) (*Harness, []Cell, error) {
	if err := h.check(loads); err != nil {
		return nil, nil, err
	}
	d := h.withDefaults()
	cells := make([]Cell, len(loads))
	for i, l := range loads {
		cells[i] = Cell{Mode: string(m), Load: l}
	}
	return &d, cells, nil
}

// with starts a server, uses it and ends it.
func (h *Harness) with(ctx context.Context, m Mode, use func(Endpoint) error) error {
	server, stop, err := h.Start(ctx, m)
	if err != nil {
		return err
	}
	return errors.Join(use(server), stop())
}

func summarized(cells []Cell) []Cell {
	for i := range cells {
		cells[i].summarize()
	}
	return cells
}

// companion tells apart what the bare handler has to be measured with.
type companion struct {
	concurrency, body int
	batched           bool
}

// round measures each cell once. The bare handler is measured when it is first needed.
func (h *Harness) round(ctx context.Context, server Endpoint, cells []Cell) error {
	beside := map[companion]*Sample{}
	for i := range cells {
		c := &cells[i]
		key := companion{c.Load.Concurrency, c.Load.Body, batched(c.Load.Workload)}
		bare, err := h.beside(ctx, server, beside[key], c.Load)
		if err != nil {
			return err
		}
		beside[key] = bare
		settle(ctx, h.Clock, server)
		s, err := Measure(ctx, h.Clock, server, c.Load)
		if err != nil {
			return fmt.Errorf("%s, %s, %s: %w", c.Mode, c.Load.Protocol, c.label(), err)
		}
		c.Runs = append(c.Runs, Run{Sample: s, Bare: bare})
		fmt.Fprintf(h.Log, "%s %s %s c %d: %.0f requests/s\n", c.Mode, c.Load.Protocol, c.label(), c.Load.Concurrency, s.RequestRate)
	}
	return ctx.Err()
}

// beside measures the bare handler, unless there is none or it has been measured in this round.
func (h *Harness) beside(ctx context.Context, server Endpoint, known *Sample, l Load) (*Sample, error) {
	if known != nil || h.Bare.URL == "" {
		return known, nil
	}
	settle(ctx, h.Clock, server)
	s, err := MeasureBare(ctx, h.Clock, h.Bare, l)
	if err != nil {
		return nil, fmt.Errorf("bare handler: %w", err)
	}
	fmt.Fprintf(h.Log, "bare c %d: %.0f requests/s\n", l.Concurrency, s.RequestRate)
	return &s, nil
}
