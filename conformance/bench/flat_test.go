package bench

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core/clock"
)

// names are what is compared in a mode, with what is demanded.
func names(all []pair, m Mode) []string {
	var out []string
	for _, p := range all {
		if p.verdict.Mode == string(m) {
			out = append(out, p.verdict.Name+p.verdict.String())
		}
	}
	return out
}

func TestFlatComparesUpToTheDeepest(t *testing.T) {
	for _, tt := range []struct {
		mode    Mode
		deepest int
		want    []string
	}{
		{Memory, 1_000_000, []string{
			"depth 100000 / depth 1000- (0.85) !", "depth 1000000 / depth 1000- (0.80) !", "queues 1000 / queues 1- (0.90) !",
			"deleted 1000000 / cycle- (0.95) !", "fifo 1000 / cycle- (0.80) !",
		}},
		{OS, 20_000, []string{
			"queues 1000 / queues 1- (0.90) !", "deleted 20000 / cycle- (0.95) !", "fifo 1000 / cycle- (0.80) !",
			"drain 20000 c 4 / bare send c 16- (0.80) !",
		}},
		{Always, 1, []string{"send c 64 / send c 1- (5.00) !"}},
	} {
		if diff := cmp.Diff(tt.want, names(pairs(Load{}.Defaults(), tt.deepest), tt.mode)); diff != "" {
			t.Errorf("pairs(%d) in mode %s (-want +got):\n%s", tt.deepest, tt.mode, diff)
		}
	}
}

func TestFlatLoadsAreThoseOfTheTemplateButForTheirSize(t *testing.T) {
	template := Load{Protocol: MNS, Concurrency: 3, Body: 7, Queues: 5}.Defaults()
	for _, c := range cellsOf(pairs(template, 1_000_000), true) {
		if err := c.Load.Check(); err != nil || c.Load.Protocol != SQSJSON || c.Load.Body != 7 {
			t.Errorf("load is %+v, %v, want one of JSON with bodies of 7 bytes", c.Load, err)
		}
		if c.Load.Workload == Cycle && (c.Load.Concurrency != 3 || c.Load.Queues != 5) {
			t.Errorf("cycle is %+v, want the template's numbers", c.Load)
		}
	}
}

func TestEachCellIsMeasuredForAllItIsComparedWith(t *testing.T) {
	cycles := 0
	for _, c := range cellsOf(pairs(Load{}.Defaults(), 1_000_000), false) {
		if c.Mode == string(Memory) && c.Load.Workload == Cycle {
			cycles++
		}
		if c.Mode == string(bareMode) {
			t.Error("the bare handler is to be measured without there being one")
		}
	}
	if cycles != 1 {
		t.Errorf("cycles are measured in %d cells, want one", cycles)
	}
}

func TestFlatnessIsJudgedAgainstTheSmaller(t *testing.T) {
	all := pairs(Load{}.Defaults(), 100_000)
	cells := cellsOf(all, true)
	rates := map[string]float64{
		"memory depth 1000": 1000, "memory depth 100000": 800, "memory queues 1": 1000, "memory queues 1000": 900,
		"memory cycle": 1000, "memory deleted 100000": 960, "always send": 500, "bare send": 3000, "os drain 50000": 7200,
	}
	for i := range cells {
		c := &cells[i]
		if rate := rates[c.Mode+" "+c.Load.label()]; rate > 0 {
			c.Runs = []Run{run(rate, 1, 0, 0)}
		}
	}
	var got []string
	for _, v := range judgePairs(cells, all) {
		if v.Value != nil {
			got = append(got, v.Mode+" "+v.Name+" "+v.String())
		}
	}
	want := []string{
		"memory depth 100000 / depth 1000 0.80 (0.85) !", "memory queues 1000 / queues 1 0.90 (0.90)",
		"memory deleted 100000 / cycle 0.96 (0.95)", "os drain 50000 c 4 / bare send c 16 2.40 (0.80)",
		"always send c 64 / send c 1 1.00 (5.00) !",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("judgePairs() (-want +got):\n%s", diff)
	}
}

// inProcess starts Sluice itself, in this process. Nothing is kept when it is killed, but for what is in its directory.
func inProcess(t *testing.T) Starter {
	return func(_ context.Context, _ Mode, data string) (Server, error) {
		e, stop := served(t, data)
		return Server{Endpoint: e, Stop: stop, Kill: stop}, nil
	}
}

func TestFlatMeasuresWhatIsDemanded(t *testing.T) {
	bare := httptest.NewServer(Bare())
	defer bare.Close()
	template := Load{Body: 16}.Defaults()
	template.Count = 5
	h := &Harness{Clock: clock.System{}, Runs: 1, Start: inProcess(t), Bare: Endpoint{URL: bare.URL}}
	cells, shares, err := h.Flat(t.Context(), template, 100)
	if err != nil || len(shares) != 2*3+2 {
		t.Fatalf("Flat() = %d shares, %v; want queues, deleted and fifo twice, drain and send", len(shares), err)
	}
	for _, v := range shares {
		if v.Value == nil {
			t.Errorf("%s %s was not measured", v.Mode, v.Name)
		}
	}
	for _, c := range cells {
		if c.Requests == 0 || c.Refused > 0 || (c.Mode == string(bareMode)) != (c.Ratio == nil) {
			t.Errorf("%s %s has %d requests, %d refused, ratio %v", c.Mode, c.Load.label(), c.Requests, c.Refused, c.Ratio)
		}
	}
	var table strings.Builder
	if err := WriteFlat(&table, shares); err != nil || strings.Count(table.String(), "\n") != 1+len(shares) {
		t.Errorf("WriteFlat() = %v:\n%s", err, &table)
	}
	h.Start = func(context.Context, Mode, string) (Server, error) { return Server{}, errors.New("no") }
	if _, _, err := h.Flat(t.Context(), template, 1); err == nil {
		t.Error("Flat() without a server succeeded")
	}
}
