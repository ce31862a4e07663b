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
)

var now = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func authority(t *testing.T, dir string, hosts ...string) *certs.Authority {
	t.Helper()
	a, err := certs.OpenAuthority(dir, hosts, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	return a
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

func TestAuthoritySignsForLocalNames(t *testing.T) {
	a := authority(t, t.TempDir(), "queues.example", "192.0.2.7")
	for _, name := range []string{
		"localhost", "127.0.0.1", "::1", "any.localhost", "1234567890123456.mns.cn-hangzhou.mns.localhost", "LOCALHOST",
		"sqs.us-east-1.localhost.localstack.cloud", "localhost.localstack.cloud", "sluice", "queues.example", "192.0.2.7",
	} {
		if state, err := shake(t, a, a.File, name); err != nil || state.Version != tls.VersionTLS13 {
			t.Errorf("handshake with %s = %v (version %x), want TLS 1.3", name, err, state.Version)
		}
	}
	for _, name := range []string{"example.com", "notlocalhost.com", "192.0.2.8"} {
		if _, err := shake(t, a, a.File, name); err == nil {
			t.Errorf("handshake with %s succeeded, want none: it is not this machine", name)
		}
	}
}

func TestAuthorityRemembersABoundedNumberOfNames(t *testing.T) {
	a := authority(t, t.TempDir())
	for i := range 300 {
		if _, err := a.Certificate(&tls.ClientHelloInfo{ServerName: fmt.Sprintf("a%d.localhost", i)}); err != nil {
			t.Fatal(err)
		}
	}
	same := func(name string) bool {
		x, _ := a.Certificate(&tls.ClientHelloInfo{ServerName: name})
		y, _ := a.Certificate(&tls.ClientHelloInfo{ServerName: name})
		return x == y
	}
	if !same("a1.localhost") || !same("") || same("a299.localhost") {
		t.Error("want the first names remembered, and those beyond the bound made anew")
	}
}

func TestAuthorityRemembersWhatItRenews(t *testing.T) {
	later := now
	a, err := certs.OpenAuthority(t.TempDir(), nil, func() time.Time { return later })
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		if _, err := a.Certificate(&tls.ClientHelloInfo{ServerName: fmt.Sprintf("a%d.localhost", i)}); err != nil {
			t.Fatal(err)
		}
	}
	later = now.Add(400 * 24 * time.Hour)
	x, _ := a.Certificate(&tls.ClientHelloInfo{ServerName: "a1.localhost"})
	y, _ := a.Certificate(&tls.ClientHelloInfo{ServerName: "a1.localhost"})
	if x != y || x.Leaf.NotAfter.Before(later) {
		t.Errorf("two certificates until %v and %v, want one that is valid at %v", x.Leaf.NotAfter, y.Leaf.NotAfter, later)
	}
}

func TestAuthorityStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tls")
	first := authority(t, dir)
	text, err := os.ReadFile(first.File)
	if err != nil {
		t.Fatal(err)
	}
	again := authority(t, dir)
	if kept, _ := os.ReadFile(again.File); string(kept) != string(text) {
		t.Error("the authority is another one after opening it again")
	}
	if _, err := shake(t, again, first.File, "localhost"); err != nil {
		t.Errorf("handshake after opening again = %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "ca-key.pem"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the key = %v (%v), want 0600", info.Mode(), err)
	}
}

func TestAuthorityThatIsNoneIsRefused(t *testing.T) {
	dir := t.TempDir()
	authority(t, dir)
	if err := os.WriteFile(filepath.Join(dir, certs.AuthorityFile), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := certs.OpenAuthority(dir, nil, time.Now); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("OpenAuthority of a broken file = %v, want an error that names it", err)
	}
}

// pair writes a certificate for localhost that nobody else has signed, and returns its two files.
func pair(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	authority(t, dir)
	return filepath.Join(dir, certs.AuthorityFile), filepath.Join(dir, "ca-key.pem")
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
