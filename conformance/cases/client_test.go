package cases_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// client speaks one protocol. Its verbs are the same in all of them; what a protocol cannot say fails the test.
type client struct {
	*world
	wire
	protocol string
}

// wire is what the protocols have in common. Durations are whole seconds, queues are names. In the names of settings
// and of their values it is SQS's words that count.
type wire interface {
	create(queue string, settings map[string]string) reply
	set(queue string, settings map[string]string) reply
	settings(queue string) (map[string]string, reply)
	drop(queue string) reply

	send(queue string, m sending) sent
	sendBatch(queue string, all ...sending) batch
	receive(queue string, a asking) received
	remove(queue, handle string) reply
	removeBatch(queue string, handles ...string) batch
	change(queue, handle string, timeout int) changed
}

// reply is an answer.
type reply struct {
	status     int
	header     http.Header
	body       string
	code, text string // of an error; SQS: the code of the Query protocol
	kind       string // of an error in JSON: its __type
}

// String is what cases compare: "200", or "404 MessageNotExist: Message not exist.".
func (r reply) String() string {
	if r.code == "" {
		return fmt.Sprint(r.status)
	}
	return fmt.Sprintf("%d %s: %s", r.status, r.code, r.text)
}

// sending is a message to be sent. What is nil is not said.
type sending struct {
	body            string
	delay, priority *int
	group, dedup    *string
	attributes      []attribute
	trace           string // SQS: the X-Ray header; MNS: traceparent
}

// attribute is an attribute of a message; kind is SQS's word for its type, or Boolean, which only MNS has.
type attribute struct {
	name, kind string
	value      string // binary: the raw bytes
}

// sent says what became of a message that was sent.
type sent struct {
	reply
	id, md5       string
	attributesMD5 string // SQS
	systemMD5     string // SQS
	sequence      string // SQS
	handle        string // MNS: of a delayed message
}

// batch says what became of the entries of a batch, in the order of the request. Where a protocol only names those
// that failed, the others have no id.
type batch struct {
	reply
	entries []entry
}

type entry struct {
	sent
	code, text string // empty: it succeeded
}

// String is "ok", or what the error says.
func (e entry) String() string {
	if e.code == "" {
		return "ok"
	}
	return e.code + ": " + e.text
}

// asking is what a receive asks for.
type asking struct {
	max, wait  *int
	visibility *int     // SQS
	attempt    *string  // SQS
	system     []string // SQS
	names      []string // SQS
	peek       bool     // MNS
}

type received struct {
	reply
	messages []message
}

// message is a message as it was received.
type message struct {
	id, handle    string
	body, md5     string
	attributes    []attribute // SQS: as far as they were asked for
	attributesMD5 string      // SQS
	system        map[string]string
	fields        map[string]string // MNS: all elements with a text
	names         []string          // of its members, in their order
}

func (m message) String() string { return m.body }

type changed struct {
	reply
	handle  string // to be used from now on
	visible string // MNS: NextVisibleTime as it was written
}

// say returns the words of the client's own provider.
func (c *client) say(sqs, mns string) string {
	if c.protocol == mnsXML {
		return mns
	}
	return sqs
}

// must fails the test unless an answer is the one that is wanted.
func (c *client) must(got fmt.Stringer, want string) {
	c.t.Helper()
	if got.String() != want {
		c.t.Fatalf("%s: got\n%v, want\n%v", c.protocol, got, want)
	}
}

// same is must for other values, and goes on.
func (c *client) same(what string, got, want any) {
	c.t.Helper()
	if got, want := fmt.Sprint(got), fmt.Sprint(want); got != want {
		c.t.Errorf("%s: %s = %s, want %s", c.protocol, what, got, want)
	}
}

// ok fails the test unless an answer is a success.
func (c *client) ok(r reply) {
	c.t.Helper()
	if r.status >= http.StatusMultipleChoices {
		c.t.Fatalf("%s: got %v, want a success", c.protocol, r)
	}
}

// made makes a queue in the client's own protocol. FIFO queues and policies only exist in SQS, through which they are
// made for all.
func (c *client) made(queue string, settings map[string]string) {
	c.t.Helper()
	by := c
	for _, name := range []string{"FifoQueue", "RedrivePolicy"} {
		if _, special := settings[name]; special {
			by = c.as(sqsJSON)
		}
	}
	c.ok(by.create(queue, settings))
}

// sends sends messages without any frills and returns their ids.
func (c *client) sends(queue string, bodies ...string) (ids []string) {
	c.t.Helper()
	for _, body := range bodies {
		got := c.send(queue, sending{body: body})
		c.ok(got.reply)
		ids = append(ids, got.id)
	}
	return ids
}

// fifo sends messages of one group. Where the protocol knows deduplication ids, the body is one.
func (c *client) fifo(queue, group string, bodies ...string) {
	c.t.Helper()
	for _, body := range bodies {
		m := sending{body: body, group: new(group)}
		if c.protocol != mnsXML {
			m.dedup = new(body)
		}
		c.ok(c.send(queue, m).reply)
	}
}

// takes receives up to so many messages without waiting.
func (c *client) takes(queue string, most int) []message {
	c.t.Helper()
	got := c.receive(queue, asking{max: new(most), wait: new(0), system: []string{"All"}, names: []string{"All"}})
	if got.status != http.StatusOK && got.code != "MessageNotExist" {
		c.t.Fatalf("%s: receive from %s = %v", c.protocol, queue, got)
	}
	return got.messages
}

// take receives exactly one message.
func (c *client) take(queue string) message {
	c.t.Helper()
	got := c.takes(queue, 1)
	if len(got) != 1 {
		c.t.Fatalf("%s: received %d messages from %s, want 1", c.protocol, len(got), queue)
	}
	return got[0]
}

// finds fails the test unless a receive of up to ten messages brings just these bodies, in their order.
func (c *client) finds(queue string, bodies ...string) []message {
	c.t.Helper()
	got := c.takes(queue, 10)
	var texts []string
	for _, m := range got {
		texts = append(texts, m.body)
	}
	if !slices.Equal(texts, bodies) {
		c.t.Fatalf("%s: received %q from %s, want %q", c.protocol, texts, queue, bodies)
	}
	return got
}

// counts fails the test unless a queue has so many visible, received and delayed messages.
func (c *client) counts(queue, want string) {
	c.t.Helper()
	got, r := c.settings(queue)
	c.ok(r)
	if n := got[countVisible] + "/" + got[countInFlight] + "/" + got[countDelayed]; n != want {
		c.t.Errorf("%s: %s has %s messages (visible/in flight/delayed), want %s", c.protocol, queue, n, want)
	}
}

const (
	countVisible  = "ApproximateNumberOfMessages"
	countInFlight = "ApproximateNumberOfMessagesNotVisible"
	countDelayed  = "ApproximateNumberOfMessagesDelayed"
)

// receiveCount is how often a message was delivered.
func (m message) receiveCount() string {
	if n, ok := m.fields["DequeueCount"]; ok {
		return n
	}
	return m.system["ApproximateReceiveCount"]
}

// handles are those of several messages.
func handles(all []message) (handles []string) {
	for _, m := range all {
		handles = append(handles, m.handle)
	}
	return handles
}

// plainID writes message ids of all protocols in one form.
func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

// failsIf ends a test with what must not be.
func failsIf(t testing.TB, bad bool, format string, a ...any) {
	t.Helper()
	if bad {
		t.Fatalf(format, a...)
	}
}
