package histories_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/sluicemq/sluice/conformance/model"
	"github.com/sluicemq/sluice/core/clock"
)

// recorder notes between which instants events took place. Instants are nanoseconds since it was made.
type recorder struct {
	began  time.Time
	timers atomic.Int64

	mu         sync.Mutex
	operations []porcupine.Operation
}

func newRecorder() *recorder { return &recorder{began: clock.System{}.Now()} }

func (r *recorder) instant() int64 { return int64(clock.System{}.Now().Sub(r.began)) }

// slack is by how much more than the length of the request that asked for it the end of a timeout is uncertain: the
// server counts in milliseconds.
const slack = int64(2 * time.Millisecond)

// done is what a client did.
type done struct {
	event  model.Event
	queue  string
	hidden time.Duration // for how long messages are hidden by it; 0: none are
	at     time.Time     // when the server did it, in whole milliseconds, if the answer tells
	looks  int           // how many looks of a receive there may have been before the last
}

// did runs a request and notes what the client did. The request is given a timer for what it hides; what is hidden
// becomes visible so much later, which is an event of its own.
func (r *recorder) did(client int, request func(timer int) done) {
	timer := int(r.timers.Add(1))
	call := r.instant()
	d := request(timer)
	end := r.instant()
	r.mu.Lock()
	defer r.mu.Unlock()
	for range d.looks {
		look := porcupine.Operation{ClientId: client, Input: model.Searched{Queue: d.queue}, Call: call, Return: end}
		r.operations = append(r.operations, look)
	}
	if at := int64(d.at.Sub(r.began)); !d.at.IsZero() {
		call, end = max(call, at-slack), min(end, at+slack)
	}
	r.operations = append(r.operations, porcupine.Operation{ClientId: client, Input: d.event, Call: call, Return: end})
	if d.hidden > 0 {
		due := porcupine.Operation{
			ClientId: dueClient, Input: model.Due{Queue: d.queue, Timer: timer}, Call: call + int64(d.hidden) - slack, Return: end + int64(d.hidden) + slack,
		}
		r.operations = append(r.operations, due)
	}
}

// dueClient stands for the server's clock among the clients.
const dueClient = 99

// history returns what has happened by now.
func (r *recorder) history() []porcupine.Operation {
	end := r.instant()
	r.mu.Lock()
	defer r.mu.Unlock()
	learnSequences(r.operations)
	return slices.DeleteFunc(slices.Clone(r.operations), func(o porcupine.Operation) bool { return o.Call > end })
}

// learnSequences tells sends whose answers have no sequence numbers which ones receives have shown since: that leaves
// far fewer orders to try.
func learnSequences(all []porcupine.Operation) {
	shown := map[string]string{}
	for _, o := range all {
		if e, ok := o.Input.(model.Received); ok {
			for _, m := range e.Messages {
				if m.Source == "" && m.Sequence != "" { // a dead-lettered message has another one
					shown[m.ID] = m.Sequence
				}
			}
		}
	}
	for _, o := range all {
		if e, ok := o.Input.(model.Sent); ok && !e.Rules.ShowsFIFO {
			for i := range e.Results {
				e.Results[i].Later = shown[e.Results[i].ID]
			}
		}
	}
}

// world is a state for porcupine, which compares states very often.
type world struct {
	*model.World
	key  string
	hash uint64
}

func stateOf(w *model.World) world {
	h := fnv.New64a()
	key := w.Key()
	_, _ = h.Write([]byte(key))
	return world{w, key, h.Sum64()}
}

// specification is the reference model for porcupine: from each world, all that may be after an event.
func specification(start *model.World) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{stateOf(start)} },
		Step: func(state, event, _ any) []any {
			worlds, err := state.(world).After(event.(model.Event))
			if err != nil {
				return nil
			}
			after := make([]any, len(worlds))
			for i, w := range worlds {
				after[i] = stateOf(w)
			}
			return after
		},
		Equal: func(a, b any) bool { return a.(world).key == b.(world).key },
		Hash:  func(state any) uint64 { return state.(world).hash },
	}
	return m.ToModel()
}

// patience is how long one history may be checked. It takes well under a second.
const patience = 20 * time.Second

// check fails the test unless there is an order of the events in which the model allows all of them.
func check(t *testing.T, start *model.World, history []porcupine.Operation) {
	t.Helper()
	began := clock.System{}.Now()
	defer func() { t.Logf("%d events were judged in %v", len(history), clock.System{}.Now().Sub(began)) }()
	result, info := porcupine.CheckOperationsVerbose(specification(start), history, patience)
	switch result {
	case porcupine.Ok:
	case porcupine.Unknown:
		t.Errorf("a history of %d events could not be judged in %v", len(history), patience)
	default:
		t.Errorf("no order explains the history:\n%s", explained(start, history, info))
	}
}

// explained shows the end of the longest order that was found, and what could not follow it.
func explained(start *model.World, history []porcupine.Operation, info porcupine.LinearizationInfo) string {
	var longest []porcupine.Operation
	for _, partial := range info.PartialLinearizationsOperations()[0] {
		if len(partial) > len(longest) {
			longest = partial
		}
	}
	m := model.New(start)
	done := map[string]int{}
	for _, o := range longest {
		_ = m.Happened(o.Input.(model.Event))
		done[key(o)]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "after %d of %d events, of which these are the last:\n", len(longest), len(history))
	for _, o := range longest[max(0, len(longest)-30):] {
		fmt.Fprintln(&b, "   ", key(o))
	}
	b.WriteString("none of these can follow:\n")
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	end := int64(-1) // what was called later than one of the rest returned has to wait for that
	for _, o := range history {
		if done[key(o)]--; done[key(o)] >= 0 || end >= 0 && o.Call > end {
			continue
		}
		if end < 0 || o.Return < end {
			end = o.Return
		}
		why, _, _ := strings.Cut(fmt.Sprint(m.Happened(o.Input.(model.Event))), "\n")
		fmt.Fprintf(&b, "    %s\n        %s\n", key(o), why)
	}
	return b.String()
}

func key(o porcupine.Operation) string {
	at := func(n int64) string { return time.Duration(n).Round(10 * time.Microsecond).String() }
	return fmt.Sprintf("client %d %s-%s %s", o.ClientId, at(o.Call), at(o.Return), described(o.Input.(model.Event)))
}
