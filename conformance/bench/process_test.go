package bench

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asChild makes the test binary a child that behaves as its value says.
const asChild = "BENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(asChild) {
	case "":
		os.Exit(m.Run())
	case "ready":
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM)
		fmt.Println("Ready. Listening on http://127.0.0.1:1234")
		<-ended
	case "ready, no handler":
		fmt.Println("Ready. Listening on http://127.0.0.1:1234")
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
	case "odd":
		fmt.Println("hello")
	case "broken":
		os.Exit(3)
	}
}

func TestChildIsStartedAndStopped(t *testing.T) {
	for _, tt := range []struct{ child, url, want string }{
		{"ready", "http://127.0.0.1:1234", ""},
		{"ready, no handler", "http://127.0.0.1:1234", ""},
		{"odd", "", `does not say where it listens but "hello"`},
		{"broken", "", "exit status 3"},
	} {
		t.Run(tt.child, func(t *testing.T) {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), asChild+"="+tt.child, "GORACE=atexit_sleep_ms=0")
			in, err := c.StdinPipe() // held open for the child that reads it
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			e, stop, err := StartChild(t.Context(), c)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("StartChild() = %v, want %q", err, tt.want)
				}
				return
			}
			if err != nil || e.URL != tt.url || e.PID != c.Process.Pid {
				t.Fatalf("StartChild() = %v, %v, want %s and its process", e, err, tt.url)
			}
			if err := stop(); err != nil {
				t.Errorf("stop() = %v", err)
			}
		})
	}
}

func TestChildThatCannotStartIsTold(t *testing.T) {
	if _, _, err := StartChild(t.Context(), exec.Command("/nowhere/sluice")); err == nil || !strings.Contains(err.Error(), "cannot start /nowhere/sluice") {
		t.Errorf("StartChild() = %v", err)
	}
}

func TestUsageIsReadFromProc(t *testing.T) {
	// The name of a process may look like what follows it.
	stat := "42 (a) R 1 (b c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 9 0 1 2 3"
	if cpu, ok := cpuOf([]byte(stat)); !ok || cpu != 2*time.Second {
		t.Errorf("cpuOf() = %v, %v, want 2s", cpu, ok)
	}
	for _, broken := range []string{"", "1 (x) S", "1 (x) S 1 2 3 4 5 6 7 8 9 10 a b"} {
		if _, ok := cpuOf([]byte(broken)); ok {
			t.Errorf("cpuOf(%q) is known", broken)
		}
	}
	rss, anonymous := memoryOf([]byte("Name:\tx\nVmRSS:\t    2048 kB\nRssAnon:\t    1024 kB\nThreads:\t3\n"))
	if rss != 2<<20 || anonymous != 1<<20 {
		t.Errorf("memoryOf() = %d, %d, want 2 MiB, 1 MiB", rss, anonymous)
	}
}

func TestOwnUsageIsKnownOnLinuxOnly(t *testing.T) {
	u, known := usageOf(os.Getpid())
	if known != (runtime.GOOS == "linux") || known && u.rss == 0 {
		t.Errorf("usageOf() = %+v, %v", u, known)
	}
	if _, known := usageOf(0); known {
		t.Error("usageOf(0) is known")
	}
}

func TestCostIsADifference(t *testing.T) {
	got := costOf(usage{cpu: time.Second}, usage{cpu: 3 * time.Second, rss: 8 << 20, anonymous: 2 << 20}, 1000)
	if *got != (Cost{CPU: 2000, RSS: 8, Anonymous: 2}) {
		t.Errorf("costOf() = %+v, want 2000 µs, 8 and 2 MiB", *got)
	}
	if none := costOf(usage{}, usage{cpu: time.Second}, 0); none.CPU != 0 {
		t.Errorf("costOf() without requests = %v, want 0", none.CPU)
	}
}

func TestDataIsMadeAndRemoved(t *testing.T) {
	if data, _, remove, err := Data(Memory); data != "memory" || err != nil || remove() != nil {
		t.Errorf("Data(memory) = %q, %v", data, err)
	}
	dir, sync, remove, err := Data(Always)
	if err != nil || sync != "always" {
		t.Fatalf("Data(always) = %q, %q, %v", dir, sync, err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is left", dir)
	}
}

func TestBareAnswersWithALength(t *testing.T) {
	w := recorded(t, "/")
	if w.StatusCode != http.StatusOK || w.ContentLength != int64(len(small)) {
		t.Errorf("answer has status %d and length %d, want 200, %d", w.StatusCode, w.ContentLength, len(small))
	}
	if w := recorded(t, largePath); w.ContentLength != int64(len(large)) {
		t.Errorf("large answer has length %d, want %d", w.ContentLength, len(large))
	}
}

func recorded(t *testing.T, path string) *http.Response {
	t.Helper()
	s := httptest.NewServer(Bare())
	t.Cleanup(s.Close)
	resp, err := http.Post(s.URL+path, "", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}
