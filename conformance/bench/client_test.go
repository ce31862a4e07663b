package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// raw answers each connection's first bytes with a text and closes it.
func raw(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, answer)
			conn.Close()
		}
	}()
	return l.Addr().String()
}

func dialled(t *testing.T, address string) *client {
	t.Helper()
	c, err := dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

var ping = whole(head("POST", "/", "h"), "ping")

func TestClientReadsEveryFormOfAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, answer, body string
		status             int
		last               bool
	}{
		{"length", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabrest", "ab", 200, false},
		{"no body", "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", "", 204, false},
		{"chunks", "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", "ab0123456789", 201, false},
		{"trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n", "a", 200, false},
		{"close", "HTTP/1.1 400 Bad\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", "x", 400, true},
		{"old", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "", 200, true},
		{"old and kept", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", "", 200, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := dialled(t, raw(t, tt.answer))
			status, body, err := c.exchange(t.Context(), ping)
			if err != nil || status != tt.status || string(body) != tt.body || c.last != tt.last {
				t.Errorf("exchange() = %d, %q, %v; last %v; want %d, %q, last %v", status, body, err, c.last, tt.status, tt.body, tt.last)
			}
		})
	}
}

func TestClientRefusesWhatIsNoAnswer(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"nothing", "", "EOF"},
		{"other protocol", "SSH-2.0-OpenSSH\r\n", `it begins with "SSH-2.0`},
		{"no length", "HTTP/1.1 200 OK\r\n\r\nbody", "neither a length nor chunks"},
		{"negative", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", `its length is "-1"`},
		{"too long", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "its length is"},
		{"cut short", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody", "unexpected EOF"},
		{"chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", `a chunk's size is "zz"`},
		{"endless line", "HTTP/1.1 200 " + strings.Repeat("x", 70<<10), "buffer full"},
		{"endless headers", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1000), "too many headers"},
		{"huge chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n", "too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := dialled(t, raw(t, tt.answer)).exchange(t.Context(), ping)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("exchange() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestClientKeepsItsConnectionUntilTheServerClosesIt(t *testing.T) {
	connections := map[string]bool{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connections[r.RemoteAddr] = true
		if len(connections) == 1 && r.Header.Get("X-Last") != "" {
			w.Header().Set("Connection", "close")
		}
	}))
	defer s.Close()
	c := dialled(t, s.Listener.Addr().String())
	for i, request := range [][]byte{ping, ping, whole(head("POST", "/", "h", "X-Last: 1"), ""), ping, ping} {
		if status, _, err := c.exchange(t.Context(), request); err != nil || status != 200 {
			t.Fatalf("request %d: status %d, %v", i, status, err)
		}
	}
	if len(connections) != 2 {
		t.Errorf("5 requests took %d connections, want 2", len(connections))
	}
}

func TestClientEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done() // the client hangs up
	}))
	defer s.Close()
	c, err := dial(ctx, s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if _, _, err := c.exchange(ctx, ping); !errors.Is(err, net.ErrClosed) {
		t.Errorf("exchange() = %v, want %v", err, net.ErrClosed)
	}
}

// FuzzAnswer feeds the reader what no server should send. It must end, with a status or an error.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
		"HTTP/1.0 204 No Content\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nab\r\n0\r\nT: u\r\n\r\n",
		"HTTP/1.1 2\n\n", "HTTP/1.1", "\n", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		c := &client{in: bufio.NewReader(bytes.NewReader(answer))}
		if _, err := c.answer(); err == nil && len(c.body) > len(answer) {
			t.Errorf("the body has %d bytes, the answer %d", len(c.body), len(answer))
		}
	})
}
