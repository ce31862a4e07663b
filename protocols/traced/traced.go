// Package traced makes a span, a measurement and a line of log of each request, as a decorator of dialects: around what
// they do and without a change to it. It knows the dialects only by what every dialect has, and no provider. What a
// request was about in the engine is added by core/traced to the same span.
package traced

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/sluicemq/sluice/persistence/traced/names"
	"github.com/sluicemq/sluice/protocols"
)

// Options say what becomes of requests. What is nil is not done.
type Options struct {
	// Tracers make a SERVER span for each request. Its parent is what Propagator finds in the headers.
	Tracers    trace.TracerProvider
	Propagator propagation.TextMapPropagator
	// Meters measure the duration of requests, and so count them.
	Meters metric.MeterProvider
	// Log gets a line for each request.
	Log *slog.Logger
	// Now is the time by which durations are measured. It must be there if Meters or Log is.
	Now func() time.Time
	// Awake, if set, is false as long as nothing of this is to be done: requests then pass by.
	Awake *atomic.Bool
}

func (o *Options) asleep() bool { return o.Awake != nil && !o.Awake.Load() }

// Dialect returns a decorator of dialects. Returns the error of the provider of meters.
func Dialect(o Options) (func(protocols.Dialect) protocols.Dialect, error) {
	d := dialect{o: o}
	if o.Tracers != nil {
		d.tracer = o.Tracers.Tracer(names.Scope, trace.WithSchemaURL(names.SchemaURL))
	}
	if o.Propagator == nil {
		d.o.Propagator = propagation.TraceContext{}
	}
	for _, name := range d.o.Propagator.Fields() {
		d.carriers = append(d.carriers, http.CanonicalHeaderKey(name))
	}
	var err error
	if o.Meters != nil {
		in := &names.Instruments{Meter: o.Meters.Meter(names.Scope, metric.WithSchemaURL(names.SchemaURL))}
		d.duration, err = in.Call(), in.Err
	}
	return func(inner protocols.Dialect) protocols.Dialect {
		of := d
		of.Dialect = inner
		provider, _, _ := strings.Cut(inner.Name(), "-")
		of.system = names.SystemOf(provider)
		of.coder, _ = inner.(protocols.Coder)
		of.results = new(sync.Map)
		return &of
	}, err
}

// serving is of every span.
var serving = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}

type dialect struct {
	protocols.Dialect
	o        Options
	tracer   trace.Tracer
	duration metric.Float64Histogram
	system   names.System
	coder    protocols.Coder
	carriers []string  // the headers that Propagator reads
	results  *sync.Map // of result to []metric.RecordOption
}

// result is what requests are told apart by in metrics. Operations and codes are from the tables of dialects, so there
// is a bounded number of them.
type result struct{ operation, code string }

// exchange stands in Call.Detail for that of the dialect itself from Decode until the answer, and between the
// dialect and the client while that is written.
type exchange struct {
	http.ResponseWriter
	detail any
	began  time.Time
	span   trace.Span // nil if there are no traces
	code   string     // of the error that is answered
	status int
	size   int
}

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) {
	x.status = status
	x.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (x *exchange) Write(b []byte) (int, error) {
	n, err := x.ResponseWriter.Write(b)
	x.size += n
	return n, err
}

// Decode implements protocols.Dialect. The call that it returns runs within the request's span, if that is recorded.
func (d *dialect) Decode(r *http.Request) (*protocols.Call, error) {
	if d.o.asleep() {
		return d.Dialect.Decode(r)
	}
	x := &exchange{}
	if d.o.Now != nil {
		x.began = d.o.Now()
	}
	if d.tracer != nil {
		ctx := r.Context()
		if slices.ContainsFunc(d.carriers, func(name string) bool { return r.Header[name] != nil }) {
			ctx = d.o.Propagator.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		ctx, x.span = d.tracer.Start(ctx, d.system.Name, serving...)
		if x.span.IsRecording() {
			r = r.WithContext(ctx)
		}
	}
	decoded := false
	defer func() { // a panic is answered without a decoded call, and so without this span
		if !decoded && x.span != nil {
			x.span.SetStatus(codes.Error, "panic")
			x.span.End()
		}
	}()
	c, err := d.Dialect.Decode(r)
	decoded = true
	x.detail, c.Detail = c.Detail, x
	if x.span == nil || !x.span.IsRecording() {
		return c, err
	}
	c.Request = r
	d.describe(x.span, c, r)
	if run := c.Run; run != nil {
		c.Run = func(ctx context.Context) (any, error) { return run(trace.ContextWithSpan(ctx, x.span)) }
	}
	return c, err
}

// describe says what a request asks for, and who does.
func (d *dialect) describe(span trace.Span, c *protocols.Call, r *http.Request) {
	operation := cmp.Or(c.Operation, "unknown")
	span.SetName(d.system.Name + "." + operation)
	attributes := append(make([]attribute.KeyValue, 0, 20), d.system.RPC)
	attributes = append(attributes, d.system.Attributes...)
	attributes = append(attributes,
		names.Dialect(d.Name()), names.Method(d.system.Name+"/"+operation), names.OperationName(operation),
		names.RequestMethod(r.Method), names.Path(r.URL.Path))
	if r.ContentLength > 0 {
		attributes = append(attributes, names.RequestSize(int(r.ContentLength)))
	}
	if agent := r.UserAgent(); agent != "" {
		attributes = append(attributes, names.UserAgent(agent))
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	attributes = append(attributes, names.ServerAddress(host))
	if n, err := strconv.Atoi(port); err == nil {
		attributes = append(attributes, names.ServerPort(n))
	}
	if client, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		attributes = append(attributes, names.ClientAddress(client))
	}
	span.SetAttributes(attributes...)
}

// unwrap gives the dialect its own detail back. A call that was not decoded has no exchange; it gets one that nobody
// has begun.
func unwrap(w http.ResponseWriter, c *protocols.Call) *exchange {
	x, ok := c.Detail.(*exchange)
	if !ok {
		return &exchange{ResponseWriter: w}
	}
	c.Detail, x.ResponseWriter = x.detail, w
	return x
}

// Encode implements protocols.Dialect.
func (d *dialect) Encode(w http.ResponseWriter, c *protocols.Call, answer any) error {
	if d.o.asleep() {
		return d.Dialect.Encode(w, c, answer)
	}
	x := unwrap(w, c)
	defer d.finish(x, c) // also if the answer is broken off, which is a panic
	err := d.Dialect.Encode(x, c, answer)
	if err != nil && x.span != nil {
		x.span.SetStatus(codes.Error, "the answer was not written")
	}
	return err
}

// Fail implements protocols.Dialect.
func (d *dialect) Fail(w http.ResponseWriter, c *protocols.Call, err error) {
	if d.o.asleep() {
		d.Dialect.Fail(w, c, err)
		return
	}
	x := unwrap(w, c)
	defer d.finish(x, c)
	if d.coder != nil {
		x.code = d.coder.Code(c, err)
	}
	x.code = cmp.Or(x.code, "_OTHER")
	if x.span != nil && protocols.IsFault(err) {
		x.span.SetStatus(codes.Error, x.code)
	}
	d.Dialect.Fail(x, c, err)
}

// Code implements protocols.Coder, for decorators around this one.
func (d *dialect) Code(c *protocols.Call, err error) string {
	if d.coder == nil {
		return ""
	}
	if x, ok := c.Detail.(*exchange); ok {
		c.Detail = x.detail
		defer func() { c.Detail = x }()
	}
	return d.coder.Code(c, err)
}

// finish records what came of a request.
func (d *dialect) finish(x *exchange, c *protocols.Call) {
	var took time.Duration
	if !x.began.IsZero() {
		took = d.o.Now().Sub(x.began)
	}
	if d.duration != nil && !x.began.IsZero() {
		d.duration.Record(c.Request.Context(), took.Seconds(), d.option(c.Operation, x.code)...)
	}
	if d.o.Log != nil {
		d.o.Log.LogAttrs(c.Request.Context(), slog.LevelInfo, "request", slog.String("dialect", d.Name()),
			slog.String("operation", c.Operation), slog.String("path", c.Request.URL.Path), slog.Int("status", x.status),
			slog.String("error", x.code), slog.Duration("took", took), slog.String("request", c.RequestID))
	}
	if x.span == nil {
		return
	}
	if x.span.IsRecording() {
		x.span.SetAttributes(d.system.RequestID(c.RequestID), names.Status(x.status), names.ResponseSize(x.size))
		if x.code != "" {
			x.span.SetAttributes(names.ErrorType(x.code))
		}
	}
	x.span.End()
}

// option returns the attributes of a result in metrics.
func (d *dialect) option(operation, code string) []metric.RecordOption {
	r := result{operation, code}
	if known, ok := d.results.Load(r); ok {
		return known.([]metric.RecordOption)
	}
	attributes := []attribute.KeyValue{
		d.system.RPC, names.Dialect(d.Name()), names.Method(d.system.Name + "/" + cmp.Or(operation, "unknown")),
	}
	if code != "" {
		attributes = append(attributes, names.ErrorType(code))
	}
	made := []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(attributes...))}
	d.results.Store(r, made)
	return made
}
