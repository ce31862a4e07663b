package mns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

func TestEveryKindHasWords(t *testing.T) {
	for _, kind := range core.Kinds() {
		f, ok := faults[kind]
		if !ok || f.code == "" || f.text == "" || f.status < 400 {
			t.Errorf("faults[%d] = %+v", kind, f)
		}
	}
	if len(faults) != len(core.Kinds()) {
		t.Errorf("there are %d rows for %d kinds", len(faults), len(core.Kinds()))
	}
}

func TestTextsNameElementAndRange(t *testing.T) {
	for _, c := range []struct {
		err  *core.Error
		want string
	}{
		{
			&core.Error{Kind: core.OutOfRange, Field: core.QueueRetention, Min: time.Minute, Max: 7 * day},
			"The value of MessageRetentionPeriod should between 60 and 604800 seconds.",
		},
		{
			&core.Error{Kind: core.OutOfRange, Field: core.QueueMaxSize, Min: 1024, Max: 65536},
			"The value of MaximumMessageSize should between 1024 and 65536 bytes.",
		},
		{
			&core.Error{Kind: core.OutOfRange, Field: core.MessagePriority, Min: 1, Max: 16},
			"The value of Priority should between 1 and 16.",
		},
		{
			&core.Error{Kind: core.MessageTooLarge, Value: 2000, Max: 1024},
			"The value of MessageBody should between 1 and 1024 bytes.",
		},
		{
			&core.Error{Kind: core.NotForQueueType, Field: core.MessageGroup},
			"The XML you provided did not validate against our published schema, cause by MessageGroupId.",
		},
	} {
		f := translate(c.err)
		if f.text != c.want || f.code != "InvalidArgument" || f.status != 400 {
			t.Errorf("translate(%v) = %+v, want %q", c.err, f, c.want)
		}
	}
}

// Every field that an error of a range may be about under these rules has words.
func TestEveryRangeHasWords(t *testing.T) {
	without := []core.Field{
		core.QueueFIFO, core.QueueContentDedup, core.QueueDedupScope, core.QueueGroupLimit, core.QueueRedrive,
		core.QueueRedriveAllow, core.QueueNote, // have no ranges
		core.QueueTenantRate,                                               // cannot be set by this API
		core.MessageDeduplicationID, core.ReceiveVisibility, core.MoveRate, // this API has none
	}
	for field := core.QueueDelay; field <= core.TopicMaxSize; field++ {
		if limits[field].element == "" && !slices.Contains(without, field) {
			t.Errorf("limits has no words for field %d", field)
		}
	}
}

func TestErrorsOfUnknownOriginAreInternalAndKeptSecret(t *testing.T) {
	for _, err := range []error{
		errors.New("secret"),
		context.Canceled,
		&core.Error{Kind: core.Internal, Err: errors.New("secret")},
		fmt.Errorf("secret: %w", &core.Error{Kind: core.Internal}),
	} {
		f := translate(err)
		if f.code != "InternalError" || f.status != 500 || strings.Contains(f.text, "secret") {
			t.Errorf("translate(%v) = %+v", err, f)
		}
		if !f.IsFault() {
			t.Errorf("translate(%v) is not the server's fault", err)
		}
	}
	if protocols.IsFault(errMalformedXML) || protocols.IsFault(errNoMessage) {
		t.Error("a client's error is the server's fault")
	}
}

func TestTranslateUnwraps(t *testing.T) {
	if f := translate(fmt.Errorf("x: %w", errInvalidURL)); f != errInvalidURL {
		t.Errorf("translate(wrapped) = %v", f)
	}
	if f := translate(fmt.Errorf("x: %w", &core.Error{Kind: core.QueueNotFound})); f.code != "QueueNotExist" {
		t.Errorf("translate(wrapped) = %v", f)
	}
}
