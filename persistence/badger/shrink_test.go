package badger

import (
	"fmt"
	"testing"

	"github.com/sluicemq/sluice/persistence"
)

// TestTablesShrinkOnceMostHasGone fills a store and deletes everything, while others write.
func TestTablesShrinkOnceMostHasGone(t *testing.T) {
	const batches, each, value = 400, 100, 6000
	s := start(t, t.TempDir(), Options{})
	most := uint64(0)
	for i := range batches {
		var b persistence.Batch
		for j := range each {
			b.Put(fmt.Appendf(nil, "m/%06d", i*each+j), make([]byte, value))
		}
		if err := s.Commit(&b); err != nil {
			t.Fatalf("Commit() = %v, want nil", err)
		}
		most = max(most, tables(s.db))
	}
	for i := range batches {
		var b persistence.Batch
		for j := range each {
			b.Delete(fmt.Appendf(nil, "m/%06d", i*each+j))
		}
		b.Put(fmt.Appendf(nil, "kept/%06d", i), []byte("x"))
		if err := s.Commit(&b); err != nil {
			t.Fatalf("Commit() = %v, want nil", err)
		}
	}
	s.shrinkage.merging.Wait()
	const small = worthwhile + 8<<20
	if left := tables(s.db); most < small || left > small {
		t.Errorf("the tables have %d MiB after everything was deleted, and had %d MiB, want less than %d MiB", left>>20, most>>20, small>>20)
	}
	if got := count(t, s, ""); got != batches {
		t.Errorf("%d records are left, want %d", got, batches)
	}
}
