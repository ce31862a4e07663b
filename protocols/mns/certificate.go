package mns

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sluicemq/sluice/protocols/authority"
	"github.com/sluicemq/sluice/protocols/internal/whole"
)

// signer is the key of pushes, and its certificate.
type signer struct {
	key         *rsa.PrivateKey
	certificate *x509.Certificate
}

// signerFile holds the key and its certificate.
const signerFile = "mns-push-signing.pem"

// signerName is the subject of certificates that are made here.
const signerName = "Sluice push signing"

// loadSigner reads the signer of a directory, or makes one and keeps it there. An empty directory means that it is not
// kept. A file that cannot be read is an error and stays as it is.
//
// A certificate that was made here and that the authority has not signed gets its signature now. It is of an earlier
// version, which let it sign itself, or of an authority that was removed since. The key stays, so that receivers who have
// remembered the old certificate, as some SDKs do by its URL, lose nothing, while all find the chain. A certificate with
// another subject was put there by somebody who wants that one, and stays.
func loadSigner(dir string, ca *authority.CA) (*signer, error) {
	if dir == "" {
		return makeSigner(ca)
	}
	path := filepath.Join(dir, signerFile)
	s, err := readSigner(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s, err = makeSigner(ca)
	case err != nil:
		return nil, fmt.Errorf("mns: reading the key of pushes: %w", err)
	case s.certificate.Subject.CommonName == signerName && !ca.Signed(s.certificate):
		s, err = certify(s.key, ca)
	default:
		return s, nil
	}
	if err == nil {
		err = s.keep(path)
	}
	if err != nil {
		return nil, fmt.Errorf("mns: keeping the key of pushes: %w", err)
	}
	return s, nil
}

// readSigner takes the first certificate of a file, should there be more of them.
func readSigner(path string) (*signer, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(file, file)
	if err != nil {
		return nil, fmt.Errorf("%s does not hold a key and its certificate: %w; put it back, or remove it for a new key", path, err)
	}
	key, ok := pair.PrivateKey.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the key in %s is not of RSA, which receivers want; put it back, or remove it for a new key", path)
	}
	return &signer{key, pair.Leaf}, nil
}

func (s *signer) keep(path string) error {
	key, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		return err
	}
	file := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	return whole.Write(path, 0o600, append(file, s.pem()...))
}

// pem is the certificate as it is served, and nothing else: some libraries cannot read a file with two certificates.
func (s *signer) pem() []byte { return authority.Encode(s.certificate) }

func makeSigner(ca *authority.CA) (*signer, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	return certify(key, ca)
}

// certify has an authority sign the certificate of a key.
func certify(key *rsa.PrivateKey, ca *authority.CA) (*signer, error) {
	certificate, err := ca.Sign(&x509.Certificate{
		Subject:               pkix.Name{CommonName: signerName},
		NotBefore:             authority.ValidFrom,
		NotAfter:              authority.ValidUntil,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
	}, key.Public())
	if err != nil {
		return nil, err
	}
	return &signer{key, certificate}, nil
}
