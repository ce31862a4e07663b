package certs_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/cmd/sluice/internal/certs"
	"github.com/sluicemq/sluice/protocols/authority"
)

var now = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// local returns the certificates of an authority that is kept in a directory, and what clients have to trust.
func local(t *testing.T, dir string, hosts ...string) (l *certs.Local, file string) {
	t.Helper()
	ca, err := authority.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return certs.NewLocal(ca, hosts, func() time.Time { return now }), ca.File()
}

// shake shakes hands with a source as a client that trusts the file and asks for the name.
func shake(t *testing.T, s certs.Source, file, name string) (tls.ConnectionState, error) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatalf("%s has no certificate", file)
	}
	here, there := net.Pipe()
	defer here.Close()
	go func() { _ = tls.Server(there, certs.Config(s)).Handshake(); there.Close() }()
	client := tls.Client(here, &tls.Config{RootCAs: roots, ServerName: name, Time: func() time.Time { return now }})
	err = client.Handshake()
	return client.ConnectionState(), err
}

func TestCertificatesAreSignedForLocalNames(t *testing.T) {
	l, file := local(t, t.TempDir(), "queues.example", "192.0.2.7")
	for _, name := range []string{
		"localhost", "127.0.0.1", "::1", "any.localhost", "1234567890123456.mns.cn-hangzhou.mns.localhost", "LOCALHOST",
		"sqs.us-east-1.localhost.localstack.cloud", "localhost.localstack.cloud", "sluice", "queues.example", "192.0.2.7",
	} {
		if state, err := shake(t, l, file, name); err != nil || state.Version != tls.VersionTLS13 {
			t.Errorf("handshake with %s = %v (version %x), want TLS 1.3", name, err, state.Version)
		}
	}
	for _, name := range []string{"example.com", "notlocalhost.com", "192.0.2.8"} {
		if _, err := shake(t, l, file, name); err == nil {
			t.Errorf("handshake with %s succeeded, want none: it is not this machine", name)
		}
	}
}

func TestLocalRemembersABoundedNumberOfNames(t *testing.T) {
	l, _ := local(t, t.TempDir())
	for i := range 300 {
		if _, err := l.Certificate(&tls.ClientHelloInfo{ServerName: fmt.Sprintf("a%d.localhost", i)}); err != nil {
			t.Fatal(err)
		}
	}
	same := func(name string) bool {
		x, _ := l.Certificate(&tls.ClientHelloInfo{ServerName: name})
		y, _ := l.Certificate(&tls.ClientHelloInfo{ServerName: name})
		return x == y
	}
	if !same("a1.localhost") || !same("") || same("a299.localhost") {
		t.Error("want the first names remembered, and those beyond the bound made anew")
	}
}

func TestLocalRemembersWhatItRenews(t *testing.T) {
	later := now
	ca, err := authority.Open("")
	if err != nil {
		t.Fatal(err)
	}
	l := certs.NewLocal(ca, nil, func() time.Time { return later })
	for i := range 300 {
		if _, err := l.Certificate(&tls.ClientHelloInfo{ServerName: fmt.Sprintf("a%d.localhost", i)}); err != nil {
			t.Fatal(err)
		}
	}
	later = now.Add(400 * 24 * time.Hour)
	x, _ := l.Certificate(&tls.ClientHelloInfo{ServerName: "a1.localhost"})
	y, _ := l.Certificate(&tls.ClientHelloInfo{ServerName: "a1.localhost"})
	if x != y || x.Leaf.NotAfter.Before(later) {
		t.Errorf("two certificates until %v and %v, want one that is valid at %v", x.Leaf.NotAfter, y.Leaf.NotAfter, later)
	}
}

func TestClientsTrustTheAuthorityAfterARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tls")
	_, file := local(t, dir)
	again, _ := local(t, dir)
	if _, err := shake(t, again, file, "localhost"); err != nil {
		t.Errorf("handshake after opening again = %v", err)
	}
	_, other := local(t, t.TempDir())
	if _, err := shake(t, again, other, "localhost"); err == nil {
		t.Error("handshake with a client of another authority succeeded, want none")
	}
}

// pair writes a certificate for localhost that nobody else has signed, and returns its two files.
func pair(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	_, cert = local(t, dir)
	return cert, filepath.Join(dir, authority.KeyFile)
}

func TestFilesAreReadAgain(t *testing.T) {
	cert, key := pair(t, t.TempDir())
	f, err := certs.OpenFiles(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := f.Certificate(nil)
	if err := os.WriteFile(cert, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Reload(); err == nil || !strings.Contains(err.Error(), cert) {
		t.Errorf("Reload of a broken file = %v, want an error that names it", err)
	}
	if kept, _ := f.Certificate(nil); kept != before {
		t.Error("a reload that failed took the certificate away")
	}
	other, otherKey := pair(t, t.TempDir())
	if os.Rename(other, cert) != nil || os.Rename(otherKey, key) != nil {
		t.Fatal("cannot move the files")
	}
	if err := f.Reload(); err != nil {
		t.Fatal(err)
	}
	if after, _ := f.Certificate(nil); after == before {
		t.Error("the certificate is still the old one after a reload")
	}
	if _, err := certs.OpenFiles(cert, "/nowhere"); err == nil {
		t.Error("OpenFiles without a key succeeded")
	}
}
