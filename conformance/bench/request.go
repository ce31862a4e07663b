package bench

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
)

// wire holds the requests to one queue, ready to be written.
type wire struct {
	send, sendBatch       []byte
	receive, receiveBatch []byte
	poll                  []byte // a receive that waits
	drop                  []byte // delete the queue
	deleteOne             deletion
	deleteBatch           deletion
}

// deletion appends the request that deletes messages.
type deletion func(b []byte, receipts [][]byte) []byte

// language writes the requests of a protocol and reads of its answers what the workloads need.
type language interface {
	// batch is how many messages the largest batch has.
	batch() int
	// create is the request that makes a queue.
	create(name string, fifo bool) []byte
	// wire returns the requests to the queue that create made with this answer.
	wire(name string, fifo bool, answer []byte, body string) (*wire, error)
	// receipts appends the receipts in the answer to a receive. They share its memory.
	receipts(answer []byte, to [][]byte) [][]byte
	// nothing reports whether a status is the answer to a receive that finds no message, besides an empty 200.
	nothing(status int) bool
	// partly reports whether entries of a batch failed.
	partly(answer []byte) bool
}

// languageOf returns the language for requests to a host.
func languageOf(p Protocol, host string) language {
	switch p {
	case SQSQuery:
		return sqsQuery{host}
	case MNS:
		return mns{host}
	default:
		return sqsJSON{host}
	}
}

// The widest visibility keeps messages from coming back while a slow server is measured, and the longest poll that both
// providers know is the one that is parked longest.
const (
	visibility = "600"
	pollTime   = "20"
)

// Marks in the requests of a FIFO queue. Their last digits are replaced for each message, at the same width.
const (
	groupMark = "group-0000000000"
	dedupMark = "dedup-0000000000"
)

// userAgent is the only header that says what this is; the rest is what the providers' clients send.
const userAgent = "sluice-bench"

// head returns a request up to its body's length.
func head(method, target, host string, headers ...string) []byte {
	var b bytes.Buffer
	b.WriteString(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: " + userAgent + "\r\n")
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	return b.Bytes()
}

// whole returns a request with its body.
func whole(head []byte, body string) []byte {
	b := append([]byte(nil), head...)
	b = append(b, "Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"...)
	return append(b, body...)
}

// lengthWidth is room for the largest body's length. RFC 9112 allows blanks before a header's value.
const lengthWidth = 8

// bodied returns a deletion whose receipts stand in the body.
func bodied(head []byte, before, after string, entry func(b []byte, i int, receipt []byte) []byte) deletion {
	opening := append(append([]byte(nil), head...), "Content-Length: "+strings.Repeat(" ", lengthWidth)+"\r\n\r\n"...)
	at := len(opening) - len("\r\n\r\n")
	return func(b []byte, receipts [][]byte) []byte {
		begin := len(b)
		b = append(b, opening...)
		body := len(b)
		b = append(b, before...)
		for i, r := range receipts {
			b = entry(b, i, r)
		}
		b = append(b, after...)
		var digits [20]byte
		length := strconv.AppendInt(digits[:0], int64(len(b)-body), 10)
		copy(b[begin+at-len(length):], length)
		return b
	}
}

// appendEscaped appends text as the value of a parameter.
func appendEscaped(b, text []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range text {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}

func escaped(text string) string { return string(appendEscaped(nil, []byte(text))) }

// between appends the texts that stand between two marks.
func between(answer []byte, open, end string, to [][]byte) [][]byte {
	for {
		at := bytes.Index(answer, []byte(open))
		if at < 0 {
			return to
		}
		answer = answer[at+len(open):]
		stop := bytes.Index(answer, []byte(end))
		if stop < 0 {
			return to
		}
		to = append(to, answer[:stop])
		answer = answer[stop:]
	}
}

// letters returns a body of n bytes that every language writes as it is: what is measured is the same in each.
func letters(n int) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	random := rand.New(rand.NewPCG(1, 2)) // the same bodies in each run
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(b)
}
