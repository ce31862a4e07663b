package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// What an answer may have. An endpoint that sends more is not a server of queues.
const (
	maxAnswer  = 64 << 20
	maxHeaders = 200
)

// client is one connection that is kept alive. It writes requests as they are given and reads of an answer only where
// its body ends: net/http's own client costs more than most servers of queues, and would be what is measured.
//
// Its connections end with the context they were dialled in, which costs a request nothing.
type client struct {
	address string
	conn    net.Conn
	release func() bool // of the context
	in      *bufio.Reader
	body    []byte
	last    bool // the server closes the connection after this answer
}

func dial(ctx context.Context, address string) (*client, error) {
	return dialWith(ctx, address, 16<<10)
}

// dialWith has a buffer of a size. A line of an answer's head has to fit into it.
func dialWith(ctx context.Context, address string, buffer int) (*client, error) {
	c := &client{address: address, in: bufio.NewReaderSize(nil, buffer)}
	return c, c.dial(ctx)
}

func (c *client) dial(ctx context.Context) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.address)
	if err != nil {
		return fmt.Errorf("cannot reach %s: %w", c.address, plain(err))
	}
	c.conn, c.last = conn, false
	c.release = context.AfterFunc(ctx, func() { conn.Close() })
	c.in.Reset(conn)
	return nil
}

// plain drops the address that net's errors repeat.
func plain(err error) error {
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return failed.Err
	}
	return err
}

func (c *client) close() {
	c.release()
	c.conn.Close()
}

// exchange sends a request and returns status and body of its answer. The body is valid until the next exchange.
func (c *client) exchange(ctx context.Context, request []byte) (status int, body []byte, err error) {
	if err := c.begin(ctx, request); err != nil {
		return 0, nil, err
	}
	return c.finish()
}

// begin sends a request whose answer finish will read.
func (c *client) begin(ctx context.Context, request []byte) error {
	if c.last {
		c.close()
		if err := c.dial(ctx); err != nil {
			return err
		}
	}
	if _, err := c.conn.Write(request); err != nil {
		return fmt.Errorf("request to %s: %w", c.address, plain(err))
	}
	return nil
}

func (c *client) finish() (status int, body []byte, err error) {
	status, err = c.answer()
	if err != nil {
		return 0, nil, fmt.Errorf("answer of %s: %w", c.address, plain(err))
	}
	return status, c.body, nil
}

// answer reads an answer and keeps its body.
func (c *client) answer() (status int, err error) {
	if status, err = c.status(); err != nil {
		return 0, err
	}
	length, chunked, err := c.headers()
	c.body = c.body[:0]
	switch {
	case err != nil:
		return 0, err
	case status == 204 || status == 304:
		return status, nil
	case chunked:
		return status, c.chunks()
	case length < 0:
		return 0, errors.New("it has neither a length nor chunks")
	}
	return status, c.take(length)
}

func (c *client) status() (int, error) {
	line, err := c.line()
	if err != nil {
		return 0, err
	}
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
		return 0, fmt.Errorf("it begins with %.40q", line)
	}
	c.last = line[7] == '0' // HTTP/1.0 closes unless it says otherwise
	return strconv.Atoi(string(line[9:12]))
}

// line returns the next line without its end, valid until the next read.
func (c *client) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// headers reads up to the body and returns its length, -1 if there is none.
func (c *client) headers() (length int, chunked bool, err error) {
	length = -1
	for range maxHeaders {
		line, err := c.line()
		if err != nil || len(line) == 0 {
			return length, chunked, err
		}
		switch {
		case is(line, "Content-Length:"):
			if length, err = strconv.Atoi(string(after(line))); err != nil || length < 0 || length > maxAnswer {
				return 0, false, fmt.Errorf("its length is %.40q", after(line))
			}
		case is(line, "Transfer-Encoding:"):
			chunked = bytes.EqualFold(after(line), []byte("chunked"))
		case is(line, "Connection:"):
			c.last = bytes.EqualFold(after(line), []byte("close"))
		}
	}
	return 0, false, errors.New("it has too many headers")
}

func is(line []byte, name string) bool {
	return len(line) >= len(name) && line[0]|0x20 == name[0]|0x20 && bytes.EqualFold(line[:len(name)], []byte(name))
}

func after(line []byte) []byte {
	_, value, _ := bytes.Cut(line, []byte(":"))
	return bytes.TrimSpace(value)
}

// take appends n bytes to the body.
func (c *client) take(n int) error {
	start := len(c.body)
	if start+n > maxAnswer {
		return errors.New("it is too long")
	}
	if start+n > cap(c.body) {
		c.body = append(c.body, make([]byte, n)...)
	}
	c.body = c.body[:start+n]
	_, err := io.ReadFull(c.in, c.body[start:])
	return err
}

func (c *client) chunks() error {
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 31)
		if err != nil {
			return fmt.Errorf("a chunk's size is %.40q", size)
		}
		if n == 0 {
			_, _, err := c.headers() // the trailer looks like headers
			return err
		}
		if err := c.take(int(n)); err != nil {
			return err
		}
		if _, err := c.line(); err != nil {
			return err
		}
	}
}
