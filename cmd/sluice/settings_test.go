package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	return settle(c.Flags(), environment(vars))
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
			name: "a flag equal to the default still wins", args: []string{config, "--sync=os"},
			listen: "file:1", data: "file", sync: sluice.SyncOS, strict: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := settled(t, tt.args, tt.vars)
			if err != nil {
				t.Fatalf("settle() = %v", err)
			}
			got := []any{s.listen, s.options.Data, s.options.Sync, s.options.Strict}
			if diff := cmp.Diff([]any{tt.listen, tt.data, tt.sync, tt.strict}, got); diff != "" {
				t.Errorf("listen, data, sync, strict (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryServeFlagHasAVariable(t *testing.T) {
	vars := map[string]string{
		"SLUICE_LISTEN": "h:1", "SLUICE_DATA": "d", "SLUICE_SYNC": "always", "SLUICE_STRICT": "true",
	}
	s, err := settled(t, nil, vars)
	if err != nil {
		t.Fatal(err)
	}
	want := settings{listen: "h:1", options: sluice.Options{Data: "d", Sync: sluice.SyncAlways, Strict: true}}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(settings{})); diff != "" {
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
bridges:
  - {mns: 42/cn-shanghai, sqs: 000000000001/eu-west-1}
  - mns: 43/cn-beijing
    sqs: 123456789012/us-east-1
limits:
  in-flight: 20
`)}, map[string]string{"SLUICE_STRICT": "true"})
	if err != nil {
		t.Fatal(err)
	}
	sqs, mns := sluice.Home{Account: "000000000001", Region: "eu-west-1"}, sluice.Home{Account: "42", Region: "cn-shanghai"}
	want := sluice.Options{
		Data: "memory", Sync: sluice.SyncAlways, Strict: true, PublicURL: "https://queues.example:8443",
		SQS: sqs, MNS: mns, MaxInFlight: 20, MicrosecondVisibleTime: true,
		Bridges: []sluice.Bridge{
			{MNS: mns, SQS: sqs},
			{MNS: sluice.Home{Account: "43", Region: "cn-beijing"}, SQS: sluice.Home{Account: "123456789012", Region: "us-east-1"}},
		},
	}
	if diff := cmp.Diff(want, s.options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}

func TestConfigLeavesOutIsNotZero(t *testing.T) {
	absent, err := settled(t, []string{"--config", writeConfig(t, "# nothing\n")}, nil)
	if err != nil || absent.options.Bridges != nil {
		t.Errorf("bridges of an empty file = %#v (%v), want nil: the default bridge", absent.options.Bridges, err)
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
		{name: "unknown setting", file: "data: x\nlissten: y\n", want: `sluice.yaml: line 2: unknown setting lissten`},
		{name: "unknown in a section", file: "sqs:\n  acount: 1\n", want: `sluice.yaml: line 2: unknown setting acount`},
		{name: "not YAML", file: "data: x\n  y: [\n", want: "sluice.yaml: line 2: "},
		{name: "list for a value", file: "data: [a]\n", want: "sluice.yaml: line 1: want a single value"},
		{name: "section for a value", file: "bridges: x\n", want: "sluice.yaml: line 1: cannot unmarshal"},
		{name: "sync", file: "\nsync: maybe\n", want: `sluice.yaml: line 2: sync is "maybe", want os|always`},
		{name: "strict", file: "strict: 3\n", want: `sluice.yaml: line 1: strict is "3", want bool`},
		{name: "account", file: "sqs:\n  account: 12\n", want: `sluice.yaml: line 2: "12" is not an account of SQS, want 12 digits`},
		{name: "region", file: "mns:\n  region: A B\n", want: `sluice.yaml: line 2: "A B" is not a region of MNS`},
		{name: "unit", file: "mns: {next-visible-time: seconds}\n", want: "line 1: next-visible-time is \"seconds\""},
		{name: "bridge", file: "bridges:\n- mns: 1\n  sqs: 000000000000/r\n", want: `line 2: "" is not a region of MNS`},
		{name: "half a bridge", file: "bridges:\n- mns: 1/r\n", want: "entry 1 needs both mns and sqs"},
		{name: "limit", file: "limits:\n  in-flight: 0\n", want: "line 2: in-flight is \"0\""},
		{name: "url", file: "public-url: host\n", want: "line 1: public-url is \"host\""},
		{name: "no file", args: []string{"--config=/nowhere/x.yaml"}, want: "cannot read the configuration: open /nowhere/x.yaml"},
		{name: "variable", vars: map[string]string{"SLUICE_STRICT": "perhaps"}, want: `SLUICE_STRICT is "perhaps", want bool`},
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
