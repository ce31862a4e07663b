package mns

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
)

// manner is how a receiver treats a connection. It returns whether the push was taken.
type manner func(c net.Conn, r *bufio.Reader) (taken string)

// take answers one push after the other, and returns the body of the last one.
func take(c net.Conn, r *bufio.Reader) string {
	request, err := http.ReadRequest(r)
	if err != nil {
		return ""
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return ""
	}
	_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
	return string(body)
}

// say answers every push with the same bytes.
func say(answer string) manner {
	return func(c net.Conn, r *bufio.Reader) string {
		if request, err := http.ReadRequest(r); err == nil {
			_, _ = io.Copy(io.Discard, request.Body)
			_, _ = io.WriteString(c, answer)
		}
		return ""
	}
}

// drip writes a text byte by byte, for as long as the other end listens.
func drip(before, again string) manner {
	return func(c net.Conn, r *bufio.Reader) string {
		say(before)(c, r)
		for i := 0; ; i++ {
			if _, err := c.Write([]byte{again[i%len(again)]}); err != nil {
				return ""
			}
			time.Sleep(time.Second) // of a bubble
		}
	}
}

func hang(c net.Conn, _ *bufio.Reader) string {
	_, _ = io.Copy(io.Discard, c)
	return ""
}

// manners are those of receivers that take nothing, by the names of their hosts.
var manners = map[string]manner{
	"hangs":           hang,
	"hangs-up":        func(net.Conn, *bufio.Reader) string { return "" },
	"hangs-up-late":   say(""),
	"answers-garbage": say("\x00\xff\x16\x03 garbage\r\n\r\n"),
	"answers-half":    say("HTTP/1.1 20"),
	"answers-500":     say("HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops"),
	"answers-404":     say("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
	"redirects":       say("HTTP/1.1 302 Found\r\nLocation: http://good/elsewhere\r\nContent-Length: 0\r\n\r\n"),
	"redirects-for":   say("HTTP/1.1 308 Permanent Redirect\r\nLocation: http://good/elsewhere\r\nContent-Length: 0\r\n\r\n"),
	"only-continues":  say(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100)),
	"endless-status":  drip("", "HTTP/1.1 200 O"),
	"endless-header":  drip("HTTP/1.1 200 OK\r\n", "X-Long: x"),
}

// world is a net of receivers without a network, so that nobody waits in real time. They take pushes once they are
// mended, and "good" always does.
type world struct {
	mu     sync.Mutex
	mended bool
	taken  map[string][]string // bodies by host
}

func (w *world) dial(_ context.Context, _, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	m, known := manners[host]
	if host == "good" || w.mended {
		m, known = take, true
	}
	w.mu.Unlock()
	if !known {
		return nil, errors.New("nobody listens")
	}
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		if body := m(server, bufio.NewReader(server)); body != "" {
			w.mu.Lock()
			w.taken[host] = append(w.taken[host], body)
			w.mu.Unlock()
		}
	}()
	return client, nil
}

// got returns how often each body was taken at a host.
func (w *world) got(host string) map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := map[string]int{}
	for _, body := range w.taken[host] {
		n[body]++
	}
	return n
}

// openWorld is a lab whose pushes go to the world. It can be opened again on the same store.
func openWorld(t *testing.T, w *world, store *memory.Store) *lab {
	t.Helper()
	l := newLab(t)
	p := NewPusher(PushOptions{
		Site: l.site, Now: clock.System{}.Now, Dir: signerDirReady(t), Authority: signerCA,
		CertificateURL: func() string { return "http://here" + CertificatePath },
	})
	p.client.Transport.(*http.Transport).DialContext = w.dial
	p.client.Transport.(*http.Transport).DisableKeepAlives = true
	engine, err := core.Open(store, core.Options{Pusher: p, Render: Render(l.site), OnError: func(err error) { t.Errorf("fault: %v", err) }})
	if err != nil {
		t.Fatal(err)
	}
	l.engine, l.site.Broker = engine, engine.Under
	l.handler = protocols.NewHandler([]protocols.Dialect{XML(l.site)}, func(_ *protocols.Call, err error) { t.Errorf("fault: %v", err) })
	return l
}

// everywhere is each host, and one where nobody listens.
var everywhere = append(slices.Sorted(maps.Keys(manners)), "nobody", "good")

// inWorld runs a test in a bubble, with a topic that has a subscription of each of the hosts and of a queue.
func inWorld(t *testing.T, hosts []string, test func(t *testing.T, w *world, store *memory.Store, l *lab)) {
	signerDirReady(t) // making a key takes long, and a bubble has no time for it
	synctest.Test(t, func(t *testing.T) {
		w, store := &world{taken: map[string][]string{}}, memory.New()
		l := openWorld(t, w, store)
		l.create("q", "")
		l.do("PUT", "/topics/t", "").want(201)
		for _, host := range hosts {
			l.subscribe("t", host, toURL("http://"+host, formatSimplified)+"<NotifyStrategy>EXPONENTIAL_DECAY_RETRY</NotifyStrategy>")
		}
		l.subscribe("t", "queue", toQueue("q", formatSimplified))
		test(t, w, store, l)
		if err := l.engine.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		time.Sleep(time.Minute) // until the receivers have noticed
	})
}

const published = 6

func (l *lab) publishAll() {
	l.t.Helper()
	for i := range published {
		l.publish("t", "<MessageBody>m"+fmt.Sprint(i)+"</MessageBody>")
	}
}

func (l *lab) waiting() string {
	l.t.Helper()
	return l.do("GET", "/topics/t", "").want(200).text("MessageCount")
}

func TestReceiversThatTakeNothingHoldUpNobody(t *testing.T) {
	inWorld(t, everywhere, func(t *testing.T, w *world, _ *memory.Store, l *lab) {
		began := time.Now()
		l.publishAll()
		synctest.Wait()
		if took := time.Since(began); took != 0 {
			t.Errorf("publishing took %v", took)
		}
		if got := w.got("good"); len(got) != published {
			t.Errorf("the good receiver has %d of %d before anybody has given up", len(got), published)
		}
		if got := l.do("GET", "/queues/q", "").want(200).text("ActiveMessages"); got != fmt.Sprint(published) {
			t.Errorf("the queue has %s messages", got)
		}
		l.create("other", "")
		l.send("other", "x")
		l.receive("other")
		time.Sleep(time.Hour) // of retries
		l.publish("t", "<MessageBody>late</MessageBody>")
		synctest.Wait()
		if got := w.got("good"); got["late"] != 1 || len(got) != published+1 {
			t.Errorf("an hour later the good receiver has %v", got)
		}
		if took := time.Since(began); took != time.Hour {
			t.Errorf("all of it took %v", took)
		}
	})
}

func TestReceiversGetEverythingOnceTheyWork(t *testing.T) {
	inWorld(t, everywhere, func(t *testing.T, w *world, _ *memory.Store, l *lab) {
		l.publishAll()
		time.Sleep(time.Minute)
		w.mend()
		time.Sleep(time.Hour)
		for _, host := range everywhere {
			got := w.got(host)
			for i := range published {
				if n := got["m"+fmt.Sprint(i)]; n != 1 {
					t.Errorf("%s has got m%d %d times, want once", host, i, n)
				}
			}
		}
		if n := l.waiting(); n != "0" {
			t.Errorf("%s publications are still waited for", n)
		}
	})
}

func (w *world) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mended = true
}

// Closing waits for no receiver, and what they have not taken is there when the engine is opened again.
func TestPushesSurviveTheEndOfTheEngine(t *testing.T) {
	inWorld(t, everywhere, func(t *testing.T, w *world, store *memory.Store, l *lab) {
		l.publishAll()
		synctest.Wait()
		closing := time.Now()
		if err := l.engine.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if took := time.Since(closing); took != 0 {
			t.Errorf("Close took %v", took)
		}
		w.mend()
		again := openWorld(t, w, store)
		defer again.engine.Close()
		time.Sleep(time.Hour)
		for _, host := range everywhere {
			if got := w.got(host); len(got) != published {
				t.Errorf("%s has got %d of %d", host, len(got), published)
			}
		}
		if n := again.waiting(); n != "0" {
			t.Errorf("%s publications are still waited for", n)
		}
	})
}

// What nobody takes for a day is given up, so that a receiver that is gone for good costs nothing in the end.
func TestPushesAreGivenUpAfterADay(t *testing.T) {
	inWorld(t, []string{"hangs", "nobody"}, func(t *testing.T, w *world, _ *memory.Store, l *lab) {
		l.publishAll()
		time.Sleep(23 * time.Hour)
		if n := l.waiting(); n != fmt.Sprint(published) {
			t.Errorf("%s publications are waited for after 23 hours, want all", n)
		}
		time.Sleep(2 * time.Hour)
		if n := l.waiting(); n != "0" {
			t.Errorf("%s publications are waited for after 25 hours, want none", n)
		}
		w.mend()
		l.publish("t", "<MessageBody>new</MessageBody>")
		time.Sleep(time.Minute)
		if got := w.got("hangs"); len(got) != 1 || got["new"] != 1 {
			t.Errorf("the receiver that hung has got %v, want what is new", got)
		}
	})
}

// The same on real connections, as far as nothing has to be waited for.
func TestPushToReceiversOnLoopback(t *testing.T) {
	for _, name := range []string{"hangs-up", "hangs-up-late", "answers-garbage", "answers-half", "answers-500", "redirects"} {
		t.Run(name, func(t *testing.T) {
			l := newPushLab(t)
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			next := make(chan manner, 2)
			next <- manners[name]
			next <- take
			taken := make(chan string, 2)
			go func() {
				for {
					c, err := listener.Accept()
					if err != nil {
						return
					}
					taken <- (<-next)(c, bufio.NewReader(c))
					_ = c.Close()
				}
			}()
			l.createTopic("t", toURL("http://"+listener.Addr().String(), formatSimplified))
			l.publish("t", "<MessageBody>x</MessageBody>")
			if e := l.events.next(core.EventPushFailed, core.EventPushed); e.Kind != core.EventPushFailed || e.Err == nil || e.Until.IsZero() {
				t.Fatalf("event %+v, want a push that has failed and comes again", e)
			}
			l.clock.Advance(20 * time.Second)
			if e := l.events.next(core.EventPushFailed, core.EventPushed); e.Kind != core.EventPushed || e.Receives != 2 {
				t.Fatalf("event %+v, want a push that was taken at the second attempt", e)
			}
			if first, second := <-taken, <-taken; first != "" || second != "x" {
				t.Errorf("taken %q and %q", first, second)
			}
		})
	}
}

// Nobody listens on a port that was closed.
func TestPushToClosedPortFailsAtOnce(t *testing.T) {
	l := newPushLab(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	l.createTopic("t", toURL("http://"+listener.Addr().String(), formatSimplified))
	l.publish("t", "<MessageBody>x</MessageBody>")
	if e := l.events.next(core.EventPushFailed); e.Err == nil || e.Receives != 1 {
		t.Errorf("event %+v, want a first attempt that failed", e)
	}
}
