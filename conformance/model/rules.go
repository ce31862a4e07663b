package model

import "time"

// Refusal is why a request was refused, or None. What a provider calls it, and whether it has several words for one of
// them, is the caller's business.
type Refusal string

// The refusals.
const (
	None              Refusal = ""
	QueueMissing      Refusal = "the queue does not exist"
	QueueJustDeleted  Refusal = "a queue of that name was deleted a moment ago"
	PurgedJustNow     Refusal = "the queue was purged a moment ago"
	DelayOutOfRange   Refusal = "the delay is out of range"
	DelayOnFIFO       Refusal = "messages to FIFO queues have no delay of their own"
	PriorityRange     Refusal = "the priority is out of range"
	GroupMissing      Refusal = "the message has no group"
	DedupMissing      Refusal = "the message has no deduplication id"
	DedupOnStandard   Refusal = "a standard queue knows no deduplication ids"
	MaxOutOfRange     Refusal = "so many messages cannot be received at once"
	TimeoutOutOfRange Refusal = "the visibility timeout is out of range"
	TooManyInFlight   Refusal = "too many messages are in flight"
	AttemptInvalid    Refusal = "the receive cannot be repeated any more"
	HandleInvalid     Refusal = "the receipt handle was never handed out"
	HandleExpired     Refusal = "the delivery of the receipt handle is over, or its message gone"
	HiddenTooLong     Refusal = "the message would be hidden for too long in all"
)

// Outcome is what happens to a request with the receipt handle of a delivery that is over.
type Outcome uint8

// The outcomes.
const (
	Refuse Outcome = iota
	Apply
	Ignore // it is answered as if it had been done
)

// Old says what receipt handles may do whose delivery is over. Expired: the message is visible again. Superseded: there
// is a newer handle. Gone: there is no message.
type Old struct {
	DeleteExpired, DeleteSuperseded, DeleteGone Outcome
	ChangeExpired, ChangeSuperseded, ChangeGone Outcome
}

// Rules are what a provider does in its own way. They belong to a request, not to a queue, so that two providers may
// share one.
type Rules struct {
	Name string // for failures

	MaxDelay     time.Duration
	MaxPriority  int           // 0: there are none, and all messages are DefaultPriority
	MaxReceive   int           // messages of a receive or peek
	MinChange    time.Duration // shortest timeout of a visibility change
	MaxTimeout   time.Duration // longest visibility timeout
	MaxHidden    time.Duration // how long one receive may hide a message, all changes included; 0: unbounded
	ZeroNotDelay bool          // on FIFO queues a delay of zero means the queue's, and any other is refused
	DedupNeeded  bool          // FIFO queues refuse messages without a deduplication id
	Renews       bool          // a visibility change hands out another handle
	DelayHandles bool          // a delayed send hands out a handle
	Bounded      bool          // Limits.InFlight counts
	QueueFirst   bool          // a queue that does not exist is what is told, whatever else is wrong
	Standard     Old
	FIFO         Old

	// WholeBatch are the refusals of which one message fails the batch.
	WholeBatch map[Refusal]bool

	// ShowsFIFO: received messages show deduplication id, sequence number and the queue that dead-lettered them.
	ShowsFIFO bool
	// ShowsTimes: received messages show their priority and when they become visible again.
	ShowsTimes bool
}

// MarshalText writes the name, so that an event in JSON is short.
func (r *Rules) MarshalText() ([]byte, error) { return []byte(r.Name), nil }

// DefaultPriority is that of messages whose sender gives none.
const DefaultPriority = 8

// SQS are the rules of Amazon SQS.
var SQS = Rules{
	Name:         "SQS",
	MaxDelay:     15 * time.Minute,
	MaxReceive:   10,
	MaxTimeout:   12 * time.Hour,
	MaxHidden:    12 * time.Hour,
	ZeroNotDelay: true, // Recorded 2025-07-31
	DedupNeeded:  true,
	Bounded:      true,
	QueueFirst:   true, // validated for deletions with a bad handle
	Standard: Old{
		DeleteExpired: Apply, // Recorded 2025-03-28
		// Documented is that the message might stay, and recordings show that it does.
		DeleteSuperseded: Ignore,
		DeleteGone:       Ignore,
		// Recorded 2024-04-30 that it succeeds. UNVERIFIED: that it hides the message again.
		ChangeExpired:    Apply,
		ChangeSuperseded: Apply, // validated: an older handle still steers the message
	},
	FIFO:       Old{DeleteGone: Ignore}, // Recorded 2025-03-28: expired handles are refused
	WholeBatch: map[Refusal]bool{GroupMissing: true, DedupMissing: true},
	ShowsFIFO:  true,
}

// MNS are the rules of Alibaba Cloud MNS. Documented: every handle whose delivery is over is refused.
var MNS = Rules{
	Name:         "MNS",
	MaxDelay:     7 * 24 * time.Hour,
	MaxPriority:  16,
	MaxReceive:   16,
	MinChange:    time.Second,
	MaxTimeout:   12 * time.Hour,
	Renews:       true, // Recorded 2026
	DelayHandles: true, // Recorded 2022
	WholeBatch:   map[Refusal]bool{DelayOutOfRange: true, PriorityRange: true, GroupMissing: true},
	ShowsTimes:   true,
}

// Limits are how a server is set up.
type Limits struct {
	InFlight      int           // received messages of a queue; 0: unbounded
	PurgeEvery    time.Duration // least time between two purges of a queue
	RecreateAfter time.Duration // how long the name of a deleted queue is blocked
}

// How long a FIFO queue remembers. Documented.
const (
	dedupPeriod   = 5 * time.Minute
	attemptPeriod = 5 * time.Minute
)

// The documented test for a tenant of a standard queue that messages of others go before: so many in flight.
const noisyInFlight = 30
