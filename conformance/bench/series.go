package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sluicemq/sluice/core/clock"
)

// Mode is how a server keeps its queues.
type Mode string

// The modes. Target is that of a server that somebody else has started, and in a table the bare handler has one too.
const (
	Memory   Mode = "memory" // nothing is kept
	OS       Mode = "os"     // survives a killed process
	Always   Mode = "always" // survives a power loss
	Target   Mode = "target"
	bareMode Mode = "bare"
)

// Starter starts a server in a mode. Its queues are kept in a directory, which is there and may hold those of an earlier
// server; in the modes that keep nothing here it has no name.
type Starter func(ctx context.Context, m Mode, data string) (Server, error)

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
	cells := make([]Cell, len(loads))
	for i, l := range loads {
		cells[i] = Cell{Mode: string(m), Load: l}
	}
	d, err := h.prepare(cells)
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

// apart measures cells like Series, each run of each cell on a server of its own, so that none finds what another has
// left: memory, files, and the work to get rid of them.
func (h *Harness) apart(ctx context.Context, cells []Cell) error {
	d, err := h.prepare(cells)
	if err != nil {
		return err
	}
	for range d.Runs {
		for i := range cells {
			if err := d.alone(ctx, &cells[i]); err != nil {
				return err
			}
		}
	}
	summarized(cells)
	return nil
}

// alone measures a cell once on a server of its own, or on the bare handler.
func (h *Harness) alone(ctx context.Context, c *Cell) error {
	if m := Mode(c.Mode); m != bareMode {
		return h.with(ctx, m, func(server Endpoint) error { return h.once(ctx, server, c, map[companion]*Sample{}) })
	}
	s, err := h.beside(ctx, Endpoint{}, nil, c.Load)
	if err == nil {
		c.Runs = append(c.Runs, Run{Sample: *s})
	}
	return err
}

// prepare checks everything before anything is started.
func (h *Harness) prepare(cells []Cell) (*Harness, error) {
	loads := make([]Load, len(cells))
	for i, c := range cells {
		loads[i] = c.Load
	}
	if err := h.check(loads); err != nil {
		return nil, err
	}
	d := h.withDefaults()
	return &d, nil
}

// with starts a server with an empty directory, if it needs one, uses it, ends it and removes the directory.
func (h *Harness) with(ctx context.Context, m Mode, use func(Endpoint) error) error {
	return h.placed(m, func(data string) error {
		server, err := h.start(ctx, m, data)
		if err != nil {
			return err
		}
		return errors.Join(use(server.Endpoint), server.Stop())
	})
}

// placed uses a directory for the queues of a mode and removes it. It has no name in modes that need none.
func (h *Harness) placed(m Mode, use func(data string) error) error {
	if m != OS && m != Always {
		return use("")
	}
	dir, err := os.MkdirTemp("", "sluice-bench-")
	if err != nil {
		return fmt.Errorf("no place for the queues: %w", err)
	}
	return errors.Join(use(dir), os.RemoveAll(dir))
}

func (h *Harness) start(ctx context.Context, m Mode, data string) (Server, error) {
	server, err := h.Start(ctx, m, data)
	server.Data = data
	return server, err
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
		if err := h.once(ctx, server, &cells[i], beside); err != nil {
			return err
		}
	}
	return nil
}

// once measures a cell once, beside what is already known of the bare handler.
func (h *Harness) once(ctx context.Context, server Endpoint, c *Cell, beside map[companion]*Sample) error {
	key := companion{c.Load.Concurrency, c.Load.Body, batched(c.Load.Workload)}
	bare, err := h.beside(ctx, server, beside[key], c.Load)
	if err != nil {
		return err
	}
	beside[key] = bare
	settle(ctx, h.Clock, server)
	s, err := Measure(ctx, h.Clock, server, c.Load)
	if err != nil {
		return fmt.Errorf("%s, %s, %s: %w", c.Mode, c.Load.Protocol, c.Load.label(), err)
	}
	c.Runs = append(c.Runs, Run{Sample: s, Bare: bare})
	fmt.Fprintf(h.Log, "%s %s %s c %d: %.0f requests/s\n", c.Mode, c.Load.Protocol, c.Load.label(), c.Load.Concurrency, s.RequestRate)
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
