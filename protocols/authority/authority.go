// Package authority is the certificate authority of a server: one for all that it signs, which is the certificate of
// pushes and those of HTTPS, so that there is one file to trust.
//
// Its key never leaves the data directory. It is of an elliptic curve, since such a key is made within the time that a
// start may take; one of RSA would take several times as long as all of the rest.
package authority

import (
	"bytes"
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
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sluicemq/sluice/protocols/internal/whole"
)

// The names of the authority's files.
const (
	CertificateFile = "ca.pem"
	KeyFile         = "ca-key.pem"
)

const (
	certificateBlock = "CERTIFICATE"
	keyBlock         = "PRIVATE KEY"
)

// ValidFrom and ValidUntil are from before all that there is to sign to the end of time, as RFC 5280 writes it. The clock
// of a test can show anything, and an authority that runs out one day would break what nobody looks after.
var (
	ValidFrom  = time.Date(2015, 6, 6, 0, 0, 0, 0, time.UTC)
	ValidUntil = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// CA is a certificate authority. It is safe for concurrent use.
type CA struct {
	file        string
	certificate *x509.Certificate
	key         crypto.Signer
}

// Open takes the authority of a directory, or makes one there. Without a directory it makes one that is not kept. Files that
// cannot be read, or do not belong together, are an error and stay as they are. Nobody else may open the directory at
// the same time.
func Open(dir string) (*CA, error) {
	if dir == "" {
		key, err := newKey()
		if err != nil {
			return nil, err
		}
		return certify(key)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("certificate authority: %w", err)
	}
	ca, err := openFiles(filepath.Join(dir, CertificateFile), filepath.Join(dir, KeyFile))
	if err != nil {
		return nil, fmt.Errorf("certificate authority: %w", err)
	}
	return ca, nil
}

// damaged says what is wrong with a file, and what can be done.
func damaged(format string, args ...any) error {
	return fmt.Errorf(format+"; put it back, or remove "+CertificateFile+" and "+KeyFile+" for a new authority", args...)
}

func openFiles(file, keyFile string) (*CA, error) {
	certificate, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return found(file, keyFile)
	}
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damaged("%s, the key of %s, is missing", keyFile, file)
	}
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, damaged("%s or its key %s is damaged: %w", file, keyFile, err)
	}
	signer, ok := pair.PrivateKey.(crypto.Signer)
	if !ok || !pair.Leaf.IsCA {
		return nil, damaged("%s is not the certificate of an authority", file)
	}
	return &CA{file, pair.Leaf, signer}, nil
}

// found makes an authority and keeps it. The key is written first, as a certificate without one is worth nothing: a key
// that is there already is of a start that was killed between the two, or of a certificate that somebody has removed, and
// what it has signed stays good.
func found(file, keyFile string) (*CA, error) {
	key, err := readKey(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = writeKey(keyFile)
	}
	if err != nil {
		return nil, err
	}
	ca, err := certify(key)
	if err != nil {
		return nil, err
	}
	ca.file = file
	return ca, whole.Write(file, 0o644, ca.PEM())
}

func readKey(file string) (crypto.Signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != keyBlock {
		return nil, damaged("%s has no key", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, damaged("%s is damaged: %w", file, err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, damaged("the key in %s cannot sign", file)
	}
	return signer, nil
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func writeKey(file string) (crypto.Signer, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, whole.Write(file, 0o600, pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: secret}))
}

// nameOf is what an authority is called: no longer than a common name may be by RFC 5280, and of text, whatever the
// machine is called.
func nameOf(host string) string {
	const most = 64
	name := "Sluice local authority of " + strings.ToValidUTF8(host, "")
	return strings.ToValidUTF8(name[:min(most, len(name))], "")
}

// certify makes the authority of a key.
func certify(key crypto.Signer) (*CA, error) {
	host, _ := os.Hostname()
	template := &x509.Certificate{
		Subject:               pkix.Name{Organization: []string{"Sluice"}, CommonName: nameOf(host)},
		NotBefore:             ValidFrom,
		NotAfter:              ValidUntil,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &CA{certificate: certificate, key: key}, nil
}

// File is where the certificate is kept, for clients to trust, or empty if it is not.
func (ca *CA) File() string { return ca.file }

// Certificate returns the authority's own certificate, which must not be changed.
func (ca *CA) Certificate() *x509.Certificate { return ca.certificate }

// PEM returns the certificate as files have it.
func (ca *CA) PEM() []byte { return Encode(ca.certificate) }

// Encode writes a certificate as files have it.
func Encode(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: c.Raw})
}

// Sign makes the certificate of somebody's public key. What it says of itself is the template's, which is not changed.
func (ca *CA) Sign(template *x509.Certificate, key crypto.PublicKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, ca.certificate, key, ca.key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// Signed reports whether a certificate is of this authority, by name and by signature: who verifies the chain goes by both,
// and the name changes with the machine's where the certificate of an old key is made anew.
func (ca *CA) Signed(c *x509.Certificate) bool {
	return bytes.Equal(c.RawIssuer, ca.certificate.RawSubject) && c.CheckSignatureFrom(ca.certificate) == nil
}
