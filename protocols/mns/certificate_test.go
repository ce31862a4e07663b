package mns

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/protocols/authority"
)

// loaded returns what loadSigner returns where it has to succeed.
func loaded(t *testing.T, dir string, ca *authority.CA) *signer {
	t.Helper()
	s, err := loadSigner(dir, ca)
	if err != nil {
		t.Fatalf("loadSigner(%q) = %v", dir, err)
	}
	return s
}

func newCA(t *testing.T) *authority.CA {
	t.Helper()
	ca, err := authority.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

// ownDir is a directory with the key of all tests, and its file.
func ownDir(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, signerFile)
	s, err := os.ReadFile(filepath.Join(signerDirReady(t), signerFile))
	if err == nil {
		err = os.WriteFile(path, s, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, path
}

// chains verifies a certificate as somebody does who trusts one authority and no other.
func chains(c *x509.Certificate, ca *authority.CA, when time.Time) error {
	roots := x509.NewCertPool()
	roots.AddCert(ca.Certificate())
	_, err := c.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: when, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	return err
}

func TestSigningKeyIsKept(t *testing.T) {
	dir, ca := t.TempDir(), newCA(t)
	first := loaded(t, dir, ca)
	second := loaded(t, dir, ca)
	if !second.key.Equal(first.key) || !second.certificate.Equal(first.certificate) {
		t.Error("loadSigner(again) = another key or certificate")
	}
	info, err := os.Stat(filepath.Join(dir, signerFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}

func TestCertificateChainsToTheAuthorityAlone(t *testing.T) {
	s, ca := loaded(t, "", signerCA), newCA(t)
	for _, year := range []int{2016, 2026, 9000} {
		if err := chains(s.certificate, signerCA, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
			t.Errorf("in %d: Verify = %v, want that the authority vouches for it", year, err)
		}
	}
	if chains(s.certificate, ca, labTime) == nil {
		t.Error("another authority vouches for it")
	}
	if s.certificate.IsCA || s.certificate.CheckSignatureFrom(s.certificate) == nil {
		t.Error("the certificate is one of an authority, or has signed itself")
	}
	if !s.key.PublicKey.Equal(s.certificate.PublicKey) {
		t.Errorf("the certificate is of %v, want the key of pushes", s.certificate.PublicKey)
	}
}

// selfSigned is a file as the first versions wrote it, with a certificate for the key that has signed itself.
func selfSigned(t *testing.T, key crypto.Signer, name string) []byte {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: name},
		NotBefore: authority.ValidFrom, NotAfter: authority.ValidUntil, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
}

func TestCertificateThatSignedItselfIsSignedByTheAuthority(t *testing.T) {
	key := loaded(t, signerDirReady(t), signerCA).key
	dir := t.TempDir()
	path := filepath.Join(dir, signerFile)
	if err := os.WriteFile(path, selfSigned(t, key, signerName), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := readSigner(path)
	if err != nil {
		t.Fatal(err)
	}
	after := loaded(t, dir, signerCA)
	if !after.key.Equal(key) {
		t.Error("the key is another one, want the one that receivers know")
	}
	if err := chains(after.certificate, signerCA, labTime); err != nil {
		t.Errorf("Verify = %v, want that the authority vouches for it", err)
	}
	// Who has remembered the old certificate still verifies with it.
	signature, err := after.sign("text")
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := base64.StdEncoding.DecodeString(signature)
	sum := sha1.Sum([]byte("text"))
	if err := rsa.VerifyPKCS1v15(before.certificate.PublicKey.(*rsa.PublicKey), crypto.SHA1, sum[:], raw); err != nil {
		t.Errorf("with the old certificate: %v", err)
	}
	if again := loaded(t, dir, signerCA); !again.certificate.Equal(after.certificate) {
		t.Error("the new certificate is not kept")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
	}
}

func TestCertificateOfARemovedAuthorityIsSignedByTheNewOne(t *testing.T) {
	dir, _ := ownDir(t)
	before, ca := loaded(t, dir, signerCA), newCA(t)
	after := loaded(t, dir, ca)
	if err := chains(after.certificate, ca, labTime); err != nil || !after.key.Equal(before.key) {
		t.Errorf("Verify = %v, same key: %v, want the old key in the new authority's certificate", err, after.key.Equal(before.key))
	}
}

func TestCertificateOfSomebodyElseStays(t *testing.T) {
	key := loaded(t, signerDirReady(t), signerCA).key
	dir := t.TempDir()
	path := filepath.Join(dir, signerFile)
	file := selfSigned(t, key, "Example Corporation")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := loaded(t, dir, signerCA).certificate.Subject.CommonName; got != "Example Corporation" {
		t.Errorf("the certificate is of %q, want the one that was put there", got)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, file) {
		t.Errorf("the file has changed, %v", err)
	}
}

// A library of Python reads what stands between the first and the last line of a file, so there must be one
// certificate, also where an older file has two.
func TestCertificateStandsAlone(t *testing.T) {
	dir, path := ownDir(t)
	file, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(file, signerCA.PEM()...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	NewPusher(PushOptions{Dir: dir, Authority: signerCA}).ServeHTTP(w, httptest.NewRequest("GET", CertificatePath, nil))
	block, rest := pem.Decode(w.Body.Bytes())
	if block == nil || len(rest) > 0 || !bytes.Equal(block.Bytes, loaded(t, dir, signerCA).certificate.Raw) {
		t.Errorf("served is %q, want the certificate of pushes and nothing more", w.Body)
	}
}

func TestAuthorityIsServedBesideTheCertificate(t *testing.T) {
	p := NewPusher(PushOptions{Dir: signerDirReady(t), Authority: signerCA})
	served := map[string]*x509.Certificate{}
	for _, path := range []string{CertificatePath, AuthorityPath} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		block, rest := pem.Decode(w.Body.Bytes())
		if w.Code != 200 || block == nil || len(rest) > 0 || w.Header().Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
			t.Fatalf("GET %s = %d %v %q, want one certificate", path, w.Code, w.Header(), w.Body)
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		served[path] = c
	}
	roots := x509.NewCertPool()
	roots.AddCert(served[AuthorityPath])
	if _, err := served[CertificatePath].Verify(x509.VerifyOptions{Roots: roots}); err != nil {
		t.Errorf("Verify of what is served with what is served = %v", err)
	}
}

func TestBrokenSignerIsToldAndStays(t *testing.T) {
	_, whole := ownDir(t)
	s, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, certificate := pem.Decode(s)
	for name, file := range map[string][]byte{
		"empty":                 nil,
		"cut":                   s[:len(s)/4],
		"key alone":             pem.EncodeToMemory(key),
		"certificate alone":     certificate,
		"another's certificate": append(pem.EncodeToMemory(key), signerCA.PEM()...),
		"key of a curve":        selfSigned(t, curve, signerName),
		"garbage":               []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, signerFile)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		p := NewPusher(PushOptions{Dir: dir, Authority: signerCA})
		if err := p.Open(); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "or remove it") {
			t.Errorf("%s: Open = %v, want an error that names the file, and what to do", name, err)
		}
		if _, err := p.key(); err == nil {
			t.Errorf("%s: the key is read", name)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, file) {
			t.Errorf("%s: the file has changed", name)
		}
		w := httptest.NewRecorder()
		if p.ServeHTTP(w, httptest.NewRequest("GET", CertificatePath, nil)); w.Code != 500 {
			t.Errorf("%s: the certificate is served with %d", name, w.Code)
		}
		if err := os.WriteFile(path, s, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.key(); err != nil {
			t.Errorf("%s: after a repair: %v", name, err)
		}
	}
}

// signerDirReady returns signerDir once there is a key in it.
func signerDirReady(t *testing.T) string {
	t.Helper()
	loaded(t, signerDir, signerCA)
	return signerDir
}

func TestHeadOfCertificateHasNoBody(t *testing.T) {
	p := NewPusher(PushOptions{Dir: signerDir, Authority: signerCA})
	for _, path := range []string{CertificatePath, AuthorityPath} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest("HEAD", path, nil))
		if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" {
			t.Errorf("HEAD %s = %d, %d bytes, %v", path, w.Code, w.Body.Len(), w.Header())
		}
	}
}

// A key takes a moment to make, which a start must not wait for.
func TestOpenMakesNoKey(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		p := NewPusher(PushOptions{Dir: dir, Authority: signerCA})
		if err := p.Open(); err != nil || p.signer != nil {
			t.Errorf("Open(%q) = %v, with a key: %v, want none yet", dir, err, p.signer != nil)
		}
	}
	p := NewPusher(PushOptions{Dir: signerDirReady(t), Authority: signerCA})
	if err := p.Open(); err != nil || p.signer == nil {
		t.Errorf("Open = %v, with a key: %v, want the one that is there", err, p.signer != nil)
	}
}
