package badger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/sluicemq/sluice/persistence"
)

// Commit implements persistence.Store, in one transaction of Badger.
//
// It returns persistence.ErrFull while the disk is too full to write safely. A batch within MaxBatchBytes and
// MaxBatchOps is never too big for it; a bigger one may be, and keys must have 1 to 64,000 bytes and begin neither with
// the byte 0xFF nor with "!badger!": in these cases nothing is stored and the store goes on.
//
// After any other error the directory has to be opened again: the next Commit does that first, and a read that fails has it
// done for those that follow. If what failed was the fsync of Sync, the batch may then turn out to be stored after all: no
// one can know before. In the meantime reads fail.
func (s *Store) Commit(b *persistence.Batch) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed {
		return errClosed
	}
	if len(b.Ops) == 0 {
		return nil
	}
	if err := s.room(b.Size); err != nil {
		return err
	}
	if s.broken {
		if err := s.reopen(); err != nil {
			return err
		}
	}
	s.wake()
	return s.write(b)
}

func (s *Store) write(b *persistence.Batch) error {
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	var moved partChanges
	for i := range b.Ops {
		if err := s.apply(txn, &b.Ops[i], &moved); err != nil {
			return fmt.Errorf("persistence/badger: operation %d of a batch of %d bytes and %d operations: %w", i, b.Size, len(b.Ops), err)
		}
	}
	if err := s.finish(txn, logged(b.Size, len(b.Ops))); err != nil {
		return err
	}
	s.settle(moved)
	if s.shrinkage.note(b) {
		s.shrink()
	}
	return nil
}

// apply adds one operation to txn. Of two changes to one key Badger keeps the later.
func (s *Store) apply(txn *badgerdb.Txn, op *persistence.Op, moved *partChanges) error {
	if err := checkKey(op.Key); err != nil {
		return err
	}
	parts := 0
	if len(op.Value) > maxInline {
		parts = (len(op.Value) - 1) / maxInline
	}
	moved.note(s.split, op.Key, parts)
	switch {
	case op.Value == nil:
		return txn.Delete(op.Key)
	case parts == 0:
		return txn.Set(op.Key, op.Value)
	}
	return setInParts(txn, op, parts)
}

// checkKey refuses the keys that would collide with parts, and those that Badger would refuse with a hex dump.
func checkKey(key []byte) error {
	switch {
	case len(key) > maxKey:
		return fmt.Errorf("the key has %d bytes, more than %d", len(key), maxKey)
	case len(key) > 0 && key[0] == partMark:
		return errors.New("the key begins with the reserved byte 0xFF")
	}
	return nil
}

// logged is about how many bytes changes take in the log.
func logged(size, ops int) int { return size + (ops+1)*recordRoom }

// finish commits txn, of so many bytes, and notes whether Badger can be used afterwards.
func (s *Store) finish(txn *badgerdb.Txn, size int) error {
	err := txn.Commit()
	if err == nil && s.syncs() {
		err = s.log.sync(size)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, badgerdb.ErrTxnTooBig):
		return fmt.Errorf("persistence/badger: commit of %d bytes: %w", size, err)
	}
	// Badger is in an unknown state now, at worst without a memtable: the next write would end the process.
	err = fmt.Errorf("persistence/badger: commit: %s", oneLine(err.Error()))
	s.fail(err)
	// Badger flattens the system's error to text, so whether the disk is full has to be asked again.
	if full := s.room(size); full != nil {
		return full
	}
	return err
}

// fail notes that Badger has to be opened again, and why. Until then reads fail.
func (s *Store) fail(err error) {
	s.broken = true
	s.readers.shut(err)
}

// enter is the gate's, for a reader that cannot wait. Whoever reads after a failed write wants to go on from what is stored,
// and may not commit before it has it: so a read that is refused has Badger opened again, in the background, since that takes
// until readers have left, of which this may be one, and as long as the disk refuses what Badger still holds.
func (s *Store) enter() error {
	err := s.readers.enter()
	if err != nil && !errors.Is(err, errClosed) && s.mending.CompareAndSwap(false, true) {
		go s.mend()
	}
	return err
}

func (s *Store) mend() {
	defer s.mending.Store(false)
	s.writing.Lock()
	defer s.writing.Unlock()
	if !s.broken || s.closed {
		return
	}
	if err := s.reopen(); err != nil {
		s.readers.shut(err) // the readers' reason from now on
	}
}

// reopen replaces a Badger that failed, which its log of writes survives.
func (s *Store) reopen() error {
	s.readers.drain()
	s.log.close()
	if s.db != nil {
		if err := s.db.Close(); err != nil && s.options.OnError != nil {
			s.options.OnError(fmt.Errorf("persistence/badger: close after a failed write: %w", err))
		}
		s.db = nil
	}
	if _, err := os.Stat(filepath.Join(s.dir, badgerdb.ManifestFilename)); err != nil {
		// Badger would begin anew, with nothing.
		return fmt.Errorf("persistence/badger: %s has been replaced or removed: %w", s.dir, reason(err))
	}
	return s.openDB()
}
