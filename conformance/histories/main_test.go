// Package histories_test runs generated histories of requests against the whole server and holds every answer against
// the reference model of conformance/model.
//
// Histories on a clock that is moved by hand (history_test.go) are sequential: Amazon's own Go client in both of its
// protocols, raw requests for what that client cannot send, and raw requests of MNS, alone and on the same queues,
// with restarts in between. Concurrent histories (concurrent_test.go) go through the network in real time and are
// checked by porcupine, with the model for its specification.
//
// A failure prints the seed that reproduces it. A campaign:
//
//	go test ./conformance/histories -run Histories -rapid.checks 5000 -timeout 2h
//	go test ./conformance/histories -run Concurrent -rounds 200 -seed 7 -timeout 2h
package histories_test

import (
	"flag"
	"os"
	"testing"
)

var (
	seed   = flag.Uint64("seed", 0, "what the clients of concurrent histories decide; 0 takes a new one")
	rounds = flag.Int("rounds", 1, "how many concurrent histories of each kind are run")
)

// How many sequential histories of each kind are run, about how long they are and which, unless flags say otherwise: a
// change is judged by the same ones as the change before, and campaigns look for new ones (-rapid.seed 0).
var usual = map[string]string{"rapid.checks": "6", "rapid.steps": "60", "rapid.seed": "20261130"}

func TestMain(m *testing.M) {
	for name, value := range usual {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	os.Exit(m.Run())
}
