package cases_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// cases is how many there are; one of them is a benchmark, which is kept elsewhere.
const cases, benchmarked = 66, 54

// TestEveryCaseIsThere reads this package: the second argument of each, eachWith and once is a case's number.
func TestEveryCaseIsThere(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := call.Fun.(*ast.Ident)
			if ok && slices.Contains([]string{"each", "eachWith", "once"}, name.Name) {
				if number, ok := call.Args[1].(*ast.BasicLit); ok {
					text, _ := strconv.Unquote(number.Value)
					found[text] = true
				}
			}
			return true
		})
	}
	for n := 1; n <= cases; n++ {
		if number := fmt.Sprintf("K%02d", n); !found[number] && n != benchmarked {
			t.Errorf("no test has the number %s", number)
		}
	}
}
