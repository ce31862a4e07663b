package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
)

// asProgram makes the test binary be sluice itself, so that tests can start, signal and kill real processes.
const asProgram = "TEST_AS_SLUICE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	// The default address of the control API may be taken on this machine, which would be told.
	if err := os.Setenv("SLUICE_ADMIN", adminNone); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// process is sluice in a process of its own.
type process struct {
	*exec.Cmd
	url    string
	out    *bufio.Reader // after the first line
	stderr *bytes.Buffer
}

func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	// The race detector would hold up the end of a process by a second.
	c.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0")
	c.Dir = t.TempDir()
	return c
}

// start starts sluice and waits for its line.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: program(t, append([]string{"serve", "--listen=127.0.0.1:0"}, args...)...), stderr: &bytes.Buffer{}}
	p.Stderr = p.stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	p.out = bufio.NewReader(out)
	line, _ := p.out.ReadString('\n')
	ready, url, ok := strings.Cut(strings.TrimSpace(line), " http://")
	if !ok || !strings.HasPrefix(ready, "Ready.") {
		t.Fatalf("first line is %q, want Ready. and the URL; stderr: %s", line, p.stderr)
	}
	p.url = "http://" + url
	return p
}

// fails runs sluice to its end and returns what it printed on stderr; the exit status must tell of a failure.
func fails(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := program(t, args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err == nil {
		t.Errorf("sluice %v succeeded, want a failure", args)
	}
	if stdout.Len() > 0 {
		t.Errorf("sluice %v printed %q, want nothing on stdout", args, &stdout)
	}
	if strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "sluice: ") {
		t.Errorf("sluice %v complains %q, want one line", args, &stderr)
	}
	return stderr.String()
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestServePrintsTheRealAddress(t *testing.T) {
	p := start(t, "--data=memory")
	if strings.HasSuffix(p.url, ":0") {
		t.Errorf("address is %s, want the port that was taken", p.url)
	}
	if status, body := get(t, p.url+"/health"); status != http.StatusOK || !strings.HasPrefix(body, "{") {
		t.Errorf("GET /health = %d %q, want 200 and JSON", status, body)
	}
}

func TestHealthTellsByExitStatus(t *testing.T) {
	p := start(t, "--data=memory")
	if err := run(t.Context(), []string{"health", "--url", p.url}, io.Discard, io.Discard); err != nil {
		t.Errorf("health of a running server = %v, want nil", err)
	}
	if err := run(t.Context(), []string{"health", "--url", strings.TrimPrefix(p.url, "http://")}, io.Discard, io.Discard); err != nil {
		t.Errorf("health of a host and port = %v, want nil", err)
	}
	t.Setenv("SLUICE_URL", p.url+"/")
	if err := run(t.Context(), []string{"health"}, io.Discard, io.Discard); err != nil {
		t.Errorf("health by variable = %v, want nil", err)
	}
	if got := fails(t, "health", "--url=http://127.0.0.1:1"); !strings.Contains(got, "not ready: connection refused") {
		t.Errorf("health of nothing = %q, want connection refused", got)
	}
}

// One variable tells a container where to listen, and its health check where to ask.
func TestHealthAsksWhereTheServerListens(t *testing.T) {
	p := start(t, "--data=memory")
	_, port, _ := strings.Cut(strings.TrimPrefix(p.url, "http://"), ":")
	for _, listen := range []string{"127.0.0.1:" + port, "0.0.0.0:" + port, "[::]:" + port, ":" + port, port, "http://0.0.0.0:" + port + ",127.0.0.1:1"} {
		t.Setenv("SLUICE_LISTEN", listen)
		if err := run(t.Context(), []string{"health"}, io.Discard, io.Discard); err != nil {
			t.Errorf("health with SLUICE_LISTEN=%s = %v, want nil", listen, err)
		}
	}
	t.Setenv("SLUICE_LISTEN", "127.0.0.1:1")
	if err := run(t.Context(), []string{"health", "--url", p.url}, io.Discard, io.Discard); err != nil {
		t.Errorf("health --url = %v, want that the flag wins", err)
	}
	t.Setenv("SLUICE_LISTEN", "nowhere")
	if got := fails(t, "health"); !strings.Contains(got, `SLUICE_LISTEN is "nowhere": want a port`) {
		t.Errorf("health with an address that is none = %q, want what is wrong", got)
	}
}

func TestHealthTrustsTheAuthorityThatItIsTold(t *testing.T) {
	web := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer web.Close()
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	if err := os.WriteFile(ca, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"health", "--url", web.URL, "--ca", ca}, io.Discard, io.Discard); err != nil {
		t.Errorf("health with the authority = %v, want nil", err)
	}
	if err := run(t.Context(), []string{"health", "--url", web.URL}, io.Discard, io.Discard); err == nil {
		t.Error("health without the authority = nil, want that it is unknown")
	}
	if err := run(t.Context(), []string{"health", "--url", web.URL, "--ca", t.TempDir()}, io.Discard, io.Discard); err == nil {
		t.Error("health with a directory for an authority = nil, want an error")
	}
}

// A process of its own, as proxies are read once, and a name, as they are left aside for this machine.
func TestHealthWithAnAuthorityGoesThroughTheProxy(t *testing.T) {
	web := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer web.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	if err := os.WriteFile(ca, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		there, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer there.Close()
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(there, here) }()
		_, _ = io.Copy(here, there)
	}))
	defer proxy.Close()
	c := program(t, "health", "--url=https://example.com", "--ca", ca) // the name in the certificate of httptest
	c.Env = append(c.Env, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=")
	if text, err := c.CombinedOutput(); err != nil {
		t.Errorf("health through a proxy = %v: %s", err, text)
	}
	select {
	case got := <-asked:
		if got != "CONNECT example.com:443" {
			t.Errorf("the proxy was asked for %s, want CONNECT example.com:443", got)
		}
	default:
		t.Error("the proxy was not asked")
	}
}

func TestSignalsEndLongPollsAndTheProcess(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			p := start(t)
			put(t, p.url+"/queues/q", "<Queue/>")
			polled := make(chan int, 1)
			go func() {
				resp, err := http.Get(p.url + "/queues/q/messages?waitseconds=30")
				if err != nil {
					polled <- 0
					return
				}
				_ = resp.Body.Close()
				polled <- resp.StatusCode
			}()
			get(t, p.url+"/health") // the poll most likely is under way by now; if not, it is refused and 0
			asked := time.Now()
			if err := p.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := p.Wait(); err != nil {
				t.Errorf("exit = %v, want success; stderr: %s", err, p.stderr)
			}
			if took := time.Since(asked); took > 10*time.Second { // on a busy machine; the poll would have lasted 30
				t.Errorf("the end took %v, want it to wait for no poll", took)
			}
			if got := <-polled; got != http.StatusNotFound && got != 0 {
				t.Errorf("the poll ended with %d, want the empty answer", got)
			}
			if p.stderr.Len() > 0 {
				t.Errorf("stderr = %q, want nothing", p.stderr)
			}
		})
	}
}

func put(t *testing.T, url, body string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("PUT %s = %d, want 201", url, resp.StatusCode)
	}
}

func TestQueuesSurviveAKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	p := start(t, "--data", dir)
	put(t, p.url+"/queues/kept", "<Queue/>")
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	p = start(t, "--data", dir)
	if status, body := get(t, p.url+"/queues/kept"); status != http.StatusOK {
		t.Errorf("GET after a kill = %d %s, want 200", status, body)
	}
}

func TestSecondProcessOnADirectoryIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	start(t, "--data", dir)
	got := fails(t, "serve", "--listen=127.0.0.1:0", "--data", dir)
	if want := "sluice: data directory " + dir + " is in use by another process\n"; got != want {
		t.Errorf("second process says %q, want %q", got, want)
	}
}

func TestBusyPortIsToldAndTouchesNoData(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := filepath.Join(t.TempDir(), "data")
	got := fails(t, "serve", "--listen", l.Addr().String(), "--data", dir)
	if want := "sluice: cannot listen on " + l.Addr().String() + ": address already in use\n"; got != want {
		t.Errorf("busy port is told as %q, want %q", got, want)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory was made all the same (%v)", err)
	}
}

func TestFailedStartsAreOneLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"data below a file", []string{"serve", "--listen=127.0.0.1:0", "--data", file + "/data"}, "not a directory"},
		{"data that is a file", []string{"serve", "--listen=127.0.0.1:0", "--data", file}, "cannot open data directory " + file},
		{"no such address", []string{"serve", "--listen=nonsense:1", "--data=memory"}, "cannot listen on nonsense:1"},
		{"address without a port", []string{"serve", "--listen=localhost", "--data=memory"}, "--listen"},
		{"configuration", []string{"serve", "--config", file}, file + ":1: "},
		{"unknown flag", []string{"serve", "--verbose"}, "unknown flag: --verbose"},
		{"argument", []string{"serve", "now"}, `unknown command "now"`},
		{"unknown command", []string{"sevre"}, `unknown command "sevre"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := fails(t, tt.args...); !strings.Contains(got, tt.want) {
				t.Errorf("sluice %v says %q, want %q", tt.args, got, tt.want)
			}
		})
	}
}

func TestVersionIsPrinted(t *testing.T) {
	for _, arg := range []string{"version", "--version", "-v"} {
		var out bytes.Buffer
		if err := run(context.Background(), []string{arg}, &out, io.Discard); err != nil || out.String() != "sluice "+sluice.Version+"\n" {
			t.Errorf("sluice %s = %q, %v, want sluice %s", arg, &out, err, sluice.Version)
		}
	}
}

func TestProgramAloneShowsHelp(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), nil, &out, io.Discard); err != nil || !strings.Contains(out.String(), "Available Commands:") {
		t.Errorf("sluice = %q, %v, want the commands there are", &out, err)
	}
}

// The configuration is larger than a pipe holds, so that sluice is reading it once the first part is written.
func TestHangupBeforeTheServerIsReadyDoesNotEndIt(t *testing.T) {
	c := program(t, "serve", "--data=memory", "--listen=127.0.0.1:0", "--config=/dev/stdin")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, strings.Repeat("# a comment\n", 1<<16)); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "strict: true\n"); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(line, "Ready.") {
		t.Errorf("first line = %q, want that it is ready", line)
	}
	if err := errors.Join(c.Process.Signal(syscall.SIGTERM), c.Wait()); err != nil {
		t.Errorf("the end = %v", err)
	}
}
