package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// freeAddress is an address on which nobody listens at this moment.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func isOpen(url string) bool {
	resp, err := http.Get(url + "/health")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func TestReloadOpensAndClosesAddresses(t *testing.T) {
	first, second := freeAddress(t), freeAddress(t)
	r, reload := reloading(t, "listen: "+first+"\nqueues: [{name: q}]\n")
	log := reload("listen: [" + first + ", " + second + "]\nqueues: [{name: q}]\n")
	if strings.Contains(log, "level=WARN") || !strings.Contains(log, "listening on http://"+second) || strings.Contains(log, first) {
		t.Errorf("log = %s, want that the second address is new", log)
	}
	for _, address := range []string{first, second} {
		if !isOpen("http://" + address) {
			t.Errorf("nobody answers on %s", address)
		}
	}

	polled := make(chan string, 1)
	go func() {
		resp, err := http.Get("http://" + first + "/queues/q/messages?waitseconds=30")
		if err != nil {
			polled <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		polled <- string(body)
	}()
	for !hasReceiver(r) {
		time.Sleep(time.Millisecond)
	}
	log = reload("listen: " + second + "\n")
	if !strings.Contains(log, "no longer listening on http://"+first) {
		t.Errorf("log = %s, want that the first address is closed", log)
	}
	if got := <-polled; !strings.Contains(got, "MessageNotExist") {
		t.Errorf("a poll on an address that is closed = %s, want the empty answer", got)
	}
	if isOpen("http://"+first) || !isOpen("http://"+second) {
		t.Error("the first address still answers, or the second does not")
	}
	if got := urls(r.doors.open); len(got) != 1 || got[0] != "http://"+second {
		t.Errorf("open = %q, want the second alone", got)
	}
}

// hasReceiver reports whether somebody waits for a message.
func hasReceiver(r *running) bool {
	w := httptest.NewRecorder()
	r.server.Admin().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/queues", nil))
	return strings.Contains(w.Body.String(), `"waitingReceivers":1`)
}

// One address after the other is closed and opened again at once, as by a script that sends SIGHUP for each of its steps.
func TestClosedAddressesCanBeOpenedAgainAtOnce(t *testing.T) {
	first, second := freeAddress(t), freeAddress(t)
	_, reload := reloading(t, "listen: "+first+"\n")
	for range 50 {
		for _, file := range []string{"listen: [" + first + ", " + second + "]\n", "listen: " + first + "\n"} {
			if log := reload(file); !strings.Contains(log, "settings applied") {
				t.Fatalf("log = %s, want that all was applied", log)
			}
		}
	}
}

// A reload that comes while the server is about to end may still open an address, and another one close it.
func TestAddressesThatCameTooLateCanBeClosed(t *testing.T) {
	r, _ := reloading(t, "")
	r.doors.stop()
	if err := r.doors.wait(); err != nil {
		t.Fatal(err)
	}
	l, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.doors.make(&move{after: []*listener{l}, opened: []*listener{l}}, nil, r.log)
	if isOpen(l.url()) {
		t.Error("an address that came too late answers")
	}
	r.doors.make(&move{closing: []*listener{l}}, nil, r.log)
}

func TestReloadThatCannotListenChangesNothing(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	first, second := freeAddress(t), freeAddress(t)
	r, reload := reloading(t, "listen: "+first+"\n")
	log := reload(fmt.Sprintf("listen: [%s, '%s']\nqueues: [{name: q}]\n", second, taken.Addr()))
	if want := "cannot listen on " + taken.Addr().String() + ": address already in use"; !strings.Contains(log, want) || !strings.Contains(log, "stay as they are") {
		t.Errorf("log = %s, want %s", log, want)
	}
	log = reload("listen: [" + first + ", " + second + "]\nqueues: [{name: 'q q'}]\n")
	if !strings.Contains(log, "is not a name") {
		t.Errorf("log = %s, want that the name is wrong", log)
	}
	if got := ask(r.server.Handler(), "ListQueues", "{}"); got != "{}" {
		t.Errorf("queues = %s, want none", got)
	}
	if !isOpen("http://"+first) || isOpen("http://"+second) {
		t.Error("the first address does not answer any more, or the second does")
	}
}

func TestReloadOpensAnAddressOfHTTPS(t *testing.T) {
	first, second := freeAddress(t), freeAddress(t)
	r, reload := reloading(t, "listen: "+first+"\n")
	log := reload("listen: [" + first + ", 'https://" + second + "']\n")
	if !strings.Contains(log, "listening on https://"+second) || !strings.Contains(log, `settings=tls`) {
		t.Errorf("log = %s, want the new address, and that the other one speaks HTTPS from the next start on", log)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, r.server.Authority().PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	resp, err := trusting(t, ca).Get("https://" + second + "/health")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET https://%s/health = %v, %v", second, resp, err)
	}
	_ = resp.Body.Close()
	if !isOpen("http://" + first) {
		t.Error("the first address does not answer any more")
	}
}

func TestFailedListenerEndsAll(t *testing.T) {
	r, _ := reloading(t, "listen: [127.0.0.1:0, 127.0.0.1:0]\n")
	r.doors.open[0].Close()
	err := r.doors.wait()
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("wait = %v, want %v", err, net.ErrClosed)
	}
	r.doors.failed = nil // the end of the test looks at it too
}

// Whoever sends SIGHUP each time that a file changes sends many of them at once, and the last state is what counts.
func TestManyHangupsEndWithTheLastFile(t *testing.T) {
	path := writeConfig(t, "queues: [{name: q}]\n")
	p := start(t, "--data=memory", "--config", path)
	for i := range 100 {
		if err := os.WriteFile(path, fmt.Appendf(nil, "queues: [{name: q, visibility: %d}]\n", 100+i), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	until := time.Now().Add(10 * time.Second)
	for {
		_, got := get(t, p.url+"/queues/q")
		if strings.Contains(got, "<VisibilityTimeout>199<") {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("the queue = %s, want the settings of the last file; stderr: %s", got, p.stderr)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestReloadWithoutTheFileChangesNothing(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		change     func(path string) error
	}{
		{"that is gone", "cannot read the configuration: open ", os.Remove},
		{"that is a directory", "is a directory", func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }},
		{"that was cut off", "the file is empty by now", func(path string) error { return os.Truncate(path, 0) }},
		{"that is too large", "is larger than 4 MiB", func(path string) error { return os.Truncate(path, maxFile+1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, reload := reloading(t, "credentials: [{id: a, secret: b}]\n")
			if err := tt.change(r.settings.path); err != nil {
				t.Fatal(err)
			}
			if log := reload(""); !strings.Contains(log, tt.want) || !strings.Contains(log, "stay as they are") {
				t.Errorf("log = %s, want %s", log, tt.want)
			}
			if got := ask(r.server.Handler(), "ListQueues", "{}"); !strings.Contains(got, "AccessDenied") {
				t.Errorf("an unsigned request = %s, want a refusal as before", got)
			}
		})
	}
}
