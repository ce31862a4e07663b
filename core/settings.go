package core

import "time"

// Settings are what a queue is configured with. All durations are whole seconds for both providers; the engine keeps
// milliseconds.
type Settings struct {
	Delay      time.Duration // how long new messages stay hidden, when the sender does not say
	Visibility time.Duration // how long received messages stay hidden, when the receiver does not say
	Retention  time.Duration // age at which a message is dropped, counted from its sending
	Wait       time.Duration // how long an empty receive waits, when the receiver does not say
	MaxSize    int           // bytes of the largest message

	FIFO          bool // fixed when the queue is created
	ContentDedup  bool // FIFO: the body's digest is the deduplication id of messages without one
	DedupPerGroup bool // FIFO: deduplication ids are unique per group instead of per queue
	GroupLimit    bool // FIFO: the throughput limit counts per group; kept and shown, not enforced

	TenantRate int // standard: how many messages of one group are delivered within a second. 0: no limit

	Redrive      *Redrive     // nil: messages are never dead-lettered
	RedriveAllow RedriveAllow // which queues may use this one as their dead-letter queue

	// Notes are attributes that the engine keeps and compares but does not interpret, such as an access policy.
	Notes map[string]string
}

// Redrive sends a message to the Target when it would be received for more than MaxReceives times.
type Redrive struct {
	Target      QueueKey
	MaxReceives int
}

// RedriveAllow says which queues may name a queue as their Redrive target. The zero value allows all.
type RedriveAllow struct {
	DenyAll bool
	Sources []QueueKey // when not empty, only these
}

// Patch is a partial Settings: a nil field is one that the caller did not name, which is different from its zero.
type Patch struct {
	Delay      *time.Duration
	Visibility *time.Duration
	Retention  *time.Duration
	Wait       *time.Duration
	MaxSize    *int

	FIFO          *bool // Create only; Amend ignores it
	ContentDedup  *bool
	DedupPerGroup *bool
	GroupLimit    *bool

	TenantRate *int // not for FIFO queues but with 0

	Redrive      **Redrive // a pointer to nil removes the policy
	RedriveAllow *RedriveAllow

	Notes map[string]*string // a nil value removes the note
}

// QueueInfo describes a queue at one instant.
type QueueInfo struct {
	Key      QueueKey
	Settings Settings
	Tags     map[string]string
	Created  time.Time
	Modified time.Time // when the settings last changed

	Visible  int // messages a receive could deliver, and those of a FIFO group that waits for its head
	InFlight int // received and hidden
	Delayed  int // sent and hidden
}
