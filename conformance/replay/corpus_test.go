package replay_test

import (
	"net/http"
	"testing"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance"
	"github.com/sluicemq/sluice/conformance/replay"
	"github.com/sluicemq/sluice/core/clock"
)

// corpus returns the recordings and the known differences.
func corpus(t *testing.T) ([]*replay.Scenario, []replay.Deviation) {
	t.Helper()
	all, err := conformance.Corpus()
	if err != nil {
		t.Fatalf("Load(corpus) = %v", err)
	}
	listed, err := conformance.Deviations()
	if err != nil {
		t.Fatal(err)
	}
	return all, listed
}

func TestCorpusHoldsInMemory(t *testing.T) {
	replayAll(t, replay.Own())
}

func replayAll(t *testing.T, target replay.Target) {
	t.Helper()
	all, listed := corpus(t)
	s := &replay.Suite{Scenarios: all, Deviations: listed}
	report, err := s.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		for _, d := range r.Differences {
			t.Errorf("%s.http %s", r.Scenario.Name(), d.String())
		}
	}
}

// Whatever the recordings send is signed as servers want it that check.
func TestCorpusHoldsWhereSignaturesAreVerified(t *testing.T) {
	amazon, alibaba := replay.Key{ID: "one", Secret: "of-one", Token: "token/of+one="}, replay.Key{ID: "two", Secret: "of-two"}
	target := replay.InMemory("verifying", func(c clock.Clock) (http.Handler, func() error, error) {
		s, err := sluice.Open(sluice.Options{Clock: c, Strict: true, Credentials: map[string]sluice.Credential{
			amazon.ID: {Secret: amazon.Secret, SessionToken: amazon.Token}, alibaba.ID: {Secret: alibaba.Secret},
		}})
		if err != nil {
			return nil, nil, err
		}
		return s.Handler(), s.Close, nil
	})
	target.Verifies = true
	target.Keys = replay.Keys(amazon, alibaba)
	replayAll(t, target)
}
