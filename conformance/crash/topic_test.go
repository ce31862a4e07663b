package crash_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// topic is the history of a topic whose publications go to several queues as they are. Large ones do not fit into one
// commit with all their copies, and reach some queues a moment later.
type topic struct {
	queues   []string
	receiver *receiver // that it pushes to as well

	mu        sync.Mutex
	tokens    int
	published map[string]certainty // by token; those that every queue has delivered are taken out
	delivered map[string]bool      // those that were
}

func newTopic() *topic {
	t := &topic{published: map[string]certainty{}, delivered: map[string]bool{}, receiver: newReceiver()}
	for i := range 12 {
		t.queues = append(t.queues, fmt.Sprintf("sink-%d", i))
	}
	return t
}

func mnsHeader() map[string]string {
	return map[string]string{"x-mns-version": "2015-06-06", "Content-Type": "text/xml"}
}

// set makes the topic, its queues and its subscriptions.
func (tp *topic) set(t *testing.T, h *host) {
	t.Helper()
	put := func(path, body string) {
		if a, err := h.do(t.Context(), http.MethodPut, path, []byte(body), mnsHeader()); err != nil || a.status != http.StatusCreated {
			t.Fatalf("PUT %s = %d %s, %v, want 201", path, a.status, a.body, err)
		}
	}
	put("/topics/news", "<Topic/>")
	for _, queue := range tp.queues {
		put("/queues/"+queue, "<Queue/>")
		put("/topics/news/subscriptions/"+queue, "<Subscription><Endpoint>acs:mns:cn-hangzhou:1234567890123456:queues/"+queue+
			"</Endpoint><NotifyContentFormat>SIMPLIFIED</NotifyContentFormat></Subscription>")
	}
	put("/topics/news/subscriptions/receiver", "<Subscription><Endpoint>"+tp.receiver.URL+"/</Endpoint>"+
		"<NotifyStrategy>EXPONENTIAL_DECAY_RETRY</NotifyStrategy><NotifyContentFormat>SIMPLIFIED</NotifyContentFormat></Subscription>")
}

func (tp *topic) join(t *testing.T, all *crew, ctx context.Context, h *host, c *campaign) {
	for range 2 {
		rng := c.fork()
		all.work(ctx, func() bool {
			size := 10
			if rng.IntN(10) == 0 {
				size = 60_000
			}
			return tp.publish(t, ctx, h, size)
		})
	}
}

func (tp *topic) publish(t *testing.T, ctx context.Context, h *host, size int) bool {
	tp.mu.Lock()
	tp.tokens++
	token := fmt.Sprintf("news-%d", tp.tokens)
	tp.published[token] = maybe
	tp.mu.Unlock()
	body := "<Message><MessageBody>" + token + " " + strings.Repeat("x", size) + "</MessageBody></Message>"
	a, err := h.do(ctx, http.MethodPost, "/topics/news/messages", []byte(body), mnsHeader())
	switch {
	case errors.Is(err, errNoAnswer):
		return false
	case err != nil || a.status != http.StatusCreated:
		t.Errorf("publish = %d %s, %v, want 201", a.status, a.body, err)
		return false
	}
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.published[token] = surely
	return true
}

// check receives everything from all queues: each publication once from each of them, or never from any. Those that
// are in the queues come to the receiver as well, some of them after the time that a retry takes.
func (tp *topic) check(t *testing.T, w wire) {
	t.Helper()
	got := map[string]map[string]bool{}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		n := 0
		for _, queue := range tp.queues {
			n += tp.drain(t, w, queue, got)
		}
		if n == 0 && (tp.complete(got) || time.Now().After(deadline)) {
			break
		}
	}
	for token, known := range tp.published {
		queues := len(got[token])
		pushed := tp.receiver.has(token)
		if queues != len(tp.queues) && (known == surely || queues > 0) || pushed != (queues > 0) {
			t.Errorf("%s, acknowledged %v, reached %d of %d queues, and the receiver: %v", token, known == surely, queues, len(tp.queues), pushed)
		}
		checked.add(copies, 1)
		if pushed {
			checked.add(pushes, 1)
		}
		tp.delivered[token] = queues > 0
	}
	clear(tp.published)
}

// complete reports whether nothing is missing from any queue.
func (tp *topic) complete(got map[string]map[string]bool) bool {
	for token, known := range tp.published {
		n := len(got[token])
		if n != len(tp.queues) && (known == surely || n > 0) || tp.receiver.has(token) != (n > 0) {
			return false
		}
	}
	return true
}

func (tp *topic) drain(t *testing.T, w wire, queue string, got map[string]map[string]bool) int {
	t.Helper()
	deliveries, err := w.receive(t.Context(), queue, receiveRequest{limit: 10, timeout: kept})
	if err != nil {
		t.Errorf("receive from %s = %v, want no error", queue, err)
		return 0
	}
	var receipts []string
	for _, d := range deliveries {
		token := tokenOf(d.body)
		_, known := tp.published[token]
		if !known || got[token][queue] {
			t.Errorf("%s delivered %s, which is unknown, of an earlier round (%v), or the second copy (%v)", queue, token, tp.delivered[token], got[token][queue])
		}
		if got[token] == nil {
			got[token] = map[string]bool{}
		}
		got[token][queue] = true
		receipts = append(receipts, d.receipt)
	}
	if len(receipts) > 0 {
		errs, err := w.remove(t.Context(), queue, receipts)
		if err = errors.Join(append(errs, err)...); err != nil {
			t.Errorf("delete from %s = %v, want no error", queue, err)
		}
	}
	return len(deliveries)
}
