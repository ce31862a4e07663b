package replay

import (
	"cmp"
	"slices"
	"strings"
)

// Score counts scenarios.
type Score struct {
	Total      int `json:"total"`
	Passed     int `json:"passed"`     // nothing differs
	Failed     int `json:"failed"`     // something differs that is not listed
	Deviations int `json:"deviations"` // only what is listed differs
	Alike      int `json:"alike"`      // what the answers say is the same, whatever of headers, order, layout and forms differs
}

func (s *Score) count(r *Result) {
	s.Total++
	if r.alike() {
		s.Alike++
	}
	switch {
	case r.Clean():
		s.Passed++
	case r.Passed():
		s.Deviations++
	default:
		s.Failed++
	}
}

func (r *Result) alike() bool {
	return !slices.ContainsFunc(r.Differences, func(d Difference) bool { return !slices.Contains(outward, d.Class) })
}

// Near counts the scenarios in which the answers say the same in another form.
func (s Score) Near() int { return s.Alike - s.Passed - s.Deviations }

// Unlike counts the scenarios in which the answers say something else.
func (s Score) Unlike() int { return s.Total - s.Alike }

// AlikePercent is the share of scenarios in which the answers say the same, rounded down.
func (s Score) AlikePercent() int {
	if s.Total == 0 {
		return 0
	}
	return s.Alike * 100 / s.Total
}

// Percent is the share of scenarios in which nothing differs, rounded down: 100 means all of them.
func (s Score) Percent() int {
	if s.Total == 0 {
		return 0
	}
	return s.Passed * 100 / s.Total
}

// Score counts all scenarios of a report.
func (r *Report) Score() Score {
	var s Score
	for i := range r.Results {
		s.count(&r.Results[i])
	}
	return s
}

// Group is a part of the corpus and its score.
type Group struct {
	Name string `json:"name"`
	Score
}

// by groups the results by what key says of a scenario, in the order of rank and then of names.
func (r *Report) by(key func(s *Scenario) string, rank []string) []Group {
	var groups []Group
	for i := range r.Results {
		name := key(r.Results[i].Scenario)
		at := slices.IndexFunc(groups, func(g Group) bool { return g.Name == name })
		if at < 0 {
			at = len(groups)
			groups = append(groups, Group{Name: name})
		}
		groups[at].count(&r.Results[i])
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(slices.Index(rank, a.Name), slices.Index(rank, b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return groups
}

// The ways to divide a report.
func byProvider(s *Scenario) string  { return providers[s.Dialect] }
func byProtocol(s *Scenario) string  { return s.Dialect }
func byOperation(s *Scenario) string { return s.Dialect + "/" + s.Operation }
func byEvidence(s *Scenario) string  { return string(s.Evidence) }

var providers = map[string]string{SQSJSON: "Amazon SQS", SQSQuery: "Amazon SQS", MNS: "Alibaba Cloud MNS", Cross: "both"}

var providerRank = []string{"Amazon SQS", "Alibaba Cloud MNS", "both"}

func evidenceRank() []string {
	var all []string
	for _, e := range evidenceLevels {
		all = append(all, string(e))
	}
	return all
}

// classes counts in how many scenarios each class of difference was met, listed ones left out.
func (r *Report) classes() map[Class]int {
	counts := make(map[Class]int)
	for i := range r.Results {
		met := make(map[Class]bool)
		for _, d := range r.Results[i].Differences {
			if !met[d.Class] {
				met[d.Class] = true
				counts[d.Class]++
			}
		}
	}
	return counts
}

// division is a heading of the scorecard.
type division struct {
	title string
	key   func(s *Scenario) string
	rank  []string
}

func divisions() []division {
	return []division{
		{"provider", byProvider, providerRank},
		{"protocol", byProtocol, Dialects()},
		{"evidence", byEvidence, evidenceRank()},
		{"operation", byOperation, nil},
	}
}

// find returns the group of a name; a target that ran nothing of it has an empty one.
func find(groups []Group, name string) Group {
	for _, g := range groups {
		if g.Name == name {
			return g
		}
	}
	return Group{Name: name}
}

// bar draws a share in a few characters.
func bar(percent, width int) string {
	full := percent * width / 100
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
