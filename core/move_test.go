package core

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

// graveyard is a dead-letter queue with messages of one or more queues.
func (w *world) graveyard(fifo bool, sources ...string) QueueKey {
	w.Helper()
	p := Patch{FIFO: &fifo, ContentDedup: new(true)}
	dead := w.create("dead", p)
	for _, name := range sources {
		q := w.dying(name, dead, 1, p)
		for i := range 3 {
			w.send(q, fmt.Sprintf("%s:%d", name, i))
		}
		w.receive(q, 10)
	}
	w.pass(time.Second)
	for _, name := range sources {
		w.expect(named(name), 10)
	}
	return dead
}

func (w *world) startMove(source QueueKey, target *QueueKey, perSecond *int) MoveTask {
	w.Helper()
	task, err := w.StartMove(context.Background(), source, target, perSecond)
	if err != nil {
		w.Fatalf("StartMove(%v) = %v", source.Name, err)
	}
	return task
}

// lastMove returns the latest task, once everybody has done what there is to do.
func (w *world) lastMove(source QueueKey) MoveTask {
	w.Helper()
	synctest.Wait()
	tasks, err := w.Moves(context.Background(), source, 1)
	if err != nil || len(tasks) != 1 {
		w.Fatalf("Moves(%v) = %+v, %v", source.Name, tasks, err)
	}
	return tasks[0]
}

func TestMoveBringsMessagesHome(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, forgiving())
			dead := w.graveyard(fifo, "a", "b")
			w.send(dead, "dead:own") // it has no origin, and comes later than the others
			old, err := w.Peek(t.Context(), dead, nil)
			if err != nil || len(old) != 1 {
				t.Fatalf("Peek() = %v, %v", old, err)
			}
			task := w.startMove(dead, nil, nil)
			want := task
			want.Status, want.Moved, want.Failure = MoveFailed, 6, MoveOriginUnknown
			if task.Status != MoveInProgress || task.ToMove != 7 || len(task.ID) != 32 || !task.Started.Equal(w.Now()) {
				t.Errorf("StartMove() = %+v", task)
			}
			got := w.lastMove(dead)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Moves() (-want +got):\n%s", diff)
			}
			w.counts(dead, 1, 0, 0)
			for _, name := range []string{"a", "b"} {
				messages := w.receive(named(name), 10)
				if len(messages) != 3 {
					t.Fatalf("Receive(%s) = %v", name, bodies(messages))
				}
				for _, m := range messages {
					if m.Receives != 1 || m.Source != nil || !m.SentAt.Equal(w.Now()) || m.ID == old[0].ID {
						t.Errorf("Receive(%s) = %+v, want a new message", name, m.Message)
					}
				}
			}
			w.checkAgainstStore()
		})
	}
}

// Recorded 2026: where receive counts are kept, a message that had as many as it may goes straight back.
func TestMoveMayKeepReceives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := forgiving()
		r.MoveKeepsReceives = true
		w := newWorld(t, r)
		dead := w.graveyard(false, "a")
		w.startMove(dead, nil, nil)
		if got := w.lastMove(dead); got.Status != MoveCompleted || got.Moved != 3 {
			t.Errorf("Moves() = %+v", got)
		}
		w.restart()
		w.counts(named("a"), 3, 0, 0)
		w.expect(named("a"), 10)
		w.counts(dead, 3, 0, 0)
	})
}

func TestMoveToATarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		dead, target := w.graveyard(false, "a"), w.create("target", Patch{Delay: new(time.Minute)})
		w.send(dead, "own")
		p := w.poll(target, ReceiveRequest{Max: new(10)})
		w.startMove(dead, &target, nil)
		w.send(dead, "later")
		p.want(t, "a:0", "a:1", "a:2", "own")
		w.expect(dead, 10, "later")
		if got := w.lastMove(dead); got.Status != MoveCompleted || got.Moved != 4 || *got.Target != target {
			t.Errorf("Moves() = %+v", got)
		}
	})
}

func TestMoveKeepsToItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		dead, target := w.graveyard(false, "a"), w.create("target", Patch{})
		for i := range 47 {
			w.send(dead, fmt.Sprint(i))
		}
		w.startMove(dead, &target, new(20))
		for _, want := range []int{20, 40, 50} {
			if got := w.lastMove(dead); got.Moved != want {
				t.Errorf("%v after the start %d messages are moved, want %d", w.Now().Sub(got.Started), got.Moved, want)
			}
			w.pass(time.Second - time.Millisecond)
			synctest.Wait()
			w.pass(time.Millisecond)
		}
		if got := w.lastMove(dead); got.Status != MoveCompleted {
			t.Errorf("Moves() = %+v", got)
		}
	})
}

func TestMoveCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		dead := w.graveyard(false, "a")
		task := w.startMove(dead, nil, new(1))
		w.lastMove(dead)
		wantKind(t, "StartMove() again", second(w.StartMove(t.Context(), dead, nil, nil)), MoveRunning)
		wantKind(t, "CancelMove(unknown)", second(w.CancelMove(t.Context(), dead, strings.Repeat("0", 32))), MoveNotFound)
		got, err := w.CancelMove(t.Context(), dead, task.ID)
		if err != nil || got.Status != MoveCancelling || got.Moved != 1 {
			t.Errorf("CancelMove() = %+v, %v", got, err)
		}
		if got := w.lastMove(dead); got.Status != MoveCancelled || got.Moved != 1 {
			t.Errorf("Moves() = %+v", got)
		}
		wantKind(t, "CancelMove() again", second(w.CancelMove(t.Context(), dead, task.ID)), MoveNotRunning)
		w.pass(time.Hour)
		w.counts(dead, 2, 0, 0)
		w.startMove(dead, nil, nil)
		w.lastMove(dead)
		w.counts(dead, 0, 0, 0)
		tasks, err := w.Moves(t.Context(), dead, 10)
		if err != nil || len(tasks) != 2 || tasks[0].Moved != 2 || tasks[1].ID != task.ID {
			t.Errorf("Moves() = %+v, %v, want the latest first", tasks, err)
		}
	})
}

func TestMoveRefusals(t *testing.T) {
	w := newWorld(t, forgiving())
	w.rules.MoveRate = Between(1, 500)
	w.Broker = w.engine.Under(w.rules)
	dead := w.graveyard(false, "a")
	w.fifo("fifo")
	for _, tt := range []struct {
		source, target string
		rate           int
		want           Kind
	}{
		{"dead", "a", 0, OutOfRange},
		{"dead", "a", 501, OutOfRange},
		{"none", "", 1, MoveSourceNotFound},
		{"a", "", 1, MoveSourceNotDeadLetter},
		{"dead", "none", 1, MoveTargetNotFound},
		{"dead", "fifo", 1, MoveTargetType},
		{"dead", "dead", 1, MoveTargetIsSource},
	} {
		var target *QueueKey
		if tt.target != "" {
			target = new(named(tt.target))
		}
		_, err := w.StartMove(t.Context(), named(tt.source), target, &tt.rate)
		wantKind(t, fmt.Sprintf("StartMove(%s, %s, %d)", tt.source, tt.target, tt.rate), err, tt.want)
	}
	wantKind(t, "Moves(none)", second(w.Moves(t.Context(), named("none"), 1)), MoveSourceNotFound)
	wantKind(t, "CancelMove(none)", second(w.CancelMove(t.Context(), named("none"), "x")), MoveSourceNotFound)
	w.counts(dead, 3, 0, 0)
}

func TestMoveFailsWithItsTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		dead, target := w.graveyard(false, "a"), w.create("target", Patch{})
		w.startMove(dead, &target, new(1))
		w.lastMove(dead)
		if err := w.DeleteQueue(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		if got := w.lastMove(dead); got.Status != MoveFailed || got.Failure != MoveTargetGone || got.Moved != 1 {
			t.Errorf("Moves() = %+v", got)
		}
		w.counts(dead, 2, 0, 0)
	})
}

func TestMoveEndsWithItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		dead := w.graveyard(false, "a")
		w.startMove(dead, nil, new(1))
		w.lastMove(dead)
		if err := w.DeleteQueue(t.Context(), dead); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Hour)
		synctest.Wait()
		w.settle()
		w.counts(named("a"), 1, 0, 0)
		if n := keys(t, w.store)["t"]; n != 0 {
			t.Errorf("%d move tasks are left in the store", n)
		}
	})
}

// A restart in the middle neither loses nor doubles a message, and the task goes on to its end.
func TestMoveGoesOnAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, forgiving())
		dead, target := w.graveyard(false, "a"), w.create("target", Patch{})
		task := w.startMove(dead, &target, new(1))
		w.lastMove(dead)
		w.restart()
		w.send(dead, "later")
		w.pass(time.Second)
		w.lastMove(dead)
		w.restart()
		w.pass(time.Hour)
		got := w.lastMove(dead)
		if got.ID != task.ID || got.Status != MoveCompleted || got.Moved != 3 {
			t.Errorf("Moves() = %+v", got)
		}
		w.expect(target, 10, "a:0", "a:1", "a:2")
		w.expect(dead, 10, "later")
	})
}

func TestMoveOutlivesFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newFaultyWorld(t, forgiving())
		dead, target := w.graveyard(false, "a", "b"), w.create("target", Patch{})
		release := store.Block()
		go w.startMove(dead, &target, nil)
		synctest.Wait()
		release()
		synctest.Wait()
		store.Break(errDisk)
		w.pass(time.Second)
		synctest.Wait()
		store.Repair()
		for range 5 {
			w.pass(time.Second)
			synctest.Wait()
		}
		if got := w.lastMove(dead); got.Status != MoveCompleted || got.Moved != 6 {
			t.Errorf("Moves() = %+v", got)
		}
		w.counts(target, 6, 0, 0)
		w.checkAgainstStore()
	})
}

// Moves of large messages, like those by receives, stay within what a commit may hold.
func TestMoveOfLargeMessagesIsInSmallCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &measured{Store: memory.New()}
		w := newWorldOn(t, persistencetest.NewFaulty(store), forgiving())
		dead, target := w.graveyard(false, "a"), w.create("target", Patch{})
		for range 10 {
			w.send(dead, strings.Repeat("x", 1<<20))
		}
		store.reset()
		w.startMove(dead, &target, nil)
		if got := w.lastMove(dead); got.Moved != 13 {
			t.Errorf("Moves() = %+v", got)
		}
		if _, size := store.largest(); size+commitBytes > 2_411_724 {
			t.Errorf("the largest commit had %d bytes", size)
		}
	})
}
