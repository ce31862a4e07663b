package record

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sluicemq/sluice/conformance/replay"
)

// maxBody bounds what is kept of a body; more than that is passed on and not recorded.
const maxBody = 4 << 20

// Proxy passes requests on to a provider and writes down what went by. It changes no byte of a request and signs nothing:
// what was signed stays valid. Where the signature covers the host (Amazon's does), clients have to use it as their HTTP
// proxy; otherwise they can also use it as their endpoint.
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
	w    Writer
	file *os.File
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
	}
	return p, nil
}

// rewrite sends a request to the provider. One in absolute form keeps its host, as a client of an HTTP proxy means it.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.Scheme, r.Out.URL.Host = p.upstream.Scheme, p.upstream.Host
	if r.In.URL.IsAbs() {
		r.Out.URL.Host = r.In.URL.Host
	} else {
		r.Out.Host = p.upstream.Host
	}
}

// ServeHTTP passes a request on and records it once its answer is through.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := &keeper{}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, body), r.Body}
	path, host := r.URL.RequestURI(), r.Host
	kept := &answerKeeper{ResponseWriter: w}
	headers := sorted(r.Header)
	at := p.now()
	p.forward.ServeHTTP(kept, r)
	if body.over || kept.body.over {
		p.onError(fmt.Errorf("%s %s: more than %d bytes, not recorded", r.Method, r.URL.Path, maxBody))
		return
	}
	x := &Exchange{
		Method: r.Method, Path: path, Host: host, RequestHeaders: headers, RequestBody: body.String(),
		Status: kept.status, ResponseHeaders: sorted(kept.Header()), ResponseBody: kept.body.String(), At: at,
	}
	if err := p.write(x); err != nil {
		p.onError(err)
	}
}

func (p *Proxy) write(x *Exchange) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	dialect := x.Dialect()
	s := p.sessions[dialect]
	if s == nil {
		dir := filepath.Join(p.dir, dialect, "Session")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		f, err := os.Create(filepath.Join(dir, x.At.UTC().Format("2006-01-02-150405")+".http"))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(f, Head("recorded through sluice record", x.At)); err != nil {
			return err
		}
		s = &recording{file: f}
		p.sessions[dialect] = s
	}
	_, err := io.WriteString(s.file, s.w.Write(x))
	return err
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
