package core

import (
	"errors"

	"github.com/sluicemq/sluice/persistence"
)

func (w *writer) topicKey(k TopicKey) { w.key(k.plain()) }

func (r *reader) topicKey() TopicKey {
	k := r.key()
	return TopicKey{k.Namespace, TopicName(k.Name)}
}

// encodeTopic returns the record of a topic's settings.
func encodeTopic(t *topic) []byte {
	w := newWriter(128)
	w.topicKey(t.key)
	w.instant(t.created)
	w.instant(t.modified)
	w.uint(uint64(t.settings.MaxSize))
	encodeTexts(w, t.settings.Notes)
	w.bool(t.settings.FIFO)
	return w.b
}

func decodeTopic(record []byte, t *topic) error {
	r := newReader(record)
	t.key = r.topicKey()
	t.created, t.modified = r.instant(), r.instant()
	t.settings = TopicSettings{MaxSize: int(r.uint()), Notes: decodeTexts(r)}
	if r.more() {
		t.settings.FIFO = r.bool()
	}
	return r.err
}

// encodeSubscription returns the record of a subscription.
func encodeSubscription(s *subscription) []byte {
	w := newWriter(160)
	w.subscription(s.name, &s.settings, s.created, s.modified)
	return w.b
}

func decodeSubscription(record []byte, s *subscription) error {
	r := newReader(record)
	s.name, s.settings, s.created, s.modified = r.subscription()
	return r.err
}

func (w *writer) subscription(name SubscriptionName, s *SubscriptionSettings, created, modified instant) {
	w.text(string(name))
	w.uint(uint64(s.Endpoint.Kind))
	w.key(s.Endpoint.Queue)
	w.text(s.Endpoint.Address)
	w.text(s.Tag)
	w.uint(uint64(s.Strategy))
	w.text(s.Format)
	w.text(s.Owner)
	w.bool(s.DeadLetter != nil)
	if s.DeadLetter != nil {
		w.key(*s.DeadLetter)
	}
	w.instant(created)
	w.instant(modified)
}

func (r *reader) subscription() (name SubscriptionName, s SubscriptionSettings, created, modified instant) {
	name = SubscriptionName(r.text())
	s.Endpoint = Endpoint{Kind: EndpointKind(r.uint()), Queue: r.key(), Address: r.text()}
	s.Tag, s.Strategy, s.Format, s.Owner = r.text(), Strategy(r.uint()), r.text(), r.text()
	if r.bool() {
		k := r.key()
		s.DeadLetter = &k
	}
	return name, s, r.instant(), r.instant()
}

// encodePublication returns the record of a publication. Head first: recovery reads nothing else.
func encodePublication(p *publication, m *Publication) []byte {
	w := newWriter(160 + len(m.Body) + 64*len(m.Attributes))
	w.b = append(w.b, p.id[:]...)
	w.instant(p.at)
	w.instant(p.until)
	w.publication(m)
	return w.b
}

func decodePublicationHead(r *reader, p *publication) {
	p.id = r.id()
	p.at, p.until = r.instant(), r.instant()
}

func (w *writer) publication(m *Publication) {
	w.text(m.Tag)
	w.text(m.Sender)
	w.bool(m.Group != nil)
	w.text(defaultTo(m.Group, ""))
	encodeTrace(w, &m.Trace)
	encodeTexts(w, m.Notes)
	encodeAttributes(w, m.Attributes)
	w.text(m.Body)
}

func (r *reader) publication() Publication {
	m := Publication{Tag: r.text(), Sender: r.text()}
	if grouped, group := r.bool(), r.text(); grouped {
		m.Group = &group
	}
	m.Trace, m.Notes, m.Attributes, m.Body = decodeTrace(r), decodeTexts(r), decodeAttributes(r), r.text()
	return m
}

// readPublication reads what was published. The bool is false when it is gone.
func readPublication(store persistence.Store, key []byte) (Publication, bool, error) {
	record, err := store.Get(key)
	if errors.Is(err, persistence.ErrNotFound) {
		return Publication{}, false, nil
	}
	if err != nil {
		return Publication{}, false, &Error{Kind: Internal, Err: err}
	}
	r := newReader(record)
	decodePublicationHead(r, &publication{})
	m := r.publication()
	if r.err != nil {
		return Publication{}, false, &Error{Kind: Internal, Err: r.err}
	}
	return m, true, nil
}

// encodeParcel returns the record of what a subscription waits for.
func encodeParcel(d *parcel) []byte {
	w := newWriter(16)
	w.instant(d.at)
	w.uint(uint64(d.attempts))
	return w.b
}

func decodeParcel(record []byte, d *parcel) error {
	r := newReader(record)
	d.at, d.attempts = r.instant(), int(r.uint())
	return r.err
}

// encodeOutboxed returns the record of a delivery in the outbox.
func encodeOutboxed(d *Delivery) []byte {
	w := newWriter(320 + len(d.Body))
	w.topicKey(d.Topic)
	w.b = append(w.b, d.ID[:]...)
	w.instant(instantOf(d.At))
	w.uint(uint64(d.Attempt))
	s := &d.Subscription
	w.subscription(s.Name, &s.Settings, instantOf(s.Created), instantOf(s.Modified))
	w.publication(&d.Publication)
	return w.b
}

func decodeOutboxed(record []byte, d *Delivery) error {
	r := newReader(record)
	d.Topic, d.ID, d.At, d.Attempt = r.topicKey(), r.id(), r.instant().time(), int(r.uint())
	s := SubscriptionInfo{Topic: d.Topic}
	var created, modified instant
	s.Name, s.Settings, created, modified = r.subscription()
	s.Created, s.Modified = created.time(), modified.time()
	d.Subscription = s
	d.Publication = r.publication()
	return r.err
}
