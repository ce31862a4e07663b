package mns

import (
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

const day = 24 * time.Hour

// recreateWait is for how long the name of a deleted queue or topic rests, under strict rules.
// UNVERIFIED: the errors exist, QueueDeletedRecently and TopicDeletedRecently; the time is that of the other provider.
const recreateWait = time.Minute

// rulesOf are the rules of a site. Strict turns the wait rule on.
func rulesOf(site *protocols.Site) core.Rules {
	r := rules
	if site.Strict {
		r.RecreateAfter = recreateWait
	}
	return r
}

// rules are the provider's limits, as its reference pages give them, and its ways with receipts.
var rules = core.Rules{
	// Recorded: a queue that was made without attributes.
	Defaults: core.Settings{
		Visibility: 30 * time.Second,
		Retention:  4 * day,
		MaxSize:    maxBodies,
		Notes:      map[string]string{loggingNote: loggingOff},
	},

	// UNVERIFIED: these are the bounds of the present pages. Older ones keep messages for 3 or 15 days at most, and clients
	// have constants of their own.
	QueueDelay:      core.Between(0, 7*day),
	QueueVisibility: core.Between(time.Second, 12*time.Hour),
	QueueRetention:  core.Between(time.Minute, 7*day),
	QueueWait:       core.Between(0, 30*time.Second),
	QueueMaxSize:    core.Between(1024, maxBodies),

	Delay: core.Between(0, 7*day),
	// There is no "visible again now": 0 is refused.
	ChangeVisibility: core.Between(time.Second, 12*time.Hour),
	Wait:             core.Between(0, 30*time.Second),
	ReceiveMax:       core.Between(1, maxBatch),
	PeekMax:          core.Between(1, maxBatch),
	// Quoted: "The value of Priority should between 1 and 16" for the 0 that the Go client sends for an unset one.
	Priority: core.Between(1, 16),

	// Recorded: making a queue again with one attribute out of six is 204 when all six agree. Asserted by the live
	// test of the PHP client: a queue with defaults made again with a polling wait is 409.
	CompareOmitted: true,
	// UNVERIFIED: no page says that messages to FIFO queues cannot have a delay of their own.
	FIFODelay: true,
	// Documented: FIFO queues know message groups and no deduplication ids.
	GroupOnly: true,
	// Documented: a field that is out of range refuses the whole batch.
	FailBatch: []core.Kind{core.OutOfRange, core.NotForQueueType, core.GroupMissing}, // the others fail one message

	TopicDefaults: core.TopicSettings{MaxSize: maxBodies, Notes: map[string]string{loggingNote: loggingOff}},
	TopicMaxSize:  core.Between(1024, maxBodies),
	// Documented: what cannot be delivered is kept for a day, which cannot be set.
	TopicRetention:    day,
	SubscriptionLimit: 100,

	// Recorded: each visibility change answers with another handle; a delayed send answers with a handle.
	RenewReceipt:    true,
	DelayedReceipts: true,
	// Documented: a handle is refused once its timeout has passed or a visibility change has replaced it. That is the
	// zero value. UNVERIFIED: that a second deletion is refused, of which no page speaks; and that the replaced handle is,
	// since the live test of the PHP client deletes a message with it.
	StandardReceipts: core.ReceiptRules{},
	FIFOReceipts:     core.ReceiptRules{},
}

// Limits that the engine does not know, since they are of requests and not of queues.
const (
	maxBatch   = 16       // messages or handles of a request
	maxBodies  = 64 << 10 // bytes of all bodies of a batch; also the largest MaximumMessageSize
	maxRequest = 3 << 19  // bytes of a request: the largest body that a bridged queue may take, and base64 or XML around it
	maxListed  = 1000     // queues of a page, and their number when the request does not say
)

// LoggingEnabled is kept and compared by the engine as a note, and nothing comes of it. Off is the empty note, so that
// it equals the absent one of a queue that another provider's users have made.
const (
	loggingNote = "LoggingEnabled"
	loggingOn   = "True"
	loggingOff  = ""
)

// limit is how an error speaks of a limited value.
type limit struct{ element, unit string }

// limits name what the engine's errors are about.
var limits = map[core.Field]limit{ //nolint:exhaustive // the other fields have no range under these rules
	core.QueueDelay:        {"DelaySeconds", " seconds"},
	core.QueueVisibility:   {"VisibilityTimeout", " seconds"},
	core.QueueRetention:    {"MessageRetentionPeriod", " seconds"},
	core.QueueWait:         {"PollingWaitSeconds", " seconds"},
	core.QueueMaxSize:      {"MaximumMessageSize", " bytes"},
	core.MessageDelay:      {"DelaySeconds", " seconds"},
	core.MessagePriority:   {"Priority", ""},
	core.MessageGroup:      {"MessageGroupId", ""},
	core.ReceiveMax:        {"numOfMessages", ""},
	core.ReceiveWait:       {"waitseconds", " seconds"},
	core.PeekMax:           {"numOfMessages", ""},
	core.VisibilityTimeout: {"VisibilityTimeout", " seconds"},
	core.TopicMaxSize:      {"MaximumMessageSize", " bytes"},
}
