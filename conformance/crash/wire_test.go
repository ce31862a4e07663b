package crash_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// wire is a client of one protocol, as small as it can be: the SDKs retry, which would hide what was answered.
type wire interface {
	String() string
	// send sends one message, or several as a batch.
	send(ctx context.Context, queue string, messages []outgoing) ([]sent, error)
	// receive asks for up to limit messages. MNS takes no timeout with it and uses the queue's.
	receive(ctx context.Context, queue string, r receiveRequest) ([]delivery, error)
	// change hides a message for another time. visibleAt is zero where the protocol does not tell.
	change(ctx context.Context, queue, receipt string, timeout time.Duration) (renewed string, visibleAt time.Time, err error)
	// remove deletes one message, or several as a batch, and returns an error for each.
	remove(ctx context.Context, queue string, receipts []string) ([]error, error)
	// most is how many messages fit into one request, largest how many bytes into one message.
	most() int
	largest() int
}

type outgoing struct {
	body       string
	delay      *time.Duration
	attributes []attribute
	group      string
	dedup      string
}

// attribute is a message attribute; kind is SQS's name for its type.
type attribute struct {
	name, kind string
	value      []byte
}

type sent struct {
	id       string
	md5      string
	sequence string // SQS, FIFO
	receipt  string // MNS, delayed
}

type receiveRequest struct {
	limit     int
	timeout   time.Duration
	wait      time.Duration
	attemptID string
}

type delivery struct {
	id, receipt string
	body, md5   string
	attributes  []attribute
	count       int
	group       string
	dedup       string    // SQS
	visibleAt   time.Time // MNS
}

// errNoAnswer is what a request ends with whose answer never came: it may have happened or not.
var errNoAnswer = errors.New("no answer")

// refusal is an error that the server answered with.
type refusal struct {
	status     int
	code, text string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.status, r.code, r.text) }

// host is where the program listens.
type host struct {
	url    string
	client *http.Client
}

// answer is a complete answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request. Its error is errNoAnswer unless a whole answer came.
func (h *host) do(ctx context.Context, method, path string, body []byte, header map[string]string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := h.client.Do(r)
	if err != nil {
		checked.answered(header, err)
		return answer{}, fmt.Errorf("%w: %v", errNoAnswer, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	checked.answered(header, err)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %v", errNoAnswer, err)
	}
	return answer{resp.StatusCode, resp.Header, text}, nil
}

// plainID writes a message id in one form: SQS has hyphens and small letters, MNS has neither.
func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

func md5Of(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// oneForAll spreads the outcome of a request about a single receipt.
func oneForAll(err error) ([]error, error) {
	if errors.Is(err, errNoAnswer) {
		return nil, err
	}
	return []error{err}, nil
}

func wholeSeconds(d time.Duration) int { return int(d / time.Second) }
