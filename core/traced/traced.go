// Package traced makes traces and metrics of what the engine does, from the outside: of its events, and as a decorator
// of core.Broker. The engine knows nothing of it, and whoever does not ask for telemetry has none of it in the way.
//
// Lives draws the life of each message as spans in the trace of its producer. Metrics counts and measures. Broker
// adds to the span of a request what it was about, and links receives to producers.
package traced

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/trace"

	"github.com/sluicemq/sluice/core"
)

// Observer returns one observer for both, either of which may be nil: the engine pays for each observer anew.
func Observer(lives *Lives, metrics *Metrics) core.Observer {
	switch {
	case lives == nil:
		return metrics
	case metrics == nil:
		return lives
	}
	return both{lives, metrics}
}

type both struct {
	lives   *Lives
	metrics *Metrics
}

// Observe implements core.Observer.
func (b both) Observe(e core.Event) {
	b.lives.Observe(e)
	b.metrics.Observe(e)
}

// contextOf reads the context in which a message was made. It is not valid if the message has none, or a malformed one.
func contextOf(t core.Trace) trace.SpanContext {
	if len(t.Parent) < 55 {
		return trace.SpanContext{}
	}
	flags, err := strconv.ParseUint(t.Parent[53:55], 16, 8)
	if err != nil {
		return trace.SpanContext{}
	}
	// What is not read is zero, and so not valid.
	traceID, _ := trace.TraceIDFromHex(t.Parent[3:35])
	spanID, _ := trace.SpanIDFromHex(t.Parent[36:52])
	state, _ := trace.ParseTraceState(t.State)
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceID, SpanID: spanID, TraceFlags: trace.TraceFlags(flags) & trace.FlagsSampled, TraceState: state, Remote: true,
	})
}

// traceOf is the trace that a span gives to the messages that are made in it.
func traceOf(c trace.SpanContext) core.Trace {
	return core.Trace{
		Parent: "00-" + c.TraceID().String() + "-" + c.SpanID().String() + "-" + c.TraceFlags().String(),
		State:  c.TraceState().String(),
	}
}

// under returns a context in which spans become children of another process's span.
func under(parent trace.SpanContext) context.Context {
	return trace.ContextWithRemoteSpanContext(context.Background(), parent)
}

// recent is a map that forgets what was not used for longest, once it has more than a bound. It keeps two generations:
// when the young one is half of the bound it becomes the old one, and the old one is forgotten.
type recent[K comparable, V any] struct {
	half       int
	young, old map[K]V
}

func newRecent[K comparable, V any](bound int) *recent[K, V] {
	return &recent[K, V]{half: max(bound/2, 1), young: map[K]V{}}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.young[k]
	if ok {
		return v, true
	}
	if v, ok = r.old[k]; ok {
		delete(r.old, k)
		r.put(k, v)
	}
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	if _, known := r.young[k]; !known && len(r.young) >= r.half {
		r.old, r.young = r.young, make(map[K]V)
	}
	r.young[k] = v
	delete(r.old, k)
}

func (r *recent[K, V]) drop(k K) {
	delete(r.young, k)
	delete(r.old, k)
}

// all calls a function for each entry, which it may drop.
func (r *recent[K, V]) all(visit func(K, V)) {
	for _, generation := range []map[K]V{r.young, r.old} {
		for k, v := range generation {
			visit(k, v)
		}
	}
}
