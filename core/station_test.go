package core

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
)

// published are the rules of the provider that has topics.
func published() Rules {
	r := strict()
	r.TopicDefaults = TopicSettings{MaxSize: 1 << 16}
	r.TopicMaxSize = Between(1024, 1<<16)
	r.TopicRetention = 24 * time.Hour
	r.SubscriptionLimit = 100
	return r
}

// endpoint is somebody outside who is pushed to. It takes everything unless answer says otherwise.
type endpoint struct {
	answer func(ctx context.Context, d Delivery) error

	mu  sync.Mutex
	got []Delivery // taken
	all int        // attempts
}

func (p *endpoint) Push(ctx context.Context, d Delivery) error {
	p.mu.Lock()
	p.all++
	p.mu.Unlock()
	if p.answer != nil {
		if err := p.answer(ctx, d); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = append(p.got, d)
	return nil
}

// attempts returns how many pushes there were since the last call.
func (p *endpoint) attempts() int {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.all
	p.all = 0
	return n
}

// taken returns what was taken since the last call as "subscription:body", sorted.
func (p *endpoint) taken() []string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	var texts []string
	for _, d := range p.got {
		texts = append(texts, string(d.Subscription.Name)+":"+d.Body)
	}
	p.got = nil
	slices.Sort(texts)
	return texts
}

// diary remembers events.
type diary struct {
	mu     sync.Mutex
	events []Event
}

func (d *diary) Observe(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

// of returns the events of a kind so far.
func (d *diary) of(kind EventKind) []Event {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []Event
	for _, e := range d.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

// station is a world with somebody to push to, in a bubble.
type station struct {
	*world
	out   *endpoint
	diary *diary
	mute  bool // nobody pushes
}

// inBubble runs a test with a station on a memory store.
func inBubble(t *testing.T, test func(s *station)) {
	t.Helper()
	inBubbleOn(t, func() persistence.Store { return memory.New() }, test)
}

func inBubbleOn(t *testing.T, store func() persistence.Store, test func(s *station)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &station{world: &world{TB: t, clock: newManual(), store: store(), rules: published()}, out: &endpoint{}, diary: &diary{}}
		s.open()
		defer func() { s.close() }()
		test(s)
	})
}

func (s *station) open() {
	s.Helper()
	o := Options{
		Clock: s.clock, BodyBudget: s.budget, Observers: []Observer{s.diary},
		OnError: func(err error) { s.Logf("in the background: %v", err) },
	}
	if !s.mute {
		o.Pusher = s.out
	}
	e, err := Open(s.store, o)
	if err != nil {
		s.Fatalf("Open() = %v", err)
	}
	s.engine, s.Broker = e, e.Under(s.rules)
}

func (s *station) restart() {
	s.Helper()
	s.close()
	s.open()
}

// pass moves the clock once everybody is done with what was due before.
func (s *station) pass(d time.Duration) {
	synctest.Wait()
	s.world.pass(d)
}

func topicNamed(name string) TopicKey { return TopicKey{home, TopicName(name)} }

func (s *station) topic(name string) TopicKey {
	s.Helper()
	key := topicNamed(name)
	if _, made, err := s.CreateTopic(context.Background(), key, TopicPatch{}); err != nil || !made {
		s.Fatalf("CreateTopic(%q) = made %v, %v", name, made, err)
	}
	return key
}

func (s *station) subscribe(key TopicKey, name string, settings SubscriptionSettings) {
	s.Helper()
	if _, made, err := s.Subscribe(context.Background(), key, SubscriptionName(name), settings); err != nil || !made {
		s.Fatalf("Subscribe(%q) = made %v, %v", name, made, err)
	}
}

// toQueue, outside and toOutbox are settings of subscriptions.
func toQueue(q QueueKey) SubscriptionSettings {
	return SubscriptionSettings{Endpoint: Endpoint{Kind: EndpointQueue, Queue: q}}
}

func outside() SubscriptionSettings {
	return SubscriptionSettings{Endpoint: Endpoint{Kind: EndpointPush, Address: "http://example.com/"}}
}

func toOutbox() SubscriptionSettings {
	return SubscriptionSettings{Endpoint: Endpoint{Kind: EndpointOutbox, Address: "somebody@example.com"}}
}

func (s *station) publish(key TopicKey, bodies ...string) {
	s.Helper()
	for _, body := range bodies {
		s.announce(key, Publication{Body: body})
	}
}

func (s *station) announce(key TopicKey, m Publication) Published {
	s.Helper()
	p, err := s.Publish(context.Background(), key, m)
	if err != nil {
		s.Fatalf("Publish(%v, %q) = %v", key.Name, m.Body, err)
	}
	return p
}

// pending checks how many publications a topic waits to deliver.
func (s *station) pending(key TopicKey, want int) {
	s.Helper()
	synctest.Wait()
	info, err := s.Topic(context.Background(), key)
	if err != nil || info.Messages != want {
		s.Errorf("Topic(%v) = %d messages, %v, want %d", key.Name, info.Messages, err, want)
	}
}

// records returns how many records the store holds under prefixes.
func (s *station) records(prefixes ...byte) int {
	s.Helper()
	synctest.Wait()
	n := 0
	for _, prefix := range prefixes {
		err := s.store.Load([]byte{prefix}, nil, func([]byte, []byte) error { n++; return nil })
		if err != nil {
			s.Fatalf("Load(%q) = %v", prefix, err)
		}
	}
	return n
}

// wantTaken checks what the endpoint has taken since the last look.
func (s *station) wantTaken(want ...string) {
	s.Helper()
	if diff := cmp.Diff(want, s.out.taken()); diff != "" {
		s.Fatalf("pushed (-want +got):\n%s", diff)
	}
}

var errRefused = errors.New("refused")

func refuse(context.Context, Delivery) error { return errRefused }
