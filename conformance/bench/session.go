package bench

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

const (
	// grace is what the requests under way get after the end of a phase: a poll of 20 seconds, and then some.
	grace = 30 * time.Second
	// fillLimit bounds the time to put a backlog into a queue, and that to take it out.
	fillLimit = 20 * time.Minute
	// helpers are the connections that make ready what is measured, and clean up.
	helpers = 16
)

// session is one load on one endpoint.
type session struct {
	load     Load
	plan     plan
	clock    clock.Clock
	address  string
	language language
	body     string
	prefix   string // of the queues' names
	queues   []*wire
	parked   []*wire // the queues of parked polls
	turns    int     // taken in earlier phases: a deduplication id must not come again
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

// open makes the queues, with names that no earlier run has used. Whatever it returns has to be closed.
func open(ctx context.Context, c clock.Clock, target string, l Load) (*session, error) {
	return reopen(ctx, c, target, l, "bench-"+strings.ToLower(rand.Text()[:10])+"-")
}

// reopen is open with the names of an earlier session, whose queues may still be there.
func reopen(ctx context.Context, c clock.Clock, target string, l Load, prefix string) (*session, error) {
	host, err := hostOf(target)
	if err != nil {
		return nil, err
	}
	s := &session{
		load: l, plan: plans[l.Workload], clock: c, address: host, prefix: prefix,
		language: languageOf(l.Protocol, host), body: letters(l.Body),
	}
	number := 1
	switch {
	case s.plan.many:
		number = l.Queues
	case s.plan.alone:
		number = l.Concurrency
	}
	if s.queues, err = s.create(ctx, "", number); err != nil || !s.plan.parked {
		return s, err
	}
	s.parked, err = s.create(ctx, "parked-", l.Parked)
	return s, err
}

// create makes queues and returns those it has made.
func (s *session) create(ctx context.Context, kind string, number int) ([]*wire, error) {
	made := make([]*wire, number)
	err := s.each(ctx, number, func(conn *client, i int) (err error) {
		made[i], err = s.createOne(ctx, conn, fmt.Sprintf("%s%s%d", s.prefix, kind, i))
		return err
	})
	return slices.DeleteFunc(made, func(q *wire) bool { return q == nil }), err
}

func (s *session) createOne(ctx context.Context, conn *client, name string) (*wire, error) {
	if s.plan.fifo {
		name += ".fifo"
	}
	status, answer, err := conn.exchange(ctx, s.language.create(name, s.plan.fifo))
	if err != nil {
		return nil, err
	}
	if status < 200 || status > 299 {
		return nil, fmt.Errorf("cannot make queue %s: status %d: %.300q", name, status, answer)
	}
	return s.language.wire(name, s.plan.fifo, answer, s.body)
}

// close deletes the queues. It does so after ctx has ended too.
func (s *session) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	all := slices.Concat(s.queues, s.parked)
	return s.each(ctx, len(all), func(conn *client, i int) error {
		if status, answer, err := conn.exchange(ctx, all[i].drop); err != nil || status > 299 {
			return errors.Join(err, fmt.Errorf("cannot delete a queue: status %d: %.300q", status, answer))
		}
		return nil
	})
}

// each does something n times, on a few connections.
func (s *session) each(ctx context.Context, n int, do func(conn *client, i int) error) error {
	return spread(ctx, n, func(numbers iter.Seq[int]) error {
		conn, err := dial(ctx, s.address)
		if err != nil {
			return err
		}
		defer conn.close()
		for i := range numbers {
			if err := do(conn, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// spread has a few helpers take the numbers below n by turns. The first of them that fails ends it.
func spread(ctx context.Context, n int, help func(numbers iter.Seq[int]) error) error {
	var taken atomic.Int64
	numbers := func(yield func(int) bool) {
		for i := int(taken.Add(1)) - 1; i < n && yield(i); i = int(taken.Add(1)) - 1 {
		}
	}
	errs := make([]error, min(helpers, n))
	var group sync.WaitGroup
	for k := range errs {
		group.Go(func() {
			if errs[k] = help(numbers); errs[k] != nil {
				taken.Store(int64(n))
			}
		})
	}
	group.Wait()
	return firstOf(ctx, errs)
}

// fill puts a backlog into the queue, in whole batches.
func (s *session) fill(ctx context.Context, messages int) error {
	batches := (messages + s.language.batch() - 1) / s.language.batch()
	p := &phase{turn: (*worker).sendBatch, until: s.clock.Now().Add(fillLimit)}
	p.left.Store(int64(batches))
	t, err := s.run(ctx, p, min(helpers, batches))
	if err == nil && t.messages < int64(messages) {
		err = fmt.Errorf("the backlog is %d messages, want %d: %w", t.messages, messages, cmp.Or(t.refusal, errTooSlow))
	}
	return err
}

// wear puts a backlog into the queue and takes all of it out.
func (s *session) wear(ctx context.Context, messages int) error {
	if err := s.fill(ctx, messages); err != nil {
		return err
	}
	p := &phase{turn: (*worker).drain, until: s.clock.Now().Add(fillLimit)}
	p.left.Store(MaxCount)
	t, err := s.run(ctx, p, helpers)
	if err == nil && t.messages < int64(messages) {
		err = fmt.Errorf("%d messages have gone, want %d: %w", t.messages, messages, cmp.Or(t.refusal, errTooSlow))
	}
	return err
}

var errTooSlow = fmt.Errorf("it takes more than %v", fillLimit)

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
