package otlp

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

var (
	traceID = TraceID{0x57, 0x59, 0xe9, 0x88, 15: 1}
	spanID  = SpanID{0x53, 7: 2}
)

func textValue(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: s}}
}

func attribute(key string, v *common.AnyValue) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: v}
}

// official is a request made by the generated code of the protocol.
func official() *collector.ExportTraceServiceRequest {
	list := &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{
		textValue("a"), {Value: &common.AnyValue_IntValue{IntValue: -7}},
	}}}}
	dict := &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{Values: []*common.KeyValue{
		attribute("k", list), attribute("b", &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}}),
	}}}}
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{attribute("service.name", textValue("shop"))}},
		ScopeSpans: []*trace.ScopeSpans{{
			Scope: &common.InstrumentationScope{Name: "lib"},
			Spans: []*trace.Span{{
				TraceId: traceID[:], SpanId: spanID[:], ParentSpanId: []byte{1, 2, 3, 4, 5, 6, 7, 8},
				Name: "send orders", Kind: trace.Span_SPAN_KIND_PRODUCER, StartTimeUnixNano: 1e9, EndTimeUnixNano: 2e9,
				Attributes: []*common.KeyValue{
					attribute("text", textValue("v")), attribute("map", dict),
					attribute("double", &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: 1.5}}),
					attribute("bytes", &common.AnyValue{Value: &common.AnyValue_BytesValue{BytesValue: []byte{1, 2}}}),
				},
				Events: []*trace.Span_Event{{TimeUnixNano: 15e8, Name: "retry", Attributes: []*common.KeyValue{attribute("n", textValue("1"))}}},
				Links:  []*trace.Span_Link{{TraceId: bytes.Repeat([]byte{9}, 16), SpanId: bytes.Repeat([]byte{8}, 8)}},
				Status: &trace.Status{Code: trace.Status_STATUS_CODE_ERROR, Message: "no"},
			}, {Name: "without ids"}},
		}},
	}}}
}

var want = &Span{
	Trace: traceID, ID: spanID, Parent: SpanID{1, 2, 3, 4, 5, 6, 7, 8}, Name: "send orders", Service: "shop", Scope: "lib",
	Kind: "producer", Start: time.Unix(1, 0).UTC(), End: time.Unix(2, 0).UTC(), Failed: true, Message: "no",
	Attributes: []Attribute{{"text", "v"}, {"map", `{"k":["a",-7],"b":true}`}, {"double", "1.5"}, {"bytes", "AQI="}},
	Events:     []Event{{"retry", time.UnixMilli(1500).UTC(), []Attribute{{"n", "1"}}}},
	Links:      []Link{{TraceID(bytes.Repeat([]byte{9}, 16)), SpanID(bytes.Repeat([]byte{8}, 8))}},
}

// inJSON is the same request as the specification's mapping has it.
var inJSON = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"scope":{"name":"lib","version":"1"},
 "spans":[{"traceId":"` + traceID.String() + `","spanId":"` + strings.ToUpper(spanID.String()) + `","parentSpanId":"0102030405060708","name":"send orders","kind":4,
 "startTimeUnixNano":"1000000000","endTimeUnixNano":2000000000,"unknown":[{}],
 "attributes":[{"key":"text","value":{"stringValue":"v"}},
  {"key":"map","value":{"kvlistValue":{"values":[{"key":"k","value":{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":"-7"}]}}},{"key":"b","value":{"boolValue":true}}]}}},
  {"key":"double","value":{"doubleValue":1.5}},{"key":"bytes","value":{"bytesValue":"AQI="}}],
 "events":[{"timeUnixNano":"1500000000","name":"retry","attributes":[{"key":"n","value":{"stringValue":"1"}}]}],
 "links":[{"traceId":"09090909090909090909090909090909","spanId":"0808080808080808"}],"status":{"code":2,"message":"no"}},{"name":"without ids"}]}]}]}`

func inProtobuf(t testing.TB) []byte {
	t.Helper()
	b, err := proto.Marshal(official())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func zipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func post(r *Receiver, kind, encoding string, body io.Reader) *httptest.ResponseRecorder {
	q := httptest.NewRequest(http.MethodPost, Path, body)
	q.Header.Set("Content-Type", kind)
	if encoding != "" {
		q.Header.Set("Content-Encoding", encoding)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, q)
	return w
}

func TestSpansAreTakenInEveryForm(t *testing.T) {
	binary := inProtobuf(t)
	for _, tt := range []struct {
		name, kind, encoding string
		body                 []byte
	}{
		{"protobuf", protobufType, "", binary},
		{"protobuf, gzip", protobufType, "gzip", zipped(t, binary)},
		{"JSON", jsonType + "; charset=utf-8", "identity", []byte(inJSON)},
		{"JSON, gzip", jsonType, "gzip", zipped(t, []byte(inJSON))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(Options{})
			for range 2 { // an exporter that has seen no answer sends it again
				w := post(r, tt.kind, tt.encoding, bytes.NewReader(tt.body))
				if w.Code != http.StatusOK {
					t.Fatalf("status %d: %s", w.Code, w.Body)
				}
				kind, _, _ := strings.Cut(tt.kind, ";")
				if got := w.Header().Get("Content-Type"); got != kind {
					t.Errorf("Content-Type = %q, want %q", got, kind)
				}
				if kind == protobufType {
					var answer collector.ExportTraceServiceResponse
					if err := proto.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.PartialSuccess.GetRejectedSpans() != 1 {
						t.Errorf("answer = %v, %v, want one rejected span", &answer, err)
					}
				} else if !strings.Contains(w.Body.String(), `"rejectedSpans":"1"`) {
					t.Errorf("answer = %s, want one rejected span", w.Body)
				}
			}
			if diff := cmp.Diff([]*Span{want}, r.Spans(traceID)); diff != "" {
				t.Errorf("Spans (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoExportIsRefused(t *testing.T) {
	binary := inProtobuf(t)
	bomb := zipped(t, make([]byte, 6<<20))
	for _, tt := range []struct {
		name, kind, encoding string
		body                 []byte
		want                 int
	}{
		{"other type", "text/plain", "", binary, http.StatusUnsupportedMediaType},
		{"no type", "", "", binary, http.StatusUnsupportedMediaType},
		{"other encoding", protobufType, "br", binary, http.StatusUnsupportedMediaType},
		{"no gzip", protobufType, "gzip", binary, http.StatusBadRequest},
		{"cut gzip", protobufType, "gzip", zipped(t, binary)[:30], http.StatusBadRequest},
		{"bomb", protobufType, "gzip", bomb, http.StatusRequestEntityTooLarge},
		{"too large", protobufType, "", make([]byte, 4<<20+1), http.StatusRequestEntityTooLarge},
		{"cut protobuf", protobufType, "", binary[:len(binary)-3], http.StatusBadRequest},
		{"cut JSON", jsonType, "", []byte(inJSON[:100]), http.StatusBadRequest},
		{"list in place of a number", jsonType, "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":[]}]}]}]}`), http.StatusBadRequest},
		{"deep JSON", jsonType, "", []byte(strings.Repeat("[", 5000) + strings.Repeat("]", 5000)), http.StatusRequestEntityTooLarge},
		{"many objects", jsonType, "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{}` + strings.Repeat(",{}", maxObjects) + `]}]}]}`), http.StatusRequestEntityTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(Options{})
			w := post(r, tt.kind, tt.encoding, bytes.NewReader(tt.body))
			if w.Code != tt.want || r.Len() != 0 {
				t.Errorf("status %d with %d spans, want %d with none; body %q", w.Code, r.Len(), tt.want, w.Body)
			}
		})
	}
	t.Run("unknown length", func(t *testing.T) {
		w := post(New(Options{}), protobufType, "", io.LimitReader(zeros{}, 5<<20))
		if w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d, want 413", w.Code)
		}
	})
	t.Run("other method", func(t *testing.T) {
		w := httptest.NewRecorder()
		New(Options{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, Path, nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodPost {
			t.Errorf("status %d, Allow %q, want 405 and POST", w.Code, w.Header().Get("Allow"))
		}
	})
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestValuesAreBounded(t *testing.T) {
	deep := textValue("end")
	for range 100 {
		deep = &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{deep}}}}
	}
	q := official()
	s := q.ResourceSpans[0].ScopeSpans[0].Spans[0]
	s.Attributes = []*common.KeyValue{attribute("deep", deep), attribute("long", textValue(strings.Repeat("é", 5000))), attribute("odd", textValue("a"))}
	for i := range 500 {
		s.Attributes = append(s.Attributes, attribute(fmt.Sprint(i), textValue("v")))
		s.Events = append(s.Events, s.Events[0])
		s.Links = append(s.Links, s.Links[0])
	}
	body, err := proto.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	r := New(Options{})
	if w := post(r, protobufType, "", bytes.NewReader(body)); w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	got := r.Spans(traceID)[0]
	if len(got.Attributes) != maxAttributes || len(got.Events) != maxEvents || len(got.Links) != maxLinks {
		t.Errorf("%d attributes, %d events, %d links, want their bounds", len(got.Attributes), len(got.Events), len(got.Links))
	}
	if v := got.Attributes[0].Value; !strings.Contains(v, "[...]") || strings.Contains(v, "end") {
		t.Errorf("deep value = %q, want it cut", v)
	}
	if v := got.Attributes[1].Value; len(v) != maxValue || strings.Trim(v, "é") != "" {
		t.Errorf("long value has %d bytes that end in %q, want %d of whole characters", len(v), v[len(v)-4:], maxValue)
	}
}

// An event that says nothing takes two bytes, and room for some hundred in memory.
func TestSpansOfManyEmptyEventsAreRefused(t *testing.T) {
	field := func(to []byte, n protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(to, n, protowire.BytesType), content)
	}
	span := field(field(nil, 1, bytes.Repeat([]byte{1}, 16)), 2, bytes.Repeat([]byte{1}, 8))
	for range maxEvents {
		span = field(span, 11, nil)
	}
	var spans []byte
	for range maxObjects/maxEvents + 1 {
		spans = field(spans, 2, span)
	}
	body := field(nil, 1, field(nil, 2, spans))
	r := New(Options{})
	if w := post(r, protobufType, "", bytes.NewReader(body)); w.Code != http.StatusRequestEntityTooLarge || r.Len() != 0 {
		t.Errorf("%d bytes with %d events = %d, and %d spans are kept, want 413 and none", len(body), maxObjects+maxEvents, w.Code, r.Len())
	}
}

func TestOldSpansGiveWay(t *testing.T) {
	span := func(trace, id byte, name string) *Span {
		return &Span{Trace: TraceID{trace}, ID: SpanID{id}, Name: name, Start: time.Unix(int64(100-id), 0)}
	}
	t.Run("by number", func(t *testing.T) {
		r := newRing(100, 1<<20)
		for i := range 250 {
			r.add([]*Span{span(byte(i%3), byte(i), "")})
		}
		if r.len() != 100 || len(r.known) != 100 || len(r.traces) != 3 {
			t.Errorf("%d spans, %d known, %d traces, want 100, 100 and 3", r.len(), len(r.known), len(r.traces))
		}
		n := 0
		for trace := range r.traces {
			n += len(r.spans(trace))
		}
		if n != 100 {
			t.Errorf("traces have %d spans, want 100", n)
		}
	})
	t.Run("by size", func(t *testing.T) {
		r := newRing(100, 10*spanBytes)
		for i := range 50 {
			r.add([]*Span{span(1, byte(i), strings.Repeat("n", 80))})
		}
		if r.len() != 8 || r.bytes > r.maxBytes {
			t.Errorf("%d spans of %d bytes, want 8 within %d", r.len(), r.bytes, r.maxBytes)
		}
		r.add([]*Span{span(2, 1, strings.Repeat("n", 20*spanBytes))})
		if r.len() != 8 {
			t.Errorf("%d spans after one that is too large, want 8", r.len())
		}
	})
	t.Run("in order of their starts", func(t *testing.T) {
		r := newRing(100, 1<<20)
		r.add([]*Span{span(1, 1, "late"), span(1, 2, "early")})
		if got := r.spans(TraceID{1}); len(got) != 2 || got[0].Name != "early" {
			t.Errorf("spans = %v, want the early one first", got)
		}
	})
}

func TestTraceIDsAreRead(t *testing.T) {
	if got, ok := ParseTraceID(traceID.String()); !ok || got != traceID {
		t.Errorf("ParseTraceID(%s) = %v, %v", traceID, got, ok)
	}
	for _, bad := range []string{"", "x", strings.Repeat("0", 32), strings.Repeat("x", 32)} {
		if got, ok := ParseTraceID(bad); ok {
			t.Errorf("ParseTraceID(%q) = %v, want none", bad, got)
		}
	}
}

func FuzzReadProtobuf(f *testing.F) {
	f.Add(inProtobuf(f))
	f.Add([]byte{0x0a, 0x02, 0x12, 0x00})
	f.Add(protowire.AppendTag(nil, 1, protowire.StartGroupType))
	f.Fuzz(func(t *testing.T, body []byte) {
		spans, _, err := readProtobuf(body)
		if err == nil {
			check(t, spans, len(body))
		}
	})
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(inJSON))
	f.Add([]byte(`{"resourceSpans":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		spans, _, err := readJSON(body)
		if err == nil {
			check(t, spans, len(body))
		}
	})
}

// check holds spans against their bounds, and against the body that they were made of.
func check(t *testing.T, spans []*Span, body int) {
	t.Helper()
	r := newRing(1000, 1<<20)
	r.add(spans)
	for _, s := range spans {
		if !s.valid() {
			t.Errorf("span %s of trace %s is not valid", s.ID, s.Trace)
		}
		for _, a := range s.Attributes {
			if len(a.Key) > maxName+8 || len(a.Value) > 3*maxValue {
				t.Errorf("attribute %d: %d bytes", len(a.Key), len(a.Value))
			}
		}
		if _, err := hex.DecodeString(s.Trace.String()); err != nil {
			t.Error(err)
		}
	}
	if len(spans) > body {
		t.Errorf("%d spans of %d bytes", len(spans), body)
	}
}
