package histories_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/model"
	"github.com/sluicemq/sluice/core/clock"
)

// history is a server, its model, and what the clients know.
type history struct {
	*rapid.T
	server *server
	clock  *clock.Manual
	model  *model.Model
	admin  []*sqsVoice // whoever makes and changes queues
	voices []voice     // whoever sends and receives

	settings map[string]model.Settings // of all queues there should be
	exists   map[string]bool
	born     map[string]int
	receipts map[string][]model.Receipt // by provider
	bodies   int
	looked   int
	touched  []string // queues that the last verb may have changed
	log      []string
}

var names = []string{"dead-s", "q-s", "dead-f.fifo", "q-f.fifo"}

// start is when histories begin.
var start = time.Unix(1_790_000_000, 123_000_000)

func TestSQSHistories(t *testing.T) { runHistories(t, "SQS") }

func TestMNSHistories(t *testing.T) { runHistories(t, "MNS") }

func TestBridgedHistories(t *testing.T) { runHistories(t, "SQS", "MNS") }

func runHistories(t *testing.T, providers ...string) {
	for _, kept := range []bool{false, true} {
		name := map[bool]string{false: "memory", true: "badger"}[kept]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				h := newHistory(t, kept, providers)
				t.Repeat(map[string]func(*rapid.T){
					"send": h.send, "send again": h.send, "receive": h.receive, "receive again": h.receive, "receive more": h.receive,
					"remove": h.remove, "change": h.change, "peek": h.peek, "pass": h.pass, "pass again": h.pass,
					"restart": h.restart, "purge": h.purge, "amend": h.amend, "recreate": h.recreate,
					"": h.look,
				})
				h.drain()
			})
		})
	}
}

func newHistory(t *rapid.T, kept bool, providers []string) *history {
	o := sluice.Options{Clock: clock.NewManual(start), Strict: rapid.Bool().Draw(t, "strict")}
	limits := model.Limits{}
	if o.Strict {
		limits.PurgeEvery, limits.RecreateAfter = time.Minute, time.Minute
	}
	if rapid.IntRange(0, 3).Draw(t, "bounded") == 0 {
		o.MaxInFlight = 4
		limits.InFlight = o.MaxInFlight
	}
	h := &history{
		T: t, clock: o.Clock.(*clock.Manual), model: model.New(model.NewWorld(limits, start)),
		settings: map[string]model.Settings{}, exists: map[string]bool{}, born: map[string]int{}, receipts: map[string][]model.Receipt{},
	}
	if kept {
		dir, err := os.MkdirTemp("", "sluice-histories-")
		if err != nil {
			t.Fatalf("MkdirTemp() = %v", err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		o.Data = dir
	}
	h.server = openServer(t, o)
	l := &ledger{tb: t}
	h.admin = []*sqsVoice{newSQS(l, h.server, "localhost:4566", false), newSQS(l, h.server, "localhost:4566", true)}
	if slices.Contains(providers, "SQS") {
		h.voices = append(h.voices, h.admin[0], h.admin[1])
	}
	if slices.Contains(providers, "MNS") {
		h.voices = append(h.voices, &mnsVoice{ledger: l, doer: h.server, host: "localhost:4566"})
	}
	for _, name := range names {
		h.settings[name] = h.randomSettings(name)
	}
	h.createAll()
	return h
}

func (h *history) randomSettings(name string) model.Settings {
	s := model.Settings{
		FIFO: strings.HasSuffix(name, ".fifo"), Visibility: 10 * time.Second,
		Retention: rapid.SampledFrom([]time.Duration{4 * 24 * time.Hour, 4 * 24 * time.Hour, 10 * time.Minute}).Draw(h.T, "retention"),
	}
	if s.FIFO {
		s.ContentDedup = rapid.Bool().Draw(h.T, "content")
		s.DedupPerGroup = rapid.Bool().Draw(h.T, "per group")
	}
	if suffix, ok := strings.CutPrefix(name, "q-"); ok && rapid.Bool().Draw(h.T, "redrive") {
		s.DeadLetters, s.MaxReceives = "dead-"+suffix, rapid.IntRange(1, 3).Draw(h.T, "max receives")
	}
	return s
}

func (h *history) createAll() {
	for _, name := range names {
		h.create(name)
	}
}

func (h *history) create(name string) {
	if s := h.settings[name]; !h.exists[s.DeadLetters] { // a policy cannot name what does not exist
		s.DeadLetters, s.MaxReceives = "", 0
		h.settings[name] = s
	}
	e := h.someAdmin().create(name, h.settings[name])
	h.happened(e)
	if e.Refused == model.None {
		h.exists[name] = true
		h.born[name]++
	}
}

func (h *history) someAdmin() *sqsVoice { return rapid.SampledFrom(h.admin).Draw(h.T, "admin") }

func (h *history) voice() voice {
	return h.voices[rapid.IntRange(0, len(h.voices)-1).Draw(h.T, "voice")]
}

// happened holds an event against the model.
func (h *history) happened(e model.Event) {
	h.Helper()
	h.log = append(h.log, h.clock.Now().Format("15:04:05.000 ")+described(e))
	if err := h.model.Happened(e); err != nil {
		h.Fatalf("%s\n%T: %v", strings.Join(h.log, "\n"), e, err)
	}
}

// empty is what a description leaves out.
var empty = regexp.MustCompile(`,?"[A-Za-z]+":(""|null|0|false|"0001-01-01T00:00:00Z")`)

// described writes an event in a line.
func described(e model.Event) string {
	var b strings.Builder
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(e); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%T %s", e, strings.ReplaceAll(strings.TrimSpace(empty.ReplaceAllString(b.String(), "")), "{,", "{"))
}

// queue picks one and notes that it and its dead-letter queue are to be looked at.
func (h *history) queue() string {
	name := rapid.SampledFrom([]string{"q-s", "q-f.fifo", "q-s", "q-f.fifo", "dead-s", "dead-f.fifo"}).Draw(h.T, "queue")
	h.touched = append(h.touched, name)
	if dead := h.settings[name].DeadLetters; dead != "" {
		h.touched = append(h.touched, dead)
	}
	return name
}

// look compares the counters of the queues that may have changed.
func (h *history) look(*rapid.T) {
	all := []voice{h.admin[0], h.admin[1], h.voices[len(h.voices)-1]}
	for _, name := range h.touched {
		h.looked++
		h.happened(all[h.looked%len(all)].counts(name))
	}
	h.touched = nil
	h.server.checkFaults()
	if h.Failed() {
		h.Logf("%s", strings.Join(h.log, "\n"))
		h.FailNow()
	}
}

// advance moves the clock.
func (h *history) advance(d time.Duration) {
	h.clock.Advance(d)
	h.happened(model.Passed{Now: h.clock.Now()})
}

func (h *history) pass(t *rapid.T) {
	if rapid.IntRange(0, 4).Draw(t, "long") == 0 {
		h.advance(rapid.SampledFrom([]time.Duration{time.Minute, 3 * time.Minute, 5 * time.Minute, 12 * time.Hour}).Draw(t, "d"))
		return
	}
	h.advance(rapid.SampledFrom([]time.Duration{
		time.Millisecond, time.Second - time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second,
	}).Draw(t, "d"))
}

func (h *history) restart(t *rapid.T) {
	if rapid.IntRange(0, 2).Draw(t, "really") > 0 || h.server.options.Data == "" && rapid.IntRange(0, 2).Draw(t, "and forget") > 0 {
		t.Skip("rarely")
	}
	h.server.restart()
	h.touched = slices.Clone(names)
	if h.server.options.Data != "" {
		return
	}
	h.happened(model.Forgotten{})
	clear(h.exists)
	h.createAll()
}

// drain is the end of a history: whatever is left of it is received and deleted, and then nothing is left.
func (h *history) drain() {
	h.T.Logf("draining")
	for _, name := range names {
		if !h.exists[name] {
			continue
		}
		v := h.voices[len(h.voices)-1]
		for range 100 {
			e := v.receive(name, asking{max: new(10)})
			h.happened(e)
			if e.Refused == model.TooManyInFlight || len(e.Messages) == 0 {
				c := v.counts(name)
				h.happened(c)
				if c.Visible+c.InFlight+c.Delayed == 0 {
					break
				}
				h.advance(10 * time.Minute)
				continue
			}
			var receipts []model.Receipt
			for _, m := range e.Messages {
				receipts = append(receipts, h.receipt(name, m.ID, m.Handle))
			}
			for _, d := range v.remove(name, true, receipts) {
				h.happened(d)
			}
		}
		h.touched = slices.Collect(maps.Keys(h.exists))
		h.look(h.T)
	}
}

func (h *history) receipt(queue, id, handle string) model.Receipt {
	return model.Receipt{Queue: queue, ID: id, Handle: handle, Born: h.born[queue]}
}
