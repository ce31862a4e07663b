package sqs

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicemq/sluice/protocols/internal/wire"
)

func (s *service) tagQueue(ctx context.Context, from *caller, in *tagQueueInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	tags, err := newTags(in.Tags)
	if len(in.Tags) == 0 {
		err = missing("Tags")
	}
	if err != nil {
		return s.refuse(ctx, key, err)
	}
	return s.broker.Tag(ctx, key, tags, nil)
}

func (s *service) untagQueue(ctx context.Context, from *caller, in *untagQueueInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	switch {
	case in.TagKeys == nil:
		return s.refuse(ctx, key, missing("TagKeys"))
	case len(in.TagKeys) == 0: // transcribed: an empty list is told from a missing one
		return s.refuse(ctx, key, checkTagKey(""))
	}
	for _, k := range in.TagKeys {
		if err := checkTagKey(k); err != nil {
			return s.refuse(ctx, key, err)
		}
	}
	return s.broker.Tag(ctx, key, nil, in.TagKeys)
}

func (s *service) listQueueTags(ctx context.Context, from *caller, in *queueInput) (*listQueueTagsOutput, error) {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return nil, err
	}
	q, err := s.broker.Queue(ctx, key)
	if err != nil {
		return nil, err
	}
	out := &listQueueTagsOutput{}
	for _, k := range slices.Sorted(maps.Keys(q.Tags)) {
		out.Tags = append(out.Tags, wire.Entry[string]{Key: k, Value: q.Tags[k]})
	}
	return out, nil
}

// newTags checks tags; an empty value is one. The texts are transcribed, but for null: that was seen in a run against
// the real service, 2026-05.
func newTags(given wire.Map[*string]) (map[string]string, error) {
	if len(given) == 0 {
		return nil, nil
	}
	tags := make(map[string]string, len(given))
	for _, tag := range given {
		if err := checkTagKey(tag.Key); err != nil {
			return nil, err
		}
		switch {
		case tag.Value == nil:
			return nil, invalidParameterValue.say("the parameter 'value' may not be null")
		case utf8.RuneCountInString(*tag.Value) > maxTagValue: // UNVERIFIED: the text
			return nil, invalidParameterValue.say("Tag values must be between 0 and 256 characters in length.")
		case strings.ContainsFunc(*tag.Value, notInTag):
			return nil, invalidParameterValue.say("Tag values may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @'")
		}
		tags[tag.Key] = *tag.Value
	}
	return tags, nil
}

func checkTagKey(key string) error {
	switch {
	case key == "" || utf8.RuneCountInString(key) > maxTagKey:
		return invalidParameterValue.say("Tag keys must be between 1 and 128 characters in length.")
	case strings.ContainsFunc(key, notInTag):
		return invalidParameterValue.say("Tag keys may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @")
	}
	return nil
}

func notInTag(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsSpace(c) && !strings.ContainsRune("_.:/=+-@", c)
}
