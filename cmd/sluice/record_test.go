package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecordWritesWhatWentByUntilInterrupted(t *testing.T) {
	upstream := start(t, "--data=memory")
	dir := t.TempDir()
	ctx, interrupt := context.WithCancel(t.Context())
	out := make(lineWriter, 1)
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"record", "--upstream", upstream.url, "--listen=127.0.0.1:0", "--out", dir}, out, &bytes.Buffer{})
	}()
	line := <-out
	url := strings.TrimSpace(line[strings.LastIndexByte(line, ' '):])
	resp, err := http.Get(url + "/?Action=ListQueues&AWSAccessKeyId=AKIASECRETSECRET1234")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	interrupt()
	if err := <-done; err != nil {
		t.Errorf("record = %v, want nil after an interrupt", err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "sqs-query/Session/*.http"))
	if len(files) != 1 {
		t.Fatalf("%d recordings, want 1", len(files))
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "GET /?Action=ListQueues") || strings.Contains(string(text), "SECRET") {
		t.Errorf("recording is\n%s\nwant the request without its key", text)
	}
}

// lineWriter hands on what is written to it.
type lineWriter chan string

func (w lineWriter) Write(b []byte) (int, error) {
	w <- string(b)
	return len(b), nil
}

func TestRecordConvertsArchives(t *testing.T) {
	const testdata = "../../conformance/record/testdata/"
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--har", testdata + "browser.har"}, "mns/Session/browser.har.http"},
		{[]string{"--cassette", testdata + "go-vcr-v1.yaml"}, "sqs-query/Session/go-vcr-v1.yaml.http"},
		{[]string{"--cassette", testdata + "go-vcr-v4.yaml"}, "sqs-json/Session/go-vcr-v4.yaml.http"},
	} {
		dir := t.TempDir()
		var out bytes.Buffer
		if err := run(t.Context(), append([]string{"record", "--out", dir}, tt.args...), &out, &out); err != nil {
			t.Errorf("record %q = %v", tt.args, err)
		}
		if _, err := os.Stat(filepath.Join(dir, tt.want)); err != nil || !strings.Contains(out.String(), tt.want) {
			t.Errorf("record %q printed %q, %v, want %s", tt.args, &out, err, tt.want)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.har")
	if err := os.WriteFile(empty, []byte(`{"log":{"entries":[]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"record", "--har", empty}, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
		t.Error("record --har of nothing = nil, want an error")
	}
}

func TestRecordNeedsASource(t *testing.T) {
	for _, args := range [][]string{{"record"}, {"record", "--upstream=nowhere"}, {"record", "--har=/nowhere.har"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
			t.Errorf("run(%q) = nil, want an error", args)
		}
	}
}
