package bench

import (
	"context"
	"errors"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// Endpoint is a server to measure.
type Endpoint struct {
	URL string // http://host:port
	PID int    // of its process, to read what it uses; 0 if that is not known

	Admin string // URL of its control API; empty if that is not known
	Data  string // directory of its queues; empty if it has none or that is not known
}

// Sample is what one run measured.
type Sample struct {
	Requests int64         `json:"requests"`
	Messages int64         `json:"messages"` // sent by send, deleted by the others
	Empty    int64         `json:"empty"`    // receives that found nothing
	Refused  int64         `json:"refused"`  // answers that are errors
	Refusal  string        `json:"refusal,omitempty"`
	Elapsed  time.Duration `json:"elapsed"` // ns

	RequestRate float64 `json:"requests_per_second"`
	MessageRate float64 `json:"messages_per_second"`

	// Latencies of a request, in ms; with LongPoll from a send to the answer of the receiver that waited.
	P50 float64 `json:"p50_ms"`
	P90 float64 `json:"p90_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`

	Cost   *Cost   `json:"cost,omitempty"`   // nil where it is not known
	Parked *Parked `json:"parked,omitempty"` // nil without parked polls, and where it is not known
}

// Cost is what a run cost the server.
type Cost struct {
	CPU       float64 `json:"cpu_us_per_request"`
	RSS       float64 `json:"rss_mib"`       // resident at the end
	Anonymous float64 `json:"anonymous_mib"` // of which no file is behind
}

// Measure runs a load once. The queues it makes are gone afterwards. Returns the error of Load.Check, of the connection,
// or one that tells of too many refusals.
func Measure(ctx context.Context, c clock.Clock, e Endpoint, l Load) (sample Sample, err error) {
	if err := l.Check(); err != nil {
		return sample, err
	}
	s, err := open(ctx, c, e.URL, l)
	if s != nil {
		defer func() { err = errors.Join(err, s.close(ctx)) }()
	}
	if err != nil {
		return sample, err
	}
	if err := s.prepare(ctx, e); err != nil {
		return sample, err
	}
	if len(s.parked) > 0 {
		return s.measureBeside(ctx, e)
	}
	return s.measure(ctx, e)
}

// prepare brings the queue into the state that the workload is about.
func (s *session) prepare(ctx context.Context, e Endpoint) (err error) {
	switch {
	case s.plan.filled:
		err = s.fill(ctx, s.load.Depth)
	case s.plan.emptied:
		err = s.wear(ctx, s.load.Deleted)
	default:
		return nil
	}
	settle(ctx, s.clock, e)
	return err
}

// MeasureBare runs the requests of a load against the bare handler: single ones, or batches where the load has batches.
func MeasureBare(ctx context.Context, c clock.Clock, e Endpoint, l Load) (Sample, error) {
	host, err := hostOf(e.URL)
	if err != nil {
		return Sample{}, err
	}
	turn := (*worker).sendOne
	if batched(l.Workload) {
		turn = (*worker).sendBatch
	}
	s := &session{
		load: l, plan: plan{turn: turn}, clock: c, address: host, language: sqsJSON{host},
		queues: []*wire{bareWire(host, letters(l.Body))},
	}
	return s.measure(ctx, e)
}

func batched(w Workload) bool { return w == Batch || w == Drain }

func (s *session) measure(ctx context.Context, e Endpoint) (Sample, error) {
	if s.load.Warmup > 0 && !s.plan.once {
		if _, err := s.run(ctx, s.phase(s.load.Warmup), s.load.Concurrency); err != nil {
			return Sample{}, err
		}
	}
	before, known := usageOf(e.PID)
	begin := s.clock.Now()
	t, err := s.run(ctx, s.phase(s.load.Duration), s.load.Concurrency)
	elapsed := s.clock.Now().Sub(begin)
	sample := sampleOf(t, elapsed)
	if after, still := usageOf(e.PID); known && still {
		sample.Cost = costOf(before, after, t.requests)
	}
	return sample, err
}

func (s *session) phase(d time.Duration) *phase {
	p := &phase{turn: s.plan.turn, until: s.clock.Now().Add(d)}
	p.left.Store(s.load.Count)
	return p
}

func sampleOf(t *tally, elapsed time.Duration) Sample {
	s := Sample{
		Requests: t.requests, Messages: t.messages, Empty: t.empty, Refused: t.refused, Elapsed: elapsed,
		P50: millis(t.latency.ValueAtQuantile(50)), P90: millis(t.latency.ValueAtQuantile(90)),
		P99: millis(t.latency.ValueAtQuantile(99)), Max: millis(t.latency.Max()),
	}
	if t.refusal != nil {
		s.Refusal = t.refusal.Error()
	}
	if elapsed > 0 {
		s.RequestRate = float64(t.requests) / elapsed.Seconds()
		s.MessageRate = float64(t.messages) / elapsed.Seconds()
	}
	return s
}

func millis(micros int64) float64 { return float64(micros) / 1000 }

func costOf(before, after usage, requests int64) *Cost {
	c := &Cost{RSS: float64(after.rss) / (1 << 20), Anonymous: float64(after.anonymous) / (1 << 20)}
	if requests > 0 {
		c.CPU = float64((after.cpu - before.cpu).Microseconds()) / float64(requests)
	}
	return c
}

// What counts as rest: background work, such as compactions after a fill, must not be part of the next measurement.
const (
	settleStep  = 200 * time.Millisecond
	settleLimit = 10 * time.Second
)

// settle waits until the server does nothing, if that can be known, but not for long.
func settle(ctx context.Context, c clock.Clock, e Endpoint) { settleWithin(ctx, c, e, settleLimit) }

func settleWithin(ctx context.Context, c clock.Clock, e Endpoint, limit time.Duration) {
	before, known := usageOf(e.PID)
	for range limit / settleStep {
		if !known || !rest(ctx, c, settleStep) {
			return
		}
		var now usage
		now, known = usageOf(e.PID)
		if now.cpu-before.cpu <= tick {
			return
		}
		before = now
	}
}
