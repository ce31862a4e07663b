// Package otlp takes the spans that applications export and keeps the latest of them, so that they can stand beside what
// the broker knows of the same trace without another program. It is the receiving half of OTLP over HTTP, for traces:
// protobuf and JSON, plain and gzip.
//
// It is no collector: nothing is forwarded, and what does not fit is forgotten. Messages are read by hand, field by
// field, and not by generated code: a body of a few MiB can claim millions of empty spans, each of which would become an
// object of some hundred bytes before anybody could count them.
package otlp

import (
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Path is where exporters send traces to, below the endpoint that they are told.
const Path = "/v1/traces"

// Options bound what a receiver takes and keeps. Zero values mean the defaults.
type Options struct {
	MaxBody int // bytes of a request, both as it is sent and decompressed; 4 MiB
	Bytes   int // about how much memory the spans that are kept take; 32 MiB
	Spans   int // how many are kept; 50,000
}

// maxReading is how many requests are read at a time; others wait for them.
const maxReading = 4

// Receiver is an http.Handler for Path. It is safe for concurrent use.
type Receiver struct {
	limit   int64
	ring    *ring
	reading chan struct{}
}

// New returns a receiver that has no spans.
func New(o Options) *Receiver {
	return &Receiver{
		limit:   int64(or(o.MaxBody, 4<<20)),
		ring:    newRing(or(o.Spans, 50_000), or(o.Bytes, 32<<20)),
		reading: make(chan struct{}, maxReading),
	}
}

func or(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}

// Spans returns the spans of a trace that are kept, in the order of their starts. The caller must not change them.
func (r *Receiver) Spans(trace TraceID) []*Span { return r.ring.spans(trace) }

// Len returns how many spans are kept.
func (r *Receiver) Len() int { return r.ring.len() }

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// refusal is the answer to a request that was not taken. Documented: its body is a google.rpc.Status in the form of the
// request; clients look at the HTTP status.
type refusal struct {
	status  int
	code    int // of gRPC
	message string
}

func (e *refusal) Error() string { return e.message }

// The codes of gRPC.
const (
	invalidArgument   = 3
	resourceExhausted = 8
	unimplemented     = 12
)

var (
	errTooLarge = &refusal{http.StatusRequestEntityTooLarge, resourceExhausted, "the request is too large"}
	errEncoding = &refusal{http.StatusUnsupportedMediaType, unimplemented, "Content-Encoding must be gzip or identity"}
	errType     = &refusal{http.StatusUnsupportedMediaType, unimplemented, "Content-Type must be " + protobufType + " or " + jsonType}
)

func malformed(what string) *refusal { return &refusal{http.StatusBadRequest, invalidArgument, what} }

// ServeHTTP takes one export. Spans without valid ids are left out and counted in the answer, as partial success.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	kind, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	select {
	case r.reading <- struct{}{}:
		defer func() { <-r.reading }()
	case <-q.Context().Done():
		return
	}
	rejected, err := r.take(kind, q)
	status, body := http.StatusOK, accepted(kind, rejected)
	if err != nil {
		status, body = refused(kind, err)
	}
	if kind != jsonType {
		kind = protobufType
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have gone
}

// take reads a request and keeps its spans.
func (r *Receiver) take(kind string, q *http.Request) (rejected int, err error) {
	read := readProtobuf
	switch kind {
	case protobufType:
	case jsonType:
		read = readJSON
	default:
		return 0, errType
	}
	body, err := r.body(q)
	if err != nil {
		return 0, err
	}
	spans, rejected, err := read(body)
	if err != nil {
		return 0, err
	}
	r.ring.add(spans)
	return rejected, nil
}

// body reads and decompresses a body within the limit.
func (r *Receiver) body(q *http.Request) ([]byte, error) {
	if q.ContentLength > r.limit {
		return nil, errTooLarge
	}
	from := io.Reader(http.MaxBytesReader(nil, q.Body, r.limit))
	switch q.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(from)
		if err != nil {
			return nil, malformed("the body is not gzip")
		}
		from = z
	default:
		return nil, errEncoding
	}
	body, err := io.ReadAll(io.LimitReader(from, r.limit+1))
	if _, over := errors.AsType[*http.MaxBytesError](err); over || int64(len(body)) > r.limit {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, malformed("the body cannot be read")
	}
	return body, nil
}

// accepted is the body of a success: an ExportTraceServiceResponse.
func accepted(kind string, rejected int) []byte {
	const message = "spans without a valid trace id or span id were left out"
	switch {
	case kind == jsonType && rejected == 0:
		return []byte("{}")
	case kind == jsonType:
		return []byte(`{"partialSuccess":{"rejectedSpans":"` + strconv.Itoa(rejected) + `","errorMessage":"` + message + `"}}`)
	case rejected == 0:
		return nil
	}
	partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(rejected))
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), message)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
}

// refused is the answer to what was not taken. The messages are all ours and need no escapes.
func refused(kind string, err error) (int, []byte) {
	e, ok := errors.AsType[*refusal](err)
	if !ok {
		e = malformed("the request cannot be read")
	}
	if kind == jsonType {
		return e.status, []byte(`{"code":` + strconv.Itoa(e.code) + `,"message":"` + e.message + `"}`)
	}
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(e.code))
	return e.status, protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), e.message)
}
