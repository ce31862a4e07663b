package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sluicemq/sluice/cmd/sluice/internal/migration"
)

// Whatever the four kinds of files say, what is printed is a file that is accepted.
func FuzzImportPrintsAFileThatIsAccepted(f *testing.F) {
	kinds := migration.Kinds()
	kindOf := func(name string) uint8 { return uint8(slices.Index(kinds, name)) }
	for _, file := range []struct{ kind, name string }{
		{"elasticmq", "elasticmq.conf"},
		{"goaws", "goaws.yaml"},
		{"cloudformation", "stack.yaml"},
		{"cloudformation", "shop.yaml"},
		{"terraform-state", "terraform.tfstate"},
	} {
		text, err := os.ReadFile(filepath.Join("internal", "migration", "testdata", file.name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(kindOf(file.kind), text)
	}
	for _, seed := range []struct{ kind, text string }{
		{"elasticmq", "rest-sqs { bind-hostname = \"a b\", bind-port = x }\nqueues { }"},
		{"elasticmq", "rest-sqs { bind-port = 99999 }\nqueues { }"},
		{"elasticmq", "rest-sqs { bind-hostname = \"a,b\" }\nqueues { }"},
		{"elasticmq", "node-address { protocol = ftp, host = \"a b\", port = 80 }\nqueues { }"},
		{"elasticmq", "node-address { host = queues, port = x }\nqueues { }"},
		{"elasticmq", "queues { q { tags { \"\" = \"\", \"a\\nb\" = \"\\u0000\", \"<<\" = \"~\", \"2026-01-01\" = \"1e3\" } } }"},
		{"elasticmq", "aws { region = on, accountId = 012345678901 }\nqueues { }"},
		{"goaws", "Local: {Host: \"a b\", Port: \"0\", Region: \"~\", Queues: [{Name: \"on\"}, {Name: \"1\"}, {Name: \"0x1\"}]}"},
		{"goaws", "Local: {Queues: [{Name: a, RedrivePolicy: '{\"deadLetterTargetArn\": \"x:a\", \"maxReceiveCount\": 1e3}'}]}"},
		{"goaws", "Local: {Queues: [{Name: a, VisibilityTimeout: 9223372036854775807}, {Name: b, DelaySeconds: -1}]}"},
		{"cloudformation", "Resources: {Q: {Type: AWS::SQS::Queue, Properties: {Tags: [{Key: \"a: b\", Value: \"#\"}, {Key: \"\\t\"}], MaximumMessageSize: 1e9}}}"},
		{"cloudformation", "Resources: {Q: {Type: AWS::SQS::Queue, Properties: {Policy: \"~\", KmsMasterKeyId: \" \"}}}"},
		{"terraform-state", `{"version":4,"resources":[{"mode":"managed","type":"aws_sqs_queue","name":"a","instances":[{"attributes":{"name":"a","arn":"arn:aws:sqs:x y:123456789012:a","delay_seconds":1e9}}]}]}`},
		{"terraform-state", `{"version":4,"resources":[{"mode":"managed","type":"alicloud_mns_topic","name":"a","instances":[{"attributes":{"name":"null"}}]},
			{"mode":"managed","type":"alicloud_mns_topic_subscription","name":"s","instances":[{"attributes":{"topic_name":"null","name":"off","endpoint":"http://h/?a=1#b"}}]}]}`},
	} {
		f.Add(kindOf(seed.kind), []byte(seed.text))
	}
	f.Fuzz(func(t *testing.T, number uint8, text []byte) {
		kind := kinds[int(number)%len(kinds)]
		r, err := migration.Read(kind, text, nil)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := writeYAML(&out, configOf(r)); err != nil {
			t.Fatalf("%s %q cannot be printed: %v", kind, text, err)
		}
		if _, _, err := ran(t, "config", "check", "--config", writeConfig(t, out.String())); err != nil {
			t.Errorf("check of what was printed for %s %q = %v:\n%s", kind, text, err, out.String())
		}
	})
}
