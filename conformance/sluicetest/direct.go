package sluicetest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
)

// direct hands requests to a handler as a network would.
type direct struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper. It returns when the handler does; long polls end with the context of the
// request.
func (d direct) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			if cause, ok := p.(error); !ok || !errors.Is(cause, http.ErrAbortHandler) {
				panic(p)
			}
			answer, err = nil, fmt.Errorf("the server closed the connection: %w", io.ErrUnexpectedEOF)
		}
	}()
	in := r.Clone(r.Context())
	in.RequestURI, in.RemoteAddr = in.URL.RequestURI(), "127.0.0.1:1"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	if in.Host == "" {
		in.Host = in.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close()
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, in)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	answer = w.Result()
	answer.Request = r
	return answer, nil
}
