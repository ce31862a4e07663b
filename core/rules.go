package core

import "time"

// Range is a closed interval. The zero value of Max with the zero value of Min means that nothing is checked.
type Range[T int | time.Duration] struct{ Min, Max T }

// Between returns the closed interval from low to high.
func Between[T int | time.Duration](low, high T) Range[T] { return Range[T]{Min: low, Max: high} }

func (r Range[T]) unchecked() bool { return r.Min == 0 && r.Max == 0 }

func (r Range[T]) check(f Field, v T) error {
	if r.unchecked() || (r.Min <= v && v <= r.Max) {
		return nil
	}
	return &Error{Kind: OutOfRange, Field: f, Value: v, Min: r.Min, Max: r.Max}
}

// Outcome is what happens to a verb that comes with a receipt whose delivery is over.
type Outcome uint8

// The outcomes.
const (
	Reject Outcome = iota // ReceiptExpired, or MessageGone when the message does not exist any more
	Apply                 // the verb takes effect all the same
	Ignore                // the verb succeeds and changes nothing
)

// ReceiptRules say what old receipts may do. "Expired" is a receipt whose visibility timeout has passed while the
// message has not been received again; "superseded" one of an earlier delivery, or one that a visibility change has
// replaced; "gone" one of a message that was deleted, purged or dropped by retention.
type ReceiptRules struct {
	DeleteExpired, DeleteSuperseded, DeleteGone Outcome
	ChangeExpired, ChangeSuperseded, ChangeGone Outcome // Gone: Reject or Ignore
}

// Rules are all that differs between providers, as data. A dialect supplies them; the engine enforces them.
type Rules struct {
	Defaults Settings // what a new queue has where its maker does not say

	// Ranges of queue settings.
	QueueDelay, QueueVisibility, QueueRetention, QueueWait Range[time.Duration]
	QueueMaxSize                                           Range[int]

	// Ranges of requests.
	Delay, ReceiveVisibility, ChangeVisibility, Wait Range[time.Duration]
	ReceiveMax, PeekMax, Priority                    Range[int]

	// CompareOmitted makes Create compare the settings that it does not name, as their defaults, with those of an
	// existing queue; otherwise only the named ones are compared.
	CompareOmitted bool
	// SizeCountsAttributes adds the names, types and values of attributes to a message's size.
	SizeCountsAttributes bool
	// FIFODelay allows a delay of its own for a message to a FIFO queue. Otherwise a delay over zero is
	// NotForQueueType, and zero means the queue's delay.
	FIFODelay bool
	// GroupOnly makes FIFO queues work without deduplication ids: a message without one is never a duplicate.
	GroupOnly bool
	// FailBatch lists the kinds of which one message fails a whole batch, before anything is sent.
	FailBatch []Kind

	// VisibilityTotal bounds the time for which one receive may hide a message, all changes included. 0: unbounded.
	VisibilityTotal time.Duration
	// RenewReceipt makes a visibility change hand out a new receipt that supersedes the old one.
	RenewReceipt bool
	// DelayedReceipts hands out a receipt for a message that is sent with a delay, good until it becomes visible.
	DelayedReceipts bool
	// StandardReceipts and FIFOReceipts say what receipts of ended deliveries may do.
	StandardReceipts, FIFOReceipts ReceiptRules

	// MaxInFlight and MaxInFlightFIFO bound the received messages of a queue. 0: unbounded.
	MaxInFlight, MaxInFlightFIFO int
	// OverLimitFails makes a receive that may not wait fail with TooManyInFlight on a standard queue at its bound;
	// otherwise, and on FIFO queues always, it is empty.
	OverLimitFails bool

	// MoveRate is the range of messages per second of a move.
	MoveRate Range[int]
	// MoveKeepsReceives keeps the receive counts of messages that a move task moves.
	MoveKeepsReceives bool

	// TopicDefaults is what a new topic has where its maker does not say; TopicMaxSize is the range of its MaxSize.
	TopicDefaults TopicSettings
	TopicMaxSize  Range[int]
	// TopicRetention is for how long a publication that could not be delivered is tried again. 0: no bound.
	TopicRetention time.Duration
	// SubscriptionLimit bounds the subscriptions of a topic. 0: unbounded.
	SubscriptionLimit int

	// MaxTags bounds the tags of a queue. 0: unbounded.
	MaxTags int

	// RecreateAfter, of queues and topics, and PurgeInterval are the provider's wait rules. 0: no waiting.
	RecreateAfter, PurgeInterval time.Duration
}
