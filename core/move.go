package core

import (
	"context"
	"slices"
	"time"
)

// MoveStatus is where a move task stands.
type MoveStatus uint8

// The statuses of move tasks.
const (
	MoveInProgress MoveStatus = iota + 1
	MoveCompleted
	MoveCancelling
	MoveCancelled
	MoveFailed
)

// MoveFailure is why a move task has failed.
type MoveFailure uint8

// The reasons.
const (
	NoMoveFailure     MoveFailure = iota
	MoveTargetGone                // the destination does not exist any more
	MoveOriginUnknown             // there is no destination and a message was not dead-lettered by a queue
)

// MoveTask describes the moving of messages out of a dead-letter queue.
type MoveTask struct {
	ID        string // 32 hexadecimal digits
	Source    QueueKey
	Target    *QueueKey // nil: each message goes to the queue that dead-lettered it
	PerSecond int       // 0: as fast as possible
	Status    MoveStatus
	Moved     int
	ToMove    int // what the source held when the task began
	Failure   MoveFailure
	Started   time.Time
}

// moveHistory is how many move tasks of a queue are remembered. Documented: ListMessageMoveTasks shows up to 10.
const moveHistory = 10

// moveStep is how many messages one commit moves at the most, within movedBytes.
const moveStep = 100

// move is a move task. It is guarded by the lock of its source.
type move struct {
	id        MessageID
	through   uint64 // the last sequence number when it began: later messages stay
	target    *QueueKey
	perSecond int
	status    MoveStatus
	moved     int
	toMove    int
	failure   MoveFailure
	started   instant
	cancelled chan struct{} // closed by CancelMove
}

func (m *move) task(q *queue) MoveTask {
	return MoveTask{
		ID: m.id.String(), Source: q.key, Target: m.target, PerSecond: m.perSecond, Status: m.status, Moved: m.moved,
		ToMove: m.toMove, Failure: m.failure, Started: m.started.time(),
	}
}

// StartMove implements Broker.
func (v *view) StartMove(_ context.Context, source QueueKey, target *QueueKey, perSecond *int) (MoveTask, error) {
	if err := checkGiven(v.rules.MoveRate, MoveRate, perSecond); err != nil {
		return MoveTask{}, err
	}
	if err := v.e.checkMove(source, target); err != nil {
		return MoveTask{}, err
	}
	q, err := v.e.open(source)
	if err != nil {
		return MoveTask{}, notFoundAs(MoveSourceNotFound, err)
	}
	now := v.e.now()
	var c changes
	q.advance(now, &c, v.e.watched)
	if n := len(q.moves); n > 0 && q.moves[n-1].running() {
		return MoveTask{}, v.e.abandon(q, &c, &Error{Kind: MoveRunning})
	}
	m := &move{
		id: newMessageID(), through: v.e.sequence.next(&c), target: target, perSecond: defaultTo(perSecond, 0),
		status: MoveInProgress, toMove: q.count[visible], started: now, cancelled: make(chan struct{}),
	}
	q.moves = append(q.moves, m)
	for len(q.moves) > moveHistory {
		c.batch.Delete(messageKey(movePrefix, q.id, q.moves[0].through))
		q.moves = slices.Delete(q.moves, 0, 1)
	}
	q.saveMove(m, &c)
	task := m.task(q)
	if err := v.e.commit(q, &c); err != nil {
		return MoveTask{}, err
	}
	v.e.movers.start(func() { v.e.runMove(q, m, v.rules.MoveKeepsReceives) })
	return task, nil
}

// checkMove tells whether there may be a move from source to target.
func (e *Engine) checkMove(source QueueKey, target *QueueKey) error {
	from, err := e.find(source)
	if err != nil {
		return notFoundAs(MoveSourceNotFound, err)
	}
	if target != nil {
		to, err := e.find(*target)
		switch {
		case err != nil:
			return notFoundAs(MoveTargetNotFound, err)
		case to == from:
			return &Error{Kind: MoveTargetIsSource}
		case to.settings().FIFO != from.settings().FIFO:
			return &Error{Kind: MoveTargetType}
		}
	}
	if found, _ := e.list(source.Namespace, "", "", 1, redrivesTo(source)); len(found) == 0 {
		return &Error{Kind: MoveSourceNotDeadLetter}
	}
	return nil
}

// notFoundAs tells which of the queues of a move it is that was not found.
func notFoundAs(kind Kind, err error) error {
	if k, ok := kindOf(err); ok && k == QueueNotFound {
		return &Error{Kind: kind}
	}
	return err
}

func (m *move) running() bool { return m.status == MoveInProgress || m.status == MoveCancelling }

// CancelMove implements Broker.
func (v *view) CancelMove(_ context.Context, source QueueKey, id string) (MoveTask, error) {
	q, err := v.e.open(source)
	if err != nil {
		return MoveTask{}, notFoundAs(MoveSourceNotFound, err)
	}
	i := slices.IndexFunc(q.moves, func(m *move) bool { return m.id.String() == id })
	switch {
	case i < 0:
		err = &Error{Kind: MoveNotFound}
	case q.moves[i].status != MoveInProgress:
		err = &Error{Kind: MoveNotRunning}
	}
	if err != nil {
		q.mu.Unlock()
		return MoveTask{}, err
	}
	m := q.moves[i]
	var c changes
	m.status = MoveCancelling
	q.saveMove(m, &c)
	task := m.task(q)
	if err := v.e.commit(q, &c); err != nil {
		return MoveTask{}, err
	}
	close(m.cancelled)
	return task, nil
}

// Moves implements Broker.
func (v *view) Moves(_ context.Context, source QueueKey, limit int) ([]MoveTask, error) {
	q, err := v.e.open(source)
	if err != nil {
		return nil, notFoundAs(MoveSourceNotFound, err)
	}
	var tasks []MoveTask
	for _, m := range slices.Backward(q.moves) {
		if len(tasks) < limit {
			tasks = append(tasks, m.task(q))
		}
	}
	q.mu.Unlock()
	return tasks, v.e.journal.barrier()
}

func (q *queue) saveMove(m *move, c *changes) {
	c.batch.Put(messageKey(movePrefix, q.id, m.through), encodeMove(m))
}

// resumeMove goes on with a move that a restart has interrupted. The queue is locked.
// The receive counts are kept, as the rules of the one provider that has moves say.
func (e *Engine) resumeMove(q *queue) {
	if n := len(q.moves); n > 0 && q.moves[n-1].running() {
		m := q.moves[n-1]
		e.movers.start(func() { e.runMove(q, m, true) })
	}
}

// loadMoves reads the move tasks of a queue. One that is running already goes on as it is.
func (e *Engine) loadMoves(q *queue) error {
	known := map[MessageID]*move{}
	for _, m := range q.moves {
		known[m.id] = m
	}
	q.moves = nil
	return e.journal.store.Load(queueKey(movePrefix, q.id), nil, func(key, value []byte) error {
		m := &move{through: sequenceOf(key), cancelled: make(chan struct{})}
		if err := decodeMove(value, m); err != nil {
			return err
		}
		if was := known[m.id]; was != nil {
			m.cancelled = was.cancelled
			*was = *m
			m = was
		}
		q.moves = append(q.moves, m)
		return nil
	})
}

func encodeMove(m *move) []byte {
	w := newWriter(96)
	w.b = append(w.b, m.id[:]...)
	w.bool(m.target != nil)
	if m.target != nil {
		w.key(*m.target)
	}
	for _, n := range []int{m.perSecond, int(m.status), m.moved, m.toMove, int(m.failure)} {
		w.uint(uint64(n))
	}
	w.instant(m.started)
	return w.b
}

func decodeMove(record []byte, m *move) error {
	r := newReader(record)
	m.id = r.id()
	if r.bool() {
		k := r.key()
		m.target = &k
	}
	m.perSecond, m.status, m.moved = int(r.uint()), MoveStatus(r.uint()), int(r.uint())
	m.toMove, m.failure = int(r.uint()), MoveFailure(r.uint())
	m.started = r.instant()
	return r.err
}
