package sqs

import (
	"context"
	"strconv"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

func (s *service) receiveMessage(ctx context.Context, from *caller, in *receiveMessageInput) (*receiveMessageOutput, error) {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return nil, err
	}
	if err := s.checkAttempt(ctx, key, in.AttemptID); err != nil {
		return nil, err
	}
	received, err := s.broker.Receive(ctx, key, core.ReceiveRequest{
		Max:        in.MaxNumberOfMessages,
		Visibility: in.VisibilityTimeout.optional(),
		Wait:       in.WaitTimeSeconds.optional(),
		AttemptID:  in.AttemptID,
	})
	if err != nil {
		return nil, s.refuse(ctx, key, err)
	}
	system := newSystemFilter(in.AttributeNames, in.SystemAttributeNames)
	user := newFilter(in.MessageAttributes)
	out := &receiveMessageOutput{Messages: make([]receivedMessage, len(received))}
	for i := range received {
		s.show(&out.Messages[i], &received[i], system, &user)
	}
	return out, nil
}

// checkAttempt checks the id of a receive attempt. A standard queue ignores it, even a malformed one, since Spring's
// client sends one to every queue.
func (s *service) checkAttempt(ctx context.Context, key core.QueueKey, id *string) error {
	if id == nil || isID(*id) {
		return nil
	}
	q, err := s.broker.Queue(ctx, key)
	if err != nil || !q.Settings.FIFO {
		return err
	}
	return invalidID(*id, "ReceiveRequestAttemptId") // UNVERIFIED: by analogy with the other ids
}

// show describes a received message as far as the request asks. The digest covers the attributes shown (Recorded).
func (s *service) show(out *receivedMessage, m *core.Received, system systemFilter, user *filter) {
	attributes := user.selected(m.Attributes)
	*out = receivedMessage{
		MessageID:       uuid(m.ID),
		ReceiptHandle:   handle(m.Receipt),
		BodyDigest:      m.Digest.String(),
		AttributeDigest: attributesDigest(attributes),
		Body:            &m.Body,
	}
	if len(attributes) > 0 {
		out.MessageAttributes = shownAttributes(attributes)
	}
	if system.any() {
		out.Attributes = s.shownSystem(m, system)
	}
}

// systemFilter selects system attributes by name.
type systemFilter struct{ names [2][]string }

// newSystemFilter joins the two lists that select them: the older one is deprecated (Recorded 2024-06-04 that the
// union counts). Names that no message has, such as those of queue attributes, select nothing.
func newSystemFilter(deprecated, current []string) systemFilter {
	return systemFilter{[2][]string{deprecated, current}}
}

func (f systemFilter) any() bool { return len(f.names[0])+len(f.names[1]) > 0 }

func (f systemFilter) has(name string) bool {
	for _, names := range f.names {
		for _, n := range names {
			if n == name || n == "All" {
				return true
			}
		}
	}
	return false
}

// shownSystem returns the system attributes in the order of the real service (Recorded, 11,502 exchanges; UNVERIFIED:
// the place of the last two).
func (s *service) shownSystem(m *core.Received, f systemFilter) wire.Map[string] {
	shown := make(wire.Map[string], 0, 4)
	add := func(name, value string) {
		if value != "" && f.has(name) {
			shown = append(shown, wire.Entry[string]{Key: name, Value: value})
		}
	}
	add("SenderId", m.Sender)
	add("ApproximateFirstReceiveTimestamp", newEpochMillis(m.FirstReceivedAt).String())
	add("ApproximateReceiveCount", strconv.Itoa(m.Receives))
	add("SentTimestamp", newEpochMillis(m.SentAt).String())
	if m.FIFO {
		add("SequenceNumber", sequenceNumber(m.Sequence))
		add("MessageDeduplicationId", m.DeduplicationID)
	}
	add("MessageGroupId", m.Group)
	add(traceHeader, m.Trace.XRay)
	if m.Source != nil {
		add("DeadLetterQueueSourceArn", s.arn(*m.Source))
	}
	return shown
}
