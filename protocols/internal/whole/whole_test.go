package whole_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluicemq/sluice/protocols/internal/whole"
)

// only returns the name of the one file in a directory.
func only(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the directory has %v, %v, want one file", entries, err)
	}
	return entries[0].Name()
}

func TestWriteReplacesContentAndMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, want := range []struct {
		text string
		mode os.FileMode
	}{{"first and long", 0o644}, {"second", 0o600}, {"", 0o644}} {
		if err := whole.Write(path, want.mode, []byte(want.text)); err != nil {
			t.Fatalf("Write(%q) = %v", want.text, err)
		}
		text, err := os.ReadFile(path)
		info, _ := os.Stat(path)
		if err != nil || string(text) != want.text || info.Mode().Perm() != want.mode {
			t.Errorf("the file has %q of mode %v, %v, want %q of %v", text, info.Mode(), err, want.text, want.mode)
		}
		if name := only(t, dir); name != "a" {
			t.Errorf("the directory has %s, want the file alone", name)
		}
	}
}

func TestWriteThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := whole.Write(path, 0o600, []byte("x")); err == nil {
		t.Error("Write over a directory succeeded")
	}
	if name := only(t, dir); name != "a" {
		t.Errorf("the directory has %s, want nothing new", name)
	}
	if err := whole.Write(filepath.Join(dir, "none", "a"), 0o600, nil); err == nil {
		t.Error("Write into a directory that is not there succeeded")
	}
}
