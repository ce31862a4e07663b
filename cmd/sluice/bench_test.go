package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// benchOutput runs bench to its end.
func benchOutput(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := program(t, append([]string{"bench", "--runs=1", "--warmup=0s", "--count=20", "--concurrency=2"}, args...)...)
	// A configuration for servers must not reach those that are measured.
	c.Env = append(c.Env, "SLUICE_CONFIG=/nowhere/sluice.yaml", "TMPDIR="+t.TempDir())
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("bench %v: %v\n%s", args, err, &stderr)
	}
	return stdout.String()
}

func TestBenchMeasuresAServerOfItsOwn(t *testing.T) {
	var doc struct {
		Cells []struct {
			Mode     string
			Messages int
			Refused  int
			Ratio    *float64
			Cost     *struct{}
		}
	}
	out := benchOutput(t, "--json", "--protocol=all", "--workload=cycle", "--data=temp", "--sync=always")
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, out)
	}
	if len(doc.Cells) != 3 {
		t.Fatalf("%d cells, want one for each protocol", len(doc.Cells))
	}
	for _, c := range doc.Cells {
		if c.Mode != "always" || c.Messages != 20 || c.Refused != 0 || c.Ratio == nil || (c.Cost != nil) != (runtime.GOOS == "linux") {
			t.Errorf("cell is %+v, want 20 messages in mode always with a ratio", c)
		}
	}
}

func TestBenchParksPollsBesideWakeUps(t *testing.T) {
	var doc struct {
		Cells []struct {
			Messages, Refused int
			Parked            *struct{}
		}
	}
	out := benchOutput(t, "--json", "--workload=longpoll", "--parked=50", "--duration=100ms", "--bare=false")
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Cells) != 1 {
		t.Fatalf("not a cell: %v\n%s", err, out)
	}
	if c := doc.Cells[0]; c.Messages == 0 || c.Refused != 0 || (c.Parked != nil) != (runtime.GOOS == "linux") {
		t.Errorf("cell is %+v, want messages and what a parked poll takes", c)
	}
}

func TestBenchMeasuresATarget(t *testing.T) {
	p := start(t, "--data=memory")
	out := benchOutput(t, "--target", p.url, "--workload=send,drain", "--depth=30", "--bare=false")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || strings.Count(out, "target") != 2 {
		t.Errorf("table is\n%s\nwant two lines below the header", out)
	}
	resp, err := http.Get(p.url + "/health")
	if err != nil {
		t.Fatalf("the target was ended: %v", err)
	}
	resp.Body.Close()
}

func TestBenchWritesProfiles(t *testing.T) {
	dir := t.TempDir()
	cpu, mem := filepath.Join(dir, "cpu"), filepath.Join(dir, "mem")
	benchOutput(t, "--cpuprofile", cpu, "--memprofile", mem)
	for _, file := range []string{cpu, mem} {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("profile %s: %v, %v", file, info, err)
		}
	}
}

func TestBenchTellsWrongFlagsInOneLine(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"protocol", []string{"--protocol=amqp"}, `protocol is "amqp", want all, sqs-json`},
		{"workload", []string{"--workload=none"}, `workload is "none", want all, send`},
		{"data", []string{"--data=/tmp"}, `data is "/tmp", want memory or temp`},
		{"duration", []string{"--duration=1h"}, "duration is 1h0m0s, want up to 10m0s"},
		{"runs", []string{"--runs=0"}, "runs is 0, want 1 to 99"},
		{"table of a target", []string{"--table", "--target=http://127.0.0.1:1"}, "take no target"},
		{"sizes of a target", []string{"--sizes", "--target=http://127.0.0.1:1"}, "table, flat and sizes start servers of their own"},
		{"parked", []string{"--workload=longpoll", "--parked=10001", "--bare=false"}, "parked is 10001, want 0 to 10000"},
		{"deepest", []string{"--sizes", "--max-depth=0", "--bare=false"}, "max-depth is 0, want 1 to"},
		{"no target", []string{"--target=http://127.0.0.1:1", "--bare=false"}, "cannot reach 127.0.0.1:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := fails(t, append([]string{"bench"}, tt.args...)...); !strings.Contains(got, tt.want) {
				t.Errorf("bench %v says %q, want %q", tt.args, got, tt.want)
			}
		})
	}
}
