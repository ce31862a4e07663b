package mns

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// signer is the key of pushes.
type signer struct {
	key         *rsa.PrivateKey
	certificate []byte // PEM, and nothing else: some libraries cannot read a file with two certificates
}

// signerFile holds the key and its certificate.
const signerFile = "mns-push-signing.pem"

const (
	keyBlock         = "PRIVATE KEY"
	certificateBlock = "CERTIFICATE"
)

var errSigner = errors.New("it does not hold a key of RSA and its certificate")

// loadSigner reads the signer of a directory, or makes one and keeps it there. An empty directory means that it is not
// kept. A file that cannot be read is an error and stays as it is.
func loadSigner(dir string) (*signer, error) {
	if dir == "" {
		_, s, err := makeSigner()
		return s, err
	}
	path := filepath.Join(dir, signerFile)
	file, err := os.ReadFile(path)
	if err == nil {
		s, err := parseSigner(file)
		if err != nil {
			return nil, fmt.Errorf("mns: reading %s: %w", path, err)
		}
		return s, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("mns: reading the key of pushes: %w", err)
	}
	file, s, err := makeSigner()
	if err == nil {
		err = writeWhole(path, file)
	}
	if err != nil {
		return nil, fmt.Errorf("mns: keeping the key of pushes: %w", err)
	}
	return s, nil
}

// writeWhole writes a file that only its owner can read, all of it or nothing.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)) // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func parseSigner(file []byte) (*signer, error) {
	block, rest := pem.Decode(file)
	if block == nil || block.Type != keyBlock {
		return nil, errSigner
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, errSigner
	}
	block, _ = pem.Decode(rest)
	if block == nil || block.Type != certificateBlock {
		return nil, errSigner
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	if !private.PublicKey.Equal(certificate.PublicKey) {
		return nil, errSigner
	}
	return &signer{private, pem.EncodeToMemory(block)}, nil
}

// validity is from the date of the API to the end of time, as RFC 5280 writes it: the clock of a test can show anything.
var (
	validFrom  = time.Date(2015, 6, 6, 0, 0, 0, 0, time.UTC)
	validUntil = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// makeSigner makes a key and a certificate that it has signed itself: there is nobody else to vouch for it. It returns
// the file as well.
func makeSigner() ([]byte, *signer, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	der, err := certify(key)
	if err != nil {
		return nil, nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: der})
	file := append(pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: private}), certificate...)
	return file, &signer{key, certificate}, nil
}

func certify(key *rsa.PrivateKey) ([]byte, error) {
	serial := make([]byte, 16)
	_, _ = rand.Read(serial) // never fails
	serial[0] &= 0x7f        // positive
	certificate := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial),
		Subject:      pkix.Name{CommonName: "Sluice push signing"},
		NotBefore:    validFrom,
		NotAfter:     validUntil,
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
	return x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
}
