package mns

import (
	"context"

	"github.com/sluicemq/sluice/core"
)

func (s *service) receiveMessage(ctx context.Context, in *receiveMessageInput) (*receiveMessageOutput, error) {
	messages, err := s.receive(ctx, in)
	if err != nil {
		return nil, err
	}
	return &receiveMessageOutput{receivedMessage: messages[0]}, nil
}

func (s *service) batchReceiveMessage(ctx context.Context, in *receiveMessageInput) (*batchReceiveMessageOutput, error) {
	messages, err := s.receive(ctx, in)
	if err != nil {
		return nil, err
	}
	return &batchReceiveMessageOutput{Messages: messages}, nil
}

// receive returns at least one message. Recorded: none is an error, also for a batch.
func (s *service) receive(ctx context.Context, in *receiveMessageInput) ([]receivedMessage, error) {
	got, err := s.broker.Receive(ctx, s.key(in.Queue), core.ReceiveRequest{Max: in.NumOfMessages, Wait: in.WaitSeconds.duration()})
	if err != nil {
		return nil, err
	}
	if len(got) == 0 {
		return nil, errNoMessage
	}
	messages := make([]receivedMessage, len(got))
	for i := range got {
		messages[i] = s.show(&got[i].Message)
		messages[i].ReceiptHandle = handleOf(got[i].ID, got[i].Receipt)
		messages[i].NextVisibleTime = epochMillisOf(got[i].VisibleAt)
	}
	return messages, nil
}

func (s *service) peekMessage(ctx context.Context, in *receiveMessageInput) (*receiveMessageOutput, error) {
	messages, err := s.peek(ctx, in)
	if err != nil {
		return nil, err
	}
	return &receiveMessageOutput{receivedMessage: messages[0]}, nil
}

func (s *service) batchPeekMessage(ctx context.Context, in *receiveMessageInput) (*batchReceiveMessageOutput, error) {
	messages, err := s.peek(ctx, in)
	if err != nil {
		return nil, err
	}
	return &batchReceiveMessageOutput{Messages: messages}, nil
}

// peek returns at least one message, without handles.
func (s *service) peek(ctx context.Context, in *receiveMessageInput) ([]receivedMessage, error) {
	got, err := s.broker.Peek(ctx, s.key(in.Queue), in.NumOfMessages)
	if err != nil {
		return nil, err
	}
	if len(got) == 0 {
		return nil, errNoMessage
	}
	messages := make([]receivedMessage, len(got))
	for i := range got {
		messages[i] = s.show(&got[i])
	}
	return messages, nil
}

// show writes a message. Documented: FirstDequeueTime is the EnqueueTime of a message that was never received.
func (s *service) show(m *core.Message) receivedMessage {
	first := m.FirstReceivedAt
	if m.Receives == 0 {
		first = m.SentAt
	}
	return receivedMessage{
		MessageID:        formatID(m.ID),
		MessageBodyMD5:   upperHex(m.Digest[:]),
		MessageBody:      m.Body,
		EnqueueTime:      epochMillisOf(m.SentAt),
		FirstDequeueTime: epochMillisOf(first),
		DequeueCount:     m.Receives,
		Priority:         m.Priority,
		UserProperties:   propertiesOf(m.Attributes),
		SystemProperties: s.systemProperties(m),
		MessageGroupID:   m.Group,
	}
}
