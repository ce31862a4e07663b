package core

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
)

// forgetful is a store that keeps no messages, so that only what the engine holds of them is in memory.
type forgetful struct{ persistence.Store }

func (f forgetful) Commit(b *persistence.Batch) error {
	var kept persistence.Batch
	for _, op := range b.Ops {
		if op.Key[0] != messagePrefix {
			kept.Append([]persistence.Op{op})
		}
	}
	return f.Store.Commit(&kept)
}

// A stored message beyond the body budget costs memory for its place in the queue and for nothing else. It may be 190
// bytes, of which the table of all messages is a part that doubles now and then.
func TestStoredMessageTakesLittleMemory(t *testing.T) {
	const messages, most = 60_000, 190
	w := &world{TB: t, clock: newManual(), store: forgetful{memory.New()}, rules: forgiving(), budget: 1 << 20}
	w.open()
	t.Cleanup(w.close)
	q := w.create("q", Patch{})
	ten := slices.Repeat([]string{strings.Repeat("x", 1024)}, 10)
	for range 1024 {
		w.send(q, ten...) // so that the budget is used up
	}
	before := inUse()
	for range messages / 10 {
		w.send(q, ten...)
	}
	each := (inUse() - before) / messages
	t.Logf("a stored message takes %d bytes", each)
	if each > most {
		t.Errorf("a stored message takes %d bytes, want at most %d", each, most)
	}
	w.counts(q, messages+10*1024, 0, 0)
}

// inUse returns the bytes of memory in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestRecordsCountForWhatTheyTake(t *testing.T) {
	for size, want := range map[int32]int64{0: 0, 1: 1, 15: 15, 16: 16, 17: 18, 1024: 1024, 1025: 1152, 1152: 1152, 1 << 20: 1 << 20, 1<<20 + 1: 9 << 17} {
		if got := allocated(size); got != want {
			t.Errorf("allocated(%d) = %d, want %d", size, got, want)
		}
	}
	for size := int32(1); size < 1<<20; size += 1 + size/64 {
		room := cap(append([]byte(nil), make([]byte, size)...)) // what Go has really taken
		if got := allocated(size); int(got) < int(size) || int(got) > room+room/8 || int(got) < room-room/8-16 {
			t.Errorf("allocated(%d) = %d, and Go takes %d", size, got, room)
		}
	}
}
