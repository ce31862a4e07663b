package core

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCreateTopicComparesWithExisting(t *testing.T) {
	for _, test := range []struct {
		name    string
		omitted bool
		second  TopicPatch
		want    Kind
		field   Field
	}{
		{"Same", true, TopicPatch{MaxSize: new(2048), Notes: map[string]*string{"log": new("on")}}, none, NoField},
		{"OtherSize", true, TopicPatch{MaxSize: new(4096), Notes: map[string]*string{"log": new("on")}}, TopicExists, TopicMaxSize},
		{"OtherNote", true, TopicPatch{MaxSize: new(2048), Notes: map[string]*string{"log": new("off")}}, TopicExists, TopicNote},
		{"SizeOmitted", true, TopicPatch{Notes: map[string]*string{"log": new("on")}}, TopicExists, TopicMaxSize},
		{"SizeOmittedNotCompared", false, TopicPatch{Notes: map[string]*string{"log": new("on")}}, none, NoField},
		{"OutOfRange", true, TopicPatch{MaxSize: new(1023)}, OutOfRange, TopicMaxSize},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(s *station) {
				s.rules.CompareOmitted = test.omitted
				s.restart()
				key := topicNamed("news")
				first := TopicPatch{MaxSize: new(2048), Notes: map[string]*string{"log": new("on")}}
				want, made, err := s.CreateTopic(context.Background(), key, first)
				if err != nil || !made || want.Settings.MaxSize != 2048 || !want.Created.Equal(epoch) {
					s.Fatalf("CreateTopic() = %+v, %v, %v", want, made, err)
				}
				got, made, err := s.CreateTopic(context.Background(), key, test.second)
				wantKind(s, "CreateTopic() again", err, test.want)
				if e, ok := err.(*Error); ok && e.Field != test.field {
					s.Errorf("CreateTopic() again: field %d, want %d", e.Field, test.field)
				}
				if made || err == nil && !cmp.Equal(got, want) {
					s.Errorf("CreateTopic() again = %+v, %v, want %+v", got, made, want)
				}
			})
		})
	}
}

func TestAmendTopicChangesOnlyWhatIsNamed(t *testing.T) {
	inBubble(t, func(s *station) {
		key := s.topic("news")
		s.pass(time.Minute)
		if err := s.AmendTopic(context.Background(), key, TopicPatch{MaxSize: new(2048)}); err != nil {
			s.Fatalf("AmendTopic() = %v", err)
		}
		err := s.AmendTopic(context.Background(), key, TopicPatch{Notes: map[string]*string{"log": new("on")}})
		if err != nil {
			s.Fatalf("AmendTopic() = %v", err)
		}
		wantKind(s, "AmendTopic(1)", s.AmendTopic(context.Background(), key, TopicPatch{MaxSize: new(1)}), OutOfRange)
		want := TopicInfo{
			Key: key, Settings: TopicSettings{MaxSize: 2048, Notes: map[string]string{"log": "on"}},
			Created: epoch, Modified: epoch.Add(time.Minute),
		}
		for _, when := range []string{"before", "after"} {
			got, err := s.Topic(context.Background(), key)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				s.Errorf("Topic() %s a restart: %v (-want +got):\n%s", when, err, diff)
			}
			s.restart()
		}
		_, err = s.Publish(context.Background(), key, Publication{Body: fmt.Sprintf("%2049d", 1)})
		wantKind(s, "Publish(2049 bytes)", err, MessageTooLarge)
	})
}

func TestTopicsArePaged(t *testing.T) {
	inBubble(t, func(s *station) {
		for _, name := range []string{"b2", "a", "b1", "c", "b3"} {
			s.topic(name)
		}
		for _, test := range []struct {
			prefix string
			after  TopicName
			limit  int
			want   []TopicName
			more   bool
		}{
			{"", "", 10, []TopicName{"a", "b1", "b2", "b3", "c"}, false},
			{"b", "", 10, []TopicName{"b1", "b2", "b3"}, false},
			{"b", "", 2, []TopicName{"b1", "b2"}, true},
			{"b", "b2", 2, []TopicName{"b3"}, false},
			{"", "b3", 1, []TopicName{"c"}, false},
			{"x", "", 1, nil, false},
		} {
			infos, more, err := s.Topics(context.Background(), home, test.prefix, test.after, test.limit)
			var names []TopicName
			for _, i := range infos {
				names = append(names, i.Key.Name)
			}
			if !cmp.Equal(names, test.want) || more != test.more || err != nil {
				s.Errorf("Topics(%q, %q, %d) = %v, %v, %v, want %v, %v", test.prefix, test.after, test.limit, names, more, err, test.want, test.more)
			}
		}
	})
}

func TestVerbsOnMissingTopicFail(t *testing.T) {
	inBubble(t, func(s *station) {
		ctx, key := context.Background(), topicNamed("none")
		_, publish := s.Publish(ctx, key, Publication{})
		_, _, subscribe := s.Subscribe(ctx, key, "s", outside())
		_, get := s.Topic(ctx, key)
		_, subscription := s.Subscription(ctx, key, "s")
		_, _, list := s.Subscriptions(ctx, key, "", "", 1)
		for what, err := range map[string]error{
			"Publish": publish, "Subscribe": subscribe, "Topic": get, "Subscription": subscription, "Subscriptions": list,
			"AmendTopic":        s.AmendTopic(ctx, key, TopicPatch{}),
			"DeleteTopic":       s.DeleteTopic(ctx, key),
			"AmendSubscription": s.AmendSubscription(ctx, key, "s", SubscriptionPatch{}),
			"Unsubscribe":       s.Unsubscribe(ctx, key, "s"),
		} {
			wantKind(s, what, err, TopicNotFound)
		}
	})
}

func TestDeleteTopicTakesEverythingAlong(t *testing.T) {
	inBubble(t, func(s *station) {
		s.out.answer = refuse
		key := s.topic("news")
		s.subscribe(key, "a", outside())
		s.subscribe(key, "b", outside())
		s.publish(key, "1", "2", "3")
		s.pending(key, 3)
		if err := s.DeleteTopic(context.Background(), key); err != nil {
			s.Fatalf("DeleteTopic() = %v", err)
		}
		if n := s.records(topicPrefix, deletedTopicPrefix, subscriptionPrefix, publicationPrefix, deliveryPrefix); n != 0 {
			s.Errorf("%d records are left, want 0", n)
		}
		s.out.attempts()
		s.pass(time.Hour)
		if n := s.out.attempts(); n != 0 {
			s.Errorf("%d pushes after the topic was deleted, want 0", n)
		}
		s.topic("news")
		s.pending(key, 0)
		if found, _, err := s.Subscriptions(context.Background(), key, "", "", 10); len(found) != 0 || err != nil {
			s.Errorf("Subscriptions() of a new topic = %v, %v, want none", found, err)
		}
	})
}

func TestSubscribeComparesWithExisting(t *testing.T) {
	dead := named("dead")
	base := SubscriptionSettings{
		Endpoint: Endpoint{Kind: EndpointPush, Address: "http://a/"}, Tag: "t", Strategy: DecayRetry, Format: "f", Owner: "o", DeadLetter: &dead,
	}
	for _, test := range []struct {
		name   string
		change func(*SubscriptionSettings)
		field  Field
	}{
		{"Same", func(s *SubscriptionSettings) { s.DeadLetter = new(dead) }, NoField},
		{"OwnerDoesNotCount", func(s *SubscriptionSettings) { s.Owner = "p" }, NoField},
		{"Endpoint", func(s *SubscriptionSettings) { s.Endpoint.Address = "http://b/" }, SubscriptionEndpoint},
		{"Tag", func(s *SubscriptionSettings) { s.Tag = "" }, SubscriptionTag},
		{"Strategy", func(s *SubscriptionSettings) { s.Strategy = BackoffRetry }, SubscriptionStrategy},
		{"Format", func(s *SubscriptionSettings) { s.Format = "g" }, SubscriptionFormat},
		{"DeadLetter", func(s *SubscriptionSettings) { s.DeadLetter = nil }, SubscriptionDeadLetter},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(s *station) {
				key := s.topic("news")
				s.subscribe(key, "s", base)
				again := base
				test.change(&again)
				info, made, err := s.Subscribe(context.Background(), key, "s", again)
				if test.field == NoField {
					want := SubscriptionInfo{Topic: key, Name: "s", Settings: base, Created: epoch, Modified: epoch}
					if diff := cmp.Diff(want, info); diff != "" || made || err != nil {
						s.Errorf("Subscribe() again = made %v, %v (-want +got):\n%s", made, err, diff)
					}
					return
				}
				wantKind(s, "Subscribe() again", err, SubscriptionExists)
				if e, ok := err.(*Error); ok && e.Field != test.field {
					s.Errorf("Subscribe() again: field %d, want %d", e.Field, test.field)
				}
			})
		})
	}
}

func TestTopicTakesLimitedSubscriptions(t *testing.T) {
	inBubble(t, func(s *station) {
		key := s.topic("news")
		for i := range 100 {
			s.subscribe(key, fmt.Sprintf("s%02d", i), outside())
		}
		_, _, err := s.Subscribe(context.Background(), key, "more", outside())
		wantKind(s, "Subscribe(more)", err, SubscriptionLimit)
		if err := s.Unsubscribe(context.Background(), key, "s50"); err != nil {
			s.Fatalf("Unsubscribe() = %v", err)
		}
		s.subscribe(key, "more", outside())
		found, more, err := s.Subscriptions(context.Background(), key, "s", "s97", 1)
		if len(found) != 1 || found[0].Name != "s98" || !more || err != nil {
			s.Errorf("Subscriptions(after s97) = %v, %v, %v, want s98 and more", found, more, err)
		}
	})
}

func TestAmendSubscriptionSurvivesRestart(t *testing.T) {
	inBubble(t, func(s *station) {
		key, dead := s.topic("news"), new(named("dead"))
		s.subscribe(key, "s", outside())
		s.pass(time.Second)
		patch := SubscriptionPatch{Tag: new("t"), Strategy: new(DecayRetry), Format: new("f"), DeadLetter: &dead}
		if err := s.AmendSubscription(context.Background(), key, "s", patch); err != nil {
			s.Fatalf("AmendSubscription() = %v", err)
		}
		wantKind(s, "AmendSubscription(x)", s.AmendSubscription(context.Background(), key, "x", patch), SubscriptionNotFound)
		want := SubscriptionInfo{Topic: key, Name: "s", Settings: outside(), Created: epoch, Modified: epoch.Add(time.Second)}
		want.Settings.Tag, want.Settings.Strategy, want.Settings.Format, want.Settings.DeadLetter = "t", DecayRetry, "f", dead
		s.restart()
		got, err := s.Subscription(context.Background(), key, "s")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			s.Errorf("Subscription() = %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestUnsubscribeDropsWhatIsPending(t *testing.T) {
	inBubble(t, func(s *station) {
		s.out.answer = refuse
		key := s.topic("news")
		s.subscribe(key, "a", outside())
		s.publish(key, "both")
		s.pending(key, 1)
		if err := s.Unsubscribe(context.Background(), key, "a"); err != nil {
			s.Fatalf("Unsubscribe() = %v", err)
		}
		if err := s.Unsubscribe(context.Background(), key, "a"); err != nil {
			s.Errorf("Unsubscribe() again = %v, want nil", err)
		}
		_, err := s.Subscription(context.Background(), key, "a")
		wantKind(s, "Subscription()", err, SubscriptionNotFound)
		s.pending(key, 0)
		if n := s.records(subscriptionPrefix, publicationPrefix, deliveryPrefix); n != 0 {
			s.Errorf("%d records are left, want 0", n)
		}
	})
}

// A crash after the commit of an unsubscription and before its remains are removed leaves them to the next Open.
func TestOpenRemovesWhatBelongsToNobody(t *testing.T) {
	inBubble(t, func(s *station) {
		s.out.answer = refuse
		key := s.topic("news")
		s.subscribe(key, "a", outside())
		s.subscribe(key, "b", outside())
		s.publish(key, "1")
		s.pending(key, 1)
		s.engine.sweeper.close()
		if err := s.Unsubscribe(context.Background(), key, "a"); err != nil {
			s.Fatalf("Unsubscribe() = %v", err)
		}
		other := s.topic("other")
		s.subscribe(other, "c", outside())
		s.publish(other, "2")
		if err := s.DeleteTopic(context.Background(), other); err != nil {
			s.Fatalf("DeleteTopic() = %v", err)
		}
		if n := s.records(publicationPrefix, deliveryPrefix, deletedTopicPrefix); n != 6 {
			s.Errorf("%d records before the restart, want 6", n)
		}
		s.restart()
		if n := s.records(publicationPrefix, deliveryPrefix, deletedTopicPrefix); n != 2 {
			s.Errorf("%d records after the restart, want 2", n)
		}
		s.pending(key, 1)
	})
}
