package traced_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/sluicemq/sluice/core"
	coretraced "github.com/sluicemq/sluice/core/traced"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/traced"
)

// measured is a bench whose metrics can be read. Up to queues queues are named in them.
func measured(t testing.TB, queues int) (*bench, *sdkmetric.ManualReader) {
	reader := sdkmetric.NewManualReader()
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	m, err := coretraced.NewMetrics(meters, queues)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t}
	b.open(&traced.Options{Meters: meters, Now: func() time.Time { return epoch }}, coretraced.Broker(nil, m), m)
	m.Losses(b.engine.Dropped)
	return b, reader
}

// collected returns all metrics as lines: name, the values of attributes in the order of their keys, value.
func collected(t testing.TB, reader *sdkmetric.ManualReader, except ...string) []string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			add := func(set attribute.Set, value any) {
				line := m.Name
				for _, a := range set.ToSlice() {
					if !slices.Contains(except, string(a.Key)) {
						line += " " + a.Value.String()
					}
				}
				lines[fmt.Sprintf("%s = %v", line, value)] = true
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, p.Value)
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, p.Value)
				}
			case metricdata.Gauge[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, fmt.Sprintf("%d times %v", p.Count, p.Sum))
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(lines))
}

func TestMetricsMeasureQueuesAndRequests(t *testing.T) {
	b, reader := measured(t, 0)
	b.queues()
	b.sqs("CreateQueue", `{"QueueName":"one.fifo","Attributes":{"FifoQueue":"true"}}`)
	for range 2 {
		b.sqs("SendMessage", `{"QueueUrl":"http://localhost/000000000000/one.fifo","MessageBody":"m","MessageGroupId":"g","MessageDeduplicationId":"d"}`)
	}
	b.send()
	b.send()
	b.sqs("SendMessage", `{"QueueUrl":"http://localhost/000000000000/jobs","MessageBody":"m","DelaySeconds":60}`)
	b.clock.Advance(7 * time.Second)
	b.receive("jobs")
	b.receive("dead")
	b.receive("none")
	b.mns(http.MethodGet, "/queues/dead/messages", "")

	got := collected(t, reader, "cloud.account.id", "cloud.region", "messaging.system", "messaging.system.name", "rpc.system", "rpc.system.name")
	want := []string{
		"rpc.server.call.duration MessageNotExist MNS/ReceiveMessage mns = 1 times 0",
		"rpc.server.call.duration AWS.SimpleQueueService.NonExistentQueue SQS/ReceiveMessage sqs-json = 1 times 0",
		"rpc.server.call.duration SQS/CreateQueue sqs-json = 3 times 0",
		"rpc.server.call.duration SQS/ReceiveMessage sqs-json = 2 times 0",
		"rpc.server.call.duration SQS/SendMessage sqs-json = 5 times 0",
		"sluice.dedup.hits one.fifo = 1",
		"sluice.events.dropped = 0",
		"sluice.message.time_in_queue jobs = 1 times 7",
		"sluice.queue.depth dead delayed = 0",
		"sluice.queue.depth dead in_flight = 0",
		"sluice.queue.depth dead visible = 0",
		"sluice.queue.depth one.fifo delayed = 0",
		"sluice.queue.depth one.fifo in_flight = 0",
		"sluice.queue.depth one.fifo visible = 1",
		"sluice.queue.depth jobs delayed = 1",
		"sluice.queue.depth jobs in_flight = 1",
		"sluice.queue.depth jobs visible = 1",
		"sluice.queue.oldest_message.age one.fifo = 7",
		"sluice.queue.oldest_message.age jobs = 7",
		"sluice.receive.empty dead = 2",
		"sluice.receive.parked = 0",
		"sluice.receive.wait dead = 2 times 0",
		"sluice.receive.wait jobs = 1 times 0",
	}
	slices.Sort(want)
	got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, "sluice.messages ") }) // they lag behind
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	if err := b.engine.Close(); err != nil {
		t.Fatal(err)
	}
	events := collected(t, reader, "cloud.account.id", "cloud.region")
	for _, want := range []string{"sluice.messages jobs sent = 3", "sluice.messages jobs received = 1", "sluice.messages one.fifo deduplicated = 1"} {
		if !slices.Contains(events, want) {
			t.Errorf("metrics = %q, want %q among them", events, want)
		}
	}
}

// What is asleep measures nothing; a request that is under way when it awakes is answered all the same.
func TestMetricsCanBeWokenUp(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	m, err := coretraced.NewMetrics(meters, 0)
	if err != nil {
		t.Fatal(err)
	}
	awake := &atomic.Bool{}
	m.Wait(awake)
	b := &bench{t: t}
	wake := func(inner core.Broker) core.Broker { return waking{coretraced.Broker(nil, m)(inner), awake} }
	b.open(&traced.Options{Meters: meters, Now: func() time.Time { return epoch }, Awake: awake}, wake, m)
	b.queues()
	b.send()
	for _, line := range collected(t, reader) {
		if strings.HasPrefix(line, "rpc.") || strings.HasPrefix(line, "sluice.messages") {
			t.Errorf("%q was measured before anybody was awake", line)
		}
	}
	if got := b.receive("jobs"); !strings.Contains(got, "MessageId") {
		t.Errorf("a receive during which measuring began was answered with %s", got)
	}
	b.send()
	b.receive("jobs")
	got := collected(t, reader, "cloud.account.id", "cloud.region", "messaging.system", "messaging.system.name", "rpc.system", "rpc.system.name")
	for _, want := range []string{
		"rpc.server.call.duration SQS/SendMessage sqs-json = 1 times 0", "rpc.server.call.duration SQS/ReceiveMessage sqs-json = 1 times 0",
		"sluice.receive.parked = 0", "sluice.receive.wait jobs = 1 times 0",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("metrics = %q, want %q among them", got, want)
		}
	}
}

// waking wakes whoever measures in the midst of a receive.
type waking struct {
	core.Broker
	awake *atomic.Bool
}

func (w waking) Receive(ctx context.Context, key core.QueueKey, r core.ReceiveRequest) ([]core.Received, error) {
	got, err := w.Broker.Receive(ctx, key, r)
	w.awake.Store(true)
	return got, err
}

func TestMetricsNameABoundedNumberOfQueues(t *testing.T) {
	b, reader := measured(t, 2)
	for i := range 5 {
		b.sqs("CreateQueue", fmt.Sprintf(`{"QueueName":"q%d"}`, i))
		b.sqs("ReceiveMessage", fmt.Sprintf(`{"QueueUrl":"http://localhost/000000000000/q%d"}`, i))
		b.sqs("SendMessage", fmt.Sprintf(`{"QueueUrl":"http://localhost/000000000000/q%d","MessageBody":"m"}`, i))
		b.sqs("ReceiveMessage", fmt.Sprintf(`{"QueueUrl":"http://localhost/000000000000/made-up-%d"}`, i))
	}
	depths := map[string]bool{}
	for _, line := range collected(t, reader, "cloud.account.id", "cloud.region") {
		if rest, ok := strings.CutPrefix(line, "sluice.queue.depth "); ok && strings.Contains(rest, "visible") {
			depths[rest] = true
		}
	}
	if len(depths) != 3 || !depths["_OTHER visible = 3"] {
		t.Errorf("depths = %v, want two queues of their own and 3 messages in the others", depths)
	}
}

func TestRequestsAreLoggedWhenAsked(t *testing.T) {
	var log bytes.Buffer
	b := &bench{t: t}
	b.open(&traced.Options{Log: slog.New(slog.NewJSONHandler(&log, nil)), Now: func() time.Time { return epoch }}, nil)
	b.receive("none")
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("the log is %q, want one line of JSON: %v", log.String(), err)
	}
	for key, want := range map[string]any{
		"dialect": "sqs-json", "operation": "ReceiveMessage", "status": 400.0, "error": "AWS.SimpleQueueService.NonExistentQueue", "path": "/",
	} {
		if line[key] != want {
			t.Errorf("%s of the line = %v, want %v", key, line[key], want)
		}
	}
}

// falling is a dialect that panics.
type falling struct{ protocols.Dialect }

func (falling) Name() string { return "sqs-falling" }

func (falling) Decode(r *http.Request) (*protocols.Call, error) {
	if r.URL.Path == "/decode" {
		panic("decoding")
	}
	if r.URL.Path == "/encode" {
		return &protocols.Call{Request: r, Run: func(context.Context) (any, error) { return nil, nil }}, nil
	}
	return &protocols.Call{Request: r, Run: func(context.Context) (any, error) { panic("running") }}, nil
}

func (falling) Encode(http.ResponseWriter, *protocols.Call, any) error { panic(http.ErrAbortHandler) }

func (falling) Fail(w http.ResponseWriter, _ *protocols.Call, _ error) {
	w.WriteHeader(http.StatusInternalServerError)
}

func TestPanicsAreAnsweredAndTraced(t *testing.T) {
	for _, path := range []string{"/decode", "/run"} {
		spans := tracetest.NewSpanRecorder()
		decorate, err := traced.Dialect(traced.Options{Tracers: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))})
		if err != nil {
			t.Fatal(err)
		}
		faults := 0
		h := protocols.NewHandler([]protocols.Dialect{decorate(falling{})}, func(*protocols.Call, error) { faults++ })
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
		if w.Code != http.StatusInternalServerError || faults != 1 {
			t.Errorf("%s: status %d with %d faults, want 500 with one", path, w.Code, faults)
		}
		if ended := spans.Ended(); len(ended) != 1 || ended[0].Status().Code != codes.Error {
			t.Errorf("%s: %d spans have ended, want one that is an error", path, len(ended))
		}
	}
}

func TestAnswersThatAreBrokenOffEndTheirSpans(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	decorate, err := traced.Dialect(traced.Options{Tracers: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))})
	if err != nil {
		t.Fatal(err)
	}
	h := protocols.NewHandler([]protocols.Dialect{decorate(falling{})}, func(*protocols.Call, error) {})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the answer was not broken off")
			}
		}()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/encode", nil))
	}()
	if n := len(spans.Ended()); n != 1 {
		t.Errorf("%d spans have ended, want one", n)
	}
}
