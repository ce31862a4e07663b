package mns

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/authority"
)

// The paths at which Pusher.ServeHTTP has to be reached: of the certificate of pushes, which is the name that the
// provider's has, and of the authority that has signed it, for those who verify the chain.
const (
	CertificatePath = "/mns/x509_public_certificate.pem"
	AuthorityPath   = "/mns/ca.pem"
)

// PushOptions are what a Pusher is made of.
type PushOptions struct {
	// Site has the bridges by which the accounts in notifications are named. No more of it is needed.
	Site *protocols.Site
	// Now is the engine's time, which is the date of pushes.
	Now func() time.Time
	// Authority signs the certificate of pushes. There has to be one.
	Authority *authority.CA
	// Dir is where the signing key and its certificate are kept, in a file that is made for the first push. Empty: they
	// are made anew for every process.
	Dir string
	// CertificateURL returns the URL at which receivers find the certificate: this server's, with CertificatePath, or
	// one under which receivers expect it.
	CertificateURL func() string
	// Hosts may be pushed to although their addresses are public: names or addresses as they stand in endpoints, without
	// ports. Loopback and private addresses always may, link-local ones and those of metadata services never.
	Hosts []string
}

// Pusher takes publications to endpoints of HTTP, signed like the provider's. It is a core.Pusher, and an http.Handler
// that serves the certificate of its signatures and the one of the authority.
type Pusher struct {
	o      PushOptions
	client *http.Client

	mu     sync.Mutex
	signer *signer // nil until it is needed
}

var _ core.Pusher = (*Pusher)(nil)

// NewPusher returns a pusher. Its key is read or made for the first push, unless Open has read it before.
func NewPusher(o PushOptions) *Pusher {
	return &Pusher{o: o, client: newPushClient(o.Hosts)}
}

// Open reads the key if there is one already, so that a damaged file is told at the start rather than by pushes that fail.
// One that is not there is made for the first push: that takes several times as long as a start.
func (p *Pusher) Open() error {
	if p.o.Dir == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(p.o.Dir, signerFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := p.key()
	return err
}

// key returns the signer, which takes a moment to make at the first time. What fails is tried again at the next time.
func (p *Pusher) key() (*signer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.signer == nil {
		s, err := loadSigner(p.o.Dir, p.o.Authority)
		if err != nil {
			return nil, err
		}
		p.signer = s
	}
	return p.signer, nil
}

// maxPushAnswer is how much is read of a receiver's answer, so that its connection can be used again. Nothing in it
// matters.
const maxPushAnswer = 64 << 10

// Push posts a publication to its endpoint and returns nil for an answer of status 2xx. Otherwise it returns a
// *RefusedError for an address that may not be pushed to, an *AnswerError for another answer, or the error of the
// connection. Redirects are other answers. The time that a push may take is the context's.
func (p *Pusher) Push(ctx context.Context, d core.Delivery) error {
	s, err := p.key()
	if err != nil {
		return err
	}
	r, err := p.request(ctx, &d, s)
	if err != nil {
		return err
	}
	answer, err := p.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	// What cannot be read does not make a push fail that was taken.
	_, _ = io.CopyN(io.Discard, answer.Body, maxPushAnswer)
	if answer.StatusCode/100 != 2 {
		return &AnswerError{Status: answer.StatusCode}
	}
	return nil
}

// AnswerError is the answer of a receiver that has not taken a push.
type AnswerError struct{ Status int }

func (e *AnswerError) Error() string {
	return "mns: the endpoint has answered " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
}

// request makes the request of a push. Headers are as recorded in 2023 and 2024, in their spelling, since clients look
// for own headers in lower case.
// UNVERIFIED: that they are the same in all forms; the recordings are of text/plain. The reference page has a Content-MD5
// in base64, recorded are upper-case hexadecimal digits.
func (p *Pusher) request(ctx context.Context, d *core.Delivery, s *signer) (*http.Request, error) {
	target, err := targetOf(d.Subscription.Settings.Endpoint.Address)
	if err != nil {
		return nil, err
	}
	n := notificationOf(d, p.o.Site)
	format := d.Subscription.Settings.Format
	body, now := n.body(format), p.o.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{
		"Accept":                  {"*/*"},
		"User-Agent":              {"Aliyun Notification Service Agent"},
		"Date":                    {now.UTC().Format(http.TimeFormat)},
		"Content-Type":            {contentTypeOf(format)},
		"Content-Md5":             {digest(body)},
		"x-mns-message-id":        {n.id},
		"x-mns-publish-time":      {n.publishTime},
		"x-mns-request-id":        {newRequestID(now)},
		"x-mns-signing-cert-url":  {base64.StdEncoding.EncodeToString([]byte(p.o.CertificateURL()))},
		"x-mns-subscriber":        {n.subscriber},
		"x-mns-subscription-name": {n.subscription},
		"x-mns-topic-name":        {n.topicName},
		"x-mns-topic-owner":       {n.topicOwner},
		"x-mns-version":           {xmlVersion},
	}
	if n.tag != "" {
		r.Header["x-mns-message-tag"] = []string{n.tag}
	}
	signed := &signable{method: r.Method, resource: target.RequestURI(), header: r.Header, date: r.Header.Get("Date")}
	signature, err := s.sign(signed.plainString())
	if err != nil {
		return nil, err
	}
	r.Header["Authorization"] = []string{signature}
	// Without values it is not sent; it lets net/http repeat the request on a new connection when the receiver has closed
	// an idle one in this very moment. A push may come twice anyhow.
	r.Header["Idempotency-Key"] = nil
	// The spelling of 2024, after the signature, which looks for the usual one.
	r.Header["Content-md5"] = r.Header["Content-Md5"]
	delete(r.Header, "Content-Md5")
	return r, nil
}

// targetOf reads an endpoint. Documented: without a path /notifications is meant.
func targetOf(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("mns: the endpoint is no URL: %w", err)
	}
	u.Fragment = ""
	if u.Path == "" {
		u.Path = "/notifications"
	}
	return u, nil
}

// UNVERIFIED: the type of JSON; documented are the others.
func contentTypeOf(format string) string {
	if format == formatSimplified || format == formatStream {
		return "text/plain;charset=utf-8"
	}
	return "text/xml;charset=utf-8"
}

// ServeHTTP answers with one of the certificates in PEM.
func (p *Pusher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == AuthorityPath {
		servePEM(w, r, p.o.Authority.PEM())
		return
	}
	s, err := p.key()
	if err != nil {
		http.Error(w, "There is no certificate.", http.StatusInternalServerError)
		return
	}
	servePEM(w, r, s.pem())
}

func servePEM(w http.ResponseWriter, r *http.Request, certificate []byte) {
	w.Header().Set("Content-Type", "application/x-pem-file")
	w.Header().Set("Content-Length", strconv.Itoa(len(certificate)))
	if r.Method != http.MethodHead {
		// The client may have gone; there is nobody else to tell.
		_, _ = w.Write(certificate)
	}
}

// sign returns a text's signature, as the provider makes it: RSA over SHA-1, in base64.
func (s *signer) sign(text string) (string, error) {
	sum := sha1.Sum([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, s.key, crypto.SHA1, sum[:])
	if err != nil {
		return "", fmt.Errorf("mns: signing a push: %w", err)
	}
	return base64.StdEncoding.EncodeToString(signature), nil
}
