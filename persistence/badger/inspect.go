package badger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"

	"github.com/sluicemq/sluice/persistence"
)

// Badger meets damage in four ways. It refuses to open; it ends the process (a table that is cut off); it serves
// the wrong bytes (it checks no block of a table); or it drops what was stored, without a word: everything in a log of
// writes behind the first record that does not check, and every table that MANIFEST does not list, which are all of them
// where MANIFEST is gone. So Open looks at the files first, and tells damage from what a killed process or a
// power cut leaves: those leave at most the last thing that was being written incomplete.
//
// Not found is the loss of the very last commit, which looks the same as one that never ended, and of whole records
// at the end of a file. The value log and DISCARD hold nothing of ours and are not looked at.

// inspect returns an error that wraps persistence.ErrDamaged and names the file if the files in dir are damaged, and
// leaves them alone; otherwise it takes from the logs what a commit that never ended has left. Nobody may have the
// directory open. It reads everything that is stored: 0.3 to 0.5 s a GiB.
func inspect(dir string) error {
	if err := inspectRegistry(dir); err != nil {
		return err
	}
	logs, err := inspectLogs(dir)
	if err != nil {
		return err
	}
	if err := inspectTables(dir, logs); err != nil {
		return err
	}
	for _, l := range logs {
		if err := l.trim(); err != nil {
			return fmt.Errorf("persistence/badger: %w", err)
		}
	}
	return nil
}

// damaged says in one line what is wrong with a file and, in hint, what can be done.
func damaged(file, what, hint string) error {
	return fmt.Errorf("%w: %s %s; %s", persistence.ErrDamaged, file, what, hint)
}

// fromBackup is the advice for what cannot be left out.
const fromBackup = "restore the directory from a copy, or move it away to begin with nothing"

// inspectRegistry checks the file of encryption keys. There are none here, so all of them are equal but for 16 random
// bytes at the start.
func inspectRegistry(dir string) error {
	const random, text = 16, "Hello Badger"
	path := filepath.Join(dir, badgerdb.KeyRegistryFileName)
	content, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("persistence/badger: %w", err)
	case len(content) < random+len(text) || string(content[random:random+len(text)]) != text:
		return damaged(path, "is not what was written", "it holds nothing that is needed: remove it to go on")
	}
	return nil
}

// inspectTables checks that MANIFEST is whole and that the tables that it lists are.
func inspectTables(dir string, logs []*memLog) error {
	path := filepath.Join(dir, badgerdb.ManifestFilename)
	present, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(present) == 0:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return damaged(path, fmt.Sprintf("is missing, but there are %d tables", len(present)), fromBackup)
	case err != nil:
		return fmt.Errorf("persistence/badger: %w", err)
	}
	defer func() { _ = file.Close() }()
	manifest, end, err := badgerdb.ReplayManifestFile(file, 0, badgerdb.DefaultOptions(dir).WithLogger(quiet{}))
	if err != nil {
		return damaged(path, "cannot be read: "+oneLine(err.Error()), fromBackup)
	}
	listed := make([]string, 0, len(manifest.Tables))
	for id := range manifest.Tables {
		listed = append(listed, table.NewFilename(id, dir))
	}
	slices.Sort(listed)
	newest, err := inspectEach(listed)
	if err != nil {
		return err
	}
	if info, err := file.Stat(); err != nil || info.Size() == end {
		return err
	}
	known := []commits{{0, newest}}
	for _, l := range logs {
		known = append(known, l.has)
	}
	return inspectUnlisted(path, end, listed, present, known)
}

// inspectUnlisted looks at the tables that a MANIFEST does not list whose last record is cut off. Whoever was killed
// while writing that record has left what the table was made of: its commits are in the logs or in listed tables.
func inspectUnlisted(manifest string, end int64, listed, present []string, known []commits) error {
	for _, path := range present {
		if slices.Contains(listed, path) {
			continue
		}
		newest, err := inspectTable(path, &[]byte{})
		if err != nil {
			continue // it was being written
		}
		if !slices.ContainsFunc(known, func(r commits) bool { return r.first <= newest && newest <= r.last }) {
			return damaged(manifest, fmt.Sprintf("is cut off at byte %d and does not list %s", end, filepath.Base(path)), fromBackup)
		}
	}
	return nil
}

// inspectEach checks tables and returns the newest commit in any of them.
func inspectEach(paths []string) (newest uint64, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), 4, len(paths))
	for i := range workers {
		all.Go(func() {
			var buffer []byte
			for n := i; n < len(paths); n += workers {
				version, failure := inspectTable(paths[n], &buffer)
				mu.Lock()
				newest, err = max(newest, version), errors.Join(err, failure)
				stop := err != nil
				mu.Unlock()
				if stop {
					return
				}
			}
		})
	}
	all.Wait()
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		err = joined.Unwrap()[0] // one line
	}
	return newest, err
}

// inspectTable checks every block of a table and returns the newest commit in it. The buffer is reused.
func inspectTable(path string, buffer *[]byte) (newest uint64, err error) {
	content, err := readInto(path, buffer)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, damaged(path, "is missing", fromBackup)
	case err != nil:
		return 0, fmt.Errorf("persistence/badger: %w", err)
	case !hasFooter(content):
		return 0, damaged(path, "is cut off or not a table", fromBackup)
	}
	defer func() {
		if r := recover(); r != nil { // by a block that does not even have a length
			err = damaged(path, "has a block that is not what was written", fromBackup)
		}
	}()
	t, err := table.OpenInMemoryTable(content, 0, &table.Options{ChkMode: options.OnTableAndBlockRead})
	if err == nil {
		err = t.VerifyChecksum()
	}
	if err != nil {
		return 0, damaged(path, "is not what was written", fromBackup)
	}
	return t.MaxVersion(), nil
}

// hasFooter says whether the lengths at the end of a table lie within it: Badger ends the process if they do not.
func hasFooter(content []byte) bool {
	end := int64(len(content))
	for range 2 { // of the checksum, and before it of the index
		if end < 4 {
			return false
		}
		end -= 4 + int64(binary.BigEndian.Uint32(content[end-4:]))
	}
	return end > 0
}

func readInto(path string, buffer *[]byte) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if size := int(info.Size()); cap(*buffer) < size {
		*buffer = make([]byte, size)
	}
	content := (*buffer)[:info.Size()]
	_, err = io.ReadFull(file, content)
	return content, err
}
