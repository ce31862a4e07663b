package sluice

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// dialled returns a client's connection to a handler that serveConnections serves.
func dialled(t *testing.T, h http.HandlerFunc) net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := NewHTTPServer(h)
	served := make(chan error, 1)
	go func() { served <- serveConnections(srv, l) }()
	t.Cleanup(func() {
		if err := errors.Join(srv.Close(), <-served); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serveConnections = %v, want %v", err, http.ErrServerClosed)
		}
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func write(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

const ask = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n"

func TestContextOfARequestThatWaitsEndsWithItsClient(t *testing.T) {
	ended := make(chan error, 1)
	waits := make(chan struct{})
	c := dialled(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		close(waits)
		<-ctx.Done()
		ended <- ctx.Err()
	})
	write(t, c, ask+"{}")
	<-waits
	c.Close()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("context of a request whose client has gone: %v, want %v", err, context.Canceled)
	}
}

func TestClientIsWatchedFromWhenOnSomebodyWaits(t *testing.T) {
	begun, sent := make(chan struct{}), make(chan struct{})
	var got []string
	c := dialled(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, string(body))
		if len(got) > 1 {
			return
		}
		own := r.Context().Value(connectionKey{}).(*connection)
		close(begun)
		<-sent
		got = append(got, string(own.early)) // what a watch would have taken
		r.Context().Done()
		r.Context().Done() // which does not begin a second watch
		<-own.watching
		got = append(got, string(own.early))
	})
	write(t, c, ask+"{}")
	<-begun
	write(t, c, ask+"[]"+strings.Replace(ask, "HTTP/1.1\r\n", "HTTP/1.1\r\nConnection: close\r\n", 1)+"[]")
	close(sent)
	answers, err := io.ReadAll(c)
	if n := strings.Count(string(answers), "HTTP/1.1 200 OK"); err != nil || n != 3 {
		t.Errorf("%d answers (%v), want 3: %q", n, err, answers)
	}
	if diff := cmp.Diff([]string{"{}", "", "P", "[]", "[]"}, got); diff != "" {
		t.Errorf("bodies of the requests, and what the watch took in the first (-want +got):\n%s", diff)
	}
}

func TestBodyIsReadAfterSomebodyWaited(t *testing.T) {
	var got string
	c := dialled(t, func(_ http.ResponseWriter, r *http.Request) {
		r.Context().Done()
		_, _ = io.WriteString(writerOf(r), "HTTP/1.1 103 Early Hints\r\n\r\n")
		body, err := io.ReadAll(r.Body)
		got = string(body)
		if err != nil {
			t.Errorf("reading the body = %v", err)
		}
	})
	write(t, c, strings.Replace(ask, "HTTP/1.1\r\n", "HTTP/1.1\r\nConnection: close\r\n", 1))
	first := make([]byte, 1)
	if _, err := io.ReadFull(c, first); err != nil {
		t.Fatal(err)
	}
	write(t, c, "{}")
	_, _ = io.ReadAll(c)
	if got != "{}" {
		t.Errorf("body = %q, want {}", got)
	}
}

// writerOf returns what writes to the client past net/http.
func writerOf(r *http.Request) io.Writer {
	return r.Context().Value(connectionKey{}).(*connection).Conn
}

func TestLimitsArePassedWhenTheSystemsAndTheirOwnAreOver(t *testing.T) {
	var told []int64
	l := limit{tell: func(at time.Time) error { told = append(told, at.Unix()); return nil }}
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	set := func(t time.Time) { _ = l.set(t) }
	if l.any() {
		t.Error("any() of no limit, want false")
	}
	set(at(100))
	set(at(50)) // sooner: the system is told
	set(at(70)) // later: it is not
	if !l.any() {
		t.Error("any() of a limit = false")
	}
	if l.passed(at(50)) {
		t.Error("passed(50) of a limit of 70")
	}
	if !l.passed(at(70)) {
		t.Error("!passed(70) of a limit of 70")
	}
	set(time.Time{})
	if l.passed(at(70)) || l.any() {
		t.Error("a limit that was taken away is there")
	}
	set(at(60))
	if diff := cmp.Diff([]int64{100, 50, 70, time.Time{}.Unix(), 60}, told); diff != "" {
		t.Errorf("the system was told (-want +got):\n%s", diff)
	}
	l.tell = func(time.Time) error { return net.ErrClosed }
	if !l.passed(at(10)) {
		t.Error("a limit on a closed connection does not end the read")
	}
}

func TestReadAndWriteEndAtTheirLimits(t *testing.T) {
	done := make(chan struct{})
	c := dialled(t, func(_ http.ResponseWriter, r *http.Request) {
		defer close(done)
		own := r.Context().Value(connectionKey{}).(*connection)
		if err := own.SetDeadline(time.Unix(1, 0)); err != nil {
			t.Errorf("SetDeadline = %v", err)
		}
		for name, f := range map[string]func([]byte) (int, error){"Read": own.Read, "Write": own.Write} {
			var timeout net.Error
			if n, err := f(make([]byte, 2)); n != 0 || !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("%s after the limit = %d, %v, want a timeout", name, n, err)
			}
		}
		if err := own.SetDeadline(time.Time{}); err != nil {
			t.Errorf("SetDeadline = %v", err)
		}
		if n, err := own.Write([]byte("ok")); n != 2 || err != nil {
			t.Errorf("Write without a limit = %d, %v", n, err)
		}
	})
	write(t, c, ask+"{}")
	<-done
}

func TestAnswersThatAreCopiedKnowTheLimit(t *testing.T) {
	body := strings.Repeat("x", 4096)
	c := dialled(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.(http.Flusher).Flush() // what is copied now, net/http would let the system write by itself
		own := r.Context().Value(connectionKey{}).(*connection)
		if err := errors.Join(own.SetWriteDeadline(time.Unix(1, 0)), own.SetWriteDeadline(time.Time{})); err != nil {
			t.Errorf("SetWriteDeadline = %v", err)
		}
		if n, err := io.Copy(w, io.LimitReader(strings.NewReader(body), int64(len(body)))); n != int64(len(body)) || err != nil {
			t.Errorf("Copy after a limit that was taken away = %d, %v", n, err)
		}
	})
	write(t, c, strings.Replace(ask, "HTTP/1.1\r\n", "HTTP/1.1\r\nConnection: close\r\n", 1)+"{}")
	if answer, err := io.ReadAll(c); err != nil || !strings.HasSuffix(string(answer), "\r\n\r\n"+body) {
		t.Errorf("answer = %q, %v, want one with the whole body", answer, err)
	}
}
