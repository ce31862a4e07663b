package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// World is one thing that may be true of a server. It never changes.
type World struct {
	limits Limits
	timed  bool
	now    time.Time
	queues map[string]*queue
	births map[string]int       // how many queues of a name there have been
	buried map[string]time.Time // when the last one was deleted
}

// Settings are what a queue is made with.
type Settings struct {
	FIFO          bool
	ContentDedup  bool
	DedupPerGroup bool
	Delay         time.Duration
	Visibility    time.Duration
	Retention     time.Duration
	DeadLetters   string // the queue that gets them; empty: none
	MaxReceives   int
}

type queue struct {
	name     string
	s        Settings
	messages []*message // in the order in which they came in
	dedups   []dedup
	attempts []attempt
	purged   time.Time
	sequence string // the highest that a send was told
}

type state byte

const (
	visible  state = 'v'
	delayed  state = 'd'
	inFlight state = 'f'
)

// message is a message of a queue. Texts that are not known yet, as no answer has shown them, are "?".
type message struct {
	id, body, group, dedupID, sequence, source string

	priority            int
	sent, entered       time.Time
	first, last         time.Time // receives
	receives, here      int       // in all, and by this queue
	handle              string    // the newest
	state               state
	until               time.Time // hidden
	timer               int       // of the event that hid it, in untimed worlds
	sinceMin, sinceMost time.Time // since when it is visible, if it is
}

type dedup struct {
	name, id, sequence string
	until              time.Time
}

type attempt struct {
	id    string
	until time.Time
	of    []delivery
}

type delivery struct {
	id, handle string
	until      time.Time
}

const unknown = "?"

// NewWorld returns a world without queues, in which it is a given time. The zero time makes an untimed world.
func NewWorld(l Limits, now time.Time) *World {
	return &World{
		limits: l, timed: !now.IsZero(), now: now,
		queues: map[string]*queue{}, births: map[string]int{}, buried: map[string]time.Time{},
	}
}

// After returns the worlds that may be true after an event, or an error that says why it cannot have happened.
func (w *World) After(e Event) ([]*World, error) { return e.apply(w.clone()) }

func (w *World) clone() *World {
	c := *w
	c.births, c.buried = maps.Clone(w.births), maps.Clone(w.buried)
	c.queues = make(map[string]*queue, len(w.queues))
	for name, q := range w.queues {
		c.queues[name] = q.clone()
	}
	return &c
}

func (q *queue) clone() *queue {
	c := *q
	all := make([]message, len(q.messages))
	c.messages = make([]*message, len(q.messages))
	for i, m := range q.messages {
		all[i] = *m
		c.messages[i] = &all[i]
	}
	c.dedups, c.attempts = slices.Clone(q.dedups), slices.Clone(q.attempts)
	return &c
}

// Key is equal for worlds that nothing can tell apart.
func (w *World) Key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.queues)) {
		w.queues[name].write(&b)
	}
	return b.String()
}

func (q *queue) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s %+v purged=%d seq=%s\n", q.name, q.s, q.purged.UnixMilli(), q.sequence)
	for _, d := range q.dedups {
		fmt.Fprintf(b, "  known: %s id=%s seq=%s until=%d\n", d.name, d.id, d.sequence, d.until.UnixMilli())
	}
	for _, a := range q.attempts {
		fmt.Fprintf(b, "  attempt: %s until=%d %v\n", a.id, a.until.UnixMilli(), a.of)
	}
	byGroup := func(a, b *message) int { return cmp.Compare(a.group, b.group) } // there is no order between groups
	if !q.s.FIFO {
		byGroup = func(a, b *message) int { return cmp.Compare(a.id, b.id) }
	}
	for _, m := range slices.SortedStableFunc(slices.Values(q.messages), byGroup) {
		fmt.Fprintf(b, "  %s\n", m)
	}
}

// String describes a delivery for failures.
func (d delivery) String() string { return fmt.Sprint(d.id, " ", d.handle, " ", d.until.UnixMilli()) }

// String describes a message for failures.
func (m *message) String() string {
	return fmt.Sprintf("%c %q id=%s group=%s dedup=%s seq=%s from=%s p%d sent=%d entered=%d receives=%d/%d handle=%s until=%d timer=%d since=%d-%d last=%d",
		m.state, m.body, m.id, m.group, m.dedupID, m.sequence, m.source, m.priority, m.sent.UnixMilli(), m.entered.UnixMilli(), m.here,
		m.receives, m.handle, m.until.UnixMilli(), m.timer, m.sinceMin.UnixMilli(), m.sinceMost.UnixMilli(), m.last.UnixMilli())
}

func (q *queue) find(id string) *message {
	for _, m := range q.messages {
		if m.id == id {
			return m
		}
	}
	return nil
}

func (q *queue) remove(m *message) {
	q.messages = slices.DeleteFunc(q.messages, func(o *message) bool { return o == m })
}

func (q *queue) count(s state) int {
	n := 0
	for _, m := range q.messages {
		if m.state == s {
			n++
		}
	}
	return n
}

// hide hides a message from now on, or shows it when d is zero.
func (w *World) hide(m *message, d time.Duration, as state, timer int) {
	was := m.state
	m.until, m.timer, m.state = w.now.Add(d), timer, as
	if d > 0 {
		return
	}
	m.state = visible
	if was != visible {
		m.sinceMin = w.now
	}
	m.sinceMost = w.now // what was visible before may keep its place or get a new one
}

// pass brings all queues to the time now.
func (w *World) pass(now time.Time) {
	w.now = now
	for _, q := range w.queues {
		w.settle(q)
	}
}

// settle shows what was hidden long enough and drops what is too old.
func (w *World) settle(q *queue) {
	if !w.timed {
		return
	}
	for _, m := range q.messages {
		if m.state != visible && !m.until.After(w.now) {
			m.state, m.sinceMin, m.sinceMost = visible, m.until, m.until
		}
	}
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool { return !m.entered.Add(q.s.Retention).After(w.now) })
	q.dedups = slices.DeleteFunc(q.dedups, func(d dedup) bool { return !d.until.After(w.now) })
	q.attempts = slices.DeleteFunc(q.attempts, func(a attempt) bool { return !a.until.After(w.now) })
}

// refused settles an event that can be refused for the given reasons; nothing has changed then. The bool is false
// when there are no reasons and none was given, so that the event took place.
func (w *World) refused(got Refusal, reasons ...Refusal) ([]*World, bool, error) {
	reasons = slices.DeleteFunc(reasons, func(r Refusal) bool { return r == None })
	switch {
	case len(reasons) == 0 && got == None:
		return nil, false, nil
	case len(reasons) == 0:
		return nil, true, fmt.Errorf("refused (%s), want it done", got)
	case got == None:
		return nil, true, fmt.Errorf("done, want it refused: %q", reasons)
	case !slices.Contains(reasons, got):
		return nil, true, fmt.Errorf("refused (%s), want one of %q", got, reasons)
	}
	return []*World{w}, true, nil
}

// Model is all that may be true of a server after what has been seen of it.
type Model struct{ worlds []*World }

// New returns a model of which one world is true.
func New(w *World) *Model { return &Model{[]*World{w}} }

// mostWorlds bounds how much may be left open. Histories that look at queues now and then stay far below.
const mostWorlds = 1 << 12

// Happened takes note of an event. It returns an error if that cannot have happened, and then forgets the event.
func (m *Model) Happened(e Event) error {
	next := map[string]*World{}
	var impossible error
	for _, w := range m.worlds {
		after, err := w.After(e)
		if err != nil {
			impossible = fmt.Errorf("%w, in the world\n%s", err, w.Key())
		}
		for _, a := range after {
			next[a.Key()] = a
		}
	}
	if len(next) == 0 {
		return impossible
	}
	if len(next) > mostWorlds {
		return fmt.Errorf("%d worlds are possible, which is too many to follow", len(next))
	}
	m.worlds = slices.Collect(maps.Values(next))
	return nil
}

// Worlds returns how many worlds may be true.
func (m *Model) Worlds() int { return len(m.worlds) }
