package replay

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// jsonReport is a report for machines. Its first members are stable.
type jsonReport struct {
	Score
	Target  string             `json:"target"`
	Seconds float64            `json:"seconds"`
	LeftOut []string           `json:"left_out,omitempty"` // names of scenarios
	Groups  map[string][]Group `json:"groups"`
	Classes map[Class]int      `json:"classes"`
	Results []jsonResult       `json:"scenarios"`

	Others []jsonReport `json:"others,omitempty"` // further targets
}

type jsonResult struct {
	Name        string       `json:"name"`
	Title       string       `json:"title"`
	Source      string       `json:"source"`
	Date        string       `json:"date"`
	Evidence    Evidence     `json:"evidence"`
	Passed      bool         `json:"passed"`
	Differences []Difference `json:"differences,omitempty"`
	Deviations  []Deviation  `json:"deviations,omitempty"`
}

// WriteJSON prints reports for machines. The members at the top, total, passed, failed and deviations among them, are of
// the first report; the rest is under others.
func WriteJSON(w io.Writer, reports []*Report) error {
	all := make([]jsonReport, 0, len(reports))
	for _, r := range reports {
		all = append(all, r.machine())
	}
	if len(all) == 0 {
		all = append(all, jsonReport{})
	}
	all[0].Others = all[1:]
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(all[0])
}

func (r *Report) machine() jsonReport {
	out := jsonReport{
		Score: r.Score(), Target: r.Target, Seconds: r.Elapsed.Seconds(), Classes: r.classes(),
		Groups: make(map[string][]Group), Results: make([]jsonResult, 0, len(r.Results)),
	}
	for _, s := range r.LeftOut {
		out.LeftOut = append(out.LeftOut, s.Name())
	}
	for _, d := range divisions() {
		out.Groups[d.title] = r.by(d.key, d.rank)
	}
	for i := range r.Results {
		res := &r.Results[i]
		s := res.Scenario
		out.Results = append(out.Results, jsonResult{
			Name: s.Name(), Title: s.Title, Source: s.Source, Date: s.Date, Evidence: s.Evidence,
			Passed: res.Passed(), Differences: res.Differences, Deviations: res.Deviations,
		})
	}
	return out
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit prints reports as CI systems read them: a suite for each target, a case for each scenario. A known
// deviation is a case that passes and says so in its output.
func WriteJUnit(w io.Writer, reports []*Report) error {
	var all junitSuites
	for _, r := range reports {
		s := r.junit()
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Report) junit() junitSuite {
	score := r.Score()
	suite := junitSuite{Name: r.Target, Tests: score.Total, Failures: score.Failed, Time: fmt.Sprintf("%.3f", r.Elapsed.Seconds())}
	for i := range r.Results {
		res := &r.Results[i]
		c := junitCase{
			Class: res.Scenario.Dialect + "." + res.Scenario.Operation, Name: res.Scenario.Case,
			Time: fmt.Sprintf("%.3f", res.Elapsed.Seconds()),
		}
		if !res.Passed() {
			c.Failure = &junitFailure{
				Message: res.Scenario.Title, Type: string(res.Differences[0].Class), Text: strings.Join(lines(res), "\n"),
			}
		}
		for _, d := range res.Deviations {
			c.Out += fmt.Sprintf("known deviation: %s: %s\n", d.Class, d.Reason)
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}

func lines(r *Result) []string {
	out := make([]string, 0, len(r.Differences))
	for _, d := range r.Differences {
		out = append(out, d.String())
	}
	return out
}
