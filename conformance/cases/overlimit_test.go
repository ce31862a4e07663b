package cases_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicemq/sluice"
)

// inFlight is how many messages of a queue can be received and not deleted. Documented since 2025 for both types.
const inFlight = 120_000

// fill puts so many messages into a queue, in full batches of raw JSON. On a FIFO queue each has a group of its own.
func (c *client) fill(queue string, n int) {
	c.t.Helper()
	s := c.as(sqsJSON).wire.(sqs)
	member := ""
	if strings.HasSuffix(queue, ".fifo") {
		member = `,"MessageGroupId":"g#","MessageDeduplicationId":"g#"`
	}
	var body strings.Builder
	for sent := 0; sent < n; sent += 10 {
		body.Reset()
		body.WriteString(`{"QueueUrl":"` + queue + `","Entries":[`)
		for i := range 10 {
			if i > 0 {
				body.WriteByte(',')
			}
			id := strconv.Itoa(sent + i)
			body.WriteString(`{"Id":"` + id + `","MessageBody":"m"` + strings.ReplaceAll(member, "#", id) + `}`)
		}
		body.WriteString("]}")
		got := c.do(s.raw("application/x-amz-json-1.0", "AmazonSQS.SendMessageBatch", body.String()))
		if got.status != http.StatusOK || strings.Contains(got.body, "Failed") {
			c.t.Fatalf("SendMessageBatch = %d %s", got.status, got.body)
		}
	}
}

// hold receives so many messages in full batches and returns the handle of the first.
func (c *client) hold(queue string, n int) (handle string) {
	c.t.Helper()
	s := c.as(sqsJSON).wire.(sqs)
	for held := 0; held < n; held += 10 {
		got := c.do(s.raw("application/x-amz-json-1.0", "AmazonSQS.ReceiveMessage", `{"QueueUrl":"`+queue+`","MaxNumberOfMessages":10,"VisibilityTimeout":600}`))
		if count := strings.Count(got.body, `"MessageId"`); count != 10 {
			c.t.Fatalf("ReceiveMessage after %d gives %d messages: %s", held, count, got.body)
		}
		if handle == "" {
			_, rest, _ := strings.Cut(got.body, `"ReceiptHandle":"`)
			handle, _, _ = strings.Cut(rest, `"`)
		}
	}
	return handle
}

// skipUnderRace keeps the race detector away from 24,000 requests by a single goroutine, which take it a minute.
// TestBoundOfMessagesInFlightCanBeSet goes the same ways with small numbers.
func skipUnderRace(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("one goroutine, many requests")
	}
}

const overLimit = "403 OverLimit: Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more."

func TestStandardQueueIsOverLimit(t *testing.T) {
	skipUnderRace(t)
	inWorld(t, sluice.Options{}, func(w *world) {
		json, query, xml := w.as(sqsJSON), w.as(sqsQuery), w.as(mnsXML)
		json.made("q", nil)
		json.fill("q", inFlight+20)
		handle := json.hold("q", inFlight-10)
		// Ten are left: a receive of ten is the last one that works.
		json.counts("q", fmt.Sprintf("30/%d/0", inFlight-10))
		json.must(json.receive("q", asking{max: new(10), visibility: new(600)}), "200")
		json.counts("q", fmt.Sprintf("20/%d/0", inFlight))
		for _, c := range []*client{json, query} {
			c.must(c.receive("q", asking{}), overLimit)
			c.must(c.receive("q", asking{wait: new(0), max: new(10)}), overLimit)
			got, seconds := waiting(w, func() received { return c.receive("q", asking{wait: new(20)}) }, func() { c.after(20) })
			c.must(got, "200")
			c.same("messages and seconds of a long poll", fmt.Sprint(len(got.messages), " ", seconds), "0 20")
		}
		json.counts("q", fmt.Sprintf("20/%d/0", inFlight))
		// One deletion makes room for one message, even if ten are asked for.
		json.must(json.remove("q", handle), "200")
		got := query.receive("q", asking{max: new(10), visibility: new(600)})
		query.must(got, "200")
		query.same("messages", len(got.messages), 1)
		query.must(query.receive("q", asking{}), overLimit)
		// MNS has no such bound.
		xml.must(xml.receive("q", asking{}), "200")
		// When the timeouts are over, there is room again.
		w.after(600)
		json.must(json.receive("q", asking{}), "200")
	})
}

func TestFIFOQueueAtItsLimitIsEmpty(t *testing.T) {
	skipUnderRace(t)
	inWorld(t, sluice.Options{}, func(w *world) {
		json, query := w.as(sqsJSON), w.as(sqsQuery)
		json.made("q.fifo", fifoQueue())
		json.fill("q.fifo", inFlight+10)
		handle := json.hold("q.fifo", inFlight)
		for _, c := range []*client{json, query} {
			got := c.receive("q.fifo", asking{wait: new(0)})
			c.must(got, "200")
			c.same("messages", len(got.messages), 0)
			got, seconds := waiting(w, func() received { return c.receive("q.fifo", asking{wait: new(20)}) }, func() { c.after(20) })
			c.must(got, "200")
			c.same("messages and seconds of a long poll", fmt.Sprint(len(got.messages), " ", seconds), "0 20")
		}
		json.must(json.remove("q.fifo", handle), "200")
		got := query.receive("q.fifo", asking{max: new(10)})
		query.same("messages", len(got.messages), 1)
	})
}

// The bound can be made smaller for tests, by an option.
func TestBoundOfMessagesInFlightCanBeSet(t *testing.T) {
	eachWith(t, "bound", onlySQS, sluice.Options{MaxInFlight: 2}, func(c *client) {
		c.made("q", map[string]string{"VisibilityTimeout": "30"})
		c.sends("q", "a", "b", "c")
		c.same("received", c.takes("q", 10), "[a b]")
		c.restart()
		c.must(c.receive("q", asking{}), overLimit)
		// A long poll waits for room.
		poll := func() received { return c.receive("q", asking{wait: new(20), max: new(10)}) }
		got, seconds := waiting(c.world, poll, func() { c.after(20) })
		c.same("messages and seconds without room", fmt.Sprint(len(got.messages), " ", seconds), "0 20")
		got, seconds = waiting(c.world, poll, func() { c.after(10) })
		c.same("messages and seconds until a timeout ended", fmt.Sprint(len(got.messages), " ", seconds), "2 10")
		c.counts("q", "1/2/0")
		got, seconds = waiting(c.world, poll, func() { c.after(1); c.ok(c.remove("q", got.messages[0].handle)) })
		c.same("messages and seconds until a deletion", fmt.Sprint(len(got.messages), " ", seconds), "1 1")
	})
}
