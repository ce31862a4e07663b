package main

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/sluicemq/sluice"
)

// The forms of logs.
const (
	logText = "text"
	logJSON = "json"
)

// logs are the settings of logs.
type logs struct {
	format   string
	requests bool // a line for each
}

// newLog returns a log that writes a line for each record.
func newLog(format string, w io.Writer) *slog.Logger {
	if format == logJSON {
		return slog.New(inTrace{slog.NewJSONHandler(w, nil)})
	}
	return slog.New(inTrace{slog.NewTextHandler(w, nil)})
}

// inTrace adds the ids of the trace and span in which something is logged.
type inTrace struct{ slog.Handler }

// Handle implements slog.Handler.
func (h inTrace) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h inTrace) WithAttrs(attrs []slog.Attr) slog.Handler {
	return inTrace{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h inTrace) WithGroup(name string) slog.Handler { return inTrace{h.Handler.WithGroup(name)} }

// logFaults returns what writes a line for each fault of the server.
func logFaults(log *slog.Logger) func(*sluice.Fault) {
	return func(f *sluice.Fault) {
		ctx := f.Context
		if ctx == nil {
			ctx = context.Background()
		}
		log.ErrorContext(ctx, f.Err.Error(), "operation", f.Operation, "request", f.RequestID)
	}
}
