package histories_test

import "github.com/sluicemq/sluice/conformance/model"

const (
	invalidValue  = "InvalidParameterValue"
	wrongType     = "The request include parameter that is not valid for this queue type"
	notAvailable  = "Message does not exist or is not available for visibility timeout change"
	invalidHandle = "The input receipt handle \"{handle}\" is not a valid receipt handle."
	hiddenTooLong = "Value {value} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]"
	delayRange    = "Value {value} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900."
	expiredHandle = "Value {handle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired."
)

func invalid(text string) said { return said{"", 400, invalidValue, text} }

// sqsWords are what SQS says for each refusal of a whole request. Recorded, but for the ranges, which are transcribed.
var sqsWords = refusals{
	model.QueueMissing:     {"QueueDoesNotExist", 400, "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist.{wsdl}"},
	model.QueueJustDeleted: {"QueueDeletedRecently", 400, "AWS.SimpleQueueService.QueueDeletedRecently", "You must wait 60 seconds after deleting a queue before you can create another with the same name."},
	model.PurgedJustNow:    {"PurgeQueueInProgress", 403, "AWS.SimpleQueueService.PurgeQueueInProgress", "Only one PurgeQueue operation on {queue} is allowed every 60 seconds."},
}

// withQueue are the words about queues and those of one kind of request.
func withQueue(r refusals) refusals { return sqsWords.with(r) }

var (
	sqsSend = withQueue(refusals{
		model.DelayOutOfRange: invalid(delayRange),
		model.DelayOnFIFO:     invalid("Value {value} for parameter DelaySeconds is invalid. Reason: " + wrongType + "."),
		model.DedupOnStandard: invalid("Value {dedup} for parameter MessageDeduplicationId is invalid. Reason: " + wrongType + "."),
		model.GroupMissing:    {"", 400, "MissingParameter", "The request must contain the parameter MessageGroupId."},
		model.DedupMissing:    invalid("The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"),
	})
	sqsSendBatch = sqsSend.with(refusals{model.GroupMissing: invalid("The request must contain the parameter MessageGroupId.")})
	sqsSendFIFO  = refusals{ // of an entry
		model.DelayOnFIFO: {"", 0, invalidValue, wrongType},
	}
	sqsSendStandard = refusals{
		model.DelayOutOfRange: {"", 0, invalidValue, delayRange},
		model.DedupOnStandard: {"", 0, invalidValue, wrongType},
	}

	sqsReceive = withQueue(refusals{
		model.MaxOutOfRange:     invalid("Value {max} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided."),
		model.TimeoutOutOfRange: invalid("Value {value} for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided."),
		model.TooManyInFlight:   {"OverLimit", 403, "OverLimit", "Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more."},
		model.AttemptInvalid:    invalid("Value {attempt} for parameter ReceiveRequestAttemptId is invalid. Reason: The receiveRequestAttemptId is not valid anymore since the receive call is not retryable."),
	})

	sqsDelete = withQueue(refusals{
		model.HandleInvalid: {"ReceiptHandleIsInvalid", 404, "ReceiptHandleIsInvalid", invalidHandle},
		model.HandleExpired: invalid(expiredHandle),
	})
	sqsDeleteEntry = refusals{
		model.HandleInvalid: {"", 0, "ReceiptHandleIsInvalid", invalidHandle},
		model.HandleExpired: {"", 0, invalidValue, expiredHandle},
	}

	sqsChange = withQueue(refusals{
		model.HandleInvalid:     sqsDelete[model.HandleInvalid],
		model.HandleExpired:     invalid("Value {handle} for parameter ReceiptHandle is invalid. Reason: " + notAvailable + "."),
		model.TimeoutOutOfRange: invalid("Value {value} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200."),
		model.HiddenTooLong:     invalid(hiddenTooLong),
	})
	sqsChangeEntry = refusals{ // Recorded 2023 and 2026: other words for the second
		model.HandleInvalid:     sqsDeleteEntry[model.HandleInvalid],
		model.HandleExpired:     {"", 0, "ReceiptHandleIsInvalid", notAvailable},
		model.TimeoutOutOfRange: {"", 0, invalidValue, "Value {value} for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and 43200."},
		model.HiddenTooLong:     {"", 0, invalidValue, hiddenTooLong},
	}
)
