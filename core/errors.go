package core

import "fmt"

// Kind says what went wrong. It is a fact, not a provider's word: each dialect has one table that turns kinds into
// the codes, texts and statuses of its provider.
type Kind int

// The kinds of errors.
const (
	// Internal is a fault of ours or of the store. Err says more and is never shown to a user.
	Internal Kind = iota
	// QueueNotFound: there is no queue with that key.
	QueueNotFound
	// QueueExists: a queue of that name exists with another value of Field.
	QueueExists
	// QueueDeletedRecently: a queue of that name was deleted less than Rules.RecreateAfter ago.
	QueueDeletedRecently
	// PurgeInProgress: the queue was purged less than Rules.PurgeInterval ago.
	PurgeInProgress
	// TooManyTags: the queue would have more tags than Rules.MaxTags, Max.
	TooManyTags
	// OutOfRange: the Value of Field is not between Min and Max.
	OutOfRange
	// NotForQueueType: Field may not be given, or not with this Value, for a queue of this type.
	NotForQueueType
	// MessageTooLarge: the message's size Value exceeds the queue's limit Max, in bytes.
	MessageTooLarge
	// GroupMissing: a message to a FIFO queue has no group.
	GroupMissing
	// DeduplicationIDMissing: a message to a FIFO queue has no deduplication id and the queue does not derive one.
	DeduplicationIDMissing
	// ReceiptInvalid: the receipt (Value) was never handed out for this queue.
	ReceiptInvalid
	// ReceiptExpired: the receipt (Value) is of a delivery that is over.
	ReceiptExpired
	// MessageGone: the message of the receipt (Value) does not exist any more.
	MessageGone
	// VisibilityBeyondTotal: the message would stay hidden for longer than Max, counted from its receive.
	VisibilityBeyondTotal
	// TooManyInFlight: the queue has as many received messages as Rules allows.
	TooManyInFlight
	// AttemptInvalid: the receive attempt (Value) cannot be repeated, since its messages have changed.
	AttemptInvalid
	// RedriveTargetNotFound: the dead-letter queue (Value, a QueueKey) does not exist.
	RedriveTargetNotFound
	// RedriveTargetType: the dead-letter queue is not of the same type as the queue.
	RedriveTargetType
	// RedriveDenied: the dead-letter queue does not allow the queue to use it.
	RedriveDenied
	// MoveSourceNotDeadLetter: a move task's source is not the dead-letter queue of any queue.
	MoveSourceNotDeadLetter
	// MoveSourceNotFound: a move task's source does not exist.
	MoveSourceNotFound
	// MoveTargetNotFound: a move task's destination does not exist.
	MoveTargetNotFound
	// MoveTargetType: a move task's destination is not of the same type as its source.
	MoveTargetType
	// MoveTargetIsSource: a move task's destination is its source.
	MoveTargetIsSource
	// MoveRunning: the source already has a running move task.
	MoveRunning
	// MoveNotFound: there is no such move task.
	MoveNotFound
	// MoveNotRunning: the move task has ended already.
	MoveNotRunning
	// TopicNotFound: there is no topic with that key.
	TopicNotFound
	// TopicExists: a topic of that name exists with another value of Field.
	TopicExists
	// SubscriptionNotFound: the topic has no subscription of that name.
	SubscriptionNotFound
	// SubscriptionExists: the topic has a subscription of that name with another value of Field.
	SubscriptionExists
	// SubscriptionLimit: the topic has as many subscriptions as Rules allows, Max.
	SubscriptionLimit
	// SubscriptionTargetType: a FIFO topic has no other subscriptions than those of FIFO queues.
	SubscriptionTargetType
	// TopicDeletedRecently: a topic of that name was deleted less than Rules.RecreateAfter ago.
	TopicDeletedRecently

	kinds // how many there are
)

// Kinds returns every kind, so that a dialect's test can show that its table has a row for each.
func Kinds() []Kind {
	all := make([]Kind, 0, kinds)
	for k := range kinds {
		all = append(all, k)
	}
	return all
}

// Field names what an error is about, in the engine's terms.
type Field int

// The fields that errors speak of. Those of queues, topics and subscriptions are settings, the others belong to a
// request.
const (
	NoField Field = iota
	QueueDelay
	QueueVisibility
	QueueRetention
	QueueWait
	QueueMaxSize
	QueueFIFO
	QueueContentDedup
	QueueDedupScope
	QueueGroupLimit
	QueueRedrive
	QueueRedriveAllow
	QueueTenantRate
	QueueNote // Error.Name is the name of the note
	MessageDelay
	MessagePriority
	MessageGroup
	MessageDeduplicationID
	ReceiveMax
	ReceiveVisibility
	ReceiveWait
	PeekMax
	VisibilityTimeout
	MoveRate
	TopicMaxSize
	TopicFIFO
	TopicNote // Error.Name is the name of the note
	SubscriptionEndpoint
	SubscriptionTag
	SubscriptionStrategy
	SubscriptionFormat
	SubscriptionDeadLetter
)

// Error is what a verb returns when it did nothing: data for a dialect to put into its provider's words. Durations
// in Value, Min and Max are time.Duration, sizes and counts int, receipts Receipt, texts string.
type Error struct {
	Kind     Kind
	Field    Field
	Name     string // the name of the note, where Field is QueueNote or TopicNote
	Value    any
	Min, Max any
	Err      error // the cause of an Internal error
}

// Error returns a text for logs and tests. Users see the words of their provider instead.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("core: kind %d: %v", e.Kind, e.Err)
	}
	return fmt.Sprintf("core: kind %d, field %d %s, value %v (min %v, max %v)", e.Kind, e.Field, e.Name, e.Value, e.Min, e.Max)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error of the same kind, so that errors.Is(err, &Error{Kind: k}) asks for a kind.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind
}
