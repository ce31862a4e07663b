package crash_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// adminQueue is a queue that a single client makes, changes, fills, purges and deletes, one request after another. So
// there are just two states that it can be in after a kill: the one that was acknowledged last, and the one that the
// request without an answer would have led to.
type adminQueue struct {
	name    string
	now     settings
	pending *settings // nil: everything was answered
	steps   int
}

// settings are what a queue without receivers shows.
type settings struct {
	there    bool
	timeout  int
	tag      string
	messages int
}

func (q *adminQueue) join(t *testing.T, all *crew, ctx context.Context, w *jsonWire, c *campaign) {
	rng := c.fork()
	all.work(ctx, func() bool { return q.step(t, ctx, w, rng) })
}

// step does one request and reports whether it was answered.
func (q *adminQueue) step(t *testing.T, ctx context.Context, w *jsonWire, rng *rand.Rand) bool {
	operation, in, next := q.choose(rng)
	err := w.call(ctx, operation, in, nil)
	switch {
	case errors.Is(err, errNoAnswer):
		q.pending = &next
		return false
	case err != nil:
		t.Errorf("%s on %s = %v, want no error", operation, q.name, err)
		return false
	}
	q.now = next
	return true
}

func (q *adminQueue) choose(rng *rand.Rand) (operation string, in map[string]any, next settings) {
	q.steps++
	next = q.now
	in = map[string]any{"QueueUrl": queueURL(q.name)}
	if !q.now.there {
		next = settings{there: true, timeout: 30, tag: "new"}
		return "CreateQueue", map[string]any{"QueueName": q.name, "tags": map[string]string{"step": "new"}}, next
	}
	switch n := rng.IntN(20); {
	case n == 0:
		next = settings{}
		return "DeleteQueue", in, next
	case n < 3:
		next.messages = 0
		return "PurgeQueue", in, next
	case n < 6:
		next.timeout = q.steps % 43200
		in["Attributes"] = map[string]string{"VisibilityTimeout": strconv.Itoa(next.timeout)}
		return "SetQueueAttributes", in, next
	case n < 9:
		next.tag = strconv.Itoa(q.steps)
		in["Tags"] = map[string]string{"step": next.tag}
		return "TagQueue", in, next
	case n < 14:
		next.messages++
		in["MessageBody"] = "x"
		return "SendMessage", in, next
	}
	next.messages += 10
	entries := make([]map[string]string, 10)
	for i := range entries {
		entries[i] = map[string]string{"Id": strconv.Itoa(i), "MessageBody": "x"}
	}
	in["Entries"] = entries
	return "SendMessageBatch", in, next
}

// check compares what the queue is now with the two states that it can be in.
func (q *adminQueue) check(t *testing.T, ctx context.Context, w *jsonWire) {
	t.Helper()
	checked.add(queueSettings, 1)
	got, err := q.read(ctx, w)
	if err != nil {
		t.Errorf("looking at %s = %v, want no error", q.name, err)
		return
	}
	if got != q.now && (q.pending == nil || got != *q.pending) {
		want := fmt.Sprintf("%+v", q.now)
		if q.pending != nil {
			want += fmt.Sprintf(" or %+v", *q.pending)
		}
		t.Errorf("%s is %+v after %d steps, want %s", q.name, got, q.steps, want)
	}
	q.now, q.pending = got, nil
}

func (q *adminQueue) read(ctx context.Context, w *jsonWire) (settings, error) {
	on := map[string]any{"QueueUrl": queueURL(q.name), "AttributeNames": []string{"All"}}
	var shown struct{ Attributes map[string]string }
	err := w.call(ctx, "GetQueueAttributes", on, &shown)
	if r, ok := errors.AsType[*refusal](err); ok && r.code == "com.amazonaws.sqs#QueueDoesNotExist" {
		return settings{}, nil
	}
	if err != nil {
		return settings{}, err
	}
	var tagged struct{ Tags map[string]string }
	if err := w.call(ctx, "ListQueueTags", on, &tagged); err != nil {
		return settings{}, err
	}
	s := settings{there: true, tag: tagged.Tags["step"]}
	s.timeout, _ = strconv.Atoi(shown.Attributes["VisibilityTimeout"])
	s.messages, err = strconv.Atoi(shown.Attributes["ApproximateNumberOfMessages"])
	return s, err
}

const deadARN = "arn:aws:sqs:us-east-1:000000000000:dead"

// startMove begins to move dead letters back, at a rate that makes it last into the next process or, if that is 0, as
// fast as can be. One that is running already is no error.
func startMove(t *testing.T, ctx context.Context, w *jsonWire, rate int) {
	in := map[string]any{"SourceArn": deadARN}
	if rate > 0 {
		in["MaxNumberOfMessagesPerSecond"] = rate
	}
	err := w.call(ctx, "StartMessageMoveTask", in, nil)
	if _, refused := errors.AsType[*refusal](err); !refused && err != nil {
		failed(t, err, "StartMessageMoveTask")
	}
}

// moving reports whether a move task is still under way.
func moving(t *testing.T, ctx context.Context, w *jsonWire) bool {
	t.Helper()
	var out struct{ Results []struct{ Status string } }
	if err := w.call(ctx, "ListMessageMoveTasks", map[string]any{"SourceArn": deadARN}, &out); err != nil {
		t.Errorf("ListMessageMoveTasks = %v, want no error", err)
	}
	return len(out.Results) > 0 && (out.Results[0].Status == "RUNNING" || out.Results[0].Status == "CANCELLING")
}
