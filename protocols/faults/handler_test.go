package faults_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/protocols/faults"
)

func TestControlAPI(t *testing.T) {
	set := newSet(t)
	h := set.Handler()
	long := `{"faults":[{"name":"` + strings.Repeat("x", 300<<10) + `"}]}`
	for _, step := range []struct {
		method, path, body string
		status             int
		want               string // part of the answer, or all of it if it begins with =
	}{
		{"GET", "/api/v1/faults", "", 200, `={"faults":[]}`},
		{"PUT", "/api/v1/faults/slow", `{"kind":"latency","delaySeconds":1.5,"queue":"orders"}`, 201, `={"name":"slow","kind":"latency","queue":"orders","delaySeconds":1.5,"picked":0,"fired":0}`},
		{"PUT", "/api/v1/faults/slow", `{"kind":"latency","delaySeconds":2}`, 200, `={"name":"slow","kind":"latency","delaySeconds":2,"picked":0,"fired":0}`},
		{"PATCH", "/api/v1/faults/slow", `{"rate":0,"seed":18446744073709551615}`, 200, `={"name":"slow","kind":"latency","rate":0,"seed":18446744073709551615,"delaySeconds":2,"picked":0,"fired":0}`},
		{"PATCH", "/api/v1/faults/slow", `{"rate":null}`, 200, `={"name":"slow","kind":"latency","seed":18446744073709551615,"delaySeconds":2,"picked":0,"fired":0}`},
		{"PATCH", "/api/v1/faults/none", `{"rate":1}`, 404, `"FaultNotFound"`},
		{"GET", "/api/v1/faults/slow", "", 200, `"slow"`},
		{"GET", "/api/v1/faults/none", "", 404, `={"error":{"code":"FaultNotFound","message":"There is no fault of that name."}}`},
		{"PUT", "/faults/x", `{"name":"y","kind":"throttle"}`, 400, `"field":"name"`},
		{"PUT", "/faults/x", `{"kind":"throttle","what":1}`, 400, `"field":"what"`},
		{"PUT", "/faults/x", `{"kind":"throttle","rate":"often"}`, 400, `"field":"rate"`},
		{"PUT", "/faults/x", `{"kind":"throttle","rate":2}`, 400, `"field":"rate"`},
		{"PUT", "/faults/x", `{"kind":"latency","delaySeconds":1e300}`, 400, `"field":"delaySeconds"`},
		{"PUT", "/faults/x", `{"kind":"latency","delaySeconds":-1}`, 400, `"field":"delaySeconds"`},
		{"PUT", "/faults/x", `{"kind"`, 400, `"code":"Invalid"`},
		{"PUT", "/faults/x/y", `{}`, 404, `"NotFound"`},
		{"GET", "/faultsx", "", 404, `"NotFound"`},
		{"GET", "/", "", 404, `"NotFound"`},
		{"POST", "/faults/slow", "", 405, `"MethodNotAllowed"`},
		{"POST", "/faults", "", 405, `"MethodNotAllowed"`},
		{"PUT", "/faults", `{}`, 400, `"field":"faults"`},
		{"PUT", "/faults", `{"faults":[{"name":"a","kind":"throttle"},{"name":"a","kind":"throttle"}]}`, 400, `"Invalid"`},
		{"PUT", "/faults", long, 413, `"TooLarge"`},
		{"GET", "/faults", "", 200, `"slow"`},
		{"PUT", "/faults", `{"faults":[{"name":"a","kind":"error","error":"unavailable","at":"after","count":1,"after":2}]}`, 200, `={"faults":[{"name":"a","kind":"error","after":2,"count":1,"error":"unavailable","at":"after","picked":0,"fired":0}]}`},
		{"DELETE", "/faults/slow", "", 404, `"FaultNotFound"`},
		{"DELETE", "/faults/a", "", 204, "="},
		{"PUT", "/faults/faults", `{"kind":"drop"}`, 201, `"faults"`},
		{"DELETE", "/faults", "", 204, "="},
		{"GET", "/faults", "", 200, `={"faults":[]}`},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(step.method, step.path, strings.NewReader(step.body)))
		got := strings.TrimSpace(w.Body.String())
		all, whole := strings.CutPrefix(step.want, "=")
		if w.Code != step.status || whole && got != all || !strings.Contains(got, all) {
			t.Errorf("%s %s %.80s = %d %.300s, want %d %s", step.method, step.path, step.body, w.Code, got, step.status, step.want)
		}
	}
}

func FuzzControlAPI(f *testing.F) {
	f.Add("/faults/x", `{"kind":"latency","delaySeconds":2}`)
	f.Add("/faults", `{"faults":[{"name":"a","kind":"error","error":"unavailable","at":"after","count":1}]}`)
	f.Fuzz(func(t *testing.T, path, body string) {
		set := faults.NewSet(providers, nil, func() {})
		r := httptest.NewRequest(http.MethodPut, "/", strings.NewReader(body))
		r.URL.Path = path
		set.Handler().ServeHTTP(httptest.NewRecorder(), r)
		var rules []faults.Rule
		for _, s := range set.List() {
			rules = append(rules, s.Rule)
		}
		if err := set.Check(rules); err != nil {
			t.Errorf("%s: took a rule that it refuses: %v", body, err)
		}
	})
}
