package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCreateMakesAQueueOfDefaults(t *testing.T) {
	w := newWorld(t, forgiving())
	tags := map[string]string{"k": "v", "empty": ""}
	info, made, err := w.Create(t.Context(), named("q"), Patch{Delay: new(time.Second), Notes: map[string]*string{"n": new("1")}}, tags)
	if err != nil || !made {
		t.Fatalf("Create() = made %v, %v", made, err)
	}
	want := QueueInfo{
		Key: named("q"), Tags: tags, Created: epoch, Modified: epoch,
		Settings: Settings{
			Delay: time.Second, Visibility: 30 * time.Second, Retention: 4 * 24 * time.Hour, MaxSize: 1 << 20,
			Notes: map[string]string{"n": "1"},
		},
	}
	if diff := cmp.Diff(want, info); diff != "" {
		t.Errorf("Create() (-want +got):\n%s", diff)
	}
	w.restart()
	if diff := cmp.Diff(want, w.info(named("q"))); diff != "" {
		t.Errorf("Queue() after a restart (-want +got):\n%s", diff)
	}
}

func TestCreateAgain(t *testing.T) {
	seconds := func(n int) *time.Duration { return new(time.Duration(n) * time.Second) }
	first := Patch{Delay: seconds(5), Wait: seconds(2), Notes: map[string]*string{"policy": new("p")}}
	for _, tt := range []struct {
		name          string
		p             Patch
		named, whole  Field // what conflicts when only named settings count, and when all do
		conflictNamed string
	}{
		{"the same", first, NoField, NoField, ""},
		{"nothing named", Patch{}, NoField, QueueDelay, ""},
		{"some named", Patch{Delay: seconds(5)}, NoField, QueueWait, ""},
		{"another delay", Patch{Delay: seconds(6)}, QueueDelay, QueueDelay, ""},
		{"another default", Patch{Visibility: seconds(31)}, QueueVisibility, QueueVisibility, ""},
		{"the default named", Patch{Delay: seconds(5), Wait: seconds(2), Visibility: seconds(30)}, NoField, NoField, ""},
		{"another size", Patch{MaxSize: new(2048)}, QueueMaxSize, QueueMaxSize, ""},
		{"another retention", Patch{Retention: seconds(3600)}, QueueRetention, QueueRetention, ""},
		{"another wait", Patch{Delay: seconds(5), Wait: seconds(3)}, QueueWait, QueueWait, ""},
		{"another note", Patch{Delay: seconds(5), Wait: seconds(2), Notes: map[string]*string{"policy": new("x")}}, QueueNote, QueueNote, "policy"},
		{"one more note", Patch{Delay: seconds(5), Wait: seconds(2), Notes: map[string]*string{"other": new("x")}}, QueueNote, QueueNote, "other"},
		{"another type", Patch{Delay: seconds(5), Wait: seconds(2), FIFO: new(true)}, QueueFIFO, QueueFIFO, ""},
		{"the type named", Patch{Delay: seconds(5), Wait: seconds(2), FIFO: new(false)}, NoField, NoField, ""},
		{"content deduplication", Patch{Delay: seconds(5), Wait: seconds(2), ContentDedup: new(true)}, QueueContentDedup, QueueContentDedup, ""},
		{"a deduplication scope", Patch{Delay: seconds(5), Wait: seconds(2), DedupPerGroup: new(true)}, QueueDedupScope, QueueDedupScope, ""},
		{"a group limit", Patch{Delay: seconds(5), Wait: seconds(2), GroupLimit: new(true)}, QueueGroupLimit, QueueGroupLimit, ""},
		{"a redrive policy", Patch{Delay: seconds(5), Wait: seconds(2), Redrive: new(&Redrive{named("dead"), 3})}, QueueRedrive, QueueRedrive, ""},
		{"no redrive policy", Patch{Delay: seconds(5), Wait: seconds(2), Redrive: new((*Redrive)(nil))}, NoField, NoField, ""},
		{"who may redrive", Patch{Delay: seconds(5), Wait: seconds(2), RedriveAllow: &RedriveAllow{DenyAll: true}}, QueueRedriveAllow, QueueRedriveAllow, ""},
		{"all may redrive", Patch{Delay: seconds(5), Wait: seconds(2), RedriveAllow: &RedriveAllow{Sources: []QueueKey{}}}, NoField, NoField, ""},
		{"a value out of range", Patch{Visibility: seconds(-1)}, QueueVisibility, QueueVisibility, ""},
	} {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", tt.name, whole), func(t *testing.T) {
				r := forgiving()
				r.CompareOmitted = whole
				w := newWorld(t, r)
				w.create("dead", Patch{})
				q := w.create("q", first)
				w.restart()
				_, made, err := w.Create(t.Context(), q, tt.p, map[string]string{"not": "set"})
				want := tt.named
				if whole {
					want = tt.whole
				}
				e, ok := errors.AsType[*Error](err)
				switch {
				case want == NoField && (err != nil || made):
					t.Errorf("Create() again = made %v, %v", made, err)
				case want != NoField && (!ok || e.Field != want || e.Name != tt.conflictNamed):
					t.Errorf("Create() again = %v, want field %d %q", err, want, tt.conflictNamed)
				}
				if len(w.info(q).Tags) != 0 {
					t.Error("Create() again sets tags")
				}
			})
		}
	}
}

func TestCreateRefusesWhatRulesForbid(t *testing.T) {
	w := newWorld(t, forgiving())
	for _, tt := range []struct {
		p     Patch
		field Field
	}{
		{Patch{Delay: new(15*time.Minute + 1)}, QueueDelay},
		{Patch{MaxSize: new(1023)}, QueueMaxSize},
		{Patch{Retention: new(time.Duration(0))}, QueueRetention},
		{Patch{Wait: new(21 * time.Second)}, QueueWait},
		{Patch{Visibility: new(13 * time.Hour)}, QueueVisibility},
	} {
		_, _, err := w.Create(t.Context(), named("q"), tt.p, nil)
		wantKind(t, "Create()", err, OutOfRange)
		if e, ok := err.(*Error); ok && e.Field != tt.field {
			t.Errorf("Create() names field %d, want %d", e.Field, tt.field)
		}
	}
	wantKind(t, "Queue()", second(w.Queue(t.Context(), named("q"))), QueueNotFound)
}

func TestRedrivePolicyNeedsAWillingTarget(t *testing.T) {
	for _, tt := range []struct {
		name string
		fifo bool
		to   string
		want Kind
	}{
		{"missing", false, "none", RedriveTargetNotFound},
		{"another type", true, "open", RedriveTargetType},
		{"open", false, "open", none},
		{"closed", false, "closed", RedriveDenied},
		{"for others", false, "others", RedriveDenied},
		{"for it", false, "its", none},
		{"itself", false, "q", none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, forgiving())
			w.create("open", Patch{})
			w.create("closed", Patch{RedriveAllow: &RedriveAllow{DenyAll: true}})
			w.create("others", Patch{RedriveAllow: &RedriveAllow{Sources: []QueueKey{named("p")}}})
			w.create("its", Patch{RedriveAllow: &RedriveAllow{Sources: []QueueKey{named("p"), named("q"), named("old")}}})
			p := Patch{FIFO: &tt.fifo, Redrive: new(&Redrive{named(tt.to), 1})}
			_, _, err := w.Create(t.Context(), named("q"), p, nil)
			wantKind(t, "Create()", err, tt.want)
			old := w.create("old", Patch{FIFO: &tt.fifo})
			if tt.to == "q" {
				p.Redrive = new(&Redrive{old, 1})
			}
			err = w.Amend(t.Context(), old, func(QueueInfo) (Patch, error) { return p, nil })
			wantKind(t, "Amend()", err, tt.want)
			if got := w.info(old).Settings.Redrive; (got != nil) != (tt.want == none) {
				t.Errorf("Amend() leaves the policy %v", got)
			}
		})
	}
}

func TestQueueDeletedRecently(t *testing.T) {
	r := forgiving()
	r.RecreateAfter = time.Minute
	w := newWorld(t, r)
	q := w.create("q", Patch{})
	if err := w.DeleteQueue(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "DeleteQueue() twice", w.DeleteQueue(t.Context(), q), QueueNotFound)
	w.pass(time.Minute - time.Millisecond)
	_, _, err := w.Create(t.Context(), q, Patch{}, nil)
	wantKind(t, "Create()", err, QueueDeletedRecently)
	w.create("other", Patch{})
	w.pass(time.Millisecond)
	w.create("q", Patch{})

	if err := w.DeleteQueue(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	w.Broker = w.engine.Under(forgiving())
	w.create("q", Patch{})
}

func TestNamespacesAreApart(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	there := QueueKey{Namespace{home.Account, "there"}, "q"}
	if _, made, err := w.Create(t.Context(), there, Patch{Delay: new(time.Second)}, nil); err != nil || !made {
		t.Fatalf("Create() elsewhere = made %v, %v", made, err)
	}
	w.send(q, "m")
	w.counts(there, 0, 0, 0)
}

// Of many who create, exactly one makes the queue, and all are told of the same one.
func TestCreateAtOnceMakesOneQueue(t *testing.T) {
	w := newWorld(t, forgiving())
	var mu sync.Mutex
	var all sync.WaitGroup
	made := 0
	for range 50 {
		all.Go(func() {
			_, m, err := w.Create(context.Background(), named("q"), Patch{}, nil)
			if err != nil {
				t.Errorf("Create() = %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			made += map[bool]int{true: 1}[m]
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("%d calls made the queue, want 1", made)
	}
}

// A queue that comes and goes never makes Create or its neighbours answer nonsense.
func TestCreateWhileOthersDelete(t *testing.T) {
	w := newWorld(t, forgiving())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				if _, _, err := w.Create(context.Background(), named("q"), Patch{}, nil); err != nil {
					t.Errorf("Create() = %v", err)
				}
			}
		})
		all.Go(func() {
			for range 200 {
				if err := w.DeleteQueue(context.Background(), named("q")); err != nil && !errors.Is(err, &Error{Kind: QueueNotFound}) {
					t.Errorf("DeleteQueue() = %v", err)
				}
			}
		})
	}
	all.Wait()
}
