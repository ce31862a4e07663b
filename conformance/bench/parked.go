package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"syscall"
	"time"
)

const (
	// parkLimit is how long a server may take until it holds all parked polls.
	parkLimit = time.Minute
	// parkedBuffer is enough for the answer to a poll that finds nothing.
	parkedBuffer = 4 << 10
	// leastHold tells a poll that was held from one that was answered at once. The providers hold it as long as it asks for.
	leastHold = time.Second
)

var (
	errLeft     = errors.New("the parked polls were taken away")
	errNotTaken = fmt.Errorf("the server has not taken them all within %v", parkLimit)
)

// Parked is what receivers cost that wait while nothing happens.
type Parked struct {
	KiB float64 `json:"kib_per_poll"`     // of resident memory, with the connection
	CPU float64 `json:"idle_cpu_percent"` // of one core, for all of them
}

// measureBeside measures while polls are parked, and before it what they cost while there is nothing else.
func (s *session) measureBeside(ctx context.Context, e Endpoint) (Sample, error) {
	settle(ctx, s.clock, e)
	before, known := usageOf(e.PID)
	leave, err := s.park(ctx)
	if err != nil {
		_ = leave() // it says the same
		return Sample{}, parkingError(len(s.parked), err)
	}
	settle(ctx, s.clock, e)
	var cost *Parked
	if with, still := usageOf(e.PID); known && still {
		cost = &Parked{
			KiB: float64(with.rss-before.rss) / (1 << 10) / float64(len(s.parked)),
			CPU: value(idleCPU(ctx, s.clock, e, s.load.Duration)),
		}
	}
	sample, err := s.measure(ctx, e)
	sample.Parked = cost
	return sample, errors.Join(err, leave())
}

// park lets a connection wait at each queue that gets no message, until the returned function is called. That returns
// what was wrong meanwhile.
func (s *session) park(ctx context.Context) (leave func() error, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	leave = func() error {
		cancel(errLeft)
		group.Wait()
		if cause := context.Cause(ctx); !errors.Is(cause, errLeft) {
			return cause
		}
		return nil
	}
	arriving, arrived := context.WithTimeoutCause(ctx, parkLimit, errNotTaken)
	defer arrived()
	defer context.AfterFunc(arriving, func() { cancel(context.Cause(arriving)) })()
	if err := spread(ctx, len(s.parked), func(numbers iter.Seq[int]) error {
		for i := range numbers {
			conn, err := dialWith(ctx, s.address, parkedBuffer)
			if err != nil {
				return err
			}
			group.Go(func() {
				if err := s.stay(ctx, conn, s.parked[i]); err != nil {
					cancel(err)
				}
			})
		}
		return nil
	}); err != nil {
		return leave, err
	}
	return leave, s.follow(ctx)
}

// follow has a request answered on a connection that comes after all others. Listeners take them in turn: one that has no
// room for more leaves them where a poll would seem to wait as well. Only one does it, as what requests leave behind in a
// server's memory would count as what polls take.
func (s *session) follow(ctx context.Context) error {
	return s.each(ctx, 1, func(conn *client, _ int) error {
		status, answer, err := conn.exchange(ctx, s.parked[0].receive)
		if err == nil && !s.nothing(status, answer) {
			err = unexpected(status, answer)
		}
		return err
	})
}

// stay polls again and again until ctx ends.
func (s *session) stay(ctx context.Context, conn *client, q *wire) error {
	defer conn.close()
	for {
		began := s.clock.Now()
		status, answer, err := conn.exchange(ctx, q.poll)
		held := s.clock.Now().Sub(began)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("a parked poll has ended: %w", err)
		case !s.nothing(status, answer):
			return unexpected(status, answer)
		case held < leastHold:
			return fmt.Errorf("a parked poll was held for %v, want %s s", held, pollTime)
		}
	}
}

// nothing reports whether an answer to a receive is one without a message.
func (s *session) nothing(status int, answer []byte) bool {
	return s.language.nothing(status) ||
		status >= 200 && status <= 299 && len(s.language.receipts(answer, nil)) == 0
}

func unexpected(status int, answer []byte) error {
	return fmt.Errorf("the answer for a queue without messages has status %d: %.300q", status, answer)
}

// parkingError says in one line what has to be done if connections have run out.
func parkingError(polls int, err error) error {
	err = fmt.Errorf("cannot park %d polls: %w", polls, err)
	if errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("%w; the limit of open files (ulimit -n) has to be above %d", err, polls)
	}
	return err
}
