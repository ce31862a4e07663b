package hocon

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plain turns an object into maps, lists and texts.
func plain(v *Value) any {
	switch {
	case v == nil:
		return nil
	case v.Object != nil:
		m := map[string]any{}
		for _, name := range v.Object.Names {
			m[name] = plain(v.Object.fields[name])
		}
		return m
	case v.List != nil:
		list := []any{}
		for _, each := range v.List {
			list = append(list, plain(each))
		}
		return list
	}
	return v.Text
}

type object = map[string]any

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       object
	}{
		{"nothing", "", object{}},
		{"comments alone", "# a\n// b\n", object{}},
		{"no braces", "a = 1\nb : 2", object{"a": "1", "b": "2"}},
		{"braces", "{a = 1, b: 2,}", object{"a": "1", "b": "2"}},
		{"JSON", `{"a": {"b": [1, "two", true, null]}, "c": -1.5e3}`, object{"a": object{"b": []any{"1", "two", "true", "null"}}, "c": "-1.5e3"}},
		{"object without =", "a { b = 1 }\na.c = 2", object{"a": object{"b": "1", "c": "2"}}},
		{"brace on the next line", "a\n{\n}\n", object{"a": object{}}},
		{"paths", `a.b."c.d".e = x`, object{"a": object{"b": object{"c.d": object{"e": "x"}}}}},
		{"other letters", "gr\u00fc\u00dfe = \u00fc\u4e2d\n", object{"gr\u00fc\u00dfe": "\u00fc\u4e2d"}},
		{"merged", "a { x = 1, y { z = 1 } }\na { x = 2, y { w = 2 } }", object{"a": object{"x": "2", "y": object{"z": "1", "w": "2"}}}},
		{"replaced", "a { x = 1 }\na = 2\nb = 1\nb { c = 2 }", object{"a": "2", "b": object{"c": "2"}}},
		{"units", "a = 10 seconds\nb = 5s // c\nc = 1 day # d", object{"a": "10 seconds", "b": "5s", "c": "1 day"}},
		{"pieces", `a = x "y  z" w` + "   ", object{"a": "x y  z w"}},
		{"empty text", `a = ""`, object{"a": ""}},
		{"escapes", `a = "\"\u00e9\n\\"`, object{"a": "\"é\n\\"}},
		{"three quotes", "a = \"\"\"x\n\"y\" \\n\"\"\"\"", object{"a": "x\n\"y\" \\n\""}},
		{"addresses", "a = *\nb = http://localhost:9324/x", object{"a": "*", "b": "http:"}},
		{"an address without //", "a = 0.0.0.0:9324", object{"a": "0.0.0.0:9324"}},
		{"list over lines", "a = [\n 1\n 2,\n [3] {b = 4}\n]", object{"a": []any{"1", "2", []any{"3"}, object{"b": "4"}}}},
		{"Windows lines", "a = 1\r\nb {\r\n c = x y\r\n}\r\n", object{"a": "1", "b": object{"c": "x y"}}},
		{"a key like include at the end", "a = 1, include { b = 1 }, include \"x\" ", object{"a": "1", "include": object{"b": "1"}}},
		{"keys like words", "include = 1\nincluded = 2\ninclude-me { a = 3 }", object{"include": "1", "included": "2", "include-me": object{"a": "3"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, _, err := Parse(tt.text)
			if err != nil {
				t.Fatalf("Parse(%q) = %v", tt.text, err)
			}
			if diff := cmp.Diff(any(tt.want), plain(&Value{Object: o})); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestParseTellsIncludes(t *testing.T) {
	_, got, err := Parse("include classpath(\"application.conf\")\na = 1\n include \"other.conf\" // why\n")
	want := []Include{{1, `classpath("application.conf")`}, {3, `"other.conf"`}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("includes (%v) (-want +got):\n%s", err, diff)
	}
}

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\nb = ${PORT}":                "line 2: substitutions such as ${PORT} cannot be read",
		"a = ${?PORT} x":                    "line 1: substitutions such as ${?PORT} cannot be read",
		"a += 1":                            "line 1: += cannot be read",
		"a {\n b = 1\n":                     "line 3: a closing } is missing",
		"a = [1":                            "line 1: a closing ] is missing",
		"a = 1,,b = 2":                      "line 1: two commas in a row",
		"a":                                 "line 1: want = or { after a",
		"= 1":                               "line 1: want the name of a setting",
		"a..b = 1":                          "line 1: want the name of a setting",
		"a =":                               "line 1: a value is missing",
		"a = \"x":                           "line 1: a closing quote is missing",
		"a = \"\\q\"":                       "line 1: \"\\q\" is not a text in quotes",
		"a = \"\"\"x":                       "line 1: three closing quotes are missing",
		"{a = 1} b":                         "line 1: 'b' after the end",
		"a = 1 }":                           "line 1: want the name of a setting",
		"a = x {b = 1}":                     "line 1: '{' in a value without quotes",
		strings.Repeat("a {", 100):          "more than 64 levels",
		"a = " + strings.Repeat("[", 100):   "more than 64 levels",
		strings.Repeat("a.", 100) + "a = 1": "more than 64 levels",
		strings.Repeat("#", 1<<20+1):        "larger than",
	} {
		if _, _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.40q) = %v, want %q", text, err, want)
		}
	}
}

func TestGetFollowsAPath(t *testing.T) {
	o, _, err := Parse("a { b = 1\n c = 2 }")
	if err != nil {
		t.Fatal(err)
	}
	if v := o.Get("a", "c"); v == nil || v.Text != "2" || v.Line != 2 {
		t.Errorf("Get(a, c) = %+v, want 2 of line 2", v)
	}
	for _, path := range [][]string{{"x"}, {"a", "x"}, {"a", "b", "c"}, {}} {
		if v := o.Get(path...); v != nil {
			t.Errorf("Get(%q) = %+v, want nothing", path, v)
		}
	}
}

// A file may be one line. Reading one of 1 MiB took seconds when each field looked at the rest of its line.
func TestParseTakesTimeInProportionToALine(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a=1,", maxSize/4), strings.Repeat("include =1,", maxSize/11), strings.Repeat(`"a".b=1,`, maxSize/8), "a=[" + strings.Repeat("1,", maxSize/2-2) + "]",
	} {
		start := time.Now()
		if _, _, err := Parse(text); err != nil {
			t.Errorf("Parse(%.20q…) = %v", text, err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("Parse(%.20q…) took %v for 1 MiB", text, took)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"include classpath(\"application.conf\")\nqueues { q { delay = 5 seconds, tags { a = \"b\" } } }",
		`{"a": [1, {"b": "c\n"}]}`, "a.\"b\".c = \"\"\"x\"\"\"", "a = ${x}", "a += [", "a : \u00a0b // c", "\ufeffa=1", "include ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, _, err := Parse(text)
		if (o == nil) == (err == nil) {
			t.Errorf("Parse(%q) = %v, %v, want one of the two", text, o, err)
		}
	})
}
