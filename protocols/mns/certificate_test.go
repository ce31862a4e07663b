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
	if err != nil || !second.key.Equal(first.key) || !bytes.Equal(second.certificates, first.certificates) {
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

func TestCertificateIsOfAnAuthority(t *testing.T) {
	s, err := loadSigner(signerDir)
	if err != nil {
		t.Fatal(err)
	}
	var chain []*x509.Certificate
	for rest := s.certificates; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		chain = append(chain, c)
	}
	if len(chain) != 2 || !s.key.PublicKey.Equal(chain[0].PublicKey) {
		t.Fatalf("there are %d certificates, want that of the key and one more", len(chain))
	}
	roots := x509.NewCertPool()
	roots.AddCert(chain[1])
	for _, year := range []int{2016, 2026, 9000} {
		_, err := chain[0].Verify(x509.VerifyOptions{
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
	key, certificates := pem.Decode(s)
	_, strange := pem.Decode(other)
	for name, file := range map[string][]byte{
		"empty":                  nil,
		"cut":                    s[:len(s)/4],
		"key alone":              pem.EncodeToMemory(key),
		"certificates alone":     certificates,
		"another's certificates": append(pem.EncodeToMemory(key), strange...),
		"garbage":                []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
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
