package main

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/certs"
)

// What tls can be.
const (
	tlsOff       = "off"
	tlsGenerated = "generated"
)

// security says where certificates come from.
type security struct {
	mode      string
	cert, key string
}

func (s security) validate() error {
	switch {
	case (s.cert == "") != (s.key == ""):
		return errors.New("tls-cert and tls-key are needed both or not at all")
	case s.cert != "" && s.mode == tlsGenerated:
		return errors.New("tls is generated, and tls-cert names a certificate: want one of the two")
	}
	return nil
}

// open returns where the certificates come from, or nil without TLS. An address with https:// asks for TLS by itself.
// Done removes what does not outlast the process.
func (s security) open(addresses []string, ca *sluice.Authority, log *slog.Logger) (source certs.Source, done func(), err error) {
	if s.cert != "" {
		files, err := certs.OpenFiles(s.cert, s.key)
		return files, func() {}, err
	}
	asked := slices.ContainsFunc(addresses, func(a string) bool { scheme, _ := splitAddress(a); return scheme == "https" })
	if s.mode != tlsGenerated && !asked {
		return nil, func() {}, nil
	}
	file, done, err := trustable(ca)
	if err != nil {
		return nil, func() {}, err
	}
	log.Info("clients of HTTPS have to trust the authority of this server", "file", file)
	return certs.NewLocal(ca, hostsOf(addresses), time.Now), done, nil
}

// trustable returns a file with the authority's certificate, which done removes if the authority itself is not kept.
func trustable(ca *sluice.Authority) (file string, done func(), err error) {
	if file := ca.File(); file != "" {
		return file, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "sluice-tls-")
	if err != nil {
		return "", nil, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	file = filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(file, ca.PEM(), 0o600); err != nil {
		done()
		return "", nil, err
	}
	return file, done, nil
}

// hostsOf are the hosts by which clients reach the addresses: those that are named there, and this machine's name.
func hostsOf(addresses []string) []string {
	var hosts []string
	for _, a := range addresses {
		_, host := splitAddress(a)
		if host, _, err := net.SplitHostPort(host); err == nil && host != "" && !net.ParseIP(host).IsUnspecified() {
			hosts = append(hosts, host)
		}
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		hosts = append(hosts, name)
	}
	return hosts
}

const (
	// sniffLimit is how long a client may take to say its first byte.
	sniffLimit = 10 * time.Second
	// acceptPause is how long a port that cannot take connections is left alone.
	acceptPause = 50 * time.Millisecond
)

// sniff answers both HTTP and HTTPS on one port, as users of LocalStack expect of theirs: the first byte of a connection
// tells them apart.
func sniff(l net.Listener, config *tls.Config) net.Listener {
	s := &sniffer{Listener: l, config: config, ready: make(chan net.Conn), done: make(chan struct{}), waiting: map[net.Conn]bool{}}
	go s.accept()
	return s
}

type sniffer struct {
	net.Listener
	config *tls.Config
	ready  chan net.Conn
	done   chan struct{} // closed when no more connections are accepted
	err    error         // why; to be read once done is closed

	mu      sync.Mutex
	waiting map[net.Conn]bool // have not said anything yet
}

// accept hands each connection on once it has spoken, so that one that is silent does not hold up others.
func (s *sniffer) accept() {
	for {
		c, err := s.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			s.err = err
			close(s.done)
			s.drop()
			return
		case err != nil: // such as too many open files, which passes
			time.Sleep(acceptPause)
			continue
		}
		s.mu.Lock()
		s.waiting[c] = true
		s.mu.Unlock()
		go s.listen(c)
	}
}

func (s *sniffer) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.waiting {
		c.Close()
	}
}

// clientHello is how TLS begins: with a record of a handshake. No method of HTTP does.
const clientHello = 0x16

func (s *sniffer) listen(c net.Conn) {
	first := make([]byte, 1)
	_ = c.SetReadDeadline(time.Now().Add(sniffLimit))
	_, err := c.Read(first)
	s.mu.Lock()
	delete(s.waiting, c)
	s.mu.Unlock()
	if err != nil || c.SetReadDeadline(time.Time{}) != nil {
		c.Close()
		return
	}
	var spoken net.Conn = &spokenConn{Conn: c, first: first}
	if first[0] == clientHello {
		spoken = tls.Server(spoken, s.config)
	}
	select {
	case s.ready <- spoken:
	case <-s.done:
		c.Close()
	}
}

// Accept returns the next connection that has spoken.
func (s *sniffer) Accept() (net.Conn, error) {
	select {
	case c := <-s.ready:
		return c, nil
	case <-s.done:
		return nil, s.err
	}
}

// spokenConn is a connection of which the first byte has been read.
type spokenConn struct {
	net.Conn
	first []byte
}

// Read reads the first byte first.
func (c *spokenConn) Read(b []byte) (int, error) {
	if len(c.first) == 0 || len(b) == 0 {
		return c.Conn.Read(b)
	}
	n := copy(b, c.first)
	c.first = c.first[n:]
	return n, nil
}
