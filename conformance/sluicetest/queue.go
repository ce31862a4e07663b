package sluicetest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core"
)

// Queue is a queue in assertions. It need not be there yet.
type Queue struct {
	s   *Server
	key core.QueueKey
}

// Queue returns the queue of that name in the home of SQS, which by default is that of MNS as well.
func (s *Server) Queue(name string) *Queue {
	return &Queue{s, core.QueueKey{Namespace: s.home, Name: core.QueueName(name)}}
}

// QueueOf returns the queue of that name in another account and region, as the engine has it.
func (s *Server) QueueOf(home sluice.Home, name string) *Queue {
	return &Queue{s, core.QueueKey{Namespace: home.Namespace(), Name: core.QueueName(name)}}
}

// Timeline returns what has happened in the queue, a line for each event, without the name of the queue.
func (q *Queue) Timeline() []string {
	q.s.t.Helper()
	var lines []string
	for _, e := range q.s.selected(func(e core.Event) bool { return e.Queue == q.key }) {
		lines = append(lines, q.s.log.line(e))
	}
	return lines
}

// Events fails the test unless exactly these events have happened in the queue, in this order. That the queue was
// created may be left out.
func (q *Queue) Events(want ...string) {
	q.s.t.Helper()
	got := q.Timeline()
	if len(got) > 0 && got[0] == "created" && (len(want) == 0 || want[0] != "created") {
		got = got[1:]
	}
	if !slices.Equal(got, want) {
		q.s.t.Errorf("events of %s:\n%s\nwant:\n%s", q.key.Name, indented(got), indented(want))
	}
}

// Counts fails the test unless the queue has that many messages in each state.
func (q *Queue) Counts(visible, inFlight, delayed int) {
	q.s.t.Helper()
	s := q.status()
	if s.Visible != visible || s.InFlight != inFlight || s.Delayed != delayed {
		q.s.t.Errorf("%s has %d visible, %d in flight, %d delayed messages, want %d, %d, %d:\n%s",
			q.key.Name, s.Visible, s.InFlight, s.Delayed, visible, inFlight, delayed, q.Dump())
	}
}

// Empty fails the test unless the queue has no messages, hidden ones included.
func (q *Queue) Empty() {
	q.s.t.Helper()
	q.Counts(0, 0, 0)
}

func (q *Queue) status() core.QueueStatus {
	q.s.t.Helper()
	status, err := q.s.Engine().Status(q.key)
	if err != nil {
		q.s.t.Fatalf("there is no queue %s in %s/%s", q.key.Name, q.key.Namespace.Account, q.key.Namespace.Region)
	}
	return status
}

// dumped is how many messages a dump shows.
const dumped = 1000

// Dump describes the queue and its messages, hidden ones too, as a text that is the same in each run of a test: messages
// have numbers in place of ids, and times are counted from the start of the server.
func (q *Queue) Dump() string {
	q.s.t.Helper()
	status := q.status()
	messages, more, err := q.s.Engine().Browse(q.s.t.Context(), q.key, core.BrowseRequest{Limit: dumped})
	if err != nil {
		q.s.t.Fatalf("Dump of %s: %v", q.key.Name, err)
	}
	var b strings.Builder
	q.s.dumpQueue(&b, &status)
	for i := range messages {
		q.s.dumpMessage(&b, i+1, &messages[i])
	}
	if more {
		fmt.Fprintf(&b, "and more than these %d\n", dumped)
	}
	return b.String()
}

func (s *Server) dumpQueue(b *strings.Builder, q *core.QueueStatus) {
	kind, set := "standard", &q.Settings
	if set.FIFO {
		kind = "FIFO"
	}
	fmt.Fprintf(b, "%s (%s): %d visible, %d in flight, %d delayed\n", q.Key.Name, kind, q.Visible, q.InFlight, q.Delayed)
	fmt.Fprintf(b, "  delay %v, visibility %v, retention %v, wait %v, size %d\n", set.Delay, set.Visibility, set.Retention, set.Wait, set.MaxSize)
	if set.Redrive != nil {
		fmt.Fprintf(b, "  dead letters to %s after %d receives\n", set.Redrive.Target.Name, set.Redrive.MaxReceives)
	}
	for _, name := range slices.Sorted(maps.Keys(set.Notes)) {
		fmt.Fprintf(b, "  %s %s\n", name, set.Notes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(q.Tags)) {
		fmt.Fprintf(b, "  tag %s=%s\n", name, q.Tags[name])
	}
}

var states = map[core.MessageState]string{core.Visible: "visible", core.Delayed: "delayed", core.InFlight: "in flight"}

var kinds = map[core.AttributeKind]string{core.Text: "text", core.Number: "number", core.Binary: "binary", core.Boolean: "boolean"}

func (s *Server) dumpMessage(b *strings.Builder, number int, m *core.Seen) {
	fmt.Fprintf(b, "%d. %q %s", number, m.Body, states[m.State])
	if m.State != core.Visible {
		fmt.Fprintf(b, " until %s", s.sinceStart(m.VisibleAt))
	}
	fmt.Fprintf(b, ", sent %s, received %d times", s.sinceStart(m.SentAt), m.Receives)
	if m.Group != "" {
		fmt.Fprintf(b, ", group %s", m.Group)
	}
	if m.Source != nil {
		fmt.Fprintf(b, ", from %s", m.Source.Name)
	}
	b.WriteByte('\n')
	attributes := slices.SortedFunc(slices.Values(m.Attributes), func(x, y core.Attribute) int { return cmp.Compare(x.Name, y.Name) })
	for _, a := range attributes {
		fmt.Fprintf(b, "   %s (%s) %q\n", a.Name, strings.TrimSpace(kinds[a.Kind]+" "+a.Label), a.Value)
	}
}

func (s *Server) sinceStart(at time.Time) string {
	return "+" + at.Sub(s.log.begin).Round(time.Millisecond).String()
}

// updateVariable is the environment variable that makes Golden write its files.
const updateVariable = "SLUICETEST_UPDATE"

// Golden fails the test unless Dump is what the file testdata/{test}.{queue}.golden has. With SLUICETEST_UPDATE=1 in the
// environment it writes the file instead.
func (q *Queue) Golden() {
	q.s.t.Helper()
	name := strings.NewReplacer("/", "_", "\\", "_").Replace(q.s.t.Name()) + "." + string(q.key.Name) + ".golden"
	path, got := filepath.Join("testdata", name), q.Dump()
	if os.Getenv(updateVariable) != "" {
		err := os.MkdirAll("testdata", 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(got), 0o644)
		}
		if err != nil {
			q.s.t.Fatalf("Golden: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		q.s.t.Fatalf("Golden: %v (%s=1 writes the file)", err, updateVariable)
	}
	if got != string(want) {
		q.s.t.Errorf("%s has changed (%s=1 writes it anew):\n%s\nwant:\n%s", path, updateVariable, got, want)
	}
}
