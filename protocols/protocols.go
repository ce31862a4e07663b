// Package protocols is the frame that every wire language fits: it finds the dialect a request speaks, lets it decode
// the request into a call, runs the call against the engine and lets the dialect encode what came of it.
//
// It knows no provider. A dialect lives in a folder of its own and is named in protocols/all; nothing else is needed
// to add one.
package protocols

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/sluicemq/sluice/core"
)

// Dialect is one wire language of one provider. It is stateless and safe for concurrent use.
type Dialect interface {
	// Name is how logs and reports call the dialect, such as "sqs-json".
	Name() string
	// Claims reports whether the request speaks this dialect. It looks at method, path, query and headers, never
	// at the body.
	Claims(r *http.Request) bool
	// Decode reads the request. The call is never nil, so that Fail has a request id to answer with.
	Decode(r *http.Request) (*Call, error)
	// Encode answers with the result of the call.
	Encode(w http.ResponseWriter, c *Call, result any) error
	// Fail answers with an error of Decode or of the call, in the provider's words. What is neither a *core.Error
	// nor an error of the dialect's own is answered as the provider's internal error, without its text.
	Fail(w http.ResponseWriter, c *Call, err error)
}

// Call is one request, decoded.
type Call struct {
	Operation string        // the provider's name for it; empty while it is unknown
	RequestID string        // in the provider's form
	Request   *http.Request // its body has been read
	Detail    any           // what the dialect wants to know again when it encodes
	Run       func(ctx context.Context) (any, error)
}

// Home is where a provider's requests go that do not say where they want to go.
type Home struct{ Account, Region string }

// Namespace returns the home as a namespace of the engine.
func (h Home) Namespace() core.Namespace { return core.Namespace(h) }

// Credential is what belongs to an access key with which requests are signed.
type Credential struct {
	Secret       string
	Account      string // whose key it is; empty: of the home of the provider that is asked
	SessionToken string // what requests bring along with a temporary key; empty: the key is permanent
	// User is the name of a user of the account. Empty: the key is that of the account itself, or of a session.
	User string
	// Role and Session name a session of a role of the account, whose key it is. Empty: of none.
	Role, Session string
	// Policy is what the user may do, in the language of IAM or of RAM. Empty: everything that the account may.
	Policy string
}

// Admits reports whether a request with the key has to be let in with the token that it brings along, which is empty if it
// brings none: a temporary key has one of its own. One that comes with a permanent key is not looked at.
func (c Credential) Admits(token string) bool {
	return c.SessionToken == "" || subtle.ConstantTimeCompare([]byte(c.SessionToken), []byte(token)) == 1
}

// Site is what the dialects share: the engine and the names under which it is reached.
type Site struct {
	// Broker gives the engine under a dialect's rules.
	Broker func(core.Rules) core.Broker
	// Verify makes dialects refuse requests that are not signed with one of the Credentials. Otherwise signatures are
	// accepted unread.
	Verify bool
	// Credentials are the access keys by their ids.
	Credentials map[string]Credential
	// AccountPerKey gives each access key an account of its own, see AccountOf, where signatures are not verified and the
	// request does not name another one.
	AccountPerKey bool
	// SQS and MNS are the homes of the two providers.
	SQS, MNS Home
	// Bridges joins namespaces: a key is read as its value. Both providers then see the same queues.
	Bridges map[core.Namespace]core.Namespace
	// Strict turns the providers' wait rules on, such as 60 seconds between two purges of a queue.
	Strict bool
	// MicrosecondVisibleTime prints the NextVisibleTime of MNS's ChangeMessageVisibility in microseconds, as its
	// reference page does, instead of the milliseconds that the real service sends.
	MicrosecondVisibleTime bool
	// PublicURL replaces scheme and host in the URLs of answers. Empty: those of the request.
	PublicURL string
	// QueueURLs is the form of the queue URLs in answers of SQS. Empty: the provider's path under the host above.
	QueueURLs QueueURLStyle
}

// QueueURLStyle is a form of queue URLs. All of them are understood, whichever is given out.
type QueueURLStyle string

// The forms of queue URLs: the provider's own path, and those of LocalStack under the names that it has for them.
const (
	QueueURLHost     QueueURLStyle = "host"     // {host}/{account}/{name}
	QueueURLPath     QueueURLStyle = "path"     // {host}/queue/{region}/{account}/{name}
	QueueURLStandard QueueURLStyle = "standard" // sqs.{region}.{host}/{account}/{name}
	QueueURLDomain   QueueURLStyle = "domain"   // {region}.queue.{host}/{account}/{name}
)

// Inside returns the engine's namespace for a provider's.
func (s *Site) Inside(ns core.Namespace) core.Namespace {
	if to, ok := s.Bridges[ns]; ok {
		return to
	}
	if to, ok := s.Bridges[core.Namespace{Account: s.MNS.Account, Region: ns.Region}]; ok && s.AccountPerKey {
		return core.Namespace{Account: ns.Account, Region: to.Region} // the accounts of keys are joined as the homes are
	}
	return ns
}

// AccountOf returns the account of an access key where each has its own: 12 digits, which both providers take for one
// and which are always the same. A key of 12 digits is that account itself. Empty for none.
func (s *Site) AccountOf(accessKey string) string {
	if !s.AccountPerKey || accessKey == "" {
		return ""
	}
	if len(accessKey) == 12 && strings.Trim(accessKey, "0123456789") == "" {
		return accessKey
	}
	sum := sha256.Sum256([]byte(accessKey))
	return fmt.Sprintf("%012d", binary.BigEndian.Uint64(sum[:])%1e12)
}

// Outside returns the namespace that a provider bridges to the engine's, or the engine's own where none is.
func (s *Site) Outside(ns core.Namespace) core.Namespace {
	for from, to := range s.Bridges {
		if to == ns {
			return from
		}
	}
	for from, to := range s.Bridges {
		if s.AccountPerKey && from.Account == s.MNS.Account && to.Region == ns.Region {
			return core.Namespace{Account: ns.Account, Region: from.Region}
		}
	}
	return ns
}

// NewHandler answers every request in the first dialect that claims it; the last dialect answers what none claims.
// Faults of ours (internal errors, panics, answers that cannot be encoded) are given to onFault, once each.
func NewHandler(dialects []Dialect, onFault func(c *Call, err error)) http.Handler {
	return &handler{dialects: dialects, onFault: onFault}
}

type handler struct {
	dialects []Dialect
	onFault  func(c *Call, err error)
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d := h.dialect(r)
	call, result, err := h.run(d, r)
	if err != nil {
		if IsFault(err) {
			h.onFault(call, err)
		}
		d.Fail(w, call, err)
		return
	}
	if err := d.Encode(w, call, result); err != nil && r.Context().Err() == nil {
		h.onFault(call, err)
	}
}

func (h *handler) dialect(r *http.Request) Dialect {
	last := len(h.dialects) - 1
	for _, d := range h.dialects[:last] {
		if d.Claims(r) {
			return d
		}
	}
	return h.dialects[last]
}

// run turns a panic into an internal error: a bug of ours costs one request, not the process.
func (h *handler) run(d Dialect, r *http.Request) (call *Call, result any, err error) {
	call = &Call{Request: r}
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			result, err = nil, &core.Error{Kind: core.Internal, Err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	if call, err = d.Decode(r); err != nil {
		return call, nil, err
	}
	result, err = call.Run(r.Context())
	return call, result, err
}

// Fault is implemented by the errors of dialects, which know whether the server is to blame.
type Fault interface {
	error
	// IsFault reports whether the error is ours rather than the client's.
	IsFault() bool
}

// IsFault reports whether an error is the server's: an internal error of the engine, an error of a dialect that says
// so, or one that nobody made for a client to see.
func IsFault(err error) bool {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return e.Kind == core.Internal
	}
	if f, ok := errors.AsType[Fault](err); ok {
		return f.IsFault()
	}
	return true
}

// ErrBodyTooLarge is returned by ReadBody for a body over the limit.
var ErrBodyTooLarge = errors.New("protocols: request body too large")

// trusted is how much memory a claimed length alone is worth; beyond it memory grows with what arrives.
const trusted = 64 << 10

// readClaimed reads a body of a length that is only claimed so far.
func readClaimed(r io.Reader, length int) ([]byte, error) {
	body := make([]byte, 0, min(length, trusted))
	for {
		n, err := io.ReadFull(r, body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err != nil || len(body) == length {
			return body, err
		}
		body = slices.Grow(body, min(length-len(body), len(body)))
		body = body[:len(body):min(cap(body), length)]
	}
}

// ReadBody reads the whole body of a request, of at most limit bytes. Returns ErrBodyTooLarge if it is larger, or the
// error of the connection.
func ReadBody(r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, ErrBodyTooLarge
	}
	if r.ContentLength > 0 {
		return readClaimed(r.Body, int(r.ContentLength))
	}
	if r.ContentLength == 0 || r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if int64(len(body)) > limit {
		return nil, ErrBodyTooLarge
	}
	return body, err
}
