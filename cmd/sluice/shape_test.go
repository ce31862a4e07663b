package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bomb is a file of few lines whose aliases stand for a thousand million values.
func bomb(end string) string {
	var b strings.Builder
	b.WriteString("x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "x%d: &x%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d, ", i-1), 10), ", "))
	}
	return b.String() + end
}

func TestHostileFilesAreRefusedByLine(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"aliases of aliases", bomb(""), ":1: there are more than 1000000 values in this, with aliases written out"},
		{"aliases in a document", "queues:\n- name: q\n  attributes:\n    Policy: {a: &a [1], b: [*a, *a]}\n    RedriveAllowPolicy: [" + strings.Repeat("x, ", 20_001) + "]\n", ":5: there are more than 20000 values in this"},
		{"alias of itself", "queues: &q\n- *q\n", ":1: there are more than"},
		{"alias of nothing", "data: *x\n", ": unknown anchor 'x' referenced"},
		{"nested without end", "data: " + strings.Repeat("[", 20_000), "exceeded max depth of 10000"},
		{"too large", "# " + strings.Repeat("x", maxFile) + "\n", "is larger than 4 MiB"},
		{"too many names", "queues:\n- name: q\n  tags: {" + manyNames(1001) + "}\n", ":3: there are 1001 names in this section, want up to 1000"},
		{"nothing but nonsense", "x: 1\n" + strings.ReplaceAll(manyNames(1500), ", ", "\n"), ":1001: there is more wrong from here on"},
		{"names of lists", "queues:\n- name: q\n  tags: {[a]: b}\n", ":3: the name of a setting has to be a single word"},
		{"the same name twice", "queues:\n- name: q\n  name: p\n", ":3: name is there twice, first in line 2"},
		{"the same tag twice", "queues:\n- name: q\n  tags:\n    a: b\n    a: c\n", ":5: a is there twice, first in line 4"},
		{"two documents", "data: memory\n---\ndata: other\n", ":2: a second document begins here, want one"},
		{"a list", "- a\n", ":1: this is a list, want a section"},
		{"a text", "AWS_SECRET_ACCESS_KEY=x\n", ":1: this is a single value, want a section"},
		{"a tab", "sqs:\n\tregion: x\n", ":2: "},
		{"a zero byte", "data: a\x00b\n", "control characters are not allowed"},
		{"no UTF-8", "data: \xff\n", "invalid leading UTF-8 octet"},
		{"lines of Windows", "data: memory\r\n\r\ncolour: red\r\n", ":3: unknown setting colour"},
		{"nothing in a list", "listen: [a:1, ]\nadmin-hosts:\n- x\n-\n", ":4: there is nothing in this place of the list"},
		{"merged nonsense", "sqs:\n  <<: 3\n", `:2: this is a single value, want a section`},
		{"merged unknown", "queues:\n- &a {name: a, colour: red}\n- {<<: *a, name: b}\n", ":2: unknown setting colour"},
		{"hexadecimal number", "queues: [{name: q, max-size: 0x400}]\n", `:1: max-size is "0x400", want a number`},
		{"number with a unit", "queues: [{name: q, max-size: 64KB}]\n", `:1: max-size is "64KB", want a number`},
		{"number beyond", "queues: [{name: q, max-size: 99999999999999999999}]\n", ":1: max-size is"},
		{"duration of ISO", "queues: [{name: q, retention: P4D}]\n", `:1: retention is "P4D", want seconds`},
		{"duration that is no number", "queues: [{name: q, retention: NaN}]\n", `:1: retention is "NaN"`},
		{"negative duration", "queues: [{name: q, delay: -1}]\n", ":1: queue q: delay is -1s, want 0s to 168h0m0s"},
		{"time of day", "queues: [{name: q, delay: 1:30}]\n", `:1: delay is "1:30"`},
		{"truth in words", "queues: [{name: q, fifo: yes}]\n", `:1: fifo is "yes", want true or false`},
		{"name too long for SQS", "queues:\n- name: " + strings.Repeat("q", 81) + "\n", "is not a name, want 1 to 80 letters, digits, hyphens and underscores"},
		{"name that MNS has not", "queues:\n- {name: a_b, namespace: mns}\n", `:2: queue a_b: "a_b" is not a name, want 1 to 120 letters, digits and hyphens`},
		{"topic that MNS has not", "topics:\n- {name: a.b}\n", `:2: topic a.b: "a.b" is not a name`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := writeConfig(t, tt.file)
			_, told, err := ran(t, "config", "check", "--config", path)
			if !strings.Contains(told, tt.want) || strings.HasPrefix(tt.want, ":") && !strings.Contains(told, path+tt.want) || strings.Contains(told, "main.") || err == nil {
				t.Errorf("check = %.300q, %v, want %q", told, err, tt.want)
			}
		})
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: v, ", i)
	}
	return b.String()
}

func TestUnusualFilesAreRead(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"empty", "", ""},
		{"remarks alone", "# nothing\n", ""},
		{"an empty document", "---\n...\n", ""},
		{"null", "null\n", ""},
		{"settings without values", "data:\nsqs:\nqueues:\nlisten:\n", ""},
		{"mark of UTF-8", "\uFEFFdata: x\n", "x"},
		{"lines of Windows", "sync: os\r\ndata: x\r\n", "x"},
		{"no end of line", "data: x", "x"},
		{"JSON", `{"data": "x", "strict": true, "queues": [{"name": "q", "max-size": "1024"}]}`, "x"},
		{"texts for numbers", "data: 'x'\nstrict: 'true'\nlimits: {in-flight: '7'}\nqueues: [{name: 7, delay: '5', tags: {a: 1.50, b: }}]\n", "x"},
		{"aliases", "data: &d x\nadmin-hosts: [*d]\nqueues:\n- &q {name: a, delay: 1m}\n- {<<: *q, name: b}\n- {<<: [*q, {wait: 1}], name: c}\n", "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := readConfig(writeConfig(t, tt.file))
			o := c.options()
			if err := c.problems.err(); err != nil || c.Data.orEmpty() != tt.want {
				t.Fatalf("data = %q, %v, want %q", c.Data.orEmpty(), err, tt.want)
			}
			if err := o.Check(); err != nil {
				t.Errorf("Check = %v", err)
			}
		})
	}
	c := readConfig(writeConfig(t, "queues:\n- &q {name: a, delay: 1m}\n- {<<: *q, name: b}\n"))
	queues := c.options().Resources.Queues
	if diff := cmp.Diff([]string{"a 1m0s", "b 1m0s"}, []string{queues[0].Name + " " + queues[0].Delay.String(), queues[1].Name + " " + queues[1].Delay.String()}); diff != "" {
		t.Errorf("merged queues (-want +got):\n%s", diff)
	}
}

// The version of a policy is a day to YAML, and an account is a number, which has no leading zeros.
func TestDocumentsHaveTheTextsOfTheFile(t *testing.T) {
	c := readConfig(writeConfig(t, `queues:
- name: q
  attributes:
    Policy: {Version: 2012-10-17, Accounts: [000000000000, 012345678912, 123456789012], Rest: [0, 0.5, 1.50, true, "1", null]}
`))
	got := c.options().Resources.Queues[0].Attributes["Policy"]
	want := `{"Accounts":["000000000000","012345678912",123456789012],"Rest":[0,0.5,1.5,true,"1",null],"Version":"2012-10-17"}`
	if err := c.problems.err(); err != nil || got != want {
		t.Errorf("the policy = %s, %v, want %s", got, err, want)
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"", "{}", bomb(""), "queues: &q\n- *q\n", "a: b\n---\nc: d\n", "queues: [{<<: [{name: a}, {tags: {x: 1}}]}]\n", "? [a]\n: b\n", "data: !!binary eA==\n",
		"credentials: [{id: a, secret: b, policy: {Statement: [{Effect: Allow}]}}]\nbridges: [{mns: 1/r}]\nfaults: [{name: a, kind: drop}]\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		c := &config{path: "x", lines: map[string][]int{}}
		c.parse(file)
		c.options()
		for _, p := range c.problems {
			if p.Error() == "" || p.line < 0 {
				t.Errorf("problem %#v says nothing", p)
			}
		}
	})
}
