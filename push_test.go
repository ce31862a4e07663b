package sluice_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
)

const (
	pushCertificate = "/mns/x509_public_certificate.pem"
	authorityPath   = "/mns/ca.pem"
)

// served is the one certificate at a path.
func served(t *testing.T, h http.Handler, path string) *x509.Certificate {
	t.Helper()
	text := mnsCall(h, http.MethodGet, path, "")
	block, rest := pem.Decode([]byte(text))
	if block == nil || len(rest) > 0 {
		t.Fatalf("GET %s = %q, want one certificate", path, text)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// vouches verifies a certificate with an authority alone.
func vouches(ca, c *x509.Certificate) error {
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	_, err := c.Verify(x509.VerifyOptions{Roots: roots})
	return err
}

func TestOneAuthorityIsKeptForAllThatAServerSigns(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	s := open(t, sluice.Options{Data: data})
	file := filepath.Join(data, "tls", "ca.pem")
	if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, s.Authority().PEM()) || s.Authority().File() != file {
		t.Errorf("%s after the first start has %q (%v), want the authority, which is in %s", file, text, err, s.Authority().File())
	}
	ca, leaf := served(t, s.Handler(), authorityPath), served(t, s.Handler(), pushCertificate)
	if !ca.Equal(s.Authority().Certificate()) {
		t.Error("the certificate that is served is not the authority's")
	}
	if err := vouches(ca, leaf); err != nil {
		t.Errorf("Verify = %v, want that the authority vouches for the certificate of pushes", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	h := open(t, sluice.Options{Data: data}).Handler()
	if !served(t, h, authorityPath).Equal(ca) || !served(t, h, pushCertificate).Equal(leaf) {
		t.Error("the certificates are others after a restart")
	}
}

func TestAuthorityInMemoryIsAnotherForEachServer(t *testing.T) {
	one, two := open(t, sluice.Options{}), open(t, sluice.Options{})
	if one.Authority().File() != "" || one.Authority().Certificate().Equal(two.Authority().Certificate()) {
		t.Errorf("authority in %q, same as another one's: want neither", one.Authority().File())
	}
	if vouches(one.Authority().Certificate(), served(t, two.Handler(), pushCertificate)) == nil {
		t.Error("the authority of one server vouches for the pushes of another")
	}
}

func TestOpenTellsWhichCertificateIsDamaged(t *testing.T) {
	for _, name := range []string{"tls/ca.pem", "tls/ca-key.pem", "mns-push-signing.pem"} {
		data := filepath.Join(t.TempDir(), "data")
		s := open(t, sluice.Options{Data: data})
		served(t, s.Handler(), pushCertificate) // so that there is one
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(data, filepath.FromSlash(name))
		whole, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = sluice.Open(sluice.Options{Data: data})
		if _, ok := errors.AsType[*sluice.OpenError](err); !ok || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Open with an empty %s = %v, want an OpenError of one line that names it", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || len(now) > 0 {
			t.Errorf("%s has changed, %v", name, err)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, sluice.Options{Data: data}) // what was opened before the error has been let go
	}
}

// The first versions let the certificate of pushes sign itself.
func TestDataOfAnEarlierVersionGetsAChain(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "Sluice push signing"}, KeyUsage: x509.KeyUsageDigitalSignature,
		NotBefore: time.Date(2015, 6, 6, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "mns-push-signing.pem"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, sluice.Options{Data: data})
	leaf := served(t, s.Handler(), pushCertificate)
	if !key.PublicKey.Equal(leaf.PublicKey) {
		t.Error("the key is another one")
	}
	if err := vouches(s.Authority().Certificate(), leaf); err != nil {
		t.Errorf("Verify = %v, want that the authority vouches for it", err)
	}
}

func TestReloadMovesTheURLOfTheCertificate(t *testing.T) {
	urls := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		url, _ := base64.StdEncoding.DecodeString(r.Header.Get("x-mns-signing-cert-url"))
		urls <- string(url)
	}))
	t.Cleanup(receiver.Close)
	o := sluice.Options{Resources: sluice.Resources{
		Topics:        []sluice.Topic{{Name: "t"}},
		Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Endpoint: receiver.URL}},
	}}
	s := open(t, o)
	for _, tt := range []struct{ public, push, want string }{
		{"", "", ""},
		{"https://public.example/", "", "https://public.example"},
		{"https://public.example", "http://push.example:1", "http://push.example:1"},
		{"", "", ""},
	} {
		o.PublicURL, o.PushURL = tt.public, tt.push
		if _, err := s.Reload(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		mnsCall(s.Handler(), http.MethodPost, "/topics/t/messages", "<Message><MessageBody>m</MessageBody></Message>")
		if got := <-urls; got != tt.want+pushCertificate {
			t.Errorf("with %q and %q pushes name %q, want %q before the path", tt.public, tt.push, got, tt.want)
		}
	}
}
