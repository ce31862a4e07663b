package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// probe is an experiment with servers of its own, and what it finds.
type probe struct {
	mode    Mode
	number  int  // of queues, polls or messages that it is about, with which its cost grows; 0 if it is about none
	once    bool // it takes minutes, and repeats itself well enough
	measure func(t *trial, ctx context.Context) ([]*float64, error)
	figures []finding
}

// finding is what one figure of a probe has to be at most. An N in its name stands for the probe's number. Nothing is
// demanded where atMost is 0.
type finding struct {
	name, unit string
	atMost     float64
}

// few is how many queues a developer's machine may come to have, and many a number of messages nobody plans for.
const (
	few  = 10_000
	many = 1_000_000
)

var probes = []probe{
	{mode: Memory, measure: (*trial).begin, figures: []finding{
		{"start to first answer", "ms", 30},
		{"resident when idle", "MB", 25},
	}},
	{mode: OS, measure: (*trial).begin, figures: []finding{
		{"start to first answer, empty directory", "ms", 100},
		{"resident when idle", "MB", 25},
	}},
	{mode: Memory, number: few, measure: (*trial).quiet, figures: []finding{{"idle CPU, N queues", "%", 0.1}}},
	{mode: OS, number: few, measure: (*trial).quiet, figures: []finding{{"idle CPU, N queues", "%", 0.1}}},
	{mode: Memory, number: 1000, measure: (*trial).wakeUp, figures: []finding{
		{"wake-up p99, N parked polls", "ms", 5},
		{"a parked poll of N", "KiB", 25},
		{"idle CPU, N parked polls", "%", 0},
	}},
	{mode: Always, measure: (*trial).group, figures: []finding{{"commits a message, send c 64", "", 0.1}}},
	{mode: Memory, number: many, once: true, measure: (*trial).store, figures: []finding{
		{"a stored message of N beyond its body", "bytes", 0},
	}},
	{mode: OS, number: many, once: true, measure: (*trial).index, figures: []finding{
		{"a stored message of N beyond the budget of bodies", "bytes", 250},
	}},
	{mode: OS, number: many, once: true, measure: (*trial).survive, figures: []finding{
		{"start to first answer after a kill, N messages of 1 KiB", "s", 4},
	}},
	{mode: OS, number: many, once: true, measure: (*trial).vacate, figures: []finding{
		{"disk after N messages of 1 KiB have come and gone", "MB", 200},
	}},
}

// trial is a probe that is under way.
type trial struct {
	*Harness
	mode   Mode
	number int
	load   Load // for what a probe does not say itself
}

// Sizes measures what a server takes: time to start, memory, disk, and CPU while nobody asks it anything. No probe has
// more than most queues, polls or messages.
func (h *Harness) Sizes(ctx context.Context, template Load, most int) ([]Verdict, error) {
	template.Protocol, template.Workload = SQSJSON, Send
	if err := errors.Join(checkDeepest(most), h.check([]Load{template})); err != nil {
		return nil, err
	}
	d := h.withDefaults()
	var all []Verdict
	for _, p := range probes {
		t := &trial{Harness: &d, mode: p.mode, number: min(p.number, most), load: template}
		found, err := t.run(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", p.mode, t.name(p.figures[0]), err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// run makes an experiment as often as it is worth it and returns the medians.
func (t *trial) run(ctx context.Context, p probe) ([]Verdict, error) {
	runs := t.Runs
	if p.once {
		runs = 1
	}
	found := make([][]*float64, runs)
	for i := range found {
		var err error
		if found[i], err = p.measure(t, ctx); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	out := make([]Verdict, len(p.figures))
	for k, f := range p.figures {
		m := medianOf(found, func(one []*float64) (float64, bool) { return value(one[k]), one[k] != nil })
		out[k] = Verdict{Mode: string(t.mode), Name: t.name(f), Unit: f.unit, Value: m, Demand: f.atMost, AtMost: true}
		fmt.Fprintf(t.Log, "%s %s: %s %s\n", t.mode, out[k].Name, figure(m), f.unit)
	}
	return out, nil
}

func (t *trial) name(f finding) string {
	return strings.Replace(f.name, "N", strconv.Itoa(t.number), 1)
}

// begin finds how long a server takes until it answers, and what it holds when it then has nothing to do.
func (t *trial) begin(ctx context.Context) ([]*float64, error) {
	out := make([]*float64, 2)
	began := t.Clock.Now()
	err := t.with(ctx, t.mode, func(server Endpoint) error {
		return t.queue(ctx, server, t.load, func(*session) error {
			out[0] = new(millis(t.Clock.Now().Sub(began).Microseconds()))
			t.calm(ctx, server)
			if u, known := usageOf(server.PID); known {
				out[1] = new(megabytes(u.rss))
			}
			return nil
		})
	})
	return out, err
}

// quiet finds what CPU queues cost by being there.
func (t *trial) quiet(ctx context.Context) ([]*float64, error) {
	const span = 10 * time.Second // in which 0.1 % is a tick
	l := t.load
	l.Workload, l.Queues = Queues, t.number
	out := make([]*float64, 1)
	err := t.with(ctx, t.mode, func(server Endpoint) error {
		return t.queue(ctx, server, l, func(*session) error {
			t.doze(ctx, server)
			out[0] = idleCPU(ctx, t.Clock, server, span)
			return nil
		})
	})
	return out, err
}

// wakeUp finds how long a receiver waits for the message that it gets while others wait in vain, and what they cost.
func (t *trial) wakeUp(ctx context.Context) ([]*float64, error) {
	l := t.load
	l.Workload, l.Concurrency, l.Parked = LongPoll, 1, t.number
	out := make([]*float64, 3)
	err := t.with(ctx, t.mode, func(server Endpoint) error {
		s, err := Measure(ctx, t.Clock, server, l)
		if err != nil {
			return err
		}
		out[0] = new(s.P99)
		if s.Parked != nil {
			out[1], out[2] = new(s.Parked.KiB), new(s.Parked.CPU)
		}
		return nil
	})
	return out, err
}

// group finds how many messages share a commit. The server counts commits from the first time on that it is asked.
func (t *trial) group(ctx context.Context) ([]*float64, error) {
	l := t.load
	l.Concurrency, l.Warmup = 64, 0
	out := make([]*float64, 1)
	err := t.with(ctx, t.mode, func(server Endpoint) error {
		if server.Admin == "" {
			return nil
		}
		before, err := commitsOf(ctx, server.Admin)
		if err != nil {
			return err
		}
		s, err := Measure(ctx, t.Clock, server, l)
		if err != nil {
			return err
		}
		after, err := commitsOf(ctx, server.Admin)
		if err == nil && s.Messages > 0 {
			out[0] = new((after - before) / float64(s.Messages))
		}
		return err
	})
	return out, err
}

// store finds what a message takes besides its body where memory is all there is.
func (t *trial) store(ctx context.Context) ([]*float64, error) {
	l := t.load
	l.Body = 16
	took, err := t.heap(ctx, l)
	if took != nil {
		*took = *took/float64(t.number) - float64(l.Body)
	}
	return []*float64{took}, err
}

// bodyBudget is how many bytes of messages a server on a disk holds in memory where nobody has set it.
const bodyBudget = 256 << 20

// index finds what a message takes in memory that lies on the disk.
func (t *trial) index(ctx context.Context) ([]*float64, error) {
	l := t.kilobytes()
	took, err := t.heap(ctx, l)
	if took != nil {
		*took = (*took - float64(min(bodyBudget, t.number*l.Body))) / float64(t.number)
	}
	return []*float64{took}, err
}

// worn is how many messages come and go before messages that wait are weighed: what a server keeps once it has worked, such
// as the log's buffer and the page's events, it keeps for the first message as for a million of them.
const worn = 50_000

// heap finds by how much a server grows with messages that wait; nil if it is not known. Garbage that is not collected
// counts: nobody else can use it.
func (t *trial) heap(ctx context.Context, l Load) (took *float64, err error) {
	err = t.with(ctx, t.mode, func(server Endpoint) error {
		return t.queue(ctx, server, l, func(s *session) error {
			if err := s.wear(ctx, min(worn, t.number)); err != nil {
				return err
			}
			t.doze(ctx, server)
			before, known := usageOf(server.PID)
			if err := s.fill(ctx, t.number); err != nil {
				return err
			}
			t.doze(ctx, server)
			if after, still := usageOf(server.PID); known && still {
				took = new(float64(after.anonymous - before.anonymous))
			}
			return nil
		})
	})
	return took, err
}

// survive finds how long a server takes until it answers that finds the queue of one that was killed.
func (t *trial) survive(ctx context.Context) ([]*float64, error) {
	var took *float64
	err := t.placed(t.mode, func(data string) error {
		prefix, err := t.abandon(ctx, data)
		if err != nil {
			return err
		}
		began := t.Clock.Now()
		server, err := t.start(ctx, t.mode, data)
		if err != nil {
			return err
		}
		s, err := reopen(ctx, t.Clock, server.URL, t.kilobytes(), prefix)
		took = new(t.Clock.Now().Sub(began).Seconds())
		if err == nil {
			err = s.holds(ctx)
		}
		return errors.Join(err, server.Stop())
	})
	return []*float64{took}, err
}

// abandon leaves a full queue in a directory, by the kill of its server, and returns what its name begins with.
func (t *trial) abandon(ctx context.Context, data string) (prefix string, err error) {
	server, err := t.start(ctx, t.mode, data)
	if err != nil {
		return "", err
	}
	s, err := open(ctx, t.Clock, server.URL, t.kilobytes())
	if err == nil {
		prefix = s.prefix
		err = s.fill(ctx, t.number)
	}
	return prefix, errors.Join(err, server.Kill())
}

// holds returns an error if there is no message in the queue.
func (s *session) holds(ctx context.Context) error {
	return s.each(ctx, 1, func(conn *client, _ int) error {
		status, answer, err := conn.exchange(ctx, s.queues[0].receive)
		if err == nil && len(s.language.receipts(answer, nil)) == 0 {
			err = fmt.Errorf("the messages are lost: status %d: %.300q", status, answer)
		}
		return err
	})
}

// vacate finds what a directory takes from which all messages have gone, without a restart.
func (t *trial) vacate(ctx context.Context) ([]*float64, error) {
	out := make([]*float64, 1)
	err := t.with(ctx, t.mode, func(server Endpoint) error {
		return t.queue(ctx, server, t.kilobytes(), func(s *session) error {
			if err := s.wear(ctx, t.number); err != nil {
				return err
			}
			t.calm(ctx, server)
			if bytes, known := diskOf(server.Data); known {
				out[0] = new(megabytes(bytes))
			}
			return nil
		})
	})
	return out, err
}

func (t *trial) kilobytes() Load {
	l := t.load
	l.Body = 1024
	return l
}

// queue uses the queues of a load and deletes them.
func (t *trial) queue(ctx context.Context, e Endpoint, l Load, use func(*session) error) error {
	s, err := open(ctx, t.Clock, e.URL, l)
	if err == nil {
		err = use(s)
	}
	if s != nil {
		err = errors.Join(err, s.close(ctx))
	}
	return err
}

// calm waits until a server has done what it does by itself after work, for a minute at most.
func (t *trial) calm(ctx context.Context, e Endpoint) {
	settleWithin(ctx, t.Clock, e, time.Minute)
}

// doze waits, after calm, until a server that nobody asks anything has also noticed that.
func (t *trial) doze(ctx context.Context, e Endpoint) {
	const noticed = 30 * time.Second
	t.calm(ctx, e)
	rest(ctx, t.Clock, noticed)
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
