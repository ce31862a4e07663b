package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/replay"
)

func TestDeviationsAreARatchet(t *testing.T) {
	wrong := lying(swap(`"Body":"hello"`, `"Body":"hallo"`))
	right := replay.Own()
	const line = "sqs-json/ReceiveMessage/hidden-until-timeout "
	for _, tt := range []struct {
		name, listed string
		target       replay.Target
		want         replay.Score
		classes      []replay.Class
	}{
		{"not listed", "", wrong, replay.Score{Total: 1, Failed: 1}, []replay.Class{replay.Value, replay.Value}},
		{"listed", line + "value-changed -- it is so", wrong, replay.Score{Total: 1, Deviations: 1, Alike: 1}, nil},
		{"listed as another", line + "layout -- it is so", wrong, replay.Score{Total: 1, Failed: 1}, []replay.Class{replay.Value, replay.Value, replay.Stale}},
		{"gone", line + "value-changed -- it is so", right, replay.Score{Total: 1, Failed: 1}, []replay.Class{replay.Stale}},
		{"of a scenario that does not run", "mns/X/y layout -- it is so", right, replay.Score{Total: 1, Passed: 1, Alike: 1}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			listed, err := replay.ParseDeviations("# words\n\n" + tt.listed + "\n")
			if err != nil {
				t.Fatal(err)
			}
			s := &replay.Suite{Scenarios: []*replay.Scenario{recording(t, hiddenMessage)}, Deviations: listed}
			report, err := s.Run(t.Context(), tt.target)
			if err != nil {
				t.Fatal(err)
			}
			var classes []replay.Class
			for _, d := range report.Results[0].Differences {
				classes = append(classes, d.Class)
			}
			if got := report.Score(); got != tt.want || !slices.Equal(classes, tt.classes) {
				t.Errorf("Run() = %+v with %q, want %+v with %q", got, classes, tt.want, tt.classes)
			}
		})
	}
}

func TestDeviationsNeedAReason(t *testing.T) {
	for _, line := range []string{"mns/X/y layout", "mns/X/y layout -- ", "mns/X/y -- why", "mns/X/y colour -- why"} {
		if got, err := replay.ParseDeviations(line); err == nil {
			t.Errorf("ParseDeviations(%q) = %v, want an error", line, got)
		}
	}
}

func TestReplayOverHTTPAsInMemory(t *testing.T) {
	s, err := sluice.Open(sluice.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	target, err := replay.Remote("served", srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	suite := &replay.Suite{Scenarios: []*replay.Scenario{recording(t, noQueue), recording(t, sendQuery), recording(t, renewedHandle)}}
	report, err := suite.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		for _, d := range r.Differences {
			t.Errorf("%s: %s", r.Scenario.Name(), d.String())
		}
	}
}

func TestServerThatIsNotThereIsADifference(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	target, err := replay.Remote("gone", srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	suite := &replay.Suite{Scenarios: []*replay.Scenario{recording(t, noQueue)}}
	report, err := suite.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if d := report.Results[0].Differences; len(d) != 1 || d[0].Class != replay.Transport {
		t.Errorf("Run(a closed server) = %v, want one difference of class transport", d)
	}
}

func TestRemoteWantsAServer(t *testing.T) {
	for _, address := range []string{"", "localhost:9324", "ftp://localhost", "http://localhost/path", "http://\x7f"} {
		if _, err := replay.Remote("x", address); err == nil {
			t.Errorf("Remote(%q) = nil, want an error", address)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	suite := &replay.Suite{Scenarios: []*replay.Scenario{recording(t, noQueue)}}
	if _, err := suite.Run(ctx, replay.Own()); !errors.Is(err, context.Canceled) {
		t.Errorf("Run(ended) = %v, want context.Canceled", err)
	}
}

// twoReports are of a server that is right and of one that is not.
func twoReports(t *testing.T) []*replay.Report {
	t.Helper()
	suite := &replay.Suite{Scenarios: []*replay.Scenario{recording(t, noQueue), recording(t, sendQuery)}}
	var reports []*replay.Report
	for _, target := range []replay.Target{replay.Own(), lying(swap("does not exist.", "<is> not there."))} {
		r, err := suite.Run(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	return reports
}

func TestTextReportShowsTargetsSideBySide(t *testing.T) {
	var out bytes.Buffer
	if err := replay.WriteText(&out, twoReports(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"lying: sqs-json/GetQueueUrl/no-queue-json (derived): A queue that does not exist",
		"error-text at message",
		"Amazon SQS  ██████████ 100 %  2/2  █████░░░░░  50 %  1/2",
		"sluice: 2 scenarios in", "2 passed, 0 failed", "1 passed, 1 failed",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("WriteText(…) = %s\nwant it to contain %q", out.String(), want)
		}
	}
}

func TestJSONReportBeginsWithTheNumbers(t *testing.T) {
	var out bytes.Buffer
	if err := replay.WriteJSON(&out, twoReports(t)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Total, Passed, Failed, Deviations *int
		Others                            []struct{ Failed int }
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]*int{"total": got.Total, "passed": got.Passed} {
		if n == nil || *n != 2 {
			t.Errorf("%s = %v, want 2", name, n)
		}
	}
	if got.Failed == nil || *got.Failed != 0 || got.Deviations == nil || len(got.Others) != 1 || got.Others[0].Failed != 1 {
		t.Errorf("WriteJSON(…) = %s, want no failure in the first and one in the second target", out.String())
	}
}

func TestReportsNameWhatWasLeftOut(t *testing.T) {
	suite := &replay.Suite{Scenarios: []*replay.Scenario{recording(t, noQueue), recording(t, hiddenMessage)}, MaxWait: time.Second}
	report, err := suite.Run(t.Context(), remote(t, served(t)))
	if err != nil {
		t.Fatal(err)
	}
	var text, machine, page bytes.Buffer
	if err := errors.Join(replay.WriteText(&text, []*replay.Report{report}), replay.WriteJSON(&machine, []*replay.Report{report}), replay.WriteHTML(&page, []*replay.Report{report})); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Total   int
		LeftOut []string `json:"left_out"`
	}
	if err := json.Unmarshal(machine.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if name := strings.TrimSuffix(hiddenMessage, ".http"); got.Total != 1 || !slices.Equal(got.LeftOut, []string{name}) {
		t.Errorf("WriteJSON(…) has %+v, want one scenario and %s left out", got, name)
	}
	if !strings.Contains(text.String(), "1 scenarios left out") || !strings.Contains(page.String(), "1 left out") {
		t.Errorf("WriteText(…) = %s\nwant it to say that one was left out, and the page as well", &text)
	}
}

func TestJUnitReportHasACaseForEachScenario(t *testing.T) {
	var out bytes.Buffer
	if err := replay.WriteJUnit(&out, twoReports(t)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Failure *struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 4 || got.Failures != 1 || got.Suites[1].Cases[0].Failure.Type != "error-text" {
		t.Errorf("WriteJUnit(…) = %s, want 4 tests and a failure of type error-text", out.String())
	}
}

func TestHTMLReportStandsAlone(t *testing.T) {
	var out bytes.Buffer
	if err := replay.WriteHTML(&out, twoReports(t)); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{"sluice", "lying", "error-text", "A queue that does not exist", "&lt;is&gt; not there"} {
		if !strings.Contains(page, want) {
			t.Errorf("WriteHTML(…) does not contain %q", want)
		}
	}
	for _, never := range []string{`src="`, `href="`, "url(", "<is>"} {
		if strings.Contains(page, never) {
			t.Errorf("WriteHTML(…) contains %q, want a page that needs nothing else", never)
		}
	}
}

// hostile is what an answer may be full of; shown is how the page has to spell it.
const (
	hostile = "</pre></title></script><img src=x onerror='alert(1)'>&amp;\" \x00 \xff."
	shown   = "&lt;/pre&gt;&lt;/title&gt;&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;amp;&#34; \uFFFD \uFFFD."
)

// saying is a report that has text wherever somebody else's words come in.
func saying(text string) *replay.Report {
	s := &replay.Scenario{Dialect: replay.MNS, Operation: "X", Case: text, Title: text, Source: text, Date: text, Evidence: replay.Derived, Notes: []string{text}}
	return &replay.Report{Target: text, Results: []replay.Result{{
		Scenario:    s,
		Differences: slices.Repeat([]replay.Difference{{Class: replay.Text, Where: text, Want: text, Got: text}}, 8),
		Deviations:  []replay.Deviation{{Scenario: s.Name(), Class: replay.Layout, Reason: text}},
	}}}
}

func TestHTMLReportShowsHostileTextAsText(t *testing.T) {
	var harmless, got bytes.Buffer
	if err := errors.Join(replay.WriteHTML(&harmless, []*replay.Report{saying("@@")}), replay.WriteHTML(&got, []*replay.Report{saying(hostile)})); err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(harmless.String(), "@@", shown); got.String() != want {
		t.Errorf("WriteHTML(…) differs with hostile text in more than that text: %s", cmp.Diff(want, got.String()))
	}
	if n := strings.Count(harmless.String(), "@@"); n < 30 { // six differences have 18 of them
		t.Errorf("WriteHTML(…) shows the text %d times, want it wherever it was", n)
	}
	if !strings.Contains(harmless.String(), "and 2 more") {
		t.Error("WriteHTML(…) does not say that of 8 differences 2 are not shown")
	}
}
