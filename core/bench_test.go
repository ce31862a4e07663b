package core

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
)

// discard takes commits and keeps nothing.
type discard struct{ persistence.Store }

func (discard) Commit(*persistence.Batch) error { return nil }

func benchWorld(b *testing.B, store persistence.Store, budget int64) *world {
	r := forgiving()
	r.MaxInFlight = 0
	w := &world{TB: b, clock: newManual(), store: store, budget: budget, rules: r}
	e, err := Open(store, Options{Clock: clock.System{}, BodyBudget: budget})
	if err != nil {
		b.Fatal(err)
	}
	w.engine, w.Broker = e, e.Under(r)
	b.Cleanup(w.close)
	return w
}

// fill sends n messages to groups by turns.
func (w *world) fill(q QueueKey, n, groups int, body string) {
	w.Helper()
	batch := make([]Outgoing, 0, 1000)
	for i := range n {
		batch = append(batch, Outgoing{Body: body, Group: new(fmt.Sprint(i % groups))})
		if len(batch) < cap(batch) && i < n-1 {
			continue
		}
		if _, err := w.Send(context.Background(), q, batch); err != nil {
			w.Fatalf("Send() = %v", err)
		}
		batch = batch[:0]
	}
}

// BenchmarkCycle sends, receives and deletes one message. It must cost the same whatever the queue holds.
func BenchmarkCycle(b *testing.B) {
	body := strings.Repeat("x", 1024)
	for _, kind := range []struct {
		name   string
		fifo   bool
		groups int
	}{{"standard", false, 1}, {"tenants", false, 1000}, {"FIFO", true, 1000}} {
		for _, depth := range []int{1000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/depth=%d", kind.name, depth), func(b *testing.B) {
				w := benchWorld(b, memory.New(), -1)
				w.rules.GroupOnly = true
				w.Broker = w.engine.Under(w.rules)
				q := w.create("q", Patch{FIFO: &kind.fifo})
				w.fill(q, depth, kind.groups, "x")
				ctx, none := context.Background(), time.Duration(0)
				i := 0
				b.ReportAllocs()
				for b.Loop() {
					i++
					group := fmt.Sprint(i % kind.groups)
					if _, err := w.Send(ctx, q, []Outgoing{{Body: body, Group: &group}}); err != nil {
						b.Fatal(err)
					}
					got, err := w.Receive(ctx, q, ReceiveRequest{Wait: &none})
					if err != nil || len(got) != 1 {
						b.Fatalf("Receive() = %d messages, %v", len(got), err)
					}
					if _, err := w.Delete(ctx, q, []Receipt{got[0].Receipt}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkInFlight is BenchmarkCycle behind many messages in flight and delayed ones.
func BenchmarkInFlight(b *testing.B) {
	for _, depth := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			w := benchWorld(b, memory.New(), -1)
			q := w.create("q", Patch{Visibility: new(12 * time.Hour)})
			w.fill(q, depth, 1, "x")
			for range depth / 10 {
				w.receive(q, 10)
			}
			w.amend(q, Patch{Delay: new(15 * time.Minute)})
			w.fill(q, depth, 1, "x")
			ctx, none := context.Background(), time.Duration(0)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Send(ctx, q, []Outgoing{{Body: "x", Delay: &none}}); err != nil {
					b.Fatal(err)
				}
				got, err := w.Receive(ctx, q, ReceiveRequest{Wait: &none})
				if err != nil || len(got) != 1 {
					b.Fatalf("Receive() = %d messages, %v", len(got), err)
				}
				if _, err := w.Delete(ctx, q, []Receipt{got[0].Receipt}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkFootprint reports the bytes of memory that a waiting message of 1 KiB takes: what the engine needs to know
// of it, and all of it in a store that is in memory.
func BenchmarkFootprint(b *testing.B) {
	const n = 200_000
	for _, kind := range []struct {
		name string
		fifo bool
	}{{"standard", false}, {"FIFO", true}} {
		for _, records := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/records=%v", kind.name, records), func(b *testing.B) {
				for b.Loop() {
					store, budget := persistence.Store(discard{memory.New()}), int64(1)
					if records {
						store, budget = memory.New(), -1
					}
					w := benchWorld(b, store, budget)
					w.rules.GroupOnly = true
					w.Broker = w.engine.Under(w.rules)
					q := w.create("q", Patch{FIFO: &kind.fifo})
					before := heapInUse()
					w.fill(q, n, 1000, strings.Repeat("x", 1024))
					b.ReportMetric(float64(heapInUse()-before)/n, "B/message")
					runtime.KeepAlive(w)
				}
			})
		}
	}
}

// BenchmarkQueues works on 10,000 queues by turns, and reports what an empty one takes.
func BenchmarkQueues(b *testing.B) {
	const n = 10_000
	w := benchWorld(b, memory.New(), -1)
	before := heapInUse()
	var queues []QueueKey
	begin := w.Now()
	for i := range n {
		queues = append(queues, w.create(fmt.Sprint("q", i), Patch{}))
	}
	creating := w.Now().Sub(begin)
	empty := float64(heapInUse()-before) / n
	ctx, none := context.Background(), time.Duration(0)
	i := 0
	for b.Loop() {
		i++
		q := queues[i%n]
		if _, err := w.Send(ctx, q, []Outgoing{{Body: "x"}}); err != nil {
			b.Fatal(err)
		}
		got, err := w.Receive(ctx, q, ReceiveRequest{Wait: &none})
		if err != nil || len(got) != 1 {
			b.Fatalf("Receive() = %d messages, %v", len(got), err)
		}
		if _, err := w.Delete(ctx, q, []Receipt{got[0].Receipt}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(empty, "B/queue")
	b.ReportMetric(float64(creating.Microseconds())/n, "µs/create")
}
