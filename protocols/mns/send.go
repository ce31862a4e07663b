package mns

import (
	"context"
	"net/http"
	"strings"

	"github.com/sluicemq/sluice/core"
)

func (s *service) sendMessage(ctx context.Context, in *sendMessageInput) (*sendMessageOutput, error) {
	message, err := s.outgoing(&in.messageInput)
	if err != nil {
		return nil, err
	}
	sent, err := s.broker.Send(ctx, s.key(in.Queue), []core.Outgoing{message})
	if err != nil {
		return nil, err
	}
	if sent[0].Err != nil {
		return nil, sent[0].Err
	}
	return &sendMessageOutput{sentMessage: sentOf(sent[0])}, nil
}

func (s *service) batchSendMessage(ctx context.Context, in *batchSendMessageInput) (*batchSendMessageOutput, error) {
	messages, err := s.outgoingBatch(in.Messages)
	if err != nil {
		return nil, err
	}
	sent, err := s.broker.Send(ctx, s.key(in.Queue), messages)
	if err != nil {
		return nil, err
	}
	out := &batchSendMessageOutput{Messages: make([]sentMessage, len(sent))}
	for i := range sent {
		out.Messages[i] = sentOf(sent[i])
		out.failed = out.failed || sent[i].Err != nil
	}
	return out, nil
}

// status is an error's as soon as one message was not sent; Messages then has an error in its place.
// UNVERIFIED: documented is that 201 means that all were sent. All clients understand 500.
func (o *batchSendMessageOutput) status() int {
	if o.failed {
		return http.StatusInternalServerError
	}
	return http.StatusCreated
}

func (s *service) outgoingBatch(in []messageInput) ([]core.Outgoing, error) {
	if len(in) == 0 || len(in) > maxBatch {
		return nil, errBatchSize
	}
	messages := make([]core.Outgoing, len(in))
	size := 0
	for i := range in {
		message, err := s.outgoing(&in[i])
		if err != nil {
			return nil, err
		}
		messages[i] = message
		size += len(message.Body)
	}
	if size > maxBodies {
		return nil, errBodiesTooLarge
	}
	return messages, nil
}

// outgoing reads a message. Its body is taken as it is, encoded by the client or not.
func (s *service) outgoing(in *messageInput) (core.Outgoing, error) {
	if in.MessageBody == nil {
		return core.Outgoing{}, errMessageBodyAbsent
	}
	if *in.MessageBody == "" {
		return core.Outgoing{}, errBodySize
	}
	attributes, err := attributesFrom(in.UserProperties)
	if err != nil {
		return core.Outgoing{}, err
	}
	return core.Outgoing{
		Body:       strings.Clone(*in.MessageBody), // or it would keep the whole request in memory
		Delay:      in.DelaySeconds.duration(),
		Priority:   in.Priority,
		Attributes: attributes,
		Trace:      s.traceFrom(in.SystemProperties, in.UserProperties),
		Sender:     s.outside.Account,
		Group:      groupOf(in.MessageGroupID),
	}, nil
}

// groupOf takes an empty group for none.
// UNVERIFIED: it would be no name for anything, and a client that always sends the element sends it empty.
func groupOf(id *string) *string {
	if id == nil || *id == "" {
		return nil
	}
	return new(strings.Clone(*id))
}

func sentOf(sent core.Sent) sentMessage {
	if sent.Err != nil {
		f := translate(sent.Err)
		return sentMessage{ErrorCode: f.code, ErrorMessage: f.text}
	}
	return sentMessage{
		MessageID:      formatID(sent.ID),
		MessageBodyMD5: upperHex(sent.Digest[:]),
		ReceiptHandle:  handleOf(sent.ID, sent.Receipt),
	}
}
