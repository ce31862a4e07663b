package record

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
)

// Trust lets a proxy believe in the upstream that has this certificate.
func (p *Proxy) Trust(c *x509.Certificate) {
	pool := x509.NewCertPool()
	pool.AddCert(c)
	p.forward.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}
