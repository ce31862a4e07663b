package control

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/sluicemq/sluice/core"
)

// Where a snapshot is.
const (
	onMemory = "memory"
	onDisk   = "disk"
)

// These bound the snapshots in memory. Where the store is in memory too they share the bodies with it.
const (
	keptBytes   = 1 << 30
	keptMost    = 1000
	recordBytes = 64 // of a record besides its key and value, about
)

// shelf holds the snapshots.
//
// One on disk is a file: the line magic, a line with the description in JSON, then each record as the length of its key,
// the key, the length of its value and the value, then a length of 0 and the checksum of all that. It is written beside
// its place and renamed, so a file of the right name is whole.
type shelf struct {
	dir string

	mu   sync.Mutex
	kept map[string]*kept
	size int
}

// newShelf returns a shelf and removes from the disk what a killed process was writing.
func newShelf(dir string) *shelf {
	if dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "*"+unfinished))
		for _, file := range files {
			_ = os.Remove(file) // it only takes up room
		}
	}
	return &shelf{dir: dir}
}

// kept is a snapshot in memory.
type kept struct {
	head    snapshotShape
	records []keptRecord
}

// size is how much memory a snapshot takes.
func (k *kept) size() int { return k.head.Bytes + len(k.records)*recordBytes }

type keptRecord struct{ key, value []byte }

type dump func(fn func(key, value []byte) error) error

const (
	magic      = "sluice snapshot 1\n"
	extension  = ".snapshot"
	unfinished = ".tmp"
	// maxRecord bounds a record that is read: the largest message and what belongs to it.
	maxRecord = 16 << 20
)

// snapshotNames is compiled when it is first needed: most servers make no snapshot.
var snapshotNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

func snapshotName(r *http.Request) (string, error) {
	name := r.PathValue("snapshot")
	if !snapshotNames().MatchString(name) {
		return "", invalid("snapshot", "%q is no name for a snapshot, want up to 64 letters, digits, - and _.", name)
	}
	return name, nil
}

func noSnapshot(name string) error {
	return &problem{http.StatusNotFound, "SnapshotNotFound", "There is no snapshot " + name + ".", ""}
}

// keep takes a snapshot into memory.
func (s *shelf) keep(head *snapshotShape, from dump) error {
	k := &kept{}
	err := from(func(key, value []byte) error {
		k.records = append(k.records, keptRecord{slices.Clone(key), value})
		if head.Bytes += len(key) + len(value); head.Bytes+len(k.records)*recordBytes > keptBytes {
			return conflict("SnapshotTooLarge", "Snapshots in memory are limited to %d bytes.", keptBytes)
		}
		return nil
	})
	if err != nil {
		return err
	}
	head.Records = len(k.records)
	k.head = *head
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.size + k.size()
	if old := s.kept[head.Name]; old != nil {
		size -= old.size()
	} else if len(s.kept) >= keptMost {
		return conflict("TooManySnapshots", "There can be %d snapshots in memory.", keptMost)
	}
	if size > keptBytes {
		return conflict("SnapshotTooLarge", "Snapshots in memory are limited to %d bytes together.", keptBytes)
	}
	if s.kept == nil {
		s.kept = map[string]*kept{}
	}
	s.kept[head.Name], s.size = k, size
	return s.unlink(head.Name)
}

// forget removes a snapshot from memory. The lock is held.
func (s *shelf) forget(name string) (found bool) {
	k := s.kept[name]
	if k == nil {
		return false
	}
	s.size -= k.size()
	delete(s.kept, name)
	return true
}

// unlink removes a snapshot from the disk, if it is there.
func (s *shelf) unlink(name string) error {
	if s.dir == "" {
		return nil
	}
	err := os.Remove(s.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func (s *shelf) path(name string) string { return filepath.Join(s.dir, name+extension) }

// write takes a snapshot to disk. The records are counted first, so that their number can stand in front.
func (s *shelf) write(head *snapshotShape, from dump) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, head.Name+".*"+unfinished)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone where it was renamed
	err = writeRecords(f, head, from)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.Rename(f.Name(), s.path(head.Name)); err != nil {
		return err
	}
	if d, err := os.Open(s.dir); err == nil { // so that the name survives a power cut too, where systems can do that
		_ = d.Sync()
		_ = d.Close()
	}
	s.forget(head.Name)
	return nil
}

// headSize is the room of the description, which is filled with blanks.
const headSize = 512

func writeRecords(f *os.File, head *snapshotShape, from dump) error {
	if _, err := f.WriteString(magic + strings.Repeat(" ", headSize-1) + "\n"); err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	b := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
	err := from(func(key, value []byte) error {
		head.Records++
		head.Bytes += len(key) + len(value)
		for _, part := range [][]byte{key, value} {
			if _, err := b.Write(binary.AppendUvarint(nil, uint64(len(part)))); err != nil {
				return err
			}
			if _, err := b.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		_, err = b.Write([]byte{0})
	}
	if err = errors.Join(err, b.Flush()); err != nil {
		return err
	}
	if _, err := f.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32())); err != nil {
		return err
	}
	described, err := json.Marshal(head)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(described, int64(len(magic)))
	return err
}

// list describes all snapshots by name.
func (s *shelf) list() ([]snapshotShape, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []snapshotShape{}
	for _, k := range s.kept {
		list = append(list, k.head)
	}
	if s.dir != "" {
		files, err := filepath.Glob(filepath.Join(s.dir, "*"+extension))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if head, err := readHead(file); err == nil {
				list = append(list, head)
			}
		}
	}
	slices.SortFunc(list, func(a, b snapshotShape) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func (s *shelf) find(name string) (*snapshotShape, error) {
	list, err := s.list()
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
	}
	return nil, noSnapshot(name)
}

func (s *shelf) remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forget(name) {
		return nil
	}
	if s.dir == "" {
		return noSnapshot(name)
	}
	err := os.Remove(s.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return noSnapshot(name)
	}
	return err
}

// open returns the records of a snapshot, as Restore wants them.
func (s *shelf) open(name string) (dump, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kept[name]; k != nil {
		return func(fn func(key, value []byte) error) error {
			for _, r := range k.records {
				if err := fn(r.key, r.value); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}
	if s.dir == "" {
		return nil, noSnapshot(name)
	}
	if _, err := os.Stat(s.path(name)); err != nil {
		return nil, noSnapshot(name)
	}
	return func(fn func(key, value []byte) error) error { return readRecords(s.path(name), fn) }, nil
}

func readHead(file string) (head snapshotShape, err error) {
	f, err := os.Open(file)
	if err != nil {
		return head, err
	}
	defer func() { _ = f.Close() }() // it was only read
	b := make([]byte, len(magic)+headSize)
	if _, err := io.ReadFull(f, b); err != nil {
		return head, err
	}
	if !strings.HasPrefix(string(b), magic) {
		return head, core.ErrDump
	}
	if err := json.Unmarshal(b[len(magic):], &head); err != nil {
		return head, fmt.Errorf("%w: %w", core.ErrDump, err)
	}
	head.Name, head.Kept = strings.TrimSuffix(filepath.Base(file), extension), onDisk
	return head, nil
}

func readRecords(file string, fn func(key, value []byte) error) error {
	if _, err := readHead(file); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	if _, err := f.Seek(int64(len(magic)+headSize), io.SeekStart); err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	in := &summed{r: bufio.NewReaderSize(f, 1<<16), sum: sum}
	for {
		key, err := in.part()
		if err != nil {
			return fmt.Errorf("%w: %w", core.ErrDump, err)
		}
		if len(key) == 0 {
			break
		}
		value, err := in.part()
		if err != nil {
			return fmt.Errorf("%w: %w", core.ErrDump, err)
		}
		if err := fn(key, value); err != nil {
			return err
		}
	}
	var end [4]byte
	if _, err := io.ReadFull(in.r, end[:]); err != nil || binary.BigEndian.Uint32(end[:]) != sum.Sum32() {
		return fmt.Errorf("%w: the checksum is wrong", core.ErrDump)
	}
	return nil
}

// summed reads and sums up.
type summed struct {
	r   *bufio.Reader
	sum io.Writer
}

// ReadByte reads one byte of a length.
func (s *summed) ReadByte() (byte, error) {
	b, err := s.r.ReadByte()
	if err == nil {
		_, _ = s.sum.Write([]byte{b})
	}
	return b, err
}

// part reads a length and as many bytes.
func (s *summed) part() ([]byte, error) {
	n, err := binary.ReadUvarint(s)
	if err != nil {
		return nil, err
	}
	if n > maxRecord {
		return nil, errors.New("a record is too large")
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(s.r, b); err != nil {
		return nil, err
	}
	_, _ = s.sum.Write(b)
	return b, nil
}
