package sqs

import (
	"slices"
	"strconv"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// noteRedriveAllow marks a queue that says explicitly that all others may use it, which the engine does not tell from
// one that says nothing.
const noteRedriveAllow = "RedriveAllowPolicy"

// setRedrive reads a RedrivePolicy. The checks are in an order that fits what was seen: {} complains about the count
// (Recorded 2025-06).
func (d *draft) setRedrive(value string) error {
	d.from.subject.redrive = value
	var policy *core.Redrive
	d.patch.Redrive = &policy
	if value == "" { // removes the policy (validated)
		return nil
	}
	o, ok := parseObject([]byte(value))
	if !ok {
		return invalidAttributeValue.say("Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.")
	}
	count, err := maxReceiveCount(o)
	if err == nil {
		policy, err = d.service.redriveTarget(d.from, o, count)
	}
	if err != nil {
		return redrive(err.Error())(nil, d.from.subject)
	}
	return nil
}

const noSuchTarget = "Dead letter target does not exist."

// reason is why a policy is refused, in the provider's words.
type reason string

func (r reason) Error() string { return string(r) }

// maxReceiveCount returns the count, which may be a number or a text (validated).
func maxReceiveCount(o object) (int, error) {
	value, ok := o.get("maxReceiveCount")
	if !ok {
		return 0, reason("Redrive policy does not contain mandatory attribute: maxReceiveCount.")
	}
	if _, ok := o.get("deadLetterTargetArn"); !ok {
		return 0, reason("Redrive policy does not contain mandatory attribute: deadLetterTargetArn.")
	}
	text := value.String()
	if quoted, ok := o.text("maxReceiveCount"); ok {
		text = quoted
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxReceives {
		return 0, reason("Invalid value for maxReceiveCount: " + text + ", valid values are from 1 to 1000 both inclusive.")
	}
	return n, nil
}

func (s *service) redriveTarget(from *caller, o object, count int) (*core.Redrive, error) {
	text, _ := o.text("deadLetterTargetArn")
	target, kind := s.parseARN(text)
	switch {
	case kind == "":
		return nil, reason("Dead-letter target ARN should be fully qualified ARN.")
	case len(o) > 2:
		return nil, reason("Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn].")
	case kind != "sqs":
		return nil, reason("Only SQS queues are valid resources for deadLetterTargetArn.")
	}
	if s.site.Verify && target.Namespace != s.site.Inside(from.namespace) {
		return nil, reason(noSuchTarget) // Recorded: another account's or region's is one that does not exist
	}
	return &core.Redrive{Target: target, MaxReceives: count}, nil
}

// showRedrive writes the policy in one form, whatever was sent: the count comes back as a number (Recorded).
func (s *service) showRedrive(q *core.QueueInfo) string {
	r := q.Settings.Redrive
	if r == nil {
		return ""
	}
	b := wire.AppendJSONText([]byte(`{"deadLetterTargetArn":`), s.arn(r.Target))
	b = strconv.AppendInt(append(b, `,"maxReceiveCount":`...), int64(r.MaxReceives), 10)
	return string(append(b, '}'))
}

// setRedriveAllow reads a RedriveAllowPolicy; the texts are transcribed.
func (d *draft) setRedriveAllow(value string) error {
	var allow core.RedriveAllow
	d.patch.RedriveAllow = &allow
	d.setNote(noteRedriveAllow, nil)
	if value == "" { // resets the policy
		return nil
	}
	o, ok := parseObject([]byte(value))
	permission, _ := o.text("redrivePermission")
	list, listed := o.get("sourceQueueArns")
	sources, wellFormed := d.service.parseSources(list, listed)
	if !ok || !wellFormed || !slices.Contains([]string{"allowAll", "denyAll", "byQueue"}, permission) {
		return invalidAttributeValue.say("Invalid value for the parameter RedriveAllowPolicy. Reason: Amazon SQS can't create the redrive allow policy, as it’s in an unsupported format.")
	}
	const refused = "Amazon SQS can't create the redrive allow policy. "
	switch {
	case permission == "byQueue" && len(sources) == 0:
		return invalid(value, noteRedriveAllow, refused+"When you specify the byQueue permission type, you must also specify one or more sourceQueueArns values.")
	case permission != "byQueue" && listed:
		return invalid(value, noteRedriveAllow, refused+"To specify one or more source queue ARNs, you must set redrivePermission to byQueue.")
	case len(sources) > maxRedriveSources:
		return invalid(value, noteRedriveAllow, refused+"The maximum number of source queue ARNs you can specify is 10.")
	case permission == "allowAll":
		d.setNote(noteRedriveAllow, &permission)
	}
	allow = core.RedriveAllow{DenyAll: permission == "denyAll", Sources: sources}
	return nil
}

func (s *service) parseSources(list []byte, listed bool) ([]core.QueueKey, bool) {
	if !listed {
		return nil, true
	}
	values, ok := parseList(list)
	var sources []core.QueueKey
	for _, value := range values {
		text, isText := object{{name: "arn", value: value}}.text("arn")
		key, kind := s.parseARN(text)
		if !isText || kind == "" {
			return nil, false
		}
		sources = append(sources, key)
	}
	return sources, ok
}

func (s *service) showRedriveAllow(q *core.QueueInfo) string {
	allow := q.Settings.RedriveAllow
	switch {
	case allow.DenyAll:
		return `{"redrivePermission":"denyAll"}`
	case len(allow.Sources) > 0:
		b := []byte(`{"redrivePermission":"byQueue","sourceQueueArns":`)
		separator := byte('[')
		for _, source := range allow.Sources {
			b = wire.AppendJSONText(append(b, separator), s.arn(source))
			separator = ','
		}
		return string(append(b, "]}"...))
	case q.Settings.Notes[noteRedriveAllow] != "":
		return `{"redrivePermission":"allowAll"}`
	}
	return ""
}
