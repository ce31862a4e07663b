package bench

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core/clock"
)

func known(v float64) (float64, bool) { return v, v >= 0 } // below zero stands for what is not known

func TestMedianIsTheMiddleOfWhatIsKnown(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   *float64
	}{
		{nil, nil},
		{[]float64{-1, -1}, nil},
		{[]float64{3}, new(3.0)},
		{[]float64{9, 1, 2}, new(2.0)},
		{[]float64{4, 1, 2, 9}, new(3.0)},
		{[]float64{-1, 5, -1}, new(5.0)},
	} {
		if diff := cmp.Diff(tt.want, medianOf(tt.values, known)); diff != "" {
			t.Errorf("medianOf(%v) (-want +got):\n%s", tt.values, diff)
		}
	}
}

func run(rate, cpu, bareRate, bareCPU float64) Run {
	return Run{
		Sample: Sample{RequestRate: rate, MessageRate: rate / 3, Cost: &Cost{CPU: cpu}},
		Bare:   &Sample{RequestRate: bareRate, Cost: &Cost{CPU: bareCPU}},
	}
}

func TestRatioIsThatOfNeighbours(t *testing.T) {
	// The machine is half as fast in the second run; the ratio of the medians would be 1000/1500.
	c := Cell{Runs: []Run{run(1000, 20, 2000, 10), run(500, 45, 1000, 20), run(1500, 20, 1500, 10)}}
	c.summarize()
	if *c.Ratio != 0.5 || *c.CPURatio != 2 || c.RequestRate != 1000 || c.Cost.CPU != 20 {
		t.Errorf("ratio %v, CPU %v, rate %v, cost %v; want 0.5, 2, 1000, 20", *c.Ratio, *c.CPURatio, c.RequestRate, c.Cost.CPU)
	}
}

func TestRatioIsNotKnownWithoutBothSides(t *testing.T) {
	for _, tt := range []struct {
		name       string
		run        Run
		ratio, cpu bool
	}{
		{"no bare handler", Run{Sample: Sample{RequestRate: 1, Cost: &Cost{CPU: 1}}}, false, false},
		{"bare handler that answered nothing", run(1, 1, 0, 0), false, false},
		{"server of unknown cost", Run{Sample: Sample{RequestRate: 1}, Bare: &Sample{RequestRate: 2, Cost: &Cost{CPU: 1}}}, true, false},
		{"bare handler of unknown cost", Run{Sample: Sample{Cost: &Cost{CPU: 1}}, Bare: &Sample{RequestRate: 2}}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Cell{Runs: []Run{tt.run}}
			c.summarize()
			if (c.Ratio != nil) != tt.ratio || (c.CPURatio != nil) != tt.cpu {
				t.Errorf("ratio %v, CPU ratio %v; want known %v, %v", c.Ratio, c.CPURatio, tt.ratio, tt.cpu)
			}
		})
	}
}

func TestOneRefusalShowsInTheSummary(t *testing.T) {
	c := Cell{Runs: []Run{{}, {Sample: Sample{Refused: 1, Refusal: "why"}}, {}}}
	c.summarize()
	if c.Refused != 1 || c.Refusal != "why" || c.Cost != nil {
		t.Errorf("summary has %d refused, %q, cost %v; want 1, why, none", c.Refused, c.Refusal, c.Cost)
	}
}

func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		v    Verdict
		met  bool
		text string
	}{
		{Verdict{Value: new(0.5), Demand: 0.5}, true, "0.50 (0.50)"},
		{Verdict{Value: new(0.49), Demand: 0.5}, false, "0.49 (0.50) !"},
		{Verdict{Value: new(2.0), Demand: 1.8, AtMost: true}, false, "2.00 (1.80) !"},
		{Verdict{Value: new(1.7), Demand: 1.8, AtMost: true}, true, "1.70 (1.80)"},
		{Verdict{Demand: 0.5}, false, "- (0.50) !"},
		{Verdict{Value: new(0.1)}, true, "0.10"},
	} {
		if tt.v.Met() != tt.met || tt.v.String() != tt.text {
			t.Errorf("%+v: Met() = %v, String() = %q; want %v, %q", tt.v, tt.v.Met(), tt.v.String(), tt.met, tt.text)
		}
	}
}

// cell has a rate of a third in messages and is compared with a bare handler of 1000 requests a second.
func cell(m Mode, p Protocol, w Workload, c int, rate, cpu float64) Cell {
	out := Cell{Mode: string(m), Load: Load{Protocol: p, Workload: w, Concurrency: c}, Runs: []Run{run(rate, cpu, 1000, 10)}}
	out.summarize()
	return out
}

func TestMatrixIsJudgedRowByRow(t *testing.T) {
	cells := []Cell{
		cell(Memory, SQSJSON, Send, 16, 600, 99), cell(Memory, SQSJSON, Cycle, 16, 600, 17), cell(Memory, SQSJSON, Batch, 16, 360, 99),
		cell(Memory, MNS, Send, 16, 300, 1), cell(OS, SQSJSON, Send, 16, 999, 1),
	}
	var text []string
	for _, v := range append(judgeMatrix(cells, demands[0]), judgeProtocol(cells, demands[0], MNS)...) {
		text = append(text, v.Name+" "+v.String())
	}
	want := []string{
		"send 0.60 (0.55)", "cycle 0.60 (0.62) !", "batch 0.36 (0.36)", "cpu 1.70 (1.80)",
		"send 0.50 (0.85) !", "cycle - (0.85) !", "batch - (0.85) !",
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	var table strings.Builder
	if err := WriteMatrix(&table, cells); err != nil || strings.Count(table.String(), "\n") != 2+len(demands)+1+2+2*len(demands) {
		t.Errorf("WriteMatrix() = %v:\n%s", err, &table)
	}
}

func TestMatrixMeasuresWhatIsDemanded(t *testing.T) {
	template := Load{Body: 16}.Defaults()
	template.Count = 5
	h := &Harness{Clock: clock.System{}, Runs: 1, Start: inProcess(t)}
	cells, err := h.Matrix(t.Context(), template)
	if err != nil || len(cells) != len(demands)*3*3 {
		t.Fatalf("Matrix() = %d cells, %v; want %d", len(cells), err, len(demands)*3*3)
	}
	for _, d := range demands {
		for _, p := range Protocols[1:] {
			for _, v := range judgeProtocol(cells, d, p) {
				if v.Value == nil {
					t.Errorf("%s %s %d %s was not measured", p, d.mode, d.concurrency, v.Name)
				}
			}
		}
	}
}

func TestParkedPollsAreSummarized(t *testing.T) {
	c := Cell{Runs: []Run{{Sample: Sample{Parked: &Parked{KiB: 3, CPU: 1}}}, {}, {Sample: Sample{Parked: &Parked{KiB: 1, CPU: 2}}}}}
	c.summarize()
	if diff := cmp.Diff(&Parked{KiB: 2, CPU: 1.5}, c.Parked); diff != "" {
		t.Errorf("summary of those that are known (-want +got):\n%s", diff)
	}
	var table strings.Builder
	if err := WriteTable(&table, []Cell{c}); err != nil || !strings.Contains(table.String(), " 2.0 ") {
		t.Errorf("WriteTable() = %v:\n%s", err, &table)
	}
}
