package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/sluicemq/sluice/protocols/authority"
)

// How long certificates are valid. Some systems refuse those of servers that are valid for more than 825 days.
const (
	leafLife  = 397 * 24 * time.Hour
	backdated = time.Hour // for clocks that lag behind
)

// maxLeaves bounds the certificates that are remembered: clients choose the names.
const maxLeaves = 256

// Local has an authority sign certificates for local names, one for each name that clients ask for.
type Local struct {
	ca    *authority.CA
	hosts map[string]bool
	now   func() time.Time

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

// NewLocal returns the certificates of an authority. Hosts are names and addresses to sign for besides those that are
// local anyway.
func NewLocal(ca *authority.CA, hosts []string, now func() time.Time) *Local {
	l := &Local{ca: ca, hosts: map[string]bool{}, now: now, leaves: map[string]*tls.Certificate{}}
	for _, host := range hosts {
		l.hosts[strings.ToLower(host)] = true
	}
	return l
}

// Reload does nothing: the authority stays, and certificates are made as they are asked for.
func (l *Local) Reload() error { return nil }

// Certificate returns one for the name that the client asks for, or for this machine's addresses and names where it
// asks for none. A name for which it does not sign gets the latter too, which the client then refuses.
func (l *Local) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if !l.signsFor(name) {
		name = ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	leaf := l.leaves[name]
	if leaf != nil && l.now().Before(leaf.Leaf.NotAfter.Add(-24*time.Hour)) {
		return leaf, nil
	}
	known := leaf != nil
	leaf, err := l.sign(name)
	if err == nil && (known || name == "" || len(l.leaves) < maxLeaves) {
		l.leaves[name] = leaf
	}
	return leaf, err
}

// Names that mean this machine. The second is a public name for 127.0.0.1 that clients of LocalStack are used to.
var localDomains = []string{"localhost", "localhost.localstack.cloud"}

// signsFor reports whether a name means this machine or, having one label only, one beside it in a container network.
func (l *Local) signsFor(name string) bool {
	if name == "" || len(name) > 253 || strings.ContainsAny(name, "*:/ ") {
		return false
	}
	if l.hosts[name] || !strings.Contains(name, ".") || name == "host.docker.internal" {
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
func (l *Local) sign(name string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	ca := l.ca.Certificate()
	template := &x509.Certificate{
		Subject:     pkix.Name{Organization: []string{"Sluice"}},
		NotBefore:   l.now().Add(-backdated),
		NotAfter:    earlier(l.now().Add(leafLife), ca.NotAfter),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	template.DNSNames, template.IPAddresses = []string{name}, nil
	if name == "" {
		template.DNSNames, template.IPAddresses = l.all()
	}
	leaf, err := l.ca.Sign(template, key.Public())
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{leaf.Raw, ca.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// all are the names and addresses of clients that do not say which they use.
func (l *Local) all() (names []string, addresses []net.IP) {
	addresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	for _, domain := range localDomains {
		names = append(names, domain, "*."+domain)
	}
	for host := range l.hosts {
		if ip := net.ParseIP(host); ip != nil {
			addresses = append(addresses, ip)
		} else if !strings.Contains(host, ":") {
			names = append(names, host)
		}
	}
	return names, addresses
}
