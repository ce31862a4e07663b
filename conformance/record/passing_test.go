package record_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluicemq/sluice/conformance/record"
	"github.com/sluicemq/sluice/conformance/replay"
)

// tape is a proxy to a server, what it wrote and what it complained of.
type tape struct {
	*httptest.Server
	t     *testing.T
	proxy *record.Proxy
	dir   string

	mu     sync.Mutex
	errors []string
}

func taping(t *testing.T, upstream string, dir ...string) *tape {
	t.Helper()
	p := &tape{t: t, dir: append(dir, t.TempDir())[0]}
	var err error
	p.proxy, err = record.NewProxy(upstream, p.dir, func() time.Time { return epoch }, func(err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.errors = append(p.errors, err.Error())
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Server = httptest.NewServer(p.proxy)
	t.Cleanup(p.Server.Close)
	return p
}

// through is a client that has the proxy as its HTTP proxy.
func (p *tape) through() *http.Client {
	u, err := url.Parse(p.URL)
	if err != nil {
		p.t.Fatal(err)
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u)}}
}

// written ends the recordings and returns them by their names.
func (p *tape) written() map[string]string {
	p.t.Helper()
	p.Server.Close()
	if err := p.proxy.Close(); err != nil {
		p.t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(p.dir, "*/*/*.http"))
	all := make(map[string]string)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			p.t.Fatal(err)
		}
		name, _ := filepath.Rel(p.dir, f)
		all[name] = string(text)
	}
	return all
}

// says is a server that answers everything alike.
func says(t *testing.T, status int, body string, headers ...string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

// The first half of an answer is with the client before the second is made.
func TestProxyStreams(t *testing.T) {
	more := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "first\n")
		_ = http.NewResponseController(w).Flush()
		<-more
		fmt.Fprint(w, "second\n")
	}))
	t.Cleanup(upstream.Close)
	p := taping(t, upstream.URL)
	resp, err := http.Post(p.URL, "application/x-www-form-urlencoded", strings.NewReader("Action=ReceiveMessage&WaitTimeSeconds=20"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body := bufio.NewReader(resp.Body)
	if line, err := body.ReadString('\n'); line != "first\n" {
		t.Errorf("first line = %q, %v, want it before the answer ends", line, err)
	}
	close(more)
	if rest, err := io.ReadAll(body); string(rest) != "second\n" {
		t.Errorf("rest = %q, %v, want the second line", rest, err)
	}
	for name, text := range p.written() {
		if !strings.Contains(text, "first\nsecond{{nl}}\n") {
			t.Errorf("%s = %s\nwant both lines", name, text)
		}
	}
}

// A poll that waits holds up no other request, and one whose client has gone is not recorded.
func TestProxyKeepsLongPollsApart(t *testing.T) {
	arrived := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "ReceiveMessage") {
			close(arrived)
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, "<SendMessageResponse/>")
	}))
	t.Cleanup(upstream.Close)
	p := taping(t, upstream.URL)
	poll, err := net.Dial("tcp", p.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const body = "Action=ReceiveMessage"
	fmt.Fprintf(poll, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	<-arrived
	if got := answer(t, http.MethodPost, p.URL, "Action=SendMessage"); got != "<SendMessageResponse/>" {
		t.Errorf("SendMessage beside a poll = %q, want its answer", got)
	}
	poll.Close()
	for name, text := range p.written() {
		if strings.Count(text, "### call") != 1 || strings.Contains(text, "ReceiveMessage") {
			t.Errorf("%s = %s\nwant only what was answered", name, text)
		}
	}
}

func TestProxyReachesHTTPSForPlainClients(t *testing.T) {
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<ListQueuesResponse>%s</ListQueuesResponse>", r.Host)
	}))
	t.Cleanup(upstream.Close)
	p := taping(t, upstream.URL)
	p.proxy.Trust(upstream.Certificate())
	host := strings.TrimPrefix(upstream.URL, "https://")
	resp, err := p.through().Post("http://"+host+"/", "application/x-www-form-urlencoded", strings.NewReader("Action=ListQueues"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); !strings.Contains(string(body), host) {
		t.Errorf("answer = %q, %v, want the host %s to have stayed as it was signed", body, err, host)
	}
	if all := p.written(); len(all) != 1 {
		t.Errorf("%d recordings, want 1", len(all))
	}
}

// What is for others, such as the service that gives out tokens, does not pass.
func TestProxyServesOnlyItsUpstream(t *testing.T) {
	upstream := says(t, 200, "<x/>")
	other := says(t, 200, "<SecretAccessKey>SECRET</SecretAccessKey>")
	p := taping(t, upstream.URL)
	client := p.through()
	resp, err := client.Post(strings.Replace(other.URL, "127.0.0.1", "localhost.", 1)+"/", "text/plain", strings.NewReader("Action=AssumeRole&Version=2011-06-15"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("request to another host = %d, want 403", resp.StatusCode)
	}
	if _, err := client.Get("https://sqs.us-east-1.amazonaws.com/"); err == nil || !strings.Contains(err.Error(), "Not Implemented") {
		t.Errorf("CONNECT = %v, want it refused", err)
	}
	// The same host, but no protocol of queues.
	if got := answer(t, http.MethodPost, p.URL, "Action=AssumeRole&Version=2011-06-15"); got != "<x/>" {
		t.Errorf("a request of another service = %q, want it passed on", got)
	}
	if all := p.written(); len(all) != 0 {
		t.Errorf("recordings are %v, want none", all)
	}
}

func TestProxyRecordsNoAnswersOfItsOwn(t *testing.T) {
	upstream := says(t, 200, "")
	upstream.Close()
	p := taping(t, upstream.URL)
	if got := answer(t, http.MethodPost, p.URL, "Action=ListQueues"); !strings.Contains(got, "no answer") {
		t.Errorf("answer = %q, want to be told that there was none", got)
	}
	if all := p.written(); len(all) != 0 || len(p.errors) != 1 {
		t.Errorf("recordings are %v with errors %q, want none and one", all, p.errors)
	}
}

func TestProxyWritesAFileForEachProtocolAndSession(t *testing.T) {
	upstream := says(t, 200, "{}")
	use := func(url string) {
		answer(t, http.MethodPost, url, "{}", "X-Amz-Target", "AmazonSQS.ListQueues")
		answer(t, http.MethodPost, url, "Action=ListQueues")
		answer(t, http.MethodGet, url+"/queues", "")
	}
	dir := t.TempDir()
	var all map[string]string
	for range 2 { // both in the same second
		p := taping(t, upstream.URL, dir)
		use(p.URL)
		all = p.written()
	}
	for _, dialect := range []string{replay.SQSJSON, replay.SQSQuery, replay.MNS} {
		for _, suffix := range []string{"", "-2"} {
			name := dialect + "/Session/" + epoch.UTC().Format("2006-01-02-150405") + suffix + ".http"
			if _, err := replay.Parse(name, all[name]); err != nil || strings.Count(all[name], "### call") != 1 {
				t.Errorf("%s = %q, %v, want one exchange", name, all[name], err)
			}
		}
	}
	if len(all) != 6 {
		t.Errorf("%d recordings, want 6", len(all))
	}
}

// Providers repeat in their errors what they were sent, and clients send secrets in many places.
func TestNothingSecretGetsOut(t *testing.T) {
	const (
		token     = "IQoJb3JpZ2luX2VjTOKENTOKENTOKENTOKENTOKEN/+=="
		signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
		keyID     = "ASIAQWERTYUIOPASDFGH"
	)
	authorization := "AWS4-HMAC-SHA256 Credential=" + keyID + "/20260301/us-east-1/sqs/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + signature
	for _, tt := range []struct{ name, path, request, answer string }{
		{"a canonical string", "/", "Action=ListQueues", "<Message>The Canonical String for this request should have been 'POST / host:x x-amz-date:20260301T000000Z x-amz-security-token:" + token + " " + signature + "'</Message>"},
		{"a header repeated", "/", "Action=ListQueues", "<Message>Authorization header requires existence. Authorization=" + authorization + "</Message>"},
		{"an ARN of a session", "/", "Action=ListQueues", `<Message>User: arn:aws:sts::555566667777:assumed-role/deploy/somebody@example.com is not authorized</Message>`},
		{"a presigned address", "/555566667777/q?Action=ListQueues&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + keyID + "%2F20260301&X-Amz-Security-Token=" + url.QueryEscape(token) + "&X-Amz-Signature=" + signature, "", "<x/>"},
		{"a form of signature version 2", "/", "Action=ListQueues&AWSAccessKeyId=" + keyID + "&Signature=abcdefabcdefabcdef%3D&SecurityToken=" + url.QueryEscape(token), "<x/>"},
		{"an account in a list", "/", "Action=AddPermission&AWSAccountId.1=555566667777&AWSAccountId.2=888899990000", "<x/>"},
		{"accounts in a policy", "/", "Action=ListQueues", `<Value>{"Principal":{"AWS":["555566667777","arn:aws:iam::888899990000:user/somebody"]},"Condition":{"aws:SourceAccount":"555566667777"}}</Value>`},
		{"an escaped account", "/", "Action=GetQueueAttributes&QueueUrl=https%3A%2F%2Fsqs.us-east-1.amazonaws.com%2F555566667777%2Forders", "<x/>"},
		{"a path style", "/queue/us-east-1/555566667777/orders?Action=ListQueues", "", "<QueueUrl>http://x/queue/us-east-1/555566667777/orders</QueueUrl>"},
		{"a sender", "/", "Action=ReceiveMessage", "<Attribute><Name>SenderId</Name><Value>AROAQWERTYUIOPASDFGH:somebody@example.com</Value></Attribute><Attribute><Name>Other</Name><Value>AIDAQWERTYUIOPASDFGH</Value></Attribute>"},
		{"a body of the token service", "/", "Action=ListQueues", "<Credentials><SecretAccessKey>" + signature + "</SecretAccessKey><SessionToken>" + token + "</SessionToken></Credentials>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			upstream := says(t, 400, tt.answer, "Set-Cookie", "a=SESSIONCOOKIE", "X-Internal-Host", "SESSIONCOOKIE", "X-Amz-Apigw-Id", "SESSIONCOOKIE")
			p := taping(t, upstream.URL)
			answer(t, http.MethodPost, p.URL+tt.path, tt.request, "Authorization", authorization, "X-Amz-Security-Token", token,
				"Cookie", "b=SESSIONCOOKIE", "X-Api-Key", "SESSIONCOOKIE", "Referer", "http://user:SESSIONCOOKIE@x/", "X-Forwarded-For", "203.0.113.7")
			all := p.written()
			if len(all) != 1 {
				t.Fatalf("%d recordings, want 1: %q", len(all), p.errors)
			}
			for name, text := range all {
				if _, err := replay.Parse(name, text); err != nil {
					t.Errorf("Parse(…) = %v\n%s", err, text)
				}
				for _, never := range []string{"TOKENTOKEN", "5d672d79", "QWERTYUI", "SESSIONCOOKIE", "555566667777", "888899990000", "somebody", "abcdefabcdef", "203.0.113"} {
					if strings.Contains(text, never) {
						t.Errorf("the recording contains %q:\n%s", never, text)
					}
				}
			}
		})
	}
}

func TestProxyRecordsWhatWasCompressed(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "<ListQueuesResponse/>")
	z.Close()
	upstream := says(t, 200, packed.String(), "Content-Encoding", "gzip")
	p := taping(t, upstream.URL)
	answer(t, http.MethodPost, p.URL, "Action=ListQueues", "Accept-Encoding", "gzip")
	for name, text := range p.written() {
		if !strings.Contains(text, "<ListQueuesResponse/>") {
			t.Errorf("%s = %s\nwant the plain body", name, text)
		}
	}
}
