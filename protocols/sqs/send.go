package sqs

import (
	"context"
	"fmt"

	"github.com/sluicemq/sluice/core"
)

const (
	sendEntry         = "SendMessageBatchRequestEntry"
	invalidCharacters = "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF"
)

func (s *service) sendMessage(ctx context.Context, from *caller, in *sendMessageInput) (*sentMessage, error) {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return nil, err
	}
	o, err := newOutgoing(from, &in.sendMessage, "MessageBody", invalidID)
	if err != nil {
		return nil, s.refuse(ctx, key, err)
	}
	sent, err := s.broker.Send(ctx, key, []core.Outgoing{o.message})
	if err != nil {
		return nil, err
	}
	if sent[0].Err != nil {
		return nil, sent[0].Err
	}
	return o.answer(&sent[0]), nil
}

// sendMessageBatch sends what is good and says of each entry what became of it. Message ids of duplicates are those
// of the first message.
func (s *service) sendMessageBatch(ctx context.Context, from *caller, in *sendMessageBatchInput) (*sendMessageBatchOutput, error) {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return nil, err
	}
	if err := checkBatch(sendEntry, in.Entries, func(e *sendMessageEntry) *string { return e.ID }); err != nil {
		return nil, s.refuse(ctx, key, err)
	}
	outgoing, messages := make([]outgoing, len(in.Entries)), make([]core.Outgoing, len(in.Entries))
	size := 0
	for i := range in.Entries {
		o, err := newOutgoing(from, &in.Entries[i].sendMessage, entryMember(sendEntry, i, "MessageBody"), invalidEntryID)
		o.message.Invalid = err
		outgoing[i], messages[i] = o, o.message
		size += o.size()
	}
	if size > maxBatchSize {
		err := batchRequestTooLong.say("Batch requests cannot be longer than %d bytes. You have sent %d bytes.", maxBatchSize, size)
		return nil, s.refuse(ctx, key, err)
	}
	from.subject.batch = true
	sent, err := s.broker.Send(ctx, key, messages)
	if err != nil {
		return nil, err
	}
	out := &sendMessageBatchOutput{}
	for i := range in.Entries {
		id := *in.Entries[i].ID
		if sent[i].Err != nil {
			out.Failed = append(out.Failed, failed(id, sent[i].Err))
			continue
		}
		out.Successful = append(out.Successful, sentEntry{id, *outgoing[i].answer(&sent[i])})
	}
	return out, nil
}

// outgoing is a message to be sent with the digests that its answer needs.
type outgoing struct {
	message          core.Outgoing
	digest           *string
	systemAttributes *string // their digest
}

// newOutgoing checks a message as far as its queue does not matter. The body's name and the refusal of an id depend
// on whether it comes alone or in a batch. Attributes are read even if the body is bad, since they count for the size
// of a batch.
func newOutgoing(from *caller, in *sendMessage, bodyName string, badID func(value, parameter string) *fault) (outgoing, error) {
	var o outgoing
	attributes, attributesErr := newAttributes(in.Attributes)
	trace, systemDigest, systemErr := newTrace(from, attributes, in.SystemAttributes)
	o.message = core.Outgoing{
		Delay:           in.DelaySeconds.optional(),
		Attributes:      attributes,
		Trace:           trace,
		Sender:          from.sender(),
		Group:           in.GroupID,
		DeduplicationID: in.DeduplicationID,
	}
	if in.MessageBody != nil {
		o.message.Body = *in.MessageBody
	}
	o.digest, o.systemAttributes = attributesDigest(attributes), systemDigest
	switch {
	case o.message.Body == "":
		return o, missing(bodyName) // Recorded 2025-09-22
	case !onlyWireCharacters(o.message.Body):
		return o, invalidMessageContents.say(invalidCharacters)
	case in.GroupID != nil && !isID(*in.GroupID):
		return o, badID(*in.GroupID, "MessageGroupId")
	case in.DeduplicationID != nil && !isID(*in.DeduplicationID):
		return o, badID(*in.DeduplicationID, "MessageDeduplicationId")
	case attributesErr != nil:
		return o, attributesErr
	}
	return o, systemErr
}

// invalidID refuses the id of a group or a deduplication (Recorded 2025-07-30).
func invalidID(value, parameter string) *fault {
	return invalid(value, parameter, invalidEntryID(value, parameter).text+".")
}

// invalidEntryID does so in a batch, where the text is without its frame (transcribed).
func invalidEntryID(_, parameter string) *fault {
	return invalidParameterValue.say("%s can only include alphanumeric and punctuation characters. 1 to 128 in length", parameter)
}

// size is what the message counts for in its batch.
func (o *outgoing) size() int { return len(o.message.Body) + attributesSize(o.message.Attributes) }

// answer describes the message as it was sent. The digest is that of the body that was submitted, also for a
// duplicate of a message with another body, since clients check it. UNVERIFIED: what the real service does there.
func (o *outgoing) answer(sent *core.Sent) *sentMessage {
	out := &sentMessage{
		MessageID:       uuid(sent.ID),
		BodyDigest:      sent.Digest.String(),
		AttributeDigest: o.digest,
		SystemDigest:    o.systemAttributes,
	}
	if sent.FIFO {
		number := sequenceNumber(sent.Sequence)
		out.SequenceNumber = &number
	}
	return out
}

// sequenceNumber has 20 digits, as Recorded.
func sequenceNumber(n uint64) string { return fmt.Sprintf("%020d", n) }
