package sqs

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// moveStatuses and moveFailures are the provider's words for the engine's.
var (
	moveStatuses = map[core.MoveStatus]string{
		core.MoveInProgress: "RUNNING", core.MoveCompleted: "COMPLETED", core.MoveCancelling: "CANCELLING",
		core.MoveCancelled: "CANCELLED", core.MoveFailed: "FAILED",
	}
	moveFailures = map[core.MoveFailure]string{
		core.NoMoveFailure:  "",
		core.MoveTargetGone: queueDoesNotExist.code, core.MoveOriginUnknown: "CouldNotDetermineMessageSource", // Recorded
	}
)

// ofTasks are the operations that a caller must be allowed to do to a queue besides those of its tasks. Documented for starting one.
// UNVERIFIED: that cancelling and listing them wants the same.
var ofTasks = []string{"ReceiveMessage", "DeleteMessage", "GetQueueAttributes"}

// startMove starts a task. Documented: to the target nothing is done but to send to it.
// UNVERIFIED: that one of another account is never one.
func (s *service) startMove(ctx context.Context, from *caller, in *startMoveInput) (*startMoveOutput, error) {
	source, err := s.queueOfARN(from, in.SourceARN, "SourceArn")
	if err != nil {
		return nil, err
	}
	var target *core.QueueKey
	if in.DestinationARN != nil && *in.DestinationARN != "" {
		key, err := s.readARN(in.DestinationARN, "DestinationArn")
		if err == nil && key.Namespace.Account != source.Namespace.Account {
			_, err = s.own(from, key)
		}
		if err == nil {
			err = s.may(from, key, "SendMessage")
		}
		if err != nil {
			return nil, err
		}
		target = &key
	}
	task, err := s.broker.StartMove(ctx, source, target, in.PerSecond)
	if err != nil {
		return nil, err
	}
	return &startMoveOutput{TaskHandle: s.taskHandle(&task)}, nil
}

func (s *service) cancelMove(ctx context.Context, from *caller, in *cancelMoveInput) (*cancelMoveOutput, error) {
	switch {
	case in.TaskHandle == nil:
		return nil, missing("TaskHandle")
	case *in.TaskHandle == "":
		return nil, invalidParameterValue.say("The TaskHandle parameter is required.")
	}
	source, id, ok := s.parseTaskHandle(*in.TaskHandle)
	if !ok {
		return nil, invalidParameterValue.say("Value for parameter TaskHandle is invalid.") // Recorded
	}
	if err := s.mayMove(from, source); err != nil {
		return nil, err
	}
	task, err := s.broker.CancelMove(ctx, source, id)
	if err != nil {
		return nil, err
	}
	return &cancelMoveOutput{Moved: task.Moved}, nil
}

func (s *service) listMoves(ctx context.Context, from *caller, in *listMovesInput) (*listMovesOutput, error) {
	source, err := s.queueOfARN(from, in.SourceARN, "SourceArn")
	if err != nil {
		return nil, err
	}
	limit := 1
	if in.MaxResults != nil {
		limit = *in.MaxResults
	}
	if limit < 1 || limit > maxMoves {
		return nil, invalidParameterValue.say("Value for parameter MaxResults is invalid. Reason: You must enter a number that's between 1 and 10.")
	}
	tasks, err := s.broker.Moves(ctx, source, limit)
	if err != nil {
		return nil, err
	}
	out := &listMovesOutput{Results: make([]moveResult, len(tasks))}
	for i := range tasks {
		out.Results[i] = s.moveResult(&tasks[i])
	}
	return out, nil
}

// moveResult describes a task. Only a running one shows its handle, and only what was asked for is shown (Recorded).
func (s *service) moveResult(t *core.MoveTask) moveResult {
	r := moveResult{
		Status: moveStatuses[t.Status], SourceARN: s.arn(t.Source), Moved: t.Moved, ToMove: t.ToMove,
		Started: newEpochMillis(t.Started),
	}
	if t.Status == core.MoveInProgress {
		text := s.taskHandle(t)
		r.TaskHandle = &text
	}
	if t.Target != nil {
		text := s.arn(*t.Target)
		r.DestinationARN = &text
	}
	if t.PerSecond > 0 {
		r.PerSecond = &t.PerSecond
	}
	if reason := moveFailures[t.Failure]; reason != "" {
		r.FailureReason = &reason
	}
	return r
}

// queueOfARN reads the resource name of a queue, which need not exist, and refuses one whose tasks are not the caller's.
func (s *service) queueOfARN(from *caller, given *string, parameter string) (core.QueueKey, error) {
	key, err := s.readARN(given, parameter)
	if err == nil {
		err = s.mayMove(from, key)
	}
	return key, err
}

// mayMove refuses a queue whose tasks the caller may not start, cancel or list, whichever it wants.
func (s *service) mayMove(from *caller, key core.QueueKey) error {
	for _, operation := range append([]string{from.operation}, ofTasks...) {
		if err := s.may(from, key, operation); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) readARN(given *string, parameter string) (core.QueueKey, error) {
	if given == nil || *given == "" {
		return core.QueueKey{}, missing(parameter)
	}
	key, kind := s.parseARN(*given)
	if kind != "sqs" {
		return key, invalidParameterValue.say("You must use this format to specify the %s: arn:<partition>:<service>:<region>:<account-id>:<resource-id>", parameter)
	}
	return key, nil
}

// taskHandle writes a handle in the form of the real service: base64 of a JSON object with a UUID and the source
// (Recorded).
func (s *service) taskHandle(t *core.MoveTask) string {
	var id [16]byte
	_, _ = hex.Decode(id[:], []byte(t.ID))
	b := wire.AppendJSONText([]byte(`{"taskId":`), uuid(id))
	b = wire.AppendJSONText(append(b, `,"sourceArn":`...), s.arn(t.Source))
	return base64.StdEncoding.EncodeToString(append(b, '}'))
}

func (s *service) parseTaskHandle(text string) (source core.QueueKey, id string, ok bool) {
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return source, "", false
	}
	o, _ := parseObject(decoded)
	id, hasID := o.text("taskId")
	arn, _ := o.text("sourceArn")
	source, kind := s.parseARN(arn)
	return source, strings.ReplaceAll(id, "-", ""), hasID && kind == "sqs"
}
