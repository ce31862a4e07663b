package badger

import (
	"bytes"
	"errors"
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/sluicemq/sluice/persistence"
)

// A value longer than maxInline is cut. The record holds the first maxInline bytes and, as Badger's user meta byte, the
// number of further parts; part i of key k is the record 0xFF k i. All of them are written in the transaction of the
// batch. When such a record is deleted or replaced by a shorter one, the parts it leaves behind are deleted right after
// the commit, in a transaction of their own, because with them the largest batch might not fit in one. If the
// process dies in between, findParts removes them at the next Open. Only messages at the very limit of size come here.

// partMark begins the keys of all parts. No record of the engine begins with it.
const partMark = 0xFF

// sweepOps bounds the transactions that delete parts, well within what Badger takes.
const sweepOps = 10_000

func partKey(key []byte, i int) []byte {
	k := make([]byte, 0, len(key)+2)
	k = append(k, partMark)
	k = append(k, key...)
	return append(k, byte(i))
}

func setInParts(txn *badgerdb.Txn, op *persistence.Op, parts int) error {
	// A byte holds the number: Badger refuses the transaction before there are four parts.
	head := badgerdb.NewEntry(op.Key, op.Value[:maxInline]).WithMeta(byte(parts))
	if err := txn.SetEntry(head); err != nil {
		return err
	}
	for i := 1; i <= parts; i++ {
		end := min((i+1)*maxInline, len(op.Value))
		if err := txn.Set(partKey(op.Key, i), op.Value[i*maxInline:end]); err != nil {
			return err
		}
	}
	return nil
}

// partChanges are the records of a batch that had, have or will have parts. Nil, and free, for nearly every batch.
type partChanges map[string]partChange

type partChange struct {
	now  int // parts after the batch
	most int // parts that may be stored: the most of before, within and after the batch
}

// note records that key is about to have the given number of parts; split says how many stored records have.
func (p *partChanges) note(split map[string]int, key []byte, parts int) {
	if parts == 0 && len(split) == 0 && len(*p) == 0 {
		return
	}
	change, known := (*p)[string(key)]
	if !known {
		change.most = split[string(key)]
	}
	change = partChange{now: parts, most: max(change.most, parts)}
	if change.most == 0 {
		return
	}
	if *p == nil {
		*p = partChanges{}
	}
	(*p)[string(key)] = change
}

// settle makes split follow the batch that was committed and deletes the parts that it left behind.
func (s *Store) settle(moved partChanges) {
	var stale [][]byte
	for key, change := range moved {
		if change.now > 0 {
			s.split[key] = change.now
		} else {
			delete(s.split, key)
		}
		for i := change.now + 1; i <= change.most; i++ {
			stale = append(stale, partKey([]byte(key), i))
		}
	}
	if err := s.sweep(stale); err != nil && s.options.OnError != nil {
		s.options.OnError(err) // they only take up room until the next Open
	}
}

func (s *Store) sweep(keys [][]byte) error {
	for len(keys) > 0 {
		n := min(sweepOps, len(keys))
		if err := s.deleteAll(keys[:n]); err != nil {
			return fmt.Errorf("persistence/badger: delete parts of values: %w", err)
		}
		keys = keys[n:]
	}
	return nil
}

func (s *Store) deleteAll(keys [][]byte) error {
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	size := 0
	for _, key := range keys {
		size += len(key)
		if err := txn.Delete(key); err != nil {
			return err
		}
	}
	return s.finish(txn, logged(size, len(keys)))
}

// findParts fills split from what is stored and deletes the parts that belong to no record.
func (s *Store) findParts() error {
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	s.split = map[string]int{}
	it := txn.NewIterator(badgerdb.IteratorOptions{Prefix: []byte{partMark}})
	defer it.Close()
	var stale [][]byte
	for it.Rewind(); it.Valid(); it.Next() {
		part := it.Item().KeyCopy(nil)
		key, i := part[1:len(part)-1], int(part[len(part)-1])
		parts, err := partsOf(txn, key)
		if err != nil {
			return err
		}
		if i > parts {
			stale = append(stale, part)
			continue
		}
		s.split[string(key)] = parts
	}
	return s.sweep(stale)
}

func partsOf(txn *badgerdb.Txn, key []byte) (int, error) {
	item, err := txn.Get(bytes.Clone(key))
	switch {
	case errors.Is(err, badgerdb.ErrKeyNotFound):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("persistence/badger: find parts of values: %w", err)
	}
	return int(item.UserMeta()), nil
}
