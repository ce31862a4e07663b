package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
)

func environment(vars map[string]string) lookup {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sluice.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// settled runs what serve does before it serves.
func settled(t *testing.T, args []string, vars map[string]string) (settings, error) {
	t.Helper()
	c := serveCommand()
	if err := c.ParseFlags(args); err != nil {
		return settings{}, err
	}
	return settle(c, environment(vars))
}

func TestFlagWinsOverVariableOverFileOverDefault(t *testing.T) {
	file := writeConfig(t, "listen: file:1\ndata: file\nsync: always\nstrict: true\n")
	config := "--config=" + file
	for _, tt := range []struct {
		name   string
		args   []string
		vars   map[string]string
		listen string
		data   string
		sync   sluice.Sync
		strict bool
	}{
		{name: "defaults", listen: "127.0.0.1:9324", data: "./sluice-data", sync: sluice.SyncOS},
		{name: "file", args: []string{config}, listen: "file:1", data: "file", sync: sluice.SyncAlways, strict: true},
		{
			name: "file named by a variable", vars: map[string]string{"SLUICE_CONFIG": file},
			listen: "file:1", data: "file", sync: sluice.SyncAlways, strict: true,
		},
		{
			name: "variables over file", args: []string{config},
			vars:   map[string]string{"SLUICE_LISTEN": "env:1", "SLUICE_SYNC": "os", "SLUICE_STRICT": "false"},
			listen: "env:1", data: "file", sync: sluice.SyncOS,
		},
		{
			name: "flags over all", args: []string{config, "--listen=flag:1", "--data=flag", "--strict=false"},
			vars:   map[string]string{"SLUICE_LISTEN": "env:1", "SLUICE_DATA": "env", "SLUICE_STRICT": "1"},
			listen: "flag:1", data: "flag", sync: sluice.SyncAlways,
		},
		{
			name: "an empty variable is unset", args: []string{config}, vars: map[string]string{"SLUICE_LISTEN": ""},
			listen: "file:1", data: "file", sync: sluice.SyncAlways, strict: true,
		},
		{
			name: "several addresses", args: []string{"--listen=a:1", "--listen=https://b:2,3"}, vars: map[string]string{"SLUICE_LISTEN": "env:1"},
			listen: "a:1 https://b:2 3", data: "./sluice-data", sync: sluice.SyncOS,
		},
		{
			name: "several addresses of the file", args: []string{"--config=" + writeConfig(t, "listen: [a:1, 'b:2']\n")},
			listen: "a:1 b:2", data: "./sluice-data", sync: sluice.SyncOS,
		},
		{
			name: "several addresses of the variable", args: []string{config}, vars: map[string]string{"SLUICE_LISTEN": "a:1, b:2"},
			listen: "a:1 b:2", data: "file", sync: sluice.SyncAlways, strict: true,
		},
		{
			name: "a flag equal to the default still wins", args: []string{config, "--sync=os"},
			listen: "file:1", data: "file", sync: sluice.SyncOS, strict: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := settled(t, tt.args, tt.vars)
			if err != nil {
				t.Fatalf("settle() = %v", err)
			}
			got := []any{strings.Join(s.listen, " "), s.options.Data, s.options.Sync, s.options.Strict}
			if diff := cmp.Diff([]any{tt.listen, tt.data, tt.sync, tt.strict}, got); diff != "" {
				t.Errorf("listen, data, sync, strict (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryServeFlagHasAVariable(t *testing.T) {
	vars := map[string]string{
		"SLUICE_LISTEN": "h:1", "SLUICE_DATA": "d", "SLUICE_SYNC": "always", "SLUICE_STRICT": "true", "SLUICE_AUTH": "verify",
		"SLUICE_CONFIG": writeConfig(t, "credentials: []\n"), "SLUICE_TLS": "off", "SLUICE_TLS_CERT": "c", "SLUICE_TLS_KEY": "k",
		"SLUICE_QUEUE_URL_STYLE": "path", "SLUICE_LOG_FORMAT": "json", "SLUICE_LOG_REQUESTS": "true", "SLUICE_ACCOUNT_PER_KEY": "true",
		"SLUICE_ADMIN": "none", "SLUICE_ADMIN_TOKEN": "t",
	}
	s, err := settled(t, nil, vars)
	if err != nil {
		t.Fatal(err)
	}
	s.again, s.path, s.file = nil, "", nil
	want := settings{listen: []string{"h:1"}, security: security{mode: "off", cert: "c", key: "k"}, logs: logs{format: "json", requests: true}, admin: adminSettings{address: "none", asked: true, token: "t"}, options: sluice.Options{
		Data: "d", QueueURLs: sluice.QueueURLPath, AccountPerKey: true, Sync: sluice.SyncAlways, Strict: true, SQS: sluice.DefaultSQS, MNS: sluice.DefaultMNS, Credentials: map[string]sluice.Credential{},
	}}
	if diff := cmp.Diff(want, s, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("settle() (-want +got):\n%s", diff)
	}
}

func TestConfigHasEverySetting(t *testing.T) {
	s, err := settled(t, []string{"--config", writeConfig(t, `
listen: 0.0.0.0:9324
data: memory
sync: always
strict: yes
public-url: https://queues.example:8443/
sqs: {account: 000000000001, region: eu-west-1}
mns:
  account: 42
  region: cn-shanghai
  next-visible-time: microseconds
  push-hosts: [hooks.example, 192.0.2.1]
bridges:
  - {mns: 42/cn-shanghai, sqs: 000000000001/eu-west-1}
  - mns: 43/cn-beijing
    sqs: 123456789012/us-east-1
credentials:
  - {id: AK1, secret: s1}
  - {id: AK2, secret: s2, account: 000000000001, session-token: t}
limits:
  in-flight: 20
  body-budget: 1000
`)}, map[string]string{"SLUICE_STRICT": "true"})
	if err != nil {
		t.Fatal(err)
	}
	sqs, mns := sluice.Home{Account: "000000000001", Region: "eu-west-1"}, sluice.Home{Account: "42", Region: "cn-shanghai"}
	want := sluice.Options{
		Data: "memory", Sync: sluice.SyncAlways, Strict: true, PublicURL: "https://queues.example:8443",
		QueueURLs: sluice.QueueURLHost,
		SQS:       sqs, MNS: mns, MaxInFlight: 20, BodyBudget: 1000, MicrosecondVisibleTime: true,
		PushHosts: []string{"hooks.example", "192.0.2.1"},
		Credentials: map[string]sluice.Credential{
			"AK1": {Secret: "s1"}, "AK2": {Secret: "s2", Account: "000000000001", SessionToken: "t"},
		},
		Bridges: []sluice.Bridge{
			{MNS: mns, SQS: sqs},
			{MNS: sluice.Home{Account: "43", Region: "cn-beijing"}, SQS: sluice.Home{Account: "123456789012", Region: "us-east-1"}},
		},
	}
	if diff := cmp.Diff(want, s.options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}

func TestAuthDecidesWhetherCredentialsCount(t *testing.T) {
	const keys = "credentials: [{id: a, secret: b}]\n"
	for _, tt := range []struct {
		name, file string
		args       []string
		vars       map[string]string
		verifies   bool
	}{
		{name: "nothing", file: ""},
		{name: "off without credentials", file: "auth: off\n"},
		{name: "credentials alone", file: keys, verifies: true},
		{name: "both", file: "auth: verify\n" + keys, verifies: true},
		{name: "off in the file", file: "auth: off\n" + keys},
		{name: "off by the flag", file: "auth: verify\n" + keys, args: []string{"--auth=off"}},
		{name: "off by the variable", file: keys, vars: map[string]string{"SLUICE_AUTH": "off"}},
		{name: "the flag over all", file: "auth: off\n" + keys, args: []string{"--auth=verify"}, vars: map[string]string{"SLUICE_AUTH": "off"}, verifies: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := settled(t, append(tt.args, "--config="+writeConfig(t, tt.file)), tt.vars)
			if verifies := s.options.Credentials != nil; err != nil || verifies != tt.verifies {
				t.Errorf("verifies = %v (%v), want %v", verifies, err, tt.verifies)
			}
		})
	}
}

func TestConfigNamesResources(t *testing.T) {
	s, err := settled(t, []string{"--config", writeConfig(t, `
mns: {account: 42, region: cn-shanghai}
queues:
  - name: orders
    dead-letter: {queue: dead, max-receives: 3}
    tags: {team: shop, number: 007}
    delay: 0
    visibility: 90
    retention: 96h
    wait: 20s
    max-size: 65536
    tenant-rate: 10
  - {name: dead, namespace: mns}
  - {name: steps, namespace: 123456789012/eu-west-1, fifo: true, content-dedup: false}
topics:
  - {name: news, fifo: true}
  - {name: small, namespace: 43/cn-beijing, max-size: 1024}
subscriptions:
  - {topic: news, name: a, queue: orders, filter-tag: red, format: JSON}
  - {topic: news, name: b, endpoint: "http://localhost/x", strategy: EXPONENTIAL_DECAY_RETRY, dead-letter: dead}
`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := sluice.Resources{
		Queues: []sluice.Queue{
			{
				Name: "orders", DeadLetter: &sluice.DeadLetter{Queue: "dead", MaxReceives: 3}, Tags: map[string]string{"team": "shop", "number": "007"},
				Delay: new(time.Duration(0)), Visibility: new(90 * time.Second), Retention: new(96 * time.Hour), Wait: new(20 * time.Second), MaxSize: new(65536),
				TenantRate: new(10),
			},
			{Name: "dead", Namespace: sluice.Home{Account: "42", Region: "cn-shanghai"}},
			{Name: "steps", Namespace: sluice.Home{Account: "123456789012", Region: "eu-west-1"}, FIFO: true, ContentDedup: new(false)},
		},
		Topics: []sluice.Topic{{Name: "news", FIFO: true}, {Name: "small", Namespace: sluice.Home{Account: "43", Region: "cn-beijing"}, MaxSize: new(1024)}},
		Subscriptions: []sluice.Subscription{
			{Topic: "news", Name: "a", Queue: "orders", FilterTag: "red", Format: "JSON"},
			{Topic: "news", Name: "b", Endpoint: "http://localhost/x", Strategy: "EXPONENTIAL_DECAY_RETRY", DeadLetter: "dead"},
		},
	}
	if diff := cmp.Diff(want, s.options.Resources); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
}

func TestConfigLeavesOutIsNotZero(t *testing.T) {
	absent, err := settled(t, []string{"--config", writeConfig(t, "# nothing\n")}, nil)
	if err != nil || absent.options.Bridges != nil {
		t.Errorf("bridges of an empty file = %#v (%v), want nil: the default bridge", absent.options.Bridges, err)
	}
	if absent.options.Credentials != nil {
		t.Errorf("credentials of an empty file = %#v, want nil: signatures are not read", absent.options.Credentials)
	}
	closed, err := settled(t, []string{"--config", writeConfig(t, "credentials: []\n")}, nil)
	if err != nil || closed.options.Credentials == nil {
		t.Errorf("credentials: [] = %#v (%v), want an empty map: nobody may ask", closed.options.Credentials, err)
	}
	none, err := settled(t, []string{"--config", writeConfig(t, "bridges: []\n")}, nil)
	if err != nil || none.options.Bridges == nil || len(none.options.Bridges) != 0 {
		t.Errorf("bridges: [] = %#v (%v), want an empty list: no bridge", none.options.Bridges, err)
	}
}

func TestWrongSettingsAreToldInOneLine(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		args       []string
		vars       map[string]string
		want       string
	}{
		{name: "unknown setting", file: "data: x\nlissten: y\n", want: `sluice.yaml:2: unknown setting lissten, did you mean listen?`},
		{name: "unknown in a section", file: "sqs:\n  acount: 1\n", want: `sluice.yaml:2: unknown setting acount`},
		{name: "not YAML", file: "data: x\n  y: [\n", want: "sluice.yaml:2: "},
		{name: "list for a value", file: "data: [a]\n", want: "sluice.yaml:1: this is a list, want a single value"},
		{name: "section for a value", file: "bridges: x\n", want: "sluice.yaml:1: this is a single value, want a list"},
		{name: "section for a list", file: "queues:\n  a: {}\n", want: "sluice.yaml:2: this is a section, want a list"},
		{name: "sync", file: "\nsync: maybe\n", want: `sluice.yaml:2: sync is "maybe", want os|always`},
		{name: "strict", file: "strict: 3\n", want: `sluice.yaml:1: strict is "3", want true or false`},
		{name: "account", file: "sqs:\n  account: 12\n", want: `sluice.yaml:2: "12" is not an account of SQS, want 12 digits`},
		{name: "region", file: "mns:\n  region: A B\n", want: `sluice.yaml:2: "A B" is not a region of MNS`},
		{name: "unit", file: "mns: {next-visible-time: seconds}\n", want: "sluice.yaml:1: next-visible-time is \"seconds\""},
		{name: "bridge", file: "bridges:\n- mns: 1\n  sqs: 000000000000/r\n", want: `sluice.yaml:2: "" is not a region of MNS`},
		{name: "half a bridge", file: "bridges:\n- mns: 1/r\n", want: "sluice.yaml:2: a bridge needs both mns and sqs"},
		{name: "half a key", file: "credentials:\n- id: x\n", want: "sluice.yaml:2: a credential needs both id and secret"},
		{name: "key twice", file: "credentials:\n- {id: x, secret: a}\n- {id: x, secret: b}\n", want: "sluice.yaml:3: the access key x is there twice"},
		{name: "auth", file: "auth: on\n", want: `sluice.yaml:1: auth is "on", want off|verify`},
		{name: "tls", file: "tls: on\n", want: `sluice.yaml:1: tls is "on", want off|generated`},
		{name: "half a certificate", file: "tls-cert: x\n", want: "tls-cert and tls-key are needed both"},
		{name: "two certificates", args: []string{"--tls=generated", "--tls-cert=x", "--tls-key=y"}, want: "want one of the two"},
		{name: "address", file: "listen: [a:1, 'ftp://b:2']\n", want: `sluice.yaml:1: listen is "a:1,ftp://b:2", want [http(s)://]host:port`},
		{name: "port beyond", file: "data: x\nlisten: 65536\n", want: `sluice.yaml:2: listen is "65536", want [http(s)://]host:port`},
		{name: "control API without a port", file: "admin: 127.0.0.1\n", want: `admin is "127.0.0.1", want none or host:port`},
		{name: "control API nowhere", args: []string{"--admin="}, want: `admin is "", want none or host:port`},
		{name: "form of URLs", file: "queue-url-style: short\n", want: `sluice.yaml:1: queue-url-style is "short", want host|path|standard|domain`},
		{name: "auth without keys", args: []string{"--auth=verify"}, want: "auth is verify, but the configuration has no credentials"},
		{name: "unknown in a queue", file: "queues:\n- {name: q, colour: red}\n", want: "sluice.yaml:2: unknown setting colour"},
		{name: "namespace", file: "queues:\n- name: q\n  namespace: here\n", want: `sluice.yaml:3: namespace is "here", want sqs, mns or account/region`},
		{name: "fifo", file: "queues:\n- {name: q, fifo: perhaps}\n", want: `sluice.yaml:2: fifo is "perhaps", want true or false`},
		{name: "fifo topic", file: "topics:\n- {name: t, fifo: perhaps}\n", want: `sluice.yaml:2: fifo is "perhaps", want true or false`},
		{name: "tenant rate", file: "queues:\n- {name: q, tenant-rate: many}\n", want: `sluice.yaml:2: tenant-rate is "many", want a number`},
		{name: "duration", file: "queues:\n- {name: q, delay: 4 days}\n", want: `sluice.yaml:2: delay is "4 days", want seconds`},
		{name: "part of a second", file: "queues:\n- {name: q, delay: 1.5s}\n", want: `sluice.yaml:2: delay is "1.5s", want seconds`},
		{name: "duration beyond", file: "queues:\n- {name: q, delay: 99999999999999999}\n", want: "sluice.yaml:2: delay is"},
		{name: "receives", file: "queues:\n- {name: q, dead-letter: {queue: d, max-receives: x}}\n", want: `sluice.yaml:2: max-receives is "x", want a number`},
		{name: "body budget", file: "limits: {body-budget: -1}\n", want: "sluice.yaml:1: body-budget is \"-1\""},
		{name: "limit", file: "limits:\n  in-flight: 0\n", want: "sluice.yaml:2: in-flight is \"0\""},
		{name: "url with a password", file: "public-url: http://me:secret@host\n", want: "sluice.yaml:1: public-url names a user, which has no meaning there"},
		{name: "url", file: "public-url: host\n", want: "sluice.yaml:1: public-url is \"host\""},
		{name: "no file", args: []string{"--config=/nowhere/x.yaml"}, want: "cannot read the configuration: open /nowhere/x.yaml"},
		{name: "variable", vars: map[string]string{"SLUICE_STRICT": "perhaps"}, want: `SLUICE_STRICT is "perhaps", want true or false`},
		{name: "sync variable", vars: map[string]string{"SLUICE_SYNC": "x"}, want: `SLUICE_SYNC is "x", want os|always`},
		{name: "sync flag", args: []string{"--sync=x"}, want: "--sync"},
		{name: "no data", args: []string{"--data="}, want: "data is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := tt.args
			if tt.file != "" {
				args = append(args, "--config="+writeConfig(t, tt.file))
			}
			_, err := settled(t, args, tt.vars)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "main.") {
				t.Errorf("settle() = %v, want %q and no Go types", err, tt.want)
			}
		})
	}
}
