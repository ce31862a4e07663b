// Package certs provides the certificates of TLS listeners: those of two files, or ones that the server's own authority
// signs for whatever local name a client asks for.
//
// The latter are there so that HTTPS can be tried without any preparation. They are made for names alone that mean this
// machine or one beside it in a container network; clients have to be told to trust the authority.
package certs

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"
)

// Source hands out certificates. It is safe for concurrent use.
type Source interface {
	// Certificate returns the one for a client, as tls.Config.GetCertificate.
	Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error)
	// Reload reads again what the certificates come from. What fails leaves the ones that are in use.
	Reload() error
}

// Config returns the settings of a listener: TLS 1.2 or newer with the library's own choice of ciphers, and HTTP/1.1
// alone, since the providers' endpoints speak no other.
func Config(s Source) *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: s.Certificate,
	}
}

// Files is a certificate, with the chain behind it, and its key from two PEM files.
type Files struct {
	cert, key string
	current   atomic.Pointer[tls.Certificate]
}

// OpenFiles reads the two files. Returns an error if they cannot be read or do not belong together.
func OpenFiles(cert, key string) (*Files, error) {
	f := &Files{cert: cert, key: key}
	return f, f.Reload()
}

// Certificate returns what was read last.
func (f *Files) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return f.current.Load(), nil
}

// Reload reads the files again.
func (f *Files) Reload() error {
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("certificate %s with key %s: %w", f.cert, f.key, err)
	}
	f.current.Store(&pair)
	return nil
}
