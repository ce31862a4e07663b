package sluice_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
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
	waiting, err := s.Reload(t.Context(), sluice.Options{
		Data: t.TempDir(), Sync: sluice.SyncAlways, PushHosts: []string{"x.example"}, Bridges: []sluice.Bridge{}, Strict: true,
	})
	if diff := cmp.Diff([]string{"data", "sync", "push-hosts"}, waiting); err != nil || diff != "" {
		t.Errorf("Reload = %v, waiting (-want +got):\n%s", err, diff)
	}
	if waiting, err := s.Reload(t.Context(), sluice.Options{}); err != nil || waiting != nil {
		t.Errorf("Reload of the first options = %q, %v, want that nothing waits", waiting, err)
	}
	dir := t.TempDir()
	s = open(t, sluice.Options{Data: dir})
	waiting, err = s.Reload(t.Context(), sluice.Options{Data: dir, BodyBudget: 1})
	if diff := cmp.Diff([]string{"body-budget"}, waiting); err != nil || diff != "" {
		t.Errorf("Reload of another budget = %v, waiting (-want +got):\n%s", err, diff)
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

func TestReloadMovesHomesAndBridges(t *testing.T) {
	s := open(t, sluice.Options{Resources: sluice.Resources{Queues: []sluice.Queue{{Name: "old"}}}})
	h := s.Handler()
	reload := func(o sluice.Options) {
		t.Helper()
		if waiting, err := s.Reload(t.Context(), o); err != nil || waiting != nil {
			t.Fatalf("Reload = %q, %v, want that nothing waits", waiting, err)
		}
	}
	reload(sluice.Options{Bridges: []sluice.Bridge{}})
	contains(t, "MNS without bridges", mnsCall(h, http.MethodGet, "/queues/old", ""), "QueueNotExist")
	contains(t, "SQS without bridges", sqsCall(h, "ListQueues", "{}"), "/000000000000/old")

	moved := sluice.Options{
		SQS: sluice.Home{Account: "111111111111", Region: "eu-west-1"}, MNS: sluice.Home{Account: "77", Region: "cn-beijing"},
		Resources: sluice.Resources{
			Queues: []sluice.Queue{{Name: "new"}}, Topics: []sluice.Topic{{Name: "news"}},
			Subscriptions: []sluice.Subscription{{Topic: "news", Name: "s", Queue: "new"}},
		},
	}
	reload(moved)
	contains(t, "SQS at another home", sqsCall(h, "ListQueues", "{}"), `["http://local/111111111111/new"]`)
	mnsCall(h, http.MethodPost, "/topics/news/messages", "<Message><MessageBody>m</MessageBody></Message>")
	contains(t, "the notification", sqsCall(h, "ReceiveMessage", `{"QueueUrl":"new"}`), "<TopicOwner>77</TopicOwner>")
	admin := httptest.NewRecorder()
	s.Admin().ServeHTTP(admin, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/overview", nil))
	contains(t, "the overview", admin.Body.String(), `"account":"111111111111"`, `"region":"eu-west-1"`)
	alias := httptest.NewRecorder()
	h.ServeHTTP(alias, httptest.NewRequest(http.MethodGet, "http://local/_aws/sqs/messages?QueueUrl=new", nil))
	if alias.Code != http.StatusOK {
		t.Errorf("the alias of LocalStack = %d %s, want the queue of the new home", alias.Code, alias.Body)
	}

	reload(sluice.Options{})
	contains(t, "MNS joined again", mnsCall(h, http.MethodGet, "/queues/old", ""), "<QueueName>old<")
}

// What is known to fail before anything has changed is all that can be wrong with a declaration: whatever is there with
// other settings, for good, and whatever a resource leans on.
func TestReloadThatFailsChangesNothing(t *testing.T) {
	declared := sluice.Resources{
		Queues: []sluice.Queue{{Name: "a", Delay: new(time.Second)}, {Name: "locked", Attributes: map[string]string{"RedriveAllowPolicy": `{"redrivePermission":"denyAll"}`}}},
		Topics: []sluice.Topic{{Name: "t"}}, Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Queue: "a"}},
	}
	s := open(t, sluice.Options{Resources: declared})
	h := s.Handler()
	state := func() string {
		return sqsCall(h, "ListQueues", "{}") + sqsCall(h, "ListQueueTags", `{"QueueUrl":"a"}`) + mnsCall(h, http.MethodGet, "/topics", "") +
			sqsCall(h, "GetQueueAttributes", `{"QueueUrl":"a","AttributeNames":["All"]}`) + mnsCall(h, http.MethodGet, "/queues/a", "")
	}
	before := state()
	bridges := []sluice.Bridge{{MNS: sluice.DefaultMNS, SQS: sluice.DefaultSQS}, {MNS: sluice.Home{Account: "7", Region: "cn-beijing"}, SQS: sluice.Home{Account: "111111111111", Region: "eu-west-1"}}}
	for name, r := range map[string]sluice.Resources{
		"queue of the other type": {Queues: []sluice.Queue{{Name: "a", Namespace: sluice.DefaultMNS, FIFO: true}}},
		"topic of the other type": {Topics: []sluice.Topic{{Name: "t", FIFO: true}}},
		"endpoint":                {Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Queue: "locked"}}},
		"dead-letter queue":       {Queues: []sluice.Queue{{Name: "b", DeadLetter: &sluice.DeadLetter{Queue: "locked", MaxReceives: 1}}}},
		"no dead-letter queue":    {Queues: []sluice.Queue{{Name: "b", DeadLetter: &sluice.DeadLetter{Queue: "c", MaxReceives: 1}}}},
		"attribute":               {Queues: []sluice.Queue{{Name: "b", Attributes: map[string]string{"Policy": "x"}}}},
		"no topic":                {Subscriptions: []sluice.Subscription{{Topic: "u", Name: "s", Queue: "a"}}},
		"standard subscriber": {
			Topics: []sluice.Topic{{Name: "f", FIFO: true}}, Subscriptions: []sluice.Subscription{{Topic: "f", Name: "s", Queue: "a"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r.Queues = append([]sluice.Queue{{Name: "first", Delay: new(time.Duration(0))}}, r.Queues...)
			if name != "queue of the other type" {
				r.Queues = append(r.Queues, sluice.Queue{Name: "a", Delay: new(9 * time.Second), Tags: map[string]string{"x": "y"}})
			}
			waiting, err := s.Reload(t.Context(), sluice.Options{
				Data: t.TempDir(), Bridges: bridges, Credentials: map[string]sluice.Credential{}, QueueURLs: sluice.QueueURLPath, Resources: r,
				Faults: []sluice.FaultRule{{Name: "f", Kind: sluice.FaultThrottle}},
			})
			if err == nil || waiting != nil {
				t.Errorf("Reload = %q, %v, want an error alone", waiting, err)
			}
			if diff := cmp.Diff(before, state()); diff != "" {
				t.Errorf("after a reload that failed (-want +got):\n%s", diff)
			}
			if got := s.Faults(); len(got) > 0 {
				t.Errorf("Faults = %v, want none", got)
			}
		})
	}
}

// What leans on something wrong is not wrong as well.
func TestCheckTellsEverythingAtOnce(t *testing.T) {
	err := sluice.Options{
		MaxInFlight: -1,
		Resources: sluice.Resources{
			Queues: []sluice.Queue{
				{Name: "a", Delay: new(-time.Second)},
				{Name: "b"},
				{Name: "b"},
				{Name: "c", DeadLetter: &sluice.DeadLetter{Queue: "nowhere", MaxReceives: 1}},
				{Name: "d", DeadLetter: &sluice.DeadLetter{Queue: "a", MaxReceives: 1}},
			},
			Topics: []sluice.Topic{{Name: "t", MaxSize: new(1)}},
			Subscriptions: []sluice.Subscription{
				{Topic: "t", Name: "s", Queue: "b"}, {Topic: "u", Name: "s", Queue: "b"},
			},
		},
	}.Check()
	want := []string{
		"the bound of messages in flight is -1, want at least 1",
		"queue a: delay is -1s, want 0s to 168h0m0s",
		"queue b: it is there twice",
		"queue c: its dead-letter queue nowhere does not exist",
		"topic t: max-size is 1, want 1024 to 65536",
		"subscription s of topic u: there is no such topic",
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("Check (-want +got):\n%s", diff)
	}
	if err := (sluice.Options{Resources: protected()}).Check(); err != nil {
		t.Errorf("Check of right options = %v", err)
	}
}

func TestOpenThatFailsLeavesNoQueues(t *testing.T) {
	o := sluice.Options{Data: filepath.Join(t.TempDir(), "data"), Resources: sluice.Resources{Queues: []sluice.Queue{{Name: "a"}, {Name: "b c"}}}}
	if _, err := sluice.Open(o); err == nil {
		t.Fatal("Open with a wrong queue succeeded")
	}
	o.Resources = sluice.Resources{}
	if got := sqsCall(open(t, o).Handler(), "ListQueues", "{}"); got != "{}" {
		t.Errorf("ListQueues = %s, want none of those that were declared before the wrong one", got)
	}
}

// What has been found out when the dead-letter queue was named is not asked again: deleted or closed since, it is still named.
func TestQueuesKeepDeadLetterQueuesThatCouldNotBeNamedAnyMore(t *testing.T) {
	o := sluice.Options{Data: filepath.Join(t.TempDir(), "data")}
	s := open(t, o)
	h := s.Handler()
	sqsCall(h, "CreateQueue", `{"QueueName":"dead"}`)
	o.Resources = sluice.Resources{Queues: []sluice.Queue{{Name: "q", DeadLetter: &sluice.DeadLetter{Queue: "dead", MaxReceives: 3}}}}
	for _, change := range []struct{ operation, body string }{
		{"GetQueueUrl", `{"QueueName":"dead"}`},
		{"SetQueueAttributes", `{"QueueUrl":"dead","Attributes":{"RedriveAllowPolicy":"{\"redrivePermission\":\"denyAll\"}"}}`},
		{"DeleteQueue", `{"QueueUrl":"dead"}`},
	} {
		sqsCall(h, change.operation, change.body)
		if _, err := s.Reload(t.Context(), o); err != nil {
			t.Errorf("Reload after %s of the dead-letter queue = %v", change.operation, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, o)
	contains(t, "the queue", sqsCall(s.Handler(), "GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["All"]}`), `:dead\",\"maxReceiveCount\":3`)

	o.Resources.Queues[0].DeadLetter.MaxReceives = 4
	if _, err := s.Reload(t.Context(), o); err == nil {
		t.Error("Reload with another limit, for which the dead-letter queue is named anew, succeeded")
	}
}

// A subscription of a FIFO topic to a queue that was not there yet.
func TestSubscriptionsThatHaveGotAnotherQueueDoNotKeepFromStarting(t *testing.T) {
	s := open(t, sluice.Options{Resources: sluice.Resources{
		Topics: []sluice.Topic{{Name: "f", FIFO: true}}, Subscriptions: []sluice.Subscription{{Topic: "f", Name: "s", Queue: "later"}},
	}})
	declared := sluice.Resources{Queues: []sluice.Queue{{Name: "later", Namespace: sluice.DefaultMNS}}, Topics: []sluice.Topic{{Name: "f", FIFO: true}}}
	for range 2 {
		if _, err := s.Reload(t.Context(), sluice.Options{Resources: declared}); err != nil {
			t.Errorf("Reload = %v", err)
		}
	}
}
