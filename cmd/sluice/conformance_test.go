package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rightAndWrong are two recordings: one that this server meets, and one that it does not.
var rightAndWrong = map[string]string{
	"sqs-json/GetQueueUrl/right.http": "QueueDoesNotExist",
	"sqs-json/GetQueueUrl/wrong.http": "QueueMissing",
}

func recordings(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, kind := range rightAndWrong {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		text := `title: ` + name + `
source: made for this test
date: unknown
evidence: derived
bytes: exact

### call
POST / HTTP/1.1
X-Amz-Target: AmazonSQS.GetQueueUrl

{"QueueName":"{{unique:q}}"}

HTTP/1.1 400

{"__type":"com.amazonaws.sqs#` + kind + `","message":"The specified queue does not exist."}
`
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// replayed runs conformance run over the two recordings.
func replayed(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	err = run(t.Context(), append([]string{"conformance", "run", "--recordings", recordings(t)}, args...), &out, &errOut)
	if errOut.Len() > 0 {
		t.Errorf("conformance run %q wrote %q to its error output, which is no terminal", args, &errOut)
	}
	return out.String(), err
}

func TestConformanceFailsWhenSomethingDiffers(t *testing.T) {
	p := start(t, "--data=memory")
	for _, tt := range []struct {
		name string
		args []string
		want string // of the error; empty: none
	}{
		{"all", nil, "1 of 2 scenarios differ"},
		{"only what is right", []string{"--filter=right"}, ""},
		{"only what is wrong", []string{"--filter=wrong"}, "1 of 1 scenarios differ"},
		{"forgiven", []string{"--forgive=error-code"}, ""},
		{"a server", []string{"--target", p.url, "--filter=right"}, ""},
		{"two servers", []string{"--target=sluice", "--target=served=" + p.url}, "2 of 4 scenarios differ"},
		{"restarted", []string{"--restart", "--filter=right"}, ""},
		{"on disk", []string{"--data=temp", "--filter=right"}, ""},
		{"nothing to do", []string{"--provider=mns"}, `no scenario of mns contains ""`},
		{"nothing by that name", []string{"--filter=nothing"}, `no scenario of any protocol contains "nothing"`},
		{"no recordings", []string{"--recordings=/nowhere"}, "/nowhere: no such file"},
		{"no such protocol", []string{"--provider=kafka"}, `provider is "kafka"`},
		{"no such report", []string{"--report=pdf"}, `report is "pdf"`},
		{"no such class", []string{"--forgive=colour"}, `no class "colour"`},
		{"no server", []string{"--target=localhost"}, `target is "localhost"`},
		{"two protocols", []string{"--provider=sqs-json,mns", "--filter=right"}, ""},
		{"on disk, synced", []string{"--data=temp", "--sync=always", "--filter=right"}, ""},
		{"no such sync", []string{"--sync=never"}, `sync is "never"`},
		{"a key without its secret", []string{"--access-key-id=key"}, "belong together"},
		{"no time", []string{"--timeout=0s"}, "timeout is 0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := replayed(t, tt.args...)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("conformance run %q = %v, want %q\n%s", tt.args, err, tt.want, out)
			}
		})
	}
}

func TestConformanceListedDeviationsDoNotFail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deviations.txt")
	if err := os.WriteFile(file, []byte("sqs-json/GetQueueUrl/wrong error-code -- it is made so\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := replayed(t, "--deviations", file, "--report=json")
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]float64{"total": 2, "passed": 1, "failed": 0, "deviations": 1} {
		if got[key] != want {
			t.Errorf("%s = %v, want %v", key, got[key], want)
		}
	}
}

func TestConformanceWritesEveryReportToAFile(t *testing.T) {
	for form, begin := range map[string]string{"text": "PROVIDER", "json": "{", "junit": "<?xml", "html": "<!doctype html>"} {
		file := filepath.Join(t.TempDir(), "report")
		out, err := replayed(t, "--filter=right", "--report", form, "--out", file)
		if err != nil || out != "" {
			t.Errorf("conformance run --report %s printed %q, %v, want nothing", form, out, err)
		}
		got, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(got), begin) {
			t.Errorf("report %s = %.60q, %v, want it to begin with %q", form, got, err, begin)
		}
	}
}

func TestConformanceListsTheCorpus(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"conformance", "list"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	// A corpus that is missing from the program would pass every run.
	const fewest = 400
	if n := strings.Count(out.String(), "\n"); n < fewest {
		t.Errorf("conformance list has %d lines, want at least %d", n, fewest)
	}
}

// Over the network and in real time, where every signature counts. The rest of the corpus runs in package replay.
func TestConformanceSignsForServersThatVerify(t *testing.T) {
	const keys = "auth: verify\ncredentials:\n  - {id: one, secret: of-one, session-token: token/of+one}\n  - {id: two, secret: of-two}\n"
	p := start(t, "--data=memory", "--strict", "--config", writeConfig(t, keys))
	run := func(args ...string) error {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"conformance", "run", "--target", p.url, "--max-wait=1s", "--filter=/Protocol/"}, args...), &out, &bytes.Buffer{})
		if err != nil {
			return fmt.Errorf("%w\n%s", err, &out)
		}
		return nil
	}
	if err := run(); err == nil {
		t.Error("conformance run without a key = nil, want differences")
	}
	if err := run("--access-key-id=two", "--secret-access-key=of-two", "--verifies"); err != nil {
		t.Errorf("conformance run with a key = %v, want nil", err)
	}
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "one", "AWS_SECRET_ACCESS_KEY": "of-one", "AWS_SESSION_TOKEN": "token/of+one",
		"ALIBABA_CLOUD_ACCESS_KEY_ID": "two", "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "of-two",
	} {
		t.Setenv(name, value)
	}
	if err := run("--verifies"); err != nil {
		t.Errorf("conformance run with keys in the environment = %v, want nil", err)
	}
}

func TestProgressIsALineThatIsDrawnOver(t *testing.T) {
	var out bytes.Buffer
	for done := range 3 {
		progress(&out, "x", done, 2, 1)
	}
	if got := out.String(); strings.Contains(got, "\n") || !strings.Contains(got, "x [===============               ] 1/2, 1 differ") || strings.Count(got, "\r") != 3 {
		t.Errorf("progress(…) = %q, want one line that is drawn over", got)
	}
}

func TestConformanceSaysOnceThatNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := replayed(t, "--target", "gone="+url)
	if want := "cannot reach " + url + ": connection refused"; err == nil || err.Error() != want || out != "" {
		t.Errorf("conformance run = %v, %q, want %q and no report", err, out, want)
	}
}
