package persistencetest

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/sluicemq/sluice/persistence"
)

// Benchmark measures Commit in the engine's steady state: batches of 1 and of 64 new records of 1 KiB that each push
// out the oldest ones, so that the store neither grows nor overwrites.
func Benchmark(b *testing.B, s persistence.Store) {
	value := make([]byte, 1024)
	for _, records := range []int{1, 64} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(records * len(value)))
			next := uint64(0)
			for b.Loop() {
				var batch persistence.Batch
				for range records {
					batch.Put(benchmarkKey(records, next), value)
					batch.Delete(benchmarkKey(records, next-1024))
					next++
				}
				if err := s.Commit(&batch); err != nil {
					b.Fatalf("Commit() = %v, want nil", err)
				}
			}
		})
	}
}

func benchmarkKey(records int, sequence uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{'m', byte(records)}, sequence)
}
