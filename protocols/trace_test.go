package protocols_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

const (
	parent = "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01"
	xray   = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
)

func TestTraceParentsAreToldFromOtherTexts(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"usual", parent, true},
		{"not sampled", strings.TrimSuffix(parent, "1") + "0", true},
		{"later version", "01" + parent[2:] + "-more", true},
		{"empty", "", false},
		{"more than the version has", parent + "-more", false},
		{"later version, other separator", "01" + parent[2:] + "+more", false},
		{"later version, endless", "01" + parent[2:] + "-" + strings.Repeat("a", 100), false},
		{"forbidden version", "ff" + parent[2:], false},
		{"upper case", strings.ToUpper(parent), false},
		{"trace of zeros", "00-" + strings.Repeat("0", 32) + "-53995c3f42cd8ad8-01", false},
		{"parent of zeros", "00-5759e988bd862e3fe1be46a994272793-0000000000000000-01", false},
		{"other separator", strings.Replace(parent, "-", "_", 1), false},
		{"short", parent[:54], false},
		{"no digits", "00-" + strings.Repeat("x", 32) + "-53995c3f42cd8ad8-01", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := protocols.IsParent(tt.text); got != tt.want {
				t.Errorf("IsParent(%q) = %v, want %v", tt.text, got, tt.want)
			}
		})
	}
}

func TestTracesChangeTheirForm(t *testing.T) {
	if got := protocols.XRayOf(parent); got != xray {
		t.Errorf("XRayOf(%q) = %q, want %q", parent, got, xray)
	}
	if got := protocols.XRayOf("nothing"); got != "" {
		t.Errorf("XRayOf(nothing) = %q, want none", got)
	}
	unsampled := strings.TrimSuffix(parent, "1") + "0"
	for _, tt := range []struct{ name, xray, want string }{
		{"usual", xray, parent},
		{"other order, spaces, more fields", "Self=1-x; Sampled=1 ;Parent=53995c3f42cd8ad8; Lineage=a:0;Root=1-5759e988-bd862e3fe1be46a994272793", parent},
		{"upper case", "Root=1-5759E988-BD862E3FE1BE46A994272793;Parent=53995C3F42CD8AD8;Sampled=1", parent},
		{"undecided", "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=?", unsampled},
		{"without decision", "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8", unsampled},
		{"without parent", "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1", ""},
		{"other version", "Root=2-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8", ""},
		{"no digits", "Root=1-xxxxxxxx-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8", ""},
		{"empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := protocols.ParentOf(tt.xray); got != tt.want {
				t.Errorf("ParentOf(%q) = %q, want %q", tt.xray, got, tt.want)
			}
		})
	}
}

func TestHeadersOfARequestNameItsTrace(t *testing.T) {
	for _, tt := range []struct {
		name    string
		headers map[string]string
		want    core.Trace
	}{
		{"none", nil, core.Trace{}},
		{"W3C", map[string]string{"Traceparent": parent, "Tracestate": "a=b", "Baggage": "c=d"}, core.Trace{Parent: parent, State: "a=b", Baggage: "c=d"}},
		{"X-Ray", map[string]string{"X-Amzn-Trace-Id": xray, "Tracestate": "a=b"}, core.Trace{Parent: parent}},
		{"both", map[string]string{"Traceparent": strings.Replace(parent, "5759", "6000", 1), "X-Amzn-Trace-Id": xray}, core.Trace{Parent: strings.Replace(parent, "5759", "6000", 1)}},
		{"invalid W3C", map[string]string{"Traceparent": "x", "X-Amzn-Trace-Id": xray}, core.Trace{Parent: parent}},
		{"too long", map[string]string{"Traceparent": parent, "Tracestate": strings.Repeat("a", 2000), "Baggage": strings.Repeat("a", 9000)}, core.Trace{Parent: parent}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &http.Request{Header: http.Header{}}
			for name, value := range tt.headers {
				r.Header.Set(name, value)
			}
			if diff := cmp.Diff(tt.want, protocols.RequestTrace(r)); diff != "" {
				t.Errorf("RequestTrace(%v) (-want +got):\n%s", tt.headers, diff)
			}
		})
	}
}

func FuzzTraceForms(f *testing.F) {
	f.Add(parent)
	f.Add(xray)
	f.Add("Root=1-;Parent=;;=")
	f.Fuzz(func(t *testing.T, s string) {
		if made := protocols.XRayOf(s); made != "" && protocols.ParentOf(made)[:53] != "00"+s[2:53] {
			t.Errorf("ParentOf(XRayOf(%q)) = %q", s, protocols.ParentOf(made))
		}
		if made := protocols.ParentOf(s); made != "" && !protocols.IsParent(made) {
			t.Errorf("ParentOf(%q) = %q, which is none", s, made)
		}
	})
}
