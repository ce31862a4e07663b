package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// writeManPages writes the page of a command, and those of all commands below it that help would list.
func writeManPages(dir string, c *cobra.Command) error {
	if err := os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(manPage(c)), 0o644); err != nil {
		return err
	}
	for _, below := range manPages(c) {
		if err := writeManPages(dir, below); err != nil {
			return err
		}
	}
	return nil
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPages are the commands right below one that have a page: those that help would list.
func manPages(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			all = append(all, below)
		}
	}
	return all
}

// manPage says in the language of man what the help of a command says. It has no date, so that the same sources give the same
// page, and HY keeps names of variables from being hyphenated.
func manPage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	long := c.Long
	if long == "" {
		long = c.Short
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" Sluice Sluice\n.nr HY 0\n", roff(strings.ToUpper(pageName(c))))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", roff(c.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", manParagraphs(long))
	b.WriteString(manOptions("OPTIONS", c.NonInheritedFlags()))
	b.WriteString(manOptions("OPTIONS INHERITED FROM PARENT COMMANDS", c.InheritedFlags()))
	b.WriteString(manSeeAlso(c))
	return b.String()
}

// manParagraphs fills paragraphs. Those that are indented are commands and tables, and keep their lines.
func manParagraphs(text string) string {
	var b strings.Builder
	for _, p := range strings.Split(text, "\n\n") {
		p = strings.TrimPrefix(strings.Trim(p, "\n"), "#### ") // as cobra heads parts of its own help
		if strings.HasPrefix(p, "  ") || strings.HasPrefix(p, "\t") {
			p = ".EX\n" + roff(p) + "\n.EE"
		} else {
			p = roff(p)
		}
		b.WriteString(".PP\n" + p + "\n")
	}
	return b.String()
}

func manOptions(title string, flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Deprecated == "" {
			b.WriteString(manOption(f))
		}
	})
	if b.Len() == 0 {
		return ""
	}
	return ".SH " + title + "\n" + b.String()
}

func manOption(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	head := `\fB` + roff("--"+f.Name) + `\fP`
	if f.Shorthand != "" {
		head = `\fB` + roff("-"+f.Shorthand) + `\fP, ` + head
	}
	if value != "" {
		head += `=\fI` + roff(value) + `\fP`
	}
	switch f.DefValue {
	case "", "false", "[]", "0", "0s": // which help leaves out as well
	default:
		usage += " (default " + f.DefValue + ")"
	}
	return ".TP\n" + head + "\n" + roff(usage) + "\n"
}

func manSeeAlso(c *cobra.Command) string {
	var pages []string
	if c.HasParent() {
		pages = append(pages, pageName(c.Parent()))
	}
	for _, below := range manPages(c) {
		pages = append(pages, pageName(below))
	}
	for i, p := range pages {
		pages[i] = `\fB` + roff(p) + `\fP(1)`
	}
	return ".SH SEE ALSO\n" + strings.Join(pages, ",\n") + "\n"
}

// A line that begins with a dot or an apostrophe would be a macro; a bare hyphen may be set as one that no shell takes.
var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

func roff(text string) string { return strings.TrimPrefix(roffEscapes.Replace("\n"+text), "\n") }
