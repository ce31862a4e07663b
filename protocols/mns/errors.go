package mns

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
)

// fault is an error in the provider's words.
type fault struct {
	status int
	code   string
	text   string
}

func (f *fault) Error() string { return f.code + ": " + f.text }

// IsFault reports whether the server is to blame, for the frame.
func (f *fault) IsFault() bool { return f.status >= http.StatusInternalServerError }

// The texts are the provider's, misspellings included.
const (
	// UNVERIFIED: the reference page prints "seconds/bytes" at the end; it is taken for a choice between the two.
	rangeText  = "The value of {Element} should between {Low} and {High}{Unit}."
	schemaText = "The XML you provided did not validate against our published schema, cause by {Element}."
)

var internal = fault{http.StatusInternalServerError, "InternalError", "Interal error."}

// faults are what the provider says for each kind of error. Kinds that nothing in this API can cause, such as those of
// dead-letter policies, purges and move tasks, are faults of ours if they come up all the same.
var faults = map[core.Kind]fault{
	core.Internal:             internal,
	core.QueueNotFound:        {http.StatusNotFound, "QueueNotExist", "The queue name you provided is not exist."},
	core.QueueExists:          {http.StatusConflict, "QueueAlreadyExist", "The queue you want to create is already exist."},
	core.QueueDeletedRecently: {http.StatusBadRequest, "QueueDeletedRecently", "The queue you want to create is deleted recently."},
	core.OutOfRange:           {http.StatusBadRequest, "InvalidArgument", rangeText},
	core.NotForQueueType:      {http.StatusBadRequest, "InvalidArgument", schemaText},
	core.MessageTooLarge:      {http.StatusBadRequest, "InvalidArgument", "The value of MessageBody should between 1 and {High} bytes."},
	// UNVERIFIED: only the code is documented.
	core.GroupMissing:   {http.StatusBadRequest, "FifoMissingMessageGroupId", "MessageGroupId is required for a fifo queue."},
	core.ReceiptInvalid: {http.StatusBadRequest, "ReceiptHandleError", "The receipt handle you provide is not valid."},
	core.ReceiptExpired: {http.StatusNotFound, "MessageNotExist", "Message not exist."},
	core.MessageGone:    {http.StatusNotFound, "MessageNotExist", "Message not exist."},

	core.TopicNotFound: {http.StatusNotFound, "TopicNotExist", "The topic you provided does not exist."},
	core.TopicExists:   {http.StatusConflict, "TopicAlreadyExist", "The topic you want to create is already exists."},
	// UNVERIFIED: of these two code and status are documented; of the limit there is only the number.
	core.SubscriptionNotFound: {http.StatusNotFound, "SubscriptionNotExist", "The subscription you provided does not exist."},
	core.SubscriptionExists:   {http.StatusConflict, "SubscriptionAlreadyExist", "The subscription you want to create is already exists."},
	core.SubscriptionLimit:    {http.StatusBadRequest, "InvalidArgument", "The number of subscriptions should between 0 and {High}."},
	// UNVERIFIED: the text; the code stands in the list of a client, with no status.
	core.TopicDeletedRecently: {http.StatusBadRequest, "TopicDeletedRecently", "The topic you want to create is deleted recently."},
	// UNVERIFIED: documented is only that the subscribers of a FIFO topic are FIFO queues.
	core.SubscriptionTargetType: *errEndpoint,

	core.PurgeInProgress:         internal,
	core.TooManyTags:             internal,
	core.DeduplicationIDMissing:  internal,
	core.VisibilityBeyondTotal:   internal,
	core.TooManyInFlight:         internal,
	core.AttemptInvalid:          internal,
	core.RedriveTargetNotFound:   internal,
	core.RedriveTargetType:       internal,
	core.RedriveDenied:           internal,
	core.MoveSourceNotDeadLetter: internal,
	core.MoveSourceNotFound:      internal,
	core.MoveTargetNotFound:      internal,
	core.MoveTargetType:          internal,
	core.MoveTargetIsSource:      internal,
	core.MoveRunning:             internal,
	core.MoveNotFound:            internal,
	core.MoveNotRunning:          internal,
}

// The errors that the engine has no part in.
var (
	errInvalidURL        = &fault{http.StatusBadRequest, "InvalidRequestURL", "Http request URL format invalid."}
	errMalformedXML      = &fault{http.StatusBadRequest, "MalformedXML", "The XML you provided was not well-formed."}
	errNoMessage         = &fault{http.StatusNotFound, "MessageNotExist", "Message not exist."}
	errNoHandle          = &fault{http.StatusBadRequest, "MissingReceiptHandle", "ReceiptHandle is required."}
	errNoTimeout         = &fault{http.StatusBadRequest, "MissingVisibilityTimeout", "VisibilityTimeout is required."}
	errInvalidQueueName  = &fault{http.StatusBadRequest, "InvalidQueueName", "The queue name you provided is invalid. QueueName should start with alpha and contain only alpha, digit or - ."}
	errQueueNameLength   = &fault{http.StatusBadRequest, "QueueNameLengthError", "Queue name length should between 1 and 256."}
	errBodiesTooLarge    = outOfRange("Messages", 1, maxBodies, " bytes")
	errBatchSize         = outOfRange("Messages", 1, maxBatch, "")
	errHandlesSize       = outOfRange("ReceiptHandles", 1, maxBatch, "")
	errBodySize          = outOfRange("MessageBody", 1, maxBodies, " bytes")
	errListSize          = outOfRange("x-mns-ret-number", 1, maxListed, "")
	errListMarker        = notInSchema("x-mns-marker")
	errMessageBodyAbsent = notInSchema("MessageBody")
)

// outOfRange says that a value is outside its range.
func outOfRange(element string, low, high int, unit string) *fault {
	return faultOf(rangeText, limit{element, unit}, low, high)
}

// notInSchema says that an element is not what the provider's schema has at its place.
func notInSchema(element string) *fault {
	return faultOf(schemaText, limit{element: element}, nil, nil)
}

func faultOf(text string, l limit, low, high any) *fault {
	return &fault{http.StatusBadRequest, "InvalidArgument", fill(text, l, low, high)}
}

// invalidQuery says that an item of the query string is unknown or cannot be read.
// UNVERIFIED: the reference page prints curly quotes.
func invalidQuery(name string) *fault {
	return &fault{http.StatusBadRequest, "InvalidQueryString", `Http request URL contains invalid querystring item "` + name + `".`}
}

// translate puts any error into the provider's words. What is neither an *core.Error nor a *fault is an internal
// error, and so is what has no words; their own texts are not sent.
func translate(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		return &internal
	}
	f := faults[e.Kind]
	f.text = fill(f.text, limits[e.Field], e.Min, e.Max)
	return &f
}

// fill puts values into a text.
func fill(text string, l limit, low, high any) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return strings.NewReplacer("{Element}", l.element, "{Unit}", l.unit, "{Low}", number(low), "{High}", number(high)).Replace(text)
}

// number writes a bound of a range: durations in seconds, all else as it is.
func number(bound any) string {
	if d, ok := bound.(time.Duration); ok {
		bound = secondsOf(d)
	}
	return fmt.Sprint(bound)
}
