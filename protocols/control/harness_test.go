package control_test

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols/control"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// desk is the API over an engine in memory. Every answer is checked against openapi.json.
type desk struct {
	*testing.T
	schemas schemas
	clock   *clock.Manual
	engine  *core.Engine
	watcher *control.Watcher
	api     *control.API
	asked   map[string]bool // operations
	marks   int
}

func newDesk(t *testing.T, change func(*control.Options)) *desk {
	t.Helper()
	d := &desk{T: t, schemas: readDocument(t), clock: clock.NewManual(epoch), watcher: control.NewWatcher(control.Memory{}), asked: map[string]bool{}}
	var err error
	d.engine, err = core.Open(memory.New(), core.Options{Clock: d.clock, BodyBudget: -1, Observers: []core.Observer{d.watcher}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.engine.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	o := control.Options{
		Engine: d.engine, Clock: d.clock, Watcher: d.watcher, Version: "0.0.0",
		Home:          core.Namespace{Account: "000000000000", Region: "us-east-1"},
		InFlightLimit: func() int { return 3 },
		Page:          fstest.MapFS{"index.html": {Data: []byte("<p>page")}, "app.js": {Data: []byte("0")}},
		OnFault:       func(err error) { t.Errorf("fault: %v", err) },
	}
	if change != nil {
		change(&o)
	}
	d.api = control.New(o)
	return d
}

// answer is what came of a request.
type answer struct {
	*testing.T
	d      *desk
	what   string
	status int
	header http.Header
	body   []byte
	value  any // of JSON
}

func (d *desk) request(method, path, body string, headers ...string) *http.Request {
	d.Helper()
	r := httptest.NewRequestWithContext(d.Context(), method, "http://127.0.0.1:9325"+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// ask sends a request and checks that the answer is one that the document describes.
func (d *desk) ask(method, path, body string, headers ...string) answer {
	d.Helper()
	r := d.request(method, path, body, headers...)
	w := httptest.NewRecorder()
	d.api.ServeHTTP(w, r)
	res := w.Result()
	a := answer{T: d.T, d: d, what: method + " " + path, status: res.StatusCode, header: res.Header}
	a.body, _ = io.ReadAll(res.Body)
	a.check(r, body)
	return a
}

func (a *answer) check(r *http.Request, body string) {
	a.Helper()
	name, op := a.d.schemas.operation(r.Method, r.URL.Path)
	mediaType, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	if mediaType == "application/json" {
		if err := json.Unmarshal(a.body, &a.value); err != nil {
			a.Errorf("%s: %v in %s", a.what, err, a.body)
		}
	}
	if op == nil {
		return
	}
	a.d.asked[r.Method+" "+name] = true
	responses := op["responses"].(map[string]any)
	response, ok := responses[strconv.Itoa(a.status)]
	if !ok {
		if response, ok = responses["default"]; !ok || a.status < 400 && a.status != http.StatusSeeOther {
			a.Errorf("%s = %d, which is not described", a.what, a.status)
			return
		}
	}
	content, _ := response.(map[string]any)["content"].(map[string]any)
	described, ok := content[mediaType].(map[string]any)
	switch {
	case !ok && len(content) > 0 && content["*/*"] == nil && a.status != http.StatusSeeOther:
		a.Errorf("%s = %d as %s, which is not described", a.what, a.status, mediaType)
	case ok && mediaType == "application/json":
		for _, problem := range a.d.schemas.check("", described["schema"], a.value) {
			a.Errorf("%s = %d: %s", a.what, a.status, problem)
		}
	}
	if a.status < 300 && body != "" {
		a.checkRequest(op, body)
	}
}

// checkRequest checks that what was taken is what the document says is taken.
func (a *answer) checkRequest(op map[string]any, body string) {
	a.Helper()
	request, _ := op["requestBody"].(map[string]any)
	content, _ := request["content"].(map[string]any)
	described, ok := content["application/json"].(map[string]any)
	var v any
	if !ok || json.Unmarshal([]byte(body), &v) != nil {
		return
	}
	for _, problem := range a.d.schemas.check("", described["schema"], v) {
		if !strings.Contains(problem, "is not in the form of times") {
			a.Errorf("%s: request %s: %s", a.what, body, problem)
		}
	}
}

// get returns a member by its path; numbers in it are indices.
func (a answer) get(path ...any) any {
	a.Helper()
	v := a.value
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			list, _ := v.([]any)
			if p >= len(list) {
				a.Fatalf("%s: %s has no %v", a.what, a.body, path)
			}
			v = list[p]
		}
	}
	return v
}

// want checks the status and members, which are given as the path with dots, and the value.
func (a answer) want(status int, members ...any) answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("%s = %d %s, want %d", a.what, a.status, a.body, status)
	}
	for i := 0; i < len(members); i += 2 {
		var path []any
		for _, p := range strings.Split(members[i].(string), ".") {
			if len(p) == 1 && p[0] >= '0' && p[0] <= '9' {
				path = append(path, int(p[0]-'0'))
			} else {
				path = append(path, p)
			}
		}
		want := members[i+1]
		if n, ok := want.(int); ok {
			want = float64(n)
		}
		if got := a.get(path...); got != want {
			a.Errorf("%s: %s = %v, want %v, in %s", a.what, members[i], got, want, a.body)
		}
	}
	return a
}

// texts returns one member of each object of a list.
func (a answer) texts(list, member string) []string {
	var texts []string
	all, _ := a.get(list).([]any)
	for _, v := range all {
		texts = append(texts, v.(map[string]any)[member].(string))
	}
	return texts
}

const (
	queues = "/api/v1/queues/000000000000/us-east-1/"
	orders = queues + "orders"
)

// send sends a message to a queue that is there and returns its id.
func (d *desk) send(path, body string) string {
	d.Helper()
	return d.ask("POST", path+"/messages", body).want(201).get("id").(string)
}

// settle waits until the watcher has heard of all that happened: events come in order, so of one that happens now.
func (d *desk) settle() {
	d.Helper()
	d.marks++
	name := fmt.Sprintf("mark-%d", d.marks)
	d.ask("PUT", "/api/v1/queues/mark/mark/"+name, "").want(201)
	key := core.QueueKey{Namespace: core.Namespace{Account: "mark", Region: "mark"}, Name: core.QueueName(name)}
	for range 10_000_000 {
		if control.HasHeardOf(d.watcher, key) {
			return
		}
		runtime.Gosched()
	}
	d.Fatal("the watcher hears nothing")
}
