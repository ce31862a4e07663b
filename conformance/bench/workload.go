package bench

import "time"

// arrival is how long a poll is given to reach the server and wait there. Were it too short, the message would be there
// before the receiver: the latency would be that of a receive, never too long.
const arrival = 2 * time.Millisecond

// plan is how a workload is run.
type plan struct {
	turn    func(w *worker) error
	fifo    bool // on a FIFO queue
	many    bool // on Load.Queues queues
	alone   bool // each worker has a queue to itself
	paired  bool // each worker has a second connection
	parked  bool // beside Load.Parked polls
	filled  bool // with Load.Depth messages before the start
	emptied bool // after Load.Deleted messages have come and gone
	once    bool // ends by itself, so that it cannot be warmed up
}

// plans has a row for each workload.
var plans = map[Workload]plan{
	Send:     {turn: (*worker).sendOne},
	Cycle:    {turn: (*worker).cycle},
	Batch:    {turn: (*worker).cycleBatch},
	FIFO:     {turn: (*worker).cycleFIFO, fifo: true},
	LongPoll: {turn: (*worker).wake, alone: true, paired: true, parked: true},
	Drain:    {turn: (*worker).drain, filled: true, once: true},
	Queues:   {turn: (*worker).cycle, many: true},
	Depth:    {turn: (*worker).cycle, filled: true},
	Deleted:  {turn: (*worker).cycle, emptied: true},
}

func (w *worker) sendOne() error {
	body, err := w.ask(w.queue().send)
	if body != nil {
		w.messages++
	}
	return err
}

// sendBatch is not a workload but fills queues.
func (w *worker) sendBatch() error {
	done, err := w.askBatch(w.queue().sendBatch)
	if done {
		w.messages += int64(w.language.batch())
	}
	return err
}

// cycle never finds its queue empty: each worker has sent one message more than it has received when it receives.
func (w *worker) cycle() error {
	q := w.queue()
	if _, err := w.ask(q.send); err != nil {
		return err
	}
	if err := w.take(q.receive); err != nil {
		return err
	}
	return w.remove(q.deleteOne)
}

func (w *worker) cycleBatch() error {
	q := w.queue()
	if _, err := w.askBatch(q.sendBatch); err != nil {
		return err
	}
	if err := w.take(q.receiveBatch); err != nil {
		return err
	}
	return w.remove(q.deleteBatch)
}

// cycleFIFO goes through the groups, each worker in its own places. It may find all messages locked by others.
func (w *worker) cycleFIFO() error {
	q := w.queue()
	if _, err := w.ask(w.send.with(w.turn%w.groups, w.turn)); err != nil {
		return err
	}
	if err := w.take(q.receive); err != nil {
		return err
	}
	return w.remove(q.deleteOne)
}

// drain ends a worker at its first empty receive.
func (w *worker) drain() error {
	q := w.queue()
	if err := w.take(q.receiveBatch); err != nil {
		return err
	}
	if len(w.receipts) == 0 {
		return errDrained
	}
	return w.remove(q.deleteBatch)
}

// wake measures the time from the beginning of a send until a receiver that waited for it has its answer. The other
// requests are counted, but their latency is not: they are not what the workload is about. The rest before each send
// paces it. With one connection the server has nothing else to do and the latency is that of the wake-up; with as many
// as keep it busy, it is mostly that of the queue in front of the processor.
func (w *worker) wake() error {
	q := w.queue()
	if err := w.waiter.begin(w.ctx, q.poll); err != nil {
		return err
	}
	if !rest(w.ctx, w.clock, arrival) {
		return w.ctx.Err()
	}
	begin := w.clock.Now()
	if err := w.conn.begin(w.ctx, q.send); err != nil {
		return err
	}
	status, body, err := w.waiter.finish()
	if err != nil {
		return err
	}
	w.answered(begin)
	if err := w.keep(status, body); err != nil {
		return err
	}
	if status, body, err = w.conn.finish(); err != nil {
		return err
	}
	w.requests++
	if status > 299 {
		return w.refuse(status, body)
	}
	w.quiet = true
	defer func() { w.quiet = false }()
	return w.remove(q.deleteOne)
}
