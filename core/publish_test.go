package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

func TestPublishReachesQueuesAtOnce(t *testing.T) {
	inBubble(t, func(s *station) {
		a, b := s.create("a", Patch{}), s.create("b", Patch{})
		key := s.topic("news")
		s.subscribe(key, "a", toQueue(a))
		s.subscribe(key, "b", toQueue(b))
		p := s.announce(key, Publication{Body: "hello", Attributes: []Attribute{{Name: "n", Value: []byte("v")}}, Sender: "me"})
		for _, q := range []QueueKey{a, b} {
			got := s.expect(q, 5, "hello")[0]
			if got.ID == p.ID || got.Priority != 8 || got.Sender != "me" || len(got.Attributes) != 1 || !got.SentAt.Equal(p.At) {
				s.Errorf("Receive(%v) = %+v, want a message of its own with all that was published", q.Name, got)
			}
		}
		s.pending(key, 0)
		if n := s.records(publicationPrefix, deliveryPrefix); n != 0 {
			s.Errorf("%d records of deliveries, want 0", n)
		}
	})
}

func TestPublishFiltersByTag(t *testing.T) {
	inBubble(t, func(s *station) {
		key := s.topic("news")
		queues := map[string]QueueKey{}
		for _, tag := range []string{"", "red", "blue"} {
			q := s.create("q"+tag, Patch{})
			queues[tag] = q
			settings := toQueue(q)
			settings.Tag = tag
			s.subscribe(key, "s"+tag, settings)
		}
		for _, tag := range []string{"red", "blue", "", "Red"} {
			s.announce(key, Publication{Body: "tag " + tag, Tag: tag})
		}
		s.expect(queues[""], 10, "tag red", "tag blue", "tag ", "tag Red")
		s.expect(queues["red"], 10, "tag red")
		s.expect(queues["blue"], 10, "tag blue")
	})
}

func TestPublishWakesLongPoll(t *testing.T) {
	inBubble(t, func(s *station) {
		q := s.create("q", Patch{})
		key := s.topic("news")
		s.subscribe(key, "s", toQueue(q))
		got := make(chan []string)
		go func() {
			messages, _ := s.Receive(context.Background(), q, ReceiveRequest{Wait: new(20 * time.Second)})
			got <- bodies(messages)
		}()
		synctest.Wait()
		s.publish(key, "hello")
		if messages := <-got; !slices.Equal(messages, []string{"hello"}) {
			s.Errorf("Receive() = %q, want hello", messages)
		}
	})
}

func TestPublishRendersForQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{TB: t, clock: newManual(), store: memory.New(), rules: published()}
		render := func(d Delivery) Outgoing {
			return Outgoing{Body: d.Subscription.Settings.Format + "(" + d.Body + " of " + string(d.Topic.Name) + ")"}
		}
		e, err := Open(w.store, Options{Clock: w.clock, Render: render})
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		defer e.Close()
		w.engine, w.Broker = e, e.Under(w.rules)
		s := &station{world: w}
		q := s.create("q", Patch{})
		key := s.topic("news")
		settings := toQueue(q)
		settings.Format = "loud"
		s.subscribe(key, "s", settings)
		s.publish(key, "hello")
		s.expect(q, 1, "loud(hello of news)")
	})
}

func TestPublishToQueueThatCannotTakeIt(t *testing.T) {
	for _, test := range []struct {
		name   string
		target string
		dead   bool
		want   Kind
	}{
		{"Missing", "missing", false, QueueNotFound},
		{"MissingWithDeadLetterQueue", "missing", true, QueueNotFound},
		{"FIFOWithoutGroup", "fifo", false, GroupMissing},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(s *station) {
				s.fifo("fifo")
				dead, other := s.create("dead", Patch{}), s.create("other", Patch{})
				key := s.topic("news")
				settings := toQueue(named(test.target))
				if test.dead {
					settings.DeadLetter = &dead
				}
				s.subscribe(key, "bad", settings)
				s.subscribe(key, "good", toQueue(other))
				s.publish(key, "hello")
				s.expect(other, 1, "hello")
				s.pending(key, 0)
				failed := s.diary.of(EventPushFailed)
				if len(failed) != 1 || failed[0].Subscription != "bad" || !failed[0].Until.IsZero() {
					s.Fatalf("events of failed pushes = %+v, want one of bad", failed)
				}
				wantKind(s, "the event's reason", failed[0].Err, test.want)
				if !test.dead {
					s.expect(dead, 1)
					return
				}
				s.expect(dead, 1, "hello")
				if failed[0].Other != dead {
					s.Errorf("the event's dead-letter queue = %v, want %v", failed[0].Other, dead)
				}
			})
		})
	}
}

func TestPublishTellsEvents(t *testing.T) {
	inBubble(t, func(s *station) {
		q := s.create("q", Patch{})
		key := s.topic("news")
		s.subscribe(key, "queue", toQueue(q))
		s.subscribe(key, "push", outside())
		p := s.announce(key, Publication{Body: "hello", Trace: Trace{Parent: "00-1"}})
		want := []Event{
			{Kind: EventPublished, At: epoch, Topic: key, ID: p.ID, Trace: Trace{Parent: "00-1"}},
			{Kind: EventPushed, At: epoch, Topic: key, ID: p.ID, Trace: Trace{Parent: "00-1"}, Receives: 1, Subscription: "queue", Queue: q},
			{Kind: EventPushed, At: epoch, Topic: key, ID: p.ID, Trace: Trace{Parent: "00-1"}, Receives: 1, Subscription: "push"},
		}
		got := append(s.diary.of(EventPublished), s.diary.of(EventPushed)...)
		if diff := cmp.Diff(want, got); diff != "" {
			s.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// What is too much for one commit follows, in order, and a later small publication does not overtake it.
func TestPublishTooMuchForOneCommit(t *testing.T) {
	for _, budget := range []int64{0, 1} {
		t.Run(fmt.Sprintf("Budget%d", budget), func(t *testing.T) {
			inBubble(t, func(s *station) {
				s.budget = budget
				s.restart()
				key := s.topic("news")
				large := strings.Repeat("x", 60_000)
				for i := range 40 {
					name := fmt.Sprintf("q%02d", i)
					s.subscribe(key, name, toQueue(s.create(name, Patch{})))
				}
				s.publish(key, large, "small")
				s.pending(key, 0)
				for i := range 40 {
					s.expect(named(fmt.Sprintf("q%02d", i)), 5, large, "small")
				}
				if n := s.records(publicationPrefix, deliveryPrefix); n != 0 {
					s.Errorf("%d records of deliveries are left, want 0", n)
				}
			})
		})
	}
}

func TestPublishOnBrokenStoreLeavesNothing(t *testing.T) {
	var store *persistencetest.Faulty
	faulty := func() persistence.Store { store = persistencetest.NewFaulty(memory.New()); return store }
	inBubbleOn(t, faulty, func(s *station) {
		a, b := s.create("a", Patch{}), s.create("b", Patch{})
		key := s.topic("news")
		s.subscribe(key, "a", toQueue(a))
		s.subscribe(key, "b", toQueue(b))
		s.subscribe(key, "c", outside())
		s.subscribe(key, "d", toOutbox())
		s.publish(key, "before")
		s.wantTaken("c:before")

		store.Break(persistence.ErrFull)
		_, err := s.Publish(context.Background(), key, Publication{Body: "lost"})
		wantKind(s, "Publish() on a broken store", err, Internal)
		if !errors.Is(err, persistence.ErrFull) {
			s.Errorf("Publish() = %v, want %v in it", err, persistence.ErrFull)
		}
		_, _, err = s.CreateTopic(context.Background(), topicNamed("vain"), TopicPatch{})
		wantKind(s, "CreateTopic() on a broken store", err, Internal)
		_, _, err = s.Subscribe(context.Background(), key, "vain", outside())
		wantKind(s, "Subscribe() on a broken store", err, Internal)
		wantKind(s, "Unsubscribe() on a broken store", s.Unsubscribe(context.Background(), key, "a"), Internal)
		wantKind(s, "DeleteTopic() on a broken store", s.DeleteTopic(context.Background(), key), Internal)
		store.Repair()
		s.pass(time.Minute)
		s.wantTaken()
		s.expect(a, 10, "before")
		s.expect(b, 10, "before")
		s.pending(key, 0)
		_, err = s.Topic(context.Background(), topicNamed("vain"))
		wantKind(s, "Topic(vain)", err, TopicNotFound)
		_, err = s.Subscription(context.Background(), key, "vain")
		wantKind(s, "Subscription(vain)", err, SubscriptionNotFound)

		s.publish(key, "after")
		s.pass(time.Minute)
		s.wantTaken("c:after")
		s.expect(a, 10, "after", "before") // the second was hidden in between
		s.expect(b, 10, "after", "before")
		if got := s.outbox(); !slices.Equal(got, []string{"d:after", "d:before"}) {
			s.Errorf("Outbox() = %q, want after and before", got)
		}
	})
}

// A crash while publications are stored leaves each of them whole or not at all: the store sees one batch for it.
func TestPublishIsOneCommit(t *testing.T) {
	var store *persistencetest.Faulty
	faulty := func() persistence.Store { store = persistencetest.NewFaulty(memory.New()); return store }
	inBubbleOn(t, faulty, func(s *station) {
		key := s.topic("news")
		for i := range 20 {
			name := fmt.Sprintf("q%02d", i)
			s.subscribe(key, name, toQueue(s.create(name, Patch{})))
		}
		s.subscribe(key, "o", toOutbox())
		before := store.Counts().Stored
		s.publish(key, "hello")
		if got := store.Counts().Stored - before; got != 1 {
			s.Errorf("Publish() made %d commits, want 1", got)
		}
	})
}

func TestPublishIsSafeForConcurrentUse(t *testing.T) {
	inBubble(t, func(s *station) {
		const publishers, each = 8, 25
		topics := []TopicKey{s.topic("x"), s.topic("y")}
		queues := []QueueKey{s.create("a", Patch{}), s.create("b", Patch{}), s.create("c", Patch{})}
		for i, key := range topics {
			for j := range queues {
				s.subscribe(key, fmt.Sprint("q", j), toQueue(queues[(i*2+j)%len(queues)]))
			}
			s.subscribe(key, "push", outside())
		}
		var all sync.WaitGroup
		for p := range publishers {
			all.Go(func() {
				for i := range each {
					s.publish(topics[(p+i)%2], fmt.Sprint(p, "-", i))
				}
			})
			all.Go(func() {
				name := SubscriptionName(fmt.Sprint("extra", p))
				for range each {
					_, _, err := s.Subscribe(context.Background(), topics[0], name, toQueue(queues[p%3]))
					err = errors.Join(err, s.Unsubscribe(context.Background(), topics[0], name))
					if err != nil {
						s.Errorf("Subscribe() and Unsubscribe() = %v", err)
					}
				}
			})
		}
		all.Wait()
		if got := len(s.out.taken()); got != publishers*each {
			s.Errorf("%d pushes, want %d", got, publishers*each)
		}
		for _, q := range queues {
			if got := s.info(q).Visible; got < publishers*each {
				s.Errorf("Queue(%v) = %d messages, want at least %d", q.Name, got, publishers*each)
			}
		}
		s.pending(topics[0], 0)
	})
}

// outbox shows the outbox as "subscription:body".
func (s *station) outbox() []string {
	s.Helper()
	got, err := s.Outbox(context.Background(), home, 2000)
	if err != nil {
		s.Fatalf("Outbox() = %v", err)
	}
	var texts []string
	for _, d := range got {
		texts = append(texts, string(d.Subscription.Name)+":"+d.Body)
	}
	return texts
}

func TestOutboxKeepsTheLatest(t *testing.T) {
	inBubble(t, func(s *station) {
		key := s.topic("news")
		settings := toOutbox()
		settings.DeadLetter = new(named("dead"))
		s.subscribe(key, "mail", settings)
		m := Publication{
			Body: "0", Tag: "t", Group: new("g"), Sender: "me", Notes: map[string]string{"subject": "hi"},
			Attributes: []Attribute{{Name: "n", Kind: Number, Value: []byte("1")}}, Trace: Trace{XRay: "x"},
		}
		p := s.announce(key, m)
		got, err := s.Outbox(context.Background(), home, 10)
		info, _ := s.Subscription(context.Background(), key, "mail")
		want := []Delivery{{Topic: key, Subscription: info, ID: p.ID, At: epoch, Attempt: 1, Publication: m}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			s.Errorf("Outbox() = %v (-want +got):\n%s", err, diff)
		}
		for i := range outboxSize {
			s.publish(key, fmt.Sprint(i+1))
		}
		s.restart()
		all := s.outbox()
		if len(all) != outboxSize || all[0] != "mail:1000" || all[outboxSize-1] != "mail:1" {
			s.Errorf("Outbox() = %d from %s to %s, want 1000 from 1000 to 1", len(all), all[0], all[len(all)-1])
		}
		if n := s.records(outboxPrefix); n != outboxSize {
			s.Errorf("%d records of the outbox, want %d", n, outboxSize)
		}
		if err := s.ClearOutbox(context.Background(), home); err != nil {
			s.Fatalf("ClearOutbox() = %v", err)
		}
		if got, n := s.outbox(), s.records(outboxPrefix); len(got) != 0 || n != 0 {
			s.Errorf("Outbox() after ClearOutbox() = %d, %d records, want none", len(got), n)
		}
	})
}
