package sqs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

func TestPatchReadsDeclaredAttributes(t *testing.T) {
	site := &protocols.Site{SQS: protocols.Home{Account: "000000000000", Region: "us-east-1"}}
	const policy = `{"Statement":{"Effect":"Allow","Principal":"*","Action":"sqs:*"}}`
	got, err := Patch(site, true, nil, map[string]string{
		"Policy": policy, "KmsMasterKeyId": "alias/aws/sqs", "KmsDataKeyReusePeriodSeconds": "60",
		"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId",
		"RedriveAllowPolicy": `{"redrivePermission":"byQueue","sourceQueueArns":["arn:aws:sqs:us-east-1:000000000000:a"]}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	source := core.QueueKey{Namespace: site.SQS.Namespace(), Name: "a"}
	want := core.Patch{
		DedupPerGroup: new(true), GroupLimit: new(true), RedriveAllow: &core.RedriveAllow{Sources: []core.QueueKey{source}},
		Notes: map[string]*string{
			"Policy": new(policy), "KmsMasterKeyId": new("alias/aws/sqs"), "KmsDataKeyReusePeriodSeconds": new("60"),
			"SqsManagedSseEnabled": new("false"), "RedriveAllowPolicy": nil,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Patch (-want +got):\n%s", diff)
	}
}

func TestPatchRefusesWhatTheProviderRefuses(t *testing.T) {
	site := &protocols.Site{}
	for _, tt := range []struct {
		name, value, want string
	}{
		{"DelaySeconds", "1", `"DelaySeconds" is not one of`},
		{"Policy", "x", "InvalidAttributeValue"},
		{"SqsManagedSseEnabled", "perhaps", "SqsManagedSseEnabled"},
		{"DeduplicationScope", "queue", "only when FifoQueue"},
		{"RedriveAllowPolicy", "{}", "unsupported format"},
	} {
		if _, err := Patch(site, false, nil, map[string]string{tt.name: tt.value}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Patch(%s: %s) = %v, want %q", tt.name, tt.value, err, tt.want)
		}
	}
}
