package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadmeHasEveryFlagOfServe(t *testing.T) {
	text, c := readme(t), serveCommand()
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		for _, want := range []string{"`--" + flag.Name + "`", "`" + variable(c, flag) + "`"} {
			if !strings.Contains(text, want) {
				t.Errorf("the README lacks %s", want)
			}
		}
	})
}

// The table says of each setting what SIGHUP does with it, and of those that wait that they do.
func TestReadmeSaysWhatAReloadChanges(t *testing.T) {
	_, table, ok := strings.Cut(readme(t), "| setting | on SIGHUP |\n| --- | --- |\n")
	table, _, ok2 := strings.Cut(table, "\n\n")
	if !ok || !ok2 {
		t.Fatal("the README has no table of what a reload changes")
	}
	var all, waiting []string
	for line := range strings.Lines(table) {
		cells := strings.SplitN(line, "|", 4)
		var names []string
		for _, name := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cells[1], -1) {
			names = append(names, name[1])
		}
		all = append(all, names...)
		if strings.Contains(cells[2], "wait for the next start") {
			waiting = names
		}
	}
	known := settingsOf(reflect.TypeFor[config]())
	for name := range known {
		if !slices.Contains(all, name) {
			t.Errorf("the table lacks %s", name)
		}
	}
	for _, name := range all {
		if known[name] == nil && name != "push-hosts" && name != "next-visible-time" && name != "body-budget" {
			t.Errorf("the table has %s, which is no setting", name)
		}
	}
	others := map[string]string{ // a file with another value, and the name in the log
		"data": "", "sync": "sync: always", "tls": "tls: generated", "tls-cert": "", "tls-key": "", "admin": "admin: 1",
		"admin-token": "admin-token: x", "admin-hosts": "admin-hosts: x", "push-hosts": "mns: {push-hosts: x}", "log-format": "log-format: json",
		"log-requests": "log-requests: true", "body-budget": "",
	}
	slices.Sort(waiting)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(others)), waiting); diff != "" {
		t.Errorf("settings that wait (-want +got):\n%s", diff)
	}
	for name, file := range others {
		if file == "" { // flags of the tests say it, it is another name for tls, or it means nothing in memory
			continue
		}
		t.Setenv("SLUICE_ADMIN", "")
		_, reload := reloading(t, "{}\n")
		if log := reload(file + "\n"); !strings.Contains(log, "wait for the next start") || !strings.Contains(log, strings.TrimSuffix(name, "-token")) {
			t.Errorf("reload of %q: %s, want that %s waits", file, log, name)
		}
	}
}
