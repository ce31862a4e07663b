package sqs

import (
	"errors"
	"fmt"
	"time"

	"github.com/aws/smithy-go"

	"github.com/sluicemq/sluice/core"
)

// shape is an error as the service's model declares it.
type shape struct {
	name   string // the short name in __type, and for the general errors the only one
	code   string // the Query protocol's code, also in the x-amzn-query-error header
	status int
	coral  bool // of the framework's namespace, not the service's
	loud   bool // its JSON text is called Message, with a capital
}

// The errors of the model, and those of the framework below it. All were Recorded with just these words and statuses,
// unless a comment says otherwise.
var (
	queueDoesNotExist        = modelled("QueueDoesNotExist", prefix+"NonExistentQueue", 400)
	queueNameExists          = modelled("QueueNameExists", "QueueAlreadyExists", 400)
	queueDeletedRecently     = modelled("QueueDeletedRecently", prefix+"QueueDeletedRecently", 400) // validated
	purgeQueueInProgress     = modelled("PurgeQueueInProgress", prefix+"PurgeQueueInProgress", 403)
	receiptHandleIsInvalid   = modelled("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404)
	batchEntryIDsNotDistinct = modelled("BatchEntryIdsNotDistinct", prefix+"BatchEntryIdsNotDistinct", 400)
	batchRequestTooLong      = modelled("BatchRequestTooLong", prefix+"BatchRequestTooLong", 400)
	emptyBatchRequest        = modelled("EmptyBatchRequest", prefix+"EmptyBatchRequest", 400)
	invalidBatchEntryID      = modelled("InvalidBatchEntryId", prefix+"InvalidBatchEntryId", 400)
	tooManyEntries           = modelled("TooManyEntriesInBatchRequest", prefix+"TooManyEntriesInBatchRequest", 400)
	unsupportedOperation     = modelled("UnsupportedOperation", prefix+"UnsupportedOperation", 400)
	invalidAttributeName     = modelled("InvalidAttributeName", "InvalidAttributeName", 400)
	invalidAttributeValue    = modelled("InvalidAttributeValue", "InvalidAttributeValue", 400)
	invalidMessageContents   = modelled("InvalidMessageContents", "InvalidMessageContents", 400)
	overLimit                = modelled("OverLimit", "OverLimit", 403)
	resourceNotFound         = modelled("ResourceNotFoundException", "ResourceNotFoundException", 404)

	invalidParameterValue = general("InvalidParameterValueException", "InvalidParameterValue", 400)
	missingParameter      = general("MissingRequiredParameterException", "MissingParameter", 400)
	unknownOperation      = general("UnknownOperationException", "InvalidAction", 400)
	// UNVERIFIED: the capital of Message, which the framework's errors have elsewhere.
	serialization        = &shape{name: "SerializationException", code: "MalformedInput", status: 400, coral: true, loud: true}
	missingAction        = general("MissingAction", "MissingAction", 400)                 // documented
	malformedQueryString = general("MalformedQueryString", "MalformedQueryString", 404)   // documented
	internalFailure      = general("InternalFailure", "InternalFailure", 500)             // documented
	noSuchVersion        = general("NoSuchVersion", "NoSuchVersion", 400)                 // UNVERIFIED: that of other services
	requestTooLarge      = general("RequestEntityTooLarge", "RequestEntityTooLarge", 413) // UNVERIFIED
)

// prefix is that of the codes which the service has had for longest.
const prefix = "AWS.SimpleQueueService."

func modelled(name, code string, status int) *shape {
	return &shape{name: name, code: code, status: status}
}

func general(name, code string, status int) *shape {
	return &shape{name: name, code: code, status: status, coral: true}
}

// fault is an error in the words of SQS. It is the dialect's own kind of error: what reaches a client is always one.
type fault struct {
	*shape
	text  string
	query *fault // what the Query protocol says instead, where that differs
}

var _ smithy.APIError = (*fault)(nil)

func (f *fault) Error() string        { return f.code + ": " + f.text }
func (f *fault) ErrorCode() string    { return f.code }
func (f *fault) ErrorMessage() string { return f.text }

// ErrorFault is the part behind the semicolon of the x-amzn-query-error header.
func (f *fault) ErrorFault() smithy.ErrorFault {
	if f.status >= 500 {
		return smithy.FaultServer
	}
	return smithy.FaultClient
}

// IsFault reports whether the server is to blame.
func (f *fault) IsFault() bool { return f.ErrorFault() == smithy.FaultServer }

// blame is "Sender" or "Receiver".
func (f *fault) blame() string {
	if f.IsFault() {
		return "Receiver"
	}
	return "Sender"
}

func (s *shape) say(format string, a ...any) *fault {
	return &fault{shape: s, text: fmt.Sprintf(format, a...)}
}

// subject is what the texts of errors need to know about a request beyond the error itself.
type subject struct {
	queue   core.QueueName
	redrive string // the RedrivePolicy as it was sent
	entry   bool   // the error is of one entry of a batch, where many texts lose their frame
	batch   bool   // the error is of a whole batch
}

// faultOf puts an error into words. What is neither the engine's nor ours is an internal failure without details.
func faultOf(err error, s subject) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		e = &core.Error{}
	}
	row, ok := faults[e.Kind]
	if !ok {
		row = faults[core.Internal]
	}
	return row(e, s)
}

// faults turns what went wrong in the engine into the provider's words.
var faults = map[core.Kind]func(*core.Error, subject) *fault{
	core.Internal:             internalFault,
	core.QueueNotFound:        queueNotFound,
	core.QueueExists:          queueExists,
	core.QueueDeletedRecently: fixed(queueDeletedRecently, "You must wait 60 seconds after deleting a queue before you can create another with the same name."),
	core.TooManyTags: func(_ *core.Error, s subject) *fault {
		return invalidParameterValue.say("Too many tags added for queue %s.", s.queue) // transcribed
	},
	core.PurgeInProgress: func(_ *core.Error, s subject) *fault {
		return purgeQueueInProgress.say("Only one PurgeQueue operation on %s is allowed every 60 seconds.", s.queue)
	},

	core.OutOfRange:             outOfRange,
	core.NotForQueueType:        notForQueueType,
	core.MessageTooLarge:        messageTooLarge,
	core.GroupMissing:           groupMissing,
	core.DeduplicationIDMissing: fixed(invalidParameterValue, "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"), // Recorded

	core.ReceiptInvalid: func(e *core.Error, _ subject) *fault { return invalidHandle(handleIn(e)) },
	core.ReceiptExpired: func(e *core.Error, _ subject) *fault {
		return invalid(handleIn(e), "ReceiptHandle", "The receipt handle has expired.")
	}, // Recorded
	core.MessageGone:           messageGone,
	core.VisibilityBeyondTotal: visibilityBeyondTotal,
	core.TooManyInFlight:       fixed(overLimit, "Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more."), // Recorded 2014
	core.AttemptInvalid: func(e *core.Error, _ subject) *fault {
		return invalid(e.Value, "ReceiveRequestAttemptId", "The receiveRequestAttemptId is not valid anymore since the receive call is not retryable.") // Recorded 2021
	},

	core.RedriveTargetNotFound: redrive(noSuchTarget),
	core.RedriveTargetType:     redrive("Dead-letter queue must be same type of queue as the source.."),
	core.RedriveDenied:         redrive("The dead-letter queue's redrive allow policy does not allow this source queue."), // UNVERIFIED: the text

	core.MoveSourceNotDeadLetter: fixed(invalidParameterValue, "Source queue must be configured as a Dead Letter Queue."), // Recorded
	core.MoveSourceNotFound:      fixed(resourceNotFound, "The resource that you specified for the SourceArn parameter doesn't exist."),
	core.MoveTargetNotFound:      fixed(resourceNotFound, "The resource that you specified for the DestinationArn parameter doesn't exist."),
	core.MoveTargetType:          fixed(invalidParameterValue, "The source queue and destination queue must be of the same queue type."),
	core.MoveTargetIsSource:      fixed(invalidParameterValue, "Source queue arn and destination queue arn cannot be the same."),
	core.MoveRunning:             fixed(invalidParameterValue, "There is already a task running. Only one active task is allowed for a source queue arn at a given time."), // Recorded
	core.MoveNotFound:            fixed(resourceNotFound, "Task does not exist."),
	core.MoveNotRunning:          fixed(invalidParameterValue, "Only active tasks can be cancelled."),

	// SQS has no topics; nothing it asks the engine for can end like this.
	core.TopicNotFound:        internalFault,
	core.TopicExists:          internalFault,
	core.SubscriptionNotFound: internalFault,
	core.SubscriptionExists:   internalFault,
	core.SubscriptionLimit:    internalFault,

	core.SubscriptionTargetType: internalFault,
	core.TopicDeletedRecently:   internalFault,
}

func fixed(s *shape, text string) func(*core.Error, subject) *fault {
	f := &fault{shape: s, text: text}
	return func(*core.Error, subject) *fault { return f }
}

func redrive(reason string) func(*core.Error, subject) *fault {
	return func(_ *core.Error, s subject) *fault { return invalid(s.redrive, "RedrivePolicy", reason) }
}

// invalid is the frame of most errors about the value of a parameter.
func invalid(value any, parameter, reason string) *fault {
	return invalidParameterValue.say("Value %v for parameter %s is invalid. Reason: %s", value, parameter, reason)
}

func missing(parameter string) *fault {
	return missingParameter.say("The request must contain the parameter %s.", parameter)
}

func internalFault(*core.Error, subject) *fault {
	return &fault{shape: internalFailure, text: "We encountered an internal error. Please try again."} // UNVERIFIED: the text
}

// queueNotFound has the one text that differs between the protocols (Recorded).
func queueNotFound(*core.Error, subject) *fault {
	return &fault{
		shape: queueDoesNotExist,
		text:  "The specified queue does not exist.",
		query: &fault{shape: queueDoesNotExist, text: "The specified queue does not exist for this wsdl version."},
	}
}

func queueExists(e *core.Error, _ subject) *fault {
	return queueNameExists.say("A queue already exists with the same name and a different value for attribute %s", attributeOf(e))
}

// outOfRange: a queue's attribute is an InvalidAttributeValue, a request's parameter an InvalidParameterValue.
func outOfRange(e *core.Error, s subject) *fault {
	switch e.Field {
	case core.MessageDelay:
		return invalid(plain(e.Value), "DelaySeconds", fmt.Sprintf("DelaySeconds must be >= %s and <= %s.", plain(e.Min), plain(e.Max)))
	case core.ReceiveMax:
		return invalid(plain(e.Value), "MaxNumberOfMessages", fmt.Sprintf("Must be between %s and %s, if provided.", plain(e.Min), plain(e.Max))) // Recorded
	case core.ReceiveWait:
		return invalid(plain(e.Value), "WaitTimeSeconds", fmt.Sprintf("Must be >= %s and <= %s, if provided.", plain(e.Min), plain(e.Max))) // Recorded
	case core.ReceiveVisibility:
		return invalid(plain(e.Value), "VisibilityTimeout", fmt.Sprintf("Must be >= %s and <= %s, if provided.", plain(e.Min), plain(e.Max)))
	case core.VisibilityTimeout:
		if s.entry {
			return invalid(plain(e.Value), "VisibilityTimeout", fmt.Sprintf("VisibilityTimeout must be an integer between %s and %s.", plain(e.Min), plain(e.Max)))
		}
		return invalid(plain(e.Value), "VisibilityTimeout", fmt.Sprintf("Must be between %s and %s.", plain(e.Min), plain(e.Max)))
	case core.MoveRate:
		return invalidParameterValue.say("Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between %v and %v.", e.Min, e.Max)
	default:
		return invalidValue(attributeOf(e))
	}
}

// plain writes a value of an error the way requests write it.
func plain(v any) string {
	if d, ok := v.(time.Duration); ok {
		return inSeconds(d)
	}
	return fmt.Sprint(v)
}

func notForQueueType(e *core.Error, s subject) *fault {
	const reason = "The request include parameter that is not valid for this queue type"
	parameter := ""
	switch e.Field {
	case core.MessageDelay:
		parameter = "DelaySeconds"
	case core.MessageGroup:
		parameter = "MessageGroupId"
	case core.MessageDeduplicationID:
		parameter = "MessageDeduplicationId"
	default:
		return unknownAttribute(attributeOf(e))
	}
	if s.entry {
		return invalidParameterValue.say(reason) // Recorded 2020
	}
	return invalid(plain(e.Value), parameter, reason+".") // Recorded
}

func messageTooLarge(e *core.Error, s subject) *fault {
	what := "are invalid"
	if s.entry {
		what = "cannot be validated" // Recorded 2024-04-30
	}
	return invalidParameterValue.say("One or more parameters %s. Reason: Message must be shorter than %v bytes.", what, e.Max)
}

// groupMissing has another code for a batch, which then fails as a whole, with the same text (Recorded).
func groupMissing(_ *core.Error, s subject) *fault {
	f := missing("MessageGroupId")
	if s.batch {
		f.shape = invalidParameterValue
	}
	return f
}

// messageGone is answered to visibility changes only; in a batch it has another code and loses its frame (Recorded
// 2023 and 2026).
func messageGone(e *core.Error, s subject) *fault {
	const reason = "Message does not exist or is not available for visibility timeout change"
	if s.entry {
		return receiptHandleIsInvalid.say(reason)
	}
	return invalid(handleIn(e), "ReceiptHandle", reason+".")
}

func visibilityBeyondTotal(e *core.Error, _ subject) *fault {
	reason := fmt.Sprintf("Total VisibilityTimeout for the message is beyond the limit [%s seconds]", plain(e.Max)) // Recorded
	return invalid(plain(e.Value), "VisibilityTimeout", reason)
}

func invalidHandle(handle string) *fault {
	return receiptHandleIsInvalid.say("The input receipt handle \"%s\" is not a valid receipt handle.", handle)
}

func unknownAttribute(name string) *fault {
	return invalidAttributeName.say("Unknown Attribute %s.", name)
} // Recorded

func invalidValue(attribute string) *fault {
	return invalidAttributeValue.say("Invalid value for the parameter %s.", attribute)
}

// attributeOf names the queue attribute that an error is about.
func attributeOf(e *core.Error) string {
	if e.Field == core.QueueNote {
		return e.Name
	}
	for _, a := range attributes {
		if a.field == e.Field && a.field != core.NoField {
			return a.name
		}
	}
	return ""
}

func handleIn(e *core.Error) string {
	receipt, _ := e.Value.(core.Receipt)
	return handle(receipt)
}
