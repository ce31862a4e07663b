package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// commands are those that the first stage of the real Dockerfile runs.
func commands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	all, err := stages(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range all[0].Commands {
		if run, ok := c.(*instructions.RunCommand); ok {
			lines = append(lines, strings.Join(run.CmdLine, " "))
		}
	}
	return lines
}

func TestDockerfileSaysWhatContainersNeed(t *testing.T) {
	c, err := describe("../..")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d:%d", owner, owner); c.User != want {
		t.Errorf("User = %q, want %q, whom /data belongs to", c.User, want)
	}
	if !slices.Equal(c.Entrypoint, []string{"/sluice"}) || !slices.Equal(c.Cmd, []string{"serve"}) {
		t.Errorf("Entrypoint, Cmd = %q, %q, want /sluice, serve", c.Entrypoint, c.Cmd)
	}
	if !slices.Contains(c.Env, "SLUICE_DATA=/data") || !slices.Contains(c.Env, "SLUICE_LISTEN=0.0.0.0:9324") {
		t.Errorf("Env = %q, want the volume and all addresses", c.Env)
	}
	if _, ok := c.Volumes["/data"]; !ok {
		t.Errorf("Volumes = %v, want /data", c.Volumes)
	}
	if ports := slices.Sorted(maps.Keys(c.ExposedPorts)); !slices.Equal(ports, []string{"9324/tcp", "9325/tcp"}) {
		t.Errorf("ExposedPorts = %q, want both", ports)
	}
	if h := c.Healthcheck; h == nil || !slices.Equal(h.Test, []string{"CMD", "/sluice", "health"}) || h.Interval != 5*time.Second {
		t.Errorf("Healthcheck = %+v, want sluice health every 5 s", h)
	}
	if got := c.Labels["org.opencontainers.image.licenses"]; got != "Apache-2.0" {
		t.Errorf("label licenses = %q, want Apache-2.0, without quotes", got)
	}
}

func TestDockerfileBuildsWithTheFlagsOfReleases(t *testing.T) {
	want := "go build " + strings.Join(buildFlags, " ") + " -o /out/sluice ./cmd/sluice"
	for _, line := range commands(t) {
		if strings.HasSuffix(strings.ReplaceAll(line, "'", ""), want) {
			return
		}
	}
	t.Errorf("the Dockerfile runs %q, want %q among them", commands(t), want)
}

// TestTreeIsThatOfTheDockerfile makes the directories by the Dockerfile's own command, in another place, and compares names,
// modes and owners with those of the layer.
func TestTreeIsThatOfTheDockerfile(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory to somebody else")
	}
	root := t.TempDir()
	lines := commands(t)
	command := strings.ReplaceAll(lines[len(lines)-1], "/out", root)
	command = strings.Replace(command, "cp /etc/ssl/certs/ca-certificates.crt", "cp /dev/null", 1) // whether there are any here
	command = strings.Replace(command, "certs/ &&", "certs/ca-certificates.crt &&", 1)
	if out, err := exec.Command("sh", "-c", "umask 022; "+command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	if err := os.WriteFile(filepath.Join(root, "sluice"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	got, want := layerTree(t), diskTree(t, root)
	if !maps.Equal(got, want) {
		t.Errorf("the layer has %v, the Dockerfile's tree %v", got, want)
	}
}

func layerTree(t *testing.T) map[string]string {
	t.Helper()
	content, err := files(nil)
	if err != nil {
		t.Fatal(err)
	}
	tree := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(content)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return tree
		}
		if err != nil {
			t.Fatal(err)
		}
		tree[filepath.Clean(h.Name)] = fmt.Sprintf("%v %d:%d", h.FileInfo().Mode(), h.Uid, h.Gid)
	}
}

func diskTree(t *testing.T, root string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		owner := info.Sys().(*syscall.Stat_t)
		name, err := filepath.Rel(root, path)
		tree[name] = fmt.Sprintf("%v %d:%d", info.Mode(), owner.Uid, owner.Gid)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestWhatIsNotUnderstoodIsAnError(t *testing.T) {
	for name, lines := range map[string]string{
		"an instruction that nobody reads here": "STOPSIGNAL SIGINT",
		"another copy":                          "COPY --from=build /out/data /data",
		"a copy with an owner":                  "COPY --from=build --chown=1:1 /out /",
		"a command for a shell":                 "ENTRYPOINT sluice",
		"a default command for a shell":         "CMD serve",
		"what docker build warns of":            "ENV A=b \\\n\n  C=d",
	} {
		t.Run(name, func(t *testing.T) {
			all, err := stages(strings.NewReader("FROM scratch\n" + lines + "\n"))
			if err == nil {
				_, err = configure(all[0])
			}
			if err == nil {
				t.Errorf("configure(%q) succeeded, want an error", lines)
			}
		})
	}
}
