package histories_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/sluicemq/sluice/conformance/model"
)

// at is an event between two instants.
func at(call, end int64, e model.Event) porcupine.Operation {
	return porcupine.Operation{Input: e, Call: call, Return: end}
}

// sentTo is a message to the group g of a FIFO queue, whose body is its id.
func sentTo(number int, body string) model.Event {
	return model.Sent{
		Queue: "q", Rules: &model.SQS, Messages: []model.Outgoing{{Body: body, Group: new("g"), DedupID: new(body)}},
		Results: []model.SendResult{{ID: fmt.Sprint(body, number), Sequence: fmt.Sprint(number)}},
	}
}

// got is the nth receive of messages such as "a1", the first that was sent.
func got(n, most, timer int, ids ...string) model.Event {
	e := model.Received{Queue: "q", Rules: &model.SQS, Max: &most, Timer: timer}
	for _, id := range ids {
		e.Messages = append(e.Messages, model.Seen{
			ID: id, Body: id[:1], Group: "g", DedupID: id[:1], Sequence: id[1:], Receives: n, Handle: fmt.Sprint(id, "#", n),
		})
	}
	return e
}

func removed(n int, id string) model.Event {
	return model.Deleted{Queue: "q", Rules: &model.SQS, Receipt: model.Receipt{Queue: "q", ID: id, Handle: fmt.Sprint(id, "#", n), Born: 1}}
}

// What the checker of concurrent histories would find if it happened.
func TestCheckerTellsHistoriesApart(t *testing.T) {
	start, err := model.NewWorld(model.Limits{}, time.Time{}).After(model.Created{
		Queue: "q", Settings: model.Settings{FIFO: true, Visibility: time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	two := []porcupine.Operation{at(0, 5, sentTo(2, "b")), at(0, 5, sentTo(1, "a"))} // called at once
	for _, tt := range []struct {
		name    string
		history []porcupine.Operation
		want    porcupine.CheckResult
	}{
		{"received together", []porcupine.Operation{at(6, 7, got(1, 2, 1, "a1", "b2"))}, porcupine.Ok},
		{"received before the send returned", []porcupine.Operation{at(1, 3, got(1, 1, 1, "a1"))}, porcupine.Ok},
		{"received in the wrong order", []porcupine.Operation{at(6, 7, got(1, 2, 1, "b2", "a1"))}, porcupine.Illegal},
		{"received one although there were two", []porcupine.Operation{at(6, 7, got(1, 2, 1, "a1"))}, porcupine.Illegal},
		{"the group delivered twice at a time", []porcupine.Operation{at(6, 7, got(1, 1, 1, "a1")), at(7, 8, got(1, 1, 2, "b2"))}, porcupine.Illegal},
		{"the group freed by a deletion", []porcupine.Operation{
			at(6, 7, got(1, 1, 1, "a1")), at(8, 12, removed(1, "a1")), at(9, 10, got(1, 1, 2, "b2")),
		}, porcupine.Ok},
		{"the group delivered before the deletion began", []porcupine.Operation{
			at(6, 7, got(1, 1, 1, "a1")), at(8, 9, got(1, 1, 2, "b2")), at(10, 12, removed(1, "a1")),
		}, porcupine.Illegal},
		{"delivered again when the timeout was over", []porcupine.Operation{
			at(6, 7, got(1, 2, 1, "a1", "b2")), at(16, 18, model.Due{Queue: "q", Timer: 1}), at(17, 19, got(2, 2, 2, "a1", "b2")),
		}, porcupine.Ok},
		{"delivered again within its timeout", []porcupine.Operation{
			at(6, 7, got(1, 2, 1, "a1", "b2")), at(16, 18, model.Due{Queue: "q", Timer: 1}), at(14, 15, got(2, 2, 2, "a1", "b2")),
		}, porcupine.Illegal},
		{"hidden for longer than its timeout", []porcupine.Operation{
			at(6, 7, got(1, 2, 1, "a1", "b2")), at(16, 18, model.Due{Queue: "q", Timer: 1}), at(19, 20, got(0, 2, 2)),
		}, porcupine.Illegal},
		{"a duplicate sent", []porcupine.Operation{at(6, 7, sentTo(3, "a"))}, porcupine.Illegal},
		{"a duplicate known", []porcupine.Operation{at(6, 7, sentTo(1, "a"))}, porcupine.Ok},
		{"one lost", []porcupine.Operation{
			at(6, 7, got(1, 1, 1, "a1")), at(8, 9, removed(1, "a1")), at(10, 11, model.Counted{Queue: "q"}),
		}, porcupine.Illegal},
		{"one come back", []porcupine.Operation{
			at(6, 7, got(1, 1, 1, "a1")), at(8, 9, removed(1, "a1")), at(10, 11, got(2, 1, 2, "a1")),
		}, porcupine.Illegal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			history := append(two[:2:2], tt.history...)
			if got, _ := porcupine.CheckOperationsVerbose(specification(start[0]), history, patience); got != tt.want {
				t.Errorf("CheckOperations() = %v, want %v", got, tt.want)
			}
		})
	}
}
