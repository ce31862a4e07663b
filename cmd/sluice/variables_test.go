package main

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// eachFlag walks all flags of all commands that help shows.
func eachFlag(t *testing.T, visit func(c *cobra.Command, flag *pflag.Flag)) {
	t.Helper()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden && flag.Name != "help" && flag.Name != "version" {
				visit(c, flag)
			}
		})
		for _, below := range c.Commands() {
			if !below.Hidden {
				walk(below)
			}
		}
	}
	walk(newRoot())
}

// example is a value that a flag takes, other than its default.
func example(flag *pflag.Flag) string {
	switch kind := flag.Value.Type(); {
	case kind == "bool" && flag.DefValue == "true":
		return "false"
	case kind == "bool":
		return "true"
	case kind == "int" || kind == "int64" || kind == "intSlice" || strings.HasPrefix(kind, "[http"):
		return "17"
	case kind == "duration":
		return "17s"
	case strings.Contains(kind, "|"):
		values := strings.Split(kind, "|")
		if values[0] == flag.DefValue {
			return values[1]
		}
		return values[0]
	}
	return "x=y"
}

// Whatever a command does, its variables are read before, and help names them.
func TestEveryFlagOfEveryCommandHasAVariable(t *testing.T) {
	count := 0
	eachFlag(t, func(c *cobra.Command, flag *pflag.Flag) {
		count++
		name, want := variable(c, flag), example(flag)
		vars := map[string]string{name: want}
		given := flag.Value.String()
		if wrong := fromEnvironment(c, environment(vars)); wrong.err() != nil {
			t.Errorf("%s --%s: %v", c.CommandPath(), flag.Name, wrong)
		}
		if got := flag.Value.String(); got == given || !strings.Contains(got, want) {
			t.Errorf("%s --%s with %s=%s is %q, want that", c.CommandPath(), flag.Name, name, want, got)
		}
		if help := c.Flags().FlagUsages(); !strings.Contains(help, "["+name+"]") {
			t.Errorf("the help of %s does not name %s:\n%s", c.CommandPath(), name, help)
		}
	})
	if count < 60 {
		t.Errorf("there are %d flags, want all of all commands", count)
	}
}

// The mechanism is the root's, so that a new command has it: it is at work in each, whatever comes of it.
func TestEveryCommandReadsItsVariables(t *testing.T) {
	eachFlag(t, func(c *cobra.Command, flag *pflag.Flag) {
		if strings.Contains(example(flag), "=") {
			return // it takes any text
		}
		name := variable(c, flag)
		t.Run(c.CommandPath()+" "+name, func(t *testing.T) {
			t.Setenv(name, "?")
			args := strings.Fields(c.CommandPath())[1:]
			if strings.Contains(c.Use, "QUEUE") || strings.Contains(c.Use, "MESSAGE") || strings.Contains(c.Use, "FILE") {
				args = append(args, "x")
			}
			_, told, err := ran(t, args...)
			if err == nil || !strings.Contains(told+err.Error(), name+` is "?", want `) {
				t.Errorf("sluice %v with %s=? = %v, %q, want that it is wrong", args, name, err, told)
			}
		})
	})
}

// A variable that two commands read says the same to both.
func TestVariablesMeanOneThing(t *testing.T) {
	shared := map[string]bool{ // whose words differ by where they are read
		"SLUICE_ADMIN": true, "SLUICE_ADMIN_TOKEN": true, "SLUICE_CONFIG": true, "SLUICE_URL": true, "SLUICE_CA": true,
	}
	type use struct{ command, kind, usage string }
	first := map[string]use{}
	eachFlag(t, func(c *cobra.Command, flag *pflag.Flag) {
		name := variable(c, flag)
		this := use{c.CommandPath(), flag.Value.Type(), flag.Usage}
		if other, known := first[name]; known && !shared[name] && (other.kind != this.kind || other.usage != this.usage) {
			t.Errorf("%s is a flag of %s (%s, %q) and of %s (%s, %q)", name, other.command, other.kind, other.usage, this.command, this.kind, this.usage)
		}
		first[name] = this
	})
}

func TestVariablesOfToolsHaveTheirName(t *testing.T) {
	for command, want := range map[string]string{
		"serve --data": "SLUICE_DATA", "env --shell": "SLUICE_SHELL", "peek --limit": "SLUICE_LIMIT", "tail --token": "SLUICE_ADMIN_TOKEN",
		"bench --data": "SLUICE_BENCH_DATA", "record --listen": "SLUICE_RECORD_LISTEN", "import --from": "SLUICE_IMPORT_FROM",
		"conformance run --max-wait": "SLUICE_CONFORMANCE_MAX_WAIT", "config show --queue-url-style": "SLUICE_QUEUE_URL_STYLE",
	} {
		path, flag, _ := strings.Cut(command, " --")
		c, _, err := newRoot().Find(strings.Fields(path))
		if err != nil {
			t.Fatal(err)
		}
		if got := variable(c, c.Flags().Lookup(flag)); got != want {
			t.Errorf("the variable of %s is %s, want %s", command, got, want)
		}
	}
}

func TestEnvReadsItsShellFromTheEnvironment(t *testing.T) {
	t.Setenv("SLUICE_SHELL", "fish")
	out, _, err := ran(t, "env", "--url=127.0.0.1:1")
	if err != nil || !strings.Contains(out, "set -gx SLUICE_URL 'http://127.0.0.1:1'\n") {
		t.Errorf("env with SLUICE_SHELL=fish = %q, %v, want lines of fish", out, err)
	}
}

func TestMisspeltVariablesAreFound(t *testing.T) {
	got := strangers(newRoot(), []string{
		"PATH=x", "SLUICE_DATA=x", "SLUICE_LISTNE=x", "SLUICE_ADMINTOKEN=x", "SLUICE_DATA_DIR=x", "SLUICE_IMAGE=x", "SLUICE_EMPTY=", "SLUICE_JSON=x",
		"SLUICE_BENCH_DATA=x", "SLUICE_BINARY=x", "SLUICE_SERVICE_HOST=10.0.0.1", "SLUICE_SERVICE_PORT_HTTP=1", "SLUICE_PORT=tcp://10.0.0.1:9324",
		"SLUICE_PORT_9324_TCP_ADDR=x", "SLUICE_ADMIN_PORT_9325_TCP=x", "SLUICE_" + strings.Repeat("A", 1<<16) + "=x",
	})
	want := []stranger{
		{"SLUICE_" + strings.Repeat("A", 1<<16), ""},
		{"SLUICE_ADMINTOKEN", "SLUICE_ADMIN_TOKEN"},
		{"SLUICE_DATA_DIR", "SLUICE_DATA"},
		{"SLUICE_IMAGE", ""},
		{"SLUICE_LISTNE", "SLUICE_LISTEN"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(stranger{})); diff != "" {
		t.Errorf("strangers (-want +got):\n%s", diff)
	}
	var log bytes.Buffer
	warn(slog.New(slog.NewTextHandler(&log, nil)), got[4:])
	if want := `level=WARN msg="SLUICE_LISTNE is no variable of Sluice, did you mean SLUICE_LISTEN?"`; !strings.Contains(log.String(), want) {
		t.Errorf("log = %s, want %s", &log, want)
	}
}

func TestServeWarnsOfAMisspeltVariableAndCheckRefusesIt(t *testing.T) {
	t.Setenv("SLUICE_STICT", "true")
	t.Setenv("SLUICE_IMAGE", "x")
	p := start(t, "--data=memory")
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	for _, want := range []string{"SLUICE_STICT is no variable of Sluice, did you mean SLUICE_STRICT?", "SLUICE_IMAGE is no variable of Sluice"} {
		if got := p.stderr.String(); !strings.Contains(got, want) {
			t.Errorf("stderr = %q, want %q", got, want)
		}
	}
	_, told, err := ran(t, "config", "check")
	if want := "warning: SLUICE_IMAGE is no variable of Sluice\nSLUICE_STICT is no variable of Sluice, did you mean SLUICE_STRICT?\n"; err == nil || told != want {
		t.Errorf("check = %q, %v, want %q", told, err, want)
	}
	t.Setenv("SLUICE_STICT", "")
	if out, _, err := ran(t, "config", "check"); err != nil || out != "settings: ok\n" {
		t.Errorf("check with a variable that may be anybody's = %q, %v, want ok", out, err)
	}
}
