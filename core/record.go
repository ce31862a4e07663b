package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unsafe"
)

// errRecord is wrapped by every error of decoding a record: the store is damaged or not ours.
var errRecord = errors.New("core: damaged record")

// recordVersion is the first byte of each record.
const recordVersion = 1

// writer appends the fields of a record.
type writer struct{ b []byte }

func newWriter(size int) *writer { return &writer{b: append(make([]byte, 0, size), recordVersion)} }

func (w *writer) uint(v uint64)            { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)              { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) instant(v instant)        { w.int(int64(v)) }
func (w *writer) duration(v time.Duration) { w.int(int64(v)) }

func (w *writer) bool(v bool) {
	if v {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

func (w *writer) bytes(v []byte) {
	w.uint(uint64(len(v)))
	w.b = append(w.b, v...)
}

func (w *writer) text(v string) {
	w.uint(uint64(len(v)))
	w.b = append(w.b, v...)
}

func (w *writer) key(k QueueKey) {
	w.text(k.Namespace.Account)
	w.text(k.Namespace.Region)
	w.text(string(k.Name))
}

// reader takes the fields off a record. After the first that does not fit, all are zero and err is set.
type reader struct {
	b   []byte
	err error
}

func newReader(record []byte) *reader {
	if len(record) == 0 || record[0] != recordVersion {
		return &reader{err: fmt.Errorf("%w: unknown version", errRecord)}
	}
	return &reader{b: record[1:]}
}

func (r *reader) fail() { r.b, r.err = nil, errRecord }

// more reports whether anything is left. What a later version of the program has added stands at the end of a record,
// and is missing in those of the versions before it.
func (r *reader) more() bool { return len(r.b) > 0 }

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) instant() instant        { return instant(r.int()) }
func (r *reader) duration() time.Duration { return time.Duration(r.int()) }
func (r *reader) bool() bool              { return r.uint() != 0 }

func (r *reader) bytes() []byte {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) text() string { return string(r.bytes()) }

// shared is text without the copy. It is good for what is not kept: a kept one would keep its whole record.
func (r *reader) shared() string {
	b := r.bytes()
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// count reads the length of a list, each of whose items takes at least one byte.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.fail()
		return 0
	}
	return int(n)
}

// fill reads as many bytes as there is room for.
func (r *reader) fill(to []byte) {
	if len(r.b) < len(to) {
		r.fail()
		return
	}
	r.b = r.b[copy(to, r.b):]
}

func (r *reader) id() (id MessageID) {
	r.fill(id[:])
	return id
}

func (r *reader) digest() (d Digest) {
	r.fill(d[:])
	return d
}

func (r *reader) key() QueueKey {
	return QueueKey{
		Namespace: Namespace{Account: r.text(), Region: r.text()},
		Name:      QueueName(r.text()),
	}
}

// content is what a message's record holds beside the fields that the engine keeps in memory.
type content struct {
	sentAt     instant // stands in the head
	body       string
	digest     Digest
	attributes []Attribute
	trace      Trace
	sender     string
	dedupID    string
	source     *QueueKey
}

// headSize is what the fixed fields of a message's record take, at most but for counts that no queue reaches.
const headSize = 48

// size is about what the content takes in a record, and no less but for huge attributes. A record stays in memory as it was
// made, so what is asked for too much is lost for as long as the message lives.
func (c *content) size() int {
	size := 16 + len(Digest{}) + len(c.sender) + len(c.dedupID) + len(c.body) + c.trace.size() + attributesSize(c.attributes)
	if c.source != nil {
		size += 4 + len(c.source.Namespace.Account) + len(c.source.Namespace.Region) + len(c.source.Name)
	}
	return size
}

// encodeMessage returns the record of a message as it enters a queue. Head first: recovery reads nothing else.
func encodeMessage(m *message, group string, c *content) []byte {
	w := newWriter(headSize + len(group) + c.size())
	w.b = append(w.b, m.id[:]...)
	w.instant(c.sentAt)
	w.instant(m.enteredAt)
	w.instant(m.visibleAt)
	w.instant(m.firstAt)
	w.uint(uint64(m.receives))
	w.uint(uint64(m.before))
	w.uint(uint64(m.priority))
	w.text(group)

	w.text(c.sender)
	w.text(c.dedupID)
	encodeTrace(w, &c.trace)
	w.bool(c.source != nil)
	if c.source != nil {
		w.key(*c.source)
	}
	encodeAttributes(w, c.attributes)
	w.text(c.body)
	w.b = append(w.b, c.digest[:]...)
	return w.b
}

// texts are the parts of a trace in the order of records.
func (t *Trace) texts() [4]string { return [4]string{t.XRay, t.Parent, t.State, t.Baggage} }

func (t *Trace) size() (size int) {
	for _, s := range t.texts() {
		size += len(s)
	}
	return size
}

func encodeTrace(w *writer, t *Trace) {
	for _, s := range t.texts() {
		w.text(s)
	}
}

func decodeTrace(r *reader) Trace {
	return Trace{XRay: r.text(), Parent: r.text(), State: r.text(), Baggage: r.text()}
}

// attributesSize is about what attributes take in a record, and no less but for huge ones.
func attributesSize(attributes []Attribute) (size int) {
	for i := range attributes {
		a := &attributes[i]
		size += len(a.Name) + len(a.Label) + len(a.Value) + 8
	}
	return size
}

func encodeAttributes(w *writer, attributes []Attribute) {
	w.uint(uint64(len(attributes)))
	for _, a := range attributes {
		w.text(a.Name)
		w.uint(uint64(a.Kind))
		w.text(a.Label)
		w.bytes(a.Value)
	}
}

func decodeAttributes(r *reader) []Attribute {
	n := r.count()
	if n == 0 {
		return nil
	}
	attributes := make([]Attribute, n)
	for i := range attributes {
		attributes[i] = Attribute{Name: r.text(), Kind: AttributeKind(r.uint()), Label: r.text(), Value: r.bytes()}
	}
	return attributes
}

// decodeHead reads the part of a message's record that is kept in memory, and returns what stands among it.
func decodeHead(r *reader, m *message) (sentAt instant, group string) {
	m.id = r.id()
	sentAt = r.instant()
	m.enteredAt = r.instant()
	m.visibleAt = r.instant()
	m.firstAt = r.instant()
	m.receives = uint32(r.uint())
	m.before = uint32(r.uint())
	m.priority = uint8(r.uint())
	return sentAt, r.text()
}

// decodeContent reads what follows the head.
func decodeContent(r *reader) content {
	c := content{sender: r.text(), dedupID: r.text()}
	c.trace = decodeTrace(r)
	if r.bool() {
		k := r.key()
		c.source = &k
	}
	c.attributes = decodeAttributes(r)
	c.body = r.shared()
	if r.more() {
		c.digest = r.digest()
	} else if r.err == nil {
		c.digest = DigestOf(c.body) // earlier versions did not store it
	}
	return c
}

// encodeState returns the record of a message's state.
func encodeState(m *message) []byte {
	w := newWriter(40)
	w.instant(m.visibleAt)
	w.instant(m.firstAt)
	w.instant(m.lastAt)
	w.uint(uint64(m.receives))
	w.uint(uint64(m.delivery))
	w.bool(m.fresh)
	return w.b
}

func decodeState(record []byte, m *message) error {
	r := newReader(record)
	m.visibleAt = r.instant()
	m.firstAt = r.instant()
	m.lastAt = r.instant()
	m.receives = uint32(r.uint())
	m.delivery = uint32(r.uint())
	m.fresh = r.bool()
	return r.err
}

// encodeQueue returns the record of a queue's settings.
func encodeQueue(q *queue) []byte {
	s := q.settings()
	w := newWriter(256)
	w.key(q.key)
	w.instant(q.created)
	w.instant(q.modified)
	w.uint(q.purgedThrough)
	w.uint(q.lowWater)
	w.instant(q.purgedAt)
	w.instant(q.scopeFrom)
	w.bool(q.scopeBefore)
	encodeSettings(w, s)
	encodeTexts(w, q.tags)
	w.uint(uint64(s.TenantRate))
	w.uint(uint64(q.salt))
	return w.b
}

func decodeQueue(record []byte, q *queue) error {
	r := newReader(record)
	q.key = r.key()
	q.created = r.instant()
	q.modified = r.instant()
	q.purgedThrough = r.uint()
	q.lowWater = r.uint()
	q.purgedAt = r.instant()
	q.scopeFrom = r.instant()
	q.scopeBefore = r.bool()
	s := decodeSettings(r)
	q.tags = decodeTexts(r)
	if r.more() {
		s.TenantRate = int(r.uint())
	}
	if r.more() {
		q.salt = uint32(r.uint()) // 0 is what receipts were made with before
	}
	q.config.Store(s)
	return r.err
}

func encodeSettings(w *writer, s *Settings) {
	for _, d := range []time.Duration{s.Delay, s.Visibility, s.Retention, s.Wait} {
		w.duration(d)
	}
	w.uint(uint64(s.MaxSize))
	for _, b := range []bool{s.FIFO, s.ContentDedup, s.DedupPerGroup, s.GroupLimit, s.Redrive != nil} {
		w.bool(b)
	}
	if s.Redrive != nil {
		w.key(s.Redrive.Target)
		w.uint(uint64(s.Redrive.MaxReceives))
	}
	w.bool(s.RedriveAllow.DenyAll)
	w.uint(uint64(len(s.RedriveAllow.Sources)))
	for _, k := range s.RedriveAllow.Sources {
		w.key(k)
	}
	encodeTexts(w, s.Notes)
}

func decodeSettings(r *reader) *Settings {
	s := &Settings{Delay: r.duration(), Visibility: r.duration(), Retention: r.duration(), Wait: r.duration()}
	s.MaxSize = int(r.uint())
	s.FIFO, s.ContentDedup, s.DedupPerGroup, s.GroupLimit = r.bool(), r.bool(), r.bool(), r.bool()
	if r.bool() {
		s.Redrive = &Redrive{Target: r.key(), MaxReceives: int(r.uint())}
	}
	s.RedriveAllow.DenyAll = r.bool()
	for range r.count() {
		s.RedriveAllow.Sources = append(s.RedriveAllow.Sources, r.key())
	}
	s.Notes = decodeTexts(r)
	return s
}

func encodeTexts(w *writer, texts map[string]string) {
	w.uint(uint64(len(texts)))
	for k, v := range texts {
		w.text(k)
		w.text(v)
	}
}

func decodeTexts(r *reader) map[string]string {
	n := r.count()
	if n == 0 {
		return nil
	}
	texts := make(map[string]string, n)
	for range n {
		k := r.text()
		texts[k] = r.text()
	}
	return texts
}
