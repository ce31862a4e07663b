package sqs

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"

	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// exchange is what both dialects keep of a request until its answer, in Call.Detail.
type exchange struct {
	operation *operation
	from      *caller
	in        any    // the input of the operation
	version   string // Query: of the API, which names the XML namespace
	plain     bool   // Query: the answer is rendered in JSON
}

// detail returns the exchange of a call. A call that never was decoded has an empty one.
func detail(c *protocols.Call) *exchange {
	if x, ok := c.Detail.(*exchange); ok {
		return x
	}
	return &exchange{from: &caller{}, version: latestVersion}
}

// fault returns the words for what went wrong with a call.
func (x *exchange) fault(err error) *fault { return faultOf(err, x.from.subject) }

// Code implements protocols.Coder.
func (s *service) Code(c *protocols.Call, err error) string { return detail(c).fault(err).code }

// readBody reads a request's body within the limit.
func readBody(r *http.Request) ([]byte, error) {
	body, err := protocols.ReadBody(r, maxRequest)
	switch {
	case errors.Is(err, protocols.ErrBodyTooLarge):
		return nil, requestTooLarge.say("Request is larger than %d bytes.", maxRequest)
	case err != nil:
		return nil, serialization.say("") // the connection broke: nobody will read this
	}
	return body, nil
}

// malformed puts an error of a decoder into words.
func malformed(err error) error {
	if m, ok := errors.AsType[*wire.Malformed](err); ok {
		return &fault{shape: serialization, text: m.Text}
	}
	return err
}

// newRequestID returns a random id in the form of the real service: a UUID that says it is of version 5 (Recorded,
// 11,502 exchanges).
func newRequestID() string {
	var id [16]byte
	for i := 0; i < len(id); i += 8 {
		n := rand.Uint64()
		for j := range 8 {
			id[i+j] = byte(n >> (8 * j))
		}
	}
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return uuid(id)
}

// uuid writes 16 bytes in the usual form of 8, 4, 4, 4 and 12 hexadecimal digits.
func uuid(id [16]byte) string {
	var b [36]byte
	hex.Encode(b[0:8], id[0:4])
	hex.Encode(b[9:13], id[4:6])
	hex.Encode(b[14:18], id[6:8])
	hex.Encode(b[19:23], id[8:10])
	hex.Encode(b[24:36], id[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// buffers hold answers until their length is known.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4096); return &b }}

// answer sends what fill appends to a buffer, with the headers that every answer has, spelled as the real service
// spells them. Further headers are the caller's.
func answer(w http.ResponseWriter, c *protocols.Call, contentType string, status int, fill func(b []byte) []byte) error {
	buffer := buffers.Get().(*[]byte)
	b := fill((*buffer)[:0])
	h := w.Header()
	h["x-amzn-RequestId"] = []string{c.RequestID}
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	if c.Request.ProtoMajor == 1 {
		h["Connection"] = keepAlive
	}
	w.WriteHeader(status)
	_, err := w.Write(b)
	if cap(b) <= 1<<20 {
		*buffer = b
		buffers.Put(buffer)
	}
	return err
}

var keepAlive = []string{"keep-alive"}
