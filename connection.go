package sluice

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// serveConnections is srv.Serve at less cost for each request, where connections are plain TCP.
//
// While a handler runs, net/http reads from the connection in a goroutine of its own to end the request's context when the
// client goes, and it sets limits of time nine times a request. Only requests that wait need the former, and hardly a limit
// is ever reached. So a connection answers the read of net/http at once and is watched from when on somebody asks a
// context for its end; and the system is told of a limit only when an earlier one has passed.
func serveConnections(srv *http.Server, l net.Listener) error {
	srv.ConnContext = connectionContext
	srv.Handler = watchingClients(srv.Handler)
	return srv.Serve(connections{l})
}

// connections accepts connections.
type connections struct{ net.Listener }

// Accept waits for the next one. One that is not plain TCP, such as one with TLS, stays as it is.
func (l connections) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return newConnection(tcp), err
	}
	return c, err
}

// connection is a plain connection to a client. It has no method of *net.TCPConn that reads or writes but those of net.Conn:
// net/http would use them where a limit has passed that the system alone still knows.
type connection struct {
	net.Conn
	reads, writes limit
	gone          context.CancelFunc // ends the context of the connection

	mu       sync.Mutex
	watching chan struct{} // closed when the watch is over; nil when nobody watches
	early    []byte        // what came meanwhile
}

func newConnection(tcp *net.TCPConn) *connection {
	return &connection{Conn: tcp, reads: limit{tell: tcp.SetReadDeadline}, writes: limit{tell: tcp.SetWriteDeadline}}
}

type connectionKey struct{}

// connectionContext returns the context of a connection's requests.
func connectionContext(ctx context.Context, c net.Conn) context.Context {
	own, ok := c.(*connection)
	if !ok {
		return ctx
	}
	ctx, own.gone = context.WithCancel(ctx)
	return context.WithValue(ctx, connectionKey{}, own)
}

// watchingClients gives requests a context that watches the client from when on somebody asks for its end.
func watchingClients(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connectionKey{}).(*connection)
		if !ok {
			h.ServeHTTP(w, r)
			return
		}
		defer c.unwatch()
		h.ServeHTTP(w, r.WithContext(watchingContext{r.Context(), c}))
	})
}

type watchingContext struct {
	context.Context
	c *connection
}

// Done implements context.Context.
func (w watchingContext) Done() <-chan struct{} {
	w.c.watch()
	return w.Context.Done()
}

// CloseWrite lets net/http end a connection whose client is still sending without a reset, which could overtake the answer.
func (c *connection) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

// Close implements net.Conn.
func (c *connection) Close() error {
	if c.gone != nil {
		c.gone()
	}
	return c.Conn.Close()
}

// Read implements net.Conn. One byte without a limit of time is what net/http reads to learn that a client has gone: that
// nothing came, and no error, ends it. Requests are read with a limit, see NewHTTPServer.
func (c *connection) Read(p []byte) (int, error) {
	if len(p) == 1 && !c.reads.any() {
		return 0, nil
	}
	if n := c.takeEarly(p); n > 0 {
		return n, nil
	}
	for {
		n, err := c.Conn.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || c.reads.passed(clock.System{}.Now()) {
			return n, err
		}
	}
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (written int, err error) {
	for {
		n, err := c.Conn.Write(p[written:])
		written += n
		if !errors.Is(err, os.ErrDeadlineExceeded) || c.writes.passed(clock.System{}.Now()) {
			return written, err
		}
	}
}

// SetDeadline implements net.Conn.
func (c *connection) SetDeadline(t time.Time) error {
	return errors.Join(c.reads.set(t), c.writes.set(t))
}

// SetReadDeadline implements net.Conn.
func (c *connection) SetReadDeadline(t time.Time) error { return c.reads.set(t) }

// SetWriteDeadline implements net.Conn.
func (c *connection) SetWriteDeadline(t time.Time) error { return c.writes.set(t) }

// watch begins to wait for the end of the client.
func (c *connection) watch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watching != nil || len(c.early) > 0 {
		return
	}
	over := make(chan struct{})
	c.watching = over
	_ = c.Conn.SetReadDeadline(time.Time{}) // a connection that is closed says so when it is read
	go func() {
		defer close(over)
		var first [1]byte
		n, err := c.Conn.Read(first[:])
		c.early = append(c.early, first[:n]...)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			c.gone()
		}
	}()
}

// unwatch ends that.
func (c *connection) unwatch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watching == nil {
		return
	}
	_ = c.Conn.SetReadDeadline(time.Unix(1, 0)) // which is over, and so ends the read
	<-c.watching
	c.watching = nil
	c.reads.tellAgain()
}

// takeEarly takes what came while somebody watched: the begin of the next request of a client that does not wait for answers.
func (c *connection) takeEarly(p []byte) int {
	c.unwatch()
	n := copy(p, c.early)
	c.early = c.early[n:]
	return n
}

// limit is the instant when reading or writing ends.
type limit struct {
	tell func(time.Time) error // the system

	mu          sync.Mutex
	asked, told time.Time // zero: never
}

// any reports whether there is one.
func (l *limit) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.asked.IsZero()
}

// set tells the system of a limit, unless that knows an earlier one: when it is over, passed looks further.
func (l *limit) set(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = t
	if t.IsZero() || !l.told.IsZero() && !t.Before(l.told) {
		return nil
	}
	return l.tellNow()
}

// passed reports whether the limit is over, now that the one that the system was told of is.
func (l *limit) passed(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.asked.IsZero() && !now.Before(l.asked) {
		return true
	}
	return l.tellNow() != nil
}

// tellAgain tells the system what is asked, after it was told something else.
func (l *limit) tellAgain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.tellNow() // as in watch
}

func (l *limit) tellNow() error {
	l.told = l.asked
	return l.tell(l.told)
}
