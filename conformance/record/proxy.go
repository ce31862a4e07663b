package record

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sluicemq/sluice/conformance/replay"
)

// maxBody bounds what is kept of a body; more than that is passed on and not recorded.
const maxBody = 4 << 20

// maxSteps and maxFile are when a session goes on in another file, so that each can be read back.
const (
	maxSteps = 500
	maxFile  = 3 << 20
)

// Proxy passes requests on to a provider and writes down what went by. It changes no byte of a request and signs nothing:
// what was signed stays valid. Where the signature covers the host (Amazon's does), clients have to use it as their HTTP
// proxy; otherwise they can also use it as their endpoint. It serves no other host, as what goes there, such as requests
// for tokens, is nobody's business.
type Proxy struct {
	upstream *url.URL
	dir      string
	now      func() time.Time
	onError  func(error)
	forward  *httputil.ReverseProxy

	mu       sync.Mutex
	sessions map[string]*recording // by dialect
}

// recording is a recording that is being written.
type recording struct {
	w     Writer
	file  *os.File
	steps int
	bytes int
}

// NewProxy records what goes to upstream, one recording for each dialect, below dir.
func NewProxy(upstream, dir string, now func() time.Time, onError func(error)) (*Proxy, error) {
	u, err := url.Parse(upstream)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("upstream is %q, want http://host or https://host", upstream)
	}
	p := &Proxy{upstream: u, dir: dir, now: now, onError: onError, sessions: make(map[string]*recording)}
	p.forward = &httputil.ReverseProxy{
		Rewrite:       p.rewrite,
		FlushInterval: -1, // long polls and slow bodies go on as they come
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
		ErrorHandler:  p.unanswered,
	}
	return p, nil
}

// rewrite sends a request to the provider. One in absolute form keeps its host, as a client of an HTTP proxy means it.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.Scheme, r.Out.URL.Host = p.upstream.Scheme, p.upstream.Host
	if !r.In.URL.IsAbs() {
		r.Out.Host = p.upstream.Host
	}
	// What the parser of queries does not like has to arrive as well.
	r.Out.URL.RawQuery = r.In.URL.RawQuery
}

// unanswered tells the client that the provider gave no answer, which is nothing to record.
func (p *Proxy) unanswered(w http.ResponseWriter, r *http.Request, err error) {
	if k, ok := w.(*answerKeeper); ok {
		k.none = true
	}
	if r.Context().Err() == nil {
		p.onError(fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, err))
	}
	http.Error(w, "sluice record: the upstream gave no answer", http.StatusBadGateway)
}

// refuse answers what is not for the provider, and reports whether it did.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.Method == http.MethodConnect:
		http.Error(w, "sluice record: it cannot look into HTTPS; give the client an endpoint that begins with http://", http.StatusNotImplemented)
	case r.URL.IsAbs() && !strings.EqualFold(r.URL.Hostname(), p.upstream.Hostname()):
		http.Error(w, "sluice record: it only serves "+p.upstream.Host, http.StatusForbidden)
	default:
		return false
	}
	return true
}

// ServeHTTP passes a request on and records it once its answer is through.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.refuse(w, r) {
		return
	}
	body := &keeper{}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, body), r.Body}
	path, host := r.URL.RequestURI(), r.Host
	if !r.URL.IsAbs() {
		host = p.upstream.Host
	}
	kept := &answerKeeper{ResponseWriter: w}
	headers := sorted(r.Header)
	at := p.now()
	p.forward.ServeHTTP(kept, r)
	switch {
	case kept.none:
		return
	case body.over || kept.body.over:
		p.onError(fmt.Errorf("%s %s: more than %d bytes, not recorded", r.Method, r.URL.Path, maxBody))
		return
	}
	x := &Exchange{
		Method: r.Method, Path: path, Host: host, RequestHeaders: headers, RequestBody: body.String(),
		Status: kept.status, ResponseHeaders: sorted(kept.Header()), ResponseBody: kept.plain(), At: at,
	}
	if err := p.write(x); err != nil {
		p.onError(err)
	}
}

func (p *Proxy) write(x *Exchange) error {
	dialect := x.Dialect()
	if dialect == "" {
		return fmt.Errorf("%s: a request of no protocol that is known, not recorded", x.Method)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sessions[dialect]
	if s != nil && (s.steps >= maxSteps || s.bytes >= maxFile) {
		if err := s.file.Close(); err != nil {
			return err
		}
		s = nil
	}
	if s == nil {
		f, err := newFile(filepath.Join(p.dir, dialect, "Session"), x.At)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(f, Head("recorded through sluice record", x.At)); err != nil {
			return err
		}
		s = &recording{file: f}
		p.sessions[dialect] = s
	}
	text := s.w.Write(x)
	s.steps++
	s.bytes += len(text)
	_, err := io.WriteString(s.file, text)
	return err
}

// newFile makes a file that no other session has.
func newFile(dir string, at time.Time) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, at.UTC().Format("2006-01-02-150405"))
	for n := 1; ; n++ {
		suffix := ""
		if n > 1 {
			suffix = "-" + strconv.Itoa(n)
		}
		f, err := os.OpenFile(name+suffix+".http", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
}

// Close ends the recordings.
func (p *Proxy) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var first error
	for _, s := range p.sessions {
		first = cmp.Or(first, s.file.Close())
	}
	clear(p.sessions)
	return first
}

// keeper keeps what is written to it, up to maxBody.
type keeper struct {
	bytes.Buffer
	over bool
}

func (k *keeper) Write(b []byte) (int, error) {
	if k.over = k.over || k.Len()+len(b) > maxBody; !k.over {
		k.Buffer.Write(b)
	}
	return len(b), nil
}

type answerKeeper struct {
	http.ResponseWriter
	status int
	body   keeper
	none   bool // the provider gave no answer
}

// plain returns the body as it was before it was compressed.
func (a *answerKeeper) plain() string {
	if a.Header().Get("Content-Encoding") != "gzip" {
		return a.body.String()
	}
	z, err := gzip.NewReader(bytes.NewReader(a.body.Bytes()))
	if err != nil {
		return a.body.String()
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxBody))
	if err != nil {
		return a.body.String()
	}
	return string(plain)
}

func (a *answerKeeper) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *answerKeeper) Write(b []byte) (int, error) {
	_, _ = a.body.Write(b)
	return a.ResponseWriter.Write(b)
}

// Unwrap lets the proxy flush.
func (a *answerKeeper) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func sorted(h http.Header) []replay.Header {
	var all []replay.Header
	for name, values := range h {
		for _, v := range values {
			all = append(all, replay.Header{Name: name, Value: v})
		}
	}
	slices.SortFunc(all, func(a, b replay.Header) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
