package cases_test

import (
	"fmt"
	"strings"
	"testing"
)

const (
	tooLong      = "InvalidParameterValue: One or more parameters are invalid. Reason: Message must be shorter than %d bytes."
	tooLongEntry = "InvalidParameterValue: One or more parameters cannot be validated. Reason: Message must be shorter than %d bytes."
	mnsTooLong   = "InvalidArgument: The value of MessageBody should between 1 and %d bytes."
)

func letters(n int) string { return strings.Repeat("a", n) }

func TestLargestMessageIsOneMebibyte(t *testing.T) {
	each(t, "K39", onlySQS, func(c *client) {
		c.made("q", nil)
		c.must(c.send("q", sending{body: letters(1 << 20)}), "200")
		c.must(c.send("q", sending{body: letters(1<<20 + 1)}), fmt.Sprintf("400 "+tooLong, 1<<20))
		c.must(c.send("q", sending{body: strings.Repeat("€", 1<<20/3+1)}), fmt.Sprintf("400 "+tooLong, 1<<20)) // bytes count
		c.restart()
		got := c.take("q")
		c.same("size of the body", len(got.body), 1<<20)
		settings, _ := c.settings("q")
		c.same("MaximumMessageSize", settings["MaximumMessageSize"], 1<<20)
		for _, bad := range []int{1<<20 + 1, 1023} {
			c.must(c.set("q", map[string]string{"MaximumMessageSize": fmt.Sprint(bad)}),
				"400 InvalidAttributeValue: Invalid value for the parameter MaximumMessageSize.")
		}
	})
	each(t, "K39", onlyMNS, func(c *client) {
		c.made("q", nil)
		c.must(c.send("q", sending{body: letters(1 << 16)}), "201")
		c.must(c.send("q", sending{body: letters(1<<16 + 1)}), fmt.Sprintf("400 "+mnsTooLong, 1<<16))
		c.restart()
		c.same("size of the body", len(c.take("q").body), 1<<16)
	})
}

func TestAttributesCountForTheSize(t *testing.T) {
	each(t, "K40", onlySQS, func(c *client) {
		c.made("q", map[string]string{"MaximumMessageSize": "1024"})
		k := []attribute{{"k", "String", "v"}} // 1 + 6 + 1 bytes
		c.must(c.send("q", sending{body: letters(1024), attributes: k}), fmt.Sprintf("400 "+tooLong, 1024))
		c.must(c.send("q", sending{body: letters(1024 - 7), attributes: k}), fmt.Sprintf("400 "+tooLong, 1024))
		c.must(c.send("q", sending{body: letters(1024 - 8), attributes: k}), "200")
		named := []attribute{{"k", "Number.int", "1"}} // its own name for the type counts too
		c.must(c.send("q", sending{body: letters(1024 - 11), attributes: named}), fmt.Sprintf("400 "+tooLong, 1024))
		c.must(c.send("q", sending{body: letters(1024 - 12), attributes: named}), "200")
		raw := []attribute{{"k", "Binary", "\x00\x01\x02"}} // raw bytes, not base64
		c.must(c.send("q", sending{body: letters(1024 - 10), attributes: raw}), "200")
		c.must(c.send("q", sending{body: letters(1024), trace: "Root=1-5759e988-bd862e3fe1be46a994272793"}), "200") // system attributes do not
	})
	// What properties count for is not documented; they do not.
	each(t, "K40", onlyMNS, func(c *client) {
		c.made("q", map[string]string{"MaximumMessageSize": "1024"})
		c.must(c.send("q", sending{body: letters(1024), attributes: []attribute{{"k", "String", "v"}}}), "201")
		c.must(c.send("q", sending{body: letters(1025)}), fmt.Sprintf("400 "+mnsTooLong, 1024))
	})
}

func TestOversizedEntryFailsAlone(t *testing.T) {
	each(t, "K41", everywhere, func(c *client) {
		c.made("q", map[string]string{"MaximumMessageSize": "1024"})
		got := c.sendBatch("q", sending{body: "a"}, sending{body: letters(1025)}, sending{body: "c"})
		c.must(got, c.say("200", "500"))
		want := fmt.Sprintf(c.say(tooLongEntry, mnsTooLong), 1024)
		c.same("entries", got.entries, "[ok "+want+" ok]")
		c.restart()
		c.finds("q", "a", "c")
		if c.protocol == mnsXML {
			marked(c.t, "protocols/mns/send.go", "func (o *batchSendMessageOutput) status()")
		}
	})
}

func TestBatchHasBoundOfItsOwn(t *testing.T) {
	each(t, "K42", onlySQS, func(c *client) {
		c.made("q", nil)
		c.must(c.sendBatch("q", sending{body: letters(600_000)}, sending{body: letters(600_000)}),
			"400 AWS.SimpleQueueService.BatchRequestTooLong: Batch requests cannot be longer than 1048576 bytes. You have sent 1200000 bytes.")
		c.must(c.sendBatch("q", sending{body: letters(1<<20 + 1)}),
			"400 AWS.SimpleQueueService.BatchRequestTooLong: Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.")
		c.counts("q", "0/0/0")
		c.must(c.sendBatch("q", sending{body: letters(1<<20 - 1)}, sending{body: "b"}), "200")
		c.made("small", map[string]string{"MaximumMessageSize": "2048"})
		got := c.sendBatch("small", sending{body: letters(2048 - 8), attributes: []attribute{{"k", "String", "v"}}}, sending{body: "b"})
		c.same("entries", got.entries, "[ok ok]")
	})
	each(t, "K42", onlyMNS, func(c *client) {
		c.made("q", nil)
		c.must(c.sendBatch("q", sending{body: letters(1<<16 - 1)}, sending{body: "bb"}), "400 InvalidArgument: The value of Messages should between 1 and 65536 bytes.")
		c.counts("q", "0/0/0")
		c.must(c.sendBatch("q", sending{body: letters(1<<16 - 1)}, sending{body: "b"}), "201")
	})
}

// batchOperations are the three of SQS, with what an entry needs besides its id.
var batchOperations = map[string]obj{
	"SendMessageBatch":             {"MessageBody": "x"},
	"DeleteMessageBatch":           {"ReceiptHandle": "x"},
	"ChangeMessageVisibilityBatch": {"ReceiptHandle": "x", "VisibilityTimeout": 1},
}

// batchOf are entries of an operation with the given ids.
func batchOf(operation string, ids ...string) []obj {
	entries := []obj{}
	for _, id := range ids {
		e := obj{"Id": id}
		for name, value := range batchOperations[operation] {
			e[name] = value
		}
		entries = append(entries, e)
	}
	return entries
}

func TestBatchesAreCheckedAsWholes(t *testing.T) {
	const ids = "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long."
	each(t, "K43", onlySQS, func(c *client) {
		c.made("q", nil)
		for operation := range batchOperations {
			call := func(ids ...string) reply {
				return c.wire.(sqs).call(operation, onQueue("q", "Entries", batchOf(operation, ids...)))
			}
			c.must(call(), "400 AWS.SimpleQueueService.EmptyBatchRequest: There should be at least one "+operation+"RequestEntry in the request.")
			c.must(call("a", "b", "a"), "400 AWS.SimpleQueueService.BatchEntryIdsNotDistinct: Id a repeated.")
			for _, bad := range []string{"a b", "", "a.b", "é", letters(81)} {
				c.must(call("ok", bad), "400 AWS.SimpleQueueService.InvalidBatchEntryId: "+ids)
			}
			c.must(call("a-B_9", letters(80)), "200")
		}
		c.counts("q", "2/0/0")
	})
	each(t, "K43", onlyMNS, func(c *client) {
		c.made("q", nil)
		c.must(c.sendBatch("q"), "400 InvalidArgument: The value of Messages should between 1 and 16.")
		c.must(c.removeBatch("q"), "400 InvalidArgument: The value of ReceiptHandles should between 1 and 16.")
	})
}

func TestListsWithoutEntriesAreLeftOut(t *testing.T) {
	each(t, "K44", onlySQS, func(c *client) {
		c.made("q", nil)
		got := c.sendBatch("q", sending{body: "m"})
		c.same("members", c.members("SendMessageBatch", got.reply), "[Successful]")
		bad := c.removeBatch("q", "x", "y")
		c.same("members", c.members("DeleteMessageBatch", bad.reply), "[Failed]")
		handle := c.take("q").handle
		good := c.removeBatch("q", handle)
		c.same("members", c.members("DeleteMessageBatch", good.reply), "[Successful]")
		mixed := c.removeBatch("q", handle, "x")
		c.same("members", c.members("DeleteMessageBatch", mixed.reply), "[Failed Successful]")
	})
}

func TestBatchesAreBounded(t *testing.T) {
	each(t, "K45", onlySQS, func(c *client) {
		c.made("q", nil)
		for operation := range batchOperations {
			for _, n := range []int{11, 20} {
				var ids []string
				for i := range n {
					ids = append(ids, fmt.Sprint("e", i))
				}
				c.must(c.wire.(sqs).call(operation, onQueue("q", "Entries", batchOf(operation, ids...))),
					fmt.Sprintf("400 AWS.SimpleQueueService.TooManyEntriesInBatchRequest: Maximum number of entries per request are 10. You have sent %d.", n))
			}
		}
		c.counts("q", "0/0/0")
		c.sends("q", "m")
		handle := c.take("q").handle
		eleven := []string{handle, "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}
		c.same("status", c.removeBatch("q", eleven...).status, 400)
		c.counts("q", "0/1/0")
	})
	each(t, "K45", onlyMNS, func(c *client) {
		c.made("q", nil)
		seventeen := make([]sending, 17)
		for i := range seventeen {
			seventeen[i].body = "x"
		}
		c.must(c.sendBatch("q", seventeen...), "400 InvalidArgument: The value of Messages should between 1 and 16.")
		c.counts("q", "0/0/0")
		c.must(c.sendBatch("q", seventeen[:16]...), "201")
		c.counts("q", "16/0/0")
		got := c.takes("q", 16)
		c.must(c.removeBatch("q", append(handles(got), "x")...), "400 InvalidArgument: The value of ReceiptHandles should between 1 and 16.")
		c.counts("q", "0/16/0")
		c.must(c.removeBatch("q", handles(got)...), "204")
	})
}
