package main

import (
	"errors"
	"strconv"
	"time"

	"github.com/sluicemq/sluice"
)

// faultText is an entry of the section of the file that says what goes wrong on purpose.
type faultText struct {
	Name      *text `yaml:"name,omitempty"`
	Kind      *text `yaml:"kind,omitempty"`
	Provider  *text `yaml:"provider,omitempty"`
	Operation *text `yaml:"operation,omitempty"`
	Queue     *text `yaml:"queue,omitempty"`
	Rate      *text `yaml:"rate,omitempty"`
	After     *text `yaml:"after,omitempty"`
	Count     *text `yaml:"count,omitempty"`
	Seed      *text `yaml:"seed,omitempty"`
	Error     *text `yaml:"error,omitempty"`
	At        *text `yaml:"at,omitempty"`
	Delay     *text `yaml:"delay,omitempty"`
	Copies    *text `yaml:"copies,omitempty"`
}

// faults returns the rules that are right, each beside those before it. What is wrong with one is told by the line of its
// value, or of its name where a value is missing.
func (c *config) faults() []sluice.FaultRule {
	v := values{c: c}
	var rules []sluice.FaultRule
	for i := range c.Faults {
		v.at = place{"faults", i}
		t := &c.Faults[i]
		with := append(rules[:len(rules):len(rules)], v.fault(t))
		err := sluice.CheckFaults(with...)
		if err == nil {
			rules = with
			continue
		}
		line := c.lineOf(v.at)
		if wrong, ok := errors.AsType[*sluice.FaultRuleError](err); ok {
			if value := t.field(wrong.Field); value != nil {
				line = value.line
			}
		}
		if _, known := c.damaged[v.at]; !known {
			c.wrong(line, v.at, err)
		}
	}
	return rules
}

func (v *values) fault(t *faultText) sluice.FaultRule {
	r := sluice.FaultRule{
		Name: t.Name.orEmpty(), Kind: sluice.FaultKind(t.Kind.orEmpty()), Provider: t.Provider.orEmpty(),
		Operation: t.Operation.orEmpty(), Queue: t.Queue.orEmpty(), Error: t.Error.orEmpty(), At: sluice.FaultMoment(t.At.orEmpty()),
		Rate: v.share("rate", t.Rate), Count: v.number("count", t.Count), Copies: v.number("copies", t.Copies),
		Delay: v.delay("delay", t.Delay), Seed: v.seed("seed", t.Seed),
	}
	if after := v.number("after", t.After); after != nil {
		r.After = *after
	}
	return r
}

// field returns a value by its name, or what stands in for it in errors.
func (t *faultText) field(name string) *text {
	given := map[string]*text{
		"kind": t.Kind, "provider": t.Provider, "operation": t.Operation, "queue": t.Queue, "rate": t.Rate, "after": t.After,
		"count": t.Count, "error": t.Error, "at": t.At, "delay": t.Delay, "copies": t.Copies,
	}[name]
	for _, t := range [...]*text{given, t.Name, t.Kind} {
		if t != nil {
			return t
		}
	}
	return nil
}

func (v *values) share(name string, t *text) *float64 {
	if t == nil {
		return nil
	}
	n, err := strconv.ParseFloat(t.value, 64)
	if err != nil {
		v.fail(t, "%s is %q, want a number from 0 to 1", name, t.value)
	}
	return &n
}

func (v *values) seed(name string, t *text) uint64 {
	if t == nil {
		return 0
	}
	n, err := strconv.ParseUint(t.value, 10, 64)
	if err != nil {
		v.fail(t, "%s is %q, want a number of at least 0", name, t.value)
	}
	return n
}

// delay reads 1.5, 250ms or 1m30s.
func (v *values) delay(name string, t *text) *time.Duration {
	if t == nil {
		return nil
	}
	d, err := parseDuration(t.value)
	if err != nil {
		v.fail(t, "%s is %q, want a time, as in 1.5, 250ms or 1m30s", name, t.value)
	}
	return &d
}
