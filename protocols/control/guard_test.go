package control_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/protocols/control"
)

func TestGuardLetsNoWebPageIn(t *testing.T) {
	d := newDesk(t, func(o *control.Options) { o.Hosts = []string{"sluice", "Sluice.Test"} })
	for _, tt := range []struct {
		name    string
		path    string
		headers []string
		status  int
	}{
		{"address", "/api/v1/clock", nil, 200},
		{"localhost", "/api/v1/clock", []string{"Host", "localhost:9325"}, 200},
		{"name below localhost", "/api/v1/clock", []string{"Host", "sluice.localhost"}, 200},
		{"IPv6", "/api/v1/clock", []string{"Host", "[::1]:9325"}, 200},
		{"configured", "/api/v1/clock", []string{"Host", "sluice:9325"}, 200},
		{"configured with capitals", "/api/v1/clock", []string{"Host", "sluice.test:9325"}, 200},
		{"rebound name", "/api/v1/clock", []string{"Host", "evil.example:9325"}, 403},
		{"name that only looks like localhost", "/api/v1/clock", []string{"Host", "localhost.evil.example"}, 403},
		{"no host", "/api/v1/clock", []string{"Host", ""}, 403},
		{"the page itself", "/api/v1/clock", []string{"Origin", "http://127.0.0.1:9325", "Sec-Fetch-Site", "same-origin"}, 200},
		{"another origin", "/api/v1/clock", []string{"Origin", "http://evil.example"}, 403},
		{"another port", "/api/v1/clock", []string{"Origin", "http://127.0.0.1:3000"}, 403},
		{"sandboxed", "/api/v1/clock", []string{"Origin", "null"}, 403},
		{"image on another page", "/api/v1/clock", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		{"another port's image", "/api/v1/clock", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"link to the page", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},
		{"link to the API", "/api/v1/clock", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 403},
		{"typed by hand", "/", []string{"Sec-Fetch-Site", "none"}, 200},
		{"health by any name", "/health", []string{"Host", "evil.example"}, 200},
		{"alias", "/_aws/sqs/messages", []string{"Host", "evil.example"}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := d.ask("GET", tt.path, "", tt.headers...)
			a.T = t
			a.want(tt.status)
		})
	}
}

func TestGuardWantsTheToken(t *testing.T) {
	d := newDesk(t, func(o *control.Options) {
		o.Token = "secret"
		o.Metrics, o.Traces = http.NotFoundHandler(), http.NotFoundHandler()
	})
	for _, tt := range []struct {
		name    string
		path    string
		headers []string
		status  int
	}{
		{"none", "/api/v1/clock", nil, 401},
		{"the page without", "/", nil, 200},
		{"a file of the page without", "/app.js", nil, 200},
		{"no file of the page", "/none.js", nil, 401},
		{"the page on another page", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		{"the document of the API", "/openapi.json", nil, 401},
		{"metrics", "/metrics", nil, 401},
		{"traces", "/v1/traces", nil, 401},
		{"alias", "/_aws/sqs/messages", nil, 401},
		{"wrong", "/api/v1/clock", []string{"Authorization", "Bearer secre"}, 401},
		{"of another scheme", "/api/v1/clock", []string{"Authorization", "Basic secret"}, 401},
		{"right", "/api/v1/clock", []string{"Authorization", "bearer secret"}, 200},
		{"right, by any name", "/api/v1/clock", []string{"Authorization", "Bearer secret", "Host", "sluice.example"}, 200},
		{"right, from another origin", "/api/v1/clock", []string{"Authorization", "Bearer secret", "Origin", "http://evil.example"}, 403},
		{"as a cookie", "/api/v1/clock", []string{"Cookie", "sluice-admin=secret"}, 200},
		{"wrong cookie", "/api/v1/clock", []string{"Cookie", "sluice-admin=x"}, 401},
		{"in the address of the API", "/api/v1/clock?token=secret", nil, 401},
		{"wrong in the address", "/?token=x", nil, 200},
		{"health", "/health", nil, 200},
		{"health as LocalStack has it", "/_localstack/health", nil, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := d.ask("GET", tt.path, "", tt.headers...)
			a.T = t
			a.want(tt.status)
		})
	}
	d.ask("POST", "/", "").want(http.StatusUnauthorized)
	a := d.ask("GET", "/?token=secret", "").want(http.StatusSeeOther)
	if cookie := a.header.Get("Set-Cookie"); a.header.Get("Location") != "/" || !strings.HasPrefix(cookie, "sluice-admin=secret; Path=/; HttpOnly; SameSite=Strict") {
		t.Errorf("GET /?token= answers %v, want a cookie and a redirection without the token", a.header)
	}
}

func TestPanicCostsOneRequest(t *testing.T) {
	faults := 0
	d := newDesk(t, func(o *control.Options) {
		o.OnFault = func(error) { faults++ }
		o.Extra = map[string]http.Handler{"/x": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })}
	})
	d.ask("GET", "/x", "").want(500, "error.code", "Internal")
	d.ask("GET", "/health", "").want(200)
	if faults != 1 {
		t.Errorf("%d faults were told, want 1", faults)
	}
}
