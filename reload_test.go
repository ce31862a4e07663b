package sluice_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

const sendersPolicy = `{"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":"*","Action":"sqs:SendMessage"}}`

// protected is a queue with what has no word of its own in a declaration.
func protected() sluice.Resources {
	return sluice.Resources{
		Queues: []sluice.Queue{
			{Name: "orders", Logging: new(true), Attributes: map[string]string{
				"Policy": sendersPolicy, "KmsMasterKeyId": "alias/x", "KmsDataKeyReusePeriodSeconds": "60",
				"RedriveAllowPolicy": `{"redrivePermission":"byQueue","sourceQueueArns":["arn:aws:sqs:us-east-1:000000000000:a"]}`,
			}},
			{Name: "steps.fifo", FIFO: true, Attributes: map[string]string{
				"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId", "SqsManagedSseEnabled": "false",
			}},
		},
		Topics: []sluice.Topic{{Name: "news", Logging: new(true)}},
	}
}

func TestAttributesOfTheProviderCanBeDeclared(t *testing.T) {
	hands := clock.NewManual(time.Unix(1_700_000_000, 0))
	o := sluice.Options{Resources: protected(), Clock: hands, Data: filepath.Join(t.TempDir(), "data")}
	state := func(h http.Handler) string {
		return sqsCall(h, "GetQueueAttributes", `{"QueueUrl":"orders","AttributeNames":["All"]}`) +
			sqsCall(h, "GetQueueAttributes", `{"QueueUrl":"steps.fifo","AttributeNames":["All"]}`) +
			mnsCall(h, http.MethodGet, "/queues/orders", "") + mnsCall(h, http.MethodGet, "/topics/news", "")
	}
	s := open(t, o)
	before := state(s.Handler())
	contains(t, "the attributes", before,
		`\"Action\":\"sqs:SendMessage\"`, `"KmsMasterKeyId":"alias/x"`, `"KmsDataKeyReusePeriodSeconds":"60"`,
		`\"sourceQueueArns\":[\"arn:aws:sqs:us-east-1:000000000000:a\"]`,
		`"DeduplicationScope":"messageGroup"`, `"FifoThroughputLimit":"perMessageGroupId"`, `"SqsManagedSseEnabled":"false"`,
		"<LoggingEnabled>True</LoggingEnabled>")

	hands.Advance(time.Minute)
	if _, err := s.Reload(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, state(s.Handler())); diff != "" {
		t.Errorf("declared again (-want +got):\n%s", diff)
	}
	sqsCall(s.Handler(), "SetQueueAttributes", `{"QueueUrl":"orders","Attributes":{"Policy":"","SqsManagedSseEnabled":"true"}}`)
	if _, err := s.Reload(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	contains(t, "the attributes", state(s.Handler()), `\"Action\":\"sqs:SendMessage\"`, `"KmsMasterKeyId":"alias/x"`)
}

func TestReloadTellsWhatWaits(t *testing.T) {
	s := open(t, sluice.Options{})
	waiting, err := s.Reload(t.Context(), sluice.Options{Data: t.TempDir(), Bridges: []sluice.Bridge{}, Strict: true})
	if diff := cmp.Diff([]string{"data", "bridges"}, waiting); err != nil || diff != "" {
		t.Errorf("Reload = %v, waiting (-want +got):\n%s", err, diff)
	}
	if waiting, err := s.Reload(t.Context(), sluice.Options{}); err != nil || waiting != nil {
		t.Errorf("Reload of the first options = %q, %v, want that nothing waits", waiting, err)
	}
}

func TestReloadOfWrongOptionsChangesNothing(t *testing.T) {
	s := open(t, sluice.Options{})
	if _, err := s.Reload(t.Context(), sluice.Options{MaxInFlight: -1, Credentials: map[string]sluice.Credential{}}); err == nil {
		t.Error("Reload with a wrong option succeeded")
	}
	contains(t, "ListQueues", sqsCall(s.Handler(), "ListQueues", "{}"), "{}")
}

func TestResourceErrorsTellWhichOne(t *testing.T) {
	_, err := sluice.Open(sluice.Options{Resources: sluice.Resources{Queues: []sluice.Queue{
		{Name: "a"}, {Name: "b", Attributes: map[string]string{"Colour": "red"}},
	}}})
	wrong, ok := errors.AsType[*sluice.ResourceError](err)
	if !ok || wrong.Section != "queues" || wrong.Index != 1 || wrong.Name != "queue b" {
		t.Errorf("Open = %#v, want an error of the second queue", err)
	}
}
