package authority_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/protocols/authority"
)

func open(t *testing.T, dir string) *authority.CA {
	t.Helper()
	ca, err := authority.Open(dir)
	if err != nil {
		t.Fatalf("Open(%q) = %v", dir, err)
	}
	return ca
}

// leaf is a certificate that an authority has signed.
func leaf(t *testing.T, ca *authority.CA) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ca.Sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "leaf"}, NotBefore: authority.ValidFrom, NotAfter: authority.ValidUntil,
	}, key.Public())
	if err != nil {
		t.Fatalf("Sign = %v", err)
	}
	return c
}

// trusts verifies a certificate as somebody does who has the authority's file and nothing else.
func trusts(ca *authority.CA, c *x509.Certificate, when time.Time) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.PEM())
	_, err := c.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: when})
	return err
}

func TestWhatIsSignedChainsToItsAuthorityAlone(t *testing.T) {
	ca, other := open(t, ""), open(t, "")
	c := leaf(t, ca)
	for _, year := range []int{2016, 2026, 9000} {
		if err := trusts(ca, c, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
			t.Errorf("in %d: Verify = %v, want that it is trusted", year, err)
		}
	}
	if trusts(other, c, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) == nil {
		t.Error("another authority vouches for it, want that it does not")
	}
	if c.IsCA || !ca.Certificate().IsCA || ca.Certificate().KeyUsage&x509.KeyUsageCertSign == 0 {
		t.Errorf("is an authority: leaf %v, authority %v of usage %b", c.IsCA, ca.Certificate().IsCA, ca.Certificate().KeyUsage)
	}
	if ca.File() != "" {
		t.Errorf("File() of an authority that is not kept = %q", ca.File())
	}
}

func TestAuthorityIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "tls")
	ca := open(t, dir)
	if again := open(t, dir); !again.Certificate().Equal(ca.Certificate()) || again.File() != ca.File() {
		t.Error("the authority is another one after opening it again")
	}
	if err := trusts(open(t, dir), leaf(t, open(t, dir)), authority.ValidFrom); err != nil {
		t.Errorf("Verify after opening again = %v", err)
	}
	text, err := os.ReadFile(ca.File())
	if err != nil || !bytes.Equal(text, ca.PEM()) {
		t.Errorf("%s has %q, %v, want %q", ca.File(), text, err, ca.PEM())
	}
	modes := map[string]os.FileMode{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		modes[e.Name()] = info.Mode()
	}
	if diff := cmp.Diff(map[string]os.FileMode{authority.CertificateFile: 0o644, authority.KeyFile: 0o600}, modes); diff != "" {
		t.Errorf("modes of the files (-want +got):\n%s", diff)
	}
}

// A start that was killed between the two files has left the key.
func TestKeyWithoutCertificateIsTaken(t *testing.T) {
	dir := t.TempDir()
	before := open(t, dir)
	c := leaf(t, before)
	if err := os.Remove(before.File()); err != nil {
		t.Fatal(err)
	}
	after := open(t, dir)
	if err := trusts(after, c, authority.ValidFrom); err != nil {
		t.Errorf("Verify of what was signed before = %v, want that it is trusted still", err)
	}
	if again := open(t, dir); !again.Certificate().Equal(after.Certificate()) {
		t.Error("the new certificate is not kept")
	}
}

func TestDamagedAuthorityIsToldAndStays(t *testing.T) {
	whole, other := t.TempDir(), t.TempDir()
	open(t, whole)
	open(t, other)
	read := func(dir, name string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	certificate, key := read(whole, authority.CertificateFile), read(whole, authority.KeyFile)
	notOurs := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})
	for name, tt := range map[string]struct {
		certificate, key []byte // nil: no such file
		names            string
	}{
		"empty certificate":     {[]byte{}, key, authority.CertificateFile},
		"cut certificate":       {certificate[:len(certificate)/2], key, authority.CertificateFile},
		"empty key":             {certificate, []byte{}, authority.KeyFile},
		"cut key":               {certificate, key[:len(key)/2], authority.KeyFile},
		"no key":                {certificate, nil, authority.KeyFile},
		"key of another":        {certificate, read(other, authority.KeyFile), authority.KeyFile},
		"empty key alone":       {nil, []byte{}, authority.KeyFile},
		"key alone, of garbage": {nil, notOurs, authority.KeyFile},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string][]byte{authority.CertificateFile: tt.certificate, authority.KeyFile: tt.key}
			for name, text := range files {
				if text == nil {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := authority.Open(dir)
			if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, tt.names)) || !strings.Contains(err.Error(), "or remove") {
				t.Errorf("Open = %v, want an error that names %s, and what to do", err, tt.names)
			}
			for name, text := range files {
				if now, _ := os.ReadFile(filepath.Join(dir, name)); !bytes.Equal(now, text) {
					t.Errorf("%s has changed", name)
				}
			}
		})
	}
}

func TestCertificateThatMayNotSignIsRefused(t *testing.T) {
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{NotBefore: authority.ValidFrom, NotAfter: authority.ValidUntil}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		authority.CertificateFile: {Type: "CERTIFICATE", Bytes: der},
		authority.KeyFile:         {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := authority.Open(dir); err == nil || !strings.Contains(err.Error(), "not the certificate of an authority") {
		t.Errorf("Open = %v, want that it is no authority", err)
	}
}

func TestSignedGoesByNameAndSignature(t *testing.T) {
	dir := t.TempDir()
	ca := open(t, dir)
	pair, err := tls.LoadX509KeyPair(ca.File(), filepath.Join(dir, authority.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	renamed := *ca.Certificate()
	renamed.RawSubject, renamed.Subject = nil, pkix.Name{CommonName: "authority of another machine"}
	template := &x509.Certificate{NotBefore: authority.ValidFrom, NotAfter: authority.ValidUntil}
	der, err := x509.CreateCertificate(rand.Reader, template, &renamed, leaf(t, ca).PublicKey, pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	otherName, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		c    *x509.Certificate
		want bool
	}{
		"its own":              {leaf(t, ca), true},
		"of another authority": {leaf(t, open(t, "")), false},
		"of another name":      {otherName, false},
	} {
		if got := ca.Signed(tt.c); got != tt.want || (trusts(ca, tt.c, authority.ValidFrom) == nil) != tt.want {
			t.Errorf("Signed of one %s = %v, want %v, and what Verify says", name, got, tt.want)
		}
	}
}

func TestDirectoryThatCannotBeMadeIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := authority.Open(filepath.Join(file, "tls")); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Open = %v, want an error that names %s", err, file)
	}
}
