package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/conformance/model"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// story is a model and what it takes to write events shortly. Messages have their bodies for ids; the receipt handle of
// the nth receive of a message is its body and n.
type story struct {
	t     *testing.T
	m     *model.Model
	now   time.Time
	sends []string // to FIFO queues, in the order of their sequence numbers
	count map[string]int
	rules *model.Rules
}

func newStory(t *testing.T, l model.Limits, r *model.Rules, queues map[string]model.Settings) *story {
	s := &story{t: t, m: model.New(model.NewWorld(l, epoch)), now: epoch, count: map[string]int{}, rules: r}
	for name, settings := range queues {
		s.is(model.Created{Queue: name, Settings: settings})
	}
	return s
}

func plain(change ...func(*model.Settings)) model.Settings {
	s := model.Settings{Visibility: 30 * time.Second, Retention: time.Hour}
	for _, c := range change {
		c(&s)
	}
	return s
}

func fifo(s *model.Settings) { s.FIFO = true }

func dying(s *model.Settings) { s.DeadLetters, s.MaxReceives = "dead", 1 }

// is takes note of events that may happen.
func (s *story) is(events ...model.Event) {
	s.t.Helper()
	for _, e := range events {
		if err := s.m.Happened(e); err != nil {
			s.t.Fatalf("Happened(%+v) = %v, want nil", e, err)
		}
	}
}

// isNot fails the test if an event may happen.
func (s *story) isNot(e model.Event, because string) {
	s.t.Helper()
	if err := s.m.Happened(e); err == nil || !strings.Contains(err.Error(), because) {
		s.t.Fatalf("Happened(%+v) = %v, want an error with %q", e, err, because)
	}
}

func (s *story) after(d time.Duration) {
	s.now = s.now.Add(d)
	s.is(model.Passed{Now: s.now})
}

// send sends messages such as "g1-m1", whose group is "g1".
func (s *story) send(bodies ...string) {
	s.t.Helper()
	for _, body := range bodies {
		e := model.Sent{Queue: "q", Rules: s.rules, Messages: []model.Outgoing{{Body: body}}, Results: []model.SendResult{{ID: body}}}
		if group, _, ok := strings.Cut(body, "-"); ok {
			s.sends = append(s.sends, body)
			e.Messages[0].Group, e.Messages[0].DedupID = &group, &body
			e.Results[0].Sequence = s.number(len(s.sends))
		}
		s.is(e)
	}
}

func (s *story) number(n int) string { return fmt.Sprintf("%020d", n) }

// got is a receive of up to most messages that brings the given ones.
func (s *story) got(queue string, most int, timeout time.Duration, bodies ...string) model.Received {
	e := model.Received{Queue: queue, Rules: s.rules, Max: &most, Visibility: &timeout}
	for _, body := range bodies {
		seen := model.Seen{ID: body, Body: body, Sent: epoch, First: epoch, Receives: s.count[body] + 1, Handle: s.handle(body, 1)}
		if group, _, ok := strings.Cut(body, "-"); ok {
			seen.Group, seen.DedupID, seen.Sequence = group, body, s.number(slices.Index(s.sends, body)+1)
		}
		e.Messages = append(e.Messages, seen)
	}
	return e
}

func (s *story) handle(body string, later int) string {
	return fmt.Sprint(body, "#", s.count[body]+later)
}

// receive is got, which has to be possible.
func (s *story) receive(queue string, most int, timeout time.Duration, bodies ...string) {
	s.t.Helper()
	s.is(s.got(queue, most, timeout, bodies...))
	for _, body := range bodies {
		s.count[body]++
	}
}

// receipt is that of the latest receive of a message, or of one before.
func (s *story) receipt(body string, before int) model.Receipt {
	return model.Receipt{Queue: "q", ID: body, Handle: s.handle(body, -before), Born: 1}
}

func (s *story) change(body string, d time.Duration) model.Changed {
	return model.Changed{Queue: "q", Rules: s.rules, Receipt: s.receipt(body, 0), Timeout: d}
}

func TestReceiveHidesMessages(t *testing.T) {
	s := newStory(t, model.Limits{}, &model.SQS, map[string]model.Settings{"q": plain()})
	s.send("a", "b")
	s.isNot(s.got("q", 10, 30*time.Second, "a"), "1 messages came, want 2")
	s.receive("q", 1, 30*time.Second, "a")
	s.isNot(s.got("q", 10, 0, "a", "b"), "is hidden")
	s.isNot(s.got("q", 10, 0, "b", "b"), "comes twice")
	s.isNot(s.got("q", 10, 0, "c"), "is not in q")
	s.is(model.Counted{Queue: "q", Visible: 1, InFlight: 1})
	s.isNot(model.Counted{Queue: "q", Visible: 2}, "want [1 1 0]")
	s.after(30*time.Second - time.Millisecond)
	s.isNot(s.got("q", 10, 0, "b", "a"), "is hidden")
	s.after(time.Millisecond)
	s.isNot(s.got("q", 10, 0, "a", "b"), "but not before it")
	s.isNot(model.Received{Queue: "q", Rules: &model.SQS, Messages: []model.Seen{{ID: "b", Body: "x", Handle: "h", Receives: 1, Sent: epoch, First: s.now}}}, "body is x")
	s.isNot(s.got("q", 1, 0, "b"), "time of the first receive")
}

// Recorded 2024-04: the rules of FIFO queues in facts, of which the order of groups is none.
func TestFIFOGroupsAreDeliveredInOrder(t *testing.T) {
	s := newStory(t, model.Limits{}, &model.SQS, map[string]model.Settings{"q": plain(fifo)})
	s.send("g1-m1", "g2-m1", "g1-m2", "g1-m3", "g2-m2")
	for _, tt := range []struct {
		because string
		bodies  []string
	}{
		{"3 messages came, want 4", []string{"g1-m1", "g1-m2", "g1-m3"}},
		{"not the next of its group", []string{"g1-m1", "g1-m3", "g1-m2", "g2-m1"}},
		{"not the next of its group", []string{"g2-m2", "g1-m1", "g1-m2", "g1-m3"}},
		{"before the group of the previous message was done", []string{"g1-m1", "g2-m1", "g1-m2", "g1-m3"}},
	} {
		s.isNot(s.got("q", 4, 0, tt.bodies...), tt.because)
	}
	s.receive("q", 4, time.Minute, "g2-m1", "g2-m2", "g1-m1", "g1-m2")
	s.receive("q", 4, time.Minute)
	s.isNot(s.got("q", 4, 0, "g1-m3"), "1 messages came, want 0")
	s.is(s.change("g1-m1", 0))
	s.isNot(s.got("q", 4, 0, "g1-m1", "g1-m2"), "is hidden")
	s.receive("q", 4, 0, "g1-m1")
	s.isNot(model.Deleted{Queue: "q", Rules: s.rules, Receipt: s.receipt("g1-m1", 0)}, "want it refused")
	s.is(model.Deleted{Queue: "q", Rules: s.rules, Receipt: s.receipt("g1-m1", 0), Refused: model.HandleExpired})
}

func TestOldHandlesOfStandardQueues(t *testing.T) {
	s := newStory(t, model.Limits{}, &model.SQS, map[string]model.Settings{"q": plain()})
	s.send("a")
	s.receive("q", 1, 0, "a")
	s.receive("q", 1, 3*time.Second, "a")
	s.is(model.Deleted{Queue: "q", Rules: s.rules, Receipt: s.receipt("a", 1)})
	s.is(model.Counted{Queue: "q", InFlight: 1})
	s.is(model.Changed{Queue: "q", Rules: s.rules, Receipt: s.receipt("a", 1)})
	s.is(model.Counted{Queue: "q", Visible: 1})
	s.is(model.Deleted{Queue: "q", Rules: s.rules, Receipt: s.receipt("a", 0)})
	s.is(model.Counted{Queue: "q"})
	s.is(model.Deleted{Queue: "q", Rules: s.rules, Receipt: s.receipt("a", 0)})
	s.isNot(s.change("a", time.Second), "want it refused")
	made := model.Receipt{Queue: "q", Handle: "fake"}
	s.isNot(model.Deleted{Queue: "q", Rules: s.rules, Receipt: made}, "want it refused")
	s.is(model.Deleted{Queue: "q", Rules: s.rules, Receipt: made, Refused: model.HandleInvalid})
}

func TestHiddenForTwelveHoursAtMost(t *testing.T) {
	s := newStory(t, model.Limits{}, &model.SQS, map[string]model.Settings{"q": plain(func(s *model.Settings) { s.Retention = 24 * time.Hour })})
	s.send("a")
	s.receive("q", 1, 30*time.Second, "a")
	s.is(s.change("a", 12*time.Hour))
	s.after(time.Second)
	s.isNot(s.change("a", 12*time.Hour), "for too long")
	s.is(s.change("a", 12*time.Hour-time.Second))
	s.isNot(s.change("a", 12*time.Hour+time.Second), "out of range")
}

func TestDuplicatesAreTheFirstMessage(t *testing.T) {
	s := newStory(t, model.Limits{}, &model.SQS, map[string]model.Settings{"q": plain(fifo)})
	s.send("g-a")
	group, id := "g", "g-a"
	again := model.Sent{Queue: "q", Rules: s.rules, Messages: []model.Outgoing{{Body: "other", Group: &group, DedupID: &id}}}
	again.Results = []model.SendResult{{ID: "new", Sequence: s.number(2)}}
	s.isNot(again, "is a duplicate")
	s.after(5*time.Minute - 1)
	s.isNot(again, "is a duplicate")
	first := again
	first.Results = []model.SendResult{{ID: "g-a", Sequence: s.number(1)}}
	s.is(first)
	s.after(1)
	s.isNot(first, "is not new")
	s.isNot(model.Sent{Queue: "q", Rules: s.rules, Messages: again.Messages, Results: []model.SendResult{{ID: "new", Sequence: s.number(0)}}}, "want a higher one")
	s.is(again)
}

// What a receive has dead-lettered shows in the counters.
func TestOpenDeadLettersAreSettledByCounters(t *testing.T) {
	for moved := range 2 {
		s := newStory(t, model.Limits{}, &model.SQS, map[string]model.Settings{"q": plain(dying), "dead": plain()})
		s.send("a", "b")
		s.receive("q", 1, 0, "a") // visible again as of the same instant as b
		s.receive("q", 1, time.Minute, "b")
		if n := s.m.Worlds(); n != 2 {
			t.Fatalf("Worlds() = %d, want 2", n)
		}
		s.is(model.Counted{Queue: "dead", Visible: moved})
		s.isNot(model.Counted{Queue: "q", Visible: moved, InFlight: 1}, "want")
		if n := s.m.Worlds(); n != 1 {
			t.Fatalf("Worlds() = %d, want 1", n)
		}
		s.isNot(s.got("q", 10, 0, "a"), map[int]string{0: "want 0 of", 1: "not in q"}[moved])
	}
}

func TestDeadLettersKeepWhoTheyAre(t *testing.T) {
	s := newStory(t, model.Limits{}, &model.SQS, map[string]model.Settings{"q": plain(fifo, dying), "dead": plain(fifo)})
	s.send("g-a", "g-b")
	s.receive("q", 1, 0, "g-a")
	s.receive("q", 1, 0, "g-b") // its group is free
	s.is(model.Counted{Queue: "dead", Visible: 1})
	e := s.got("dead", 1, 0, "g-a")
	e.Messages[0].Sequence, e.Messages[0].Source = s.number(3), "q"
	// Its deduplication id is its own id, which is the same here.
	s.is(e)
	e.Messages[0].Handle, e.Messages[0].Receives = "g-a#3", 3
	e.Messages[0].Sequence = s.number(4)
	s.isNot(e, "sequence number is")
}

func TestBoundOfMessagesInFlight(t *testing.T) {
	s := newStory(t, model.Limits{InFlight: 2}, &model.SQS, map[string]model.Settings{"q": plain()})
	s.send("a", "b", "c")
	s.receive("q", 3, time.Minute, "a", "b")
	s.isNot(s.got("q", 3, 0), "want it refused")
	s.is(model.Received{Queue: "q", Rules: s.rules, Refused: model.TooManyInFlight})
	s.is(model.Received{Queue: "q", Rules: s.rules, Waited: true})
}

func TestChangeOfVisibilityRenewsHandles(t *testing.T) {
	s := newStory(t, model.Limits{}, &model.MNS, map[string]model.Settings{"q": plain()})
	s.send("a")
	e := s.got("q", 1, time.Second, "a")
	e.Visibility = nil
	e.Messages[0].Priority, e.Messages[0].Next = 8, epoch.Add(30*time.Second)
	s.is(e)
	s.count["a"]++
	c := s.change("a", time.Second)
	s.isNot(c, "new receipt handle")
	c.Handle = "a#2"
	s.isNot(c, "next visible time")
	c.Next = epoch.Add(time.Second)
	s.is(c)
	s.is(model.Deleted{Queue: "q", Rules: s.rules, Receipt: s.receipt("a", 0), Refused: model.HandleExpired})
	s.count["a"]++
	s.is(model.Deleted{Queue: "q", Rules: s.rules, Receipt: s.receipt("a", 0)})
}

// In an untimed world nothing becomes visible before it is said to be due, and only by what hid it last.
func TestUntimedWorldsWaitForWhatIsDue(t *testing.T) {
	w := model.NewWorld(model.Limits{}, time.Time{})
	s := &story{t: t, m: model.New(w), count: map[string]int{}, rules: &model.SQS}
	s.is(model.Created{Queue: "q", Settings: plain()})
	s.send("a")
	e := s.got("q", 1, time.Second, "a")
	e.Timer = 1
	s.is(e)
	s.count["a"]++
	c := s.change("a", time.Second)
	c.Timer = 2
	s.is(model.Passed{Now: epoch}, c, model.Due{Queue: "q", Timer: 1})
	s.isNot(s.got("q", 1, 0, "a"), "is hidden")
	s.is(model.Due{Queue: "q", Timer: 2}, s.got("q", 1, 0, "a"))
}
