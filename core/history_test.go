package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// history drives the engine and the model through the same random verbs and compares what they answer.
type history struct {
	*world
	m        *model
	receipts map[string][]issued // by queue
	ids      map[int]MessageID   // of the model's messages
	sequence map[int]uint64
	bodies   int
}

type issued struct {
	real  Receipt
	model modelReceipt
}

func TestEngineAgreesWithItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		t.Repeat(map[string]func(*rapid.T){
			"send":     h.randomSend,
			"receive":  h.randomReceive,
			"receive2": h.randomReceive,
			"delete":   h.randomDelete,
			"change":   h.randomChange,
			"pass":     h.randomPass,
			"restart":  func(*rapid.T) { h.restart(); h.m.restart() },
			"purge":    h.randomPurge,
			"amend":    h.randomAmend,
			"":         h.compare,
		})
	})
}

func newHistory(t *rapid.T) *history {
	r := randomRules(t)
	h := &history{
		world: newWorld(t, r), m: &model{r: r, now: epoch, queues: map[string]*modelQueue{}},
		receipts: map[string][]issued{}, ids: map[int]MessageID{}, sequence: map[int]uint64{},
	}
	for _, fifo := range []bool{false, true} {
		suffix := map[bool]string{false: "s", true: "f"}[fifo]
		dead := h.add("dead-"+suffix, Patch{FIFO: &fifo, ContentDedup: new(true)})
		p := Patch{
			FIFO: &fifo, ContentDedup: new(rapid.Bool().Draw(t, "content")), Visibility: new(10 * time.Second),
			Retention: new(10 * time.Minute), DedupPerGroup: new(rapid.Bool().Draw(t, "scope")),
		}
		if rapid.Bool().Draw(t, "redrive") {
			p.Redrive = new(&Redrive{dead, rapid.IntRange(1, 3).Draw(t, "receives")})
		}
		h.add("q-"+suffix, p)
	}
	return h
}

func randomRules(t *rapid.T) Rules {
	r := rapid.SampledFrom([]func() Rules{forgiving, strict}).Draw(t, "rules")()
	outcome := rapid.SampledFrom([]Outcome{Reject, Apply, Ignore})
	for _, rules := range []*ReceiptRules{&r.StandardReceipts, &r.FIFOReceipts} {
		*rules = ReceiptRules{
			DeleteExpired: outcome.Draw(t, "deleteExpired"), DeleteSuperseded: outcome.Draw(t, "deleteSuperseded"),
			DeleteGone: outcome.Draw(t, "deleteGone"), ChangeExpired: outcome.Draw(t, "changeExpired"),
			ChangeSuperseded: outcome.Draw(t, "changeSuperseded"), ChangeGone: outcome.Draw(t, "changeGone"),
		}
	}
	r.QueueDelay, r.QueueRetention, r.QueueVisibility, r.PeekMax = Range[time.Duration]{}, Range[time.Duration]{}, Range[time.Duration]{}, Range[int]{}
	r.RenewReceipt = rapid.Bool().Draw(t, "renew")
	r.DelayedReceipts = rapid.Bool().Draw(t, "delayedReceipts")
	r.VisibilityTotal = rapid.SampledFrom([]time.Duration{0, 30 * time.Second}).Draw(t, "total")
	r.MaxInFlight = rapid.SampledFrom([]int{0, 3}).Draw(t, "maxInFlight")
	r.MaxInFlightFIFO = rapid.SampledFrom([]int{0, 3}).Draw(t, "maxInFlightFIFO")
	r.OverLimitFails = rapid.Bool().Draw(t, "overLimitFails")
	r.PurgeInterval = rapid.SampledFrom([]time.Duration{0, time.Minute}).Draw(t, "purgeInterval")
	return r
}

func (h *history) add(name string, p Patch) QueueKey {
	key := h.create(name, p)
	q := &modelQueue{name: name, s: h.rules.Defaults}
	q.s.FIFO = *p.FIFO
	q.s.ContentDedup = *p.ContentDedup
	if p.DedupPerGroup != nil {
		q.s.DedupPerGroup = *p.DedupPerGroup
	}
	h.m.queues[name] = q
	h.m.amend(q, Patch{Visibility: p.Visibility, Retention: p.Retention, Redrive: p.Redrive})
	return key
}

func (h *history) queue(t *rapid.T) (QueueKey, *modelQueue) {
	name := rapid.SampledFrom([]string{"q-s", "q-f", "q-s", "q-f", "dead-s", "dead-f"}).Draw(t, "queue")
	return named(name), h.m.queues[name]
}

// bind notes which of the engine's messages a new one of the model's is.
func (h *history) bind(m *modelMessage, id MessageID, sequence uint64) {
	h.ids[m.id] = id
	h.sequence[m.sequence] = sequence
}

func (h *history) randomSend(t *rapid.T) {
	key, q := h.queue(t)
	var batch []Outgoing
	for range rapid.IntRange(1, 3).Draw(t, "n") {
		h.bodies++
		o := Outgoing{Body: fmt.Sprint(h.bodies)}
		if rapid.IntRange(0, 3).Draw(t, "same body") == 0 {
			o.Body = "same"
		}
		if rapid.IntRange(0, 9).Draw(t, "grouped") > 0 {
			o.Group = new(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "group"))
		}
		if q.s.FIFO && rapid.Bool().Draw(t, "with id") || rapid.IntRange(0, 30).Draw(t, "wrong id") == 0 {
			o.DeduplicationID = new(rapid.SampledFrom([]string{"d1", "d2", "d3", fmt.Sprint("d", h.bodies)}).Draw(t, "id"))
		}
		if rapid.IntRange(0, 2).Draw(t, "with delay") == 0 {
			o.Delay = new(rapid.SampledFrom([]time.Duration{0, time.Second, 5 * time.Second}).Draw(t, "delay"))
		}
		if rapid.IntRange(0, 2).Draw(t, "with priority") == 0 {
			o.Priority = new(rapid.SampledFrom([]int{1, 8, 16}).Draw(t, "priority"))
		}
		batch = append(batch, o)
	}
	sent, err := h.Send(context.Background(), key, batch)
	want, kind := h.m.send(q, batch)
	wantKind(h, "Send()", err, kind)
	for i := range want {
		h.compareSent(key, sent[i], want[i])
	}
}

func (h *history) compareSent(key QueueKey, got Sent, want modelSent) {
	wantKind(h, "Send()", got.Err, want.kind)
	if want.kind != none {
		return
	}
	if got.Duplicate != want.duplicate {
		h.Fatalf("Send() = duplicate %v, want %v", got.Duplicate, want.duplicate)
	}
	if !want.duplicate {
		h.bind(want.m, got.ID, got.Sequence)
		delayed := want.m.state == "delayed"
		if (got.Receipt != "") != (delayed && h.rules.DelayedReceipts) || !got.VisibleAt.Equal(want.m.visibleAt) {
			h.Fatalf("Send() = %+v, want visible at %v", got, want.m.visibleAt)
		}
		if got.Receipt != "" {
			h.issue(key, got.Receipt, modelReceipt{want.m, 0})
		}
	}
	if got.ID != h.ids[want.m.id] || got.Sequence != h.sequence[want.m.sequence] {
		h.Fatalf("Send() = %v, %d, want those of %q", got.ID, got.Sequence, want.m.body)
	}
}

func (h *history) issue(key QueueKey, real Receipt, m modelReceipt) {
	name := string(key.Name)
	h.receipts[name] = append(h.receipts[name], issued{real, m})
}

func (h *history) randomReceive(t *rapid.T) {
	key, q := h.queue(t)
	r := ReceiveRequest{Max: new(rapid.IntRange(1, 5).Draw(t, "max")), Wait: new(time.Duration(0))}
	if rapid.IntRange(0, 2).Draw(t, "with timeout") == 0 && h.rules.ReceiveVisibility.Max > 0 {
		r.Visibility = new(rapid.SampledFrom([]time.Duration{0, time.Second, 20 * time.Second}).Draw(t, "timeout"))
	}
	attempt := ""
	if rapid.IntRange(0, 2).Draw(t, "with attempt") == 0 {
		attempt = rapid.SampledFrom([]string{"a1", "a2"}).Draw(t, "attempt")
		r.AttemptID = &attempt
	}
	got, err := h.Receive(context.Background(), key, r)
	want, kind := h.m.receive(q, *r.Max, r.Visibility, attempt)
	wantKind(h, "Receive()", err, kind)
	if len(got) != len(want) {
		h.Fatalf("Receive() = %v, want %v", bodies(got), modelBodies(want))
	}
	for i, m := range want {
		h.rebind(m, got[i].Message)
		if diff := cmp.Diff(h.message(q, m), got[i].Message); diff != "" {
			h.Fatalf("Receive() number %d (-want +got):\n%s", i, diff)
		}
		if !got[i].VisibleAt.Equal(m.visibleAt) {
			h.Fatalf("Receive() = visible at %v, want %v", got[i].VisibleAt, m.visibleAt)
		}
		h.issue(key, got[i].Receipt, modelReceipt{m, m.delivery})
	}
}

func modelBodies(messages []*modelMessage) []string {
	var texts []string
	for _, m := range messages {
		texts = append(texts, m.body)
	}
	return texts
}

// rebind learns the sequence number that a dead-lettered message was given.
func (h *history) rebind(m *modelMessage, got Message) {
	if _, ok := h.sequence[m.sequence]; !ok {
		h.sequence[m.sequence] = got.Sequence
	}
}

// message is what callers should see of a message.
func (h *history) message(q *modelQueue, m *modelMessage) Message {
	out := Message{
		ID: h.ids[m.id], Sequence: h.sequence[m.sequence], Body: m.body, Digest: DigestOf(m.body), Group: m.group, DeduplicationID: m.dedupID,
		Priority: m.priority, SentAt: m.sent, FirstReceivedAt: m.first, Receives: m.receives,
	}
	if m.source != "" {
		out.Source = new(named(m.source))
		if q.s.FIFO {
			out.DeduplicationID = out.ID.String()
		}
	}
	return out
}

// receipt picks one that was handed out, or returns false.
func (h *history) receipt(t *rapid.T, key QueueKey) (issued, bool) {
	all := h.receipts[string(key.Name)]
	if len(all) == 0 {
		return issued{}, false
	}
	if rapid.Bool().Draw(t, "recent") {
		all = all[max(0, len(all)-5):]
	}
	return rapid.SampledFrom(all).Draw(t, "receipt"), true
}

func (h *history) randomDelete(t *rapid.T) {
	key, q := h.queue(t)
	var batch []Receipt
	var models []modelReceipt
	for range rapid.IntRange(1, 3).Draw(t, "n") {
		if r, ok := h.receipt(t, key); ok {
			batch, models = append(batch, r.real), append(models, r.model)
		}
	}
	errs, err := h.Delete(context.Background(), key, append(batch, "fake"))
	if err != nil || len(errs) != len(batch)+1 {
		h.Fatalf("Delete() = %v, %v", errs, err)
	}
	wantKind(h, "Delete(fake)", errs[len(batch)], ReceiptInvalid)
	h.m.advance(q)
	for i, r := range models {
		wantKind(h, "Delete()", errs[i], h.m.delete(q, r))
	}
}

func (h *history) randomChange(t *rapid.T) {
	key, q := h.queue(t)
	r, ok := h.receipt(t, key)
	if !ok {
		return
	}
	d := rapid.SampledFrom([]time.Duration{0, time.Second, 7 * time.Second, 25 * time.Second, 12*time.Hour + 1}).Draw(t, "timeout")
	got := h.hide(key, r.real, d)
	h.m.advance(q)
	changed, renewed, kind := h.m.change(q, r.model, d)
	wantKind(h, "ChangeVisibility()", got.Err, kind)
	if kind != none {
		return
	}
	if (got.Receipt != r.real) != renewed || !got.VisibleAt.Equal(h.m.now.Add(d)) {
		h.Fatalf("ChangeVisibility() = %+v, want renewed %v, visible at %v", got, renewed, h.m.now.Add(d))
	}
	if renewed {
		h.issue(key, got.Receipt, changed)
	}
}

func (h *history) randomPass(t *rapid.T) {
	d := rapid.SampledFrom([]time.Duration{
		time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second, time.Minute, 3 * time.Minute,
	}).Draw(t, "d")
	h.pass(d)
	h.m.now = h.m.now.Add(d)
}

func (h *history) randomPurge(t *rapid.T) {
	if rapid.IntRange(0, 4).Draw(t, "really") > 0 {
		return
	}
	key, q := h.queue(t)
	wantKind(h, "Purge()", h.Purge(context.Background(), key), h.m.purge(q))
}

func (h *history) randomAmend(t *rapid.T) {
	key, q := h.queue(t)
	seconds := func(label string, of ...int) *time.Duration {
		return new(time.Duration(rapid.SampledFrom(of).Draw(t, label)) * time.Second)
	}
	var p Patch
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0:
		p.Delay = seconds("delay", 0, 0, 2, 30)
	case 1:
		p.Visibility = seconds("visibility", 0, 5, 30)
	case 2:
		p.Retention = seconds("retention", 60, 300, 86400)
	case 3:
		p.DedupPerGroup = new(!q.s.DedupPerGroup)
	case 4:
		if target := "dead-" + key.Name[len(key.Name)-1:]; target != key.Name {
			p.Redrive = rapid.SampledFrom([]**Redrive{
				new((*Redrive)(nil)), new(&Redrive{named(string(target)), 1}), new(&Redrive{named(string(target)), 2}),
			}).Draw(t, "redrive")
		}
	}
	h.amend(key, p)
	h.m.amend(q, p)
}

// compare checks counters, order and contents of every queue.
func (h *history) compare(t *rapid.T) {
	for _, name := range []string{"q-s", "q-f", "dead-s", "dead-f"} {
		q := h.m.queues[name]
		h.m.advance(q)
		h.counts(named(name), q.count("visible"), q.count("in flight"), q.count("delayed"))
		want := h.m.order(q)
		got, err := h.Peek(context.Background(), named(name), new(1000))
		if err != nil {
			h.Fatalf("Peek(%s) = %v", name, err)
		}
		if len(got) != len(want) {
			h.Fatalf("Peek(%s) = %d messages, want %v", name, len(got), modelBodies(want))
		}
		for i, m := range want {
			h.rebind(m, got[i])
			if diff := cmp.Diff(h.message(q, m), got[i]); diff != "" {
				h.Fatalf("Peek(%s) number %d of %v (-want +got):\n%s", name, i, modelBodies(want), diff)
			}
		}
		h.checkInside(name)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// checkInside checks what must always hold inside a queue.
func (h *history) checkInside(name string) {
	q := h.engine.queues[named(name)]
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.consistent(); err != nil {
		h.Fatalf("queue %s: %v", name, err)
	}
}

// consistent checks that the parts of a queue's state agree with each other.
func (q *queue) consistent() error {
	var count [states]int
	hidden, worn := 0, 0
	for sequence, m := range q.messages {
		count[m.state]++
		worn += q.wear(m)
		hides := m.state == delayed || m.state == inFlight
		if hides {
			hidden++
		}
		if m.sequence != sequence || hides != (m.hiddenAt >= 0) || hides && q.hidden.items[m.hiddenAt] != m || q.ages.items[m.agesAt] != m {
			return fmt.Errorf("message %d is not where it should be", sequence)
		}
	}
	if count != q.count || count[held] != 0 || worn != q.worn || hidden != q.hidden.len() || len(q.messages) != q.ages.len() {
		return fmt.Errorf("counted %v, worn %d, hidden %d, aging %d, not %v, %d, %d, %d",
			q.count, q.worn, q.hidden.len(), q.ages.len(), count, worn, hidden, len(q.messages))
	}
	for _, h := range []heap[*message]{q.hidden, q.ages} {
		for i := 1; i < h.len(); i++ {
			if h.less(h.items[i], h.items[(i-1)/2]) {
				return errors.New("a heap is out of order")
			}
		}
	}
	if len(q.waiters.list) > 0 && slices.Contains(q.waiters.list, nil) {
		return errors.New("a waiter is nil")
	}
	return nil
}
