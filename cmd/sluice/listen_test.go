package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
)

func TestAddressesCanBeShort(t *testing.T) {
	for given, want := range map[string][2]string{
		"127.0.0.1:9324":          {"", "127.0.0.1:9324"},
		":9324":                   {"", ":9324"},
		"9324":                    {"", "127.0.0.1:9324"},
		"http://4566":             {"http", "127.0.0.1:4566"},
		"https://localhost:4566/": {"https", "localhost:4566"},
		"[::1]:4100":              {"", "[::1]:4100"},
	} {
		scheme, host := splitAddress(given)
		if diff := cmp.Diff(want, [2]string{scheme, host}); diff != "" {
			t.Errorf("splitAddress(%q) (-want +got):\n%s", given, diff)
		}
	}
}

// trusting returns a client that trusts what a file says, and the authority that it asks for by that name.
func trusting(t *testing.T, file string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatalf("%s has no certificate", file)
	}
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func createQueue(t *testing.T, c *http.Client, url string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"QueueName":"q"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "AmazonSQS.CreateQueue")
	resp, err := c.Do(r)
	if err != nil {
		t.Fatalf("CreateQueue at %s = %v", url, err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return string(body)
}

func TestOnePortAnswersBothHTTPAndHTTPS(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, "--data", data, "--tls=generated")
	_, port, _ := strings.Cut(strings.TrimPrefix(p.url, "http://"), ":")
	if got, want := createQueue(t, http.DefaultClient, p.url), `{"QueueUrl":"`+p.url+`/000000000000/q"}`; got != want {
		t.Errorf("CreateQueue over HTTP = %s, want %s", got, want)
	}
	c := trusting(t, filepath.Join(data, "tls", "ca.pem"))
	for _, host := range []string{"127.0.0.1", "localhost"} {
		url := "https://" + host + ":" + port
		if got, want := createQueue(t, c, url), `{"QueueUrl":"`+url+`/000000000000/q"}`; got != want {
			t.Errorf("CreateQueue over HTTPS = %s, want %s", got, want)
		}
	}
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}
	if c, err := tls.Dial("tcp", "127.0.0.1:"+port, old); err == nil {
		c.Close()
		t.Error("TLS 1.1 is accepted, want 1.2 or newer")
	}
}

// certificateAt returns the one certificate at a URL.
func certificateAt(t *testing.T, url string) *x509.Certificate {
	t.Helper()
	status, text := get(t, url)
	block, rest := pem.Decode([]byte(text))
	if status != http.StatusOK || block == nil || len(rest) > 0 {
		t.Fatalf("GET %s = %d %q, want one certificate", url, status, text)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOneAuthorityVouchesForHTTPSAndPushes(t *testing.T) {
	for _, data := range []string{"memory", filepath.Join(t.TempDir(), "data")} {
		p := start(t, "--data", data, "--tls=generated")
		roots := x509.NewCertPool()
		roots.AddCert(certificateAt(t, p.url+"/mns/ca.pem"))
		if _, err := certificateAt(t, p.url+"/mns/x509_public_certificate.pem").Verify(x509.VerifyOptions{Roots: roots}); err != nil {
			t.Errorf("with %s, Verify of the certificate of pushes = %v", data, err)
		}
		conn, err := tls.Dial("tcp", strings.TrimPrefix(p.url, "http://"), &tls.Config{RootCAs: roots})
		if err != nil {
			t.Errorf("with %s, HTTPS = %v", data, err)
			continue
		}
		conn.Close()
	}
}

func TestAuthorityInMemoryHasAFileForAsLongAsItLasts(t *testing.T) {
	server, err := sluice.Open(sluice.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	t.Setenv("TMPDIR", t.TempDir())
	file, done, err := trustable(server.Authority())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != string(server.Authority().PEM()) {
		t.Errorf("%s has %q, %v, want the authority", file, text, err)
	}
	done()
	if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there still (%v)", filepath.Dir(file), err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	if _, _, err := trustable(server.Authority()); err == nil {
		t.Error("a file in a directory that is not there was written")
	}
}

func TestClientThatSaysNothingHoldsNobodyUp(t *testing.T) {
	p := start(t, "--data=memory", "--tls=generated")
	silent, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if status, _ := get(t, p.url+"/health"); status != http.StatusOK {
		t.Errorf("GET /health = %d, want 200", status)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("exit = %v, want success; stderr: %s", err, p.stderr)
	}
}

func TestEveryAddressIsServedInItsScheme(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, "--data", data, "--listen=https://127.0.0.1:0", "--listen=http://localhost:0")
	var urls []string
	for range 2 {
		line, err := p.out.ReadString('\n')
		url, ok := strings.CutPrefix(line, "Also listening on ")
		if err != nil || !ok {
			t.Fatalf("line = %q (%v), want the other addresses", line, err)
		}
		urls = append(urls, strings.TrimSpace(url))
	}
	c := trusting(t, filepath.Join(data, "tls", "ca.pem"))
	if got := createQueue(t, c, urls[0]); !strings.HasPrefix(urls[0], "https://") || !strings.Contains(got, urls[0]) {
		t.Errorf("CreateQueue at %s = %s, want a queue there", urls[0], got)
	}
	if status, _ := get(t, urls[1]+"/health"); status != http.StatusOK {
		t.Errorf("GET %s/health = %d, want 200", urls[1], status)
	}
	if resp, err := c.Get("https" + strings.TrimPrefix(urls[1], "http") + "/health"); err == nil {
		_ = resp.Body.Close()
		t.Errorf("HTTPS at %s succeeded, want none", urls[1])
	}
	if resp, err := http.Get("http" + strings.TrimPrefix(urls[0], "https") + "/health"); err == nil {
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("HTTP at %s = %s, want a bad request", urls[0], resp.Status)
		}
	}
}

// A sniffer that is closed lets go of everything, also of connections that have not said anything.
func TestClosedSnifferEndsItsConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := sniff(l, &tls.Config{})
	silent, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	spoken, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer spoken.Close()
	if _, err := spoken.Write([]byte("GET")); err != nil {
		t.Fatal(err)
	}
	c, err := s.Accept()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 3)
	if _, err := io.ReadFull(c, b); err != nil || string(b) != "GET" {
		t.Errorf("read %q (%v), want all that was sent", b, err)
	}
	c.Close()
	s.Close()
	if _, err := s.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept of a closed listener = %v, want %v", err, net.ErrClosed)
	}
	if n, err := silent.Read(b); err == nil {
		t.Errorf("read %d bytes, want the end of the connection", n)
	}
}
