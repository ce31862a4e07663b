package mns

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSigningKeyIsKept(t *testing.T) {
	dir := t.TempDir()
	first, err := loadSigner(dir)
	if err != nil {
		t.Fatalf("loadSigner(empty) = %v", err)
	}
	second, err := loadSigner(dir)
	if err != nil || !second.key.Equal(first.key) || !bytes.Equal(second.certificate, first.certificate) {
		t.Errorf("loadSigner(again) = another key, %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, signerFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}

// A library of Python reads what stands between the first and the last line of a file, so there must be one
// certificate, also where an older file has two.
func TestCertificateStandsAlone(t *testing.T) {
	dir := t.TempDir()
	file, made, err := makeSigner()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, signerFile), append(file, made.certificate...), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := loadSigner(dir)
	if err != nil {
		t.Fatal(err)
	}
	block, rest := pem.Decode(s.certificate)
	if block == nil || len(rest) > 0 {
		t.Fatalf("the certificate is %q", s.certificate)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil || !s.key.PublicKey.Equal(c.PublicKey) {
		t.Fatalf("the certificate is of %v, %v", c.PublicKey, err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(c)
	for _, year := range []int{2016, 2026, 9000} {
		_, err := c.Verify(x509.VerifyOptions{
			Roots: roots, CurrentTime: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
		})
		if err != nil {
			t.Errorf("in %d: %v", year, err)
		}
	}
}

func TestBrokenSignerIsToldAndStays(t *testing.T) {
	s, err := os.ReadFile(filepath.Join(signerDirReady(t), signerFile))
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := makeSigner()
	if err != nil {
		t.Fatal(err)
	}
	key, certificate := pem.Decode(s)
	_, strange := pem.Decode(other)
	for name, file := range map[string][]byte{
		"empty":                 nil,
		"cut":                   s[:len(s)/4],
		"key alone":             pem.EncodeToMemory(key),
		"certificate alone":     certificate,
		"another's certificate": append(pem.EncodeToMemory(key), strange...),
		"garbage":               []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, signerFile)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		p := NewPusher(PushOptions{Dir: dir})
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
	if _, err := loadSigner(signerDir); err != nil {
		t.Fatal(err)
	}
	return signerDir
}

func TestHeadOfCertificateHasNoBody(t *testing.T) {
	p := NewPusher(PushOptions{Dir: signerDir})
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("HEAD", CertificatePath, nil))
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" {
		t.Errorf("HEAD = %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
}
