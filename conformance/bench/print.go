package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteJSON writes cells and verdicts as one document with everything that was measured, run by run.
func WriteJSON(w io.Writer, cells []Cell, verdicts []Verdict) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Cells    []Cell    `json:"cells,omitempty"`
		Verdicts []Verdict `json:"verdicts,omitempty"`
	}{cells, verdicts})
}

// WriteTable writes a line for each cell. A dash is what is not known.
func WriteTable(w io.Writer, cells []Cell) error {
	return aligned(w, func(t io.Writer) {
		fmt.Fprintln(t, "mode\tprotocol\tworkload\tc\trequests/s\tmessages/s\tp50 ms\tp99 ms\tmax ms\tCPU µs/request\tRSS MiB\tKiB a parked poll\tto bare\tCPU to bare\tempty\trefused\t")
		for i := range cells {
			c := &cells[i]
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t", c.Mode, c.Load.Protocol, c.Load.label(),
				c.Load.Concurrency, c.RequestRate, c.MessageRate, c.P50, c.P99, c.Max)
			cpu, rss := "-", "-"
			if c.Cost != nil {
				cpu, rss = fmt.Sprintf("%.0f", c.Cost.CPU), fmt.Sprintf("%.0f", c.Cost.RSS)
			}
			poll := "-"
			if c.Parked != nil {
				poll = fmt.Sprintf("%.1f", c.Parked.KiB)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", cpu, rss, poll, figure(c.Ratio), figure(c.CPURatio), c.Empty, c.Refused)
		}
	})
}

// WriteMatrix writes the ratios of a matrix beside what is demanded of them. An exclamation mark is a demand not met.
func WriteMatrix(w io.Writer, cells []Cell) error {
	fmt.Fprintln(w, "Ratio to the bare handler, requests a second; CPU a request of cycle. In brackets what is demanded, ! where it is not met.")
	if err := aligned(w, func(t io.Writer) {
		fmt.Fprintln(t, "mode\tc\tsend\tcycle\tbatch\tCPU\t")
		for _, d := range demands {
			writeRow(t, fmt.Sprintf("%s\t%d", d.mode, d.concurrency), judgeMatrix(cells, d))
		}
	}); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nMessages a second as a share of %s.\n", SQSJSON)
	return aligned(w, func(t io.Writer) {
		fmt.Fprintln(t, "protocol\tmode\tc\tsend\tcycle\tbatch\t")
		for _, p := range Protocols[1:] {
			for _, d := range demands {
				writeRow(t, fmt.Sprintf("%s\t%s\t%d", p, d.mode, d.concurrency), judgeProtocol(cells, d, p))
			}
		}
	})
}

// WriteFlat writes the shares of a flatness measurement beside what is demanded of them.
func WriteFlat(w io.Writer, verdicts []Verdict) error {
	fmt.Fprintln(w, "Messages a second of one load as a share of another's. In brackets the least that is demanded, ! where it is not met.")
	return writeList(w, verdicts)
}

// WriteSizes writes what was found of sizes beside what is demanded of them.
func WriteSizes(w io.Writer, verdicts []Verdict) error {
	fmt.Fprintln(w, "What a server takes. In brackets the most that is demanded, ! where it is not met.")
	return writeList(w, verdicts)
}

func writeList(w io.Writer, verdicts []Verdict) error {
	return aligned(w, func(t io.Writer) {
		for _, v := range verdicts {
			writeRow(t, fmt.Sprintf("%s\t%s\t%s", v.Mode, v.Name, v.Unit), []Verdict{v})
		}
	})
}

func writeRow(w io.Writer, title string, verdicts []Verdict) {
	fmt.Fprint(w, title, "\t")
	for _, v := range verdicts {
		fmt.Fprint(w, v, "\t")
	}
	fmt.Fprintln(w)
}

// String shows the figure, the demand and whether it is met.
func (v Verdict) String() string {
	switch {
	case v.Demand == 0:
		return figure(v.Value)
	case v.Met():
		return fmt.Sprintf("%s (%.2f)", figure(v.Value), v.Demand)
	default:
		return fmt.Sprintf("%s (%.2f) !", figure(v.Value), v.Demand)
	}
}

func figure(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *v)
}

func aligned(w io.Writer, write func(t io.Writer)) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	write(t)
	return t.Flush()
}
