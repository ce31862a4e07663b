// Package names has the name of everything that traces and metrics show: spans, attributes, instruments, and the values
// that conventions prescribe. It is the only place that knows a version of OpenTelemetry's semantic conventions, so that
// a new version is one change. It records nothing.
//
// The conventions for messaging speak of clients. What a broker does has no conventions yet, so the spans are of the
// kinds SERVER and INTERNAL, and what is ours has names under "sluice.".
package names

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// Scope is the name under which everything is recorded, and SchemaURL the version of the conventions.
const (
	Scope     = "github.com/sluicemq/sluice"
	SchemaURL = semconv.SchemaURL
)

// Attributes of requests.
var (
	RequestMethod  = semconv.HTTPRequestMethodKey.String
	Status         = semconv.HTTPResponseStatusCode
	RequestSize    = semconv.HTTPRequestBodySize
	ResponseSize   = semconv.HTTPResponseBodySize
	Path           = semconv.URLPath
	UserAgent      = semconv.UserAgentOriginal
	ServerAddress  = semconv.ServerAddress
	ServerPort     = semconv.ServerPort
	ClientAddress  = semconv.ClientAddress
	Method         = semconv.RPCMethod
	ErrorType      = semconv.ErrorTypeKey.String
	ErrorTypeOther = semconv.ErrorTypeOther
)

// Dialect is the dialect of a request, such as "sqs-json".
var Dialect = attribute.Key("sluice.dialect").String

// Attributes of queues and messages.
var (
	Destination   = semconv.MessagingDestinationName
	Account       = semconv.CloudAccountID
	Region        = semconv.CloudRegion
	MessageID     = semconv.MessagingMessageID
	BatchCount    = semconv.MessagingBatchMessageCount
	BodySize      = semconv.MessagingMessageBodySize
	OperationName = semconv.MessagingOperationName
	Send          = semconv.MessagingOperationTypeSend
	Receive       = semconv.MessagingOperationTypeReceive
	Settle        = semconv.MessagingOperationTypeSettle

	Group        = attribute.Key("sluice.message.group").String
	Sequence     = attribute.Key("sluice.message.sequence").Int64
	Receives     = attribute.Key("sluice.message.receive_count").Int
	Outcome      = attribute.Key("sluice.message.outcome").String
	VisibleAt    = attribute.Key("sluice.message.visible_at").String // RFC 3339
	Target       = attribute.Key("sluice.target").String
	Subscription = attribute.Key("sluice.subscription").String
	Attempt      = attribute.Key("sluice.push.attempt").Int
	NextAttempt  = attribute.Key("sluice.push.next_attempt").String // RFC 3339
	ErrorText    = attribute.Key("error.message").String
)

// Attributes of metrics that have no others.
var (
	State = attribute.Key("sluice.message.state").String
	Event = attribute.Key("sluice.message.event").String
)

// OtherQueues is the name under which the queues appear that metrics have no room for.
const OtherQueues = "_OTHER"

// VisibilityChanged is the event that a visibility change leaves on the span of a message in flight.
const VisibilityChanged = "visibility changed"

// The outcomes of being in a queue or in flight.
const (
	Received     = "received"
	Deleted      = "deleted"
	Expired      = "visibility_expired"
	MadeVisible  = "made_visible"
	DeadLettered = "dead_lettered"
	Moved        = "moved"
	Purged       = "purged"
	TooOld       = "retention_expired"
	DelayOver    = "delay_over"
)

// Names of spans, without the queue that follows.
const (
	SpanQueued       = "queued "
	SpanDelayed      = "delayed "
	SpanInFlight     = "in flight "
	SpanDeadLettered = "dead-lettered "
	SpanMoved        = "moved "
	SpanDeduplicated = "deduplicated "
	SpanPush         = "push "
	Arrow            = " -> "
)

// System is how one provider's requests are named.
type System struct {
	Name       string             // the prefix of spans and methods
	RPC        attribute.KeyValue // the system, for spans and metrics
	Attributes []attribute.KeyValue
	RequestID  func(string) attribute.KeyValue
}

// SystemOf returns the system of a dialect, by the part of its name before the hyphen.
//
// Version 1.45.0 of the conventions renames messaging.system to messaging.system.name, and its value for SQS; both are
// recorded, since backends look for either. UNVERIFIED: the value for MNS, for which its provider's pages have none.
func SystemOf(provider string) System {
	switch provider {
	case "sqs":
		return System{
			"SQS", semconv.RPCSystemNameKey.String("aws-api"),
			[]attribute.KeyValue{semconv.MessagingSystemAWSSQS, systemName("aws.sqs"), rpcSystem("aws-api")},
			semconv.AWSRequestID,
		}
	case "mns":
		return System{
			"MNS", semconv.RPCSystemNameKey.String("alibaba-mns"),
			[]attribute.KeyValue{semconv.MessagingSystemKey.String("alibaba_mns"), systemName("alibaba_mns")},
			attribute.Key("messaging.smq.request_id").String, // Documented in the provider's guide to tracing
		}
	}
	return System{provider, semconv.RPCSystemNameKey.String(provider), nil, attribute.Key("sluice.request_id").String}
}

var (
	systemName = attribute.Key("messaging.system.name").String
	rpcSystem  = attribute.Key("rpc.system").String // which the page of the AWS SDK still asks for
)

// Resource describes the program.
func Resource(version string) []attribute.KeyValue {
	return []attribute.KeyValue{semconv.ServiceName("sluice"), semconv.ServiceVersion(version)}
}

// seconds are the bounds of histograms of durations, from a commit in memory to the longest poll.
var seconds = metric.WithExplicitBucketBoundaries(
	0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

// Instruments makes the instruments of a meter and keeps the first error.
type Instruments struct {
	Meter metric.Meter
	Err   error
}

func keep[I any](in *Instruments, made I, err error) I {
	if in.Err == nil {
		in.Err = err
	}
	return made
}

// Call is the duration of requests. Its count is the number of requests.
func (in *Instruments) Call() metric.Float64Histogram {
	h, err := in.Meter.Float64Histogram("rpc.server.call.duration", metric.WithUnit("s"), seconds,
		metric.WithDescription("How long requests took, by operation and result."))
	return keep(in, h, err)
}

// Messages counts what happens to messages.
func (in *Instruments) Messages() metric.Int64Counter {
	c, err := in.Meter.Int64Counter("sluice.messages", metric.WithUnit("{message}"),
		metric.WithDescription("What happened to messages, by event."))
	return keep(in, c, err)
}

// TimeInQueue is the time from sending to the first receive.
func (in *Instruments) TimeInQueue() metric.Float64Histogram {
	h, err := in.Meter.Float64Histogram("sluice.message.time_in_queue", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400),
		metric.WithDescription("Time from the sending of messages to their first receive."))
	return keep(in, h, err)
}

// ReceiveWait is how long receives take.
func (in *Instruments) ReceiveWait() metric.Float64Histogram {
	h, err := in.Meter.Float64Histogram("sluice.receive.wait", metric.WithUnit("s"), seconds,
		metric.WithDescription("How long receives waited for messages."))
	return keep(in, h, err)
}

// EmptyReceives counts receives without a message.
func (in *Instruments) EmptyReceives() metric.Int64Counter {
	c, err := in.Meter.Int64Counter("sluice.receive.empty", metric.WithUnit("{receive}"),
		metric.WithDescription("Receives that found no message."))
	return keep(in, c, err)
}

// Parked is how many receives wait.
func (in *Instruments) Parked() metric.Int64ObservableGauge {
	c, err := in.Meter.Int64ObservableGauge("sluice.receive.parked", metric.WithUnit("{receive}"),
		metric.WithDescription("Receives that are waiting for messages."))
	return keep(in, c, err)
}

// Duplicates counts sends that were duplicates.
func (in *Instruments) Duplicates() metric.Int64Counter {
	c, err := in.Meter.Int64Counter("sluice.dedup.hits", metric.WithUnit("{message}"),
		metric.WithDescription("Messages that were not stored since they were duplicates."))
	return keep(in, c, err)
}

// Depth is how many messages queues have, by state.
func (in *Instruments) Depth() metric.Int64ObservableGauge {
	g, err := in.Meter.Int64ObservableGauge("sluice.queue.depth", metric.WithUnit("{message}"),
		metric.WithDescription("Messages in queues, by state. CloudWatch: ApproximateNumberOfMessagesVisible, NotVisible and Delayed."))
	return keep(in, g, err)
}

// OldestAge is the age of the message that is next in line.
func (in *Instruments) OldestAge() metric.Float64ObservableGauge {
	g, err := in.Meter.Float64ObservableGauge("sluice.queue.oldest_message.age", metric.WithUnit("s"),
		metric.WithDescription("Age of the visible message that is next in line. CloudWatch: ApproximateAgeOfOldestMessage."))
	return keep(in, g, err)
}

// Dropped counts events that observers were too slow for.
func (in *Instruments) Dropped() metric.Int64ObservableCounter {
	c, err := in.Meter.Int64ObservableCounter("sluice.events.dropped", metric.WithUnit("{event}"),
		metric.WithDescription("Events that telemetry and other observers have lost by being slow."))
	return keep(in, c, err)
}

// CommitDuration is how long the store takes for a commit.
func (in *Instruments) CommitDuration() metric.Float64Histogram {
	h, err := in.Meter.Float64Histogram("sluice.store.commit.duration", metric.WithUnit("s"), seconds,
		metric.WithDescription("How long commits to the store took."))
	return keep(in, h, err)
}

// CommitSize is how much one commit stores.
func (in *Instruments) CommitSize() metric.Int64Histogram {
	h, err := in.Meter.Int64Histogram("sluice.store.commit.size", metric.WithUnit("By"),
		metric.WithExplicitBucketBoundaries(128, 512, 2048, 8192, 32768, 131072, 524288, 1048576, 2097152),
		metric.WithDescription("Bytes of keys and values in commits to the store."))
	return keep(in, h, err)
}
