package crash_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// certainty is what clients know of something that they asked for.
type certainty uint8

const (
	never  certainty = iota // it was not asked for, or refused
	maybe                   // it was not answered
	surely                  // it was acknowledged, or its effect was seen
)

// window is where an instant lies of which only the request and the answer around it are known. The zero value is long
// ago; a zero from alone says that there is no lower bound.
type window struct{ from, to time.Time }

// after is the window of the instant that comes by d after a request, which took from one time to the other. The
// engine counts in whole milliseconds.
func after(from, to time.Time, d time.Duration) window {
	return window{from.Truncate(time.Millisecond).Add(d - time.Millisecond), to.Add(d)}
}

// history is what clients know of the messages of a queue.
type history struct {
	mu         sync.Mutex
	messages   map[string]*message // by token: all that may be there
	buried     map[string]bool     // tokens of those that are gone for good
	unanswered int                 // receives
	tokens     int
	sent       int
	deleted    int
}

func newHistory() history {
	return history{messages: map[string]*message{}, buried: map[string]bool{}}
}

// find returns the message of a delivery. The lock is held.
func (h *history) find(t *testing.T, w wire, queue string, d delivery) *message {
	t.Helper()
	token := tokenOf(d.body)
	m := h.messages[token]
	switch {
	case m == nil && h.buried[token]:
		t.Errorf("%v: %s delivered %s, which had been deleted for good", w, queue, token)
	case m == nil:
		t.Errorf("%v: %s delivered %q, which nobody has sent", w, queue, token)
	}
	return m
}

// change hides a message for another time and reports whether that was answered.
func (h *history) change(t *testing.T, ctx context.Context, w wire, queue string, o own, timeout time.Duration) bool {
	from := time.Now()
	h.mu.Lock()
	o.changing(from, timeout)
	h.mu.Unlock()
	renewed, visibleAt, err := w.change(ctx, queue, o.receipt, timeout)
	to := time.Now()

	h.mu.Lock()
	defer h.mu.Unlock()
	_, refused := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		o.changed(renewed, visibleAt, from, to, timeout)
	case refused && o.late(to):
	case errors.Is(err, errNoAnswer):
		o.unchanged(w, to, timeout)
		return false
	default:
		t.Errorf("%v: change of %s to %v = %v, want no error", w, o.token, timeout, err)
	}
	return true
}

// prune buries what was deleted for sure and reports what the storm found.
func (h *history) prune(t *testing.T) {
	t.Helper()
	for token, m := range h.messages {
		if m.early != "" {
			t.Error(m.early)
			m.early = ""
		}
		if m.gone == surely {
			h.bury(token)
		}
	}
}

func (h *history) bury(token string) {
	h.buried[token] = true
	delete(h.messages, token)
	checked.add(heldDeletions, 1)
}

// message is the history of a message.
type message struct {
	token      string // begins its body, and names it before it has an id
	size       int
	digest     string
	attributes []attribute
	delay      time.Duration
	via        string // the client that sent it
	batch      *batch // that it was sent in, nil for one sent alone

	id     string
	sent   certainty
	sentAt time.Time // when that was answered
	gone   certainty
	goneAt time.Time // when its deletion was answered

	count   int    // the highest that a receive has shown
	hidden  window // when it becomes visible
	delayed bool   // it has been hidden ever since it was sent
	moves   bool   // once it is a dead letter it may be moved back, which makes it a new message with a new id (Documented)
	at      string // the queue in which it was seen last
	receipt string // of the receive with that count
	by      string // the client that holds the receipt
	lost    bool   // its receipt may have been replaced by another that nobody knows
	early   string // a delivery that came too early, unless a request that took too long explains it

	group    string
	index    int // its place in the group
	dedup    string
	sequence string
	issued   bool // somebody may have begun to delete it
}

// batch is messages that were sent by one request: all of them or none.
type batch struct{ happened, missing bool }

// newMessage makes up a message for a protocol. Its body and attributes follow from its token alone.
func newMessage(w wire, token string, size int, attributes bool) *message {
	m := &message{token: token, size: size, via: w.String()}
	if attributes {
		m.attributes = attributesOf(w, token)
		m.size -= min(m.weight(), size/2)
	}
	m.digest = md5Of(m.body())
	return m
}

// pieces are what bodies are made of: all that is special to one of the three protocols.
var pieces = []string{"a", "Z", " ", "<", ">", "&", `"`, "'", "%41", "+", "=", "\n", "\r", "\t", "]]>", `\`, "é", "漢", "😀", "&amp;", "0"}

// body is the token and some text, of the message's size in bytes.
func (m *message) body() string {
	var b strings.Builder
	b.WriteString(m.token)
	b.WriteByte(' ')
	rng := rngOf(m.token)
	for b.Len() < m.size {
		piece := pieces[rng.IntN(len(pieces))]
		for range min(1+rng.IntN(64), (m.size-b.Len())/len(piece)) {
			b.WriteString(piece)
		}
		if m.size-b.Len() < 8 {
			b.WriteString(strings.Repeat("x", m.size-b.Len()))
		}
	}
	return b.String()
}

func rngOf(token string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(token))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

func tokenOf(body string) string {
	token, _, _ := strings.Cut(body, " ")
	return token
}

// attributesOf makes up attributes. MNS has no labels to types.
func attributesOf(w wire, token string) []attribute {
	rng := rngOf(token)
	kind := "String.my-own"
	if _, mns := w.(*mnsWire); mns {
		kind = "String"
	}
	all := []attribute{
		{"bytes", "Binary", []byte{0, 255, byte(rng.IntN(256))}},
		{"label", kind, []byte("<" + token + ">")},
		{"number", "Number", fmt.Append(nil, rng.IntN(1e6))},
		{"text", "String", []byte("\"é\" & " + token)},
	}
	return all[rng.IntN(len(all)):]
}

func (m *message) outgoing() outgoing {
	o := outgoing{body: m.body(), attributes: m.attributes, group: m.group, dedup: m.dedup}
	if m.delay > 0 {
		o.delay = &m.delay
	}
	return o
}

// weight is what SQS counts of the attributes for the size of the message.
func (m *message) weight() int {
	n := 0
	for _, a := range m.attributes {
		n += len(a.name) + len(a.kind) + len(a.value)
	}
	return n
}

// alive reports whether the message must be in its queue.
func (m *message) alive() bool { return m.sent == surely && m.gone == never }

// check compares a delivery with what was sent.
func (m *message) check(t *testing.T, w wire, d delivery) {
	t.Helper()
	if m.id == "" || m.moves && d.count > 1 {
		m.id = d.id
	}
	if d.id != m.id {
		t.Errorf("%v delivered %s with id %s, want %s", w, m.token, d.id, m.id)
	}
	if got := md5Of(d.body); got != m.digest || d.md5 != m.digest {
		t.Errorf("%v delivered %s with a body of %d bytes, MD5 %s, said to be %s; want %d bytes, %s",
			w, m.token, len(d.body), got, d.md5, m.size, m.digest)
	}
	if diff := gocmp.Diff(shown(m.attributes, w), shown(d.attributes, w), gocmp.AllowUnexported(attribute{})); diff != "" {
		t.Errorf("%v delivered %s with other attributes (-want +got):\n%s", w, m.token, diff)
	}
	if d.group != m.group {
		t.Errorf("%v delivered %s with group %q, want %q", w, m.token, d.group, m.group)
	}
}

// shown is how a protocol shows attributes, in the order of their names.
func shown(attributes []attribute, w wire) []attribute {
	all := slices.Clone(attributes)
	if _, ok := w.(*mnsWire); ok {
		for i := range all {
			all[i].kind = mnsType(all[i].kind)
		}
	}
	slices.SortFunc(all, func(a, b attribute) int { return cmp.Compare(a.name, b.name) })
	if len(all) == 0 {
		return nil
	}
	return all
}

// acknowledge notes that a send was answered.
func (m *message) acknowledge(t *testing.T, w wire, s sent, from, to time.Time) {
	t.Helper()
	if m.id == "" {
		m.id = s.id
	}
	if s.id != m.id && !(m.moves && m.count > 1) || s.md5 != m.digest {
		t.Errorf("%v answered the send of %s with id %s and MD5 %s, want %s and %s", w, m.token, s.id, s.md5, m.id, m.digest)
	}
	m.sent, m.sentAt, m.sequence = surely, to, s.sequence
	if m.count == 0 && m.delay > 0 {
		m.hidden, m.delayed = after(from, to, m.delay), true
		m.receipt, m.by = s.receipt, w.String()
	}
}

// took notes a delivery. Answers may be looked at in another order than the server gave them; the receive count tells
// which is the latest. It reports whether this one is.
func (m *message) took(t *testing.T, w wire, queue string, d delivery, from, to time.Time, timeout time.Duration) bool {
	t.Helper()
	m.check(t, w, d)
	m.sent = surely
	if m.batch != nil {
		m.batch.happened = true
	}
	switch {
	case m.gone == surely && m.goneAt.Before(from):
		t.Errorf("%v delivered %s, whose deletion was acknowledged before", w, m.token)
	case d.count == m.count:
		t.Errorf("%v delivered %s with receive count %d for the second time", w, m.token, d.count)
	case d.count < m.count:
		return false
	case to.Before(m.hidden.from):
		m.early = fmt.Sprintf("%v delivered %s %v before it was to be visible", w, m.token, m.hidden.from.Sub(to))
	}
	m.count, m.receipt, m.by, m.at, m.delayed = d.count, d.receipt, w.String(), queue, false
	m.hidden = after(from, to, timeout)
	if _, ok := w.(*mnsWire); ok {
		if d.visibleAt.Before(m.hidden.from) || d.visibleAt.After(m.hidden.to) {
			t.Errorf("%v says that %s is hidden until %v, want between %v and %v", w, m.token, d.visibleAt, m.hidden.from, m.hidden.to)
		}
		m.hidden = window{d.visibleAt, d.visibleAt}
	}
	return true
}

// own is a client's hold on a message: no one else can do anything to it before the window begins.
type own struct {
	*message
	count   int
	receipt string
	hidden  window
}

// late reports whether somebody else may have received the message by a time.
func (o own) late(at time.Time) bool { return !at.Before(o.hidden.from) }

// changing notes that a visibility change is about to be asked for: from now on it may take effect.
func (o own) changing(now time.Time, timeout time.Duration) {
	if from := after(now, now, timeout).from; o.message.count == o.count && from.Before(o.message.hidden.from) {
		o.message.hidden.from = from
	}
}

// changed notes that the change was answered.
func (o own) changed(renewed string, visibleAt time.Time, from, to time.Time, timeout time.Duration) {
	m := o.message
	w := after(from, to, timeout)
	if !visibleAt.IsZero() {
		w = window{visibleAt, visibleAt}
	}
	switch {
	case o.late(to):
		m.hidden = window{to: latest(m.hidden.to, w.to)}
		m.lost, m.early = renewed != o.receipt, ""
	case m.count == o.count:
		m.hidden, m.receipt = w, renewed
	}
}

// unchanged notes that nothing is known of a change.
func (o own) unchanged(w wire, now time.Time, timeout time.Duration) {
	o.message.hidden.to = latest(o.message.hidden.to, now.Add(timeout))
	if o.late(now) {
		o.message.early = ""
	}
	if _, ok := w.(*mnsWire); ok {
		o.message.lost = true
	}
}

// hurry reports whether there is too little time left to do anything with a message.
func (o own) hurry() bool { return time.Until(o.hidden.from) < short/2 }

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
