package mns

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/sluicemq/sluice/core"
)

// maxTag is how many characters a tag may have. Documented.
const maxTag = 16

var (
	errMessageTag = notInSchema("MessageTag")
	errFilterTag  = notInSchema("FilterTag")

	// UNVERIFIED: only the code is documented.
	errNoTopicGroup = &fault{http.StatusBadRequest, "FifoMissingMessageGroupId", "MessageGroupId is required for a fifo topic."}
)

func (s *service) publishMessage(ctx context.Context, in *publishMessageInput) (*sendMessageOutput, error) {
	m, err := s.publication(in)
	if err != nil {
		return nil, err
	}
	published, err := s.broker.Publish(ctx, s.topic(in.Topic), m)
	if errors.Is(err, &core.Error{Kind: core.GroupMissing}) {
		return nil, errNoTopicGroup
	}
	if err != nil {
		return nil, err
	}
	return &sendMessageOutput{sentMessage: sentMessage{MessageID: formatID(published.ID), MessageBodyMD5: digest(m.Body)}}, nil
}

// publication reads a message. Its attributes are for mails and short messages; they are kept with it and not looked at.
func (s *service) publication(in *publishMessageInput) (core.Publication, error) {
	switch {
	case in.MessageBody == nil:
		return core.Publication{}, errMessageBodyAbsent
	case *in.MessageBody == "":
		return core.Publication{}, errBodySize
	case utf8.RuneCountInString(in.MessageTag) > maxTag:
		return core.Publication{}, errMessageTag
	}
	attributes, err := attributesFrom(in.UserProperties)
	if err != nil {
		return core.Publication{}, err
	}
	return core.Publication{
		Body:       strings.Clone(*in.MessageBody), // or it would keep the whole request in memory
		Tag:        in.MessageTag,
		Attributes: attributes,
		Notes:      in.MessageAttributes,
		Trace:      s.traceFrom(in.SystemProperties, in.UserProperties),
		Sender:     s.outside.Account,
		Group:      groupOf(in.MessageGroupID),
	}, nil
}
