package cases_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicemq/sluice"
)

// want returns the answer of a rule in one protocol.
func (v visibilityRule) want(protocol, handle string) string {
	want := v.json
	switch {
	case protocol == mnsXML:
		want = v.mns
	case protocol == sqsQuery && v.query != "":
		want = v.query
	}
	return strings.ReplaceAll(want, "{h}", handle)
}

func TestVisibilityChangeSideBySide(t *testing.T) {
	for _, v := range visibilityRules {
		t.Run(v.rule, func(t *testing.T) {
			each(t, "single", everywhere, func(c *client) {
				handle := v.prepare(c)
				got := c.changeAsWritten(v.queue(), handle, v.timeout)
				text := got.String()
				if got.status == http.StatusOK {
					text = "ok"
				}
				c.same("answer", text, v.want(c.protocol, handle))
				v.effect(c)
			})
			each(t, "batch", onlySQS, func(c *client) {
				if v.batch == "" {
					return // the whole batch cannot be read, as with a single change
				}
				handle := v.prepare(c)
				got := c.entryAsWritten(v.queue(), handle, v.timeout)
				c.same("entry", got, strings.ReplaceAll(v.batch, "{h}", handle))
				v.effect(c)
			})
		})
	}
}

func (v visibilityRule) queue() string {
	if v.fifo {
		return "q.fifo"
	}
	return "q"
}

// prepare makes a message that was received 10 s ago, and what the rule wants beside it.
func (v visibilityRule) prepare(c *client) (handle string) {
	c.t.Helper()
	queue := v.queue()
	if v.fifo {
		c.made(queue, fifoQueue("VisibilityTimeout", "30"))
		c.fifo(queue, "g", "m")
	} else {
		c.made(queue, map[string]string{"VisibilityTimeout": "30"})
		c.sends(queue, "m")
	}
	handle = c.take(queue).handle
	c.after(10)
	if v.meanwhile != nil {
		if instead := v.meanwhile(c, queue, handle); instead != "" {
			handle = instead
		}
	}
	if v.handle != "" {
		handle = v.handle
	}
	return handle
}

// effect fails the test unless the message comes back when the rule says.
func (v visibilityRule) effect(c *client) {
	c.t.Helper()
	queue, hidden := v.queue(), v.hidden
	if c.protocol == mnsXML {
		hidden = v.mnsHidden
	}
	switch {
	case hidden == gone:
		c.counts(queue, "0/0/0")
		return
	case hidden > 0:
		c.counts(queue, "0/1/0")
		c.after(hidden - 0.001)
		c.finds(queue)
		c.after(0.001)
	}
	c.counts(queue, "1/0/0")
	c.finds(queue, "m")
	// The timeout of a change is not remembered for the next receive.
	c.after(29.999)
	c.finds(queue)
	c.after(0.001)
	c.finds(queue, "m")
}

// named puts the members of a change together, as they are written: those that are "-" are left out.
func named(handle, timeout string) (given [][2]string) {
	if handle != "-" {
		given = append(given, [2]string{"ReceiptHandle", handle})
	}
	if timeout != "-" {
		given = append(given, [2]string{"VisibilityTimeout", timeout})
	}
	return given
}

// changeAsWritten is change with a timeout as text: JSON where the protocol is JSON, elsewhere without its quotes.
func (c *client) changeAsWritten(queue, handle, timeout string) reply {
	c.t.Helper()
	if c.protocol != sqsJSON {
		timeout = strings.Trim(timeout, `"`)
	}
	switch s := c.wire.(type) {
	case mns:
		q := url.Values{}
		for _, g := range named(handle, timeout) {
			q.Set(g[0], g[1])
		}
		return s.call(http.MethodPut, "/queues/"+queue+"/messages?"+strings.ReplaceAll(q.Encode(), "+", "%20"), "")
	case sqs:
		if s.form {
			form := "Action=ChangeMessageVisibility&QueueUrl=" + url.QueryEscape(queueURL(queue))
			for _, g := range named(handle, timeout) {
				form += "&" + g[0] + "=" + url.QueryEscape(g[1])
			}
			return c.askForm(form)
		}
		body := `{"QueueUrl":` + compact(queueURL(queue))
		for _, g := range named(handle, timeout) {
			body += "," + compact(g[0]) + ":" + asJSON(g)
		}
		return c.ask("ChangeMessageVisibility", body+"}")
	}
	return reply{}
}

// entryAsWritten is changeAsWritten for a batch of one, and returns what became of the entry.
func (c *client) entryAsWritten(queue, handle, timeout string) string {
	c.t.Helper()
	s := c.wire.(sqs)
	in := obj{}
	for _, g := range named(handle, timeout) {
		in[g[0]] = strings.Trim(g[1], `"`)
		if n, err := strconv.Atoi(g[1]); err == nil {
			in[g[0]] = n
		}
	}
	got := s.batch("ChangeMessageVisibilityBatch", queue, []obj{in})
	if got.code != "" {
		return got.String()
	}
	return got.entries[0].String()
}

func asJSON(g [2]string) string {
	if g[0] == "VisibilityTimeout" {
		return g[1]
	}
	return compact(g[1])
}

// TestSuccessOfVisibilityChange compares what the protocols answer with: SQS nothing, MNS the new handle and the time
// until which the message is hidden, in milliseconds.
func TestSuccessOfVisibilityChange(t *testing.T) {
	each(t, "form", everywhere, func(c *client) {
		c.made("q", nil)
		c.sends("q", "m")
		m := c.take("q")
		c.after(0.709)
		got := c.change("q", m.handle, 5)
		c.must(got, "200")
		at := c.millis()
		switch c.protocol {
		case sqsJSON:
			c.same("body", got.body, "")
			c.same("Content-Length", got.header.Get("Content-Length"), 0)
			return
		case sqsQuery:
			c.same("size of the body", len(got.body), 215+2*len("ChangeMessageVisibility")-2*len("DeleteMessage")) // Recorded for DeleteMessage
			failsIf(c.t, strings.Contains(got.body, "Result"), "answer has a result: %s", got.body)
			return
		}
		c.same("body", got.body, "<?xml version=\"1.0\" ?>\n<ChangeVisibility xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n  <ReceiptHandle>"+got.handle+
			"</ReceiptHandle>\n  <NextVisibleTime>"+fmt.Sprint(at+5000)+"</NextVisibleTime>\n</ChangeVisibility>")
		c.same("digits of NextVisibleTime", len(got.visible), 13)
		if id, _, _ := strings.Cut(got.handle, "-"); got.handle == m.handle || id != m.id {
			c.t.Errorf("handle %s follows %s of the message %s", got.handle, m.handle, m.id)
		}
		c.after(5)
		again := c.take("q")
		c.same("FirstDequeueTime", again.fields["FirstDequeueTime"], m.fields["FirstDequeueTime"])
		c.same("DequeueCount", again.fields["DequeueCount"], 2)
	})
}

// The reference page prints 16 digits, which clients may have been written against.
func TestNextVisibleTimeInMicroseconds(t *testing.T) {
	eachWith(t, "microseconds", onlyMNS, sluice.Options{MicrosecondVisibleTime: true}, func(c *client) {
		c.made("q", nil)
		c.sends("q", "m")
		m := c.take("q")
		c.same("NextVisibleTime of a receive", m.fields["NextVisibleTime"], c.millis()+30_000)
		c.same("NextVisibleTime of a change", c.change("q", m.handle, 5).visible, (c.millis()+5000)*1000)
	})
}

func TestVisibilityOfMissingQueueCannotBeChanged(t *testing.T) {
	each(t, "no queue", everywhere, func(c *client) {
		c.made("q", nil)
		c.sends("q", "m")
		handle := c.take("q").handle
		c.must(c.change("nope", handle, 5), c.noQueue())
		c.must(c.change("nope", "fake", 5), c.noQueue())
		c.must(c.change("nope", handle, 43201), c.noQueue()) // MNS: which error comes first is not known
		if s, ok := c.wire.(sqs); ok {
			c.must(s.batch("ChangeMessageVisibilityBatch", "nope", []obj{{"ReceiptHandle": "fake", "VisibilityTimeout": 5}}), c.noQueue())
		}
	})
}

func TestVisibilityChangeSurvivesRestart(t *testing.T) {
	each(t, "restart", everywhere, func(c *client) {
		c.made("q", nil)
		c.sends("q", "m")
		first := c.take("q").handle
		c.after(10)
		got := c.change("q", first, 100)
		c.restart()
		c.after(99.999)
		c.finds("q")
		if c.protocol == mnsXML {
			c.must(c.change("q", first, 5), mnsGone)
		}
		c.must(c.change("q", got.handle, 7), "200")
		c.restart()
		c.after(6.999)
		c.finds("q")
		c.after(0.001)
		c.finds("q", "m")
	})
}

// MNS gives a handle with a delayed message, which may change when it becomes visible.
func TestVisibilityOfDelayedMessageCanBeChangedInMNS(t *testing.T) {
	each(t, "delayed", onlyMNS, func(c *client) {
		c.made("q", nil)
		sent := c.send("q", sending{body: "m", delay: new(60)})
		c.after(10)
		c.restart()
		got := c.change("q", sent.handle, 5)
		c.must(got, "200")
		c.same("NextVisibleTime", got.visible, c.millis()+5000)
		c.counts("q", "0/0/1")
		c.after(4.999)
		c.finds("q")
		c.after(0.001)
		m := c.finds("q", "m")[0]
		c.same("DequeueCount", m.fields["DequeueCount"], 1)
		c.must(c.change("q", got.handle, 5), mnsGone)
	})
}
