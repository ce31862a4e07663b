package mns

import (
	"net/http/httptest"
	"testing"

	"github.com/sluicemq/sluice/protocols"
	wanted "github.com/sluicemq/sluice/protocols/faults"
)

func TestEveryErrorThatCanBeWantedIsFound(t *testing.T) {
	names := []string{wanted.Throttled, wanted.Internal, wanted.Unavailable}
	for _, f := range failures {
		names = append(names, f.code)
	}
	for _, name := range names {
		if failure(name) == nil {
			t.Errorf("failure(%q) = nil", name)
		}
	}
	for _, name := range []string{wanted.TooMany, "Nonsense"} {
		if err := failure(name); err != nil {
			t.Errorf("failure(%q) = %v, want nil", name, err)
		}
	}
}

func TestFaultsKnowTheQueueOrTopicOfACall(t *testing.T) {
	for target, want := range map[string]string{
		"/queues/q": "q", "/queues/q/messages?waitseconds=1": "q", "/queues/a%2Fb/messages": "a/b", "/topics/t/subscriptions/s": "t",
		"/queues": "", "/topics": "", "/": "", "/commonbuy/openservice": "",
	} {
		if got := resource(&protocols.Call{Request: httptest.NewRequest("GET", target, nil)}); got != want {
			t.Errorf("resource of %s = %q, want %q", target, got, want)
		}
	}
}
