package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ran runs sluice and returns what it printed.
func ran(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = run(t.Context(), args, &out, &errs)
	return out.String(), errs.String(), err
}

func TestConfigCheck(t *testing.T) {
	good := writeConfig(t, "queues: [{name: a, dead-letter: {queue: b, max-receives: 1}}, {name: b}]\n")
	if out, _, err := ran(t, "config", "check", "--config", good); err != nil || out != good+": ok\n" {
		t.Errorf("check of a good file = %q, %v", out, err)
	}
	if out, _, err := ran(t, "config", "check"); err != nil || out != "settings: ok\n" {
		t.Errorf("check without a file = %q, %v", out, err)
	}
	for _, tt := range []struct{ file, want string }{
		{"colour: red\n", "sluice.yaml:1: unknown setting colour"},
		{"queues: [{name: b, delay: 8d}]\n", "sluice.yaml:1: delay is"},
		{"queues:\n- name: b\n- {name: c, delay: 999999}\n", "sluice.yaml:3: queue c: delay is"},
		{"topics:\n- {name: t, max-size: 1}\n", "sluice.yaml:2: topic t: max-size is 1"},
		{"topics:\n- {name: t}\nsubscriptions:\n- topic: t\n  name: s\n  queue: q\n  format: x\n", "sluice.yaml:5: subscription s of topic t: "},
		{"queues:\n- namespace: sqs\n", "sluice.yaml:2: queue : "},
		{"queues: [{name: a, dead-letter: {queue: b, max-receives: 1}}]\n", "sluice.yaml:1: queue a: its dead-letter queue b does not exist"},
		{"queues: [{name: a, attributes: {Policy: x}}]\n", "queue a: InvalidAttributeValue"},
		{"queues: [{name: a, attributes: {Colour: x}}]\n", `queue a: "Colour" is not one of`},
		{"tls-cert: /nowhere/c\ntls-key: /nowhere/k\n", "certificate /nowhere/c"},
		{"faults: [{name: a, kind: nonsense}]\n", "nonsense"},
	} {
		path := writeConfig(t, tt.file)
		out, told, err := ran(t, "config", "check", "--config", path)
		if err == nil || err.Error() != path+": 1 error" || out != "" || !strings.Contains(told, tt.want) || strings.Count(told, "\n") != 1 {
			t.Errorf("check of %q = %q, %q, %v, want %q alone", tt.file, out, told, err, tt.want)
		}
	}
}

func TestConfigCheckWarnsOfPoliciesThatAreNotUnderstood(t *testing.T) {
	path := writeConfig(t, `
credentials:
- id: WORKER
  secret: s
  policy: {Version: "1", Statement: {Effect: Allow, Action: "mns:*", Resource: "*", Condition: {BinaryEquals: {x: "1"}}}}
- {id: OTHER, secret: s, policy: {Version: "1", Statement: {Effect: Allow, Action: "*", Resource: "*"}}}
queues:
- name: orders
  attributes:
    Policy: {Statement: {Effect: Allow, Principal: "*", Action: "*", Condition: {DateEquals: {"aws:CurrentTime": soon}}}}
`)
	out, told, err := ran(t, "config", "check", "--config", path)
	want := []string{
		`warning: access key WORKER: the policy has BinaryEquals, which is not understood`,
		`warning: queue orders: the policy has DateEquals "soon", which is not understood`,
	}
	if err != nil || out != path+": ok\n" || strings.Count(told, "\n") != len(want) {
		t.Errorf("check = %q, %q, %v, want two warnings", out, told, err)
	}
	for _, line := range want {
		if !strings.Contains(told, line) {
			t.Errorf("told %q, want %q", told, line)
		}
	}
}

// Everything is told at once, in the order of the file, but for what comes of something else that is told.
func TestConfigCheckTellsEverythingAtOnce(t *testing.T) {
	path := writeConfig(t, `sync: maybe
colour: red
listen: {a: 1}
data: x
data: y
sqs: {account: 1, region: "A B"}
limits: {in-flight: none}
public-url: host
bridges:
- mns: 1/r
- {mns: 1/r, sqs: 000000000000/us-east-1}
- {mns: 2/r, sqs: 000000000000/us-east-1}
credentials:
- {id: a}
- {id: b, secret: s, policy: {a: 1, a: 2}}
- nobody
faults:
- {name: f, kind: fire}
- {name: g, kind: throttle}
- {name: g, kind: throttle}
queues:
- {name: a, delay: soon, wait: 31s, dead-letter: {queue: a b, max-receives: many}}
- {name: [b], visibility: 99h}
- {name: c, delay: 8888888}
- {name: d, dead-letter: {queue: c, max-receives: 1}}
- {name: d}
-
- {name: f, tags: [x]}
topics: {}
subscriptions:
- {topic: t, name: s, queue: d}
`)
	want := []string{
		`"also" is "perhaps"`,
		`:1: sync is "maybe", want os|always`,
		`:2: unknown setting colour`,
		`:3: this is a section, want a list`,
		`:5: data is there twice, first in line 4`,
		`:6: "1" is not an account of SQS, want 12 digits`,
		`:6: "A B" is not a region of SQS`,
		`:7: in-flight is "none", want a number of at least 1`,
		`:8: public-url is "host", want http:// or https:// and a host`,
		`:10: a bridge needs both mns and sqs, each as account/region`,
		`:12: one of the two is in another bridge already`,
		`:14: a credential needs both id and secret`,
		`:15: mapping key "a" already defined at line 15`,
		`:16: this is a single value, want a section`,
		`:18: fault "f": kind is "fire", want throttle, error, over-limit, lost-answer, latency, drop, duplicate or reorder`,
		`:20: fault "g": name is that of another rule as well`,
		`:22: delay is "soon", want seconds, as in 90, 90s or 1m30s`,
		`:22: max-receives is "many", want a number`,
		`:23: this is a list, want a single value`,
		`:24: queue c: delay is 2469h8m8s, want 0s to 168h0m0s`,
		`:26: queue d: it is there twice`,
		`:27: there is nothing in this place of the list`,
		`:28: this is a list, want a section`,
		`:29: this is a section, want a list`,
		`:31: subscription s of topic t: there is no such topic`,
	}
	for i := range want {
		want[i] = path + want[i]
	}
	want[0] = `SLUICE_STRICT is "perhaps", want true or false`
	t.Setenv("SLUICE_STRICT", "perhaps")
	out, told, err := ran(t, "config", "check", "--config", path)
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(told), "\n")); diff != "" {
		t.Errorf("check (-want +got):\n%s", diff)
	}
	if err == nil || err.Error() != path+": 25 errors" || out != "" {
		t.Errorf("check = %q, %v, want the number of errors", out, err)
	}
	_, _, err = ran(t, "serve", "--config", path)
	if got := err.Error(); strings.Contains(got, "\n") || !strings.HasPrefix(got, want[0]+"; "+want[1]+"; ") || !strings.HasSuffix(got, "; and 12 more, see sluice config check") {
		t.Errorf("serve = %q, want as much in one line", got)
	}
}

func TestConfigShowTellsWhereSettingsComeFrom(t *testing.T) {
	path := writeConfig(t, `data: memory
listen: [127.0.0.1:1, 127.0.0.1:2]
sync: always
sqs: {region: eu-west-1}
credentials: [{id: a, secret: hush, session-token: hush}]
queues:
- {name: q, visibility: 5m, tags: {x: "007"}, attributes: {Policy: {Statement: {Effect: Allow, Principal: "*", Action: "*"}}}}
`)
	t.Setenv("SLUICE_STRICT", "true")
	t.Setenv("SLUICE_DATA", "env")
	out, _, err := ran(t, "config", "show", "--config", path, "--data=flag")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"data: flag # --data\n", "strict: true # SLUICE_STRICT\n", "sync: always # " + path + ", line 3\n",
		"listen: ['127.0.0.1:1', '127.0.0.1:2'] # " + path + ", line 2\n", "queue-url-style: host # default\n",
		"  account: \"000000000000\" # default\n", "  region: eu-west-1\n", "sqs: 000000000000/eu-west-1 # default\n",
		"    visibility: 5m\n", "x: \"007\"\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("show lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "hush") || strings.Count(out, masked) != 2 {
		t.Errorf("show tells secrets:\n%s", out)
	}
	again := writeConfig(t, out)
	t.Setenv("SLUICE_STRICT", "")
	t.Setenv("SLUICE_DATA", "")
	if out, _, err := ran(t, "config", "check", "--config", again); err != nil {
		t.Errorf("what show prints is not a file of its own: %s, %v", out, err)
	}
}

func TestConfigShowOfNothing(t *testing.T) {
	out, _, err := ran(t, "config", "show")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"listen: 127.0.0.1:9324 # default\n", "auth: off # default\n", "tls: off # default\n", "sqs: 000000000000/us-east-1 # default"} {
		if !strings.Contains(out, want) {
			t.Errorf("show lacks %q:\n%s", want, out)
		}
	}
}

// The example of the README is complete and right, with what is commented out as well.
func TestReadmeShowsARightFile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(text), "All that a configuration file can say")
	_, example, ok2 := strings.Cut(example, "```yaml\n")
	example, _, ok3 := strings.Cut(example, "```")
	if !ok || !ok2 || !ok3 {
		t.Fatal("the README has no example")
	}
	example = strings.ReplaceAll("\n"+example, "\n# ", "\n")
	for _, setting := range []string{"tls-cert", "tls-key", "auth", "tls"} {
		example = strings.ReplaceAll(example, "\n"+setting+":", "\n# "+setting+":") // the files are not there, or it is off
	}
	if _, _, err := ran(t, "config", "check", "--config", writeConfig(t, example)); err != nil {
		t.Errorf("the example of the README = %v:\n%s", err, example)
	}
}

func TestImportPrintsAFileThatIsAccepted(t *testing.T) {
	for kind, file := range map[string]string{
		"elasticmq": "elasticmq.conf", "goaws": "goaws.yaml", "cloudformation": "stack.yaml", "terraform-state": "terraform.tfstate",
	} {
		t.Run(kind, func(t *testing.T) {
			path := filepath.Join("internal", "migration", "testdata", file)
			out, warnings, err := ran(t, "import", "--from", kind, path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(warnings) {
				if !strings.HasPrefix(line, "warning: "+path+": ") {
					t.Errorf("warning %q does not name the file", line)
				}
			}
			if _, _, err := ran(t, "config", "check", "--config", writeConfig(t, out)); err != nil {
				t.Errorf("check of what was printed = %v:\n%s", err, out)
			}
		})
	}
}

func TestImportWritesOnlyWhatTheFileSays(t *testing.T) {
	path := writeConfig(t, `rest-sqs.bind-port = 4000
aws.accountId = 000000000123
queues {
  steps { fifo = true, contentBasedDeduplication = false, delay = 90s, receiveMessageWait = 2 hours }
  dead { tags { empty = "", number = "007", "yes" = "no" } }
  q { deadLettersQueue { name = dead, maxReceiveCount = 3 } }
}
`)
	out, warnings, err := ran(t, "import", "--from=elasticmq", path)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out, "\n")
	want := `listen: 0.0.0.0:4000
data: memory
sqs:
  account: "000000000123"
  region: us-east-1
queues:
  - name: steps.fifo
    fifo: true
    content-dedup: false
    delay: 90s
  - name: dead
    tags:
      empty: ""
      number: "007"
      "yes": no
  - name: q
    dead-letter:
      queue: dead
      max-receives: 3
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	if !strings.Contains(warnings, "wait is 2h0m0s") {
		t.Errorf("warnings = %q, want one for the wait that is too long", warnings)
	}
}

func TestImportSaysWhatIsWrong(t *testing.T) {
	path := writeConfig(t, "queues { a { delay = ${X} } }")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"import", "--from=elasticmq", path}, "sluice.yaml: line 1: substitutions such as ${X}"},
		{[]string{"import", "--from=rabbit", path}, `invalid argument "rabbit" for "--from" flag: want cloudformation|elasticmq`},
		{[]string{"import", path}, `required flag(s) "from" not set`},
		{[]string{"import", "--from=elasticmq"}, "sluice import takes one FILE, and 0 were given"},
		{[]string{"import", "--from=elasticmq", "/nowhere"}, "no such file"},
		{[]string{"import", "--from=cloudformation", path, "--value", "Stage"}, `--value is "Stage", want NAME=VALUE`},
	} {
		if out, _, err := ran(t, tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) || out != "" {
			t.Errorf("sluice %q = %q, %v, want %q", tt.args, out, err, tt.want)
		}
	}
}

func TestWhatThereIsNotIsAnError(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"nonsense"}, `unknown command "nonsense" for "sluice"`},
		{[]string{"config", "chek"}, `unknown command "chek" for "sluice config"`},
		{[]string{"conformance", "nonsense"}, `unknown command "nonsense" for "sluice conformance"`},
		{[]string{"serve", "--nope"}, "unknown flag: --nope"},
		{[]string{"peek"}, "sluice peek takes one QUEUE, and 0 were given"},
	} {
		if out, _, err := ran(t, tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) || out != "" {
			t.Errorf("sluice %q = %q, %v, want %q", tt.args, out, err, tt.want)
		}
	}
}

func TestCommandsOfCommandsPrintTheirHelp(t *testing.T) {
	for _, name := range []string{"config", "conformance"} {
		if out, _, err := ran(t, name); err != nil || !strings.Contains(out, "Available Commands:") {
			t.Errorf("sluice %s = %q, %v, want its help", name, out, err)
		}
	}
}

func TestImportRefusesParametersThatAreNotThere(t *testing.T) {
	path := writeConfig(t, "Parameters: {Stage: {Type: String}}\nResources: {Q: {Type: AWS::SQS::Queue}}\n")
	for value, want := range map[string]string{"Stge=test": "there is no parameter Stge", "Stage=test": "", "Stage=a,b=c": "", "AWS::Region=eu-west-1": ""} {
		_, _, err := ran(t, "import", "--from=cloudformation", path, "--value", value)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("import --value %s = %v, want %q", value, err, want)
		}
	}
}

func TestImportNamesAFileThatIsNotOfGoAWS(t *testing.T) {
	path := writeConfig(t, "include file\nx\n")
	if _, _, err := ran(t, "import", "--from=goaws", path); err == nil || !strings.Contains(err.Error(), "this is no goaws.yaml") {
		t.Errorf("import = %v, want that it is no goaws.yaml", err)
	}
}

func TestTextsSurviveBeingWritten(t *testing.T) {
	for _, value := range []string{"", "~", "null", "true", "007", "0", "1e3", "a: b", "#x", "2026-11-30", " x ", "'", "\"", "line\nline", "é", "-", "[a]", "*"} {
		c := config{Resources: resources{Queues: []queueText{{Tags: map[string]text{"t": {value: value}}}}}}
		var out bytes.Buffer
		if err := writeYAML(&out, &c); err != nil {
			t.Fatal(err)
		}
		read := readConfig(writeConfig(t, out.String()))
		if err := read.problems.err(); err != nil {
			t.Fatalf("%q: %v", out.String(), err)
		}
		if got := read.Resources.Queues[0].Tags["t"].value; got != value {
			t.Errorf("%q is read as %q from %q", value, got, out.String())
		}
	}
}

func TestEnvPrintsForEachShell(t *testing.T) {
	config := writeConfig(t, "sqs: {region: eu-west-1}\ncredentials: [{id: \"it's\", secret: 'a\\b'}]\n")
	for shell, want := range map[string][]string{
		"sh":         {"export AWS_ACCESS_KEY_ID='it'\\''s'\n", "export AWS_ENDPOINT_URL='http://127.0.0.1:1'\n", "export AWS_REGION='eu-west-1'\n", "export MNS_ENDPOINT='http://127.0.0.1:1'\n"},
		"fish":       {"set -gx AWS_ACCESS_KEY_ID 'it\\'s'\n", "set -gx AWS_SECRET_ACCESS_KEY 'a\\\\b'\n"},
		"powershell": {"$env:AWS_ACCESS_KEY_ID = 'it''s'\n", "$env:AWS_ENDPOINT_URL_SQS = 'http://127.0.0.1:1'\n"},
	} {
		out, warnings, err := ran(t, "env", "--shell", shell, "--url", "127.0.0.1:1/", "--config", config)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("env for %s lacks %q:\n%s", shell, w, out)
			}
		}
		if !strings.Contains(warnings, "not ready") {
			t.Errorf("warnings = %q, want that nobody is there", warnings)
		}
	}
	if err := run(t.Context(), []string{"env", "--shell=cmd"}, io.Discard, io.Discard); err == nil {
		t.Error("env for an unknown shell succeeded")
	}
}

func TestEnvOfARunningServer(t *testing.T) {
	p := start(t, "--data=memory")
	out, warnings, err := ran(t, "env", "--url", p.url, "--only-sqs")
	if err != nil || warnings != "" {
		t.Errorf("env = %v, warnings %q, want none", err, warnings)
	}
	if strings.Contains(out, "AWS_ENDPOINT_URL=") || !strings.Contains(out, "export AWS_ENDPOINT_URL_SQS='"+p.url+"'\n") || strings.Contains(out, "TOKEN") {
		t.Errorf("env = %s, want the address for SQS alone and no token", out)
	}
}
