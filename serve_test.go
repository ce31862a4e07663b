package sluice

import (
	"log"
	"testing"
)

func TestClientsThatFailInTheHandshakeAreNoFaults(t *testing.T) {
	var faults []string
	l := log.New(faultWriter{func(f *Fault) { faults = append(faults, f.Err.Error()) }}, "", 0)
	l.Print("http: TLS handshake error from 127.0.0.1:1: remote error: tls: unknown certificate authority")
	l.Print("http: Accept error: too many open files; retrying in 5ms")
	if len(faults) != 1 || faults[0] != "http: Accept error: too many open files; retrying in 5ms" {
		t.Errorf("faults = %q, want the one about Accept", faults)
	}
}
