package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDocsHaveEveryCommandAndAllShells(t *testing.T) {
	dir := t.TempDir()
	if err := run(t.Context(), []string{"docs", dir}, &bytes.Buffer{}, &bytes.Buffer{}); err != nil {
		t.Fatalf("docs = %v", err)
	}
	for file, word := range map[string]string{
		"man/sluice.1": "sluice-serve(1)", "man/sluice-serve.1": "SLUICE_LISTEN", "man/sluice-health.1": "url",
		"completions/sluice.bash": "__start_sluice", "completions/sluice.zsh": "compdef", "completions/sluice.fish": "complete -c sluice",
		"completions/sluice.ps1": "Register-ArgumentCompleter",
	} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if plain := strings.ReplaceAll(strings.ReplaceAll(string(b), `\-`, "-"), `\fP`, ""); err != nil || !strings.Contains(plain, word) {
			t.Errorf("%s does not say %q, %v", file, word, err)
		}
	}
}
