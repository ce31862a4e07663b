package traced

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/persistence/traced/names"
)

// Broker returns a decorator of brokers. To the span of the request that calls it, it adds the queue, the messages and,
// for receives, links to the contexts in which the messages were made. Messages that are sent without a context get
// that of the span, if it is sampled, so that their lives stand in its trace. It tells lives and metrics what events do
// not say; either may be nil.
func Broker(lives *Lives, metrics *Metrics) func(core.Broker) core.Broker {
	return func(b core.Broker) core.Broker {
		if metrics != nil {
			metrics.watch(b)
		}
		return &broker{Broker: b, lives: lives, metrics: metrics}
	}
}

type broker struct {
	core.Broker
	lives   *Lives
	metrics *Metrics
}

// about says on the span of a request which queue it is about. It returns nil if nobody records it.
func (b *broker) about(ctx context.Context, key core.QueueKey, more ...attribute.KeyValue) trace.Span {
	if b.metrics != nil {
		b.metrics.saw(key.Namespace)
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return nil
	}
	span.SetAttributes(append(aboutQueue(key), more...)...)
	return span
}

// counted says how many messages a request has, and which if there is one.
func counted(span trace.Span, n int, id core.MessageID) {
	if n == 1 && id != (core.MessageID{}) {
		span.SetAttributes(names.MessageID(id.String()))
	} else {
		span.SetAttributes(names.BatchCount(n))
	}
}

// Send implements core.Broker.
func (b *broker) Send(ctx context.Context, key core.QueueKey, messages []core.Outgoing) ([]core.Sent, error) {
	span := b.about(ctx, key, names.Send)
	if span != nil {
		adopt(span.SpanContext(), messages)
		linkOut(span, messages)
	}
	sent, err := b.Broker.Send(ctx, key, messages)
	if span != nil && len(sent) > 0 {
		counted(span, len(sent), sent[0].ID)
		if len(messages) == 1 {
			span.SetAttributes(names.BodySize(len(messages[0].Body)))
		}
	}
	if b.metrics != nil {
		b.metrics.sent(ctx, key, sent)
	}
	return sent, err
}

// adopt gives the context of the request's span to messages that have none.
func adopt(own trace.SpanContext, messages []core.Outgoing) {
	made := core.Trace{}
	for i := range messages {
		if t := &messages[i].Trace; t.Parent == "" && own.IsSampled() {
			if made.Parent == "" {
				made = traceOf(own)
			}
			t.Parent, t.State = made.Parent, made.State
		}
	}
}

// linkOut names the contexts of messages that were made in other traces: most SDKs put the context of a send into the
// message and not into the headers of the request.
func linkOut(span trace.Span, messages []core.Outgoing) {
	for i := range messages {
		made := contextOf(messages[i].Trace)
		if made.IsValid() && made.TraceID() != span.SpanContext().TraceID() {
			span.AddLink(trace.Link{SpanContext: made})
		}
	}
}

// Receive implements core.Broker.
func (b *broker) Receive(ctx context.Context, key core.QueueKey, r core.ReceiveRequest) ([]core.Received, error) {
	span := b.about(ctx, key, names.Receive)
	var done func([]core.Received, error)
	if b.metrics != nil {
		done = b.metrics.receiving(ctx, key, b.Broker.Now)
	}
	received, err := b.Broker.Receive(ctx, key, r)
	if done != nil {
		done(received, err)
	}
	if span == nil || err != nil {
		return received, err
	}
	id := core.MessageID{}
	for i := range received {
		id = received[i].ID
		if made := contextOf(received[i].Trace); made.IsValid() {
			span.AddLink(trace.Link{SpanContext: made, Attributes: []attribute.KeyValue{names.MessageID(id.String())}})
		}
	}
	counted(span, len(received), id)
	if b.lives != nil && len(received) > 0 {
		b.lives.received(span.SpanContext(), key, b.Broker.Now(), received)
	}
	return received, err
}

// Delete implements core.Broker.
func (b *broker) Delete(ctx context.Context, key core.QueueKey, receipts []core.Receipt) ([]error, error) {
	if span := b.about(ctx, key, names.Settle); span != nil && len(receipts) > 1 {
		span.SetAttributes(names.BatchCount(len(receipts)))
	}
	return b.Broker.Delete(ctx, key, receipts)
}

// ChangeVisibility implements core.Broker.
func (b *broker) ChangeVisibility(ctx context.Context, key core.QueueKey, changes []core.VisibilityChange) ([]core.VisibilityChanged, error) {
	if span := b.about(ctx, key, names.Settle); span != nil && len(changes) > 1 {
		span.SetAttributes(names.BatchCount(len(changes)))
	}
	return b.Broker.ChangeVisibility(ctx, key, changes)
}

// Peek implements core.Broker.
func (b *broker) Peek(ctx context.Context, key core.QueueKey, limit *int) ([]core.Message, error) {
	b.about(ctx, key)
	return b.Broker.Peek(ctx, key, limit)
}

// Queue implements core.Broker.
func (b *broker) Queue(ctx context.Context, key core.QueueKey) (core.QueueInfo, error) {
	b.about(ctx, key)
	return b.Broker.Queue(ctx, key)
}

// Create implements core.Broker.
func (b *broker) Create(ctx context.Context, key core.QueueKey, p core.Patch, tags map[string]string) (core.QueueInfo, bool, error) {
	b.about(ctx, key)
	return b.Broker.Create(ctx, key, p, tags)
}

// Amend implements core.Broker.
func (b *broker) Amend(ctx context.Context, key core.QueueKey, change func(core.QueueInfo) (core.Patch, error)) error {
	b.about(ctx, key)
	return b.Broker.Amend(ctx, key, change)
}

// DeleteQueue implements core.Broker.
func (b *broker) DeleteQueue(ctx context.Context, key core.QueueKey) error {
	b.about(ctx, key)
	return b.Broker.DeleteQueue(ctx, key)
}

// Purge implements core.Broker.
func (b *broker) Purge(ctx context.Context, key core.QueueKey) error {
	b.about(ctx, key)
	return b.Broker.Purge(ctx, key)
}

// StartMove implements core.Broker.
func (b *broker) StartMove(ctx context.Context, source core.QueueKey, target *core.QueueKey, perSecond *int) (core.MoveTask, error) {
	if span := b.about(ctx, source); span != nil && target != nil {
		span.SetAttributes(names.Target(string(target.Name)))
	}
	return b.Broker.StartMove(ctx, source, target, perSecond)
}

// Publish implements core.Broker.
func (b *broker) Publish(ctx context.Context, topic core.TopicKey, m core.Publication) (core.Published, error) {
	span := b.about(ctx, core.QueueKey{Namespace: topic.Namespace, Name: core.QueueName(topic.Name)}, names.Send)
	if span != nil && m.Trace.Parent == "" && span.SpanContext().IsSampled() {
		own := traceOf(span.SpanContext())
		m.Trace.Parent, m.Trace.State = own.Parent, own.State
	}
	published, err := b.Broker.Publish(ctx, topic, m)
	if span != nil && err == nil {
		span.SetAttributes(names.MessageID(published.ID.String()), names.BodySize(len(m.Body)))
	}
	return published, err
}
