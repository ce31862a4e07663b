package replay

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
)

// Deviation is a difference that is known and has a reason.
type Deviation struct {
	Scenario string `json:"scenario"`
	Class    Class  `json:"class"`
	Reason   string `json:"reason"`
}

// ParseDeviations reads a list of known differences: a line each of a scenario, a class, two hyphens and the reason. Lines
// that begin with # and empty ones are left out.
func ParseDeviations(text string) ([]Deviation, error) {
	var all []Deviation
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		what, reason, _ := strings.Cut(line, " -- ")
		fields := strings.Fields(what)
		if len(fields) != 2 || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("deviations, line %d: want: scenario class -- reason", n)
		}
		d := Deviation{Scenario: fields[0], Class: Class(fields[1]), Reason: strings.TrimSpace(reason)}
		if !slices.Contains(Classes(), d.Class) {
			return nil, fmt.Errorf("deviations, line %d: there is no class %q", n, d.Class)
		}
		all = append(all, d)
	}
	return all, lines.Err()
}

// settle takes the listed differences of a result out. A listed one that is gone is a difference itself, so that the list
// can only shrink.
func settle(r *Result, listed []Deviation) {
	for _, d := range listed {
		if d.Scenario != r.Scenario.Name() {
			continue
		}
		before := len(r.Differences)
		r.Differences = slices.DeleteFunc(r.Differences, func(f Difference) bool { return f.Class == d.Class })
		if len(r.Differences) < before {
			r.Deviations = append(r.Deviations, d)
			continue
		}
		r.Differences = append(r.Differences, Difference{
			Class: Stale, Where: string(d.Class), Want: "the listed deviation: " + d.Reason, Got: "no such difference",
		})
	}
}
