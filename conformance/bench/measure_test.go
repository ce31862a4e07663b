package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// real is Sluice itself behind HTTP.
func real(t *testing.T) Endpoint {
	t.Helper()
	e, stop := served(t, "")
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// served is Sluice itself behind HTTP, with a directory or without, and the function that ends it.
func served(t *testing.T, data string) (Endpoint, func() error) {
	t.Helper()
	s, err := sluice.Open(sluice.Options{Data: data, OnFault: func(f *sluice.Fault) { t.Errorf("fault: %v", f) }})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	return Endpoint{URL: h.URL}, func() error {
		h.Close()
		return s.Close()
	}
}

// short is a load that ends by its count.
func short(p Protocol, w Workload) Load {
	return Load{
		Protocol: p, Workload: w, Concurrency: 4, Body: 64, Duration: time.Minute, Count: 40,
		Depth: 100, Queues: 8, Groups: 20, Deleted: 100, Parked: 3,
	}
}

func TestEveryWorkloadRunsInEveryProtocol(t *testing.T) {
	e := real(t)
	for _, l := range Loads(Load{}, Protocols, Workloads, []int{4}) {
		l := short(l.Protocol, l.Workload)
		t.Run(string(l.Protocol)+" "+string(l.Workload), func(t *testing.T) {
			s, err := Measure(t.Context(), clock.System{}, e, l)
			if err != nil || s.Refused != 0 {
				t.Fatalf("Measure() = %v; %d refused: %s", err, s.Refused, s.Refusal)
			}
			batch := int64(languageOf(l.Protocol, "").batch())
			want, requests := int64(40), int64(120)
			switch l.Workload {
			case Send:
				requests = 40
			case Batch:
				want = 40 * batch
			case Drain:
				want = (100 + batch - 1) / batch * batch // the backlog is sent in whole batches
				requests = 2*want/batch + s.Empty
			case FIFO:
				return // messages may be locked by others
			}
			if s.Messages != want || s.Requests != requests {
				t.Errorf("%d messages in %d requests, want %d in %d; %d empty", s.Messages, s.Requests, want, requests, s.Empty)
			}
		})
	}
	if left := list(t, e); left != "{}" {
		t.Errorf("queues are left: %s", left)
	}
}

func list(t *testing.T, e Endpoint) string {
	t.Helper()
	host, err := hostOf(e.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, body, err := dialled(t, host).exchange(t.Context(), sqsJSON{host}.request("ListQueues", "{}"))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestFIFODeduplicatesNothingAcrossPhases(t *testing.T) {
	l := short(SQSJSON, FIFO)
	l.Concurrency = 1 // alone it finds no message locked
	l.Warmup = time.Minute
	s, err := Measure(t.Context(), clock.System{}, real(t), l)
	if err != nil || s.Messages != 40 || s.Empty != 0 {
		t.Errorf("Measure() = %d messages, %d empty, %v, want 40, 0", s.Messages, s.Empty, err)
	}
}

// fake answers requests by a function, after it has moved a clock by 10 ms: time is what the server makes of it.
func fake(t *testing.T, answer func(target string) (int, string)) (Endpoint, *clock.Manual) {
	t.Helper()
	c := clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		target := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.")
		c.Advance(10 * time.Millisecond)
		status, body := answer(target)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return Endpoint{URL: s.URL}, c
}

func good(string) (int, string) { return 200, `{"QueueUrl":"http://h/1/q"}` }

func TestDurationBoundsARun(t *testing.T) {
	e, c := fake(t, good)
	l := short(SQSJSON, Send)
	l.Concurrency, l.Duration, l.Count = 1, time.Second, MaxCount
	s, err := Measure(t.Context(), c, e, l)
	if err != nil || s.Requests != 100 || s.Elapsed != time.Second || s.RequestRate != 100 {
		t.Errorf("Measure() = %d requests in %v at %v/s, %v; want 100 in 1s at 100/s", s.Requests, s.Elapsed, s.RequestRate, err)
	}
}

func TestCountBoundsARun(t *testing.T) {
	e, c := fake(t, good)
	l := short(SQSJSON, Send)
	l.Concurrency, l.Duration, l.Count = 3, MaxDuration, 50
	s, err := Measure(t.Context(), c, e, l)
	if err != nil || s.Requests != 50 || s.Messages != 50 {
		t.Errorf("Measure() = %d requests, %d messages, %v; want 50", s.Requests, s.Messages, err)
	}
}

func TestWarmupIsNotCounted(t *testing.T) {
	var sends atomic.Int64
	e, c := fake(t, func(target string) (int, string) {
		if target == "SendMessage" {
			sends.Add(1)
		}
		return good(target)
	})
	l := short(SQSJSON, Send)
	l.Concurrency, l.Warmup, l.Duration = 1, 100*time.Millisecond, 200*time.Millisecond
	s, err := Measure(t.Context(), c, e, l)
	if err != nil || s.Requests != 20 || sends.Load() != 30 {
		t.Errorf("Measure() = %d requests of %d, %v; want 20 of 30", s.Requests, sends.Load(), err)
	}
}

func TestLatencyIsThatOfTheServer(t *testing.T) {
	slow := 0
	e, c := fake(t, good)
	host, _ := hostOf(e.URL)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slow++; slow%10 == 0 {
			c.Advance(90 * time.Millisecond)
		}
		r.URL.Scheme, r.URL.Host, r.RequestURI = "http", host, ""
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		_, _ = io.Copy(w, resp.Body)
	}))
	defer s.Close()
	l := short(SQSJSON, Send)
	l.Concurrency, l.Count = 1, 100
	got, err := Measure(t.Context(), c, Endpoint{URL: s.URL}, l)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		got, want float64
	}{{"p50", got.P50, 10}, {"p90", got.P90, 10}, {"p99", got.P99, 100}, {"max", got.Max, 100}} {
		if tt.got < tt.want*0.999 || tt.got > tt.want*1.002 { // three digits are kept
			t.Errorf("%s = %v ms, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestRefusalsAreCountedAndEndARunThatHasOnlyThem(t *testing.T) {
	refuse := func(target string) (int, string) {
		if target == "SendMessage" {
			return 503, "busy"
		}
		return good(target)
	}
	e, c := fake(t, refuse)
	l := short(SQSJSON, Send)
	l.Concurrency = 1
	s, err := Measure(t.Context(), c, e, l)
	if err != nil || s.Refused != 40 || s.Messages != 0 || !strings.Contains(s.Refusal, `status 503: "busy"`) {
		t.Errorf("Measure() = %d refused, %d messages, %q, %v; want 40, 0", s.Refused, s.Messages, s.Refusal, err)
	}
	l.Count = MaxCount
	if _, err = Measure(t.Context(), c, e, l); err == nil || !strings.Contains(err.Error(), "refused 100 times") {
		t.Errorf("Measure() = %v, want that it gives up", err)
	}
}

func TestFailedEntriesAreRefusals(t *testing.T) {
	e, c := fake(t, func(target string) (int, string) {
		if target == "SendMessageBatch" {
			return 200, `{"Failed":[{"Id":"0"}],"Successful":[]}`
		}
		return good(target)
	})
	s, err := Measure(t.Context(), c, e, short(SQSJSON, Batch))
	if err != nil || s.Refused != 40 || s.Empty != 40 {
		t.Errorf("Measure() = %d refused, %d empty, %v; want 40, 40", s.Refused, s.Empty, err)
	}
}

func TestBacklogThatCannotBeSentIsAnError(t *testing.T) {
	e, c := fake(t, func(target string) (int, string) {
		if target == "SendMessageBatch" {
			return 400, "no"
		}
		return good(target)
	})
	_, err := Measure(t.Context(), c, e, short(SQSJSON, Depth))
	if err == nil || !strings.Contains(err.Error(), "the backlog is 0 messages, want 100") {
		t.Errorf("Measure() = %v, want that the backlog is missing", err)
	}
}

func TestBacklogThatDoesNotGoIsAnError(t *testing.T) {
	e, c := fake(t, good) // it has no messages
	_, err := Measure(t.Context(), c, e, short(SQSJSON, Deleted))
	if err == nil || !strings.Contains(err.Error(), "0 messages have gone, want 100") {
		t.Errorf("Measure() = %v, want that the backlog stays", err)
	}
}

func TestMeasureFailsInOneLine(t *testing.T) {
	e, c := fake(t, func(string) (int, string) { return 403, "not you" })
	for _, tt := range []struct{ name, url, want string }{
		{"no queue", e.URL, `status 403: "not you"`},
		{"no server", "http://127.0.0.1:1", "cannot reach 127.0.0.1:1"},
		{"no URL", "127.0.0.1:9324", "want http://host:port"},
		{"other scheme", "https://127.0.0.1:9324", "want http://host:port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Measure(t.Context(), c, Endpoint{URL: tt.url}, short(SQSJSON, Send))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Measure() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var dropped atomic.Bool
	e, c := fake(t, func(target string) (int, string) {
		switch target {
		case "SendMessage":
			cancel()
		case "DeleteQueue":
			dropped.Store(true)
		}
		return good(target)
	})
	l := short(SQSJSON, Send)
	l.Count, l.Duration = MaxCount, MaxDuration
	if _, err := Measure(ctx, c, e, l); !errors.Is(err, context.Canceled) {
		t.Errorf("Measure() = %v, want %v", err, context.Canceled)
	}
	if !dropped.Load() {
		t.Error("the queue was left behind")
	}
}

func TestBareIsMeasuredWithTheRequestsOfTheLoad(t *testing.T) {
	lengths := map[string]int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lengths[r.URL.Path] = r.ContentLength
		Bare().ServeHTTP(w, r)
	}))
	defer s.Close()
	for _, w := range []Workload{Cycle, Batch} {
		l := short(MNS, w)
		l.Concurrency, l.Body = 1, 1024
		got, err := MeasureBare(t.Context(), clock.System{}, Endpoint{URL: s.URL}, l)
		if err != nil || got.Requests != 40 || got.Refused != 0 {
			t.Errorf("MeasureBare(%s) = %d requests, %d refused, %v; want 40", w, got.Requests, got.Refused, err)
		}
	}
	if one, ten := lengths["/"], lengths[largePath]; one < 1024 || one > 1200 || ten < 10*1024 || ten > 10*1100 {
		t.Errorf("bodies have %d and %d bytes, want those of one message and of ten", one, ten)
	}
}

func TestSeriesGoesRoundAndComparesNeighbours(t *testing.T) {
	bare := httptest.NewServer(Bare())
	defer bare.Close()
	var order bytes.Buffer
	stopped := 0
	h := &Harness{
		Start: func(context.Context, Mode, string) (Server, error) {
			return Server{Endpoint: real(t), Stop: func() error { stopped++; return nil }}, nil
		},
		Bare: Endpoint{URL: bare.URL}, Runs: 2, Log: &order,
	}
	cells, err := h.Series(t.Context(), Memory, []Load{short(SQSJSON, Send), short(MNS, Cycle), short(MNS, Batch)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if len(c.Runs) != 2 || c.Ratio == nil || c.Runs[0].Bare == nil || c.CPURatio != nil {
			t.Errorf("%s: %d runs, ratio %v, CPU ratio %v; want 2, known, unknown", c.Load.Workload, len(c.Runs), c.Ratio, c.CPURatio)
		}
	}
	if cells[0].Runs[0].Bare != cells[1].Runs[0].Bare || cells[0].Runs[0].Bare == cells[2].Runs[0].Bare {
		t.Error("send and cycle have one companion, batch another one")
	}
	var names []string
	for line := range strings.Lines(order.String()) {
		name, _, _ := strings.Cut(line, " c 4:")
		names = append(names, name)
	}
	round := "bare, memory sqs-json send, memory mns cycle, bare, memory mns batch"
	if got := strings.Join(names, ", "); got != round+", "+round || stopped != 1 {
		t.Errorf("order is %s; stopped %d times, want once", got, stopped)
	}
	checkPrinted(t, cells)
}

func checkPrinted(t *testing.T, cells []Cell) {
	t.Helper()
	var table, doc bytes.Buffer
	if err := errors.Join(WriteTable(&table, cells), WriteJSON(&doc, cells, []Verdict{{Name: "x", Demand: 2}})); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(table.String(), "\n"); n != 1+len(cells) {
		t.Errorf("table has %d lines, want %d:\n%s", n, 1+len(cells), &table)
	}
	var back struct {
		Cells    []Cell
		Verdicts []Verdict
	}
	if err := json.Unmarshal(doc.Bytes(), &back); err != nil || len(back.Cells) != len(cells) ||
		*back.Cells[0].Ratio != *cells[0].Ratio || len(back.Verdicts) != 1 || back.Verdicts[0].Demand != 2 {
		t.Errorf("JSON does not come back: %v\n%s", err, &doc)
	}
}

func TestSeriesChecksBeforeItStarts(t *testing.T) {
	h := &Harness{Start: func(context.Context, Mode, string) (Server, error) {
		t.Error("a server was started")
		return Server{}, errors.New("no")
	}}
	if _, err := h.Series(t.Context(), Memory, []Load{{}}); err == nil {
		t.Error("Series() of an empty load succeeded")
	}
	h.Runs = MaxRuns + 1
	if _, err := h.Series(t.Context(), Memory, []Load{short(MNS, Send)}); err == nil || !strings.Contains(err.Error(), "runs is 100") {
		t.Errorf("Series() = %v, want that there are too many runs", err)
	}
	for _, deepest := range []int{0, MaxDepth + 1} {
		_, _, flat := h.Flat(t.Context(), Load{}, deepest)
		_, sizes := h.Sizes(t.Context(), Load{}, deepest)
		for _, err := range []error{flat, sizes} {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("max-depth is %d, want 1 to", deepest)) {
				t.Errorf("a table up to depth %d = %v, want an error that names the flag", deepest, err)
			}
		}
	}
}
