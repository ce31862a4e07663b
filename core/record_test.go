package core

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func drawInstant(t *rapid.T, label string) instant { return instant(rapid.Int64().Draw(t, label)) }

func drawKey(t *rapid.T, label string) QueueKey {
	s := rapid.String()
	return QueueKey{Namespace{s.Draw(t, label), s.Draw(t, label)}, QueueName(s.Draw(t, label))}
}

func drawMessage(t *rapid.T) (*message, string) {
	m := &message{
		enteredAt: drawInstant(t, "entered"), visibleAt: drawInstant(t, "visible"),
		firstAt: drawInstant(t, "first"), receives: rapid.Uint32().Draw(t, "receives"), before: rapid.Uint32().Draw(t, "before"),
		priority: rapid.Uint8Range(1, maxPriority).Draw(t, "priority"),
	}
	copy(m.id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	return m, rapid.String().Draw(t, "group")
}

func drawContent(t *rapid.T) content {
	s := rapid.String()
	c := content{
		sentAt: drawInstant(t, "sent"), body: s.Draw(t, "body"), sender: s.Draw(t, "sender"), dedupID: s.Draw(t, "dedup"),
		trace: Trace{s.Draw(t, "xray"), s.Draw(t, "parent"), s.Draw(t, "state"), s.Draw(t, "baggage")},
	}
	for range rapid.IntRange(0, 3).Draw(t, "attributes") {
		c.attributes = append(c.attributes, Attribute{
			Name: s.Draw(t, "name"), Kind: AttributeKind(rapid.Uint8().Draw(t, "kind")), Label: s.Draw(t, "label"),
			Value: rapid.SliceOf(rapid.Byte()).Draw(t, "value"),
		})
	}
	copy(c.digest[:], rapid.SliceOfN(rapid.Byte(), len(c.digest), len(c.digest)).Draw(t, "digest"))
	if rapid.Bool().Draw(t, "moved") {
		c.source = new(drawKey(t, "source"))
	}
	return c
}

var unexported = cmp.AllowUnexported(message{}, content{}, dedupEntry{}, attempt{}, delivery{})

func TestMessageRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, group := drawMessage(t)
		c := drawContent(t)
		r := newReader(encodeMessage(m, group, &c))
		var head message
		sentAt, gotGroup := decodeHead(r, &head)
		if gotGroup != group {
			t.Errorf("group = %q, want %q", gotGroup, group)
		}
		if diff := cmp.Diff(*m, head, unexported); diff != "" {
			t.Errorf("head (-want +got):\n%s", diff)
		}
		got := decodeContent(r)
		got.sentAt = sentAt
		if diff := cmp.Diff(c, got, unexported); diff != "" {
			t.Errorf("content (-want +got):\n%s", diff)
		}
		if r.err != nil || len(r.b) != 0 {
			t.Errorf("error %v, %d bytes left", r.err, len(r.b))
		}
	})
}

// A record keeps the memory that it was given.
func TestMessageRecordsTakeLittleMoreThanTheyHold(t *testing.T) {
	at := instantOf(epoch)
	for _, tt := range []struct {
		name  string
		group string
		m     message
		c     content
	}{
		{"small", "", message{enteredAt: at, visibleAt: at, priority: 8}, content{sentAt: at, body: "b", sender: "AIDAEXAMPLEEXAMPLE012"}},
		{"large", "g", message{enteredAt: at, visibleAt: at, priority: 8}, content{sentAt: at, body: strings.Repeat("b", 1<<20)}},
		{"everything", strings.Repeat("g", 128), message{enteredAt: at, visibleAt: at, firstAt: at, receives: 1000, before: 1000, priority: 16}, content{
			sentAt: at, body: strings.Repeat("b", 300), sender: "AIDAEXAMPLEEXAMPLE012", dedupID: strings.Repeat("d", 128),
			trace:      Trace{XRay: strings.Repeat("x", 100), Parent: strings.Repeat("p", 55), State: "s", Baggage: "b"},
			source:     &QueueKey{Namespace{"123456789012", "us-east-1"}, "source"},
			attributes: []Attribute{{Name: "n", Kind: Binary, Label: "l", Value: bytes.Repeat([]byte("v"), 1000)}, {Name: "m", Kind: Text, Value: []byte("v")}},
		}},
	} {
		record := encodeMessage(&tt.m, tt.group, &tt.c)
		if asked := headSize + len(tt.group) + tt.c.size(); len(record) > asked || len(record) < asked-24 {
			t.Errorf("%s: a record of %d bytes was given %d, want no less and at most 24 more", tt.name, len(record), asked)
		}
	}
}

func TestStateRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, _ := drawMessage(t)
		m.lastAt, m.delivery, m.fresh = drawInstant(t, "last"), rapid.Uint32().Draw(t, "delivery"), rapid.Bool().Draw(t, "fresh")
		got := message{id: m.id, enteredAt: m.enteredAt, before: m.before, priority: m.priority}
		if err := decodeState(encodeState(m), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*m, got, unexported); diff != "" {
			t.Errorf("state (-want +got):\n%s", diff)
		}
	})
}

func TestQueueRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.MapOfN(rapid.String(), rapid.String(), 1, 4)
		d := func(label string) time.Duration { return time.Duration(rapid.Int64().Draw(t, label)) }
		b := func(label string) bool { return rapid.Bool().Draw(t, label) }
		s := &Settings{
			Delay: d("delay"), Visibility: d("visibility"), Retention: d("retention"), Wait: d("wait"),
			MaxSize: rapid.IntMin(0).Draw(t, "size"), FIFO: b("fifo"), ContentDedup: b("content"), DedupPerGroup: b("scope"),
			GroupLimit: b("limit"), TenantRate: rapid.IntMin(0).Draw(t, "rate"), RedriveAllow: RedriveAllow{DenyAll: b("deny")},
		}
		if b("redrive") {
			s.Redrive = &Redrive{drawKey(t, "target"), rapid.IntMin(0).Draw(t, "receives")}
		}
		for range rapid.IntRange(0, 3).Draw(t, "sources") {
			s.RedriveAllow.Sources = append(s.RedriveAllow.Sources, drawKey(t, "source"))
		}
		if b("notes") {
			s.Notes = texts.Draw(t, "notes")
		}
		q := newQueue(1, drawKey(t, "key"), s)
		if b("tags") {
			q.tags = texts.Draw(t, "tags")
		}
		q.created, q.modified, q.purgedAt, q.scopeFrom = drawInstant(t, "created"), drawInstant(t, "modified"), drawInstant(t, "purged"), drawInstant(t, "from")
		q.purgedThrough, q.lowWater, q.scopeBefore = rapid.Uint64().Draw(t, "through"), rapid.Uint64().Draw(t, "low"), b("before")

		got := newQueue(1, QueueKey{}, &Settings{})
		if err := decodeQueue(encodeQueue(q), got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, got.settings()); diff != "" {
			t.Errorf("settings (-want +got):\n%s", diff)
		}
		want := []any{q.key, q.tags, q.created, q.modified, q.purgedAt, q.scopeFrom, q.purgedThrough, q.lowWater, q.scopeBefore}
		have := []any{got.key, got.tags, got.created, got.modified, got.purgedAt, got.scopeFrom, got.purgedThrough, got.lowWater, got.scopeBefore}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("queue (-want +got):\n%s", diff)
		}
	})
}

func TestDedupAndAttemptRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := dedupEntry{sequence: rapid.Uint64().Draw(t, "sequence"), until: drawInstant(t, "until")}
		copy(e.id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		got, err := decodeDedup(encodeDedup(e))
		if diff := cmp.Diff(e, got, unexported); err != nil || diff != "" {
			t.Errorf("deduplication entry: %v (-want +got):\n%s", err, diff)
		}
		a := attempt{until: drawInstant(t, "until")}
		for range rapid.IntRange(0, 4).Draw(t, "deliveries") {
			a.deliveries = append(a.deliveries, delivery{rapid.Uint64().Draw(t, "sequence"), rapid.Uint32().Draw(t, "delivery"), drawInstant(t, "visible")})
		}
		again, err := decodeAttempt(encodeAttempt(a))
		if diff := cmp.Diff(a, again, unexported); err != nil || diff != "" {
			t.Errorf("attempt: %v (-want +got):\n%s", err, diff)
		}
	})
}

// The order of keys is the order of numbers, which recovery relies on.
func TestKeysAreInTheOrderOfNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, s := rapid.Uint32().Draw(t, "queue"), rapid.Uint64().Draw(t, "sequence")
		other := rapid.Uint64().Draw(t, "other")
		key := messageKey(messagePrefix, q, s)
		if queueOf(key) != q || sequenceOf(key) != s || !bytes.HasPrefix(key, queueKey(messagePrefix, q)) {
			t.Errorf("messageKey(%d, %d) = %v", q, s, key)
		}
		if got, want := bytes.Compare(key, messageKey(messagePrefix, q, other)) < 0, s < other; got != want {
			t.Errorf("the key of %d is before that of %d: %v", s, other, got)
		}
		name := rapid.String().Draw(t, "name")
		if key := namedKey(dedupPrefix, q, name); queueOf(key) != q || nameOf(key) != name {
			t.Errorf("namedKey(%d, %q) = %v", q, name, key)
		}
	})
}

// FuzzDecode gives anything to every decoder: an error, but no panic and no absurd amount of memory.
func FuzzDecode(f *testing.F) {
	m, c := &message{priority: 8}, content{body: "b", attributes: []Attribute{{Name: "n", Value: []byte("v")}}, source: &QueueKey{}}
	f.Add(encodeMessage(m, "g", &c))
	f.Add(encodeState(m))
	q := newQueue(1, QueueKey{Name: "q"}, &Settings{Redrive: &Redrive{}, Notes: map[string]string{"a": "b"}})
	q.tags = map[string]string{"k": "v"}
	f.Add(encodeQueue(q))
	f.Add(encodeDedup(dedupEntry{}))
	f.Add(encodeAttempt(attempt{deliveries: []delivery{{1, 2, 3}}}))
	f.Add([]byte{})
	f.Add([]byte{recordVersion, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, record []byte) {
		r := newReader(record)
		var head message
		_, group := decodeHead(r, &head)
		content := decodeContent(r)
		if r.err == nil && len(group)+len(content.body) > len(record) {
			t.Errorf("decoded more than the record holds")
		}
		_ = decodeState(record, &head)
		_ = decodeQueue(record, newQueue(1, QueueKey{}, &Settings{}))
		_, _ = decodeDedup(record)
		_, _ = decodeAttempt(record)
	})
}
