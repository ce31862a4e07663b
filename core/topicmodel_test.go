package core

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

// TestTopicsMatchModel compares the engine with a model in which a publication is appended, at once, to what each
// matching subscription has got. Subscriptions come and go, the engine is restarted, and the store fails for a while.
func TestTopicsMatchModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		steps := script(r)
		var verdict tally
		synctest.Test(t, func(t *testing.T) {
			verdict.TB = t
			m := newTopicModel(&verdict)
			defer func() { m.s.close() }()
			for i, step := range steps {
				if m.do(step); len(verdict.faults) > 0 {
					verdict.faults = append(verdict.faults, fmt.Sprintf("after step %d of %+v", i+1, steps))
					return
				}
			}
		})
		for _, fault := range verdict.faults {
			r.Error(fault)
		}
	})
}

// tally keeps faults for rapid, which then looks for a shorter history that has them.
type tally struct {
	TB
	faults []string
}

func (v *tally) Errorf(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

func (v *tally) Fatalf(format string, args ...any) { v.Errorf(format, args...) }

func (v *tally) Logf(string, ...any) {}

// topicStep is one step of a history, drawn before it is run, since rapid cannot draw in a bubble.
type topicStep struct {
	Verb, Name, Tag string
}

func script(r *rapid.T) []topicStep {
	step := rapid.Custom(func(r *rapid.T) topicStep {
		return topicStep{
			Verb: rapid.SampledFrom([]string{
				"publish", "publish", "publish", "subscribe", "subscribe", "unsubscribe", "restart", "break", "repair", "delete",
			}).Draw(r, "verb"),
			Name: rapid.SampledFrom([]string{"queue1", "queue2", "push1", "push2", "outbox1"}).Draw(r, "name"),
			Tag:  rapid.SampledFrom([]string{"", "a", "b"}).Draw(r, "tag"),
		}
	})
	return rapid.SliceOfN(step, 1, 30).Draw(r, "steps")
}

type topicModel struct {
	s      *station
	faulty *persistencetest.Faulty
	key    TopicKey
	broken bool
	serial int

	exists bool
	tags   map[string]string   // of the subscriptions
	got    map[string][]string // what each name has got, ever
}

func newTopicModel(t TB) *topicModel {
	m := &topicModel{
		faulty: persistencetest.NewFaulty(memory.New()), key: topicNamed("news"),
		tags: map[string]string{}, got: map[string][]string{},
	}
	m.s = &station{
		world: &world{TB: t, clock: newManual(), store: m.faulty, rules: published()}, out: &endpoint{}, diary: &diary{},
	}
	m.s.open()
	m.s.create("queue1", Patch{})
	m.s.create("queue2", Patch{})
	return m
}

func (m *topicModel) settings(name, tag string) SubscriptionSettings {
	settings := SubscriptionSettings{Tag: tag}
	switch name[:4] {
	case "queu":
		settings.Endpoint = Endpoint{Kind: EndpointQueue, Queue: named(name)}
	case "push":
		settings.Endpoint = Endpoint{Kind: EndpointPush, Address: name}
	default:
		settings.Endpoint = Endpoint{Kind: EndpointOutbox, Address: name}
	}
	return settings
}

func (m *topicModel) do(step topicStep) {
	switch step.Verb {
	case "break":
		synctest.Wait() // so that every push so far is stored as done and comes no second time
		m.broken = true
		m.faulty.Break(persistence.ErrFull)
	case "repair", "restart":
		m.broken = false
		m.faulty.Repair()
		m.s.pass(5 * time.Second)
		if step.Verb == "restart" {
			m.s.restart()
		}
	case "subscribe":
		m.subscribe(step)
	case "unsubscribe", "delete":
		m.remove(step)
	case "publish":
		m.publish(step)
	}
	m.check()
}

func (m *topicModel) subscribe(step topicStep) {
	m.ensureTopic()
	_, made, err := m.s.Subscribe(context.Background(), m.key, SubscriptionName(step.Name), m.settings(step.Name, step.Tag))
	tag, exists := m.tags[step.Name]
	switch {
	case !m.exists:
		wantKind(m.s, "Subscribe() without topic", err, TopicNotFound)
	case exists && tag == step.Tag:
		wantKind(m.s, "Subscribe() again", err, none)
	case exists:
		wantKind(m.s, "Subscribe() with another tag", err, SubscriptionExists)
	case m.broken:
		wantKind(m.s, "Subscribe() on a broken store", err, Internal)
	default:
		wantKind(m.s, "Subscribe()", err, none)
		m.tags[step.Name] = step.Tag
	}
	if want := m.exists && !exists && !m.broken; made != want {
		m.s.Errorf("Subscribe(%q) = made %v, want %v", step.Name, made, want)
	}
}

func (m *topicModel) ensureTopic() {
	_, made, err := m.s.CreateTopic(context.Background(), m.key, TopicPatch{})
	if want := !m.exists && !m.broken; made != want || err != nil && !m.broken {
		m.s.Errorf("CreateTopic() = made %v, %v, want %v", made, err, want)
	}
	m.exists = m.exists || made
}

func (m *topicModel) remove(step topicStep) {
	want := none
	if !m.exists {
		want = TopicNotFound
	} else if _, ok := m.tags[step.Name]; m.broken && (ok || step.Verb == "delete") {
		want = Internal
	}
	if step.Verb == "delete" {
		wantKind(m.s, "DeleteTopic()", m.s.DeleteTopic(context.Background(), m.key), want)
		if want == none {
			m.exists, m.tags = false, map[string]string{}
		}
		return
	}
	wantKind(m.s, "Unsubscribe()", m.s.Unsubscribe(context.Background(), m.key, SubscriptionName(step.Name)), want)
	if want == none {
		delete(m.tags, step.Name)
	}
}

func (m *topicModel) publish(step topicStep) {
	m.serial++
	body := fmt.Sprint(m.serial, step.Tag)
	_, err := m.s.Publish(context.Background(), m.key, Publication{Body: body, Tag: step.Tag})
	matching := slices.DeleteFunc(slices.Collect(maps.Keys(m.tags)), func(name string) bool {
		return m.tags[name] != "" && m.tags[name] != step.Tag
	})
	switch {
	case !m.exists:
		wantKind(m.s, "Publish() without topic", err, TopicNotFound)
	case m.broken && len(matching) > 0:
		wantKind(m.s, "Publish() on a broken store", err, Internal)
	case err != nil && !m.broken:
		m.s.Errorf("Publish() = %v", err)
	default:
		for _, name := range matching {
			m.got[name] = append(m.got[name], body)
		}
	}
	synctest.Wait() // pushes are done before the next step can take their subscription away
}

// check compares what everybody has got with the model.
func (m *topicModel) check() {
	synctest.Wait()
	got := map[string][]string{}
	m.s.out.mu.Lock()
	for _, d := range m.s.out.got {
		name := string(d.Subscription.Name)
		got[name] = append(got[name], d.Body)
	}
	m.s.out.mu.Unlock()
	deliveries, err := m.s.Outbox(context.Background(), home, 1000)
	if err != nil {
		m.s.Errorf("Outbox() = %v", err)
	}
	for _, d := range slices.Backward(deliveries) {
		got["outbox1"] = append(got["outbox1"], d.Body)
	}
	for _, name := range []string{"queue1", "queue2"} {
		if texts := m.s.engine.stored(m.s, named(name)); len(texts) > 0 {
			got[name] = texts
		}
	}
	if diff := cmp.Diff(m.got, got); diff != "" {
		m.s.Errorf("got (-want +got):\n%s", diff)
	}
}

// stored returns the bodies of all messages of a queue in the order of their sequence numbers.
func (e *Engine) stored(t TB, key QueueKey) []string {
	t.Helper()
	q, err := e.open(key)
	if err != nil {
		t.Fatalf("Queue(%v) = %v", key.Name, err)
	}
	defer q.mu.Unlock()
	var texts []string
	for _, sequence := range slices.Sorted(maps.Keys(q.messages)) {
		c := q.copy(q.messages[sequence])
		m, _, err := e.message(&c)
		if err != nil {
			t.Fatalf("message %d = %v", sequence, err)
		}
		texts = append(texts, m.Body)
	}
	return texts
}
