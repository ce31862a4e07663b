package core

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAmendChangesWhatIsNamed(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.create("dead", Patch{})
	q := w.create("q", Patch{Delay: new(time.Second), Notes: map[string]*string{"a": new("1"), "b": new("2")}})
	before := w.info(q)
	w.pass(time.Minute)
	p := Patch{
		Wait: new(3 * time.Second), Notes: map[string]*string{"a": nil, "c": new("")}, FIFO: new(true),
		Redrive: new(&Redrive{dead, 4}), RedriveAllow: &RedriveAllow{Sources: []QueueKey{dead}},
	}
	err := w.Amend(t.Context(), q, func(i QueueInfo) (Patch, error) {
		if diff := cmp.Diff(before, i); diff != "" {
			t.Errorf("Amend() shows (-want +got):\n%s", diff)
		}
		return p, nil
	})
	if err != nil {
		t.Fatalf("Amend() = %v", err)
	}
	want := before
	want.Modified = w.Now()
	want.Settings.Wait = 3 * time.Second
	want.Settings.Notes = map[string]string{"b": "2", "c": ""}
	want.Settings.Redrive = &Redrive{dead, 4}
	want.Settings.RedriveAllow = RedriveAllow{Sources: []QueueKey{dead}}
	for range 2 {
		if diff := cmp.Diff(want, w.info(q)); diff != "" {
			t.Errorf("Queue() (-want +got):\n%s", diff)
		}
		w.restart()
	}
	w.amend(q, Patch{Redrive: new((*Redrive)(nil)), RedriveAllow: &RedriveAllow{}})
	if s := w.info(q).Settings; s.Redrive != nil || len(s.RedriveAllow.Sources) != 0 {
		t.Errorf("Amend() leaves %+v", s)
	}
}

func TestAmendThatFailsChangesNothing(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	before := w.info(q)
	w.pass(time.Minute)
	own := errors.New("mine")
	if err := w.Amend(t.Context(), q, func(QueueInfo) (Patch, error) { return Patch{Delay: new(time.Second)}, own }); err != own {
		t.Errorf("Amend() = %v, want the function's error", err)
	}
	for _, p := range []Patch{
		{Delay: new(time.Second), Wait: new(time.Hour)},
		{Delay: new(time.Second), Redrive: new(&Redrive{named("none"), 1})},
	} {
		if err := w.Amend(t.Context(), q, func(QueueInfo) (Patch, error) { return p, nil }); err == nil {
			t.Errorf("Amend(%+v) = nil", p)
		}
	}
	if diff := cmp.Diff(before, w.info(q)); diff != "" {
		t.Errorf("Queue() (-want +got):\n%s", diff)
	}
}

// Documented: a new delay counts for messages that are there on FIFO queues only.
func TestAmendedDelayIsRetroactiveOnFIFO(t *testing.T) {
	for _, tt := range []struct {
		fifo             bool
		was, now         time.Duration
		visible, delayed int
	}{
		{true, 60, 20, 1, 0},
		{true, 60, 32, 0, 1},
		{true, 31, 900, 0, 1},
		{true, 60, 0, 1, 0},
		{false, 60, 20, 0, 1},
		{false, 31, 900, 1, 0},
	} {
		t.Run(fmt.Sprintf("FIFO=%v/%d to %d", tt.fifo, tt.was, tt.now), func(t *testing.T) {
			w := newWorld(t, forgiving())
			q := w.create("q", Patch{FIFO: &tt.fifo, ContentDedup: new(true), Delay: new(tt.was * time.Second)})
			w.send(q, "g:m")
			w.pass(30 * time.Second)
			w.amend(q, Patch{Delay: new(tt.now * time.Second)})
			w.restart()
			w.pass(time.Second)
			w.counts(q, tt.visible, 0, tt.delayed)
		})
	}
}

func TestTag(t *testing.T) {
	w := newWorld(t, forgiving())
	q := named("q")
	if _, _, err := w.Create(t.Context(), q, Patch{}, map[string]string{"a": "1", "b": "2"}); err != nil {
		t.Fatal(err)
	}
	before := w.info(q)
	w.pass(time.Minute)
	if err := w.Tag(t.Context(), q, map[string]string{"b": "3", "c": ""}, []string{"a", "b", "none"}); err != nil {
		t.Fatal(err)
	}
	want := before
	want.Tags = map[string]string{"b": "3", "c": ""}
	for range 2 {
		if diff := cmp.Diff(want, w.info(q)); diff != "" {
			t.Errorf("Queue() (-want +got):\n%s", diff)
		}
		w.restart()
	}
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "2"}, before.Tags); diff != "" {
		t.Errorf("Tag() changes an earlier description (-want +got):\n%s", diff)
	}
}

func TestTagNeedsNoTags(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	if err := w.Tag(t.Context(), q, map[string]string{"a": "1"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := w.info(q).Tags; len(got) != 1 || got["a"] != "1" {
		t.Errorf("Queue() has the tags %v", got)
	}
}

// What was over before a change of settings stays over, whether or not anybody has looked at the queue since.
func TestAmendComesAfterWhatIsOver(t *testing.T) {
	t.Run("retention", func(t *testing.T) {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{Retention: new(time.Minute)})
		w.send(q, "old")
		w.pass(time.Minute)
		w.amend(q, Patch{Retention: new(time.Hour)})
		w.expect(q, 1)
	})
	t.Run("delay", func(t *testing.T) {
		w := newWorld(t, forgiving())
		q := w.create("q", Patch{FIFO: new(true), ContentDedup: new(true), Delay: new(time.Second)})
		w.send(q, "g:a")
		w.pass(time.Second)
		w.amend(q, Patch{Delay: new(time.Minute)})
		w.expect(q, 1, "g:a")
	})
	t.Run("a change that is refused", func(t *testing.T) {
		w := newStoredWorld(t, forgiving(), false)
		q := w.create("q", Patch{Retention: new(time.Minute)})
		w.send(q, "old")
		w.pass(time.Minute)
		err := w.Amend(t.Context(), q, func(QueueInfo) (Patch, error) { return Patch{Wait: new(time.Hour)}, nil })
		wantKind(t, "Amend()", err, OutOfRange)
		w.amend(q, Patch{Retention: new(time.Hour)})
		w.restart()
		w.expect(q, 1)
	})
}
