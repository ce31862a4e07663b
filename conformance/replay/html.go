package replay

import (
	_ "embed"
	htmltemplate "html/template"
	"io"
)

//go:embed page.html
var page string

// view is what the page shows.
type view struct {
	Targets   []viewTarget
	Divisions []viewDivision
	Scenarios []viewScenario
	Dialects  []string
}

type viewTarget struct {
	Name    string
	Score   Score
	Seconds float64
	LeftOut int
	Classes []viewClass
}

type viewClass struct {
	Class Class
	Count int
}

type viewDivision struct {
	Title string
	Rows  []viewRow
}

type viewRow struct {
	Name   string
	Scores []Score
}

type viewScenario struct {
	*Scenario
	Cells  []viewCell
	Failed bool
}

type viewCell struct {
	Target      string
	State       string // passed, failed, known, none
	Differences []Difference
	Deviations  []Deviation
}

// WriteHTML prints reports as one page that needs nothing else: the scores of all targets side by side, and each scenario
// with its evidence and with what differs.
func WriteHTML(w io.Writer, reports []*Report) error {
	t, err := htmltemplate.New("page").Parse(page)
	if err != nil {
		return err
	}
	v := view{Dialects: Dialects()}
	for _, r := range reports {
		v.Targets = append(v.Targets, r.viewTarget())
	}
	for _, d := range divisions() {
		v.Divisions = append(v.Divisions, viewDivisionOf(reports, d))
	}
	v.Scenarios = viewScenarios(reports)
	return t.Execute(w, v)
}

func (r *Report) viewTarget() viewTarget {
	t := viewTarget{Name: r.Target, Score: r.Score(), Seconds: r.Elapsed.Seconds(), LeftOut: len(r.LeftOut)}
	counts := r.classes()
	for _, c := range Classes() {
		if counts[c] > 0 {
			t.Classes = append(t.Classes, viewClass{c, counts[c]})
		}
	}
	return t
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
				out = append(out, viewScenario{Scenario: res.Scenario, Cells: make([]viewCell, len(reports))})
			}
			s := &out[at[name]]
			s.Cells[n] = viewCell{Target: r.Target, State: state(res), Differences: res.Differences, Deviations: res.Deviations}
			s.Failed = s.Failed || !res.Passed()
		}
	}
	return out
}

func state(r *Result) string {
	switch {
	case r.Clean():
		return "passed"
	case r.Passed():
		return "known"
	default:
		return "failed"
	}
}
