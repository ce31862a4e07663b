// Package kept is for tests that keep a part of a written page true: what stands between two marks there is what the
// test finds in the code.
package kept

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the pages that tests keep true")

// Part compares what stands in a file between two marks with what should. With the flag -update it writes that there.
// An empty end means the end of the file.
func Part(t testing.TB, file, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, was, found := strings.Cut(string(text), begin)
	tail := ""
	if end != "" && found {
		was, tail, found = strings.Cut(was, end)
	}
	if !found {
		t.Fatalf("%s has nothing between its marks %q and %q", file, begin, end)
	}
	if *update {
		if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(was, want); diff != "" {
		t.Errorf("%s (-written +found):\n%s", file, diff)
	}
}
