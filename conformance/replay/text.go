package replay

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// maxShown bounds the differences that are printed of a scenario; the JSON report has all.
const maxShown = 6

// WriteText prints a scorecard: all groups of every report side by side, then what differs.
func WriteText(w io.Writer, reports []*Report) error {
	out := bufio.NewWriter(w)
	for _, r := range reports {
		r.differences(out, len(reports) > 1)
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, d := range divisions() {
		fmt.Fprintf(table, "%s", strings.ToUpper(d.title))
		for _, r := range reports {
			fmt.Fprintf(table, "\t%s", r.Target)
		}
		fmt.Fprintln(table)
		for _, row := range viewDivisionOf(reports, d).Rows {
			fmt.Fprintf(table, "%s", row.Name)
			for _, s := range row.Scores {
				fmt.Fprintf(table, "\t%s", cell(s))
			}
			fmt.Fprintln(table)
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range reports {
		r.classLine(out)
	}
	for _, r := range reports {
		s := r.Score()
		fmt.Fprintf(out, "%s: %d scenarios in %s: %d passed, %d failed, %d known deviations (%d %%); %d say the same (%d %%)\n",
			r.Target, s.Total, r.Elapsed.Round(10*time.Millisecond), s.Passed, s.Failed, s.Deviations, s.Percent(), s.Alike, s.AlikePercent())
		if n := len(r.LeftOut); n > 0 {
			fmt.Fprintf(out, "%s: %d scenarios left out, as they would take too long or are about signatures\n", r.Target, n)
		}
	}
	return out.Flush()
}

func cell(s Score) string {
	if s.Total == 0 {
		return "-"
	}
	text := fmt.Sprintf("%s %3d %%  %d/%d", bar(s.Percent(), 10), s.Percent(), s.Passed, s.Total)
	if s.Alike > s.Passed+s.Deviations {
		text += fmt.Sprintf(", alike %d %%", s.AlikePercent())
	}
	if s.Deviations > 0 {
		text += fmt.Sprintf(" (%d known)", s.Deviations)
	}
	return text
}

// groupNames are the groups of any of the reports.
func groupNames(reports []*Report, d division) []string {
	all := &Report{}
	for _, r := range reports {
		all.Results = append(all.Results, r.Results...)
	}
	var names []string
	for _, g := range all.by(d.key, d.rank) {
		names = append(names, g.Name)
	}
	return names
}

func (r *Report) classLine(out io.Writer) {
	counts := r.classes()
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(out, "%s: scenarios by class of difference:", r.Target)
	for _, c := range Classes() {
		if counts[c] > 0 {
			fmt.Fprintf(out, " %s %d", c, counts[c])
		}
	}
	fmt.Fprintln(out)
}

func (r *Report) differences(out io.Writer, named bool) {
	for i := range r.Results {
		res := &r.Results[i]
		if res.Passed() {
			continue
		}
		target := ""
		if named {
			target = r.Target + ": "
		}
		fmt.Fprintf(out, "%s%s (%s): %s\n", target, res.Scenario.Name(), res.Scenario.Evidence, res.Scenario.Title)
		for n, d := range res.Differences {
			if n == maxShown {
				fmt.Fprintf(out, "    and %d more\n", len(res.Differences)-n)
				break
			}
			fmt.Fprintf(out, "    %s\n", d.String())
		}
	}
}
