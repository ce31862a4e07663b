package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
)

func TestConfigNamesFaults(t *testing.T) {
	s, err := settled(t, []string{"--config=" + writeConfig(t, `
faults:
  - {name: busy, kind: throttle, provider: sqs, operation: "Send*", queue: orders, rate: 0.25, after: 3, count: 2, seed: 7, error: ThrottlingException}
  - {name: slow, kind: latency, delay: 250ms, at: after}
  - {name: slower, kind: latency, delay: 1.5}
  - {name: again, kind: duplicate, copies: 2}
`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []sluice.FaultRule{
		{
			Name: "busy", Kind: sluice.FaultThrottle, Provider: "sqs", Operation: "Send*", Queue: "orders",
			Rate: new(0.25), After: 3, Count: new(2), Seed: 7, Error: "ThrottlingException",
		},
		{Name: "slow", Kind: sluice.FaultLatency, Delay: new(250 * time.Millisecond), At: "after"},
		{Name: "slower", Kind: sluice.FaultLatency, Delay: new(1500 * time.Millisecond)},
		{Name: "again", Kind: sluice.FaultDuplicate, Copies: new(2)},
	}
	if diff := cmp.Diff(want, s.options.Faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestWrongFaultsAreToldByLine(t *testing.T) {
	for text, want := range map[string]string{
		"faults:\n- name: a\n  kind: fire\n":                                                  "sluice.yaml:3: fault \"a\": kind is",
		"faults:\n- name: a\n  kind: latency\n":                                               "sluice.yaml:2: fault \"a\": delay is missing",
		"faults:\n- name: a\n  kind: throttle\n  rate: often\n":                               "sluice.yaml:4: rate is \"often\"",
		"faults:\n- name: a\n  kind: throttle\n  rate: 2\n":                                   "sluice.yaml:4: fault \"a\": rate is 2",
		"faults:\n- name: a\n  kind: throttle\n  count: 0\n":                                  "sluice.yaml:4: fault \"a\": count is 0",
		"faults:\n- name: a\n  kind: throttle\n  seed: -1\n":                                  "sluice.yaml:4: seed is \"-1\"",
		"faults:\n- name: a\n  kind: latency\n  delay: soon\n":                                "sluice.yaml:4: delay is \"soon\"",
		"faults:\n- name: a\n  kind: throttle\n- name: a\n  kind: throttle\n":                 "sluice.yaml:4: fault \"a\": name is that of another",
		"faults:\n- kind: throttle\n":                                                         "sluice.yaml:2: fault \"\": name is not",
		"faults:\n- name: a\n  kind: throttle\n  error: QpsLimitExceeded\n  provider: sqs\n":  "sluice.yaml:4: fault \"a\": error is",
		"faults:\n- name: a\n  kind: throttle\n  probability: 1\n":                            "unknown setting probability",
		"faults:\n- name: a\n  kind: throttle\n- name: b\n  kind: throttle\n  queue: \"[\"\n": "sluice.yaml:6: fault \"b\": queue is",
	} {
		_, err := settled(t, []string{"--config=" + writeConfig(t, text)}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("configuration %q: %v, want %q", text, err, want)
		}
	}
}

func TestConfigGivesUsersPolicies(t *testing.T) {
	s, err := settled(t, []string{"--config=" + writeConfig(t, `
credentials:
  - id: worker
    secret: s
    user: worker
    policy:
      Version: "1"
      Statement:
        - {Effect: Allow, Action: "mns:ChangeMessageVisibility", Resource: "acs:mns:*:*:/queues/orders/messages"}
  - {id: other, secret: s, policy: '{"Statement":{"Effect":"Allow","Action":"sqs:*","Resource":"*"}}'}
`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := s.options.Credentials["worker"]
	if c.User != "worker" || !strings.Contains(c.Policy, `"Action":"mns:ChangeMessageVisibility"`) {
		t.Errorf("credential = %+v", c)
	}
	for text, want := range map[string]string{
		"credentials:\n- id: a\n  secret: s\n  policy: {}\n":  "sluice.yaml:4: access key a: the policy has 0 statements",
		"credentials:\n- id: a\n  secret: s\n  policy: no\n":  "sluice.yaml:4: access key a: the policy is no JSON",
		"credentials:\n- id: a\n  secret: s\n  user: a b\n":   "sluice.yaml:2: access key a: \"a b\" is not the name of a user",
		"credentials:\n- id: a\n  secret: s\n  role: r\n":     "sluice.yaml:2: access key a: a role and the name of its session belong together",
		"credentials:\n- id: a\n  secret: s\n  policys: {}\n": "unknown setting policys",
	} {
		_, err := settled(t, []string{"--config=" + writeConfig(t, text)}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("configuration %q: %v, want %q", text, err, want)
		}
	}
}
