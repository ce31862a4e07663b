package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// linearCall is a verb on a FIFO queue of which everything is in flight for ever: the clock stands still.
type linearCall struct {
	verb string // "send", "receive", "delete"
	most int
	body string // "group:number"
}

// linearModel is a FIFO queue as a list of words: a body, with a '*' behind it while it is in flight.
var linearModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		list := strings.Fields(state.(string))
		call := input.(linearCall)
		switch call.verb {
		case "send":
			list = append(list, call.body)
		case "delete":
			list = slices.DeleteFunc(list, func(m string) bool { return m == call.body+"*" })
		default:
			got := strings.Fields(output.(string))
			if !linearReceive(list, got, call.most) {
				return false, state
			}
			for i, m := range list {
				if slices.Contains(got, m) {
					list[i] = m + "*"
				}
			}
		}
		return true, strings.Join(list, " ")
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v = %v", input, output) },
}

// linearReceive reports whether a receive may return what it got, whatever the order of the groups: of each group a
// run of messages from its head on, none of which is in flight, and all that there are if there is room.
func linearReceive(list, got []string, most int) bool {
	ready := map[string][]string{}
	closed := map[string]bool{}
	all := 0
	for _, m := range list {
		group, _, _ := strings.Cut(m, ":")
		if closed[group] = closed[group] || strings.HasSuffix(m, "*"); !closed[group] {
			ready[group] = append(ready[group], m)
			all++
		}
	}
	for _, m := range got {
		group, _, _ := strings.Cut(m, ":")
		if len(ready[group]) == 0 || ready[group][0] != m {
			return false
		}
		ready[group] = ready[group][1:]
	}
	return len(got) == min(all, most)
}

// A small concurrent history has an order in which the verbs, one after another, would have answered the same.
func TestFIFOIsLinearizable(t *testing.T) {
	for seed := range uint64(40) {
		w := newWorld(t, forgiving())
		q := w.fifo("q")
		var tick atomic.Int64
		var mu sync.Mutex
		var history []porcupine.Operation
		var all sync.WaitGroup
		do := func(client int, in linearCall, f func() string) {
			call := tick.Add(1)
			out := f()
			done := tick.Add(1)
			mu.Lock()
			defer mu.Unlock()
			history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: done})
		}
		for client := range 4 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(client)))
				var held []Received
				for i := range 8 {
					switch n := r.IntN(4); {
					case n < 2:
						body := fmt.Sprintf("g%d:%d-%d", r.IntN(2), client, i)
						do(client, linearCall{verb: "send", body: body}, func() string { w.send(q, body); return "" })
					case n == 2 || len(held) == 0:
						most := 1 + r.IntN(3)
						do(client, linearCall{verb: "receive", most: most}, func() string {
							got := w.receive(q, most)
							held = append(held, got...)
							return strings.Join(bodies(got), " ")
						})
					default:
						m := held[0]
						held = held[1:]
						do(client, linearCall{verb: "delete", body: m.Body}, func() string { w.drop(q, m.Receipt); return "" })
					}
				}
			})
		}
		all.Wait()
		if got := porcupine.CheckOperationsTimeout(linearModel, history, 10*time.Second); got != porcupine.Ok {
			t.Fatalf("history %d is %v: %+v", seed, got, history)
		}
	}
}
