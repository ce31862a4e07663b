package cases_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// fifoQueue are the settings of a FIFO queue.
func fifoQueue(more ...string) map[string]string {
	settings := map[string]string{"FifoQueue": "true"}
	for i := 0; i+1 < len(more); i += 2 {
		settings[more[i]] = more[i+1]
	}
	return settings
}

func TestNewSendDoesNotReopenGroupInFlight(t *testing.T) {
	each(t, "K01", everywhere, func(c *client) {
		c.made("q.fifo", fifoQueue("VisibilityTimeout", "60"))
		c.fifo("q.fifo", "g", "1")
		first := c.take("q.fifo")
		c.fifo("q.fifo", "g", "2")
		c.restart()
		c.finds("q.fifo")
		c.fifo("q.fifo", "other", "3") // other groups are open
		c.finds("q.fifo", "3")
		c.ok(c.remove("q.fifo", first.handle))
		c.finds("q.fifo", "2")
	})
}

func TestExtendingOneMessageHoldsBackThoseBehindIt(t *testing.T) {
	each(t, "K02", everywhere, func(c *client) {
		for i, want := range [][]string{nil, {"foo"}, {"foo", "bar"}} {
			queue := fmt.Sprintf("q%d.fifo", i)
			c.made(queue, fifoQueue("VisibilityTimeout", "1"))
			c.fifo(queue, "1", "foo", "bar", "baz")
			got := c.finds(queue, "foo", "bar", "baz")
			c.must(c.change(queue, got[i].handle, 4), "200")
			c.after(2.5)
			c.restart()
			c.finds(queue, want...)
			c.after(4)
			c.restart()
			c.finds(queue, "foo", "bar", "baz")
		}
	})
}

func TestNoTwoReceiversShareGroup(t *testing.T) {
	each(t, "K03", everywhere, func(c *client) {
		const groups, messages, receivers = 5, 100, 10
		c.made("q.fifo", fifoQueue())
		for i := range messages {
			c.fifo("q.fifo", fmt.Sprint("g", i%groups), fmt.Sprintf("g%d-%03d", i%groups, i))
		}
		h := holders{of: map[string]int{}, last: map[string]string{}}
		var all sync.WaitGroup
		for me := range receivers {
			all.Go(func() {
				for idle := 0; idle < 1000 && h.seen() < messages; idle++ {
					got := c.takes("q.fifo", 10)
					h.hold(c, me, got)
					for range 50 {
						runtime.Gosched()
					}
					h.release(got)
					if len(got) > 0 {
						c.ok(c.removeBatch("q.fifo", handles(got)...).reply)
						idle = 0
					}
				}
			})
		}
		all.Wait()
		c.same("messages received", h.seen(), messages)
		c.counts("q.fifo", "0/0/0")
	})
}

// holders knows which receiver holds messages of which group, and the last message of each group.
type holders struct {
	mu   sync.Mutex
	of   map[string]int
	last map[string]string
	n    int
}

func (h *holders) seen() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

func (h *holders) hold(c *client, me int, got []message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range got {
		group, _, _ := strings.Cut(m.body, "-")
		if other, held := h.of[group]; held && other != me {
			c.t.Errorf("%s: %d received %s while %d holds the group", c.protocol, me, m.body, other)
		}
		if h.last[group] >= m.body {
			c.t.Errorf("%s: received %s after %s", c.protocol, m.body, h.last[group])
		}
		h.of[group], h.last[group] = me, m.body
		h.n++
	}
}

func (h *holders) release(got []message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range got {
		group, _, _ := strings.Cut(m.body, "-")
		delete(h.of, group)
	}
}

func TestGroupOpensWhenAllItsReceivedMessagesAreGone(t *testing.T) {
	each(t, "K04", everywhere, func(c *client) {
		c.made("q.fifo", fifoQueue("VisibilityTimeout", "60"))
		c.fifo("q.fifo", "g", "1", "2", "3", "4")
		got := c.takes("q.fifo", 3)
		c.same("received", got, "[1 2 3]")
		c.ok(c.remove("q.fifo", got[0].handle))
		c.restart()
		c.finds("q.fifo")
		c.ok(c.remove("q.fifo", got[2].handle))
		c.finds("q.fifo")
		c.ok(c.remove("q.fifo", got[1].handle))
		c.finds("q.fifo", "4")
	})
}

// An empty receive is right here, although people take it for a fault; the counts say why.
func TestEmptyReceiveOfBlockedGroupIsExplainedByCounts(t *testing.T) {
	each(t, "K12", everywhere, func(c *client) {
		c.made("q.fifo", fifoQueue("VisibilityTimeout", "60"))
		c.fifo("q.fifo", "g", "1", "2", "3")
		first := c.take("q.fifo")
		c.restart()
		c.finds("q.fifo")
		c.counts("q.fifo", "2/1/0")
		c.after(60)
		c.counts("q.fifo", "3/0/0")
		c.finds("q.fifo", "1", "2", "3")
		c.must(c.remove("q.fifo", first.handle), c.say(sqsExpired(first.handle), mnsGone))
	})
}

func TestDeduplicationOutlivesTheMessage(t *testing.T) {
	each(t, "K14", onlySQS, func(c *client) {
		c.made("q.fifo", fifoQueue())
		send := func(body string) sent {
			got := c.send("q.fifo", sending{body: body, group: new("g"), dedup: new("d")})
			c.must(got, "200")
			return got
		}
		send("x")
		c.ok(c.remove("q.fifo", c.take("q.fifo").handle))
		c.after(299)
		c.restart()
		send("y") // does not start the five minutes anew
		c.finds("q.fifo")
		c.after(1)
		c.restart()
		send("z")
		c.finds("q.fifo", "z")
	})
}

// MNS has groups and no deduplication ids: the same text twice is two messages.
func TestMessagesWithoutDeduplicationIDAreNeverDuplicates(t *testing.T) {
	each(t, "K14", onlyMNS, func(c *client) {
		c.made("q.fifo", fifoQueue())
		c.fifo("q.fifo", "g", "x", "x")
		c.finds("q.fifo", "x", "x")
	})
}

func TestDuplicateIsAnsweredWithTheFirstMessage(t *testing.T) {
	each(t, "K15", onlySQS, func(c *client) {
		c.made("q.fifo", fifoQueue())
		send := func(dedup string) sent {
			got := c.send("q.fifo", sending{body: "x", group: new("g"), dedup: new(dedup)})
			c.must(got, "200")
			return got
		}
		first := send("d")
		c.restart()
		again := send("d")
		c.same("id and number of a duplicate", again.id+" "+again.sequence, first.id+" "+first.sequence)
		c.same("digest of a duplicate", again.md5, first.md5)
		if next := send("e"); next.sequence <= first.sequence || len(next.sequence) != 20 {
			c.t.Errorf("SequenceNumber %s follows %s", next.sequence, first.sequence)
		}
		batched := c.sendBatch("q.fifo", sending{body: "x", group: new("g"), dedup: new("d")})
		c.same("id of a duplicate in a batch", batched.entries[0].id, first.id)
		c.finds("q.fifo", "x", "x")
	})
}

func TestDeduplicationScope(t *testing.T) {
	each(t, "K16", onlySQS, func(c *client) {
		c.made("group.fifo", fifoQueue("DeduplicationScope", "messageGroup", "FifoThroughputLimit", "perMessageGroupId"))
		c.made("queue.fifo", fifoQueue())
		for _, queue := range []string{"group.fifo", "queue.fifo"} {
			c.ok(c.send(queue, sending{body: "A", group: new("g1"), dedup: new("d")}).reply)
			c.restart()
			c.ok(c.send(queue, sending{body: "B", group: new("g2"), dedup: new("d")}).reply)
		}
		c.finds("group.fifo", "A", "B")
		c.finds("queue.fifo", "A")
	})
}

// Disputed: that a purge ends deduplication is validated without a date, and one discussion says the opposite.
func TestPurgeForgetsDeduplication(t *testing.T) {
	each(t, "K17", onlySQS, func(c *client) {
		c.made("q.fifo", fifoQueue())
		c.fifo("q.fifo", "g", "d")
		c.must(c.wire.(sqs).call("PurgeQueue", onQueue("q.fifo")), "200")
		c.finds("q.fifo")
		c.restart()
		c.fifo("q.fifo", "g", "d")
		c.finds("q.fifo", "d")
	})
}

func TestDelayOnFIFOQueueIsTheQueues(t *testing.T) {
	each(t, "K24", onlySQS, func(c *client) {
		c.made("q.fifo", fifoQueue("DelaySeconds", "2"))
		c.must(c.send("q.fifo", sending{body: "x", delay: new(2), group: new("g"), dedup: new("c")}),
			"400 InvalidParameterValue: Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.")
		c.must(c.send("q.fifo", sending{body: "a", delay: new(0), group: new("g"), dedup: new("a")}), "200")
		c.must(c.send("q.fifo", sending{body: "b", group: new("g"), dedup: new("b")}), "200")
		c.finds("q.fifo")
		c.counts("q.fifo", "0/0/2")
		c.restart()
		c.after(2)
		c.finds("q.fifo", "a", "b")
	})
}

// No page of MNS forbids a delay there.
func TestMessageOnFIFOQueueMayHaveDelayOfItsOwn(t *testing.T) {
	each(t, "K24", onlyMNS, func(c *client) {
		marked(c.t, "protocols/mns/rules.go", "FIFODelay:")
		c.made("q.fifo", fifoQueue("DelaySeconds", "2"))
		c.must(c.send("q.fifo", sending{body: "a", delay: new(0), group: new("g")}), "201")
		c.must(c.send("q.fifo", sending{body: "b", delay: new(5), group: new("g")}), "201")
		c.finds("q.fifo", "a")
		c.counts("q.fifo", "0/1/1")
		c.restart()
		c.after(30)
		c.finds("q.fifo", "a", "b")
	})
}
