package core

import (
	"context"
	"time"
)

// Broker is what a dialect talks to: the engine under the rules of one provider. A gateway to a remote service could
// implement it as well, so nothing in it speaks of HTTP, and receipts are opaque.
//
// Every verb that names a queue returns QueueNotFound if there is none. Every error is an *Error. A verb that returns
// without an error has stored what it did; one that returns an error has done nothing. Verbs on several messages
// report on each of them in the order of the request, and do all of their work in one atomic commit.
type Broker interface {
	// Create makes a queue, or returns the existing one when its settings do not conflict (see
	// Rules.CompareOmitted). The bool tells whether it was made. Returns OutOfRange, QueueExists,
	// QueueDeletedRecently or one of the Redrive kinds. Tags are used only for a new queue.
	Create(ctx context.Context, key QueueKey, p Patch, tags map[string]string) (QueueInfo, bool, error)
	// Amend changes settings. The function is called with the current state, while nothing else changes it, and
	// returns what to change; its error is returned as it is. Returns OutOfRange or one of the Redrive kinds.
	Amend(ctx context.Context, key QueueKey, change func(QueueInfo) (Patch, error)) error
	// Tag sets and removes tags, first the removal. Returns TooManyTags.
	Tag(ctx context.Context, key QueueKey, set map[string]string, remove []string) error
	// Queue describes a queue.
	Queue(ctx context.Context, key QueueKey) (QueueInfo, error)
	// Queues describes up to limit queues of a namespace in the order of their names: those with the prefix whose
	// names come after the given one. The bool tells whether there are more.
	Queues(ctx context.Context, ns Namespace, prefix string, after QueueName, limit int) ([]QueueInfo, bool, error)
	// RedriveSources names up to limit queues, in the order of their names and after the given one, whose
	// dead-letter queue this is. The bool tells whether there are more.
	RedriveSources(ctx context.Context, key QueueKey, after QueueName, limit int) ([]QueueKey, bool, error)
	// DeleteQueue removes a queue with all its messages.
	DeleteQueue(ctx context.Context, key QueueKey) error
	// Purge removes all messages of a queue and what is remembered for deduplication. Returns PurgeInProgress.
	Purge(ctx context.Context, key QueueKey) error

	// Send stores messages. Each may fail for itself with OutOfRange, NotForQueueType, MessageTooLarge,
	// GroupMissing or DeduplicationIDMissing; the call fails as a whole for the kinds of Rules.FailBatch.
	Send(ctx context.Context, key QueueKey, messages []Outgoing) ([]Sent, error)
	// Receive delivers messages and hides them. With a wait it returns when the first message is there, when the
	// wait is over or when ctx ends. None is not an error. Returns OutOfRange, TooManyInFlight or AttemptInvalid.
	Receive(ctx context.Context, key QueueKey, r ReceiveRequest) ([]Received, error)
	// Peek shows up to max visible messages in the order of delivery and changes nothing. Returns OutOfRange.
	Peek(ctx context.Context, key QueueKey, limit *int) ([]Message, error)
	// Delete removes the messages of receipts. Each error is nil, ReceiptInvalid, ReceiptExpired or MessageGone.
	Delete(ctx context.Context, key QueueKey, receipts []Receipt) ([]error, error)
	// ChangeVisibility hides received messages for another time, counted from now. Each may fail for itself with
	// OutOfRange, ReceiptInvalid, ReceiptExpired, MessageGone or VisibilityBeyondTotal.
	ChangeVisibility(ctx context.Context, key QueueKey, changes []VisibilityChange) ([]VisibilityChanged, error)

	// StartMove begins to move the messages that a dead-letter queue holds now to the target, or with a nil target
	// each to the queue that dead-lettered it, up to perSecond a second or, when nil, as fast as it can. Returns
	// OutOfRange or one of the Move kinds.
	StartMove(ctx context.Context, source QueueKey, target *QueueKey, perSecond *int) (MoveTask, error)
	// CancelMove ends a running move. What was moved stays moved. Returns MoveSourceNotFound, MoveNotFound or
	// MoveNotRunning.
	CancelMove(ctx context.Context, source QueueKey, id string) (MoveTask, error)
	// Moves describes up to limit moves from a queue, the latest first. Returns MoveSourceNotFound.
	Moves(ctx context.Context, source QueueKey, limit int) ([]MoveTask, error)

	// CreateTopic makes a topic, or returns the existing one when its settings do not conflict (see
	// Rules.CompareOmitted). The bool tells whether it was made. Returns OutOfRange, TopicExists or
	// TopicDeletedRecently. All verbs on a topic that follow return TopicNotFound if there is none.
	CreateTopic(ctx context.Context, key TopicKey, p TopicPatch) (TopicInfo, bool, error)
	// AmendTopic changes settings. Returns OutOfRange.
	AmendTopic(ctx context.Context, key TopicKey, p TopicPatch) error
	// Topic describes a topic.
	Topic(ctx context.Context, key TopicKey) (TopicInfo, error)
	// Topics describes up to limit topics of a namespace, as Queues does queues.
	Topics(ctx context.Context, ns Namespace, prefix string, after TopicName, limit int) ([]TopicInfo, bool, error)
	// DeleteTopic removes a topic with its subscriptions and what these have not got yet.
	DeleteTopic(ctx context.Context, key TopicKey) error
	// Subscribe makes a subscription, or returns the existing one when its settings are the same; the owner does not
	// count. The bool tells whether it was made. Returns SubscriptionExists, SubscriptionLimit or SubscriptionTargetType.
	Subscribe(ctx context.Context, topic TopicKey, name SubscriptionName, s SubscriptionSettings) (SubscriptionInfo, bool, error)
	// AmendSubscription changes settings. Returns SubscriptionNotFound.
	AmendSubscription(ctx context.Context, topic TopicKey, name SubscriptionName, p SubscriptionPatch) error
	// Subscription describes a subscription. Returns SubscriptionNotFound.
	Subscription(ctx context.Context, topic TopicKey, name SubscriptionName) (SubscriptionInfo, error)
	// Subscriptions describes up to limit subscriptions of a topic, as Queues does queues.
	Subscriptions(ctx context.Context, topic TopicKey, prefix string, after SubscriptionName, limit int) ([]SubscriptionInfo, bool, error)
	// Unsubscribe removes a subscription with what it has not got yet. That there is none is not an error.
	Unsubscribe(ctx context.Context, topic TopicKey, name SubscriptionName) error
	// Publish stores a publication for all subscriptions that want it. Queues have it when Publish returns, pushes
	// follow; what a subscription cannot get is told as an event. Returns MessageTooLarge, or
	// GroupMissing for a FIFO topic.
	Publish(ctx context.Context, topic TopicKey, m Publication) (Published, error)
	// Outbox shows up to limit of the latest deliveries to endpoints of the kind EndpointOutbox, the latest first.
	Outbox(ctx context.Context, ns Namespace, limit int) ([]Delivery, error)
	// ClearOutbox removes all of them.
	ClearOutbox(ctx context.Context, ns Namespace) error

	// Notes returns what a namespace has been told to remember, AmendNotes changes it; a nil value removes a note.
	Notes(ctx context.Context, ns Namespace) (map[string]string, error)
	AmendNotes(ctx context.Context, ns Namespace, change map[string]*string) error

	// Now returns the engine's time, which all of the above go by.
	Now() time.Time
}

var _ Broker = (*view)(nil)
