package faults

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sluicemq/sluice/core"
)

// Broker returns an engine whose deliveries the rules break, for requests that a decorated dialect has decoded. It is
// the engine under the given rules of a provider.
func (s *Set) Broker(rules core.Rules, under func(core.Rules) core.Broker) core.Broker {
	return &broker{Broker: under(rules), set: s, quiet: under(core.Rules{}), longest: rules.Delay.Max}
}

type broker struct {
	core.Broker
	set     *Set
	quiet   core.Broker   // under no provider's rules, to put messages back
	longest time.Duration // that a message may be delayed; 0: no bound
}

func placeOf(ctx context.Context, key core.QueueKey) (place, bool) {
	p, ok := ctx.Value(placeKey{}).(place)
	p.resource = string(key.Name)
	return p, ok
}

// standard reports whether there is a standard queue of that key, and returns what is set for it. FIFO queues keep their
// promises: their provider would not break them either.
func (b *broker) standard(ctx context.Context, key core.QueueKey) (core.Settings, bool) {
	q, err := b.Broker.Queue(ctx, key)
	return q.Settings, err == nil && !q.Settings.FIFO
}

// Receive cuts the connection of a receive that waits, and delivers twice and out of order.
func (b *broker) Receive(ctx context.Context, key core.QueueKey, r core.ReceiveRequest) ([]core.Received, error) {
	p, ours := placeOf(ctx, key)
	if !ours {
		return b.Broker.Receive(ctx, key, r)
	}
	poll, cut, stop := b.cutting(ctx, p, key, r)
	defer stop()
	got, err := b.Broker.Receive(poll, key, r)
	if err != nil || len(got) == 0 {
		if err == nil && cut.Load() {
			panic(http.ErrAbortHandler)
		}
		return got, err
	}
	if got[0].FIFO {
		return got, nil
	}
	if err := b.repeat(ctx, p, key, got); err != nil {
		return nil, err
	}
	if rule := b.set.delivers(Reorder, Receive, p, func(*Rule) bool { return len(got) > 1 }); rule != nil {
		b.set.draws(rule, func(d *rand.Rand) { d.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] }) })
	}
	return got, nil
}

// cutting returns a context for a receive that ends when a rule wants the connection to be cut; cut then tells so.
func (b *broker) cutting(ctx context.Context, p place, key core.QueueKey, r core.ReceiveRequest) (poll context.Context, cut *atomic.Bool, stop func()) {
	cut = new(atomic.Bool)
	rule := b.set.delivers(Drop, "", p, func(*Rule) bool { return b.waits(ctx, key, r) })
	if rule == nil {
		return ctx, cut, func() {}
	}
	poll, end := context.WithCancel(ctx)
	reached, giveUp := b.set.clock.Until(b.Now().Add(rule.delay()))
	go func() {
		defer end()
		select {
		case <-reached:
			cut.Store(true)
		case <-poll.Done():
		}
	}()
	return poll, cut, func() { end(); giveUp() }
}

func (b *broker) waits(ctx context.Context, key core.QueueKey, r core.ReceiveRequest) bool {
	if r.Wait != nil {
		return *r.Wait > 0
	}
	q, err := b.Broker.Queue(ctx, key)
	return err == nil && q.Settings.Wait > 0
}

// repeat makes delivered messages visible again at once.
func (b *broker) repeat(ctx context.Context, p place, key core.QueueKey, got []core.Received) error {
	var back []core.VisibilityChange
	for i := range got {
		early := func(r *Rule) bool { return got[i].Receives <= r.copies() }
		if b.set.delivers(Duplicate, Receive, p, early) != nil {
			back = append(back, core.VisibilityChange{Receipt: got[i].Receipt})
		}
	}
	if len(back) == 0 {
		return nil
	}
	_, err := b.quiet.ChangeVisibility(ctx, key, back)
	return err
}

// Delete forgets some of the deletes, whose messages become visible again.
func (b *broker) Delete(ctx context.Context, key core.QueueKey, receipts []core.Receipt) ([]error, error) {
	p, ours := placeOf(ctx, key)
	if _, standard := b.standard(ctx, key); !ours || !standard {
		return b.Broker.Delete(ctx, key, receipts)
	}
	forgotten := make([]bool, len(receipts))
	for i, receipt := range receipts {
		if b.set.delivers(Duplicate, Delete, p, always) == nil {
			continue
		}
		done, err := b.quiet.ChangeVisibility(ctx, key, []core.VisibilityChange{{Receipt: receipt}})
		forgotten[i] = err == nil && done[0].Err == nil // a receipt that is not good any more gets its usual answer
	}
	var others []core.Receipt
	for i, receipt := range receipts {
		if !forgotten[i] {
			others = append(others, receipt)
		}
	}
	if len(others) == 0 {
		return make([]error, len(receipts)), nil
	}
	errs, err := b.Broker.Delete(ctx, key, others)
	if err != nil {
		return nil, err
	}
	for i := range forgotten {
		if forgotten[i] {
			errs = slices.Insert(errs, i, nil)
		}
	}
	return errs, nil
}

// Send holds some messages back.
func (b *broker) Send(ctx context.Context, key core.QueueKey, messages []core.Outgoing) ([]core.Sent, error) {
	p, ours := placeOf(ctx, key)
	settings, standard := b.standard(ctx, key)
	if !ours || !standard {
		return b.Broker.Send(ctx, key, messages)
	}
	messages = slices.Clone(messages)
	for i := range messages {
		rule := b.set.delivers(Reorder, Send, p, always)
		if rule == nil {
			continue
		}
		later := settings.Delay
		if messages[i].Delay != nil {
			later = *messages[i].Delay
		}
		if b.longest > 0 && later > b.longest {
			continue // it is refused
		}
		b.set.draws(rule, func(d *rand.Rand) { later += time.Duration(d.Int64N(int64(rule.delay()))) + 1 })
		if b.longest > 0 {
			later = min(later, b.longest)
		}
		messages[i].Delay = &later
	}
	return b.Broker.Send(ctx, key, messages)
}
