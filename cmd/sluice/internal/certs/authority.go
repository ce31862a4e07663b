package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The names of the authority's files.
const (
	AuthorityFile = "ca.pem"
	keyFile       = "ca-key.pem"
)

// How long things are valid. Some systems refuse certificates of servers that are valid for more than 825 days.
const (
	authorityLife = 10 * 365 * 24 * time.Hour
	leafLife      = 397 * 24 * time.Hour
	backdated     = time.Hour // for clocks that lag behind
)

// maxLeaves bounds the certificates that are remembered: clients choose the names.
const maxLeaves = 256

// Authority signs certificates for local names, one for each name that clients ask for.
type Authority struct {
	// File is the authority's own certificate, for clients to trust.
	File string

	cert  *x509.Certificate
	key   crypto.Signer
	hosts map[string]bool
	now   func() time.Time

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

// OpenAuthority takes the authority of a directory, or makes one there. Hosts are names and addresses to sign for
// besides those that are local anyway.
func OpenAuthority(dir string, hosts []string, now func() time.Time) (*Authority, error) {
	a := &Authority{File: filepath.Join(dir, AuthorityFile), hosts: map[string]bool{}, now: now, leaves: map[string]*tls.Certificate{}}
	for _, host := range hosts {
		a.hosts[strings.ToLower(host)] = true
	}
	pair, err := tls.LoadX509KeyPair(a.File, filepath.Join(dir, keyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return a, a.found(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("certificate authority in %s: %w", dir, err)
	}
	signer, ok := pair.PrivateKey.(crypto.Signer)
	if !ok || !pair.Leaf.IsCA {
		return nil, fmt.Errorf("certificate authority in %s: %s is none", dir, a.File)
	}
	a.cert, a.key = pair.Leaf, signer
	return a, nil
}

// found makes the authority and writes its files. The key is written first: a certificate alone would be in the way of
// the next start.
func (a *Authority) found(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := serialNumber()
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{Organization: []string{"Sluice"}, CommonName: "Sluice local authority of " + host},
		NotBefore:             a.now().Add(-backdated),
		NotAfter:              a.now().Add(authorityLife),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	a.key = key
	return errors.Join(
		os.MkdirAll(dir, 0o755),
		writePEM(filepath.Join(dir, keyFile), 0o600, "PRIVATE KEY", secret),
		writePEM(a.File, 0o644, "CERTIFICATE", der),
	)
}

func writePEM(path string, mode fs.FileMode, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}

func serialNumber() (*big.Int, error) {
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
}

// Reload does nothing: the authority stays, and certificates are made as they are asked for.
func (a *Authority) Reload() error { return nil }

// Certificate returns one for the name that the client asks for, or for this machine's addresses and names where it
// asks for none. A name for which it does not sign gets the latter too, which the client then refuses.
func (a *Authority) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if !a.signsFor(name) {
		name = ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	leaf := a.leaves[name]
	if leaf != nil && a.now().Before(leaf.Leaf.NotAfter.Add(-24*time.Hour)) {
		return leaf, nil
	}
	known := leaf != nil
	leaf, err := a.sign(name)
	if err == nil && (known || name == "" || len(a.leaves) < maxLeaves) {
		a.leaves[name] = leaf
	}
	return leaf, err
}

// Names that mean this machine. The second is a public name for 127.0.0.1 that clients of LocalStack are used to.
var localDomains = []string{"localhost", "localhost.localstack.cloud"}

// signsFor reports whether a name means this machine or, having one label only, one beside it in a container network.
func (a *Authority) signsFor(name string) bool {
	if name == "" || len(name) > 253 || strings.ContainsAny(name, "*:/ ") {
		return false
	}
	if a.hosts[name] || !strings.Contains(name, ".") || name == "host.docker.internal" {
		return true
	}
	for _, domain := range localDomains {
		if name == domain || strings.HasSuffix(name, "."+domain) {
			return true
		}
	}
	return false
}

// sign makes the certificate of a name; without one that of the addresses and all names of this machine.
func (a *Authority) sign(name string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	leaf := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{Organization: []string{"Sluice"}},
		NotBefore:    a.now().Add(-backdated),
		NotAfter:     earlier(a.now().Add(leafLife), a.cert.NotAfter),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	leaf.DNSNames, leaf.IPAddresses = []string{name}, nil
	if name == "" {
		leaf.DNSNames, leaf.IPAddresses = a.all()
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	return &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key, Leaf: parsed}, err
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// all are the names and addresses of clients that do not say which they use.
func (a *Authority) all() (names []string, addresses []net.IP) {
	addresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	for _, domain := range localDomains {
		names = append(names, domain, "*."+domain)
	}
	for host := range a.hosts {
		if ip := net.ParseIP(host); ip != nil {
			addresses = append(addresses, ip)
		} else if !strings.Contains(host, ":") {
			names = append(names, host)
		}
	}
	return names, addresses
}
