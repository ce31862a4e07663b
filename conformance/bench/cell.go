package bench

import (
	"cmp"
	"slices"
)

// Run is one measurement and that of the bare handler beside it, nil without one.
type Run struct {
	Sample Sample  `json:"sample"`
	Bare   *Sample `json:"bare,omitempty"`
}

// Cell is what all runs of a load measured. Its figures are medians over the runs, each by itself.
type Cell struct {
	Mode string `json:"mode"` // of the server: memory, os, always, or target
	Load Load   `json:"load"`
	Runs []Run  `json:"runs"`

	Sample
	// Ratio is requests a second to those of the bare handler, CPURatio the CPU a request to its. Both are medians
	// of the runs' own ratios: what disturbs a run disturbs the bare handler beside it as well. nil if not known.
	Ratio    *float64 `json:"ratio,omitempty"`
	CPURatio *float64 `json:"cpu_ratio,omitempty"`
}

// summarize fills the figures from the runs.
func (c *Cell) summarize() {
	samples := make([]Sample, len(c.Runs))
	for i, r := range c.Runs {
		samples[i] = r.Sample
	}
	c.Sample = medianSample(samples)
	c.Ratio = medianOf(c.Runs, Run.ratio)
	c.CPURatio = medianOf(c.Runs, Run.cpuRatio)
}

// ratio is not known without a bare handler or when that answered nothing.
func (r Run) ratio() (float64, bool) {
	if r.Bare == nil || r.Bare.RequestRate == 0 {
		return 0, false
	}
	return r.Sample.RequestRate / r.Bare.RequestRate, true
}

func (r Run) cpuRatio() (float64, bool) {
	if r.Bare == nil || r.Bare.Cost == nil || r.Sample.Cost == nil || r.Bare.Cost.CPU == 0 {
		return 0, false
	}
	return r.Sample.Cost.CPU / r.Bare.Cost.CPU, true
}

// medianSample takes each figure's median. Refused answers are added up: one that is refused in one run must show.
func medianSample(samples []Sample) Sample {
	figure := func(f func(Sample) float64) float64 {
		m := medianOf(samples, func(s Sample) (float64, bool) { return f(s), true })
		return value(m)
	}
	count := func(f func(Sample) int64) int64 {
		return int64(figure(func(s Sample) float64 { return float64(f(s)) }))
	}
	out := Sample{
		Requests: count(func(s Sample) int64 { return s.Requests }),
		Messages: count(func(s Sample) int64 { return s.Messages }),
		Empty:    count(func(s Sample) int64 { return s.Empty }),

		RequestRate: figure(func(s Sample) float64 { return s.RequestRate }),
		MessageRate: figure(func(s Sample) float64 { return s.MessageRate }),
		P50:         figure(func(s Sample) float64 { return s.P50 }),
		P90:         figure(func(s Sample) float64 { return s.P90 }),
		P99:         figure(func(s Sample) float64 { return s.P99 }),
		Max:         figure(func(s Sample) float64 { return s.Max }),
		Cost:        medianCost(samples),
		Parked:      medianParked(samples),
	}
	for _, s := range samples {
		out.Elapsed += s.Elapsed
		out.Refused += s.Refused
		out.Refusal = cmp.Or(out.Refusal, s.Refusal)
	}
	return out
}

func medianCost(samples []Sample) *Cost {
	figure := func(f func(*Cost) float64) *float64 {
		return partMedian(samples, func(s Sample) *Cost { return s.Cost }, f)
	}
	cpu := figure(func(c *Cost) float64 { return c.CPU })
	if cpu == nil {
		return nil
	}
	return &Cost{
		CPU:       *cpu,
		RSS:       value(figure(func(c *Cost) float64 { return c.RSS })),
		Anonymous: value(figure(func(c *Cost) float64 { return c.Anonymous })),
	}
}

func medianParked(samples []Sample) *Parked {
	figure := func(f func(*Parked) float64) *float64 {
		return partMedian(samples, func(s Sample) *Parked { return s.Parked }, f)
	}
	kib := figure(func(p *Parked) float64 { return p.KiB })
	if kib == nil {
		return nil
	}
	return &Parked{KiB: *kib, CPU: value(figure(func(p *Parked) float64 { return p.CPU }))}
}

// partMedian is the median of a figure of a part that samples may be without.
func partMedian[T any](samples []Sample, part func(Sample) *T, f func(*T) float64) *float64 {
	return medianOf(samples, func(s Sample) (float64, bool) {
		p := part(s)
		if p == nil {
			return 0, false
		}
		return f(p), true
	})
}

// medianOf returns the median of what is known, nil if nothing is. Of an even number it is the mean of the middle two.
func medianOf[T any](all []T, f func(T) (float64, bool)) *float64 {
	var known []float64
	for _, one := range all {
		if v, ok := f(one); ok {
			known = append(known, v)
		}
	}
	if len(known) == 0 {
		return nil
	}
	slices.Sort(known)
	m := (known[(len(known)-1)/2] + known[len(known)/2]) / 2
	return &m
}

// value returns a number, 0 for one that is not known.
func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
