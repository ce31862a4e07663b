package replay

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// Load reads all recordings below a folder, in the order of their names. Returns the first error in one of them.
func Load(files fs.FS) ([]*Scenario, error) {
	var all []*Scenario
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".http") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		s, err := Parse(name, string(text))
		if err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

// Select returns the scenarios of the dialects whose names contain the filter. Empty means all; SQS's dialects and MNS's
// do not include those of Cross.
func Select(all []*Scenario, dialects []string, filter string) []*Scenario {
	return slices.DeleteFunc(slices.Clone(all), func(s *Scenario) bool {
		return len(dialects) > 0 && !slices.Contains(dialects, s.Dialect) || !strings.Contains(s.Name(), filter)
	})
}

// Suite is a run of scenarios against a target.
type Suite struct {
	Scenarios  []*Scenario
	Deviations []Deviation
	Forgive    []Class // differences that are not counted
	Parallel   int     // scenarios at a time; 0 means 16
	// MaxWait leaves out, on a target in real time, the scenarios in which more time passes. 0 means no bound.
	MaxWait time.Duration
	// Progress is told, by one goroutine at a time, of each scenario that is done.
	Progress func(done, total int, r *Result)
}

// Report is what came of a run, in the order of the scenarios.
type Report struct {
	Target  string
	Results []Result
	LeftOut []*Scenario // as they would have taken too long, or are about signatures that the target does not check
	Elapsed time.Duration
}

// Run replays the scenarios. Returns an error only if it was given up because ctx ended.
func (s *Suite) Run(ctx context.Context, t Target) (*Report, error) {
	began := clock.System{}.Now()
	scenarios, leftOut := s.within(&t)
	g := &gathering{
		suite: s, scenarios: scenarios, begun: make([]*runner, len(scenarios)),
		report: &Report{Target: t.Name, Results: make([]Result, len(scenarios)), LeftOut: leftOut},
	}
	s.each(ctx, order(scenarios), func(i int) { g.start(ctx, &t, i) })
	if t.shared != nil && t.Restart {
		if err := t.shared.again(); err != nil {
			return nil, fmt.Errorf("restart: %w", err)
		}
		s.each(ctx, order(scenarios), func(i int) {
			if g.begun[i] != nil {
				g.finish(i, g.begun[i].end())
			}
		})
	}
	if t.shared != nil {
		if err := t.shared.stop(); err != nil {
			return nil, fmt.Errorf("close: %w", err)
		}
	}
	g.report.Elapsed = clock.System{}.Now().Sub(began)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("given up: %w", err)
	}
	return g.report, nil
}

// mostUnheard is in how many scenarios in a row a server may be silent before it is taken for dead: one that hangs would
// keep the others waiting for hours.
const mostUnheard = 40

// gathering is a run whose results are coming in.
type gathering struct {
	suite     *Suite
	scenarios []*Scenario
	begun     []*runner

	mu      sync.Mutex
	report  *Report
	done    int
	unheard int // scenarios in a row
}

func (g *gathering) start(ctx context.Context, t *Target, i int) {
	if g.dead() {
		g.finish(i, Result{Scenario: g.scenarios[i], unheard: true, Differences: []Difference{{
			Class: Transport, Got: fmt.Sprintf("not tried: there was no answer in %d scenarios in a row", mostUnheard),
		}}})
		return
	}
	r := begin(ctx, t, g.scenarios[i])
	if t.Restart && t.shared != nil && r.e == t.shared {
		g.begun[i] = r // it goes on once all are that far and the server was restarted
		return
	}
	if t.Restart {
		r.restart()
	}
	g.finish(i, r.end())
}

func (g *gathering) dead() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unheard >= mostUnheard
}

func (g *gathering) finish(i int, r Result) {
	unheard := r.unheard
	g.suite.judge(&r)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.report.Results[i] = r
	if g.unheard++; !unheard {
		g.unheard = 0
	}
	if g.done++; g.suite.Progress != nil {
		g.suite.Progress(g.done, len(g.scenarios), &g.report.Results[i])
	}
}

// within leaves out what would take too long, and what the target does not claim to do.
func (s *Suite) within(t *Target) (run, leftOut []*Scenario) {
	for _, sc := range s.Scenarios {
		tooLong := t.realTime && s.MaxWait > 0 && sc.passing() > s.MaxWait
		if tooLong || sc.Verified && !t.Verifies {
			leftOut = append(leftOut, sc)
			continue
		}
		run = append(run, sc)
	}
	return run, leftOut
}

// passing is how much time passes in a scenario.
func (s *Scenario) passing() time.Duration {
	var sum time.Duration
	for i := range s.Steps {
		sum += s.Steps[i].Pass
	}
	return sum
}

// order begins with the longest waits, so that the others run meanwhile.
func order(scenarios []*Scenario) []int {
	indices := make([]int, len(scenarios))
	for i := range indices {
		indices[i] = i
	}
	slices.SortStableFunc(indices, func(a, b int) int { return cmp.Compare(scenarios[b].passing(), scenarios[a].passing()) })
	return indices
}

// each calls do for the indices, several at a time, until ctx ends.
func (s *Suite) each(ctx context.Context, indices []int, do func(i int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range s.workers() {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for _, i := range indices {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
}

func (s *Suite) workers() int {
	if s.Parallel > 0 {
		return s.Parallel
	}
	return 16
}

func (s *Suite) judge(r *Result) {
	r.Differences = slices.DeleteFunc(r.Differences, func(d Difference) bool { return slices.Contains(s.Forgive, d.Class) })
	settle(r, s.Deviations)
}
