package bench

import (
	"context"
	"fmt"
)

// A cost that grows with what is stored or with the number of queues is the classic flaw of such a server. These are
// the sizes that are compared, and what is demanded of the larger: the share of the smallest's cycles a second.
var (
	flatDepths = []struct {
		messages int
		demand   float64
	}{{1000, 0}, {100_000, 0.75}, {1_000_000, 0}}
	flatQueues = []struct {
		queues int
		demand float64
	}{{1, 0}, {1000, 0.8}}
)

// flatModes are the modes in which flatness is measured: without a store and with one.
var flatModes = []Mode{Memory, OS}

// flatLoads returns depths, then numbers of queues, each smallest first. No message has to be stored before for those
// that are about queues.
func flatLoads(template Load, maxDepth int) []Load {
	var loads []Load
	template.Protocol = SQSJSON
	for _, d := range flatDepths {
		if d.messages > maxDepth {
			continue
		}
		template.Workload, template.Depth = Depth, d.messages
		loads = append(loads, template)
	}
	for _, q := range flatQueues {
		template.Workload, template.Queues = Queues, q.queues
		loads = append(loads, template)
	}
	return loads
}

// Flat measures how cycles slow down with depth, up to maxDepth messages, and with the number of queues.
func (h *Harness) Flat(ctx context.Context, template Load, maxDepth int) ([]Cell, error) {
	var all []Cell
	for _, m := range flatModes {
		cells, err := h.Apart(ctx, m, flatLoads(template, maxDepth))
		if err != nil {
			return all, err
		}
		all = append(all, cells...)
	}
	return all, nil
}

// judgeFlat returns the shares of one mode.
func judgeFlat(cells []Cell, m Mode) []Verdict {
	var out []Verdict
	find := func(w Workload, size func(Load) int, n int) *Cell {
		for i := range cells {
			if c := &cells[i]; c.Mode == string(m) && c.Load.Workload == w && size(c.Load) == n {
				return c
			}
		}
		return nil
	}
	depth := func(n int) *Cell { return find(Depth, func(l Load) int { return l.Depth }, n) }
	queues := func(n int) *Cell { return find(Queues, func(l Load) int { return l.Queues }, n) }
	for _, d := range flatDepths[1:] {
		out = append(out, compare(fmt.Sprintf("depth %d/%d", d.messages, flatDepths[0].messages),
			depth(d.messages), depth(flatDepths[0].messages), d.demand)...)
	}
	for _, q := range flatQueues[1:] {
		out = append(out, compare(fmt.Sprintf("queues %d/%d", q.queues, flatQueues[0].queues),
			queues(q.queues), queues(flatQueues[0].queues), q.demand)...)
	}
	return out
}

// compare returns nothing for what was not measured.
func compare(name string, c, of *Cell, demanded float64) []Verdict {
	if c == nil || of == nil {
		return nil
	}
	return []Verdict{{Name: name, Value: share(c, of), Demand: demanded}}
}
