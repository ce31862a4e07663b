package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// point is a load, but for what all loads of a table share.
type point struct {
	workload    Workload
	size        int // that the workload is about; 0 if it is about none
	concurrency int // 0 is what the others have
}

// comparison demands that the messages a second of one point are this share of another's at least.
type comparison struct {
	modes     []Mode
	point, to point
	bare      bool // the other one is the bare handler's
	share     float64
}

// A cost that grows with what is stored, with what has been deleted, or with the number of queues is the classic flaw of
// such a server. The last two are about what must grow instead. Whoever waits for the disk shares the wait with all who
// come meanwhile, so that many connections send many times what one does. And a backlog is drained in batches, which a
// single message's cost, that of the bare handler, says little about: 20,000 a second where it answers 25,000.
var comparisons = []comparison{
	{modes: kept, point: point{Depth, 100_000, 0}, to: point{Depth, 1000, 0}, share: 0.85},
	{modes: kept, point: point{Depth, 1_000_000, 0}, to: point{Depth, 1000, 0}, share: 0.8},
	{modes: kept, point: point{Queues, 1000, 0}, to: point{Queues, 1, 0}, share: 0.9},
	{modes: kept, point: point{Deleted, 1_000_000, 0}, to: point{Cycle, 0, 0}, share: 0.95},
	{modes: kept, point: point{FIFO, 1000, 0}, to: point{Cycle, 0, 0}, share: 0.8},
	{modes: []Mode{OS}, point: point{Drain, 50_000, 4}, to: point{Send, 0, 16}, bare: true, share: 0.8},
	{modes: []Mode{Always}, point: point{Send, 0, 64}, to: point{Send, 0, 1}, share: 5},
}

// kept are the modes in which flatness is measured: without a store and with one.
var kept = []Mode{Memory, OS}

// at returns the load at a point. A queue is never deeper than deepest: where all depends on it there is no load, and
// where a backlog only has to be large it is that large.
func (p point) at(template Load, deepest int) (l Load, ok bool) {
	l = template
	l.Protocol, l.Workload = SQSJSON, p.workload
	l.Concurrency = cmp.Or(p.concurrency, l.Concurrency)
	n := l.size()
	switch {
	case n == nil:
		return l, true
	case p.workload == Depth && p.size > deepest:
		return l, false
	case p.workload == Deleted || p.workload == Drain:
		*n = min(p.size, deepest)
	default:
		*n = p.size
	}
	return l, true
}

// pair is a comparison in one mode.
type pair struct {
	cell, to place
	verdict  Verdict
}

// place is where a cell stands in a table.
type place struct {
	mode Mode
	load Load
}

func (c *comparison) in(m Mode, template Load, deepest int) (pair, bool) {
	l, ok := c.point.at(template, deepest)
	other, also := c.to.at(template, deepest)
	p := pair{cell: place{m, l}, to: place{m, other}}
	if c.bare {
		p.to.mode = bareMode
	}
	p.verdict = Verdict{Mode: string(m), Name: c.point.name(l) + " / " + c.to.name(other), Demand: c.share}
	if c.bare {
		p.verdict.Name = c.point.name(l) + " / bare " + c.to.name(other)
	}
	return p, ok && also
}

func (p point) name(l Load) string {
	if p.concurrency == 0 {
		return l.label()
	}
	return fmt.Sprintf("%s c %d", l.label(), p.concurrency)
}

// pairs returns what is compared, mode by mode.
func pairs(template Load, deepest int) []pair {
	var out []pair
	for _, m := range []Mode{Memory, OS, Always} {
		for _, c := range comparisons {
			if p, ok := c.in(m, template, deepest); ok && slices.Contains(c.modes, m) {
				out = append(out, p)
			}
		}
	}
	return out
}

// cellsOf returns a cell for each place, in the order in which they are first needed: those that are compared are
// neighbours in time. Without a bare handler there is none of its own.
func cellsOf(all []pair, bare bool) []Cell {
	var cells []Cell
	for _, p := range all {
		for _, at := range []place{p.to, p.cell} {
			if at.find(cells) == nil && (bare || at.mode != bareMode) {
				cells = append(cells, Cell{Mode: string(at.mode), Load: at.load})
			}
		}
	}
	return cells
}

func (p place) find(cells []Cell) *Cell {
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.Mode == string(p.mode) && c.Load == p.load })
	if i < 0 {
		return nil
	}
	return &cells[i]
}

// Flat measures whether cycles slow down with depth, up to deepest messages, with what was deleted, with the number of
// queues and of groups; how sends that wait for the disk share that; and how fast a backlog is drained.
func (h *Harness) Flat(ctx context.Context, template Load, deepest int) ([]Cell, []Verdict, error) {
	if err := checkDeepest(deepest); err != nil {
		return nil, nil, err
	}
	all := pairs(template, deepest)
	cells := cellsOf(all, h.Bare.URL != "")
	if err := h.apart(ctx, cells); err != nil {
		return nil, nil, err
	}
	return cells, judgePairs(cells, all), nil
}

func judgePairs(cells []Cell, all []pair) []Verdict {
	out := make([]Verdict, len(all))
	for i, p := range all {
		out[i] = p.verdict
		if c, to := p.cell.find(cells), p.to.find(cells); c != nil && to != nil {
			out[i].Value = share(c, to)
		}
	}
	return out
}

func checkDeepest(n int) error {
	if n < 1 || n > MaxDepth {
		return fmt.Errorf("max-depth is %d, want 1 to %d", n, MaxDepth)
	}
	return nil
}
