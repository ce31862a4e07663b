package faults_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/faults"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// word is an error of the test's providers, which know only the words of this package.
type word string

func (w word) Error() string { return string(w) }

func knows(words ...string) faults.Provider {
	return faults.Provider{
		Failure: func(name string) error {
			for _, w := range words {
				if w == name {
					return word(w)
				}
			}
			return nil
		},
		Resource: func(c *protocols.Call) string { return c.RequestID }, // the test's calls say it there
	}
}

var providers = faults.Providers{
	"sqs": knows(faults.Throttled, faults.Internal, faults.Unavailable, faults.TooMany, "Own"),
	"mns": knows(faults.Throttled, faults.Internal, faults.Unavailable),
}

func newSet(t *testing.T, rules ...faults.Rule) *faults.Set {
	t.Helper()
	s := faults.NewSet(providers, clock.NewManual(epoch), func() {})
	if err := s.Replace(rules); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRulesThatMakeNoSenseAreRefused(t *testing.T) {
	second, long := time.Second, time.Hour
	for field, rules := range map[string][]faults.Rule{
		"name":      {{Kind: faults.LostAnswer}, {Name: "a b", Kind: faults.LostAnswer}, {Name: strings.Repeat("x", 65), Kind: faults.LostAnswer}},
		"kind":      {{Name: "r"}, {Name: "r", Kind: "fire"}},
		"provider":  {{Name: "r", Kind: faults.LostAnswer, Provider: "other"}},
		"operation": {{Name: "r", Kind: faults.LostAnswer, Operation: "["}},
		"queue":     {{Name: "r", Kind: faults.LostAnswer, Queue: `\`}, {Name: "r", Kind: faults.LostAnswer, Queue: strings.Repeat("*", 300)}},
		"rate": {
			{Name: "r", Kind: faults.LostAnswer, Rate: new(1.1)},
			{Name: "r", Kind: faults.LostAnswer, Rate: new(-0.1)},
			{Name: "r", Kind: faults.LostAnswer, Rate: new(math.NaN())},
		},
		"after": {{Name: "r", Kind: faults.LostAnswer, After: -1}},
		"count": {{Name: "r", Kind: faults.LostAnswer, Count: new(0)}},
		"error": {
			{Name: "r", Kind: faults.Fail, Error: "Nonsense"},
			{Name: "r", Kind: faults.Fail, Error: "Own", Provider: "mns"},
			{Name: "r", Kind: faults.LostAnswer, Error: "Own"},
			{Name: "r", Kind: faults.OverLimit, Provider: "mns"},
			{Name: "r", Kind: faults.OverLimit, Error: "Own"},
		},
		"at": {
			{Name: "r", Kind: faults.Fail, At: faults.Send},
			{Name: "r", Kind: faults.LostAnswer, At: faults.Before},
			{Name: "r", Kind: faults.Duplicate, At: faults.Send},
			{Name: "r", Kind: faults.Throttle, At: faults.After},
		},
		"delay": {
			{Name: "r", Kind: faults.Latency},
			{Name: "r", Kind: faults.Latency, Delay: &long},
			{Name: "r", Kind: faults.Latency, Delay: new(time.Duration(0))},
			{Name: "r", Kind: faults.Fail, Delay: &second},
			{Name: "r", Kind: faults.Reorder, Delay: &second},
		},
		"copies": {
			{Name: "r", Kind: faults.LostAnswer, Copies: new(1)},
			{Name: "r", Kind: faults.Duplicate, Copies: new(0)},
			{Name: "r", Kind: faults.Duplicate, Copies: new(11)},
			{Name: "r", Kind: faults.Duplicate, At: faults.Delete, Copies: new(1)},
		},
	} {
		for _, r := range rules {
			s := newSet(t, faults.Rule{Name: "stays", Kind: faults.LostAnswer})
			wrong, ok := errors.AsType[*faults.Invalid](s.Replace([]faults.Rule{r}))
			if !ok || wrong.Field != field {
				t.Errorf("Replace(%+v) = %v, want something about %s", r, wrong, field)
			}
			if list := s.List(); len(list) != 1 || list[0].Name != "stays" {
				t.Errorf("after a rule that was refused there are %+v", list)
			}
		}
	}
}

func TestRulesHaveNamesOfTheirOwnAndANumberOfThemIsEnough(t *testing.T) {
	r := faults.Rule{Name: "r", Kind: faults.LostAnswer}
	if err := newSet(t).Check([]faults.Rule{r, r}); err == nil {
		t.Error("two rules have the same name")
	}
	many := make([]faults.Rule, faults.MaxRules+1)
	for i := range many {
		many[i] = faults.Rule{Name: fmt.Sprint("r", i), Kind: faults.LostAnswer}
	}
	if err := newSet(t).Check(many); err == nil {
		t.Errorf("there are %d rules", len(many))
	}
	if err := newSet(t).Check(many[1:]); err != nil {
		t.Errorf("%d rules: %v", len(many)-1, err)
	}
}

func TestOneRuleIsSetAndRemovedWithoutTheOthers(t *testing.T) {
	changes := 0
	s := faults.NewSet(providers, clock.NewManual(epoch), func() { changes++ })
	for _, tt := range []struct {
		rule  faults.Rule
		added bool
	}{
		{faults.Rule{Name: "a", Kind: faults.LostAnswer}, true},
		{faults.Rule{Name: "b", Kind: faults.Throttle}, true},
		{faults.Rule{Name: "a", Kind: faults.Throttle}, false},
	} {
		if added, err := s.Put(tt.rule); added != tt.added || err != nil {
			t.Errorf("Put(%v) = %v, %v, want %v", tt.rule, added, err, tt.added)
		}
	}
	if _, err := s.Put(faults.Rule{Name: "c"}); err == nil {
		t.Error("Put took a rule without a kind")
	}
	if list := s.List(); len(list) != 2 || list[0].Name != "a" || list[0].Kind != faults.Throttle || list[1].Name != "b" {
		t.Errorf("List() = %+v", list)
	}
	if s.Remove("c") || !s.Remove("a") || s.Empty() || !s.Remove("b") || !s.Empty() {
		t.Errorf("after the removals there are %+v", s.List())
	}
	if changes != 5 {
		t.Errorf("told of %d changes, want 5", changes)
	}
}
