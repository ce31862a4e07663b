package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/badger"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

func (s *station) fifoTopic(name string) TopicKey {
	s.Helper()
	key := topicNamed(name)
	if _, made, err := s.CreateTopic(context.Background(), key, TopicPatch{FIFO: new(true)}); err != nil || !made {
		s.Fatalf("CreateTopic(%q) = made %v, %v", name, made, err)
	}
	return key
}

func (s *station) publishGroup(key TopicKey, group string, bodies ...string) {
	s.Helper()
	for _, body := range bodies {
		s.announce(key, Publication{Body: body, Group: &group})
	}
}

func TestFIFOTopicWantsGroups(t *testing.T) {
	inBubble(t, func(s *station) {
		key := s.fifoTopic("news")
		_, err := s.Publish(context.Background(), key, Publication{Body: "m"})
		wantKind(s, "Publish() without a group", err, GroupMissing)
		s.publishGroup(key, "g", "m")
		_, err = s.Publish(context.Background(), s.topic("plain"), Publication{Body: "m"})
		wantKind(s, "Publish() on a standard topic", err, none)
	})
}

func TestFIFOTopicWantsFIFOQueues(t *testing.T) {
	inBubble(t, func(s *station) {
		steps, plain := s.fifo("steps"), s.create("plain", Patch{})
		key := s.fifoTopic("news")
		for _, test := range []struct {
			name     string
			settings SubscriptionSettings
			want     Kind
		}{
			{"fifo", toQueue(steps), none},
			{"later", toQueue(named("later")), none},
			{"standard", toQueue(plain), SubscriptionTargetType},
			{"push", outside(), SubscriptionTargetType},
			{"outbox", toOutbox(), SubscriptionTargetType},
		} {
			_, _, err := s.Subscribe(context.Background(), key, SubscriptionName(test.name), test.settings)
			wantKind(s, "Subscribe("+test.name+")", err, test.want)
		}
		// The queue that was not there has become a standard queue: there the order would be lost.
		s.create("later", Patch{})
		s.publishGroup(key, "g", "m")
		s.expect(steps, 1, "m")
		s.expect(named("later"), 1)
		s.pending(key, 0)
		failed := s.diary.of(EventPushFailed)
		if len(failed) != 1 || failed[0].Subscription != "later" {
			s.Fatalf("events of failed pushes = %+v, want one of later", failed)
		}
		wantKind(s, "the event's reason", failed[0].Err, SubscriptionTargetType)
	})
}

func TestTopicTypeIsFixed(t *testing.T) {
	inBubble(t, func(s *station) {
		fifo, plain := s.fifoTopic("fifo"), s.topic("plain")
		s.restart()
		for key, want := range map[TopicKey]bool{fifo: true, plain: false} {
			if err := s.AmendTopic(context.Background(), key, TopicPatch{FIFO: new(!want), MaxSize: new(2048)}); err != nil {
				s.Fatalf("AmendTopic(%v) = %v", key.Name, err)
			}
			_, _, err := s.CreateTopic(context.Background(), key, TopicPatch{FIFO: new(!want), MaxSize: new(2048)})
			wantKind(s, "CreateTopic() of the other type", err, TopicExists)
			if e, ok := err.(*Error); !ok || e.Field != TopicFIFO {
				s.Errorf("CreateTopic() of the other type = %v, want one about the type", err)
			}
			// Whoever has no word for the type is not told that there is one.
			_, made, err := s.CreateTopic(context.Background(), key, TopicPatch{MaxSize: new(2048)})
			if made || err != nil {
				s.Errorf("CreateTopic(%v) again = %v, %v", key.Name, made, err)
			}
			info, err := s.Topic(context.Background(), key)
			if err != nil || info.Settings.FIFO != want {
				s.Errorf("Topic(%v) = FIFO %v, %v, want %v", key.Name, info.Settings.FIFO, err, want)
			}
		}
	})
}

// Each group arrives in the order of its publications, and the messages of a FIFO queue block each other by group.
func TestFIFOTopicKeepsTheOrderOfGroups(t *testing.T) {
	inBubble(t, func(s *station) {
		first, second := s.fifo("first"), s.fifo("second")
		key := s.fifoTopic("news")
		s.subscribe(key, "first", toQueue(first))
		s.subscribe(key, "second", toQueue(second))
		for i := range 3 {
			s.publishGroup(key, "a", fmt.Sprint("a", i))
			s.publishGroup(key, "b", fmt.Sprint("b", i))
		}
		s.restart()
		for _, q := range []QueueKey{first, second} {
			for i := range 3 {
				got := s.receive(q, 1)
				got = append(got, s.receive(q, 1)...)
				if len(got) != 2 || got[0].Body != fmt.Sprint("a", i) || got[1].Body != fmt.Sprint("b", i) || got[0].Group != "a" || got[1].Group != "b" {
					s.Fatalf("Receive(%v) = %+v, want the heads of two groups", q.Name, got)
				}
				if a := s.receive(q, 16); len(a) != 0 {
					s.Fatalf("Receive(%v) = %+v, want nothing while both groups are closed", q.Name, a)
				}
				s.drop(q, got[0].Receipt, got[1].Receipt)
			}
		}
	})
}

// What does not fit into the commit of its publication follows from the store, also after a crash, and still in order.
func TestFIFOTopicKeepsTheOrderOverARestart(t *testing.T) {
	dir := t.TempDir()
	var store *persistencetest.Faulty
	open := func() persistence.Store {
		b, err := badger.Open(dir, badger.Options{})
		if err != nil {
			t.Fatal(err)
		}
		store = persistencetest.NewFaulty(b)
		return store
	}
	large := strings.Repeat("x", 60_000)
	var want []string
	for i := range 4 {
		want = append(want, fmt.Sprint(i, large))
	}
	inBubbleOn(t, open, func(s *station) {
		key := s.fifoTopic("news")
		for i := range 10 {
			name := fmt.Sprintf("q%d", i)
			s.subscribe(key, name, toQueue(s.fifo(name)))
		}
		s.publishGroup(key, "g", want...)
		s.close()
		s.store = open()
		s.open()
		s.pass(time.Minute)
		s.pending(key, 0)
		for i := range 10 {
			if got := bodies(s.receive(named(fmt.Sprintf("q%d", i)), 16)); !slices.Equal(got, want) {
				s.Errorf("queue %d got %d messages, or another order, want %d", i, len(got), len(want))
			}
		}
	})
}

// A record of a version that knew no types is one of a standard topic, and likewise with queues and their limits.
func TestRecordsOfOlderVersionsAreRead(t *testing.T) {
	settings := TopicSettings{MaxSize: 2048, FIFO: true, Notes: map[string]string{"log": "on"}}
	record := encodeTopic(&topic{key: topicNamed("news"), settings: settings, created: 1, modified: 2})
	for _, older := range []bool{false, true} {
		want := settings
		if older {
			record, want.FIFO = record[:len(record)-1], false
		}
		var got topic
		if err := decodeTopic(record, &got); err != nil {
			t.Fatalf("older %v: decodeTopic() = %v", older, err)
		}
		if diff := cmp.Diff(want, got.settings); diff != "" || got.key != topicNamed("news") {
			t.Errorf("older %v: settings of %v (-want +got):\n%s", older, got.key, diff)
		}
	}
	q := newQueue(1, named("q"), &Settings{TenantRate: 5, MaxSize: 1024})
	q.salt = 7
	whole := encodeQueue(q) // ends with the limit and the salt, a byte each
	for _, tt := range []struct{ missing, rate, salt int }{{0, 5, 7}, {1, 5, 0}, {2, 0, 0}} {
		got := newQueue(1, QueueKey{}, &Settings{})
		err := decodeQueue(whole[:len(whole)-tt.missing], got)
		if err != nil || got.settings().MaxSize != 1024 || got.settings().TenantRate != tt.rate || got.salt != uint32(tt.salt) {
			t.Errorf("decodeQueue() without %d bytes = %+v, salt %d, %v", tt.missing, got.settings(), got.salt, err)
		}
	}
}

func TestTopicDeletedRecently(t *testing.T) {
	inBubble(t, func(s *station) {
		s.rules.RecreateAfter = time.Minute
		s.restart()
		key := s.topic("news")
		s.create("news", Patch{})
		if err := s.DeleteTopic(context.Background(), key); err != nil {
			s.Fatalf("DeleteTopic() = %v", err)
		}
		s.restart()
		s.pass(time.Minute - time.Millisecond)
		_, _, err := s.CreateTopic(context.Background(), key, TopicPatch{})
		wantKind(s, "CreateTopic()", err, TopicDeletedRecently)
		_, err = s.Topic(context.Background(), key)
		wantKind(s, "Topic()", err, TopicNotFound)
		s.topic("other")
		s.pass(time.Millisecond)
		s.topic("news")
		if n := s.records(buriedTopicPrefix); n != 0 {
			s.Errorf("%d deletions are stored, want 0", n)
		}
		// A provider without the rule neither waits nor notes anything.
		s.Broker = s.engine.Under(published())
		if err := s.DeleteTopic(context.Background(), key); err != nil {
			s.Fatalf("DeleteTopic() = %v", err)
		}
		s.topic("news")
	})
}
