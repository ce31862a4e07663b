package bench

import (
	"context"
	"slices"
)

// demand is a row of the matrix: a mode, a number of connections, and what its ratios have to be. The numbers were
// found with a prototype that validates nothing, and are what a complete server of this design has to keep of it.
type demand struct {
	mode               Mode
	concurrency        int
	send, cycle, batch float64 // requests a second to the bare handler's: at least
	cpu                float64 // CPU a request of a cycle to the bare handler's: at most
}

var demands = []demand{
	{Memory, 16, 0.55, 0.62, 0.36, 1.8},
	{OS, 16, 0.48, 0.50, 0.24, 2.1},
	{OS, 64, 0.52, 0.60, 0.26, 1.9},
	{Always, 16, 0.28, 0.32, 0.18, 3.0},
	{Always, 64, 0.40, 0.45, 0.20, 2.3},
}

// alike is what the other protocols have to reach of AWS JSON's messages a second.
const alike = 0.85

// matrixWorkloads are the columns. Send is last: what its queue leaves behind disturbs nobody but the next row.
var matrixWorkloads = []Workload{Cycle, Batch, Send}

// Matrix measures send, cycle and batch in each protocol, mode and number of connections for which there is a demand.
func (h *Harness) Matrix(ctx context.Context, template Load) ([]Cell, error) {
	var all []Cell
	for _, m := range []Mode{Memory, OS, Always} {
		var concurrency []int
		for _, d := range demands {
			if d.mode == m {
				concurrency = append(concurrency, d.concurrency)
			}
		}
		cells, err := h.Series(ctx, m, Loads(template, Protocols, matrixWorkloads, concurrency))
		if err != nil {
			return all, err
		}
		all = append(all, cells...)
	}
	return all, nil
}

// Verdict compares a figure with what is demanded of it.
type Verdict struct {
	Mode   string   `json:"mode,omitempty"`
	Name   string   `json:"name"`
	Unit   string   `json:"unit,omitempty"`
	Value  *float64 `json:"value,omitempty"` // nil if it is not known
	Demand float64  `json:"demand"`          // 0 if nothing is demanded
	AtMost bool     `json:"at_most,omitempty"`
}

// Met reports whether the figure is as demanded. What is not known is not met.
func (v Verdict) Met() bool {
	switch {
	case v.Demand == 0:
		return true
	case v.Value == nil:
		return false
	case v.AtMost:
		return *v.Value <= v.Demand
	default:
		return *v.Value >= v.Demand
	}
}

// judgeMatrix returns the four figures of a row, in the order of the demands' columns.
func judgeMatrix(cells []Cell, d demand) []Verdict {
	find := func(w Workload) *Cell { return findCell(cells, d.mode, SQSJSON, w, d.concurrency) }
	var out []Verdict
	for _, w := range []struct {
		workload Workload
		demand   float64
	}{{Send, d.send}, {Cycle, d.cycle}, {Batch, d.batch}} {
		v := Verdict{Name: string(w.workload), Demand: w.demand}
		if c := find(w.workload); c != nil {
			v.Value = c.Ratio
		}
		out = append(out, v)
	}
	cpu := Verdict{Name: "cpu", Demand: d.cpu, AtMost: true}
	if c := find(Cycle); c != nil {
		cpu.Value = c.CPURatio
	}
	return append(out, cpu)
}

// judgeProtocol returns what share of AWS JSON's messages a second a protocol reaches in a row.
func judgeProtocol(cells []Cell, d demand, p Protocol) []Verdict {
	var out []Verdict
	for _, w := range []Workload{Send, Cycle, Batch} {
		v := Verdict{Name: string(w), Demand: alike}
		own, first := findCell(cells, d.mode, p, w, d.concurrency), findCell(cells, d.mode, SQSJSON, w, d.concurrency)
		if own != nil && first != nil {
			v.Value = share(own, first)
		}
		out = append(out, v)
	}
	return out
}

// share is the median of the runs' own shares in messages a second, as the runs of a round are neighbours in time.
func share(c, of *Cell) *float64 {
	indexes := make([]int, min(len(c.Runs), len(of.Runs)))
	for i := range indexes {
		indexes[i] = i
	}
	return medianOf(indexes, func(i int) (float64, bool) {
		whole := of.Runs[i].Sample.MessageRate
		return c.Runs[i].Sample.MessageRate / whole, whole > 0
	})
}

func findCell(cells []Cell, m Mode, p Protocol, w Workload, concurrency int) *Cell {
	i := slices.IndexFunc(cells, func(c Cell) bool {
		return c.Mode == string(m) && c.Load.Protocol == p && c.Load.Workload == w && c.Load.Concurrency == concurrency
	})
	if i < 0 {
		return nil
	}
	return &cells[i]
}
