package cases_test

import (
	"fmt"
	"strings"
)

// visibilityRule is one rule of ChangeMessageVisibility, with the answers of the three protocols next to each other.
//
// Every rule begins with a queue whose timeout is 30 s and a message that was received 10 s ago, unless meanwhile makes
// it otherwise. In the answers {h} is the handle; "ok" is a success, whose form TestSuccessOfVisibilityChange knows.
type visibilityRule struct {
	rule      string
	fifo      bool
	meanwhile func(c *client, queue, handle string) (instead string) // returns another handle to use, or ""
	handle    string                                                 // "": that of the message; "-": none; else as it stands here
	timeout   string                                                 // as it is written in the request; "-": none

	json, query, batch, mns string  // query "": that of json; batch: of an entry of ChangeMessageVisibilityBatch, in both
	hidden, mnsHidden       float64 // in how many seconds the message is visible then; 0: it is; gone: never
}

// gone is for messages that do not come back.
const gone = -1

// unchanged is what is left of the 30 s after 10.
const unchanged = 20

// after is a meanwhile that only lets time pass: 10 s have passed already.
func after(seconds float64) func(*client, string, string) string {
	return func(c *client, _, _ string) string { c.after(seconds); return "" }
}

const (
	sqsRange      = "400 InvalidParameterValue: Value %s for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200."
	sqsRangeEntry = "InvalidParameterValue: Value %s for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and 43200."
	sqsNoNumber   = "400 MalformedInput: STRING_VALUE can not be converted to an Integer"
	sqsTotal      = "InvalidParameterValue: Value 43200 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]"
	sqsGone       = "400 InvalidParameterValue: Value {h} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change."
	sqsGoneEntry  = "ReceiptHandleIsInvalid: Message does not exist or is not available for visibility timeout change" // Recorded 2023 and 2026
	sqsNoReceipt  = "ReceiptHandleIsInvalid: The input receipt handle \"{h}\" is not a valid receipt handle."
	mnsRange      = "400 InvalidArgument: The value of VisibilityTimeout should between 1 and 43200 seconds."
)

var visibilityRules = []visibilityRule{
	{rule: "counts from the call", timeout: "100", json: "ok", batch: "ok", mns: "ok", hidden: 100, mnsHidden: 100},
	{rule: "shortens as well", timeout: "1", json: "ok", batch: "ok", mns: "ok", hidden: 1, mnsHidden: 1},
	{rule: "zero", timeout: "0", json: "ok", batch: "ok", mns: mnsRange, hidden: 0, mnsHidden: unchanged},
	{
		rule: "negative", timeout: "-1", json: fmt.Sprintf(sqsRange, "-1"), batch: fmt.Sprintf(sqsRangeEntry, "-1"), mns: mnsRange,
		hidden: unchanged, mnsHidden: unchanged,
	},
	{
		rule: "over the maximum", timeout: "43201", json: fmt.Sprintf(sqsRange, "43201"), batch: fmt.Sprintf(sqsRangeEntry, "43201"), mns: mnsRange,
		hidden: unchanged, mnsHidden: unchanged,
	},
	{ // Recorded: the maximum fails as soon as time has passed, nothing is cut short. MNS knows no total.
		rule: "maximum, 10 s after the receive", timeout: "43200", json: "400 " + sqsTotal, batch: sqsTotal, mns: "ok", hidden: unchanged, mnsHidden: 43200,
	},
	{rule: "all that is left of 12 hours", timeout: "43190", json: "ok", batch: "ok", mns: "ok", hidden: 43190, mnsHidden: 43190},
	{
		rule: "12 hours in total, in two changes", timeout: "43200",
		meanwhile: func(c *client, queue, handle string) string {
			got := c.change(queue, handle, 1000)
			c.must(got, "200")
			c.after(10)
			return got.handle
		},
		json: "400 " + sqsTotal, batch: sqsTotal, mns: "ok", hidden: 990, mnsHidden: 43200,
	},
	{
		rule: "no timeout", timeout: "-", json: "400 MissingParameter: The request must contain the parameter VisibilityTimeout.",
		batch: "MissingParameter: The request must contain the parameter ChangeMessageVisibilityBatchRequestEntry.1.VisibilityTimeout.",
		mns:   "400 MissingVisibilityTimeout: VisibilityTimeout is required.", hidden: unchanged, mnsHidden: unchanged,
	},
	{rule: "timeout is no number", timeout: `"x"`, json: sqsNoNumber, batch: sqsNoNumber, mns: mnsRange, hidden: unchanged, mnsHidden: unchanged},
	{rule: "timeout is empty", timeout: `""`, json: sqsNoNumber, batch: sqsNoNumber, mns: mnsRange, hidden: unchanged, mnsHidden: unchanged},
	{
		rule: "timeout has a fraction", timeout: "1.5", json: "400 MalformedInput: NUMBER_VALUE can not be converted to an Integer", query: sqsNoNumber,
		mns: mnsRange, hidden: unchanged, mnsHidden: unchanged,
	},
	{
		rule: "timeout of many digits", timeout: "99999999999999999999", json: "400 MalformedInput: NUMBER_VALUE can not be converted to an Integer", query: sqsNoNumber,
		mns: mnsRange, hidden: unchanged, mnsHidden: unchanged,
	},
	{
		rule: "handle is garbage", handle: "fake", timeout: "5", json: "404 " + sqsNoReceipt, batch: sqsNoReceipt, mns: mnsWrong,
		hidden: unchanged, mnsHidden: unchanged,
	},
	{
		rule: "no handle", handle: "-", timeout: "5", json: "400 MissingParameter: The request must contain the parameter ReceiptHandle.",
		batch: "MissingParameter: The request must contain the parameter ReceiptHandle.", mns: "400 MissingReceiptHandle: ReceiptHandle is required.",
		hidden: unchanged, mnsHidden: unchanged,
	},
	{
		rule: "handle of another queue", timeout: "5",
		meanwhile: func(c *client, queue, _ string) string {
			c.made("other-"+queue, nil)
			c.sends("other-"+queue, "m")
			return c.take("other-" + queue).handle
		},
		json: "404 " + sqsNoReceipt, batch: sqsNoReceipt, mns: mnsWrong, hidden: unchanged, mnsHidden: unchanged,
	},
	{
		rule: "handle with its last letter changed", timeout: "5",
		meanwhile: func(_ *client, _, handle string) string {
			last := map[bool]string{true: "B", false: "A"}[strings.HasSuffix(handle, "A")]
			return handle[:len(handle)-1] + last
		},
		json: "404 " + sqsNoReceipt, batch: sqsNoReceipt, mns: mnsWrong, hidden: unchanged, mnsHidden: unchanged,
	},
	{
		rule: "message was deleted", timeout: "5",
		meanwhile: func(c *client, queue, handle string) string { c.ok(c.remove(queue, handle)); return "" },
		json:      sqsGone, batch: sqsGoneEntry, mns: mnsGone, hidden: gone, mnsHidden: gone,
	},
	{
		rule: "message was purged", timeout: "5",
		meanwhile: func(c *client, queue, _ string) string {
			c.ok(c.as(sqsJSON).wire.(sqs).call("PurgeQueue", onQueue(queue)))
			return ""
		},
		json: sqsGone, batch: sqsGoneEntry, mns: mnsGone, hidden: gone, mnsHidden: gone,
	},
	{
		rule: "message was dropped by retention", timeout: "5",
		meanwhile: after(345_600), json: sqsGone, batch: sqsGoneEntry, mns: mnsGone, hidden: gone, mnsHidden: gone,
	},
	{
		rule: "message was moved to a dead-letter queue", timeout: "5",
		meanwhile: func(c *client, queue, _ string) string {
			c.made("dead", nil)
			c.must(c.as(sqsJSON).set(queue, map[string]string{"RedrivePolicy": redrive("dead", 1)}), "200")
			c.after(unchanged)
			c.finds(queue)
			return ""
		},
		json: sqsGone, batch: sqsGoneEntry, mns: mnsGone, hidden: gone, mnsHidden: gone,
	},
	{
		rule: "queue was made anew", timeout: "5",
		meanwhile: func(c *client, queue, _ string) string {
			c.ok(c.drop(queue))
			c.made(queue, nil)
			return ""
		},
		json: "404 " + sqsNoReceipt, batch: sqsNoReceipt, mns: mnsWrong, hidden: gone, mnsHidden: gone,
	},
	{ // Recorded 2024-04-30 that SQS says yes; that the message is hidden again is not.
		rule: "timeout is over, standard queue", timeout: "5", meanwhile: after(unchanged), json: "ok", batch: "ok", mns: mnsGone, hidden: 5, mnsHidden: 0,
	},
	{rule: "timeout is over, FIFO queue", fifo: true, timeout: "5", meanwhile: after(unchanged), json: sqsGone, batch: sqsGoneEntry, mns: mnsGone},
	{
		rule: "message was received again, standard queue", timeout: "5", meanwhile: receivedAgain,
		json: "ok", batch: "ok", mns: mnsGone, hidden: 5, mnsHidden: 30, // validated for a timeout of 0
	},
	{
		rule: "message was received again, FIFO queue", fifo: true, timeout: "5", meanwhile: receivedAgain,
		json: sqsGone, batch: sqsGoneEntry, mns: mnsGone, hidden: 30, mnsHidden: 30,
	},
	{ // A change gives a new handle in MNS, and the old one is over then; in SQS there is one handle for a receive.
		rule: "changed before, with the first handle", timeout: "5",
		meanwhile: func(c *client, queue, handle string) string {
			c.must(c.change(queue, handle, 50), "200")
			return handle
		},
		json: "ok", batch: "ok", mns: mnsGone, hidden: 5, mnsHidden: 50,
	},
	{
		rule: "changed before, with the handle of the change", timeout: "5",
		meanwhile: func(c *client, queue, handle string) string { return c.change(queue, handle, 50).handle },
		json:      "ok", batch: "ok", mns: "ok", hidden: 5, mnsHidden: 5,
	},
	{ // A timeout that was changed keeps the handle of a FIFO queue good. Recorded 2025-10-05.
		rule: "past the first timeout, but it was changed, FIFO queue", fifo: true, timeout: "5",
		meanwhile: func(c *client, queue, handle string) string {
			got := c.change(queue, handle, 50)
			c.after(40)
			return got.handle
		},
		json: "ok", batch: "ok", mns: "ok", hidden: 5, mnsHidden: 5,
	},
}

func receivedAgain(c *client, queue, _ string) string {
	c.after(unchanged)
	c.take(queue)
	return ""
}
