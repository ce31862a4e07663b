package traced_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/sluicemq/sluice/core"
	coretraced "github.com/sluicemq/sluice/core/traced"
	"github.com/sluicemq/sluice/protocols/traced"
)

// BenchmarkSend compares a send through the whole of a dialect and the engine with telemetry around it and without. The
// exporter throws away what it gets.
func BenchmarkSend(bm *testing.B) {
	batched := func(s sdktrace.Sampler) *sdktrace.TracerProvider {
		return sdktrace.NewTracerProvider(sdktrace.WithBatcher(tracetest.NewNoopExporter()), sdktrace.WithSampler(s))
	}
	for _, with := range []struct {
		name    string
		tracers *sdktrace.TracerProvider
		metrics bool
	}{
		{"off", nil, false},
		{"metrics", nil, true},
		{"traces of 1 in 10, metrics", batched(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(0.1))), true},
		{"traces of all, metrics", batched(sdktrace.AlwaysSample()), true},
	} {
		bm.Run(with.name, func(bm *testing.B) {
			b := &bench{t: bm}
			o := &traced.Options{Now: time.Now}
			var observers []core.Observer
			var lives *coretraced.Lives
			var metrics *coretraced.Metrics
			if with.tracers != nil {
				lives = coretraced.NewLives(with.tracers, 0)
				o.Tracers, observers = with.tracers, append(observers, lives)
			}
			if with.metrics {
				meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
				metrics, _ = coretraced.NewMetrics(meters, 0)
				o.Meters, observers = meters, append(observers, metrics)
			}
			if len(observers) == 0 {
				b.open(nil, nil)
			} else {
				b.open(o, coretraced.Broker(lives, metrics), observers...)
			}
			b.queues()
			bm.ReportAllocs()
			for bm.Loop() {
				r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(`{"QueueUrl":"http://localhost/000000000000/jobs","MessageBody":"m"}`))
				r.Header["Content-Type"] = []string{"application/x-amz-json-1.0"}
				r.Header["X-Amz-Target"] = []string{"AmazonSQS.SendMessage"}
				b.handler.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
