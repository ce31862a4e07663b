package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/contrib/propagators/autoprop"
	"go.opentelemetry.io/contrib/propagators/aws/xray"
	"go.opentelemetry.io/otel"
	promexporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/sluicemq/sluice"
	coretraced "github.com/sluicemq/sluice/core/traced"
	storetraced "github.com/sluicemq/sluice/persistence/traced"
	"github.com/sluicemq/sluice/persistence/traced/names"
	"github.com/sluicemq/sluice/protocols/traced"
)

// flushLimit is how long the end of the program waits for what was traced and measured to leave it.
const flushLimit = 3 * time.Second

// telemetry is what the standard variables of OpenTelemetry ask for, and the metrics of the admin port. What nobody asks
// for is not made, and nothing of it stands in the way of a request.
type telemetry struct {
	// Metrics answers with all metrics in the text form of Prometheus. Nil if they were not wanted.
	Metrics http.Handler

	tracers *sdktrace.TracerProvider // nil without traces
	meters  *sdkmetric.MeterProvider // nil without metrics
	queues  *coretraced.Metrics      // nil without metrics
	awake   *atomic.Bool             // false until Metrics is first asked; nil if there is more that wants to be told
}

// signals are what the environment asks for.
type signals struct{ traces, metrics bool }

// askedFor reads the standard variables. Exporters have defaults which would have every program look for a collector
// on this machine; here nothing is exported unless one of the variables says where, or how.
func askedFor(env lookup) signals {
	get := func(name string) string {
		v, _ := env(name)
		return v
	}
	if get("OTEL_SDK_DISABLED") == "true" {
		return signals{}
	}
	asked := func(exporter, endpoint string) bool {
		way := get(exporter)
		return way != "none" && cmp.Or(way, get(endpoint), get("OTEL_EXPORTER_OTLP_ENDPOINT")) != ""
	}
	return signals{
		traces:  asked("OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
		metrics: asked("OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"),
	}
}

// telemetryOptions say what there is to be.
type telemetryOptions struct {
	signals
	scraped  bool         // Metrics is wanted, whatever the environment asks for
	log      *slog.Logger // of what goes wrong with exporters
	requests bool         // log gets a line for each request
}

// newTelemetry makes what is asked for and puts it around the parts of a server that is about to be opened.
func newTelemetry(ctx context.Context, want telemetryOptions, o *sluice.Options) (*telemetry, error) {
	t := &telemetry{}
	if want.traces || want.metrics {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { want.log.Warn("telemetry: " + err.Error()) }))
	}
	if want.traces || want.metrics || want.scraped {
		described, err := resource.New(ctx, resource.WithAttributes(names.Resource(sluice.Version)...),
			resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
		if err != nil && !errors.Is(err, resource.ErrPartialResource) {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
		if err := errors.Join(t.trace(ctx, want.traces, described), t.measure(ctx, want.metrics, want.scraped, described)); err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
	}
	var requests *slog.Logger
	if want.requests {
		requests = want.log
	}
	return t, t.decorate(o, requests, want.metrics)
}

func (t *telemetry) trace(ctx context.Context, wanted bool, described *resource.Resource) error {
	if !wanted {
		return nil
	}
	exporter, err := autoexport.NewSpanExporter(ctx)
	if err != nil {
		return fmt.Errorf("OTEL_TRACES_EXPORTER=%s: %w", os.Getenv("OTEL_TRACES_EXPORTER"), err)
	}
	t.tracers = sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described))
	return nil
}

func (t *telemetry) measure(ctx context.Context, exported, scraped bool, described *resource.Resource) error {
	options := []sdkmetric.Option{sdkmetric.WithResource(described)}
	if exported {
		reader, err := autoexport.NewMetricReader(ctx)
		if err != nil {
			return fmt.Errorf("OTEL_METRICS_EXPORTER=%s: %w", os.Getenv("OTEL_METRICS_EXPORTER"), err)
		}
		options = append(options, sdkmetric.WithReader(reader))
	}
	if scraped {
		registry := prometheus.NewRegistry()
		registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		exporter, err := promexporter.New(promexporter.WithRegisterer(registry))
		if err != nil {
			return err
		}
		options = append(options, sdkmetric.WithReader(exporter))
		t.Metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
	}
	if exported || scraped {
		t.meters = sdkmetric.NewMeterProvider(options...)
	}
	return nil
}

// decorate puts telemetry around the parts of a server.
func (t *telemetry) decorate(o *sluice.Options, requests *slog.Logger, exported bool) error {
	if t.tracers == nil && t.meters == nil && requests == nil {
		return nil
	}
	if t.tracers == nil && requests == nil && !exported {
		t.sleep()
	}
	around := traced.Options{Log: requests, Now: time.Now, Awake: t.awake}
	var lives *coretraced.Lives
	if t.tracers != nil {
		around.Tracers = t.tracers
		// Of two contexts in one request the last that is read counts.
		around.Propagator = autoprop.NewTextMapPropagator(xray.Propagator{}, propagation.TraceContext{}, propagation.Baggage{})
		lives = coretraced.NewLives(t.tracers, 0)
	}
	if t.meters != nil {
		around.Meters = t.meters
		if err := t.measureEngine(o); err != nil {
			return err
		}
	}
	var err error
	o.Decorate.Dialect, err = traced.Dialect(around)
	if lives != nil || t.queues != nil {
		o.Observers = append(o.Observers, coretraced.Observer(lives, t.queues))
		o.Decorate.Broker = coretraced.Broker(lives, t.queues)
	}
	return err
}

// measureEngine makes what measures queues and commits.
func (t *telemetry) measureEngine(o *sluice.Options) error {
	var err error
	if t.queues, err = coretraced.NewMetrics(t.meters, 0, sluice.DefaultSQS.Namespace(), o.SQS.Namespace(), o.MNS.Namespace()); err != nil {
		return err
	}
	t.queues.Wait(t.awake)
	o.Decorate.Store, err = storetraced.Store(t.meters, time.Now, t.awake)
	return err
}

// sleep puts counting off until somebody asks for what was counted: most servers on a developer's machine are never
// scraped, and counting costs a sixth of the requests a second. What Prometheus makes of counters, their growth from one
// scrape to the next, is the same.
func (t *telemetry) sleep() {
	t.awake = &atomic.Bool{}
	metrics, awake := t.Metrics, t.awake
	t.Metrics = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		awake.Store(true)
		metrics.ServeHTTP(w, r)
	})
}

// opened tells which server it is.
func (t *telemetry) opened(s *sluice.Server) {
	if t.queues != nil {
		t.queues.Losses(s.Dropped)
	}
}

// close sends what has not been sent yet. The server has been closed before, so that everything has been told.
func (t *telemetry) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	var err error
	if t.tracers != nil {
		err = t.tracers.Shutdown(ctx)
	}
	if t.meters != nil {
		err = errors.Join(err, t.meters.Shutdown(ctx))
	}
	if err != nil {
		log.Warn("telemetry: not all could be sent: " + err.Error())
	}
}
