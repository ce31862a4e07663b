package traced

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/persistence/traced/names"
)

// DefaultQueues is how many queues metrics name, unless they are told otherwise. The others are one, names.OtherQueues,
// so that a test suite that makes queues by the thousand does not make series by the thousand.
const DefaultQueues = 200

// maxNamespaces bounds the accounts and regions whose queues are measured.
const maxNamespaces = 64

// Metrics is an observer that counts what happens to messages, and measures the queues when it is asked.
type Metrics struct {
	messages    metric.Int64Counter
	timeInQueue metric.Float64Histogram
	wait        metric.Float64Histogram
	empty       metric.Int64Counter
	parked      metric.Int64ObservableGauge
	duplicates  metric.Int64Counter
	depth       metric.Int64ObservableGauge
	oldest      metric.Float64ObservableGauge
	dropped     metric.Int64ObservableCounter

	labels  labels
	waiting atomic.Int64 // receives under way
	awake   *atomic.Bool // nil: always

	mu         sync.RWMutex
	broker     core.Broker // the latest
	lost       func() []int64
	namespaces map[core.Namespace]bool // whose queues are measured
}

var _ core.Observer = (*Metrics)(nil)

// NewMetrics makes the instruments of a provider's meter. Up to queues queues are named in metrics, 0 meaning
// DefaultQueues. The queues of the given namespaces are measured from the start, those of others once they are used.
// Returns the error of the provider.
func NewMetrics(meters metric.MeterProvider, queues int, namespaces ...core.Namespace) (*Metrics, error) {
	if queues <= 0 {
		queues = DefaultQueues
	}
	meter := meters.Meter(names.Scope, metric.WithSchemaURL(names.SchemaURL))
	in := &names.Instruments{Meter: meter}
	m := &Metrics{
		messages: in.Messages(), timeInQueue: in.TimeInQueue(), wait: in.ReceiveWait(), empty: in.EmptyReceives(),
		parked: in.Parked(), duplicates: in.Duplicates(), depth: in.Depth(), oldest: in.OldestAge(), dropped: in.Dropped(),
		labels:     newLabels(queues),
		namespaces: map[core.Namespace]bool{},
	}
	if in.Err != nil {
		return nil, in.Err
	}
	for _, ns := range namespaces {
		m.namespaces[ns] = true
	}
	_, err := meter.RegisterCallback(m.measure, m.depth, m.oldest, m.dropped, m.parked)
	return m, err
}

// Wait lets nothing be counted before awake is true. It is to be called before anything is measured.
func (m *Metrics) Wait(awake *atomic.Bool) { m.awake = awake }

func (m *Metrics) asleep() bool { return m.awake != nil && !m.awake.Load() }

// Losses tells where to ask how many events observers have lost, such as core.Engine.Dropped.
func (m *Metrics) Losses(lost func() []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost = lost
}

// Observe implements core.Observer.
func (m *Metrics) Observe(e core.Event) {
	if int(e.Kind) >= len(kinds) || m.asleep() {
		return
	}
	l := m.labels.none
	if e.Queue.Name != "" {
		l = m.labels.of(e.Queue)
	}
	m.messages.Add(context.Background(), 1, l.events[e.Kind]...)
}

// kinds are the names of events in metrics.
var kinds = [...]string{
	core.EventSent:             "sent",
	core.EventReceived:         "received",
	core.EventVisibilitySet:    "visibility_changed",
	core.EventVisible:          "visible",
	core.EventDeleted:          "deleted",
	core.EventDeadLettered:     "dead_lettered",
	core.EventMoved:            "moved",
	core.EventDeduplicated:     "deduplicated",
	core.EventRetentionExpired: "retention_expired",
	core.EventPurged:           "queue_purged",
	core.EventQueueCreated:     "queue_created",
	core.EventQueueDeleted:     "queue_deleted",
	core.EventPublished:        "published",
	core.EventPushed:           "pushed",
	core.EventPushFailed:       "push_failed",
}

// watch asks a broker about the queues from now on.
func (m *Metrics) watch(b core.Broker) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broker = b
}

// saw makes sure that the queues of a namespace are measured.
func (m *Metrics) saw(ns core.Namespace) {
	m.mu.RLock()
	known := m.namespaces[ns] || len(m.namespaces) >= maxNamespaces
	m.mu.RUnlock()
	if known {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.namespaces[ns] = true
}

func (m *Metrics) sent(ctx context.Context, key core.QueueKey, sent []core.Sent) {
	if m.asleep() {
		return
	}
	for i := range sent {
		if sent[i].Duplicate {
			m.duplicates.Add(ctx, 1, m.labels.of(key).add...)
		}
	}
}

// unmeasured is the end of a receive that has begun while nothing was counted.
func (m *Metrics) unmeasured([]core.Received, error) { m.waiting.Add(-1) }

// receiving is called when a receive begins, and what it returns when it ends.
func (m *Metrics) receiving(ctx context.Context, key core.QueueKey, now func() time.Time) func([]core.Received, error) {
	m.waiting.Add(1)
	if m.asleep() {
		return m.unmeasured
	}
	began := now()
	return func(received []core.Received, err error) {
		m.waiting.Add(-1)
		if err != nil {
			return // there may be no such queue, and no label is worth a name that somebody made up
		}
		l := m.labels.of(key)
		m.wait.Record(ctx, now().Sub(began).Seconds(), l.record...)
		if len(received) == 0 {
			m.empty.Add(ctx, 1, l.add...)
		}
		for i := range received {
			if r := &received[i]; r.Receives == 1 {
				m.timeInQueue.Record(ctx, max(r.FirstReceivedAt.Sub(r.SentAt), 0).Seconds(), l.record...)
			}
		}
	}
}

// page is how many queues are asked for at a time.
const page = 500

// measure reports on all queues. Those of which metrics know no name are added up.
func (m *Metrics) measure(ctx context.Context, o metric.Observer) error {
	m.mu.RLock()
	b, lost := m.broker, m.lost
	var namespaces []core.Namespace
	for ns := range m.namespaces {
		namespaces = append(namespaces, ns)
	}
	m.mu.RUnlock()
	o.ObserveInt64(m.parked, m.waiting.Load())
	if lost != nil {
		var n int64
		for _, one := range lost() {
			n += one
		}
		o.ObserveInt64(m.dropped, n)
	}
	if b == nil {
		return nil
	}
	s := &survey{m: m, b: b, o: o}
	for _, ns := range namespaces {
		s.namespace(ctx, ns)
	}
	s.report(m.labels.other, &s.others)
	return nil
}

// survey is one look at all queues.
type survey struct {
	m      *Metrics
	b      core.Broker
	o      metric.Observer
	others depths
	unsaid bool // there are others
}

// depths are how many messages there are by state.
type depths struct{ visible, inFlight, delayed int }

// namespace reports on the queues of a namespace. An engine that has been closed has none, and at the end of a program
// that is no reason to lose the other metrics.
func (s *survey) namespace(ctx context.Context, ns core.Namespace) {
	for after := core.QueueName(""); ; {
		queues, more, err := s.b.Queues(ctx, ns, "", after, page)
		if err != nil {
			return
		}
		for i := range queues {
			s.queue(ctx, &queues[i])
		}
		if !more || len(queues) == 0 {
			return
		}
		after = queues[len(queues)-1].Key.Name
	}
}

func (s *survey) queue(ctx context.Context, q *core.QueueInfo) {
	d := depths{q.Visible, q.InFlight, q.Delayed}
	l := s.m.labels.of(q.Key)
	if l == s.m.labels.other {
		s.unsaid = true
		s.others.visible += d.visible
		s.others.inFlight += d.inFlight
		s.others.delayed += d.delayed
		return
	}
	s.report(l, &d)
	if q.Visible == 0 {
		return
	}
	one := 1
	next, err := s.b.Peek(ctx, q.Key, &one)
	if err == nil && len(next) > 0 {
		s.o.ObserveFloat64(s.m.oldest, max(s.b.Now().Sub(next[0].SentAt), 0).Seconds(), l.queue)
	}
}

func (s *survey) report(l *label, d *depths) {
	if l == s.m.labels.other && !s.unsaid {
		return
	}
	s.o.ObserveInt64(s.m.depth, int64(d.visible), l.states[0])
	s.o.ObserveInt64(s.m.depth, int64(d.inFlight), l.states[1])
	s.o.ObserveInt64(s.m.depth, int64(d.delayed), l.states[2])
}

// labels are the attributes of queues, made once for each.
type labels struct {
	bound int
	other *label // of the queues beyond the bound
	none  *label // of what is about no queue

	mu    *sync.RWMutex
	known map[core.QueueKey]*label
}

// label are the attributes of a queue, alone and with those that measurements add. They are lists, so that recording
// does not make one each time.
type label struct {
	record []metric.RecordOption
	add    []metric.AddOption
	events [len(kinds)][]metric.AddOption
	queue  metric.MeasurementOption
	states [3]metric.MeasurementOption
}

func newLabels(bound int) labels {
	return labels{
		bound: bound, other: newLabel(names.Destination(names.OtherQueues)), none: newLabel(),
		mu: new(sync.RWMutex), known: map[core.QueueKey]*label{},
	}
}

func newLabel(about ...attribute.KeyValue) *label {
	with := func(more ...attribute.KeyValue) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(append(about[:len(about):len(about)], more...)...))
	}
	l := &label{queue: with()}
	l.record, l.add = []metric.RecordOption{l.queue}, []metric.AddOption{l.queue}
	for kind, name := range kinds {
		l.events[kind] = []metric.AddOption{with(names.Event(name))}
	}
	for i, state := range []string{"visible", "in_flight", "delayed"} {
		l.states[i] = with(names.State(state))
	}
	return l
}

// of returns the label of a queue, which is one of its own only for the first queues.
func (l *labels) of(key core.QueueKey) *label {
	l.mu.RLock()
	known, full := l.known[key], len(l.known) >= l.bound
	l.mu.RUnlock()
	switch {
	case known != nil:
		return known
	case full:
		return l.other
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known = l.known[key]; known == nil && len(l.known) < l.bound {
		known = newLabel(aboutQueue(key)...)
		l.known[key] = known
	}
	if known == nil {
		return l.other
	}
	return known
}
