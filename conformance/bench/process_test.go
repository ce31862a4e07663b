package bench

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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
	case "ready, admin":
		fmt.Print("Ready. Listening on http://127.0.0.1:1234\nAlso listening on https://127.0.0.1:1234\nAdmin on http://127.0.0.1:5678\n")
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
	case "odd":
		fmt.Println("hello")
	case "broken":
		os.Exit(3)
	}
}

func TestChildIsStartedAndStopped(t *testing.T) {
	for _, tt := range []struct{ child, url, admin, want string }{
		{"ready", "http://127.0.0.1:1234", "", ""},
		{"ready, no handler", "http://127.0.0.1:1234", "", ""},
		{"ready, admin", "http://127.0.0.1:1234", "http://127.0.0.1:5678", ""},
		{"odd", "", "", `does not say where it listens but "hello"`},
		{"broken", "", "", "exit status 3"},
	} {
		t.Run(tt.child, func(t *testing.T) {
			c := child(t, tt.child)
			s, err := StartChild(t.Context(), c)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("StartChild() = %v, want %q", err, tt.want)
				}
				return
			}
			if want := (Endpoint{URL: tt.url, Admin: tt.admin, PID: c.Process.Pid}); err != nil || s.Endpoint != want {
				t.Fatalf("StartChild() = %+v, %v, want %+v", s.Endpoint, err, want)
			}
			if err := s.Stop(); err != nil {
				t.Errorf("Stop() = %v", err)
			}
		})
	}
}

// child is the test binary as a child that has not been started.
func child(t *testing.T, behaviour string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asChild+"="+behaviour, "GORACE=atexit_sleep_ms=0")
	in, err := c.StdinPipe() // held open for the child that reads it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return c
}

func TestChildIsKilled(t *testing.T) {
	c := child(t, "ready") // it would end in order, were it asked to
	s, err := StartChild(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(); err != nil || c.ProcessState == nil || c.ProcessState.Success() {
		t.Errorf("Kill() = %v, the child ended with %v, want that it was killed", err, c.ProcessState)
	}
}

func TestChildThatCannotStartIsTold(t *testing.T) {
	if _, err := StartChild(t.Context(), exec.Command("/nowhere/sluice")); err == nil || !strings.Contains(err.Error(), "cannot start /nowhere/sluice") {
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

func TestDirectoryIsThereForTheModesThatNeedOne(t *testing.T) {
	h := &Harness{}
	for _, m := range []Mode{Memory, OS, Always, Target} {
		var used string
		wrong := errors.New("wrong")
		err := h.placed(m, func(data string) error {
			used = data
			if _, err := os.Stat(data); (err == nil) != (m == OS || m == Always) {
				t.Errorf("placed(%s) has directory %q: %v", m, data, err)
			}
			return wrong
		})
		if !errors.Is(err, wrong) {
			t.Errorf("placed(%s) = %v, want the error of the use", m, err)
		}
		if _, err := os.Stat(used); err == nil {
			t.Errorf("placed(%s) leaves %q", m, used)
		}
	}
}

func TestDiskIsWhatFilesTakeNotHowLongTheyAre(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	written, sparse := filepath.Join(dir, "below", "written"), filepath.Join(dir, "sparse")
	if err := errors.Join(os.WriteFile(written, make([]byte, 100_000), 0o600), os.WriteFile(sparse, nil, 0o600),
		os.Truncate(sparse, 64<<20)); err != nil {
		t.Fatal(err)
	}
	got, known := diskOf(dir)
	if known != (runtime.GOOS != "windows") || known && (got < 100_000 || got > 1<<20) {
		t.Errorf("diskOf() = %d, %v, want about 100000", got, known)
	}
	for _, none := range []string{"", filepath.Join(dir, "none")} {
		if got, known := diskOf(none); known && got != 0 || none == "" && known {
			t.Errorf("diskOf(%q) = %d, %v, want nothing", none, got, known)
		}
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
