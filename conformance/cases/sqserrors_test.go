package cases_test

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicemq/sluice"
)

// knownError is a line of testdata/sqs-errors.tsv, whose head explains it.
type knownError struct {
	trigger    string
	operations []string
	protocols  []string
	status     int
	code, kind string
	text       string
}

func sqsErrors(t *testing.T) (all []knownError) {
	t.Helper()
	for _, f := range tabbed(t, "testdata/sqs-errors.tsv", 7) {
		status, err := strconv.Atoi(f[3])
		if err != nil {
			t.Fatalf("status %q of %s", f[3], f[0])
		}
		kind := strings.NewReplacer("own ", modelled, "general ", general, "-", "").Replace(f[5])
		all = append(all, knownError{
			f[0], strings.Fields(f[1]), map[string][]string{"json": {sqsJSON}, "query": {sqsQuery}, "both": onlySQS}[f[2]], status, f[4], kind, f[6],
		})
	}
	return all
}

// tabbed reads lines of so many fields with tabs between them. Lines that begin with # are comments.
func tabbed(t *testing.T, file string, fields int) (lines [][]string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != fields {
			t.Fatalf("%s: %q has %d fields, want %d", file, line, len(f), fields)
		}
		lines = append(lines, f)
	}
	return lines
}

// trial is an answer to a request that was to fail, and what stands for the braces in the text of its error: names and
// values by turns.
type trial struct {
	got  reply
	fill []string
}

func tried(got reply, fill ...string) []trial { return []trial{{got, fill}} }

// provocation brings an error about for one of its operations, in one or more ways.
type provocation func(c *client, operation string) []trial

func TestEveryKnownErrorOfSQSIsServed(t *testing.T) {
	used := map[string]bool{}
	for _, e := range sqsErrors(t) {
		for _, operation := range e.operations {
			provoke, served := sqsProvocations[e.trigger]
			reason, left := sqsNotServed[e.trigger]
			if why, ok := sqsNotServed[e.trigger+" "+operation]; ok {
				served, reason, left = false, why, true
				used[e.trigger+" "+operation] = true
			}
			used[e.trigger] = true
			if served == left || left && reason == "" {
				t.Errorf("%s of %s has a request that provokes it: %v; a reason why it is not served: %q", e.trigger, operation, served, reason)
				continue
			}
			if served {
				t.Run(e.trigger+" "+operation, func(t *testing.T) { e.compare(t, operation, provoke) })
			}
		}
	}
	wantKnown(t, used, sqsProvocations, sqsNotServed)
}

// wantKnown reports triggers of the tables that are those of no known error.
func wantKnown(t *testing.T, known map[string]bool, provocations map[string]provocation, notServed map[string]string) {
	t.Helper()
	for trigger := range provocations {
		if !known[trigger] {
			t.Errorf("%s is provoked and is no known error", trigger)
		}
	}
	for trigger := range notServed {
		if !known[trigger] {
			t.Errorf("%s is said not to be served and is no known error", trigger)
		}
	}
}

func (e knownError) compare(t *testing.T, operation string, provoke provocation) {
	o := sluice.Options{Strict: true}
	if e.trigger == "too-many-in-flight" {
		o.MaxInFlight = 2 // the provider's own bound is reached in TestStandardQueueIsOverLimit
	}
	for _, p := range e.protocols {
		t.Run(p, func(t *testing.T) {
			inWorld(t, o, func(w *world) {
				c := w.as(p)
				c.made("q", nil)
				c.made("q.fifo", fifoQueue())
				c.made("dead", nil)
				c.made("source", map[string]string{"RedrivePolicy": redrive("dead", 5)})
				trials := provoke(c, operation)
				failsIf(t, len(trials) == 0, "nothing was tried")
				for _, one := range trials {
					e.check(c, operation, one)
				}
			})
		})
	}
}

// textFor fills the braces of the error's text. One that is not known may be any.
func (e knownError) textFor(one trial) string {
	if e.text == "?" {
		return one.got.text
	}
	var fill []string
	for i := 0; i+1 < len(one.fill); i += 2 {
		fill = append(fill, "{"+one.fill[i]+"}", one.fill[i+1])
	}
	return strings.NewReplacer(fill...).Replace(e.text)
}

func (e knownError) check(c *client, operation string, one trial) {
	c.t.Helper()
	want := reply{status: e.status, code: e.code, kind: e.kind}
	if strings.HasSuffix(operation, "/entry") {
		want.status, want.kind = http.StatusOK, ""
	} else if c.protocol == sqsQuery {
		want.kind = ""
	}
	noQueue := "The specified queue does not exist."
	if c.protocol == sqsQuery {
		noQueue = "The specified queue does not exist for this wsdl version."
	}
	one.fill = append([]string{"no queue", noQueue}, one.fill...)
	want.text = e.textFor(one)
	if one.got.String() != want.String() || one.got.kind != want.kind {
		c.t.Errorf("got  %v %s\nwant %v %s", one.got, one.got.kind, want, want.kind)
	}
}
