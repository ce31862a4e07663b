package hostile_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// badHandles are receipt handles that no queue has handed out, made from one that the right queue has.
func badHandles(good, foreign string) map[string]string {
	flipped := []byte(good)
	flipped[len(flipped)/2] ^= 1
	return map[string]string{
		"garbage":              "garbage",
		"a blank":              " ",
		"shortened":            good[:len(good)-1],
		"lengthened":           good + "A",
		"padded":               good + "=",
		"with a blank before":  " " + good,
		"with a line break":    good + "\n",
		"with a break inside":  good[:20] + "\r\n" + good[20:],
		"one bit off":          string(flipped),
		"in small letters":     strings.ToLower(good), // not in capitals, which some handles are already
		"twice":                good + good,
		"another provider's":   foreign,
		"prefix only":          good[:4],
		"markup":               `<a b="c">&amp;</a>`,
		"not ASCII":            "AQEB漢字",
		"very long":            strings.Repeat("A", 10_000),
		"a real one of AWS":    "AQEBaZ+j5qUoOAoxlmrCQPkBm9njMWXqemmIG6shMHCO6fV20JrQYg/AiZ8JELwLwOu5U61W+aIX5Qzu7GGofxJuvzymr4Ph53RiR0mudj4InLSgpSspYeTRDteBye5tV/txbZDdNZxsi+qqZA9xPnmMscKQqF6pGhnGIKrnkYGl45Nl6GPIZv62LrIRb6mSqOn1fn0yqrvmWuuY3w2UzQbaYunJWGxpzZze21EOBtywknU3Je/g7G9is+c6K9hGniddzhLkK1tHzZKjejOU4jokaiB4nmi0dF3JqLzDsQuPF0Gi8qffhEvw56nl8QCbluSJScFhJYvoagGnDbwOnd9z50L239qtFIgETdpKyirlWwl/NGjWJ45dqWpiW3d2Ws7q",
		"a real one of MNS":    "33FD7F2A9BA5407CB3B9D0D7A4BA9BB7-MSAxNzU4NzY0ODgzODY2IDMwMDAwIDEgMCBjbi1zaGFuZ2hhaQ==",
		"base64 of other size": "AQEBAAAA",
	}
}

func TestSQSReceiptHandlesThatAreNone(t *testing.T) {
	t.Parallel()
	s := open(t)
	plain, fifo, mns := s.furnish(t)
	s.must(t, "SendMessage", map[string]any{"QueueUrl": urlOf("other"), "MessageBody": "x"})
	elsewhere := s.receive(t, "other")
	var rows []row
	for queue, good := range map[string]string{"plain": plain, "orders.fifo": fifo} {
		bad := badHandles(good, mns)
		bad["of another queue"] = elsewhere
		for name, handle := range bad {
			on := `{"QueueUrl":"` + queue + `","ReceiptHandle":` + quoted(handle)
			rows = append(rows,
				row{queue + ": delete " + name, jsonAsk("DeleteMessage", on+"}"), inJSON, invalidHandle},
				row{queue + ": change " + name, jsonAsk("ChangeMessageVisibility", on+`,"VisibilityTimeout":0}`), inJSON, invalidHandle})
			form := url.Values{"QueueUrl": {urlOf(queue)}, "ReceiptHandle": {handle}, "VisibilityTimeout": {"0"}, "Action": {"DeleteMessage"}}
			rows = append(rows, row{queue + ": delete by Query " + name, queryAsk(form.Encode()), inQuery, invalidHandle})
			form.Set("Action", "ChangeMessageVisibility")
			rows = append(rows, row{queue + ": change by Query " + name, queryAsk(form.Encode()), inQuery, invalidHandle})
		}
		rows = append(rows,
			row{queue + ": delete an empty one", jsonAsk("DeleteMessage", `{"QueueUrl":"`+queue+`","ReceiptHandle":""}`), inJSON, missing},
			row{queue + ": change an empty one", jsonAsk("ChangeMessageVisibility", `{"QueueUrl":"`+queue+`","ReceiptHandle":"","VisibilityTimeout":0}`), inJSON, missing})
	}
	s.refuses(t, rows)
}

// TestSQSBatchesOfBadReceiptHandles is about entries that fail each for itself, in an answer of status 200.
func TestSQSBatchesOfBadReceiptHandles(t *testing.T) {
	t.Parallel()
	s := open(t)
	plain, _, mns := s.furnish(t)
	before := s.state(t)
	for name, handle := range badHandles(plain, mns) {
		for operation, more := range map[string]string{"DeleteMessageBatch": "", "ChangeMessageVisibilityBatch": `,"VisibilityTimeout":0`} {
			r := s.send(t, jsonAsk(operation, `{"QueueUrl":"plain","Entries":[{"Id":"a","ReceiptHandle":`+quoted(handle)+more+`}]}`))
			want := `"Code":"ReceiptHandleIsInvalid","Id":"a"`
			if r.status != http.StatusOK || !strings.Contains(r.body, want) || strings.Contains(r.body, "Successful") {
				t.Errorf("%s of a handle (%s) = %d %s, want 200 with %s", operation, name, r.status, r.body, want)
			}
		}
	}
	if s.state(t) != before {
		t.Error("the batches have changed the queues")
	}
}

func TestMNSReceiptHandlesThatAreNone(t *testing.T) {
	t.Parallel()
	s := open(t)
	plain, _, handle := s.furnish(t)
	s.must(t, "SendMessage", map[string]any{"QueueUrl": urlOf("other"), "MessageBody": "x"})
	bad := badHandles(handle, plain)
	bad["of another queue"] = s.receiveMNS(t, "other")
	bad["of another message"] = strings.Repeat("0", 32) + handle[32:]
	bad["empty"] = ""
	var rows []row
	for name, h := range bad {
		at := onMessages + "?ReceiptHandle=" + strings.ReplaceAll(url.QueryEscape(h), "+", "%20")
		rows = append(rows,
			row{"delete " + name, mnsAsk(http.MethodDelete, at, ""), inMNS, mnsHandle},
			row{"change " + name, mnsAsk(http.MethodPut, at+"&VisibilityTimeout=1", ""), inMNS, mnsHandle})
	}
	s.refuses(t, rows)
}

// TestMNSBatchesOfBadReceiptHandles is about an answer that names each handle (Documented).
func TestMNSBatchesOfBadReceiptHandles(t *testing.T) {
	t.Parallel()
	s := open(t)
	plain, _, handle := s.furnish(t)
	before := s.state(t)
	for name, h := range badHandles(handle, plain) {
		h = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;").Replace(h)
		r := s.send(t, mnsAsk(http.MethodDelete, onMessages, "<ReceiptHandles><ReceiptHandle>"+h+"</ReceiptHandle></ReceiptHandles>"))
		if r.status != http.StatusNotFound || !strings.Contains(r.body, "<ErrorCode>ReceiptHandleError</ErrorCode>") {
			t.Errorf("batch delete of a handle (%s) = %d %s, want 404 ReceiptHandleError", name, r.status, r.body)
		}
	}
	if s.state(t) != before {
		t.Error("the batches have changed the queues")
	}
}

// TestReceiptHandlesOfDeliveriesThatAreOver is about handles that once were good. What each provider says to them is in
// its own documentation; here they must not do harm.
func TestReceiptHandlesOfDeliveriesThatAreOver(t *testing.T) {
	t.Parallel()
	s := open(t)
	plain, fifo, mns := s.furnish(t)
	for i, handle := range []string{plain, fifo} {
		s.must(t, "DeleteMessage", map[string]any{"QueueUrl": urlOf([]string{"plain", "orders.fifo"}[i]), "ReceiptHandle": handle})
	}
	if r := s.send(t, mnsAsk(http.MethodDelete, onMessages+"?ReceiptHandle="+mns, "")); r.status != http.StatusNoContent {
		t.Fatalf("delete through MNS = %d %s, want 204", r.status, r.body)
	}
	gone := `{"QueueUrl":%q,"ReceiptHandle":%q,"VisibilityTimeout":0}`
	s.refuses(t, []row{
		{"change of a deleted message", jsonAsk("ChangeMessageVisibility", fmt.Sprintf(gone, "plain", plain)), inJSON, invalidValue},
		{"change of a deleted message of a FIFO queue", jsonAsk("ChangeMessageVisibility", fmt.Sprintf(gone, "orders.fifo", fifo)), inJSON, invalidValue},
		{"change of a deleted message through MNS", mnsAsk(http.MethodPut, onMessages+"?ReceiptHandle="+mns+"&VisibilityTimeout=1", ""), inMNS, mnsGone},
		{"second delete through MNS", mnsAsk(http.MethodDelete, onMessages+"?ReceiptHandle="+mns, ""), inMNS, mnsGone},
	})
	before := s.state(t)
	for range 2 { // Recorded: any number of times
		s.must(t, "DeleteMessage", map[string]any{"QueueUrl": urlOf("plain"), "ReceiptHandle": plain})
	}
	if s.state(t) != before {
		t.Error("deleting again has changed the queues")
	}
}
