package sqs

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
	smithytraits "github.com/aws/smithy-go/traits"

	"github.com/sluicemq/sluice/core"
)

func TestEveryKindHasWords(t *testing.T) {
	for _, k := range core.Kinds() {
		row, ok := faults[k]
		if !ok {
			t.Errorf("kind %d has no row", k)
			continue
		}
		f := row(&core.Error{Kind: k}, subject{})
		if f.code == "" || f.name == "" || f.status < 400 || f.text == "" {
			t.Errorf("kind %d = %+v, want a shape and a text", k, f)
		}
		if f.IsFault() != (k == core.Internal || k >= core.TopicNotFound) {
			t.Errorf("kind %d: IsFault = %v", k, f.IsFault())
		}
	}
}

// The official client's model is the oracle for names, codes and statuses. What it has and we do not is listed.
func TestErrorsAreThoseOfTheModel(t *testing.T) {
	unserved := map[string]string{
		"InvalidAddress":     "any address is accepted",
		"InvalidIdFormat":    "never seen",
		"InvalidSecurity":    "plain HTTP is accepted",
		"KmsAccessDenied":    "nothing is encrypted",
		"KmsDisabled":        "nothing is encrypted",
		"KmsInvalidKeyUsage": "nothing is encrypted",
		"KmsInvalidState":    "nothing is encrypted",
		"KmsNotFound":        "nothing is encrypted",
		"KmsOptInRequired":   "nothing is encrypted",
		"KmsThrottled":       "nothing is encrypted",
		"MessageNotInflight": "never seen: the real service says that the message is not available",
		"RequestThrottled":   "nothing is throttled",
	}
	ours := map[string]*shape{}
	for _, s := range []*shape{
		queueDoesNotExist, queueNameExists, queueDeletedRecently, purgeQueueInProgress, receiptHandleIsInvalid,
		batchEntryIDsNotDistinct, batchRequestTooLong, emptyBatchRequest, invalidBatchEntryID, tooManyEntries,
		unsupportedOperation, invalidAttributeName, invalidAttributeValue, invalidMessageContents, overLimit, resourceNotFound,
	} {
		ours[s.name] = s
	}
	for id, entry := range sqs.TypeRegistry.Entries {
		e, isError := smithy.SchemaTrait[*smithytraits.Error](entry.Schema)
		if !isError {
			continue
		}
		name := entry.Schema.ID().Name
		s := ours[name]
		delete(ours, name)
		if s == nil {
			if unserved[name] == "" {
				t.Errorf("%s is not served", id)
			}
			continue
		}
		code, status := name, 400
		if q, ok := smithy.SchemaTrait[*smithytraits.AWSQueryError](entry.Schema); ok {
			code, status = q.ErrorCode, q.StatusCode
		}
		if s.code != code || s.status != status || e.Type != "client" {
			t.Errorf("%s = %s %d, want %s %d", name, s.code, s.status, code, status)
		}
	}
	for name := range ours {
		t.Errorf("%s is not in the model", name)
	}
}

func TestFaultOf(t *testing.T) {
	five, ten := 5*time.Second, 10*time.Second
	for _, tt := range []struct {
		err  error
		s    subject
		want string
	}{
		{errors.New("secret"), subject{}, "InternalFailure: We encountered an internal error. Please try again."},
		{&core.Error{Kind: 9999}, subject{}, "InternalFailure: We encountered an internal error. Please try again."},
		{fmt.Errorf("wrapped: %w", missing("X")), subject{}, "MissingParameter: The request must contain the parameter X."},
		{fmt.Errorf("wrapped: %w", &core.Error{Kind: core.QueueNotFound}), subject{}, "AWS.SimpleQueueService.NonExistentQueue: The specified queue does not exist."},
		{&core.Error{Kind: core.QueueExists, Field: core.QueueDelay}, subject{}, "QueueAlreadyExists: A queue already exists with the same name and a different value for attribute DelaySeconds"},
		{&core.Error{Kind: core.QueueExists, Field: core.QueueNote, Name: "Policy"}, subject{}, "QueueAlreadyExists: A queue already exists with the same name and a different value for attribute Policy"},
		{&core.Error{Kind: core.OutOfRange, Field: core.QueueRetention}, subject{}, "InvalidAttributeValue: Invalid value for the parameter MessageRetentionPeriod."},
		{&core.Error{Kind: core.OutOfRange, Field: core.MessageDelay, Value: ten, Min: time.Duration(0), Max: five}, subject{}, "InvalidParameterValue: Value 10 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 5."},
		{&core.Error{Kind: core.OutOfRange, Field: core.VisibilityTimeout, Value: ten, Min: time.Duration(0), Max: five}, subject{entry: true}, "InvalidParameterValue: Value 10 for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and 5."},
		{&core.Error{Kind: core.NotForQueueType, Field: core.MessageDelay, Value: five}, subject{}, "InvalidParameterValue: Value 5 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type."},
		{&core.Error{Kind: core.NotForQueueType, Field: core.MessageDeduplicationID, Value: "d"}, subject{entry: true}, "InvalidParameterValue: The request include parameter that is not valid for this queue type"},
		{&core.Error{Kind: core.MessageTooLarge, Max: 1024}, subject{}, "InvalidParameterValue: One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."},
		{&core.Error{Kind: core.MessageTooLarge, Max: 1024}, subject{entry: true}, "InvalidParameterValue: One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes."},
		{&core.Error{Kind: core.GroupMissing}, subject{}, "MissingParameter: The request must contain the parameter MessageGroupId."},
		{&core.Error{Kind: core.GroupMissing}, subject{batch: true}, "InvalidParameterValue: The request must contain the parameter MessageGroupId."},
		{&core.Error{Kind: core.ReceiptInvalid, Value: core.Receipt("a-b_c")}, subject{}, `ReceiptHandleIsInvalid: The input receipt handle "AQEBa+b/c" is not a valid receipt handle.`},
		{&core.Error{Kind: core.MessageGone, Value: core.Receipt("x")}, subject{}, "InvalidParameterValue: Value AQEBx for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change."},
		{&core.Error{Kind: core.MessageGone, Value: core.Receipt("x")}, subject{entry: true}, "ReceiptHandleIsInvalid: Message does not exist or is not available for visibility timeout change"},
		{&core.Error{Kind: core.VisibilityBeyondTotal, Value: five, Max: 12 * time.Hour}, subject{}, "InvalidParameterValue: Value 5 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]"},
		{&core.Error{Kind: core.PurgeInProgress}, subject{queue: "q"}, "AWS.SimpleQueueService.PurgeQueueInProgress: Only one PurgeQueue operation on q is allowed every 60 seconds."},
		{&core.Error{Kind: core.RedriveTargetType}, subject{redrive: "{}"}, "InvalidParameterValue: Value {} for parameter RedrivePolicy is invalid. Reason: Dead-letter queue must be same type of queue as the source.."},
	} {
		if got := faultOf(tt.err, tt.s).Error(); got != tt.want {
			t.Errorf("faultOf(%v):\n got %s\nwant %s", tt.err, got, tt.want)
		}
	}
}
