// Package conformance_test holds what is true of the code base as a whole: which package may import which, and what
// some of them must never contain. Real clients of the providers run in clients.
package conformance_test

import (
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
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/sluicemq/sluice"

// permit says what the production code of a package may import besides the standard library: packages of this module
// by folder, others by the path of their module. Tests may import any other module, and of ours those of their own
// layer or a lower one.
type permit struct {
	layer  int
	ours   []string
	others []string
	free   bool // it may import anything that its tests may
}

const (
	badger     = "github.com/dgraph-io/badger/v4"
	cobra      = "github.com/spf13/cobra"
	contrib    = "go.opentelemetry.io/contrib"
	etree      = "github.com/beevik/etree"
	gocmp      = "github.com/google/go-cmp"
	json       = "github.com/go-json-experiment/json"
	mux        = "github.com/gorilla/mux"
	otel       = "go.opentelemetry.io/otel"
	pflag      = "github.com/spf13/pflag"
	prometheus = "github.com/prometheus/client_golang"
	protobuf   = "google.golang.org/protobuf"
	smithy     = "github.com/aws/smithy-go"
	unix       = "golang.org/x/sys"
	yaml       = "go.yaml.in/yaml/v3"
)

// Imports point one way: cmd -> sluice -> protocols -> core -> persistence.
const (
	storing = iota
	queueing
	speaking
	embedding
	running
)

var dialect = []string{"core", "core/clock", "protocols", "protocols/faults", "protocols/internal/wire", "protocols/policy"}

// permits has a row for each package: a package without one fails the test, so that its place is a decision.
var permits = map[string]permit{
	"persistence":                 {layer: storing},
	"persistence/badger":          {layer: storing, ours: []string{"persistence"}, others: []string{badger, unix}},
	"persistence/memory":          {layer: storing, ours: []string{"persistence"}},
	"persistence/persistencetest": {layer: storing, ours: []string{"persistence"}, others: []string{gocmp}},
	"persistence/traced":          {layer: storing, ours: []string{"persistence/traced/names", "persistence"}, others: []string{otel}},
	"persistence/traced/names":    {layer: storing, others: []string{otel}},

	"core":        {layer: queueing, ours: []string{"core/clock", "persistence"}},
	"core/clock":  {layer: queueing},
	"core/traced": {layer: queueing, ours: []string{"core", "core/clock", "persistence/traced/names"}, others: []string{otel}},

	"protocols":           {layer: speaking, ours: []string{"core"}},
	"protocols/authority": {layer: speaking, ours: []string{"protocols/internal/whole"}},
	"protocols/all":       {layer: speaking, ours: []string{"protocols", "protocols/faults", "protocols/mns", "protocols/sqs"}},
	"protocols/control": {layer: speaking, ours: []string{
		"core", "core/clock", "protocols", "protocols/control/page", "protocols/internal/wire", "protocols/otlp",
	}, others: []string{json}},
	"protocols/control/page":   {layer: speaking},
	"protocols/faults":         {layer: speaking, ours: []string{"core", "core/clock", "protocols"}, others: []string{json}},
	"protocols/internal/whole": {layer: speaking},
	"protocols/internal/wire":  {layer: speaking, others: []string{etree, json}},
	"protocols/kept":           {layer: speaking, others: []string{gocmp}}, // for tests
	"protocols/mns":            {layer: speaking, ours: append([]string{"protocols/authority", "protocols/internal/whole"}, dialect...), others: []string{etree, json, mux}},
	"protocols/policy":         {layer: speaking, others: []string{json}},
	"protocols/sqs":            {layer: speaking, ours: dialect, others: []string{json, mux, smithy}},
	"protocols/otlp":           {layer: speaking, others: []string{json, protobuf}},
	"protocols/traced":         {layer: speaking, ours: []string{"core", "persistence/traced/names", "protocols"}, others: []string{otel}},

	".": {layer: embedding, ours: []string{
		"core", "core/clock", "persistence", "persistence/badger", "persistence/memory", "protocols", "protocols/all",
		"protocols/authority", "protocols/control", "protocols/control/page", "protocols/faults", "protocols/policy",
		"protocols/mns", // its topics push
		"protocols/otlp",
		"protocols/sqs", // its attributes can be declared
	}},

	"cmd/sluice/internal/certs":     {layer: running, ours: []string{"protocols/authority"}},
	"cmd/sluice/internal/hocon":     {layer: running},
	"cmd/sluice/internal/migration": {layer: running, ours: []string{".", "cmd/sluice/internal/hocon"}, others: []string{json, yaml}},

	"cmd/sluice": {layer: running, ours: []string{
		".", "cmd/sluice/internal/certs", "cmd/sluice/internal/migration", "conformance", "conformance/bench", "conformance/record", "conformance/replay",
		"core/traced", "persistence/traced/names", "persistence/traced", "protocols/traced", // what telemetry puts around a server
	}, others: []string{cobra, contrib, otel, pflag, prometheus, yaml}},

	// Also for the folders below that have no row of their own: they test and measure the whole.
	"conformance": {layer: running, free: true},
}

func permitOf(dir string) (permit, bool) {
	own, known := permits[dir]
	if !known && strings.HasPrefix(dir, "conformance/") {
		return permits["conformance"], true
	}
	return own, known
}

// banned are packages of the standard library that a folder must not use.
var banned = map[string][]string{
	"core": {"encoding/json", "encoding/xml", "log", "log/slog", "net/http"},
}

// provider finds the words for which the engine has no use. Within other words, such as columns, they do not count.
var provider = regexp.MustCompile(`(?i:\b(sqs|mns))|SQS|MNS|Sqs|Mns`)

// mayTellTime are the folders whose production code may ask the machine for the time or wait for it.
var mayTellTime = map[string]bool{"core/clock": true, "cmd/sluice": true, "conformance/bench": true}

var tellingTime = []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}

func TestImportsPointOneWay(t *testing.T) {
	for _, problem := range check(t, os.DirFS("..")) {
		t.Error(problem)
	}
}

// check returns what is wrong with the Go files below a folder, in the order of their names.
func check(t *testing.T, root fs.FS) []string {
	t.Helper()
	var problems []string
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(d.Name(), ".") && file != "."; d.IsDir() && (hidden || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if path.Ext(file) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		found, err := checkFile(file, src)
		problems = append(problems, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

func checkFile(file string, src []byte) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	dir := path.Dir(file)
	own, known := permitOf(dir)
	if !known {
		return []string{file + ": package has no row in permits"}, nil
	}
	test := strings.HasSuffix(file, "_test.go")
	var problems []string
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		may := mayImport
		if test || own.free {
			may = mayTest
		}
		if !may(dir, own, imported) {
			problems = append(problems, file+": must not import "+imported)
		}
	}
	if test {
		return problems, nil
	}
	return append(problems, checkWords(file, dir, src, parsed)...), nil
}

func mayImport(dir string, own permit, imported string) bool {
	if folder, ours := inModule(imported); ours {
		return slices.Contains(own.ours, folder)
	}
	if standard(imported) {
		return !slices.Contains(banned[dir], imported)
	}
	return slices.ContainsFunc(own.others, func(m string) bool {
		return imported == m || strings.HasPrefix(imported, m+"/")
	})
}

func mayTest(_ string, own permit, imported string) bool {
	folder, ours := inModule(imported)
	tested, _ := permitOf(folder)
	return !ours || tested.layer <= own.layer
}

func inModule(imported string) (folder string, ok bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// standard goes by the rule of the go command: the first element of every other path has a dot.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func checkWords(file, dir string, src []byte, parsed *ast.File) []string {
	var problems []string
	if dir == "core" || strings.HasPrefix(dir, "core/") {
		for i, line := range strings.Split(string(src), "\n") {
			if word := provider.FindString(line); word != "" {
				problems = append(problems, fmt.Sprintf("%s:%d: speaks of %s", file, i+1, word))
			}
		}
	}
	if mayTellTime[dir] {
		return problems
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(tellingTime, s.Sel.Name) {
				problems = append(problems, file+": must not use time."+s.Sel.Name)
			}
		}
		return true
	})
	return problems
}

func TestCheckerFindsEveryKindOfViolation(t *testing.T) {
	for _, tt := range []struct{ name, file, src, want string }{
		{"store knows the engine", "persistence/x.go", `import _ "github.com/sluicemq/sluice/core"`, "must not import " + module + "/core"},
		{"engine knows the frame", "core/x.go", `import _ "github.com/sluicemq/sluice/protocols"`, "must not import " + module + "/protocols"},
		{"engine knows the program", "core/x.go", `import _ "github.com/sluicemq/sluice"`, "must not import " + module},
		{"engine speaks HTTP", "core/x.go", `import _ "net/http"`, "must not import net/http"},
		{"engine logs", "core/x.go", `import _ "log/slog"`, "must not import log/slog"},
		{"engine is traced", "core/x.go", `import _ "go.opentelemetry.io/otel/trace"`, "must not import go.opentelemetry.io/otel/trace"},
		{"dialect knows another", "protocols/mns/x.go", `import _ "github.com/sluicemq/sluice/protocols/sqs"`, "must not import " + module + "/protocols/sqs"},
		{"dialect knows a store", "protocols/mns/x.go", `import _ "github.com/sluicemq/sluice/persistence"`, "must not import " + module + "/persistence"},
		{"program goes past the embedding API", "cmd/sluice/x.go", `import _ "github.com/sluicemq/sluice/core"`, "must not import " + module + "/core"},
		{"unknown module", "core/x.go", `import _ "example.com/x"`, "must not import example.com/x"},
		{"module whose path only begins alike", "cmd/sluice/x.go", `import _ "github.com/spf13/cobra2"`, "must not import github.com/spf13/cobra2"},
		{"unknown package", "helpers/x.go", ``, "package has no row in permits"},
		{"engine test knows a dialect", "core/x_test.go", `import _ "github.com/sluicemq/sluice/protocols/mns"`, "must not import " + module + "/protocols/mns"},
		{"provider in a name", "core/x.go", `var isSQS bool`, "speaks of SQS"},
		{"provider in a comment", "core/clock/x.go", "// as mns does", "speaks of mns"},
		{"machine's time", "core/x.go", "import \"time\"\nvar now = time.Now()", "must not use time.Now"},
		{"machine's time as a value", "protocols/sqs/x.go", "import \"time\"\nvar sleep = time.Sleep", "must not use time.Sleep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := check(t, fstest.MapFS{tt.file: {Data: []byte("package x\n" + tt.src + "\n")}})
			if len(got) != 1 || !strings.HasSuffix(got[0], tt.want) {
				t.Errorf("check() = %q, want one that ends in %q", got, tt.want)
			}
		})
	}
}

func TestCheckerLetsTheRulesBe(t *testing.T) {
	got := check(t, fstest.MapFS{
		"core/x.go":          {Data: []byte("package x\nimport (\n_ \"github.com/sluicemq/sluice/core/clock\"\n_ \"strings\"\n)\nvar columns int\n")},
		"core/x_test.go":     {Data: []byte("package x\nimport (\n_ \"github.com/sluicemq/sluice/persistence/memory\"\n_ \"pgregory.net/rapid\"\n)\n// sqs\n")},
		"core/clock/x.go":    {Data: []byte("package x\nimport \"time\"\nvar now = time.Now\n")},
		"cmd/sluice/x.go":    {Data: []byte("package x\nimport _ \"github.com/spf13/cobra\"\n")},
		"x.go":               {Data: []byte("package x\nimport _ \"github.com/sluicemq/sluice/protocols/all\"\n")},
		"cmd/testdata/x.go":  {Data: []byte("not Go")},
		".hidden/x.go":       {Data: []byte("not Go")},
		"protocols/notes.md": {Data: []byte("not Go")},
	})
	if diff := cmp.Diff([]string(nil), got); diff != "" {
		t.Errorf("check() (-want +got):\n%s", diff)
	}
}

// TestPermitsDescendOnly keeps the table itself honest: a row cannot permit what its own layers forbid.
func TestPermitsDescendOnly(t *testing.T) {
	for _, dir := range slices.Sorted(maps.Keys(permits)) {
		for _, folder := range permits[dir].ours {
			if p, ok := permitOf(folder); !ok || p.layer > permits[dir].layer {
				t.Errorf("permits[%q] allows %q, which has no row or is of a higher layer", dir, folder)
			}
		}
	}
}
