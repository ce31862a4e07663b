package sqs

import (
	"context"
	"strings"

	"github.com/sluicemq/sluice/core"
)

func (s *service) getQueueAttributes(ctx context.Context, from *caller, in *getQueueAttributesInput) (*getQueueAttributesOutput, error) {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return nil, err
	}
	q, err := s.broker.Queue(ctx, key)
	if err != nil {
		return nil, err
	}
	shown, err := s.showAll(&q, in.AttributeNames)
	if err != nil {
		return nil, err
	}
	return &getQueueAttributesOutput{Attributes: shown}, nil
}

func (s *service) setQueueAttributes(ctx context.Context, from *caller, in *setQueueAttributesInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	return s.broker.Amend(ctx, key, func(q core.QueueInfo) (core.Patch, error) {
		if len(in.Attributes) == 0 {
			return core.Patch{}, missing("Attribute.Name")
		}
		d := draft{service: s, from: from, fifo: q.Settings.FIFO, current: q.Settings}
		err := d.apply(in.Attributes)
		return d.patch, err
	})
}

// draft turns the attributes of a request into a change of settings.
type draft struct {
	service  *service
	from     *caller
	creating bool
	fifo     bool
	current  core.Settings // of the queue that is changed; zero for a new one
	patch    core.Patch

	managed, key *string // what the request says about the two kinds of encryption
}

// apply enters attributes into the draft, in the order of the request. A repeated one counts as it is said last.
func (d *draft) apply(given attributeMap) error {
	for _, g := range given {
		if g.Key == "" {
			return missing("Attribute.Name")
		}
		a, err := attributeNamed(g.Key)
		if err != nil {
			return err
		}
		switch {
		case a.set == nil:
			return unknownAttribute(g.Key)
		case g.Value == nil:
			return missing("Attribute.Value")
		case len(*g.Value) > maxSetting:
			return invalidValue(g.Key)
		case a.standard != nil && !d.fifo:
			return a.standard(g.Key)
		}
		if err := a.set(d, *g.Value); err != nil {
			return err
		}
	}
	if err := d.checkThroughput(); err != nil {
		return err
	}
	return d.settleEncryption()
}

// unless returns the error of a value that is not ok.
func (d *draft) unless(ok bool, name string) error {
	if ok {
		return nil
	}
	return invalidValue(name)
}

// choose reads an attribute that is one of two words; case does not matter, as in "True" (Recorded).
func (d *draft) choose(into **bool, name, value, no, yes string) error {
	chosen := strings.EqualFold(value, yes)
	*into = &chosen
	return d.unless(chosen || strings.EqualFold(value, no), name)
}

// setFIFO is reached for FIFO queues only. Saying so again is accepted silently (Recorded 2024-05-14).
func (d *draft) setFIFO(value string) error {
	if !strings.EqualFold(value, "true") {
		return invalidAttributeValue.say("Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.")
	}
	fifo := true
	d.patch.FIFO = &fifo
	return nil
}

// checkThroughput: a limit per group needs deduplication per group (transcribed).
func (d *draft) checkThroughput() error {
	if d.patch.GroupLimit == nil || !*d.patch.GroupLimit {
		return nil
	}
	perGroup := d.current.DedupPerGroup
	if d.patch.DedupPerGroup != nil {
		perGroup = *d.patch.DedupPerGroup
	}
	if !perGroup {
		return invalidParameterValue.say("The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup")
	}
	return nil
}

// setNote enters a note; nil removes it.
func (d *draft) setNote(name string, value *string) {
	if d.patch.Notes == nil {
		d.patch.Notes = map[string]*string{}
	}
	d.patch.Notes[name] = value
}

// keepSpelling makes a policy that means the same as the one of an existing queue equal to it, so that a repeated
// creation is not refused for white space. UNVERIFIED: whether the real service compares texts.
func (d *draft) keepSpelling(existing core.Settings) {
	given, current := d.patch.Notes[notePolicy], existing.Notes[notePolicy]
	if given != nil && current != "" && sameJSON(*given, current) {
		d.setNote(notePolicy, &current)
	}
}
