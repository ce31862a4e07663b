package replay

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// What is the same on every page: its looks, and the search among the scenarios.
var (
	//go:embed page.css
	looks string
	//go:embed page.js
	search string
)

// WriteHTML prints reports as one page that needs nothing else: the scores of all targets side by side, and each scenario
// with its evidence and with what differs. The page is UTF-8 whatever the targets answered.
func WriteHTML(w io.Writer, reports []*Report) error {
	var page bytes.Buffer
	if err := document(reports).Render(&page); err != nil {
		return err
	}
	_, err := w.Write(bytes.ToValidUTF8(page.Bytes(), []byte("\uFFFD")))
	return err
}

func document(reports []*Report) g.Node {
	title := "Conformance"
	for _, r := range reports {
		title += " · " + r.Target
	}
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.TitleEl(g.Text(title)),
			h.StyleEl(g.Raw(looks)),
		),
		h.Body(content(reports), h.Script(g.Raw(search))),
	))
}

func content(reports []*Report) g.Node {
	scenarios := viewScenarios(reports)
	return h.Main(
		h.H1(g.Text("Conformance with recorded provider traffic")),
		h.P(h.Class("lead"), decimal(len(scenarios)), g.Text(" scenarios, each with the evidence for what it expects. It is met to the letter when nothing in the answers differs: status, codes, texts, headers, names, order and, where the bytes are known, layout.")),
		legend(),
		h.Div(h.Class("cards"), g.Map(reports, card)),
		g.Map(divisions(), func(d division) g.Node { return divisionTable(reports, d) }),
		classTable(reports),
		h.H2(g.Text("Scenarios")),
		tools(reports),
		h.Div(h.ID("list"), g.Map(scenarios, scenarioNode)),
	)
}

func decimal(n int) g.Node { return g.Text(strconv.Itoa(n)) }

// square shows a state by colour and sign.
func square(s viewState, more ...g.Node) g.Node {
	return h.Span(h.Class("sq "+string(s)), g.Text(s.Sign()), g.Group(more))
}

func legend() g.Node {
	entry := func(s viewState, meaning string) g.Node {
		return h.Span(h.I(h.Class("sq "+string(s)), g.Text(s.Sign())), g.Text(meaning))
	}
	return h.Div(h.Class("legend"),
		entry(statePassed, "to the letter"),
		entry(stateNear, "says the same; headers, order, layout, additions or the form of made-up values differ"),
		entry(stateKnown, "differs as listed, with a reason"),
		entry(stateFailed, "says something else"),
	)
}

// card sums a target up.
func card(r *Report) g.Node {
	s, bold := r.Score(), func(n int) g.Node { return h.B(decimal(n)) }
	return h.Section(h.Class("card"),
		h.H3(g.Text(r.Target)),
		h.Div(h.Class("big"), decimal(s.Percent()), h.Small(g.Text(" %"))),
		h.Div(h.Class("same"), g.Textf("to the letter; %d %% say the same", s.AlikePercent())),
		scoreBar(s),
		h.Div(h.Class("counts"),
			bold(s.Passed), g.Text(" to the letter · "), bold(s.Near()), g.Text(" alike"),
			g.If(s.Deviations > 0, g.Group{g.Text(" · "), bold(s.Deviations), g.Text(" known")}),
			g.Text(" · "), bold(s.Unlike()), g.Text(" differ"),
		),
		h.Div(h.Class("counts"),
			g.Textf("%d scenarios in %.1f s", s.Total, r.Elapsed.Seconds()),
			g.If(len(r.LeftOut) > 0, g.Textf(", %d left out", len(r.LeftOut))),
		),
	)
}

func scoreBar(s Score) g.Node {
	share := func(n int) g.Node { return h.Style("flex:" + strconv.Itoa(n)) }
	return h.Div(h.Class("bar"), h.I(share(s.Passed)), h.B(share(s.Near())), h.U(share(s.Deviations)), h.S(share(s.Unlike())))
}

// table has a column for each target. corner is above the names of the rows.
func table(corner string, reports []*Report, rows g.Node) g.Node {
	return h.Div(h.Class("scroll"), h.Table(
		h.THead(h.Tr(
			h.Th(g.Text(corner)),
			g.Map(reports, func(r *Report) g.Node { return h.Th(g.Text(r.Target)) }),
		)),
		h.TBody(rows),
	))
}

// row begins a line of the page's source, so that two pages can be compared by lines.
func row(name string, cells g.Node) g.Node {
	return g.Group{g.Raw("\n"), h.Tr(h.Td(h.Class("n"), g.Text(name)), cells)}
}

func divisionTable(reports []*Report, d division) g.Node {
	v := viewDivisionOf(reports, d)
	return g.Group{
		h.H2(g.Text("By " + v.Title)),
		table("", reports, g.Map(v.Rows, func(r viewRow) g.Node { return row(r.Name, g.Map(r.Scores, scoreCell)) })),
	}
}

func scoreCell(s Score) g.Node {
	if s.Total == 0 {
		return h.Td(g.Text("–"))
	}
	return h.Td(scoreBar(s), h.Span(h.Class("num"),
		h.B(g.Textf("%d %%", s.Percent())),
		g.Textf(" %d/%d", s.Passed, s.Total),
		g.If(s.Percent() != s.AlikePercent(), g.Textf(" · alike %d %%", s.AlikePercent())),
	))
}

func classTable(reports []*Report) g.Node {
	classes := viewClasses(reports)
	if len(classes) == 0 {
		return nil
	}
	return g.Group{
		h.H2(g.Text("By kind of difference")),
		table("scenarios with", reports, g.Map(classes, func(c viewClass) g.Node { return row(string(c.Class), g.Map(c.Counts, countCell)) })),
	}
}

// countCell is the redder the more of the scenarios it counts.
func countCell(c viewCount) g.Node {
	class := "c"
	if c.Count == 0 {
		class = "c z"
	}
	return h.Td(h.Class(class), h.Style(fmt.Sprintf("background:color-mix(in srgb, var(--bad) calc(%d%% * .45), transparent)", c.Percent)), decimal(c.Count))
}

// tools choose what is shown of the scenarios.
func tools(reports []*Report) g.Node {
	targets := make(g.Group, len(reports))
	for i, r := range reports {
		targets[i] = option(strconv.Itoa(i), "at "+r.Target)
	}
	named := func(name string) g.Node { return h.Option(g.Text(name)) }
	return h.Div(h.Class("tools"),
		h.Input(h.ID("q"), h.Type("search"), h.Placeholder("Search names, titles, differences…"), h.Aria("label", "Search")),
		choice("d", "Protocol", "every protocol", g.Map(Dialects(), named)),
		choice("e", "Evidence", "any evidence", g.Map(evidenceRank(), named)),
		choice("f", "Outcome", "any outcome", g.Group{
			option(string(stateFailed), "says something else"),
			option(string(stateNear), "says the same in another form"),
			option(string(stateKnown), "known deviation"),
			option(string(statePassed), "to the letter"),
		}),
		choice("t", "Target", "at any target", targets),
		h.Span(h.ID("n")),
	)
}

func choice(id, label, unset string, options g.Node) g.Node {
	return h.Select(h.ID(id), h.Aria("label", label), option("", unset), options)
}

func option(value, text string) g.Node { return h.Option(h.Value(value), g.Text(text)) }

func scenarioNode(s viewScenario) g.Node {
	return g.Group{g.Raw("\n"), h.Details(h.Class("s"), h.Data("d", s.Dialect), h.Data("e", string(s.Evidence)), h.Data("f", s.States()),
		h.Summary(
			g.Map(s.Cells, func(c viewCell) g.Node { return square(c.State, h.Title(c.Target+": "+string(c.State))) }),
			h.Span(h.Class("t"), g.Text(s.Title)),
			h.Span(h.Class("tag"), g.Text(string(s.Evidence))),
			h.Code(g.Text(s.Name())),
		),
		provenance(s.Scenario),
		g.Map(s.Cells, cellNode),
	)}
}

func provenance(s *Scenario) g.Node {
	fact := func(name, text string) g.Node {
		return g.Group{h.Dt(g.Text(name)), h.Dd(g.Text(text))}
	}
	return h.Dl(
		fact("Source", s.Source),
		fact("Date", s.Date),
		g.Map(s.Notes, func(note string) g.Node { return fact("Note", note) }),
	)
}

// cellNode is what differs at a target, and nothing if nothing does.
func cellNode(c viewCell) g.Node {
	if len(c.Differences)+len(c.Deviations) == 0 {
		return nil
	}
	return g.Group{
		h.Div(h.Class("who"), square(c.State), g.Text(c.Target)),
		g.Map(c.Differences, differenceNode),
		g.If(c.More > 0, h.Div(h.Class("diff"), g.Textf("and %d more", c.More))),
		g.Map(c.Deviations, deviationNode),
	}
}

func differenceNode(d Difference) g.Node {
	return h.Div(h.Class("diff"),
		h.B(g.Text(string(d.Class))),
		g.If(d.Where != "", g.Text(" at "+d.Where)),
		g.Textf(" · line %d", d.Line),
		h.Pre(g.Textf("want  %s\ngot   %s", d.Want, d.Got)),
	)
}

func deviationNode(d Deviation) g.Node {
	return h.Div(h.Class("diff known"), h.B(g.Text(string(d.Class))), g.Text(" · known: "+d.Reason))
}
