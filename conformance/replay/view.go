package replay

import "strings"

// viewClass says in how many scenarios of each target a class of difference was met.
type viewClass struct {
	Class  Class
	Counts []viewCount
}

type viewCount struct{ Count, Percent int }

// viewDivision is a division of the scorecard: the groups that any target has run, and their scores at each.
type viewDivision struct {
	Title string
	Rows  []viewRow
}

type viewRow struct {
	Name   string
	Scores []Score
}

// viewScenario is a scenario and what came of it at each target.
type viewScenario struct {
	*Scenario
	Cells []viewCell
}

// States are those of all targets, for the page's search.
func (s viewScenario) States() string {
	var all []string
	for _, c := range s.Cells {
		all = append(all, string(c.State))
	}
	return strings.Join(all, " ")
}

type viewCell struct {
	Target      string
	State       viewState
	Differences []Difference
	More        int // differences that are not shown
	Deviations  []Deviation
}

// viewState is what came of a scenario, in a word.
type viewState string

const (
	statePassed viewState = "passed"
	stateNear   viewState = "near"
	stateKnown  viewState = "known"
	stateFailed viewState = "failed"
	stateNone   viewState = "none" // it did not run
)

// Sign is the state in one character, for those who do not see colours.
func (s viewState) Sign() string {
	return map[viewState]string{statePassed: "✓", stateNear: "≈", stateKnown: "!", stateFailed: "✗", stateNone: "–"}[s]
}

func viewClasses(reports []*Report) []viewClass {
	counts := make([]map[Class]int, len(reports))
	for i, r := range reports {
		counts[i] = r.classes()
	}
	var out []viewClass
	for _, c := range Classes() {
		row, met := viewClass{Class: c}, false
		for i, r := range reports {
			n := counts[i][c]
			met = met || n > 0
			row.Counts = append(row.Counts, viewCount{n, n * 100 / max(1, len(r.Results))})
		}
		if met {
			out = append(out, row)
		}
	}
	return out
}

func viewDivisionOf(reports []*Report, d division) viewDivision {
	out := viewDivision{Title: d.title}
	groups := make([][]Group, len(reports))
	for i, r := range reports {
		groups[i] = r.by(d.key, d.rank)
	}
	for _, name := range groupNames(reports, d) {
		row := viewRow{Name: name}
		for i := range reports {
			row.Scores = append(row.Scores, find(groups[i], name).Score)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// viewScenarios joins the reports: all of them are of the same scenarios.
func viewScenarios(reports []*Report) []viewScenario {
	var out []viewScenario
	at := make(map[string]int)
	for n, r := range reports {
		for i := range r.Results {
			res := &r.Results[i]
			name := res.Scenario.Name()
			if _, ok := at[name]; !ok {
				at[name] = len(out)
				out = append(out, newViewScenario(res.Scenario, reports))
			}
			c := &out[at[name]].Cells[n]
			c.State, c.Differences, c.Deviations = state(res), res.Differences, res.Deviations
			if c.More = len(c.Differences) - maxShown; c.More > 0 {
				c.Differences = c.Differences[:maxShown]
			}
		}
	}
	return out
}

func newViewScenario(s *Scenario, reports []*Report) viewScenario {
	v := viewScenario{Scenario: s}
	for _, r := range reports {
		v.Cells = append(v.Cells, viewCell{Target: r.Target, State: stateNone})
	}
	return v
}

func state(r *Result) viewState {
	switch {
	case r.Clean():
		return statePassed
	case r.Passed():
		return stateKnown
	case r.alike():
		return stateNear
	default:
		return stateFailed
	}
}
