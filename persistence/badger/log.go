package badger

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// A memtable's log of writes is a header of 20 bytes and then records: two bytes of flags, the lengths of key and value
// and an expiry as varints, key, value, and a CRC-32C of all that. A commit is records with one number at the end
// of their keys, and one more that ends it. Behind the last record the file is zero up to its full size, until the next
// start cuts it there. See memtable.go and value.go of Badger.
const (
	logHeader   = 20
	logFullSize = 2 * memTableSize

	// recordRoom is about what a record takes beside its key and value.
	recordRoom = 24

	flagInCommit  = 1 << 6
	flagEndCommit = 1 << 7
)

// endMark begins the key of the record that ends a commit.
const endMark = "!badger!txn"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// commits are numbers in a row; no commit has the number 0.
type commits struct{ first, last uint64 }

// inspectLogs reads and checks all logs. Only the newest that holds anything may end in a commit that
// is not complete: an older one was complete, or cut to its last commit, before the next was begun.
func inspectLogs(dir string) ([]*memLog, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.mem"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var logs []*memLog
	var torn *memLog // the first that ends in something else than a complete commit
	for _, path := range paths {
		l, err := readLog(path)
		if err != nil {
			return nil, err
		}
		if torn != nil && l.has.first > torn.expected() {
			return nil, torn.damaged("ends in a commit that is not complete, though later ones are stored")
		}
		if torn == nil && !l.whole() {
			torn = l
		}
		logs = append(logs, l)
	}
	return logs, nil
}

// memLog is what is in a log of writes.
type memLog struct {
	path    string
	content []byte // without the zeros at the end
	size    int64  // of the file
	end     int    // of the last complete commit
	has     commits
	partial uint64 // number of the commit that is not complete, 0 if not one of its records is
}

// readLog reads a log and returns an error if it is damaged. One that a kill has left empty is fine.
func readLog(path string) (*memLog, error) {
	content, size, err := readUsed(path)
	if err != nil {
		return nil, fmt.Errorf("persistence/badger: %w", err)
	}
	l := &memLog{path: path, size: size, content: content, end: logHeader}
	return l, l.check()
}

// check finds the end of the log and returns an error if it is damaged.
func (l *memLog) check() error {
	l.scan()
	if l.whole() {
		return nil
	}
	if l.size != logFullSize && int64(len(l.content)) == l.size {
		return l.damaged("is cut off within a commit")
	}
	if number := l.later(); number > 0 {
		return l.damaged(fmt.Sprintf("has a record that is not what was written, and commit %d behind it", number))
	}
	return nil
}

// whole says whether the log ends with a complete commit.
func (l *memLog) whole() bool { return l.end >= len(l.content) }

// trim takes from the log what follows its last complete commit. Badger does so too, but it refuses to open a log, or
// asks for 4 GiB of memory, where what follows is not even the beginning of a record.
func (l *memLog) trim() error {
	if l.whole() {
		return nil
	}
	return os.Truncate(l.path, int64(l.end))
}

// readUsed returns a file without the zeros at its end, which are most of a log, and its size with them.
func readUsed(path string) (content []byte, size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }()
	const most = 64 << 10
	piece, zeros := make([]byte, most), make([]byte, most)
	for {
		n, err := io.ReadFull(file, piece)
		if !bytes.Equal(piece[:n], zeros[:n]) {
			content = append(content, make([]byte, int(size)-len(content))...)
			content = append(content, bytes.TrimRight(piece[:n], "\x00")...)
		}
		size += int64(n)
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return content, size, nil
		default:
			return nil, 0, err
		}
	}
}

func (l *memLog) damaged(what string) error {
	return damaged(l.path, fmt.Sprintf("of %d bytes %s, at byte %d", l.size, what, l.end),
		fmt.Sprintf("cut it to %d bytes to go on without what was stored from there on", l.end))
}

// expected is the number of the commit that is not complete, 0 if that is not known.
func (l *memLog) expected() uint64 {
	if l.partial == 0 && l.has.last != 0 {
		return l.has.last + 1
	}
	return l.partial
}

// scan finds the end of what Badger will take from the log.
func (l *memLog) scan() {
	for at := l.end; at < len(l.content); {
		r, ok := parseRecord(l.content[at:])
		if !ok {
			return
		}
		at += r.size
		number := r.number()
		switch {
		case r.flags&flagEndCommit != 0:
			if l.partial != 0 && number != l.partial {
				return
			}
			if l.has.first == 0 {
				l.has.first = number
			}
			l.has.last, l.partial, l.end = number, 0, at
		case r.flags&flagInCommit == 0 || l.partial != 0 && number != l.partial:
			return
		default:
			l.partial = number
		}
	}
}

// later returns the number of a commit that ends behind the one that is not complete, or 0. There is none after a kill
// or, when each commit waited for the disk, a power cut.
func (l *memLog) later() uint64 {
	expected := l.expected()
	const lead = 5 // bytes of the header of such a record
	for at := l.end; ; {
		found := bytes.Index(l.content[at:], []byte(endMark))
		if found < 0 {
			return 0
		}
		at += found
		if r, ok := parseRecord(l.content[max(0, at-lead):]); ok && r.flags&flagEndCommit != 0 {
			if number := r.number(); expected == 0 {
				expected = number
			} else if number != expected {
				return number
			}
		}
		at += len(endMark)
	}
}

type record struct {
	flags      byte
	key, value []byte
	size       int
}

// number is that of the commit: the record at its end has it as text.
func (r *record) number() uint64 {
	if r.flags&flagEndCommit != 0 {
		number, _ := strconv.ParseUint(string(r.value), 10, 64)
		return number
	}
	if len(r.key) < 8 {
		return 0
	}
	return ^binary.BigEndian.Uint64(r.key[len(r.key)-8:])
}

// parseRecord reads the record at the start of data, and reports whether there is a whole one. Zeros that were trimmed
// from the end of its checksum are none the less there.
func parseRecord(data []byte) (r record, ok bool) {
	if len(data) < 2 {
		return r, false
	}
	at := 2
	var lengths [3]uint64 // of key and value, and the expiry
	for i := range lengths {
		value, n := binary.Uvarint(data[at:])
		if n <= 0 {
			return r, false
		}
		lengths[i], at = value, at+n
	}
	if lengths[0] > 1<<16 || lengths[1] > logFullSize {
		return r, false
	}
	keyEnd := at + int(lengths[0])
	end := keyEnd + int(lengths[1])
	if end >= len(data) {
		return r, false
	}
	var sum [4]byte
	copy(sum[:], data[end:])
	r = record{flags: data[0], key: data[at:keyEnd], value: data[keyEnd:end], size: end + len(sum)}
	return r, checksum(data[:end]) == binary.BigEndian.Uint32(sum[:])
}
