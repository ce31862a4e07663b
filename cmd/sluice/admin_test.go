package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
)

// printed starts sluice and returns the first lines that it prints.
func printed(t *testing.T, n int, args ...string) []string {
	t.Helper()
	c := program(t, append([]string{"serve", "--listen=127.0.0.1:0", "--data=memory"}, args...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	r := bufio.NewReader(out)
	lines := make([]string, n)
	for i := range lines {
		line, _ := r.ReadString('\n')
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

func TestServeSaysWhereTheControlAPIIs(t *testing.T) {
	lines := printed(t, 2, "--admin=127.0.0.1:0")
	if !strings.HasPrefix(lines[0], "Ready. Listening on http://127.0.0.1:") {
		t.Errorf("first line = %q", lines[0])
	}
	url, ok := strings.CutPrefix(lines[1], "Admin on ")
	if !ok {
		t.Fatalf("second line = %q, want where the control API is", lines[1])
	}
	resp, err := http.Get(url + "/api/v1/clock")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var clock struct{ Adjustable bool }
	if err := json.NewDecoder(resp.Body).Decode(&clock); err != nil || !clock.Adjustable {
		t.Errorf("clock = %+v, %v; want one that can be adjusted", clock, err)
	}
	resp, err = http.Get(url + "/api/v1/overview")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var overview struct{ Endpoints []string }
	_, main, _ := strings.Cut(lines[0], "Listening on ")
	if err := json.NewDecoder(resp.Body).Decode(&overview); err != nil || !slices.Equal(overview.Endpoints, []string{main}) {
		t.Errorf("overview = %+v, %v; want the endpoint %s", overview, err, main)
	}
	for _, path := range []string{"/metrics", "/", "/health", "/api/v1/faults"} {
		resp, err := http.Get(url + path)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("GET %s = %v, %v", path, resp, err)
			continue
		}
		_ = resp.Body.Close()
	}
}

func TestServeOutsideOfThisMachineWantsAToken(t *testing.T) {
	lines := printed(t, 3, "--admin=0.0.0.0:0")
	url := strings.TrimPrefix(lines[1], "Admin on ")
	token, _, _ := strings.Cut(strings.TrimPrefix(lines[2], "Admin token "), ",")
	for given, want := range map[string]int{"": 401, "wrong": 401, token: 200} {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/overview", nil)
		r.Header.Set("Authorization", "Bearer "+given)
		resp, err := http.DefaultClient.Do(r)
		if err != nil || resp.StatusCode != want {
			t.Errorf("with the token %q: %v, %v; want %d", given, resp, err, want)
			continue
		}
		_ = resp.Body.Close()
	}
}

func TestPageOfAGuardedServerIsForEverybody(t *testing.T) {
	lines := printed(t, 2, "--admin=127.0.0.1:0", "--admin-token=secret")
	url := strings.TrimPrefix(lines[1], "Admin on ")
	for path, want := range map[string]int{"/": 200, "/app.js": 200, "/openapi.json": 401, "/metrics": 401, "/api/v1/overview": 401} {
		if status, body := get(t, url+path); status != want {
			t.Errorf("GET %s = %d %s, want %d", path, status, body, want)
		}
	}
}

func TestAdminAddressThatIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		name  string
		asked bool
		fails bool
	}{{"the default", false, false}, {"one that was asked for", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			s := adminSettings{address: taken.Addr().String(), asked: tt.asked}
			var o sluice.Options
			a, err := s.listen(&o)
			if (err != nil) != tt.fails || o.Admin != nil {
				t.Fatalf("listen() = %v, %v; want an error: %v", a, err, tt.fails)
			}
			if err != nil {
				return
			}
			var said bytes.Buffer
			a.serve(t.Context(), nil, slog.New(slog.NewTextHandler(&said, nil)))()
			if a.there() || !strings.Contains(said.String(), "there is no control API") {
				t.Errorf("log = %q, want that there is no control API", &said)
			}
		})
	}
	s := adminSettings{address: adminNone}
	if a, err := s.listen(&sluice.Options{Admin: &sluice.Admin{}}); err != nil || a.there() {
		t.Errorf("listen() on none = %v, %v", a, err)
	}
}

// served runs a server with its control API in this process.
func served(t *testing.T) (admin string, ask func(method, path, body string) string) {
	t.Helper()
	s, err := sluice.Open(sluice.Options{Admin: &sluice.Admin{}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Admin())
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close(); _ = s.Close() })
	return srv.URL, func(method, path, body string) string {
		t.Helper()
		r, _ := http.NewRequestWithContext(t.Context(), method, srv.URL+"/api/v1"+path, strings.NewReader(body))
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		if resp.StatusCode >= 300 {
			t.Fatalf("%s %s = %s %s", method, path, resp.Status, b)
		}
		return string(b)
	}
}

func said(t *testing.T, args ...string) string {
	t.Helper()
	out, _, err := ran(t, args...)
	if err != nil {
		t.Fatalf("sluice %v: %v", args, err)
	}
	return out
}

func TestCommandsLookIntoAServer(t *testing.T) {
	admin, ask := served(t)
	const q = "/queues/000000000000/us-east-1/"
	ask("PUT", q+"dead", "")
	ask("PUT", q+"orders", `{"deadLetter":{"account":"000000000000","region":"us-east-1","name":"dead","maxReceives":3}}`)
	ask("POST", "/clock/freeze", "")
	var sent struct{ ID string }
	if err := json.Unmarshal([]byte(ask("POST", q+"orders/messages", `{"body":"one\u001b[31m\ntwo"}`)), &sent); err != nil {
		t.Fatal(err)
	}
	ask("POST", q+"orders/messages", `{"body":"later","delaySeconds":60}`)
	ask("POST", q+"orders/receive", `{"visibilitySeconds":30}`)

	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"queues"}, []string{"QUEUE", "orders  0        1          1", "dead after 3", "000000000000/us-east-1"}},
		{[]string{"queues", "ord", "--json"}, []string{`"name":"orders"`, `"inFlight":1`}},
		{[]string{"peek", "orders"}, []string{sent.ID, "inFlight until", "one [31m two", "delayed until"}},
		{[]string{"peek", "000000000000/us-east-1/orders", "--newest", "-n", "1"}, []string{"later"}},
		{[]string{"peek", "orders", "--json", "--state", "inFlight"}, []string{`"receives":1`}},
		{[]string{"explain", sent.ID}, []string{"queue orders of 000000000000/us-east-1", "In flight until", "received once"}},
		{[]string{"explain", sent.ID, "--json"}, []string{`"why":{`, `"timeline":{`}},
	} {
		got := said(t, append(tt.args, "--admin="+admin)...)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("sluice %v = %q, want %q in it", tt.args, got, want)
			}
		}
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"peek", "none"}, "there is no queue none"},
		{[]string{"explain", "x"}, "not the id of a message"},
		{[]string{"tail", "--queue=none"}, "there is no queue none"},
	} {
		err := run(t.Context(), append(tt.args, "--admin="+admin), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("sluice %v: %v, want %q", tt.args, err, tt.want)
		}
	}
	err := run(t.Context(), []string{"queues", "--admin=127.0.0.1:1"}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("sluice queues without a server: %v, want connection refused", err)
	}
}

func TestTailPrintsWhatHappens(t *testing.T) {
	admin, ask := served(t)
	const q = "/queues/000000000000/us-east-1/orders"
	ask("PUT", q, "")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, done := make(lineWriter, 16), make(chan error, 1)
	go func() { done <- run(ctx, []string{"tail", "--queue=orders", "--admin=" + admin}, out, io.Discard) }()
	if first := <-out; !strings.Contains(first, "queue orders made") {
		t.Errorf("first line = %q, want that the queue was made", first)
	}
	ask("POST", q+"/messages", `{"body":"x"}`)
	if next := <-out; !strings.Contains(next, "sent to orders") {
		t.Errorf("next line = %q, want that a message was sent", next)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("tail = %v, want nil after its end", err)
	}
}

func TestEnvAsksTheControlAPIThatTheFileNames(t *testing.T) {
	t.Setenv("SLUICE_ADMIN", "")
	s, err := sluice.Open(sluice.Options{Admin: &sluice.Admin{Endpoints: []string{"http://127.0.0.1:1"}}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Admin())
	t.Cleanup(func() { srv.Close(); _ = s.Close() })
	host := strings.TrimPrefix(srv.URL, "http://")
	for _, address := range []string{host, strings.TrimPrefix(host, "127.0.0.1:")} {
		config := writeConfig(t, "admin: "+address+"\n")
		if out, want := said(t, "env", "--config="+config), "export AWS_ENDPOINT_URL='http://127.0.0.1:1'\n"; !strings.Contains(out, want) {
			t.Errorf("env with the control API at %s = %s, want %q in it", address, out, want)
		}
	}
}

func TestEnvAsksTheControlAPIWhereTheServerIs(t *testing.T) {
	for _, tt := range []struct {
		name      string
		endpoints []string
		token     string
		args      []string
		want      string
	}{
		{"told", []string{"https://127.0.0.1:1", "http://127.0.0.1:2"}, "", nil, "https://127.0.0.1:1"},
		{"on all addresses", []string{"http://localhost:4566"}, "", nil, "http://127.0.0.1:4566"},
		{"nowhere", nil, "", nil, "http://127.0.0.1:9324"},
		{"no address of the web", []string{"file:///etc"}, "", nil, "http://127.0.0.1:9324"},
		{"guarded", []string{"http://127.0.0.1:1"}, "secret", nil, "http://127.0.0.1:9324"},
		{"given", []string{"http://127.0.0.1:1"}, "", []string{"--url=http://127.0.0.1:3"}, "http://127.0.0.1:3"},
		{"no control API", nil, "", []string{"--admin=none"}, "http://127.0.0.1:9324"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := sluice.Open(sluice.Options{Admin: &sluice.Admin{Endpoints: tt.endpoints, Token: tt.token}})
			if err != nil {
				t.Fatal(err)
			}
			srv := httptest.NewServer(s.Admin())
			t.Cleanup(func() { srv.Close(); _ = s.Close() })
			out := said(t, append([]string{"env", "--admin=" + srv.URL}, tt.args...)...)
			if want := "export AWS_ENDPOINT_URL='" + tt.want + "'\n"; !strings.Contains(out, want) {
				t.Errorf("env = %s, want %q in it", out, want)
			}
		})
	}
}
