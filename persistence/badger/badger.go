// Package badger keeps records in a directory with Badger, an embedded log-structured tree. It is used as a durable
// log with keys: one write transaction a commit, and reads by key or in one pass at the start.
//
// What may look odd was measured. All values stay inside the tree, because Badger's value log never gave the space of
// deleted messages back; values of 1 MiB and more, which Badger would send to the value log, are cut into parts
// (split.go). Its TTL, which reads the machine's clock, is not used, and its DropPrefix, which makes other writes fail, only
// while none can come (shrink.go). The files are checked before Badger sees them, since it drops what is damaged without a
// word (inspect.go).
package badger

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/sluicemq/sluice/persistence"
)

// errClosed is returned by every method but Close once the store is closed.
var errClosed = errors.New("persistence/badger: the store is closed")

// Options of Open. The zero value is ready.
type Options struct {
	// Sync makes each Commit wait until the disk has the batch: it survives power loss. Without it a batch survives
	// the end of the process, however sudden, since the kernel already holds the written pages.
	Sync bool

	// OnError, if set, is told of failures in Badger's background work, which no call returns, and again of some
	// that a call does return. It is called from any goroutine and must not call the store.
	OnError func(error)

	// After calls fn after d, in a goroutine of its own, unless stop is called before, which may come too late. With it a
	// store that nobody writes to takes no CPU; nil leaves Badger's background work to itself.
	After func(d time.Duration, fn func()) (stop func())

	// free measures the room in a directory; nil means the real one.
	free func(dir string) (bytes uint64, known bool)
}

// Store implements persistence.Store. Use Open.
type Store struct {
	dir     string
	options Options
	readers gate // what uses db without being a Commit

	writing sync.Mutex // held by Commit and Close; guards what follows, but readers may use db
	db      *badgerdb.DB
	log     writtenLog     // synced by each Commit with Options.Sync
	split   map[string]int // the records whose values are in parts, and in how many beside the first
	broken  bool           // a write failed inside Badger: db must be opened again before the next one
	closed  bool

	shrinkage shrinkage
	rest      rest
	mending   atomic.Bool // mend is under way
}

var _ persistence.Store = (*Store)(nil)

// Open opens the store in dir and makes the directory if it is missing. Each error is one line that names dir: it wraps
// persistence.ErrInUse if another store has dir open, in this process or another, persistence.ErrFull if fewer than
// the 64 MiB are free that Badger may need to recover what was written before, and persistence.ErrDamaged if a file is
// not what was written; then nothing in dir has changed. To find that out it reads all that is stored.
func Open(dir string, o Options) (*Store, error) {
	if o.free == nil {
		o.free = freeSpace
	}
	s := &Store{dir: dir, options: o}
	if err := prepare(dir); err != nil {
		return nil, err
	}
	if err := s.room(0); err != nil {
		return nil, err
	}
	if locked(dir) {
		return nil, inUse(dir)
	}
	if err := inspect(dir); err != nil {
		return nil, err
	}
	if err := s.openAfterKill(); err != nil {
		return nil, err
	}
	return s, nil
}

// madeAnew is how Badger says that it has given an empty file its size.
const madeAnew = "Create a new file"

// leftovers is how many files Open finishes that a killed process has left behind.
const leftovers = 32

// openAfterKill is openDB for a directory whose last user may have been killed. Badger makes a file before it gives
// it a size, and empties one before it removes it; in between the file is empty, holds nothing, and makes Badger refuse
// to open the directory. In refusing it gives the file its size, so the next try gets past it. Seen three times in 120
// kills under load.
func (s *Store) openAfterKill() error {
	for tries := 0; ; tries++ {
		err := s.openDB()
		if err == nil || tries == leftovers || !strings.Contains(err.Error(), madeAnew) {
			return err
		}
	}
}

// Get implements persistence.Store.
func (s *Store) Get(key []byte) (value []byte, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.readers.leave()
	defer surviveFailedWrite(&err)
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	item, err := txn.Get(key)
	switch {
	case errors.Is(err, badgerdb.ErrKeyNotFound), errors.Is(err, badgerdb.ErrEmptyKey):
		return nil, persistence.ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("persistence/badger: get: %w", err)
	}
	return wholeValue(txn, item)
}

// Close implements persistence.Store. It waits for running calls and writes what Badger still holds in memory to its
// tables, which takes 0.1 to 2 s, and longer while tables are merged. Calling it again does nothing.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.rest.stop != nil {
		s.rest.stop()
	}
	s.readers.shut(errClosed)
	s.readers.drain()
	s.log.close()
	if s.db == nil {
		return nil
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("persistence/badger: close: %w", err)
	}
	return nil
}

// openDB opens Badger and lets readers in. The caller holds writing, or is Open.
func (s *Store) openDB() error {
	db, err := badgerdb.Open(tuned(s.dir, s.options))
	if err != nil {
		return openFailure(s.dir, err)
	}
	s.db = db
	if err := s.prepareCommits(); err != nil {
		s.log.close()
		s.db = nil
		return errors.Join(err, db.Close())
	}
	s.shrinkage.reset(s.db)
	s.broken = false
	s.rest.resting = false
	s.wake()
	s.readers.open()
	return nil
}

// prepareCommits finds what commits go by. The log is first, since findParts commits as well.
func (s *Store) prepareCommits() error {
	if s.syncs() {
		if err := s.log.open(s.dir); err != nil {
			return fmt.Errorf("persistence/badger: open %s: %w", s.dir, err)
		}
	}
	return s.findParts()
}

// syncs reports whether Commit syncs the log.
func (s *Store) syncs() bool { return s.options.Sync && syncsItself }

// surviveFailedWrite turns a nil dereference inside Badger into an error. When Badger cannot make the file of a new
// memtable (no file descriptor left, say) it goes on without any, and a read in the instant before Commit hears of it
// and shuts the readers' gate would end the process. Every other panic goes on.
func surviveFailedWrite(err *error) {
	switch r := recover().(type) {
	case nil:
	case runtime.Error:
		*err = fmt.Errorf("persistence/badger: a write failed inside Badger: %w", r)
	default:
		panic(r)
	}
}
