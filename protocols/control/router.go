package control

import (
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/control/page"
	"github.com/sluicemq/sluice/protocols/otlp"
)

// route is a row of the table of paths. A handler returns the status and the answer, nil for none, or an error.
type route struct {
	method, path string
	handle       func(a *API, r *http.Request) (status int, answer any, err error)
	// raw, instead of handle, writes the answer itself.
	raw func(a *API, w http.ResponseWriter, r *http.Request)
}

// Paths that stand in more than one row.
const (
	root    = "/api/v1"
	queue   = root + "/queues/{account}/{region}/{queue}"
	message = root + "/messages/{message}"
	topic   = root + "/topics/{account}/{region}/{topic}"
	saved   = root + "/snapshots/{snapshot}"
)

// routes is the table of all paths but those of the page. openapi.json has the same.
func routes() []route {
	return []route{
		{method: "GET", path: "/health", handle: (*API).health},
		{method: "GET", path: "/openapi.json", raw: (*API).openapi},
		{method: "GET", path: root + "/overview", handle: (*API).overview},

		{method: "GET", path: root + "/queues", handle: (*API).listQueues},
		{method: "GET", path: queue, handle: (*API).getQueue},
		{method: "PUT", path: queue, handle: (*API).createQueue},
		{method: "PATCH", path: queue, handle: (*API).amendQueue},
		{method: "DELETE", path: queue, handle: (*API).deleteQueue},
		{method: "POST", path: queue + "/purge", handle: (*API).purgeQueue},

		{method: "GET", path: queue + "/messages", handle: (*API).listMessages},
		{method: "POST", path: queue + "/messages", handle: (*API).sendMessage},
		{method: "POST", path: queue + "/receive", handle: (*API).receiveMessages},
		{method: "GET", path: message, handle: (*API).getMessage},
		{method: "DELETE", path: message, handle: (*API).deleteMessage},
		{method: "POST", path: message + "/visible", handle: (*API).showMessage},
		{method: "POST", path: message + "/move", handle: (*API).moveMessage},

		{method: "GET", path: message + "/timeline", handle: (*API).timeline},
		{method: "GET", path: message + "/why", handle: (*API).why},
		{method: "GET", path: root + "/traces/{trace}", handle: (*API).getTrace},
		{method: "GET", path: root + "/events", raw: (*API).events},

		{method: "GET", path: root + "/clock", handle: (*API).getClock},
		{method: "POST", path: root + "/clock/freeze", handle: (*API).freezeClock},
		{method: "POST", path: root + "/clock/resume", handle: (*API).resumeClock},
		{method: "POST", path: root + "/clock/advance", handle: (*API).advanceClock},
		{method: "POST", path: root + "/clock/set", handle: (*API).setClock},

		{method: "POST", path: root + "/reset", handle: (*API).reset},
		{method: "GET", path: root + "/snapshots", handle: (*API).listSnapshots},
		{method: "PUT", path: saved, handle: (*API).takeSnapshot},
		{method: "GET", path: saved, handle: (*API).getSnapshot},
		{method: "DELETE", path: saved, handle: (*API).deleteSnapshot},
		{method: "POST", path: saved + "/restore", handle: (*API).restoreSnapshot},

		{method: "GET", path: queue + "/moves", handle: (*API).listMoves},
		{method: "POST", path: queue + "/moves", handle: (*API).startMove},
		{method: "DELETE", path: queue + "/moves/{move}", handle: (*API).cancelMove},

		{method: "GET", path: root + "/topics", handle: (*API).listTopics},
		{method: "GET", path: topic, handle: (*API).getTopic},
		{method: "GET", path: topic + "/subscriptions", handle: (*API).listSubscriptions},
		{method: "GET", path: root + "/outbox", handle: (*API).listOutbox},
		{method: "DELETE", path: root + "/outbox", handle: (*API).clearOutbox},

		{method: "GET", path: aliasPeek, raw: (*API).aliasPeek},
		{method: "POST", path: aliasPeek, raw: (*API).aliasPeek},
		{method: "GET", path: aliasPeek + "/{region}/{account}/{queue}", raw: (*API).aliasPeek},
		{method: "POST", path: aliasPeek + "/{region}/{account}/{queue}", raw: (*API).aliasPeek},
		{method: "GET", path: aliasHealth, handle: (*API).localStackHealth},
	}
}

func (a *API) mount() {
	for _, r := range routes() {
		a.mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, q *http.Request) {
			if r.raw != nil {
				r.raw(a, w, q)
				return
			}
			status, answer, err := r.handle(a, q)
			if err != nil {
				a.fail(w, q, err)
				return
			}
			a.answer(w, status, answer)
		})
	}
	for pattern, h := range a.extras() {
		a.mux.Handle(pattern, h)
	}
}

// extras are the handlers of others.
func (a *API) extras() map[string]http.Handler {
	all := map[string]http.Handler{}
	for pattern, h := range a.o.Extra {
		all[pattern] = h
	}
	if a.o.Metrics != nil {
		all["/metrics"] = a.o.Metrics
	}
	if a.o.Traces != nil {
		all[otlp.Path] = a.o.Traces
	}
	return all
}

// ServeHTTP implements http.Handler. A panic costs one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer a.recovered(w, r)
	if err := a.guard(w, r); err != nil {
		if err != errAnswered { //nolint:errorlint // it is never wrapped
			a.fail(w, r, err)
		}
		return
	}
	a.dispatch(w, r)
}

func (a *API) recovered(w http.ResponseWriter, r *http.Request) {
	p := recover()
	switch {
	case p == nil:
	case p == http.ErrAbortHandler: //nolint:errorlint // it is the very value
		panic(p)
	default:
		a.fail(w, r, &core.Error{Kind: core.Internal, Err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())})
	}
}

// dispatch finds who answers. Whatever is in no table may be a file of the page.
func (a *API) dispatch(w http.ResponseWriter, r *http.Request) {
	if _, pattern := a.mux.Handler(r); pattern != "" {
		a.mux.ServeHTTP(w, r)
		return
	}
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	if read && a.file(w, r) {
		return
	}
	if allowed := a.allowed(r); len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		a.fail(w, r, &problem{http.StatusMethodNotAllowed, "MethodNotAllowed", "The path takes " + strings.Join(allowed, ", ") + ".", ""})
		return
	}
	a.fail(w, r, &problem{http.StatusNotFound, "NotFound", "There is nothing at " + r.URL.Path + ".", ""})
}

// allowed returns the methods that a path has.
func (a *API) allowed(r *http.Request) (methods []string) {
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := a.mux.Handler(other); pattern != "" {
			methods = append(methods, method)
		}
	}
	return methods
}

// file answers with a file of the page, and reports false if there is none.
func (a *API) file(w http.ResponseWriter, r *http.Request) bool {
	name, content := a.fileOf(r)
	if name == "" {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", mediaType(name))
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", page.Policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodGet {
		_, _ = w.Write(content)
	}
	return true
}

// fileOf returns the file of the page that a path names, and no name if there is none.
func (a *API) fileOf(r *http.Request) (name string, content []byte) {
	if a.o.Page == nil {
		return "", nil
	}
	name = strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	content, err := fs.ReadFile(a.o.Page, name)
	if err != nil {
		return "", nil
	}
	return name, content
}

// isPage reports whether a request is for the page or one of its files, which are the same on every server and hold no
// data.
func (a *API) isPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if _, pattern := a.mux.Handler(r); pattern != "" {
		return false
	}
	name, _ := a.fileOf(r)
	return name != ""
}

// mediaTypes are those of a page. What the machine's own table says differs from machine to machine.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
	".json": "application/json", ".woff2": "font/woff2", ".webmanifest": "application/manifest+json",
}

func mediaType(name string) string {
	if t, ok := mediaTypes[path.Ext(name)]; ok {
		return t
	}
	return "application/octet-stream"
}

func (a *API) openapi(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document)
}

// offers are the optional parts that are there.
func (a *API) offers() []string {
	offers := []string{}
	for name, there := range map[string]bool{
		"metrics": a.o.Metrics != nil, "traces": a.o.Traces != nil, "spans": a.o.Spans != nil, "page": a.o.Page != nil,
		"snapshots-on-disk": a.o.SnapshotDir != "",
	} {
		if there {
			offers = append(offers, name)
		}
	}
	for pattern := range a.o.Extra {
		offers = append(offers, path.Base(strings.TrimRight(pattern, "/")))
	}
	slices.Sort(offers)
	return slices.Compact(offers)
}
