package badger

import (
	"fmt"
	"sync"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/sluicemq/sluice/persistence"
)

// Badger compacts by the sizes of its levels. When a large backlog has been drained, or purged, nothing is oversized any
// more, and the tables of the messages that are gone stay for ever: 729 MB of a drained million of 1 KiB, 1,152 MB of a
// purged one. So once half of the records have gone, and enough room would come back, the tables are merged in the
// background. A backlog that only turns over does not get here: Badger's own compaction keeps up with that.
const (
	// worthwhile is the room that must be expected to come back.
	worthwhile = 48 << 20
	// lookEvery is by how many records the store must have shrunk before its tables are looked at, again.
	lookEvery = 1 << 10
)

// shrinkage counts records. One that is rewritten counts as two, so it takes a greater loss to notice one.
type shrinkage struct {
	records, most int64 // now, and at most since the tables were merged
	look          int64 // the loss at which to look

	running bool
	merging sync.WaitGroup
}

// reset begins anew with the records in the tables.
func (n *shrinkage) reset(db *badgerdb.DB) {
	records, _ := inTables(db)
	n.records, n.most, n.look = records, records, lookEvery
}

// note counts a batch and reports whether it is time to look at the tables.
func (n *shrinkage) note(b *persistence.Batch) bool {
	for i := range b.Ops {
		if b.Ops[i].Value == nil {
			n.records--
		} else {
			n.records++
		}
	}
	if n.records >= n.most {
		n.most, n.look = n.records, lookEvery
	}
	return n.most-n.records >= n.look
}

// shrink merges the tables in the background if much of what they hold has gone, and again while that is so. The caller
// holds writing.
func (s *Store) shrink() {
	n := &s.shrinkage
	n.look = n.most - n.records + lookEvery
	if n.running || !n.due(s.db) {
		return
	}
	n.running = true
	n.merging.Go(func() {
		for s.merge() {
		}
	})
}

// due reports whether half of the records have gone, and enough room would come back.
func (n *shrinkage) due(db *badgerdb.DB) bool {
	lost := n.most - n.records
	if lost < lookEvery || 2*lost < n.most {
		return false
	}
	_, bytes := inTables(db)
	return float64(bytes)*float64(lost)/float64(n.most) >= worthwhile
}

// merge merges all tables once if that is due, and reports whether it was. It counts as a reader, so that Badger is not
// closed under it. Errors are dropped: either there was nothing to merge, or the disk fails and the next commit tells.
func (s *Store) merge() bool {
	if !s.beginMerge() {
		return false
	}
	defer s.readers.leave()
	_ = s.db.Flatten(1)
	return true
}

func (s *Store) beginMerge() bool {
	s.writing.Lock()
	defer s.writing.Unlock()
	n := &s.shrinkage
	n.running = false
	if s.closed || s.broken || s.db == nil || !n.due(s.db) || s.room(0) != nil {
		return false
	}
	n.most, n.look = max(n.records, 1), lookEvery
	if err := s.flush(); err != nil {
		s.fail(fmt.Errorf("persistence/badger: flush: %s", oneLine(err.Error())))
		return false
	}
	n.running = s.readers.enter() == nil
	return n.running
}

// flush makes a table of the memtable: the deletions in it may be those of a gigabyte. The only call of Badger that does
// so is DropPrefix. What it does to other writes, it makes them fail, is no matter while none can come: the caller holds
// writing, and commits wait for 0.1 to 0.3 s.
//
// Both calls may begin a log, and the first of those may go while a reader keeps the one before.
func (s *Store) flush() error {
	nobodys := partKey([]byte("flush"), 1) // findParts would remove it
	err := s.db.Update(func(txn *badgerdb.Txn) error { return txn.Set(nobodys, nil) })
	if err == nil {
		err = s.db.DropPrefix(nobodys)
	}
	if err == nil && s.syncs() {
		err = s.log.open(s.dir)
	}
	return err
}

func inTables(db *badgerdb.DB) (records, bytes int64) {
	for _, t := range db.Tables() {
		records += int64(t.KeyCount)
		bytes += int64(t.OnDiskSize)
	}
	return records, bytes
}
