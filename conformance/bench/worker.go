package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/sluicemq/sluice/core/clock"
)

// longest is the longest latency told apart, in µs; longer ones count as it.
const longest = int64(60 * time.Second / time.Microsecond)

// patience is how many refusals a connection takes before it gives up: a server that refuses everything is quick at it.
const patience = 100

// errDrained ends a worker that has nothing left to do.
var errDrained = errors.New("the queue is empty")

// tally is what a worker counts.
type tally struct {
	requests, messages int64
	empty              int64 // receives that found nothing
	refused            int64 // answers with another status than 2xx, or with failed entries
	refusal            error // the first of them
	latency            *hdrhistogram.Histogram
}

func newTally() *tally { return &tally{latency: hdrhistogram.New(1, longest, 3)} }

// add merges what another worker counted.
func (t *tally) add(o *tally) {
	t.requests += o.requests
	t.messages += o.messages
	t.empty += o.empty
	t.refused += o.refused
	if t.refusal == nil {
		t.refusal = o.refusal
	}
	t.latency.Merge(o.latency)
}

func (t *tally) record(d time.Duration) {
	// Cannot fail: the value is within the bounds.
	_ = t.latency.RecordValue(min(max(d.Microseconds(), 1), longest))
}

// worker is one connection, or two where one of them waits, and what is done on it.
type worker struct {
	*tally
	ctx      context.Context
	clock    clock.Clock
	language language
	conn     *client
	waiter   *client // longpoll only
	queues   []*wire
	turn     int  // counted over all workers: they take turns
	groups   int  // fifo only
	quiet    bool // latencies are not recorded

	send     fifoSend
	out      []byte
	receipts [][]byte
}

func (w *worker) close() {
	w.conn.close()
	if w.waiter != nil {
		w.waiter.close()
	}
}

// queue returns the queue whose turn it is.
func (w *worker) queue() *wire { return w.queues[w.turn%len(w.queues)] }

// exchange sends a request and counts it and its latency. An error is one of the connection.
func (w *worker) exchange(request []byte) (status int, body []byte, err error) {
	begin := w.clock.Now()
	if status, body, err = w.conn.exchange(w.ctx, request); err == nil {
		w.answered(begin)
	}
	return status, body, err
}

// ask returns the body of the answer to a request, nil if it was refused.
func (w *worker) ask(request []byte) ([]byte, error) {
	status, body, err := w.exchange(request)
	if err != nil {
		return nil, err
	}
	if status < 200 || status > 299 {
		return nil, w.refuse(status, body)
	}
	return body, nil
}

func (w *worker) answered(begin time.Time) {
	w.requests++
	if !w.quiet {
		w.record(w.clock.Now().Sub(begin))
	}
}

func (w *worker) refuse(status int, body []byte) error {
	w.refused++
	if w.refusal == nil {
		w.refusal = fmt.Errorf("status %d: %.300q", status, body)
	}
	if w.refused >= patience {
		return fmt.Errorf("refused %d times, first with %w", w.refused, w.refusal)
	}
	return nil
}

// askBatch is ask for a batch, of which entries may fail.
func (w *worker) askBatch(request []byte) (done bool, err error) {
	body, err := w.ask(request)
	if body == nil || err != nil {
		return false, err
	}
	if w.language.partly(body) {
		return false, w.refuse(200, body)
	}
	return true, nil
}

// take receives messages and keeps their receipts. There may be none.
func (w *worker) take(request []byte) error {
	w.receipts = w.receipts[:0]
	status, body, err := w.exchange(request)
	if err != nil {
		return err
	}
	return w.keep(status, body)
}

// keep takes the receipts out of the answer to a receive.
func (w *worker) keep(status int, body []byte) error {
	if !w.language.nothing(status) && (status < 200 || status > 299) {
		return w.refuse(status, body)
	}
	if status < 300 {
		w.receipts = w.language.receipts(body, w.receipts[:0])
	}
	if len(w.receipts) == 0 {
		w.empty++
	}
	return nil
}

// remove deletes the messages that were received last.
func (w *worker) remove(d deletion) error {
	if len(w.receipts) == 0 {
		return nil
	}
	w.out = d(w.out[:0], w.receipts)
	done, err := w.askBatch(w.out)
	if done {
		w.messages += int64(len(w.receipts))
	}
	return err
}

// fifoSend is a send request with a group and a deduplication id of its own.
type fifoSend struct {
	request      []byte
	group, dedup int // where their last digits end
}

func newFIFOSend(request []byte) fifoSend {
	return fifoSend{
		request: bytes.Clone(request),
		group:   bytes.Index(request, []byte(groupMark)) + len(groupMark),
		dedup:   bytes.Index(request, []byte(dedupMark)) + len(dedupMark),
	}
}

// with returns the request with these numbers, of at most 10 digits. It is valid until the next call.
func (f *fifoSend) with(group, dedup int) []byte {
	number(f.request[:f.group], group)
	number(f.request[:f.dedup], dedup)
	return f.request
}

// number writes n over the last 10 bytes of b.
func number(b []byte, n int) {
	for at := len(b) - 1; at >= len(b)-10; at-- {
		b[at] = byte('0' + n%10)
		n /= 10
	}
}
