package control

import (
	"net/http"

	"github.com/sluicemq/sluice/core"
)

func (a *API) listMoves(r *http.Request) (int, any, error) {
	moves, err := a.broker.Moves(r.Context(), queueOf(r), 10)
	if err != nil {
		return 0, nil, err
	}
	list := moveTaskList{Moves: make([]moveTask, len(moves))}
	for i := range moves {
		list.Moves[i] = shownMove(&moves[i])
	}
	return http.StatusOK, &list, nil
}

func (a *API) startMove(r *http.Request) (int, any, error) {
	source := queueOf(r)
	var in startMove
	if err := read(r, false, &in); err != nil {
		return 0, nil, err
	}
	var target *core.QueueKey
	if in.Target != nil {
		target = new(in.Target.from(source))
	}
	task, err := a.broker.StartMove(r.Context(), source, target, in.PerSecond)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, new(shownMove(&task)), nil
}

func (a *API) cancelMove(r *http.Request) (int, any, error) {
	task, err := a.broker.CancelMove(r.Context(), queueOf(r), r.PathValue("move"))
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, new(shownMove(&task)), nil
}

var moveStatuses = map[core.MoveStatus]string{
	core.MoveInProgress: "running", core.MoveCompleted: "completed", core.MoveCancelling: "cancelling",
	core.MoveCancelled: "cancelled", core.MoveFailed: "failed",
}

var moveFailures = map[core.MoveFailure]string{
	core.NoMoveFailure: "", core.MoveTargetGone: "targetGone", core.MoveOriginUnknown: "originUnknown",
}

func shownMove(t *core.MoveTask) moveTask {
	return moveTask{
		ID: t.ID, Source: refOf(t.Source), Target: maybe(t.Target), PerSecond: t.PerSecond, Status: moveStatuses[t.Status],
		Moved: t.Moved, ToMove: t.ToMove, Failure: moveFailures[t.Failure], Started: stamp(t.Started),
	}
}
