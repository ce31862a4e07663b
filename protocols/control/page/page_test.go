package page

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// source returns the names and texts of all files that are served.
func source(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Files, name)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatalf("the files of the page: %v", err)
	}
	return texts
}

// references are the ways in which one file names another.
var references = []*regexp.Regexp{
	regexp.MustCompile(`\bfrom "([^"]+)"`),
	regexp.MustCompile(`\bimport\("([^"]+)"\)`),
	regexp.MustCompile(`\b(?:src|href)="([^#"]+)"`),
	regexp.MustCompile(`\b(?:src|href): "([^#"]+)"`),
	regexp.MustCompile(`\burl\(["']?([^"')]+)`),
}

func TestEveryReferenceIsToAFileOfThePage(t *testing.T) {
	texts := source(t)
	used := map[string]bool{"index.html": true}
	for name, text := range texts {
		for _, pattern := range references {
			for _, match := range pattern.FindAllStringSubmatch(text, -1) {
				target := path.Clean(match[1])
				used[target] = true
				if _, ok := texts[target]; !ok && target != "openapi.json" {
					t.Errorf("%s names %q, which is no file of the page", name, match[1])
				}
			}
		}
	}
	for name := range texts {
		if !used[name] {
			t.Errorf("nothing names %s", name)
		}
	}
}

// names are addresses that name something and are never asked.
var names = []string{"http://www.w3.org/2000/svg", "http://${location.hostname}:9324"}

func TestSourcesNameNoOtherOrigin(t *testing.T) {
	address := regexp.MustCompile(`(?:[a-z]+:)?//[\w$][^\s"'<>` + "`" + `]*`)
	for name, text := range source(t) {
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "//") {
				continue
			}
			for _, found := range address.FindAllString(line, -1) {
				if !slices.Contains(names, found) && strings.Contains(found, ":") {
					t.Errorf("%s names %q", name, found)
				}
			}
		}
	}
}

func TestPolicyForbidsInlineScriptAndStyle(t *testing.T) {
	for _, word := range []string{"unsafe", "data:", "blob:", "http:", "https:", "*"} {
		if strings.Contains(Policy, word) {
			t.Errorf("Policy = %q, which has %q", Policy, word)
		}
	}
	page := source(t)["index.html"]
	stated := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]+)"`).FindStringSubmatch(page)
	if stated == nil || stated[1]+"; frame-ancestors 'none'" != Policy { // a document cannot state frame-ancestors
		t.Errorf("index.html states %q, want %q without frame-ancestors", stated, Policy)
	}
}

func TestMarkupNeedsNothingInline(t *testing.T) {
	inline := map[string]*regexp.Regexp{
		"an inline script":   regexp.MustCompile(`<script(?:[^>]*)>[^<]`),
		"a script elsewhere": regexp.MustCompile(`<script(?:\s+type="module")?>`),
		"an inline style":    regexp.MustCompile(`<style|\sstyle=`),
		"a handler":          regexp.MustCompile(`\son[a-z]+=`),
		"a script address":   regexp.MustCompile(`javascript:`),
	}
	for _, name := range []string{"index.html", "logo.svg"} {
		for what, pattern := range inline {
			if found := pattern.FindString(source(t)[name]); found != "" {
				t.Errorf("%s has %s: %q", name, what, found)
			}
		}
	}
}

// Whatever makes markup or programs of text: what messages hold must stay text.
func TestScriptsNeverMakeMarkupOfText(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTML|srcdoc|\beval\b|new Function|setTimeout\("|setAttribute\("style"`)
	for name, text := range source(t) {
		if found := forbidden.FindString(text); found != "" && strings.HasSuffix(name, ".js") {
			t.Errorf("%s uses %s", name, found)
		}
	}
}

func TestPageIsSmall(t *testing.T) {
	const most = 155 << 10
	size := 0
	for _, text := range source(t) {
		size += len(text)
	}
	if size > most {
		t.Errorf("the page has %d bytes, want at most %d", size, most)
	}
}
