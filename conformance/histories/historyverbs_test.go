package histories_test

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/sluicemq/sluice/conformance/model"
)

func (h *history) send(t *rapid.T) {
	v, queue := h.voice(), h.queue()
	batch := rapid.Bool().Draw(t, "batch")
	n := 1
	if batch {
		n = rapid.IntRange(1, 6).Draw(t, "n")
	}
	var all []outgoing
	group := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "group")
	for range n {
		all = append(all, h.message(t, v, queue, group))
	}
	e := v.send(queue, batch, all)
	h.happened(e)
	for _, r := range e.Results {
		if r.Handle != "" {
			h.keep(v, h.receipt(queue, r.ID, r.Handle))
		}
	}
}

// message makes one that is mostly good.
func (h *history) message(t *rapid.T, v voice, queue, group string) outgoing {
	fifo := h.settings[queue].FIFO
	h.bodies++
	o := outgoing{Outgoing: model.Outgoing{Body: fmt.Sprintf("b%d <&> \"é😀\"", h.bodies)}}
	if fifo && rapid.IntRange(0, 3).Draw(t, "same body") == 0 {
		o.Body = rapid.SampledFrom([]string{"same", "equal"}).Draw(t, "body")
	}
	if rapid.IntRange(0, 20).Draw(t, "grouped") > 0 && (fifo || rapid.Bool().Draw(t, "tenant")) {
		o.Group = new(rapid.SampledFrom([]string{group, group, group, "a"}).Draw(t, "group"))
	}
	if fifo && rapid.IntRange(0, 9).Draw(t, "with id") > 1 || rapid.IntRange(0, 30).Draw(t, "wrong id") == 0 {
		o.DedupID = new(rapid.SampledFrom([]string{fmt.Sprint("d", h.bodies), fmt.Sprint("d", h.bodies), "d1", "d2"}).Draw(t, "id"))
	}
	delays := []time.Duration{0, 0, time.Second, 5 * time.Second, 15 * time.Minute, 15*time.Minute + time.Second, -time.Second}
	if fifo && v.provider() == "SQS" {
		delays = []time.Duration{0, 0, 0, time.Second}
	}
	if rapid.IntRange(0, 2).Draw(t, "with delay") == 0 {
		o.Delay = new(rapid.SampledFrom(delays).Draw(t, "delay"))
	}
	if v.provider() == "MNS" && rapid.Bool().Draw(t, "with priority") {
		o.Priority = new(rapid.SampledFrom([]int{1, 8, 8, 16, 1, 17}).Draw(t, "priority"))
	}
	for i := range rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "attributes") {
		kind := []string{"String", "Number", "Binary"}[i]
		value := map[string]string{"String": "v & <w>", "Number": "-12.50", "Binary": "\x00\xff\x7f"}[kind]
		o.attributes = append(o.attributes, attribute{fmt.Sprintf("name.%d", i), kind, value})
	}
	return o
}

// keep remembers a receipt for later.
func (h *history) keep(v voice, r model.Receipt) {
	h.receipts[v.provider()] = append(h.receipts[v.provider()], r)
}

func (h *history) receive(t *rapid.T) {
	v, queue := h.voice(), h.queue()
	a := asking{max: new(rapid.SampledFrom([]int{1, 1, 2, 3, 5, 10, 10, 10, 2, 3, 0, 17}).Draw(t, "max"))}
	if rapid.IntRange(0, 3).Draw(t, "without max") == 0 {
		a.max = nil
	}
	if v.provider() == "SQS" && rapid.Bool().Draw(t, "with timeout") {
		a.visibility = new(rapid.SampledFrom([]time.Duration{0, 0, time.Second, 20 * time.Second, time.Minute, 12 * time.Hour, 12*time.Hour + time.Second}).Draw(t, "timeout"))
	}
	if v.provider() == "SQS" && rapid.IntRange(0, 3).Draw(t, "with attempt") == 0 {
		a.attempt = rapid.SampledFrom([]string{"a1", "a2"}).Draw(t, "attempt")
	}
	e := v.receive(queue, a)
	h.happened(e)
	for _, m := range e.Messages {
		h.keep(v, h.receipt(queue, m.ID, m.Handle))
	}
}

// some picks up to n receipts of a provider, most of them of the queue and recent, some made up.
func (h *history) some(t *rapid.T, v voice, queue string, n int) []model.Receipt {
	var of []model.Receipt
	for _, r := range h.receipts[v.provider()] {
		if r.Queue == queue || rapid.IntRange(0, 40).Draw(t, "of another queue") == 0 {
			of = append(of, r)
		}
	}
	var some []model.Receipt
	for range n {
		from := of
		if rapid.IntRange(0, 2).Draw(t, "recent") > 0 {
			from = of[max(0, len(of)-4):]
		}
		if len(from) == 0 || rapid.IntRange(0, 20).Draw(t, "made up") == 0 {
			some = append(some, model.Receipt{Queue: queue, Handle: rapid.SampledFrom([]string{"fake", "AQEBfake", "00000000-x"}).Draw(t, "fake")})
			continue
		}
		some = append(some, rapid.SampledFrom(from).Draw(t, "receipt"))
	}
	return some
}

func (h *history) batch(t *rapid.T) (bool, int) {
	if rapid.Bool().Draw(t, "batch") {
		return true, rapid.IntRange(1, 4).Draw(t, "n")
	}
	return false, 1
}

func (h *history) remove(t *rapid.T) {
	v, queue := h.voice(), h.queue()
	batch, n := h.batch(t)
	for _, e := range v.remove(queue, batch, h.some(t, v, queue, n)) {
		h.happened(e)
	}
}

func (h *history) change(t *rapid.T) {
	v, queue := h.voice(), h.queue()
	batch, n := h.batch(t)
	if v.provider() == "MNS" {
		batch, n = false, 1
	}
	var changes []model.Changed
	for _, r := range h.some(t, v, queue, n) {
		d := rapid.SampledFrom([]time.Duration{
			0, 0, time.Second, 7 * time.Second, time.Minute, 12*time.Hour - time.Second, 12 * time.Hour, 12*time.Hour + time.Second, -time.Second,
		}).Draw(t, "timeout")
		changes = append(changes, model.Changed{Queue: queue, Rules: v.rules(), Receipt: r, Timeout: d})
	}
	for _, e := range v.change(queue, batch, changes) {
		h.happened(e)
		if e.Handle != "" {
			h.keep(v, h.receipt(queue, e.Receipt.ID, e.Handle))
		}
	}
}

func (h *history) peek(t *rapid.T) {
	v, ok := h.voice().(*mnsVoice)
	if !ok {
		t.Skip("SQS cannot peek")
	}
	var most *int
	if rapid.Bool().Draw(t, "with max") {
		most = new(rapid.SampledFrom([]int{1, 3, 16, 16, 17, 0}).Draw(t, "max"))
	}
	h.happened(v.peek(h.queue(), most))
}

func (h *history) purge(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("rarely")
	}
	h.happened(h.someAdmin().purge(h.queue()))
}

// recreate deletes a queue or makes one that was deleted.
func (h *history) recreate(t *rapid.T) {
	if rapid.IntRange(0, 5).Draw(t, "really") > 0 {
		t.Skip("rarely")
	}
	name := h.queue()
	if h.exists[name] {
		h.happened(h.someAdmin().drop(name))
		delete(h.exists, name)
		return
	}
	h.create(name)
}

// target picks a dead-letter queue: mostly the one that is meant for it, now and then the queue itself; that of a
// dead-letter queue closes a circle.
func (h *history) target(t *rapid.T, name string) string {
	_, suffix, _ := strings.Cut(name, "-")
	switch {
	case rapid.IntRange(0, 9).Draw(t, "itself") == 0:
		return name
	case strings.HasPrefix(name, "dead-"):
		return "q-" + suffix
	default:
		return "dead-" + suffix
	}
}

func (h *history) amend(t *rapid.T) {
	name := h.queue()
	s := h.settings[name]
	var change func(*model.Settings)
	seconds := func(of ...int) time.Duration {
		return time.Duration(rapid.SampledFrom(of).Draw(t, "seconds")) * time.Second
	}
	switch what := rapid.SampledFrom([]string{"delay", "visibility", "retention", "redrive"}).Draw(t, "what"); {
	case what == "delay" && !(s.FIFO && len(h.voices) != 2): // what is retroactive for delays of single messages is not known
		d := seconds(0, 0, 2, 30)
		change = func(s *model.Settings) { s.Delay = d }
	case what == "retention":
		d := seconds(60, 600, 345600)
		change = func(s *model.Settings) { s.Retention = d }
	case what == "redrive":
		n, target := rapid.IntRange(0, 3).Draw(t, "max receives"), h.target(t, name)
		if n == 0 || !h.exists[target] {
			n, target = 0, ""
		}
		change = func(s *model.Settings) { s.DeadLetters, s.MaxReceives = target, n }
	default:
		d := seconds(0, 5, 30)
		change = func(s *model.Settings) { s.Visibility = d }
	}
	e := h.someAdmin().amend(name, s, change)
	h.happened(e)
	if e.Refused == model.None {
		change(&s)
		h.settings[name] = s
	}
}
