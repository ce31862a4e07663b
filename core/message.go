package core

import (
	"crypto/md5"
	"encoding/hex"
	"time"
	"unsafe"
)

// Digest is the MD5 of a body, by which both providers let clients check that it arrived whole. It is computed once, when
// the message is sent, and stored with it.
type Digest [md5.Size]byte

// DigestOf computes the digest of a body.
func DigestOf(body string) Digest {
	// Without the copy that a conversion makes: bodies are most of what a request costs.
	return md5.Sum(unsafe.Slice(unsafe.StringData(body), len(body)))
}

// String writes the digest in 32 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// AttributeKind is the type of a message attribute's value.
type AttributeKind uint8

// The kinds of attribute values.
const (
	Text AttributeKind = iota
	Number
	Binary
	Boolean
)

// Attribute is a named, typed value that a sender attaches to a message.
type Attribute struct {
	Name  string
	Kind  AttributeKind
	Label string // the sender's own name for the type, such as "java.lang.Long"; often empty
	Value []byte // the text, or the raw bytes when Kind is Binary
}

// Trace is the context of the trace in which a message was sent, in the forms that providers carry. Each is kept as
// the sender gave it and is empty when it gave none. It counts neither for a message's size nor for its digests.
type Trace struct {
	XRay    string // AWS X-Ray header
	Parent  string // W3C traceparent
	State   string // W3C tracestate
	Baggage string // W3C baggage
}

// Outgoing is a message to be sent.
type Outgoing struct {
	Body            string
	Delay           *time.Duration // nil: the queue's. On a FIFO queue Rules decides whether it may be given
	Priority        *int           // 1 is delivered first, 16 last; nil: 8
	Attributes      []Attribute
	Trace           Trace
	Sender          string // who sent it, in the provider's terms
	Group           *string
	DeduplicationID *string // FIFO
	// Invalid is what its sender's protocol holds against it: it is not sent and this is its Sent.Err, but it is still
	// looked at for what fails its whole batch.
	Invalid error
}

// Sent is the outcome of sending one message: either Err is set, or the message is stored.
type Sent struct {
	ID        MessageID
	Digest    Digest    // of the body that was given, also for a duplicate of a message with another one
	FIFO      bool      // the queue is a FIFO queue
	Sequence  uint64    // grows with each message of the queue; meaningful to users of FIFO queues
	VisibleAt time.Time // the instant of sending, or the end of the delay
	Receipt   Receipt   // set when the message is delayed and Rules.DelayedReceipts is on
	Duplicate bool      // FIFO: nothing was sent; ID and Sequence are those of the first message
	Err       error     // an *Error, or what Outgoing.Invalid was
}

// Message is what was sent and what has happened to it since.
type Message struct {
	ID              MessageID
	Sequence        uint64
	Body            string
	Digest          Digest // of Body
	Attributes      []Attribute
	Trace           Trace
	Sender          string
	Group           string
	DeduplicationID string
	Priority        int
	SentAt          time.Time
	FirstReceivedAt time.Time // zero while it was never received
	Receives        int
	Source          *QueueKey // the queue that dead-lettered it
}

// ReceiveRequest asks for messages.
type ReceiveRequest struct {
	Max        *int           // nil: 1
	Visibility *time.Duration // nil: the queue's
	Wait       *time.Duration // nil: the queue's
	AttemptID  *string        // FIFO: makes a repeated request within 5 minutes return what the first one did
}

// Received is a delivered message with the receipt of this delivery.
type Received struct {
	Message
	FIFO      bool // the queue is a FIFO queue
	Receipt   Receipt
	VisibleAt time.Time // when it becomes visible again
}

// VisibilityChange asks to hide a message for Timeout from now on; 0 makes it visible at once.
type VisibilityChange struct {
	Receipt Receipt
	Timeout time.Duration
}

// VisibilityChanged is the outcome of one VisibilityChange: either Err is set, or the change is stored.
type VisibilityChanged struct {
	Receipt   Receipt // the receipt that is valid from now on; a new one where Rules.RenewReceipt is on
	VisibleAt time.Time
	Err       error // an *Error
}
