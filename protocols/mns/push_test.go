package mns

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/authority"
)

// pushed is a request that a receiver got.
type pushed struct {
	method, resource, body string
	header                 http.Header
}

// receiver answers pushes with the statuses it is given, and with 204 after that.
type receiver struct {
	*httptest.Server
	got chan pushed
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	t.Helper()
	r := &receiver{got: make(chan pushed, 100)}
	next := make(chan int, len(statuses))
	for _, status := range statuses {
		next <- status
	}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Errorf("reading a push: %v", err)
		}
		status := http.StatusNoContent
		select {
		case status = <-next:
		default:
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		r.got <- pushed{q.Method, q.RequestURI, string(body), q.Header}
	}))
	t.Cleanup(r.Close)
	return r
}

// observer hands events on.
type observer chan core.Event

func (o observer) Observe(e core.Event) { o <- e }

// next returns the next event of one of the kinds.
func (o observer) next(kinds ...core.EventKind) core.Event {
	for e := range o {
		if slices.Contains(kinds, e.Kind) {
			return e
		}
	}
	return core.Event{}
}

// pushLab is a lab whose engine pushes.
type pushLab struct {
	*lab
	pusher *Pusher
	events observer
}

// signerDir has one key for all tests, since it takes a moment to make one, and signerCA has signed its certificate.
var (
	signerDir string
	signerCA  *authority.CA
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mns-push")
	if err != nil {
		panic(err)
	}
	signerDir = dir
	if signerCA, err = authority.Open(""); err != nil {
		panic(err)
	}
	m.Run()
	_ = os.RemoveAll(dir)
}

func newPushLab(t *testing.T, hosts ...string) *pushLab {
	t.Helper()
	l := &pushLab{lab: newLab(t), events: make(observer, 1000)}
	certificates := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.pusher.ServeHTTP(w, r) }))
	t.Cleanup(certificates.Close)
	l.clock = clock.NewManual(labTime)
	l.pusher = NewPusher(PushOptions{
		Site: l.site, Now: l.clock.Now, Dir: signerDir, Authority: signerCA, Hosts: hosts,
		CertificateURL: func() string { return certificates.URL + CertificatePath },
	})
	l.engine = openEngine(t, core.Options{
		Clock: l.clock, Render: Render(l.site), Pusher: l.pusher, Observers: []core.Observer{l.events}, OnError: func(err error) { t.Errorf("fault: %v", err) },
	})
	l.site.Broker = l.engine.Under
	l.handler = protocols.NewHandler([]protocols.Dialect{XML(l.site)}, func(_ *protocols.Call, err error) { t.Errorf("fault: %v", err) })
	return l
}

func toURL(url, format string) string {
	return "<Endpoint>" + url + "</Endpoint><NotifyContentFormat>" + format + "</NotifyContentFormat>"
}

// verifyPush checks a push as the sample of the provider's Go client does: it sorts whole lines, fetches the certificate
// from the address in the headers, and takes the first one for its key alone.
func verifyPush(p pushed) error {
	var lines []string
	for name, values := range p.header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-mns-") {
			lines = append(lines, lower+":"+strings.Join(values, ","))
		}
	}
	slices.Sort(lines)
	text := strings.Join([]string{
		p.method, p.header.Get("Content-MD5"), p.header.Get("Content-Type"), p.header.Get("Date"), strings.Join(lines, "\n"), p.resource,
	}, "\n")
	address, err := base64.StdEncoding.DecodeString(p.header.Get("x-mns-signing-cert-url"))
	if err != nil {
		return err
	}
	answer, err := http.Get(string(address))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	file, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(file)
	if block == nil || block.Type != "CERTIFICATE" {
		return fmt.Errorf("no certificate in %q", file)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	signature, err := base64.StdEncoding.DecodeString(p.header.Get("Authorization"))
	if err != nil {
		return err
	}
	sum := sha1.Sum([]byte(text))
	return rsa.VerifyPKCS1v15(certificate.PublicKey.(*rsa.PublicKey), crypto.SHA1, sum[:], signature)
}

func TestPushIsAsRecordedAndSigned(t *testing.T) {
	l := newPushLab(t)
	r := newReceiver(t)
	l.createTopic("t", toURL(r.URL+"/api/test?a=%20b", formatSimplified))
	id := l.publish("t", "<MessageBody>hello</MessageBody><MessageTag>red</MessageTag>").text("MessageId")
	got := <-r.got
	if got.method != "POST" || got.resource != "/api/test?a=%20b" || got.body != "hello" {
		t.Errorf("pushed %s %s %q", got.method, got.resource, got.body)
	}
	if err := verifyPush(got); err != nil {
		t.Errorf("the signature of the push: %v", err)
	}
	want := map[string]string{
		"Accept": "*/*", "User-Agent": "Aliyun Notification Service Agent", "Content-Length": "5", "Date": "Fri, 25 Sep 2026 01:28:03 GMT",
		"Content-Type": "text/plain;charset=utf-8", "Content-Md5": "5D41402ABC4B2A76B9719D911017C592",
		"X-Mns-Message-Id": id, "X-Mns-Message-Tag": "red", "X-Mns-Publish-Time": "1790299683992", "X-Mns-Subscriber": homeAccount,
		"X-Mns-Subscription-Name": "s0", "X-Mns-Topic-Name": "t", "X-Mns-Topic-Owner": homeAccount, "X-Mns-Version": "2015-06-06",
	}
	for _, name := range []string{"Authorization", "X-Mns-Request-Id", "X-Mns-Signing-Cert-Url"} {
		want[name] = got.header.Get(name)
	}
	all := map[string]string{}
	for name := range got.header {
		all[name] = got.header.Get(name)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("headers of the push (-want +got):\n%s", diff)
	}
	if id := got.header.Get("X-Mns-Request-Id"); len(id) != 24 || !strings.HasPrefix(id, "6AB5CE23") {
		t.Errorf("x-mns-request-id = %s", id)
	}
}

func TestChangedPushDoesNotVerify(t *testing.T) {
	l := newPushLab(t)
	r := newReceiver(t)
	l.createTopic("t", toURL(r.URL, formatXML))
	l.publish("t", "<MessageBody>hello</MessageBody>")
	got := <-r.got
	if err := verifyPush(got); err != nil {
		t.Fatalf("the signature of the push: %v", err)
	}
	got.header.Set("x-mns-message-id", "another")
	if err := verifyPush(got); err == nil {
		t.Error("a push with another id verifies")
	}
}

func TestPushInEachForm(t *testing.T) {
	l := newPushLab(t)
	for _, c := range []struct{ format, contentType, body string }{
		{formatXML, "text/xml;charset=utf-8", "<Message>x</Message>"},
		{formatJSON, "text/xml;charset=utf-8", `"Message":"x"`},
		{formatSimplified, "text/plain;charset=utf-8", "x"},
	} {
		r := newReceiver(t)
		l.createTopic(c.format, toURL(r.URL, c.format))
		l.publish(c.format, "<MessageBody>x</MessageBody>")
		got := <-r.got
		// Documented: an endpoint without a path.
		if got.resource != "/notifications" || got.header.Get("Content-Type") != c.contentType || !strings.Contains(got.body, c.body) {
			t.Errorf("%s: pushed %+v", c.format, got)
		}
		if got.header.Get("Content-MD5") != digest(got.body) {
			t.Errorf("%s: Content-MD5 = %s", c.format, got.header.Get("Content-MD5"))
		}
		if err := verifyPush(got); err != nil {
			t.Errorf("%s: the signature of the push: %v", c.format, err)
		}
	}
}

func TestPushIsRepeatedUntilItIsTaken(t *testing.T) {
	l := newPushLab(t)
	r := newReceiver(t, 500, 307, 404, 200) // redirects are not followed
	l.createTopic("t", toURL(r.URL, formatSimplified))
	l.publish("t", "<MessageBody>x</MessageBody>")
	for attempt, status := range []int{500, 307, 404} {
		e := l.events.next(core.EventPushFailed)
		if answer, ok := errors.AsType[*AnswerError](e.Err); !ok || answer.Status != status || e.Receives != attempt+1 {
			t.Errorf("attempt %d has failed with %v, want status %d", e.Receives, e.Err, status)
		}
		l.clock.Advance(20 * time.Second)
	}
	if e := l.events.next(core.EventPushed); e.Receives != 4 {
		t.Errorf("pushed at attempt %d, want 4", e.Receives)
	}
	for range 4 {
		if got := <-r.got; got.resource != "/notifications" {
			t.Errorf("pushed to %s", got.resource)
		}
	}
}

func TestPushToForbiddenAddressIsRefused(t *testing.T) {
	l := newPushLab(t, "192.0.2.1")
	l.createTopic("t",
		toURL("http://169.254.169.254/latest/meta-data", formatXML),
		toURL("http://[::ffff:169.254.169.254]/", formatXML),
		toURL("http://192.0.2.2/", formatXML),
		toURL("https://[2001:db8::1]/", formatXML),
	)
	l.publish("t", "<MessageBody>x</MessageBody>")
	refused := map[string]string{}
	for range 4 {
		e := l.events.next(core.EventPushFailed, core.EventPushed)
		refusal, ok := errors.AsType[*RefusedError](e.Err)
		if !ok {
			t.Fatalf("%s: event %+v, want a refused push", e.Subscription, e)
		}
		refused[refusal.Host] = refusal.Reason
	}
	want := map[string]string{"169.254.169.254": reasonNever, "::ffff:169.254.169.254": reasonNever, "192.0.2.2": reasonPublic, "2001:db8::1": reasonPublic}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func TestPushEndsWithItsContext(t *testing.T) {
	l := newPushLab(t)
	stuck := make(chan struct{})
	r := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stuck }))
	defer r.Close()
	defer close(stuck)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- l.pusher.Push(ctx, core.Delivery{Subscription: core.SubscriptionInfo{Settings: core.SubscriptionSettings{Endpoint: core.Endpoint{Address: r.URL}}}})
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Push(ended) = %v, want %v", err, context.Canceled)
	}
}

func TestLongAnswersDoNotHurt(t *testing.T) {
	l := newPushLab(t)
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/headers" {
			w.Header().Set("X-Long", strings.Repeat("x", 2*maxPushHeaders))
		}
		for range 100 {
			if _, err := w.Write(make([]byte, maxPushAnswer)); err != nil {
				return
			}
		}
	}))
	defer r.Close()
	push := func(path string) error {
		return l.pusher.Push(t.Context(), core.Delivery{Subscription: core.SubscriptionInfo{Settings: core.SubscriptionSettings{Endpoint: core.Endpoint{Address: r.URL + path}}}})
	}
	if err := push("/body"); err != nil {
		t.Errorf("Push(long body) = %v", err)
	}
	if err := push("/headers"); err == nil {
		t.Error("Push(long headers) = nil")
	}
}
