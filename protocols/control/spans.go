package control

import (
	"github.com/sluicemq/sluice/protocols/otlp"
)

type span struct {
	TraceID    string            `json:"traceId"`
	SpanID     string            `json:"spanId"`
	ParentID   string            `json:"parentId"`
	Name       string            `json:"name"`
	Service    string            `json:"service"`
	Scope      string            `json:"scope"`
	Kind       string            `json:"kind"`
	Start      string            `json:"start"`
	End        string            `json:"end"`
	Failed     bool              `json:"failed"`
	Message    string            `json:"message"`
	Attributes map[string]string `json:"attributes"`
	Events     []spanEvent       `json:"events"`
	Links      []spanLink        `json:"links"`
}

type spanEvent struct {
	Name       string            `json:"name"`
	At         string            `json:"at"`
	Attributes map[string]string `json:"attributes"`
}

type spanLink struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

// Spans returns, for Options.Spans, the spans that a receiver has.
func Spans(r *otlp.Receiver) func(traceID string) []any {
	return func(traceID string) []any {
		id, ok := otlp.ParseTraceID(traceID)
		if !ok {
			return nil
		}
		var list []any
		for _, s := range r.Spans(id) {
			list = append(list, shownSpan(s))
		}
		return list
	}
}

func shownSpan(s *otlp.Span) span {
	out := span{
		TraceID: s.Trace.String(), SpanID: s.ID.String(), Name: s.Name, Service: s.Service, Scope: s.Scope, Kind: s.Kind,
		Start: stamp(s.Start), End: stamp(s.End), Failed: s.Failed, Message: s.Message,
		Attributes: named(s.Attributes), Events: []spanEvent{}, Links: []spanLink{},
	}
	if s.Parent != (otlp.SpanID{}) {
		out.ParentID = s.Parent.String()
	}
	for i := range s.Events {
		e := &s.Events[i]
		out.Events = append(out.Events, spanEvent{e.Name, stamp(e.At), named(e.Attributes)})
	}
	for _, l := range s.Links {
		out.Links = append(out.Links, spanLink{l.Trace.String(), l.ID.String()})
	}
	return out
}

func named(attributes []otlp.Attribute) map[string]string {
	m := make(map[string]string, len(attributes))
	for _, a := range attributes {
		m[a.Key] = a.Value
	}
	return m
}
