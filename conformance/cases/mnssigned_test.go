package cases_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
	dialect "github.com/sluicemq/sluice/protocols/mns"
)

// The key of the requests here.
const keyID, secret = "key", "secret"

// signed answers a request like a server that checks signatures and knows one key.
func (c *client) signed(r *http.Request) reply {
	c.t.Helper()
	engine, err := core.Open(memory.New(), core.Options{Clock: c.clock})
	if err != nil {
		c.t.Fatal(err)
	}
	defer engine.Close()
	site := &protocols.Site{
		Broker: engine.Under, Verify: true,
		MNS:         protocols.Home{Account: "1234567890123456", Region: "cn-hangzhou"},
		Credentials: map[string]protocols.Credential{keyID: {Secret: secret, Account: "1234567890123456"}},
	}
	handler := protocols.NewHandler([]protocols.Dialect{dialect.XML(site)}, func(_ *protocols.Call, err error) { c.t.Errorf("fault: %v", err) })
	if r.Header.Get("Authorization") == "" && r.Header.Get("Date") == "" {
		r.Header.Set("Date", c.clock.Now().UTC().Format(http.TimeFormat))
		sign(r, secret)
	}
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	return reply{status: rec.Code, header: rec.Header(), body: rec.Body.String()}
}

// sign signs a request as version 2 of the signatures has it. Documented.
func sign(r *http.Request, secret string) {
	var own []string
	for name := range r.Header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-mns-") {
			own = append(own, lower+":"+r.Header.Get(name)+"\n")
		}
	}
	slices.Sort(own)
	h := hmac.New(sha1.New, []byte(secret))
	h.Write([]byte(r.Method + "\n" + r.Header.Get("Content-Md5") + "\n" + r.Header.Get("Content-Type") + "\n" + r.Header.Get("Date") + "\n" +
		strings.Join(own, "") + r.URL.RequestURI()))
	r.Header.Set("Authorization", "MNS "+keyID+":"+base64.StdEncoding.EncodeToString(h.Sum(nil)))
}

// unsigned tries a good request that is signed and then changed.
func unsigned(change func(c *client, r *http.Request)) provocation {
	return func(c *client, _ string) []trial {
		m := c.wire.(mns)
		r := m.request(http.MethodGet, "/queues", "")
		c.must(m.answered(c.signed(r)), "200")
		r = m.request(http.MethodGet, "/queues", "")
		r.Header.Set("Date", c.clock.Now().UTC().Format(http.TimeFormat))
		sign(r, secret)
		change(c, r)
		return tried(m.answered(c.signed(r)))
	}
}

func header(name, value string) func(*client, *http.Request) {
	return func(_ *client, r *http.Request) {
		r.Header.Set(name, value)
		if value == "" {
			r.Header.Del(name)
		}
	}
}

// dated signs a request for another time.
func dated(from time.Duration) func(*client, *http.Request) {
	return func(c *client, r *http.Request) {
		r.Header.Set("Date", c.clock.Now().Add(from).UTC().Format(http.TimeFormat))
		sign(r, secret)
	}
}

var provokedBySignatures = map[string]provocation{
	"authorization-absent":    unsigned(header("Authorization", "")),
	"authorization-malformed": inTurn(unsigned(header("Authorization", "x")), unsigned(header("Authorization", "MNS key")), unsigned(header("Authorization", "Basic eDp5"))),
	"date-absent":             unsigned(header("Date", "")),
	"date-malformed":          inTurn(unsigned(header("Date", "x")), unsigned(header("Date", "2026-11-30T12:00:00Z"))),
	"clock-far-off":           inTurn(unsigned(dated(16*time.Minute)), unsigned(dated(-16*time.Minute))),
	"key-unknown":             unsigned(header("Authorization", "MNS other:uwx3yeWoILzgmvesW0BQSgfM7b8=")),
	"signature-wrong": inTurn(
		unsigned(header("Authorization", "MNS key:uwx3yeWoILzgmvesW0BQSgfM7b8=")),
		unsigned(header("x-mns-prefix", "q")),
		unsigned(func(_ *client, r *http.Request) { sign(r, "other") }),
	),
	"account-of-others": func(c *client, _ string) []trial {
		m := c.wire.(mns)
		r := m.request(http.MethodGet, "/queues", "")
		r.Host = "999.mns.cn-hangzhou.aliyuncs.com"
		got := c.signed(r)
		failsIf(c.t, !strings.Contains(got.body, "<HostId>http://"+r.Host+"</HostId>"), "HostId is another: %s", got.body)
		got.body = strings.ReplaceAll(got.body, r.Host, mnsHost)
		return tried(m.answered(got))
	},
	"version-absent":  unsigned(header("x-mns-version", "")),
	"version-unknown": unsigned(header("x-mns-version", "2014-07-08")),
}
