package replay_test

import (
	"testing"

	"github.com/sluicemq/sluice/conformance"
	"github.com/sluicemq/sluice/conformance/replay"
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

func TestCorpusHoldsAfterARestartInTheMiddle(t *testing.T) {
	replayAll(t, replay.OwnRestarted(t.TempDir()))
}
