package core

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/badger"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

func TestPushCarriesThePublication(t *testing.T) {
	inBubble(t, func(s *station) {
		key := s.topic("news")
		s.subscribe(key, "s", outside())
		p := s.announce(key, Publication{Body: "hello", Tag: "t", Sender: "me"})
		synctest.Wait()
		if len(s.out.got) != 1 {
			s.Fatalf("%d pushes, want 1", len(s.out.got))
		}
		d := s.out.got[0]
		if d.ID != p.ID || !d.At.Equal(p.At) || d.Topic != key || d.Attempt != 1 || d.Tag != "t" || d.Sender != "me" ||
			d.Subscription.Settings != outside() {
			s.Errorf("Push(%+v), want publication %v", d, p.ID)
		}
		s.pending(key, 0)
		if n := s.records(publicationPrefix, deliveryPrefix); n != 0 {
			s.Errorf("%d records are left, want 0", n)
		}
	})
}

// A strategy makes exactly its retries, at its times, and then the push goes to the dead-letter queue.
func TestPushFollowsItsStrategy(t *testing.T) {
	for _, test := range []struct {
		strategy Strategy
		retries  int
		wait     func(n int) (least, most time.Duration)
	}{
		{BackoffRetry, 3, func(int) (time.Duration, time.Duration) { return 10 * time.Second, 20 * time.Second }},
		{DecayRetry, 176, func(n int) (time.Duration, time.Duration) {
			d := min(time.Second<<min(n-1, 9), 512*time.Second)
			return d, d
		}},
	} {
		t.Run(fmt.Sprint(test.strategy), func(t *testing.T) {
			inBubble(t, func(s *station) {
				s.out.answer = refuse
				dead := s.create("dead", Patch{})
				key := s.topic("news")
				settings := outside()
				settings.Strategy, settings.DeadLetter = test.strategy, &dead
				s.subscribe(key, "s", settings)
				s.publish(key, "hello")
				for n := 1; n <= test.retries; n++ {
					if got := s.out.attempts(); got != 1 {
						s.Fatalf("%d pushes for attempt %d, want 1", got, n)
					}
					least, most := test.wait(n)
					s.pass(least - time.Millisecond)
					if got := s.out.attempts(); got != 0 {
						s.Fatalf("retry %d came before %v", n, least)
					}
					s.pass(most - least + time.Millisecond)
				}
				if got := s.out.attempts(); got != 1 {
					s.Errorf("%d pushes for the last retry, want 1", got)
				}
				s.pending(key, 0)
				s.pass(time.Hour)
				if got := s.out.attempts(); got != 0 {
					s.Errorf("%d pushes after the last retry, want 0", got)
				}
				s.expect(dead, 2, "hello")
				failed := s.diary.of(EventPushFailed)
				last := failed[len(failed)-1]
				if len(failed) != test.retries+1 || last.Err != errRefused || last.Other != dead || !last.Until.IsZero() {
					s.Errorf("%d failures, the last %+v, want %d", len(failed), last, test.retries+1)
				}
			})
		})
	}
}

func TestPushIsRetriedAcrossRestarts(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprintf("Kill=%v", kill), func(t *testing.T) {
			inBubble(t, func(s *station) {
				s.out.answer = refuse
				key := s.topic("news")
				settings := outside()
				settings.Strategy = DecayRetry
				s.subscribe(key, "s", settings)
				s.publish(key, "hello")
				s.pass(time.Second) // retry 1; the next is 2 s later
				s.out.attempts()
				if kill {
					killed := s.engine
					defer killed.Close()
					store := memory.New()
					copyStore(s, s.store, store)
					s.store, s.out = store, &endpoint{answer: refuse}
					s.open()
				} else {
					s.restart()
				}
				s.out.answer = nil
				s.pass(2*time.Second - time.Millisecond)
				s.wantTaken()
				s.pass(time.Millisecond)
				synctest.Wait()
				if got := s.out.got; len(got) != 1 || got[0].Attempt != 3 || got[0].Body != "hello" {
					s.Errorf("pushes %+v, want attempt 3", got)
				}
				s.pending(key, 0)
			})
		})
	}
}

// copyStore copies what is stored at this moment, as a crash would leave it.
func copyStore(s *station, from, to persistence.Store) {
	s.Helper()
	synctest.Wait()
	var b persistence.Batch
	err := from.Load(nil, nil, func(key, value []byte) error { b.Put(slices.Clone(key), value); return nil })
	if err == nil {
		err = to.Commit(&b)
	}
	if err != nil {
		s.Fatalf("copying a store: %v", err)
	}
}

func TestPushInBadgerSurvivesRestart(t *testing.T) {
	dir, clock, rules := t.TempDir(), newManual(), published()
	tried, release := make(chan Delivery, 10), make(chan error, 10)
	out := &endpoint{answer: func(_ context.Context, d Delivery) error { tried <- d; return <-release }}
	open := func() (*Engine, Broker) {
		store, err := badger.Open(dir, badger.Options{})
		if err != nil {
			t.Fatalf("badger.Open() = %v", err)
		}
		e, err := Open(store, Options{Clock: clock, Pusher: out})
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		return e, e.Under(rules)
	}
	ctx, key := context.Background(), topicNamed("news")
	e, b := open()
	if _, _, err := b.CreateTopic(ctx, key, TopicPatch{}); err != nil {
		t.Fatalf("CreateTopic() = %v", err)
	}
	if _, _, err := b.Subscribe(ctx, key, "s", outside()); err != nil {
		t.Fatalf("Subscribe() = %v", err)
	}
	p, err := b.Publish(ctx, key, Publication{Body: "hello"})
	if err != nil {
		t.Fatalf("Publish() = %v", err)
	}
	<-tried
	release <- errRefused
	e.Close()
	clock.Advance(20 * time.Second)
	e, _ = open()
	if d := <-tried; d.ID != p.ID || d.Body != "hello" || d.Attempt > 2 {
		t.Errorf("Push(%+v), want attempt 1 or 2 of %v", d, p.ID)
	}
	release <- nil
	e.Close()
	e, b = open()
	defer e.Close()
	if info, err := b.Topic(ctx, key); err != nil || info.Messages > 1 {
		t.Errorf("Topic() = %+v, %v", info, err)
	}
}

// One endpoint that hangs takes the places of one subscription and no more; all others are served at once.
func TestHangingEndpointDelaysNobody(t *testing.T) {
	inBubble(t, func(s *station) {
		free := make(chan struct{})
		hanging := map[string]int{}
		var mu sync.Mutex
		s.out.answer = func(_ context.Context, d Delivery) error {
			if d.Subscription.Name == "slow" {
				mu.Lock()
				hanging[d.Body]++
				mu.Unlock()
				<-free
			}
			return nil
		}
		key := s.topic("news")
		s.subscribe(key, "slow", outside())
		s.subscribe(key, "fast", outside())
		s.subscribe(key, "queue", toQueue(s.create("q", Patch{})))
		var want []string
		for i := range 100 {
			body := fmt.Sprint(i)
			s.publish(key, body)
			want = append(want, "fast:"+body)
		}
		slices.Sort(want)
		s.wantTaken(want...)
		mu.Lock()
		if len(hanging) != maxPushesSubscription {
			s.Errorf("%d pushes hang, want %d", len(hanging), maxPushesSubscription)
		}
		mu.Unlock()
		s.pending(key, 100)
		close(free)
		if got := len(s.out.taken()); got != 100 {
			s.Errorf("%d pushes after the endpoint woke up, want 100", got)
		}
		s.pending(key, 0)
	})
}

// Endpoints that fail get one push at a time, so that even many of them leave room.
func TestManyFailingEndpointsLeaveRoom(t *testing.T) {
	inBubble(t, func(s *station) {
		free := make(chan struct{})
		s.out.answer = func(_ context.Context, d Delivery) error {
			switch {
			case d.Subscription.Name == "fast":
				return nil
			case d.Attempt == 1 && d.Body == "first":
				return errRefused
			}
			<-free
			return errRefused
		}
		bad, good := s.topic("bad"), s.topic("good")
		for i := range 40 {
			s.subscribe(bad, fmt.Sprintf("s%02d", i), outside())
		}
		s.subscribe(good, "fast", outside())
		s.publish(bad, "first")
		s.out.attempts()
		s.publish(bad, "a", "b", "c", "d", "e")
		if got := s.out.attempts(); got != 40 {
			s.Errorf("%d pushes under way, want one for each of 40", got)
		}
		s.publish(good, "hello")
		s.wantTaken("fast:hello")
		close(free)
	})
}

func TestPushesTogetherAreBounded(t *testing.T) {
	inBubble(t, func(s *station) {
		free := make(chan struct{})
		s.out.answer = func(context.Context, Delivery) error { <-free; return nil }
		key := s.topic("news")
		for i := range 30 {
			s.subscribe(key, fmt.Sprintf("s%02d", i), outside())
		}
		s.publish(key, numbers(1, 5)...)
		if got := s.out.attempts(); got != maxPushes {
			s.Errorf("%d pushes under way, want %d", got, maxPushes)
		}
		close(free)
		if got := len(s.out.taken()); got != 150 {
			s.Errorf("%d pushes in all, want 150", got)
		}
	})
}

func TestPushEndsWithItsTimeout(t *testing.T) {
	inBubble(t, func(s *station) {
		s.out.answer = func(ctx context.Context, _ Delivery) error { <-ctx.Done(); return ctx.Err() }
		key := s.topic("news")
		s.subscribe(key, "s", outside())
		s.publish(key, "hello")
		synctest.Wait()
		time.Sleep(defaultPushTimeout) // the bubble's time
		failed := s.diary.of(EventPushFailed)
		if len(failed) != 1 || failed[0].Err != context.DeadlineExceeded {
			s.Errorf("failures = %+v, want one timeout", failed)
		}
	})
}

// Closing ends the push that hangs; it counts as no attempt and comes again.
func TestCloseEndsPushes(t *testing.T) {
	inBubble(t, func(s *station) {
		s.out.answer = func(ctx context.Context, _ Delivery) error { <-ctx.Done(); return ctx.Err() }
		key := s.topic("news")
		s.subscribe(key, "s", outside())
		s.publish(key, "hello")
		synctest.Wait()
		s.close()
		s.out.answer = nil
		s.open()
		synctest.Wait()
		if len(s.out.got) != 1 || s.out.got[0].Attempt != 1 {
			s.Errorf("pushes after the restart = %+v, want attempt 1", s.out.got)
		}
	})
}

func TestPushWaitsForAnEngineWithPusher(t *testing.T) {
	inBubble(t, func(s *station) {
		s.mute = true
		s.restart()
		key := s.topic("news")
		s.subscribe(key, "s", outside())
		s.publish(key, "old")
		s.pass(12 * time.Hour)
		s.publish(key, "new")
		s.pass(12*time.Hour - time.Millisecond)
		s.pending(key, 2)
		s.pass(time.Millisecond)
		s.pending(key, 1)
		if failed := s.diary.of(EventPushFailed); len(failed) != 1 || failed[0].Err != errExpired {
			s.Errorf("failures = %+v, want the end of the retention", failed)
		}
		s.mute = false
		s.restart()
		s.wantTaken("s:new")
		s.pending(key, 0)
	})
}

// While the store fails, an endpoint that takes a push is not sent it over and over; afterwards it gets it once more.
func TestPushOnBrokenStoreIsRepeatedSlowly(t *testing.T) {
	var store *persistencetest.Faulty
	faulty := func() persistence.Store { store = persistencetest.NewFaulty(memory.New()); return store }
	for _, reads := range []bool{true, false} {
		t.Run(fmt.Sprintf("Reads=%v", reads), func(t *testing.T) {
			inBubbleOn(t, faulty, func(s *station) {
				hang := make(chan struct{})
				s.out.answer = func(context.Context, Delivery) error { <-hang; return nil }
				key := s.topic("news")
				s.subscribe(key, "s", outside())
				s.publish(key, "hello")
				synctest.Wait()
				store.Break(persistence.ErrFull)
				if !reads {
					store.FailReads(persistence.ErrFull)
				}
				close(hang)
				s.out.attempts()
				for range 3 {
					s.pass(time.Second)
					if got := s.out.attempts(); got > 1 {
						s.Errorf("%d pushes in a second, want at most 1", got)
					}
				}
				store.Repair()
				s.pass(time.Second) // it is read back
				s.pass(time.Second)
				s.pending(key, 0)
				s.pass(time.Hour)
				s.out.attempts()
				s.pass(time.Hour)
				if got := s.out.attempts(); got != 0 {
					s.Errorf("%d pushes after all was stored, want 0", got)
				}
			})
		})
	}
}

func TestUnsubscribeWhilePushing(t *testing.T) {
	for _, answer := range []error{nil, errRefused} {
		t.Run(fmt.Sprint(answer), func(t *testing.T) {
			inBubble(t, func(s *station) {
				free := make(chan struct{})
				s.out.answer = func(context.Context, Delivery) error { <-free; return answer }
				key := s.topic("news")
				s.subscribe(key, "s", outside())
				s.publish(key, "hello")
				synctest.Wait()
				if err := s.Unsubscribe(context.Background(), key, "s"); err != nil {
					s.Fatalf("Unsubscribe() = %v", err)
				}
				s.subscribe(key, "s", outside())
				close(free)
				s.pending(key, 0)
				s.pass(time.Hour)
				if got := s.out.attempts(); got != 1 {
					s.Errorf("%d pushes, want 1", got)
				}
				if n := s.records(publicationPrefix, deliveryPrefix); n != 0 {
					s.Errorf("%d records are left, want 0", n)
				}
			})
		})
	}
}

// A commit that fails takes the whole topic back to what is stored. The push that is under way meanwhile belongs to
// that, so it is neither made twice nor forgotten.
func TestPushUnderWayWhileTheStoreFails(t *testing.T) {
	var store *persistencetest.Faulty
	faulty := func() persistence.Store { store = persistencetest.NewFaulty(memory.New()); return store }
	inBubbleOn(t, faulty, func(s *station) {
		free := make(chan struct{})
		s.out.answer = func(context.Context, Delivery) error { <-free; return nil }
		key := s.topic("news")
		s.subscribe(key, "s", outside())
		s.publish(key, "stored")
		synctest.Wait()
		store.FailCommits(1, persistence.ErrFull)
		_, err := s.Publish(context.Background(), key, Publication{Body: "lost"})
		wantKind(s, "Publish() on a broken store", err, Internal)
		s.pending(key, 1)
		close(free)
		s.wantTaken("s:stored")
		s.pending(key, 0)
		s.pass(time.Hour)
		if got := s.out.attempts(); got != 1 {
			s.Errorf("%d pushes, want 1", got)
		}
	})
}

// What could not even be read back is, by the first verb that needs it.
func TestPublishReadsBackWhatIsStale(t *testing.T) {
	var store *persistencetest.Faulty
	faulty := func() persistence.Store { store = persistencetest.NewFaulty(memory.New()); return store }
	inBubbleOn(t, faulty, func(s *station) {
		q := s.create("q", Patch{})
		key := s.topic("news")
		s.subscribe(key, "queue", toQueue(q))
		s.subscribe(key, "mail", toOutbox())
		s.publish(key, "before")
		store.Break(persistence.ErrFull)
		store.FailReads(persistence.ErrFull)
		for range 2 {
			_, err := s.Publish(context.Background(), key, Publication{Body: "lost"})
			wantKind(s, "Publish() on a broken store", err, Internal)
			_, err = s.Outbox(context.Background(), home, 10)
			wantKind(s, "Outbox() on a broken store", err, Internal)
		}
		store.Repair()
		s.publish(key, "after")
		s.expect(q, 10, "before", "after")
		if got := s.outbox(); !slices.Equal(got, []string{"mail:after", "mail:before"}) {
			s.Errorf("Outbox() = %q, want after and before", got)
		}
	})
}
