package sqs

import (
	"time"

	"github.com/sluicemq/sluice/core"
)

// Limits of the dialect itself. Sizes are bytes, the others are counts or characters.
const (
	maxRequest         = 8 << 20 // leaves room for escapes in a message of the largest size
	maxMessageSize     = 1 << 20 // Recorded 2025-08-19
	maxBatchSize       = 1 << 20 // Recorded 2025-08-19, whatever the queue's own limit is
	maxBatchEntries    = 10
	maxBatchID         = 80
	maxAttributes      = 10
	maxAttributeName   = 256
	maxAttributeType   = 256
	maxTrace           = 4096
	maxSetting         = 8192 // of any queue attribute; documented for Policy, the longest
	maxPrincipals      = 50
	maxPrecision       = 38 // digits of a Number, documented
	maxQueueName       = 80
	maxID              = 128 // groups, deduplication ids, receive attempts
	maxPage            = 1000
	maxReceives        = 1000
	maxRedriveSources  = 10
	maxPolicy          = 8192
	maxStatements      = 20
	maxActions         = 7
	maxTags            = 50
	maxMoves           = 10
	maxTagKey          = 128
	maxTagValue        = 256
	maxInFlight        = 120_000 // documented since 2025 for both types of queues
	longestVisibility  = 12 * time.Hour
	defaultReusePeriod = 5 * time.Minute // of a KMS data key
)

// waitRule is how long a queue's name is blocked after its deletion, and how far apart two purges must be.
const waitRule = time.Minute

// rules are the limits of Amazon SQS. Strict turns the wait rules on.
func rules(strict bool) core.Rules {
	r := core.Rules{
		Defaults: core.Settings{Visibility: 30 * time.Second, Retention: 4 * 24 * time.Hour, MaxSize: maxMessageSize},

		QueueDelay:      core.Between(0, 15*time.Minute),
		QueueVisibility: core.Between(0, longestVisibility),
		QueueRetention:  core.Between(time.Minute, 14*24*time.Hour),
		QueueWait:       core.Between(0, 20*time.Second),
		QueueMaxSize:    core.Between(1024, maxMessageSize),

		Delay:             core.Between(0, 15*time.Minute),
		ReceiveVisibility: core.Between(0, longestVisibility),
		ChangeVisibility:  core.Between(0, longestVisibility),
		Wait:              core.Between(0, 20*time.Second),
		ReceiveMax:        core.Between(1, 10),

		SizeCountsAttributes: true,
		FailBatch:            []core.Kind{core.GroupMissing, core.DeduplicationIDMissing}, // Recorded 2024
		VisibilityTotal:      longestVisibility,

		StandardReceipts: core.ReceiptRules{
			DeleteExpired: core.Apply, // Recorded 2025-03-28
			// The manual only says that the message might stay; recordings found that it does.
			DeleteSuperseded: core.Ignore,
			DeleteGone:       core.Ignore, // Recorded: any number of times
			// Recorded 2024-04-30 that it succeeds. UNVERIFIED: that it hides the message again.
			ChangeExpired:    core.Apply,
			ChangeSuperseded: core.Apply, // validated
			ChangeGone:       core.Reject,
		},
		FIFOReceipts: core.ReceiptRules{
			DeleteExpired:    core.Reject, // Recorded 2025-03-28
			DeleteSuperseded: core.Reject,
			DeleteGone:       core.Ignore,
			ChangeExpired:    core.Reject,
			ChangeSuperseded: core.Reject,
			ChangeGone:       core.Reject,
		},

		MaxInFlight:     maxInFlight,
		MaxInFlightFIFO: maxInFlight,
		OverLimitFails:  true,

		MaxTags: maxTags,

		MoveRate: core.Between(1, 500),
		// The manual says that moved messages are new; a run against the real service (2026-05) found their receive
		// counts preserved.
		MoveKeepsReceives: true,
	}
	if strict {
		r.RecreateAfter, r.PurgeInterval = waitRule, waitRule
	}
	return r
}
