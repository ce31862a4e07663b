package hostile_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestPathsThatLeadNowhere asks under paths that no client uses. None may be cleaned or redirected: a provider answers
// for the path that it was given.
func TestPathsThatLeadNowhere(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	get := func(path string) ask { return mnsAsk(http.MethodGet, path, "") }
	long := strings.Repeat("a", 40_000)
	rows := []row{
		{"nothing", get("/"), inMNS, mnsURL},
		{"two slashes", get("//"), inMNS, mnsURL},
		{"parent", get("/../"), inMNS, mnsURL},
		{"parent of queues", get("/queues/../queues"), inMNS, mnsURL},
		{"two slashes before", get("//queues/plain"), inMNS, mnsURL},
		{"three parts too many", get("/queues/plain/messages/x"), inMNS, mnsURL},
		{"slash after messages", get("/queues/plain/messages/"), inMNS, mnsURL},
		{"slash after a queue", get("/queues/plain/"), inMNS, mnsURL},
		{"other case", get("/Queues/plain"), inMNS, mnsURL},
		{"escaped slash between", get("/queues%2Fplain"), inMNS, mnsURL},
		{"very long", get("/" + long), inMNS, mnsURL},
		{"escaped slash in a name", get("/queues/a%2Fb"), inMNS, mnsNoQueue},
		{"escaped parent as a name", get("/queues/%2e%2e"), inMNS, mnsNoQueue},
		{"zero byte as a name", get("/queues/%00"), inMNS, mnsNoQueue},
		{"bytes that are not UTF-8 as a name", get("/queues/%ff%fe"), inMNS, mnsNoQueue},
		{"markup as a name", get("/queues/%3Ca%26b%22"), inMNS, mnsNoQueue},
		{"very long name", get("/queues/" + long), inMNS, mnsNoQueue},
		{"messages of a very long name", get("/queues/" + long + "/messages"), inMNS, mnsNoQueue},
		{"messages of a name with a slash", get("/queues/a%2Fb/messages"), inMNS, mnsNoQueue},
	}
	for _, path := range []string{
		"/000000000000/", "/000000000000//plain", "/000000000000/plain/extra", "/000000000000/../plain", "/a/b/c/d/e", "/%00", "/..%2f..%2fetc%2fpasswd",
		"/000000000000/%00", "/000000000000/" + long, "/000000000000/%ff", "/queue/", "/queue/x/y/z", "/1/plain",
	} {
		a := queryAsk("Action=SendMessage&MessageBody=x")
		a.path = path
		rows = append(rows, row{fmt.Sprintf("Query %.40s", path), a, inQuery, noQueue})
	}
	for _, url := range []string{
		"http://", "://", "http:///", "/", "//", "\x00", "http://localhost/000000000000/", "http://localhost/000000000000/plain/extra", long,
		"arn:aws:sqs:us-east-1:000000000000:plain", "http://localhost/../plain/x", "http://localhost/000000000000/nowhere", "é",
	} {
		body := `{"QueueUrl":` + quoted(url) + `,"MessageBody":"x"}`
		rows = append(rows, row{fmt.Sprintf("JSON %.40q", url), jsonAsk("SendMessage", body), inJSON, noQueue})
	}
	s.refuses(t, rows)
}

func TestQueueNamesAtTheirLimits(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	name := func(n int) string { return strings.Repeat("n", n) }
	create := func(name string, fifo bool) ask {
		attributes := ""
		if fifo {
			attributes = `,"Attributes":{"FifoQueue":"true"}`
		}
		return jsonAsk("CreateQueue", `{"QueueName":`+quoted(name)+attributes+`}`)
	}
	put := func(name string) ask { return mnsAsk(http.MethodPut, "/queues/"+name, "<Queue/>") }
	var rows []row
	for _, bad := range []string{
		"", " ", "a b", "a.b", "a/b", "../a", "é", "a\x00", "a\n", "<a>", "x.fifo", ".fifo", name(81), name(100_000), "a%20b", "\u202e", "name\u0000",
	} {
		rows = append(rows, row{fmt.Sprintf("standard %.20q", bad), create(bad, false), inJSON, invalidValue})
	}
	for _, bad := range []string{"", ".fifo", "x", "x.FIFO", "x.fifo ", "a.b.fifo", name(76) + ".fifo", "é.fifo"} {
		rows = append(rows, row{fmt.Sprintf("FIFO %.20q", bad), create(bad, true), inJSON, invalidValue})
	}
	for _, bad := range []string{"-a", "a.b", "a_b", "%20", "a%2Fb", "%2e%2e", "%00", "%C3%A9", "a%0A", "x.fifo"} {
		rows = append(rows, row{"MNS " + bad, put(bad), inMNS, mnsName})
	}
	rows = append(rows,
		row{"MNS empty", put(""), inMNS, mnsNameLength},
		row{"MNS of 121", put(name(121)), inMNS, mnsNameLength},
		row{"MNS of 40,000", put(name(40_000)), inMNS, mnsNameLength})
	s.refuses(t, rows)

	for _, good := range []ask{create(name(80), false), create(name(1), false), create(name(75)+".fifo", true), create("x.fifo", true)} {
		if r := s.send(t, good); r.status != http.StatusOK {
			t.Errorf("%v = %d %s, want 200", good, r.status, r.body)
		}
	}
	for _, good := range []ask{put(name(120)), put("a"), put("1a"), put("A-1")} {
		if r := s.send(t, good); r.status != http.StatusCreated {
			t.Errorf("%v = %d %s, want 201", good, r.status, r.body)
		}
	}
}

// TestMethodsNobodyUses expects each provider's answer for the wrong method. AWS answers a request that asks for
// nothing with a bare element (Recorded).
func TestMethodsNobodyUses(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	before := s.state(t)
	for _, method := range []string{"HEAD", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "FOO", "get", "PUT", "DELETE"} {
		for _, path := range []string{"/", "/000000000000/plain", "/nowhere"} {
			r := s.send(t, ask{method: method, path: path})
			if r.status != http.StatusNotFound || method != "HEAD" && r.body != "<UnknownOperationException/>" {
				t.Errorf("%s %s = %d %.200s, want 404 and an UnknownOperationException", method, path, r.status, r.body)
			}
		}
		for _, path := range []string{"/queues", "/queues/plain/messages/x", "/queues/plain", "/queues/plain/messages"} {
			known := method == "PUT" || method == "DELETE"
			r := s.send(t, ask{method: method, path: path})
			switch {
			case known && path != "/queues" && path != "/queues/plain/messages/x": // is an operation
			case r.status != http.StatusBadRequest || method != "HEAD" && !mnsError.MatchString(r.body):
				t.Errorf("%s %s = %d %.200s, want 400 and an Error", method, path, r.status, r.body)
			}
		}
		s.checkFaults(t)
		if method == "PATCH" && s.state(t) != before {
			t.Errorf("the queues have changed by then")
		}
	}
}

// TestReadingMethodsChangeNothing: a method that only reads must not do what an operation does that writes.
func TestReadingMethodsChangeNothing(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	before := s.state(t)
	for _, method := range []string{"HEAD", "OPTIONS", "TRACE"} {
		for _, a := range []ask{
			{method, "/000000000000/plain?Action=SendMessage&MessageBody=x", nil, "", false},
			{method, "/?Action=DeleteQueue&QueueUrl=http%3A%2F%2Flocalhost%2F000000000000%2Fother", nil, "", false},
			{method, "/", jsonAsk("DeleteQueue", "").header, `{"QueueUrl":"orders.fifo"}`, false},
		} {
			s.send(t, a)
			if now := s.state(t); now != before {
				t.Errorf("%v has changed the queues", a)
				before = now
			}
		}
	}
}

func TestContentTypesNobodyKnows(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	before := s.state(t)
	for _, content := range []string{
		"", "x", "/", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded;", "application/json", "application/x-amz-json-1.1",
		"application/x-amz-json-1.0; charset=utf-16", "text/xml; charset=latin1", strings.Repeat("x", 10_000), "application/cbor", "\xff", ";;;", `a/b; c="`,
	} {
		for _, path := range []string{"/", "/000000000000/plain", "/queues/plain/messages"} {
			a := ask{http.MethodPost, path, []string{"Content-Type: " + content}, "\x00\x01 not anything", false}
			r := s.send(t, a)
			if r.status < 400 || r.status >= 500 || !strings.Contains(r.body, "<") && !strings.Contains(r.body, "__type") {
				t.Errorf("%v = %d %.200s, want an error of a provider", a, r.status, r.body)
			}
		}
	}
	if s.state(t) != before {
		t.Error("the queues have changed")
	}
}

// TestHostsNobodyHas: the host ends up in URLs of answers, and says whose queues are meant.
func TestHostsNobodyHas(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	before := s.state(t)
	for _, host := range []string{
		"", "a'&b", "1.mns.", "....", "1.mns.x.y", "99999999999999999999999999999999999999999999.mns.cn-hangzhou.aliyuncs.com", "mns.mns.mns.mns", "[::1", "[::1]:1", "%00",
		"localhost:99999999", "-1.mns.cn-hangzhou.aliyuncs.com", strings.Repeat("a.", 10_000) + "b",
	} {
		c := s.dial(t)
		_ = c.SetDeadline(time.Now().Add(patience))
		fmt.Fprintf(c, "GET /queues/nowhere HTTP/1.1\r\nHost: %s\r\n\r\n", host)
		r := read(t, bufio.NewReader(c), http.MethodGet)
		refused := r.status == http.StatusBadRequest && !strings.HasPrefix(r.body, "<") // by the HTTP server
		if !refused && (r.status != http.StatusNotFound || host != "" && !mnsError.MatchString(r.body)) {
			t.Errorf("a queue at host %.40q = %d %.300s, want 404 and an Error", host, r.status, r.body)
		}
	}
	if s.state(t) != before {
		t.Error("the queues have changed")
	}
}

// TestHeadersThatAreTooMuch are refused by the HTTP server itself, before there is a provider to answer.
func TestHeadersThatAreTooMuch(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, a := range map[string]ask{
		"one header":   {"GET", "/", []string{"X-Big: " + strings.Repeat("x", 1<<20)}, "", false},
		"many headers": {"GET", "/", strings.Split(strings.TrimSuffix(strings.Repeat("X-Many: x|", 100_000), "|"), "|"), "", false},
		"path":         {"GET", "/" + strings.Repeat("x", 1<<20), nil, "", false},
		"query":        {"GET", "/?" + strings.Repeat("x", 1<<20), nil, "", false},
	} {
		if r := s.send(t, a); r.status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%s = %d %.200s, want 431", name, r.status, r.body)
		}
	}
	for _, garbage := range []string{
		"\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\n : x\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", strings.Repeat("\x00", 1000) + "\r\n\r\n",
	} {
		c := s.dial(t)
		_ = c.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(c, garbage)
		if half, ok := c.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		all, _ := io.ReadAll(c) // a reset is an answer as well
		if strings.HasPrefix(string(all), "HTTP/1.1 5") && !strings.HasPrefix(string(all), "HTTP/1.1 501") && !strings.HasPrefix(string(all), "HTTP/1.1 505") {
			t.Errorf("%.60q = %.200q, want no error of the server's", garbage, all)
		}
	}
}
