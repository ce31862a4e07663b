package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/conformance/replay"
)

const provenance = "title: T\nsource: S\ndate: unknown\nevidence: derived\nbytes: exact\n\n"

func TestParseReadsExchangesAsTheyStand(t *testing.T) {
	text := provenance + `### setup: words
POST / HTTP/1.1
X-Amz-Target: AmazonSQS.CreateQueue

{"a":
"b"}

### advance 1m30s

### call
GET /queues?x=1 HTTP/1.1

HTTP/1.1 404 Not Found
Content-Type: text/xml;charset=utf-8

<?xml version="1.0" ?>
<Error/>

### cleanup
DELETE /queues/q HTTP/1.1
`
	s, err := replay.Parse("mns/ListQueue/case.http", text)
	if err != nil {
		t.Fatal(err)
	}
	want := []replay.Step{
		{Kind: replay.Setup, Words: "words", Line: 7, Request: &replay.Message{
			Method: "POST", Path: "/", Headers: []replay.Header{{Name: "X-Amz-Target", Value: "AmazonSQS.CreateQueue"}}, Body: "{\"a\":\n\"b\"}",
		}},
		{Kind: replay.Advance, Line: 14, Pass: 90 * time.Second},
		{Kind: replay.Call, Line: 16, Request: &replay.Message{Method: "GET", Path: "/queues?x=1"}, Response: &replay.Message{
			Status: 404, Headers: []replay.Header{{Name: "Content-Type", Value: "text/xml;charset=utf-8"}},
			Body: "<?xml version=\"1.0\" ?>\n<Error/>",
		}},
		{Kind: replay.Cleanup, Line: 25, Request: &replay.Message{Method: "DELETE", Path: "/queues/q"}},
	}
	if diff := cmp.Diff(want, s.Steps); diff != "" {
		t.Errorf("Parse(…).Steps differ (-want +got):\n%s", diff)
	}
	if s.Name() != "mns/ListQueue/case" || !s.Exact || s.Evidence != replay.Derived {
		t.Errorf("Parse(…) = %+v, want mns/ListQueue/case, exact and derived", s)
	}
}

func TestParseRefusesWhatCannotBeReplayed(t *testing.T) {
	const name = "mns/ListQueue/case.http"
	const call = "### call\nGET / HTTP/1.1\n\nHTTP/1.1 200\n"
	for _, tt := range []struct{ about, name, text, want string }{
		{"no such dialect", "kafka/X/y.http", provenance + call, `no dialect "kafka"`},
		{"not in a folder", "case.http", provenance + call, "dialect/operation/case.http"},
		{"no source", name, "title: T\ndate: d\nevidence: derived\nbytes: exact\n\n" + call, "no source"},
		{"a guess as evidence", name, strings.Replace(provenance, "derived", "guessed", 1) + call, `evidence is "guessed"`},
		{"unknown bytes", name, strings.Replace(provenance, "exact", "some", 1) + call, `bytes is "some"`},
		{"an unknown key", name, "colour: red\n" + provenance + call, `no "colour"`},
		{"no call", name, provenance + "### setup\nGET / HTTP/1.1\n", "no call"},
		{"a call without an answer", name, provenance + "### call\nGET / HTTP/1.1\n", "without an answer"},
		{"a step without a request", name, provenance + "### call\n", "without a request"},
		{"an unknown step", name, provenance + "### wait\nGET / HTTP/1.1\n", `cannot be "wait"`},
		{"time going back", name, provenance + "### advance -1s\n" + call, "no time to pass"},
		{"no request line", name, provenance + "### call\nGET /\n", "not a request line"},
		{"no header", name, provenance + "### call\nGET / HTTP/1.1\n<a/>\n", "not a header"},
		{"no status", name, provenance + "### call\nGET / HTTP/1.1\n\nHTTP/1.1 OK\n", "not a status line"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			_, err := replay.Parse(tt.name, tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%q) = %v, want an error about %q", tt.text, err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.http")
	if err != nil || len(files) == 0 {
		f.Fatalf("Glob(testdata) = %q, %v", files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := replay.Parse("cross/X/fuzz.http", text)
		if err == nil && len(s.Steps) == 0 {
			t.Errorf("Parse(%q) gave no steps and no error", text)
		}
	})
}
