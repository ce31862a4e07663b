package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/protocols/otlp"
)

func TestTelemetryIsOffUnlessAskedFor(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want signals
	}{
		{"nothing", nil, signals{}},
		{"other variables", map[string]string{"OTEL_SERVICE_NAME": "x", "OTEL_TRACES_SAMPLER": "always_on"}, signals{}},
		{"endpoint", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, signals{true, true}},
		{"endpoint of traces", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, signals{true, false}},
		{"endpoint of metrics", map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://x"}, signals{false, true}},
		{"exporters", map[string]string{"OTEL_TRACES_EXPORTER": "console", "OTEL_METRICS_EXPORTER": "none"}, signals{true, false}},
		{"endpoint, but no exporter", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_TRACES_EXPORTER": "none"}, signals{false, true}},
		{"disabled", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}, signals{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := askedFor(environment(tt.env))
			if got != tt.want {
				t.Errorf("askedFor(%v) = %+v, want %+v", tt.env, got, tt.want)
			}
		})
	}
}

func TestNothingStandsInTheWayUnasked(t *testing.T) {
	var o sluice.Options
	telemetry, err := newTelemetry(t.Context(), telemetryOptions{}, &o)
	if err != nil {
		t.Fatal(err)
	}
	if d := o.Decorate; d.Store != nil || d.Broker != nil || d.Dialect != nil || o.Observers != nil || telemetry.Metrics != nil {
		t.Errorf("newTelemetry has decorated %+v, observed by %v", d, o.Observers)
	}
}

func TestMetricsAreThereForTheAdminPort(t *testing.T) {
	var o sluice.Options
	telemetry, err := newTelemetry(t.Context(), telemetryOptions{scraped: true, log: slog.New(slog.DiscardHandler)}, &o)
	if err != nil {
		t.Fatal(err)
	}
	server, err := sluice.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	telemetry.opened(server)
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		telemetry.close(slog.New(slog.DiscardHandler))
	})
	scrape := func() string {
		w := httptest.NewRecorder()
		telemetry.Metrics.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Body.String()
	}
	ask := func(body string) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		server.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
	ask("Action=ListQueues")
	if got := scrape(); strings.Contains(got, "ListQueues") {
		t.Errorf("metrics were counted before anybody asked for them:\n%s", got)
	}
	for _, body := range []string{"Action=CreateQueue&QueueName=q", "Action=SendMessage&MessageBody=m&QueueUrl=http://localhost/000000000000/q", "Action=Nonsense"} {
		ask(body)
	}
	got := scrape()
	for _, want := range []string{
		`rpc_server_call_duration_seconds_count{`, `rpc_method="SQS/SendMessage"`, `error_type="InvalidAction"`,
		`sluice_queue_depth{`, `messaging_destination_name="q"`, `sluice_message_state="visible"`, `sluice_queue_oldest_message_age_seconds{`,
		`sluice_store_commit_duration_seconds_count`, `sluice_store_commit_size_bytes_sum`, `sluice_receive_parked`, `sluice_events_dropped_total`,
		`service_version="` + sluice.Version + `"`, `process_resident_memory_bytes`, `go_goroutines`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("metrics have no %s", want)
		}
	}
}

// TestServeExportsWhatIsAskedFor lets a real process export to the receiver of our own, and end.
func TestServeExportsWhatIsAskedFor(t *testing.T) {
	receiver := otlp.New(otlp.Options{})
	metrics := make(chan struct{}, 100)
	collector := http.NewServeMux()
	collector.Handle(otlp.Path, receiver)
	collector.HandleFunc("/v1/metrics", func(http.ResponseWriter, *http.Request) { metrics <- struct{}{} })
	web := httptest.NewServer(collector)
	defer web.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", web.URL)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=mine")
	p := start(t, "--data=memory", "--log-format=json", "--log-requests")

	const traceID = "5759e988bd862e3fe1be46a994272793"
	for _, body := range []string{"Action=CreateQueue&QueueName=q", "Action=SendMessage&MessageBody=m&QueueUrl=" + p.url + "/000000000000/q", "Action=ReceiveMessage&QueueUrl=" + p.url + "/000000000000/q", "Action=PurgeQueue&QueueUrl=" + p.url + "/000000000000/q"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Traceparent", "00-"+traceID+"-53995c3f42cd8ad8-01")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatalf("serve ended with %v; stderr: %s", err, p.stderr)
	}
	id, _ := otlp.ParseTraceID(traceID)
	var got []string
	for _, s := range receiver.Spans(id) {
		got = append(got, s.Name)
		if s.Service != "mine" {
			t.Errorf("service of %s = %q, want that of the environment", s.Name, s.Service)
		}
	}
	for _, want := range []string{"SQS.CreateQueue", "SQS.SendMessage", "SQS.ReceiveMessage", "SQS.PurgeQueue", "queued q", "in flight q"} {
		if !slices.Contains(got, want) {
			t.Errorf("spans = %q, want %q among them", got, want)
		}
	}
	if len(metrics) == 0 {
		t.Error("no metrics were exported at the end")
	}
	lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &line); err != nil || len(lines) != 4 {
		t.Fatalf("the log is %q, want four lines of JSON: %v", lines, err)
	}
	if line["operation"] != "CreateQueue" || line["trace_id"] != traceID {
		t.Errorf("the first line = %v, want the creation of the queue within its trace", line)
	}
}

func TestServeRefusesUnknownExporters(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "carrier-pigeon")
	if got := fails(t, "serve", "--data=memory", "--listen=127.0.0.1:0"); !strings.Contains(got, "carrier-pigeon") {
		t.Errorf("complaint = %q, want it to name the exporter", got)
	}
}

func TestFaultsAreLoggedWithTheirTrace(t *testing.T) {
	ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}))
	for _, tt := range []struct {
		format string
		fault  sluice.Fault
		want   []string
	}{
		{logText, sluice.Fault{Operation: "SendMessage", RequestID: "id", Err: errors.New("bad\nluck"), Context: ctx}, []string{`msg="bad\nluck"`, "operation=SendMessage", "request=id", "trace_id=01000000000000000000000000000000", "span_id=0200000000000000"}},
		{logJSON, sluice.Fault{Operation: "SendMessage", Err: errors.New("bad\nluck"), Context: ctx}, []string{`"msg":"bad\nluck"`, `"trace_id":"01000000000000000000000000000000"`}},
		{logText, sluice.Fault{Err: errors.New("disk full")}, []string{`msg="disk full"`}},
	} {
		var out bytes.Buffer
		logFaults(newLog(tt.format, &out).With("a", 1).WithGroup(""))(&tt.fault)
		if strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: log = %q, want one line", tt.format, &out)
		}
		for _, want := range tt.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: log = %q, want %s in it", tt.format, &out, want)
			}
		}
	}
}
