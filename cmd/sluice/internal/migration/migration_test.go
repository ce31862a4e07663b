package migration_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/migration"
)

func read(t *testing.T, kind, file string, values map[string]string) *migration.Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	r, err := migration.Read(kind, text, values)
	if err != nil {
		t.Fatalf("Read(%s) = %v", file, err)
	}
	return r
}

func s(n int) *time.Duration { return new(time.Duration(n) * time.Second) }

// compare compares a result but for its warnings, of which each has to contain the wanted text at its place.
func compare(t *testing.T, got *migration.Result, want migration.Result, warnings ...string) {
	t.Helper()
	given := got.Warnings
	got.Warnings = nil
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	for i := range max(len(given), len(warnings)) {
		switch {
		case i >= len(given):
			t.Errorf("no warning %q", warnings[i])
		case i >= len(warnings):
			t.Errorf("warning %q, want none", given[i])
		case !strings.Contains(given[i], warnings[i]):
			t.Errorf("warning %d = %q, want %q", i, given[i], warnings[i])
		}
	}
}

func TestElasticMQ(t *testing.T) {
	compare(t, read(t, "elasticmq", "elasticmq.conf", nil), migration.Result{
		Listen: "0.0.0.0:9324",
		Data:   sluice.Memory,
		Options: sluice.Options{
			SQS: sluice.Home{Account: "000000000123", Region: "us-west-2"}, MNS: sluice.DefaultMNS,
			Resources: sluice.Resources{Queues: []sluice.Queue{
				{
					Name: "orders", DeadLetter: &sluice.DeadLetter{Queue: "orders-dead", MaxReceives: 3},
					Visibility: s(10), Delay: s(5), Wait: s(0), Tags: map[string]string{"team": "shop", "cost.centre": "7"},
				},
				{Name: "orders-dead"},
				{Name: "steps.fifo", FIFO: true, ContentDedup: new(true), DeadLetter: &sluice.DeadLetter{Queue: "steps-dead.fifo", MaxReceives: 2}},
				{Name: "steps-dead.fifo", FIFO: true},
				{Name: "odd", Delay: s(1)},
			}},
		},
	},
		"line 18: rest-stats has no counterpart",
		"line 58: auto-create-queues has no counterpart",
		"line 68: akka has no counterpart",
		"line 15: sqs-limits = relaxed has no counterpart",
		"line 36: queue orders: copyTo has no counterpart",
		"queue odd: delay = 1500 is 1s in whole seconds",
		`queue with.dots: "with.dots" is not a name`,
		"queue odd: its dead-letter queue nowhere is not in the file",
	)
}

func TestElasticMQThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"include \"other.conf\"\n":      `line 1: include "other.conf" cannot be read`,
		"rest-sqs.bind-port = ${PORT}":  "line 1: substitutions",
		"queues = 1":                    "line 1: queues is not a section",
		"queues { a = 1 }":              "line 1: queue a is not a section",
		"aws = 1":                       "line 1: aws is not a section",
		"queues { a { delay = soon } }": `delay of queue a is "soon"`,
		"queues { a { delay = 99999999999999999999 d } }": "want a duration",
		"queues { a { delay { } } }":                      "want a single value",
		"queues { a {\n tags = 1 } }":                     "line 2: tags is not a section",
		"queues { a { tags { b { } } } }":                 "want a single value",
		"queues { a { deadLettersQueue { name = x } } }":  "needs a name and a maxReceiveCount",
		"queues { a { deadLettersQueue = x } }":           "needs a name and a maxReceiveCount",
	} {
		if _, err := migration.Read("elasticmq", []byte(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q) = %v, want %q", text, err, want)
		}
	}
}

func TestElasticMQWithAnAddressOfItsOwn(t *testing.T) {
	r, err := migration.Read("elasticmq", []byte("node-address { host = queues, port = 80 }\nmessages-storage.enabled = true\naws.accountId = 1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, r, migration.Result{Options: sluice.Options{SQS: sluice.DefaultSQS, MNS: sluice.DefaultMNS, PublicURL: "http://queues:80"}},
		"line 2: messages are kept in Sluice's own data directory", `"1" is not an account`, "there is no section queues")
}

func TestGoAWS(t *testing.T) {
	queue := func(name string) sluice.Queue {
		return sluice.Queue{Name: name, FIFO: strings.HasSuffix(name, ".fifo"), Visibility: s(30), MaxSize: new(262144)}
	}
	second, third := queue("local-queue2"), queue("local-queue3")
	second.Wait, second.Visibility, second.MaxSize = s(20), s(150), nil
	third.DeadLetter = &sluice.DeadLetter{Queue: "local-queue3-dlq", MaxReceives: 100}
	compare(t, read(t, "goaws", "goaws.yaml", nil), migration.Result{
		Listen: "0.0.0.0:4100",
		Data:   sluice.Memory,
		Options: sluice.Options{
			SQS: sluice.Home{Account: "100010001000", Region: "us-east-1"}, MNS: sluice.DefaultMNS,
			Resources: sluice.Resources{Queues: []sluice.Queue{
				queue("local-queue1"), second, third, queue("local-queue3-dlq"), queue("steps.fifo"),
			}},
		},
	},
		"environment Dev is left out", "RandomLatency has no counterpart", "topic local-topic1 of SNS",
		"queue local-queue2: max-size is 128, want 1024 to 1048576: the setting is left out",
	)
}

// GoAWS makes the queues of subscriptions, one for all that have it.
func TestGoAWSMakesTheQueuesOfSubscriptions(t *testing.T) {
	r, err := migration.Read("goaws", []byte("Local:\n  QueueAttributeDefaults: {VisibilityTimeout: 9}\n  Queues: [{Name: a}]\n  Topics:\n"+
		"  - {Name: t, Subscriptions: [{QueueName: a}, {QueueName: b}, {Protocol: http, EndPoint: 'http://localhost/'}]}\n"+
		"  - {Name: u, Subscriptions: [{QueueName: b}]}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, r, migration.Result{Listen: "0.0.0.0:4100", Data: sluice.Memory, Options: sluice.Options{
		SQS: sluice.DefaultSQS, MNS: sluice.DefaultMNS,
		Resources: sluice.Resources{Queues: []sluice.Queue{{Name: "a", Visibility: s(9)}, {Name: "b", Visibility: s(9)}}},
	}}, "topic t of SNS", "topic u of SNS")
}

func TestGoAWSWithOddValues(t *testing.T) {
	r, err := migration.Read("goaws", []byte("X:\n  Port: ${PORT}\n  AccountID: queue\n  Region: local\n  Queues:\n  - {Name: a, RedrivePolicy: '{'}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, r, migration.Result{Listen: "0.0.0.0:4100", Data: sluice.Memory, Options: sluice.Options{
		SQS: sluice.Home{Account: "000000000000", Region: "local"}, MNS: sluice.DefaultMNS,
		Resources: sluice.Resources{Queues: []sluice.Queue{{Name: "a"}}},
	}}, "port ${PORT} is not a number", `"queue" is not an account`, "queue a: redrive policy {")
	for _, text := range []string{"", "a: [", "Local: x"} {
		if r, err := migration.Read("goaws", []byte(text), nil); err == nil {
			t.Errorf("Read(%q) = %+v, want an error", text, r)
		}
	}
}

func TestCloudFormation(t *testing.T) {
	got := read(t, "cloudformation", "stack.yaml", map[string]string{"AWS::Region": "eu-west-1"})
	compare(t, got, migration.Result{Options: sluice.Options{
		SQS: sluice.Home{Account: "000000000000", Region: "eu-west-1"}, MNS: sluice.DefaultMNS,
		Resources: sluice.Resources{Queues: []sluice.Queue{
			{
				Name: "orders-dev", Visibility: s(90), Retention: s(86400), Wait: s(20), Delay: s(0), MaxSize: new(65536),
				DeadLetter: &sluice.DeadLetter{Queue: "orders-dead-dev", MaxReceives: 5}, Tags: map[string]string{"team": "shop", "stage": "dev"},
				Attributes: map[string]string{
					"SqsManagedSseEnabled": "false",
					"Policy":               `{"Statement":[{"Action":"sqs:SendMessage","Condition":{"ArnEquals":{"aws:SourceArn":"arn:aws:sns:eu-west-1:000000000000:Topic"}},"Effect":"Allow","Principal":{"Service":"sns.amazonaws.com"},"Resource":"arn:aws:sqs:eu-west-1:000000000000:orders-dev","Sid":"topic"}],"Version":"2012-10-17"}`,
				},
			},
			{Name: "orders-dead-dev", Attributes: map[string]string{
				"RedriveAllowPolicy": `{"redrivePermission":"byQueue","sourceQueueArns":["arn:aws:sqs:eu-west-1:000000000000:orders-dev"]}`,
			}},
			{Name: "Steps.fifo", FIFO: true, ContentDedup: new(true), Attributes: map[string]string{
				"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId", "KmsMasterKeyId": "alias/aws/sqs",
				"Policy": `{"Statement":[{"Action":"sqs:*","Effect":"Allow","Principal":"*","Resource":"arn:aws:sqs:eu-west-1:000000000000:Steps.fifo"}]}`,
			}},
			{Name: "Unknown"},
		}},
	}},
		"line 36: Steps: condition IsProduction is taken to be true: there is no condition IsProduction",
		"line 36: Steps: it has no name of its own: it is Steps.fifo here",
		"line 48: Unknown: QueueName: parameter Owner has no value: it is Unknown here",
		"line 73: Topic: AWS::SNS::Topic has no counterpart",
		"line 49: Unknown: RedrivePolicy: Fn::ImportValue cannot be resolved: it is left out",
		"line 69: StepsPolicy: Queues: Missing has no value: one of its queues is left out",
		"resources of other services are left out: AWS::DynamoDB::Table",
	)
	named := read(t, "cloudformation", "stack.yaml", map[string]string{"Owner": "me", "Stage": "prod"})
	if q := named.Options.Resources.Queues; len(q) != 4 || q[0].Name != "orders-prod" || q[3].Name != "me" {
		t.Errorf("queues = %+v, want names with the given values", q)
	}
}

func TestCloudFormationInJSON(t *testing.T) {
	r, err := migration.Read("cloudformation", []byte(`{"Resources": {
		"Q": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": {"Fn::Sub": ["${x}-${!y}", {"x": {"Ref": "AWS::StackName"}}]}, "DelaySeconds": "soon", "Color": "red",
			"RedrivePolicy": {"deadLetterTargetArn": {"Fn::GetAtt": ["D", "Arn"]}, "maxReceiveCount": "3"}}},
		"D": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "d"}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, r, migration.Result{Options: sluice.Options{SQS: sluice.DefaultSQS, MNS: sluice.DefaultMNS, Resources: sluice.Resources{
		Queues: []sluice.Queue{{Name: "d"}},
	}}}, "line 2: Q: Color: there is no counterpart", "line 2: Q: DelaySeconds: soon is not a number of seconds", `queue stack-${y}: "stack-${y}" is not a name`)
}

func TestTemplatesThatCannotBeRead(t *testing.T) {
	deep := strings.Repeat("[", 200)
	for _, text := range []string{"", "{", "a: [", "Resources: 1", "Resources:\n  a: &x 1\n  b: *x\n", "Resources: " + deep + strings.Repeat("]", 200)} {
		if r, err := migration.Read("cloudformation", []byte(text), nil); err == nil {
			t.Errorf("Read(%.40q) = %+v, want an error", text, r)
		}
	}
	if _, err := migration.Read("cloudformation", []byte("Resources: {}"), map[string]string{"AWS::Region": "A B"}); err == nil {
		t.Error("Read with a region that is none succeeded")
	}
}

func TestTerraformState(t *testing.T) {
	home := sluice.Home{Account: "123456789012", Region: "eu-west-1"}
	policy := `{"Statement":[{"Action":"sqs:SendMessage","Effect":"Allow","Principal":"*","Resource":"arn:aws:sqs:eu-west-1:123456789012:orders","Sid":"all"}],"Version":"2012-10-17"}`
	compare(t, read(t, "terraform-state", "terraform.tfstate", nil), migration.Result{Options: sluice.Options{
		SQS: home, MNS: sluice.DefaultMNS,
		Resources: sluice.Resources{
			Queues: []sluice.Queue{
				{
					Name: "orders-dead", Delay: s(0), Visibility: s(30), Retention: s(1209600), Wait: s(0), MaxSize: new(262144),
					Attributes: map[string]string{"RedriveAllowPolicy": `{"redrivePermission":"byQueue","sourceQueueArns":["arn:aws:sqs:eu-west-1:123456789012:orders"]}`},
				},
				{
					Name: "orders", Delay: s(5), Visibility: s(60), Retention: s(345600), Wait: s(20), MaxSize: new(1048576),
					DeadLetter: &sluice.DeadLetter{Queue: "orders-dead", MaxReceives: 4}, Tags: map[string]string{"managed": "terraform", "team": "shop"},
					Attributes: map[string]string{"KmsMasterKeyId": "alias/orders", "KmsDataKeyReusePeriodSeconds": "600", "Policy": policy},
				},
				{
					Name: "steps.fifo", Namespace: sluice.Home{Account: "123456789012", Region: "us-east-1"}, FIFO: true, ContentDedup: new(true),
					Delay: s(0), Visibility: s(30), Retention: s(345600), Wait: s(0), MaxSize: new(262144),
					Attributes: map[string]string{"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId", "SqsManagedSseEnabled": "false"},
				},
				{
					Name: "jobs", Namespace: sluice.DefaultMNS, Delay: s(0), Visibility: s(30), Retention: s(345600), Wait: s(10),
					MaxSize: new(65536), Logging: new(true),
				},
			},
			Topics:        []sluice.Topic{{Name: "news", MaxSize: new(65536), Logging: new(false)}},
			Subscriptions: []sluice.Subscription{{Topic: "news", Name: "to-jobs", Queue: "jobs", FilterTag: "red", Strategy: "BACKOFF_RETRY", Format: "SIMPLIFIED"}},
		},
	}},
		"aws_sns_topic.events has no counterpart",
		"resources of other services are left out: aws_s3_bucket",
		"aws_sqs_queue_redrive_policy.gone: its queue https://sqs.eu-west-1.amazonaws.com/123456789012/gone is not in the file",
	)
}

// Modules for each region have the same names in all of them.
func TestPoliciesGoToTheQueueOfTheirRegion(t *testing.T) {
	instance := func(kind, attributes string) string {
		return `{"mode":"managed","type":"` + kind + `","name":"n","instances":[{"attributes":{` + attributes + `}}]}`
	}
	const url, policy = `"queue_url":"https://sqs.us-east-1.amazonaws.com/123456789012/q"`, `{"Statement":[{"Effect":"Deny","Principal":"*","Action":"sqs:*"}]}`
	r, err := migration.Read("terraform-state", []byte(`{"version":4,"resources":[`+strings.Join([]string{
		instance("aws_sqs_queue", `"name":"q","arn":"arn:aws:sqs:eu-west-1:123456789012:q","redrive_policy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:eu-west-1:123456789012:dead\",\"maxReceiveCount\":3}"`),
		instance("aws_sqs_queue", `"name":"dead","arn":"arn:aws:sqs:eu-west-1:123456789012:dead"`),
		instance("aws_sqs_queue", `"name":"q","arn":"arn:aws:sqs:us-east-1:123456789012:q"`),
		instance("aws_sqs_queue", `"name":"dead","arn":"arn:aws:sqs:us-east-1:123456789012:dead"`),
		instance("aws_sqs_queue_policy", url+`,"policy":`+strconv.Quote(policy)),
		instance("aws_sqs_queue_redrive_policy", url+`,"redrive_policy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:123456789012:dead\",\"maxReceiveCount\":7}"`),
		instance("aws_sqs_queue_policy", `"queue_url":"https://sqs.ap-south-1.amazonaws.com/123456789012/q","policy":`+strconv.Quote(policy)),
		`{"mode":"managed","type":"aws_sqs_queue","name":"old","instances":[{"deposed":"00000000","attributes":{"name":"old","arn":"arn:aws:sqs:us-east-1:123456789012:old"}}]}`,
	}, ",")+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	there := sluice.Home{Account: "123456789012", Region: "us-east-1"}
	compare(t, r, migration.Result{Options: sluice.Options{
		SQS: sluice.Home{Account: "123456789012", Region: "eu-west-1"}, MNS: sluice.DefaultMNS,
		Resources: sluice.Resources{Queues: []sluice.Queue{
			{Name: "q", DeadLetter: &sluice.DeadLetter{Queue: "dead", MaxReceives: 3}},
			{Name: "dead"},
			{Name: "q", Namespace: there, DeadLetter: &sluice.DeadLetter{Queue: "dead", MaxReceives: 7}, Attributes: map[string]string{"Policy": policy}},
			{Name: "dead", Namespace: there},
		}},
	}}, "its queue https://sqs.ap-south-1.amazonaws.com/123456789012/q is not in the file")
}

func TestDeadLettersOfMNSAreRead(t *testing.T) {
	policy := func(enabled string) string {
		return `"dlq_policy":[{"dead_letter_target_queue":"dead","enabled":` + enabled + `,"max_receive_count":5}]`
	}
	queue := func(name, more string) string {
		return `{"mode":"managed","type":"alicloud_message_service_queue","name":"` + name + `","instances":[{"attributes":{"queue_name":"` + name + `"` + more + `}}]}`
	}
	r, err := migration.Read("terraform-state", []byte(`{"version":4,"resources":[`+strings.Join([]string{
		queue("on", ","+policy("true")), queue("off", ","+policy("false")), queue("half", `,"dlq_policy":[{"enabled":true}]`), queue("dead", `,"dlq_policy":[]`),
		`{"mode":"managed","type":"alicloud_message_service_topic","name":"t","instances":[{"attributes":{"topic_name":"t"}}]}`,
		`{"mode":"managed","type":"alicloud_message_service_subscription","name":"s","instances":[{"attributes":{"topic_name":"t","subscription_name":"s","endpoint":"http://localhost/","push_type":"http",` + policy("true") + `}}]}`,
	}, ",")+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, r, migration.Result{Options: sluice.Options{
		SQS: sluice.DefaultSQS, MNS: sluice.DefaultMNS,
		Resources: sluice.Resources{
			Queues: []sluice.Queue{
				{Name: "on", Namespace: sluice.DefaultMNS, DeadLetter: &sluice.DeadLetter{Queue: "dead", MaxReceives: 5}},
				{Name: "off", Namespace: sluice.DefaultMNS},
				{Name: "half", Namespace: sluice.DefaultMNS},
				{Name: "dead", Namespace: sluice.DefaultMNS},
			},
			Topics:        []sluice.Topic{{Name: "t"}},
			Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Endpoint: "http://localhost/", DeadLetter: "dead"}},
		},
	}}, "alicloud_message_service_queue.half: redrive policy")
}

func TestStatesThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"x":               "invalid character",
		`{"version":3}`:   "version of the state is 3, want 4",
		`{"version":4}`:   "there are no queues",
		`{"version":"4"}`: "cannot unmarshal",
	} {
		if _, err := migration.Read("terraform-state", []byte(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q) = %v, want %q", text, err, want)
		}
	}
}

func TestUnknownKind(t *testing.T) {
	if _, err := migration.Read("rabbit", nil, nil); err == nil || !strings.Contains(err.Error(), "cloudformation, elasticmq, goaws, terraform-state") {
		t.Errorf("Read of an unknown kind = %v, want the kinds that there are", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range []struct{ kind, name string }{
		{"elasticmq", "elasticmq.conf"}, {"goaws", "goaws.yaml"}, {"cloudformation", "stack.yaml"}, {"terraform-state", "terraform.tfstate"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", file.name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file.kind, text)
	}
	f.Fuzz(func(t *testing.T, kind string, text []byte) {
		r, err := migration.Read(kind, text, nil)
		if err != nil {
			return
		}
		s, err := sluice.Open(r.Options)
		if err != nil {
			t.Fatalf("Read(%q, %q) can not be declared: %v", kind, text, err)
		}
		_ = s.Close()
	})
}
