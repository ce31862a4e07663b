package core

import (
	"context"
	"time"
)

// ChangeVisibility implements Broker.
func (v *view) ChangeVisibility(_ context.Context, key QueueKey, changed []VisibilityChange) ([]VisibilityChanged, error) {
	q, err := v.e.open(key)
	if err != nil {
		return nil, err
	}
	now := v.e.now()
	var c changes
	q.advance(now, &c, v.e.watched)
	out := make([]VisibilityChanged, len(changed))
	for i, change := range changed {
		out[i] = v.changeVisibility(q, change, now, &c)
	}
	if err := v.e.commit(q, &c); err != nil {
		return nil, err
	}
	return out, nil
}

func (v *view) changeVisibility(q *queue, change VisibilityChange, now instant, c *changes) VisibilityChanged {
	if err := v.rules.ChangeVisibility.check(VisibilityTimeout, change.Timeout); err != nil {
		return VisibilityChanged{Err: err}
	}
	rules := v.receiptRules(q)
	m, age, err := q.resolve(change.Receipt)
	if err != nil {
		return VisibilityChanged{Err: err}
	}
	outcome := [...]Outcome{
		current: Apply, expired: rules.ChangeExpired, superseded: rules.ChangeSuperseded, gone: rules.ChangeGone,
	}[age]
	switch {
	case outcome == Reject:
		return VisibilityChanged{Err: age.refusal(change.Receipt)}
	case outcome == Ignore || m == nil:
		return VisibilityChanged{Receipt: change.Receipt, VisibleAt: now.add(change.Timeout).time()}
	}
	if err := v.rules.checkTotal(m, change.Timeout, now); err != nil {
		return VisibilityChanged{Err: err}
	}
	return v.setVisibility(q, m, change, now, c)
}

func (v *view) setVisibility(q *queue, m *message, change VisibilityChange, now instant, c *changes) VisibilityChanged {
	receipt := change.Receipt
	if v.rules.RenewReceipt {
		m.delivery++
		receipt = mintReceipt(q.id, q.salt, m.sequence, m.delivery)
	}
	hidden := inFlight
	if m.state == delayed {
		hidden = delayed
	}
	q.put(m, now.add(change.Timeout), hidden, now)
	q.save(m, c)
	if v.e.watched {
		c.event(q, m, EventVisibilitySet, now)
	}
	return VisibilityChanged{Receipt: receipt, VisibleAt: m.visibleAt.time()}
}

// checkTotal bounds how long one receive hides a message, all changes included. Nothing is cut short: what would go
// beyond the bound is refused. Recorded: the error; so the whole bound fails as soon as time has passed since the
// receive.
func (r *Rules) checkTotal(m *message, timeout time.Duration, now instant) error {
	if r.VisibilityTotal == 0 || m.lastAt == 0 || now.add(timeout) <= m.lastAt.add(r.VisibilityTotal) {
		return nil
	}
	return &Error{Kind: VisibilityBeyondTotal, Field: VisibilityTimeout, Value: timeout, Max: r.VisibilityTotal}
}
