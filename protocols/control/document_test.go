package control

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
)

// TestDocumentHasThePathsThatAreServed holds openapi.json against the table of paths, in both directions.
func TestDocumentHasThePathsThatAreServed(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Parameters  []struct {
				Name string `json:"name"`
				In   string `json:"in"`
			} `json:"parameters"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	var described []string
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
			if ids[op.OperationID] || op.OperationID == "" {
				t.Errorf("%s %s: operationId %q is missing or there twice", method, path, op.OperationID)
			}
			ids[op.OperationID] = true
			var named []string
			for _, p := range op.Parameters {
				if p.In == "path" {
					named = append(named, "{"+p.Name+"}")
				}
			}
			for _, part := range strings.Split(path, "/") {
				if strings.HasPrefix(part, "{") && !slices.Contains(named, part) {
					t.Errorf("%s %s: %s is no parameter", method, path, part)
				}
			}
		}
	}
	served := []string{"GET /", "GET /{file}"} // of the page
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		served = append(served, method+" /api/v1/faults", method+" /api/v1/faults/{fault}") // of package faults
	}
	served = append(served, "PATCH /api/v1/faults/{fault}")
	for _, r := range routes() {
		served = append(served, r.method+" "+r.path)
	}
	slices.Sort(described)
	slices.Sort(served)
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("paths (-served +described):\n%s", diff)
	}
}

func TestTablesHaveARowForEachValue(t *testing.T) {
	for _, kind := range core.Kinds() {
		if f := faults[kind]; f.status == 0 || f.code == "" || !strings.HasSuffix(f.message, ".") {
			t.Errorf("faults[%d] = %+v, want a row", kind, f)
		}
	}
	for r := core.Deliverable; r <= core.TenantAtLimit; r++ {
		if reasons[r] == "" || sentence(&core.Explanation{Reason: r, DeadLetter: &core.QueueKey{}}) == "" {
			t.Errorf("reasons[%d] = %q, want a row and a sentence", r, reasons[r])
		}
	}
}

func TestReadIDTakesEveryForm(t *testing.T) {
	for _, text := range []string{"9f2c3a0b4d5e4f60817293a4b5c6d7e8", "9F2C3A0B4D5E4F60817293A4B5C6D7E8", "9f2c3a0b-4d5e-4f60-8172-93a4b5c6d7e8"} {
		if id, err := readID(text); err != nil || id.String() != "9f2c3a0b4d5e4f60817293a4b5c6d7e8" {
			t.Errorf("readID(%q) = %v, %v", text, id, err)
		}
	}
	for _, text := range []string{"", "9f", "zf2c3a0b4d5e4f60817293a4b5c6d7e8"} {
		if id, err := readID(text); err == nil {
			t.Errorf("readID(%q) = %v, want an error", text, id)
		}
	}
}

func TestTraceIDOf(t *testing.T) {
	for _, tt := range []struct {
		trace core.Trace
		want  string
	}{
		{core.Trace{Parent: "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, "0af7651916cd43dd8448eb211c80319c"},
		{core.Trace{XRay: "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1"}, "5759e988bd862e3fe1be46a994272793"},
		{core.Trace{Parent: "00-x-y-01", XRay: "Sampled=1"}, ""},
		{core.Trace{}, ""},
	} {
		if got := traceIDOf(tt.trace); got != tt.want {
			t.Errorf("traceIDOf(%+v) = %q, want %q", tt.trace, got, tt.want)
		}
	}
}

func FuzzReadID(f *testing.F) {
	f.Add("9f2c3a0b-4d5e-4f60-8172-93a4b5c6d7e8")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = readID(text) })
}

func FuzzQueueURL(f *testing.F) {
	for _, s := range []string{"http://localhost:4566/000000000000/q", "http://us-east-2.queue.localhost:4566/1/q", "q", "://", "/queue/r/a/q"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) { (&aliasRequest{url: text}).readURL() })
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte(`{"delaySeconds":1,"deadLetter":{"account":"1","region":"r","name":"q","maxReceives":2},"tags":{"a":null}}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		var in settingsPatch
		if json.Unmarshal(body, &in, json.RejectUnknownMembers(true)) == nil {
			_, _ = in.patch()
		}
	})
}
