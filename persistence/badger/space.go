package badger

import (
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/sluicemq/sluice/persistence"
)

// Badger writes through memory-mapped files that it makes with holes. The disk gives room to a hole only when the page
// is first touched, and where there is none left the kernel answers not with an error but with SIGBUS, which ends the
// process. So the store stops writing while Badger still has room to finish what it does in the background.
const (
	// reserve is the least that is left free.
	reserve = 64 << 20
	// flushed is what both memtables take as tables before their logs are deleted, and small files with them.
	flushed = 2*memTableSize + 8<<20
	// compacted is the most that compactions are expected to write before they delete what they read.
	compacted = 512 << 20
)

// room returns persistence.ErrFull unless a batch of size bytes may be written: it takes its size once in the log and
// once in a table. The reserve alone is not enough: when volumes of 190 to 300 MiB were filled with keys in random
// order, a compaction met SIGBUS on each. All compactions at once write no more than all tables hold; so below 512 MiB of
// messages as much must be free as they take. Tables of deleted messages count until Badger compacts them, at the
// latest when there are five new ones: a volume of less than 256 MiB can stay full with little in it.
func (s *Store) room(size int) error {
	free, known := s.options.free(s.dir)
	if !known || free >= needed(size, compacted) {
		return nil // and the tables need not be counted
	}
	stored := uint64(0)
	if s.db != nil && !s.broken {
		stored = tables(s.db)
	}
	need := needed(size, stored)
	if free >= need {
		return nil
	}
	return fmt.Errorf("%w: %s has %d MiB free, and %d MiB are needed to write safely", persistence.ErrFull, s.dir, free>>20, need>>20+1)
}

// needed returns the room that must be free for a batch of size bytes beside so many bytes of tables.
func needed(size int, tables uint64) uint64 {
	return max(reserve, flushed+min(compacted, tables)) + 2*uint64(size)
}

func tables(db *badgerdb.DB) uint64 {
	bytes := int64(0)
	for _, level := range db.Levels() {
		bytes += level.Size
	}
	return uint64(bytes)
}
