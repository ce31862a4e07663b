package crash_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

// receiver is an endpoint that a topic pushes to. It outlives the program, and refuses one publication in five when it
// comes for the first time, so that there are always pushes that wait for their next attempt.
type receiver struct {
	*httptest.Server

	mu      sync.Mutex
	got     map[string]bool // by token: accepted
	refused map[string]bool
	repeats int
}

func newReceiver() *receiver {
	r := &receiver{got: map[string]bool{}, refused: map[string]bool{}}
	r.Server = httptest.NewServer(r)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, push *http.Request) {
	body, err := io.ReadAll(push.Body)
	if err != nil {
		return // the program was killed while it pushed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	token := tokenOf(string(body))
	switch {
	case r.got[token]:
		r.repeats++
	case !r.refused[token] && rngOf(token).IntN(5) == 0:
		r.refused[token] = true
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	r.got[token] = true
	w.WriteHeader(http.StatusNoContent)
}

// has reports whether a publication came.
func (r *receiver) has(token string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[token]
}
