package badger

import (
	"time"
	_ "unsafe" // for go:linkname

	badgerdb "github.com/dgraph-io/badger/v4"
)

// Badger's compactors ask twenty times a second, each, whether there is work, also when nothing is ever written: that
// was 0.5 to 0.8 % of a processor for an idle server. So they are stopped when nobody has committed for a while and no
// level is due, and started again by the next commit. Badger stops and starts them itself, in Flatten and DropPrefix,
// but exports neither. A version that has them no more does not link.

// restAfter is for how long nobody has to commit.
const restAfter = 10 * time.Second

//go:linkname stopCompactions github.com/dgraph-io/badger/v4.(*DB).stopCompactions
func stopCompactions(*badgerdb.DB)

//go:linkname startCompactions github.com/dgraph-io/badger/v4.(*DB).startCompactions
func startCompactions(*badgerdb.DB)

// rest is whether the compactors of a store rest. All of it is guarded by writing.
type rest struct {
	resting bool
	busy    bool   // there was a commit since it was last looked
	stop    func() // ends the wait for the next look; nil if there will be none
}

// wake lets the compactors work, before a commit. Those of a Badger that was just opened work already.
func (s *Store) wake() {
	r := &s.rest
	r.busy = true
	if r.resting {
		startCompactions(s.db)
		r.resting = false
	}
	s.watch()
}

// watch has the store looked at after a while. There is no more than one such look ahead, and none while it rests.
func (s *Store) watch() {
	r := &s.rest
	if s.options.After == nil || r.stop != nil {
		return
	}
	r.stop = s.options.After(restAfter, s.look)
}

// look lets the compactors rest if there is nothing to do, or else will look again.
func (s *Store) look() {
	s.writing.Lock()
	defer s.writing.Unlock()
	r := &s.rest
	r.stop = nil
	if s.closed || s.broken || s.db == nil || r.resting {
		return
	}
	if r.busy || s.shrinkage.running || due(s.db) {
		r.busy = false
		s.watch()
		return
	}
	stopCompactions(s.db)
	r.resting = true
}

// due reports whether a level is to be compacted.
func due(db *badgerdb.DB) bool {
	for _, level := range db.Levels() {
		if level.Score >= 1 {
			return true
		}
	}
	return false
}
