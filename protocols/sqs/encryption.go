package sqs

import (
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
)

// Attributes of encryption are kept and shown but encrypt nothing. A queue has one of three states: managed by the
// service, which is the default; a key of KMS; neither. The engine keeps them as notes.
const (
	noteKey     = "KmsMasterKeyId"
	noteReuse   = "KmsDataKeyReusePeriodSeconds"
	noteManaged = "SqsManagedSseEnabled" // "false", or no note for "true"
)

// setKey notes a key without asking whether it exists, as the real service does (Recorded).
func (d *draft) setKey(value string) error {
	d.key = &value
	return nil
}

func (d *draft) setReuse(value string) error {
	t, ok := parseSeconds(value)
	if !ok || t < time.Minute || t > 24*time.Hour {
		return invalidValue(noteReuse)
	}
	seconds := inSeconds(t)
	d.setNote(noteReuse, &seconds)
	return nil
}

func (d *draft) setManaged(value string) error {
	if !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
		return invalidValue(noteManaged)
	}
	value = strings.ToLower(value)
	d.managed = &value
	return nil
}

// settleEncryption decides what the two switches of encryption do to each other. Switching both on is refused; a key
// switches the other one off, and it stays off when the key is removed (Recorded 2025-12-10). Switching that one on
// removes the key (transcribed).
func (d *draft) settleEncryption() error {
	off := "false"
	managed := d.managed != nil && *d.managed == "true"
	keyed := d.key != nil && *d.key != ""
	switch {
	case managed && keyed:
		return invalidAttributeName.say("You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.") // Recorded
	case keyed:
		d.setNote(noteKey, d.key)
		d.setNote(noteManaged, &off)
	case managed:
		d.setNote(noteManaged, nil)
		d.dropKey()
	case d.managed != nil:
		d.setNote(noteManaged, &off)
	}
	if d.key != nil && !keyed {
		d.dropKey()
	}
	return nil
}

// dropKey removes a key and what belongs to it. For a new queue there is nothing to remove, nor to compare.
func (d *draft) dropKey() {
	if d.creating {
		return
	}
	d.setNote(noteKey, nil)
	d.setNote(noteReuse, nil)
}

func showReuse(_ *service, q *core.QueueInfo) string {
	switch value := q.Settings.Notes[noteReuse]; {
	case q.Settings.Notes[noteKey] == "":
		return ""
	case value != "":
		return value
	}
	return inSeconds(defaultReusePeriod)
}

func showManaged(_ *service, q *core.QueueInfo) string {
	if q.Settings.Notes[noteManaged] == "false" {
		return "false"
	}
	return "true"
}
