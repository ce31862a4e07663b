package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/certs"
)

// listenFlag is the addresses to listen on: several times the flag, or several with commas between them. The first that
// is given takes the place of the default.
type listenFlag struct {
	addresses []string
	given     bool
}

// String returns the addresses as Set takes them.
func (l *listenFlag) String() string { return strings.Join(l.addresses, ",") }

// Set adds addresses: host:port, a port alone, which is one of this machine, or either behind http:// or https://.
func (l *listenFlag) Set(v string) error {
	if !l.given {
		l.addresses, l.given = nil, true
	}
	for _, a := range strings.Split(v, ",") {
		a = strings.TrimSpace(a)
		if a == "" {
			return errors.New("want an address")
		}
		if scheme, _, ok := strings.Cut(a, "://"); ok && scheme != "http" && scheme != "https" {
			return errors.New("want http://, https:// or nothing before the address")
		}
		if _, host := splitAddress(a); !hasPort(host) {
			return errors.New("want a port")
		}
		l.addresses = append(l.addresses, a)
	}
	return nil
}

func hasPort(host string) bool {
	_, port, err := net.SplitHostPort(host)
	if err == nil && port != "" {
		_, err = net.LookupPort("tcp", port) // which knows names as well
	}
	return err == nil && port != ""
}

// Type shows what is wanted in the usage text and in errors.
func (l *listenFlag) Type() string { return "[http(s)://]host:port" }

// listener listens on one address. What it speaks is the scheme, or empty for what the settings of TLS say.
type listener struct {
	net.Listener
	scheme string
	host   string             // as it was given
	leave  context.CancelFunc // ends serving on it; nil before that
	close  sync.Once
	closed chan struct{} // closed once it takes no more connections
}

// Close ends listening.
func (l *listener) Close() error {
	defer l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// splitAddress returns the scheme of an address, and the rest as package net wants it.
func splitAddress(address string) (scheme, host string) {
	scheme, host, ok := strings.Cut(address, "://")
	if !ok {
		scheme, host = "", address
	}
	host = strings.TrimRight(host, "/")
	if host != "" && strings.Trim(host, "0123456789") == "" {
		host = "127.0.0.1:" + host
	}
	return scheme, host
}

// listenOn listens on all of the addresses or on none.
func listenOn(addresses []string) ([]*listener, error) {
	var all []*listener
	for _, address := range addresses {
		l, err := listen(address)
		if err != nil {
			closeAll(all)
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func listen(address string) (*listener, error) {
	scheme, host := splitAddress(address)
	l, err := net.Listen("tcp", host)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", host, plain(err))
	}
	return &listener{Listener: l, scheme: scheme, host: host, closed: make(chan struct{})}, nil
}

func closeAll(all []*listener) {
	for _, l := range all {
		_ = l.Close()
	}
}

// url is where programs on this machine reach the listener.
func (l *listener) url() string {
	url := sluice.URL(l.Addr())
	if l.scheme == "https" {
		url = "https" + strings.TrimPrefix(url, "http")
	}
	return url
}

// secure makes a listener speak what it is to speak. Without certificates that is HTTP.
func (l *listener) secure(certificates certs.Source) {
	switch {
	case certificates == nil || l.scheme == "http":
	case l.scheme == "https":
		l.Listener = tls.NewListener(l.Listener, certs.Config(certificates))
	default:
		l.Listener = sniff(l.Listener, certs.Config(certificates))
	}
}
