package bench

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

const (
	// grace is what the requests under way get after the end of a phase: a poll of 20 seconds, and then some.
	grace = 30 * time.Second
	// fillLimit bounds the time to put a backlog into a queue.
	fillLimit = 20 * time.Minute
	// fillers are the connections that do it.
	fillers = 16
)

// session is one load on one endpoint.
type session struct {
	load     Load
	plan     plan
	clock    clock.Clock
	address  string
	language language
	body     string
	queues   []*wire
	turns    int // taken in earlier phases: a deduplication id must not come again
}

// hostOf returns host and port of a URL such as "http://127.0.0.1:9324".
func hostOf(target string) (string, error) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" {
		return "", fmt.Errorf("target is %q, want http://host:port", target)
	}
	if u.Port() == "" {
		return u.Host + ":80", nil
	}
	return u.Host, nil
}

// open makes the queues. Whatever it returns has to be closed.
func open(ctx context.Context, c clock.Clock, target string, l Load) (*session, error) {
	host, err := hostOf(target)
	if err != nil {
		return nil, err
	}
	s := &session{
		load: l, plan: plans[l.Workload], clock: c, address: host,
		language: languageOf(l.Protocol, host), body: letters(l.Body),
	}
	number := 1
	switch {
	case s.plan.many:
		number = l.Queues
	case s.plan.alone:
		number = l.Concurrency
	}
	return s, s.create(ctx, number)
}

// create makes queues with names that no earlier run has used.
func (s *session) create(ctx context.Context, number int) error {
	conn, err := dial(ctx, s.address)
	if err != nil {
		return err
	}
	defer conn.close()
	prefix := "bench-" + strings.ToLower(rand.Text()[:10]) + "-"
	for i := range number {
		name := fmt.Sprintf("%s%d", prefix, i)
		if s.plan.fifo {
			name += ".fifo"
		}
		status, answer, err := conn.exchange(ctx, s.language.create(name, s.plan.fifo))
		if err != nil {
			return err
		}
		if status < 200 || status > 299 {
			return fmt.Errorf("cannot make queue %s: status %d: %.300q", name, status, answer)
		}
		q, err := s.language.wire(name, s.plan.fifo, answer, s.body)
		if err != nil {
			return err
		}
		s.queues = append(s.queues, q)
	}
	return nil
}

// close deletes the queues. It does so after ctx has ended too.
func (s *session) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	conn, err := dial(ctx, s.address)
	if err != nil {
		return err
	}
	defer conn.close()
	for _, q := range s.queues {
		if status, answer, err := conn.exchange(ctx, q.drop); err != nil || status > 299 {
			return errors.Join(err, fmt.Errorf("cannot delete a queue: status %d: %.300q", status, answer))
		}
	}
	return nil
}

// fill puts the backlog of the load into the queue.
func (s *session) fill(ctx context.Context) error {
	batches := (s.load.Depth + s.language.batch() - 1) / s.language.batch()
	p := &phase{turn: (*worker).sendBatch, until: s.clock.Now().Add(fillLimit)}
	p.left.Store(int64(batches))
	t, err := s.run(ctx, p, min(fillers, batches))
	if err == nil && t.messages < int64(s.load.Depth) {
		err = fmt.Errorf("the backlog is %d messages, want %d: %w", t.messages, s.load.Depth, cmp.Or(t.refusal, errTooSlow))
	}
	return err
}

var errTooSlow = fmt.Errorf("more than %v to send them", fillLimit)

// phase is a bounded time in which workers take turns.
type phase struct {
	turn   func(w *worker) error
	until  time.Time
	left   atomic.Int64 // turns
	failed atomic.Bool
}

// next reports whether there is another turn to take.
func (p *phase) next(now time.Time) bool {
	return now.Before(p.until) && !p.failed.Load() && p.left.Add(-1) >= 0
}

// run lets workers take turns until the phase is over and returns what they counted. Connections are new: their end is
// the end of the phase's context, whatever the server does.
func (s *session) run(ctx context.Context, p *phase, workers int) (*tally, error) {
	ctx, cancel := context.WithTimeout(ctx, p.until.Sub(s.clock.Now())+grace)
	defer cancel()
	crew, err := s.hire(ctx, workers)
	defer func() {
		for _, w := range crew {
			w.close()
		}
	}()
	if err != nil {
		return newTally(), err
	}
	errs := make([]error, workers)
	var group sync.WaitGroup
	for i, w := range crew {
		group.Go(func() { errs[i] = w.work(p, workers) })
	}
	group.Wait()
	total := newTally()
	for _, w := range crew {
		total.add(w.tally)
		s.turns = max(s.turns, w.turn)
	}
	return total, firstOf(ctx, errs)
}

// firstOf returns one error of many: as all connections go to one server, the others say the same.
func firstOf(ctx context.Context, errs []error) error {
	for _, err := range errs {
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
	}
	return nil
}

func (s *session) hire(ctx context.Context, workers int) ([]*worker, error) {
	var crew []*worker
	for i := range workers {
		conn, err := dial(ctx, s.address)
		if err != nil {
			return crew, err
		}
		w := &worker{
			tally: newTally(), ctx: ctx, clock: s.clock, language: s.language, conn: conn,
			queues: s.queues, turn: s.turns + i, groups: s.load.Groups,
		}
		crew = append(crew, w)
		if s.plan.fifo {
			w.send = newFIFOSend(s.queues[0].send)
		}
		if !s.plan.paired {
			continue
		}
		if w.waiter, err = dial(ctx, s.address); err != nil {
			w.waiter = nil
			return crew, err
		}
	}
	return crew, nil
}

// work takes turns until the phase is over. The workers' turns are numbered through, so that they never collide.
func (w *worker) work(p *phase, workers int) error {
	for p.next(w.clock.Now()) {
		err := p.turn(w)
		if errors.Is(err, errDrained) {
			return nil
		}
		if err != nil {
			p.failed.Store(true)
			return err
		}
		w.turn += workers
	}
	return nil
}

// rest waits and reports whether the wait came to its end.
func rest(ctx context.Context, c clock.Clock, d time.Duration) bool {
	reached, giveUp := c.Until(c.Now().Add(d))
	defer giveUp()
	select {
	case <-reached:
		return true
	case <-ctx.Done():
		return false
	}
}
