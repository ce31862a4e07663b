package badger

import (
	"bytes"
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"
)

// Load implements persistence.Store. It shows the records as they were when it began. It seeks to from, so records
// deleted below from cost nothing; those deleted above it cost 1 to 2 µs each until Badger has compacted them.
func (s *Store) Load(prefix, from []byte, fn func(key, value []byte) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.readers.leave()
	txn := s.db.NewTransaction(false)
	it, err := iterate(txn, prefix)
	if err != nil {
		return err // without Discard, which panics now; this Badger is about to be closed
	}
	defer txn.Discard()
	defer it.Close()
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	for it.Seek(from); it.Valid(); it.Next() {
		item := it.Item()
		if item.Key()[0] == partMark {
			return nil // only parts follow
		}
		value, err := wholeValue(txn, item)
		if err != nil {
			return err
		}
		if err := fn(item.Key(), value); err != nil {
			return err
		}
	}
	return nil
}

// iterate does not prefetch values: they lie in the tree and come with their keys, so prefetching would only copy
// each once more in a goroutine of its own, which makes a pass take 1.8 times as long.
func iterate(txn *badgerdb.Txn, prefix []byte) (it *badgerdb.Iterator, err error) {
	defer surviveFailedWrite(&err)
	return txn.NewIterator(badgerdb.IteratorOptions{Prefix: prefix}), nil
}

// wholeValue copies the value of item out of Badger, with the parts that txn sees. It is never nil.
func wholeValue(txn *badgerdb.Txn, item *badgerdb.Item) ([]byte, error) {
	parts := int(item.UserMeta())
	value, err := item.ValueCopy(make([]byte, 0, int(item.ValueSize())+parts*maxInline))
	if err != nil {
		return nil, fmt.Errorf("persistence/badger: read a value: %w", err)
	}
	for i := 1; i <= parts; i++ {
		part, err := txn.Get(partKey(item.Key(), i))
		if err != nil {
			return nil, fmt.Errorf("persistence/badger: part %d of %d of a value: %w", i, parts, err)
		}
		err = part.Value(func(bytes []byte) error {
			value = append(value, bytes...)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("persistence/badger: read part %d of %d of a value: %w", i, parts, err)
		}
	}
	return value, nil
}
