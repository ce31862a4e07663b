package cases_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/protocols/kept"
)

// TestPageListsWhatIsNotKnown keeps UNVERIFIED.md, below its introduction. With -update it writes it.
func TestPageListsWhatIsNotKnown(t *testing.T) {
	const page, mark = "../UNVERIFIED.md", "<!-- lists: go test ./conformance/cases -run Page -update -->\n"
	kept.Part(t, page, mark, "", deviations(t)+
		notServed(t, "Errors of Amazon SQS that are not given by default", sqsErrors(t), sqsNotServed)+
		notServed(t, "Errors of Alibaba Cloud MNS that are not given by default", mnsErrors(t), mnsNotServed)+
		guesses(t)+guessedScenarios(t))
}

// deviations has the lines of deviations.txt by their reason.
func deviations(t *testing.T) string {
	file, err := os.ReadFile("../deviations.txt")
	if err != nil {
		t.Fatal(err)
	}
	scenarios := map[string][]string{}
	for line := range strings.Lines(string(file)) {
		what, reason, found := strings.Cut(strings.TrimSpace(line), " -- ")
		if found && !strings.HasPrefix(what, "#") {
			name, class, _ := strings.Cut(what, " ")
			scenarios[reason] = append(scenarios[reason], fmt.Sprintf("%s (%s)", name, class))
		}
	}
	var b strings.Builder
	b.WriteString("\n## Deviations from recordings\n\n")
	for _, reason := range slices.Sorted(maps.Keys(scenarios)) {
		b.WriteString("- " + capital(reason) + ":\n")
		for _, name := range scenarios[reason] {
			b.WriteString("  - " + name + "\n")
		}
	}
	return b.String()
}

// notServed has the rows of a table of errors that have a reason in place of a request that provokes them.
func notServed(t *testing.T, title string, known []knownError, reasons map[string]string) string {
	t.Helper()
	rows := map[string]bool{}
	for _, e := range known {
		for _, operation := range e.operations {
			reason, left := reasons[e.trigger]
			on := ""
			if why, ok := reasons[e.trigger+" "+operation]; ok {
				reason, left, on = why, true, " of "+operation
			}
			if left {
				text := e.text
				if text == "" || text == "?" {
					text = "text not known"
				}
				rows[fmt.Sprintf("| %s%s | `%s` | %s | %s |\n", e.trigger, on, cmp.Or(e.code, "?"), cell(text), cell(reason))] = true
			}
		}
	}
	return "\n## " + title + "\n\n| what causes it | code | text | why not |\n| --- | --- | --- | --- |\n" +
		strings.Join(slices.Sorted(maps.Keys(rows)), "")
}

// parts are the folders that guesses are grouped by; the first that a file is in counts.
var parts = []struct{ folder, title string }{
	{"protocols/sqs", "Amazon SQS"},
	{"protocols/internal/wire", "Amazon SQS: the form of requests"},
	{"protocols/mns", "Alibaba Cloud MNS"},
	{"core", "What queues do"},
	{"conformance", "What tests take for granted"},
	{"", "Elsewhere"},
}

// guess is a comment that says what is not verified, and where.
type guess struct{ file, at, code, text string }

// guesses reads the comments of all Go files.
func guesses(t *testing.T) string {
	found := make([]strings.Builder, len(parts))
	for _, file := range files(t, ".go") {
		part := slices.IndexFunc(parts, func(p struct{ folder, title string }) bool { return strings.HasPrefix(file, p.folder) })
		last := ""
		for _, g := range guessesIn(t, file) {
			if last != file {
				fmt.Fprintf(&found[part], "\n[%s](../%s)\n\n", file, file)
				last = file
			}
			line := "- **" + g.at + "**: " + g.text
			if g.code != "" {
				line += "\n  `` " + g.code + " ``"
			}
			found[part].WriteString(line + "\n")
		}
	}
	var b strings.Builder
	for i, p := range parts {
		if found[i].Len() > 0 {
			b.WriteString("\n## Guesses: " + p.title + "\n" + found[i].String())
		}
	}
	return b.String()
}

// files returns the files of the repository with an extension, in order.
func files(t *testing.T, extension string) (all []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case path.Ext(name) == extension:
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// marker is how guesses are marked: with a colon and what is guessed, or alone.
var marker = regexp.MustCompile(`UNVERIFIED(:|$)`)

func guessesIn(t *testing.T, file string) (all []guess) {
	t.Helper()
	src, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	positions := token.NewFileSet()
	parsed, err := parser.ParseFile(positions, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(src), "\n")
	for _, group := range parsed.Comments {
		for paragraph := range strings.SplitSeq(group.Text(), "\n\n") {
			text := strings.Join(strings.Fields(paragraph), " ")
			if !marker.MatchString(text) {
				continue
			}
			first, last := positions.Position(group.Pos()).Line, positions.Position(group.End()).Line
			g := guess{file: file, at: "the package", text: text}
			if decl := owner(parsed, positions, first, last); decl != nil {
				g.at = nameOf(decl, positions, last)
				if first >= positions.Position(decl.Pos()).Line { // not its doc comment: the line it is about
					g.code = codeAt(lines, first, last)
				}
			}
			all = append(all, g)
		}
	}
	return all
}

// owner returns the declaration that a comment stands in, before or behind.
func owner(f *ast.File, positions *token.FileSet, first, last int) ast.Decl {
	for _, decl := range f.Decls {
		begin, end := positions.Position(decl.Pos()).Line, positions.Position(decl.End()).Line
		if first <= end && last >= begin-1 {
			return decl
		}
	}
	return nil
}

// nameOf returns the name of a declaration, or of the part of it that begins at or behind a line.
func nameOf(decl ast.Decl, positions *token.FileSet, line int) string {
	if f, ok := decl.(*ast.FuncDecl); ok {
		if f.Recv == nil {
			return f.Name.Name
		}
		of := f.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		return fmt.Sprintf("%s.%s", of, f.Name.Name)
	}
	for _, spec := range decl.(*ast.GenDecl).Specs {
		if positions.Position(spec.End()).Line < line {
			continue
		}
		switch s := spec.(type) {
		case *ast.ValueSpec:
			return s.Names[0].Name
		case *ast.TypeSpec:
			return s.Name.Name
		}
	}
	return "a declaration"
}

// codeAt returns the line that a comment stands behind or, if it has lines of its own, the next one of code.
func codeAt(lines []string, first, last int) string {
	if code, _, _ := strings.Cut(lines[first-1], "//"); strings.TrimSpace(code) != "" {
		return strings.TrimSpace(code)
	}
	for _, line := range lines[last:] {
		if code := strings.TrimSpace(line); !strings.HasPrefix(code, "//") {
			code, _, _ = strings.Cut(code, " //")
			return strings.TrimSpace(code)
		}
	}
	return ""
}

// guessedScenarios has the scenarios whose notes say that something in them is not verified.
func guessedScenarios(t *testing.T) string {
	scenarios := map[string][]string{}
	for _, file := range files(t, ".http") {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		header, _, _ := strings.Cut(string(text), "\n\n")
		for line := range strings.Lines(header) {
			if note, ok := strings.CutPrefix(strings.TrimSpace(line), "note: "); ok && marker.MatchString(note) {
				name := strings.TrimPrefix(file, "conformance/")
				scenarios[note] = append(scenarios[note], fmt.Sprintf("[%s](%s)", strings.TrimSuffix(strings.TrimPrefix(name, "recordings/"), ".http"), name))
			}
		}
	}
	var b strings.Builder
	b.WriteString("\n## Scenarios that were derived and not recorded, with a guess in them\n\n")
	for _, note := range slices.Sorted(maps.Keys(scenarios)) {
		b.WriteString("- " + note + ": " + strings.Join(scenarios[note], ", ") + "\n")
	}
	return b.String()
}

// cell makes a text fit for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
