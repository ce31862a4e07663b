package badger

import (
	"errors"
	"fmt"
	"strings"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// The largest batch that Commit takes, with both limits reached at once. Badger bounds a transaction by 15 % of a
// memtable, and counts 12 bytes of its own for each operation.
const (
	MaxBatchOps   = 20_000
	MaxBatchBytes = 2_411_724 // 2.3 MiB of keys and values
)

// memTableSize is 16 MiB, the size with the least disk use and memory in a queue's workload, and the one more that
// makes room for the largest batch: 15 % of 17 MiB are 2,673,868 bytes, and MaxBatchBytes with 12 bytes for each of
// MaxBatchOps operations are 2,651,724.
const memTableSize = 17 << 20

// maxInline is the longest value that Badger keeps in its tree; its limit cannot be raised.
const maxInline = 1<<20 - 1

// maxKey leaves room for the key of a part within the 65,000 bytes that Badger takes.
const maxKey = 64_000

// tuned returns Badger's options as measured for a queue: with its defaults, filling a million messages takes 2.8 GB
// of memory and an empty store 2.2 GB of apparent disk.
func tuned(dir string, o Options) badgerdb.Options {
	return badgerdb.DefaultOptions(dir).
		WithSyncWrites(o.Sync && !syncsItself).
		WithMemTableSize(memTableSize).
		WithNumMemtables(2).
		WithNumCompactors(2).
		WithValueThreshold(maxInline + 1).
		WithValueLogFileSize(64 << 20). // stays empty, but is mapped at twice this size
		WithCompression(options.None).  // bodies are short-lived; scans get four times faster
		WithBlockCacheSize(0).          // uncompressed blocks are read from the mapped tables
		WithIndexCacheSize(0).          // 0 keeps the indexes in memory: a few MiB for 1 GiB of messages
		WithMetricsEnabled(false).
		WithDetectConflicts(false). // one goroutine writes
		WithLogger(quiet{o.OnError})
}

// quiet passes Badger's errors on and drops the rest of what it likes to say.
type quiet struct{ onError func(error) }

func (q quiet) Errorf(format string, args ...any) {
	text := oneLine(fmt.Sprintf(format, args...))
	if q.onError != nil && !strings.Contains(text, madeAnew) {
		q.onError(errors.New("persistence/badger: " + text))
	}
}

func (quiet) Warningf(string, ...any) {}
func (quiet) Infof(string, ...any)    {}
func (quiet) Debugf(string, ...any)   {}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}
