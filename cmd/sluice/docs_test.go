package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
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

func TestManPagesSayWhatHelpSays(t *testing.T) {
	root := &cobra.Command{Use: "top", Short: "The top"}
	c := &cobra.Command{
		Use: "sub-command FILE", Short: `It's a \ of -x`, Run: func(*cobra.Command, []string) {},
		Long: "Words\n.in a row\n'of lines.\n\n  one   --two\n  three",
	}
	c.Flags().StringP("admin", "a", "there", ".of the `ADDRESS`")
	c.Flags().Bool("json", false, "print JSON")
	c.Flags().Int("parallel", 0, "requests at a time")
	c.Flags().Duration("wait", 0, "how long to wait")
	c.Flags().Bool("secret", false, "nobody's business")
	if err := c.Flags().MarkHidden("secret"); err != nil {
		t.Fatal(err)
	}
	root.AddCommand(c)
	want := `.TH TOP\-SUB\-COMMAND 1 "" Sluice Sluice
.nr HY 0
.SH NAME
top\-sub\-command \- It's a \e of \-x
.SH SYNOPSIS
\fBtop sub\-command FILE [flags]\fP
.SH DESCRIPTION
.PP
Words
\&.in a row
\&'of lines.
.PP
.EX
  one   \-\-two
  three
.EE
.SH OPTIONS
.TP
\fB\-a\fP, \fB\-\-admin\fP=\fIADDRESS\fP
\&.of the ADDRESS (default there)
.TP
\fB\-h\fP, \fB\-\-help\fP
help for sub\-command
.TP
\fB\-\-json\fP
print JSON
.TP
\fB\-\-parallel\fP=\fIint\fP
requests at a time
.TP
\fB\-\-wait\fP=\fIduration\fP
how long to wait
.SH SEE ALSO
\fBtop\fP(1)
`
	if got := manPage(c); got != want {
		t.Errorf("manPage(…) differs (-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestShellsOfferTheValuesOfFlags(t *testing.T) {
	for flag, want := range map[string]string{
		"serve --sync ":  "os\nalways\n:4\n",
		"import --from ": "cloudformation\nelasticmq\ngoaws\nterraform-state\n:4\n",
		"env --shell ":   "fish\npowershell\nsh\n:4\n",
	} {
		words := append([]string{"__complete"}, strings.Split(flag, " ")...)
		var out bytes.Buffer
		if err := run(t.Context(), words, &out, &bytes.Buffer{}); err != nil || out.String() != want {
			t.Errorf("completions of %q = %q, %v, want %q", flag, out.String(), err, want)
		}
	}
}
