package core

import "context"

// Delete implements Broker.
func (v *view) Delete(_ context.Context, key QueueKey, receipts []Receipt) ([]error, error) {
	q, err := v.e.open(key)
	if err != nil {
		return nil, err
	}
	now := v.e.now()
	var c changes
	q.advance(now, &c, v.e.watched)
	c.expect(len(receipts), 2*len(receipts), v.e.watched) // a message and its state
	errs := make([]error, len(receipts))
	for i, r := range receipts {
		errs[i] = v.delete(q, r, now, &c)
	}
	if err := v.e.commit(q, &c); err != nil {
		return nil, err
	}
	return errs, nil
}

func (v *view) delete(q *queue, r Receipt, now instant, c *changes) error {
	rules := v.receiptRules(q)
	m, age, err := q.resolve(r)
	if err != nil {
		return err
	}
	outcome := [...]Outcome{
		current: Apply, expired: rules.DeleteExpired, superseded: rules.DeleteSuperseded, gone: rules.DeleteGone,
	}[age]
	switch {
	case outcome == Reject:
		return age.refusal(r)
	case outcome == Ignore || m == nil:
		return nil
	}
	if v.e.watched {
		c.event(q, m, EventDeleted, now)
	}
	q.remove(m, c)
	return nil
}

// receiptAge is what has become of the delivery that a receipt is of.
type receiptAge uint8

const (
	current    receiptAge = iota
	expired               // the message is visible again and was not received since
	superseded            // the message was received again, or the receipt was replaced
	gone                  // the message does not exist any more
)

// resolve finds the message of a receipt. Returns ReceiptInvalid for what this queue never handed out.
func (q *queue) resolve(r Receipt) (*message, receiptAge, error) {
	sequence, delivery, ok := readReceipt(q.id, q.salt, r)
	if !ok {
		return nil, gone, &Error{Kind: ReceiptInvalid, Value: r}
	}
	m := q.messages[sequence]
	switch {
	case m == nil:
		return nil, gone, nil
	case m.delivery != delivery:
		return m, superseded, nil
	case m.state == visible:
		return m, expired, nil
	default:
		return m, current, nil
	}
}

func (a receiptAge) refusal(r Receipt) error {
	if a == gone {
		return &Error{Kind: MessageGone, Value: r}
	}
	return &Error{Kind: ReceiptExpired, Value: r}
}

func (v *view) receiptRules(q *queue) *ReceiptRules {
	if q.settings().FIFO {
		return &v.rules.FIFOReceipts
	}
	return &v.rules.StandardReceipts
}
