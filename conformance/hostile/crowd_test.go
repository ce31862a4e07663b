package hostile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAThousandParkedPolls parks polls of all protocols at one queue and sends as many messages: each poll gets one.
func TestAThousandParkedPolls(t *testing.T) {
	s := open(t)
	s.must(t, "CreateQueue", map[string]any{"QueueName": "plain"})
	goroutines := runtime.NumGoroutine()
	const polls = 999
	answers := make(chan string, polls)
	var all sync.WaitGroup
	for i := range polls {
		c := s.dial(t)
		a := poll(protocolNames[i%3])
		_, _ = io.WriteString(c, a.bytes(s.addr))
		all.Go(func() {
			r, err := readAnswer(bufio.NewReader(c), a.method)
			if err != nil || r.status != http.StatusOK {
				r.body = fmt.Sprint(r.status, err)
			}
			answers <- r.body
			_ = c.Close()
		})
	}
	until(t, "all polls are parked", func() bool { return s.active.Load() == polls })

	began := time.Now()
	s.must(t, "ListQueues", map[string]any{})
	if took := time.Since(began); took > time.Second {
		t.Errorf("another request took %v beside %d parked polls", took, polls)
	}
	for i := 0; i < polls; i += 9 {
		entries := make([]map[string]string, 9)
		for n := range entries {
			entries[n] = map[string]string{"Id": fmt.Sprint(n), "MessageBody": fmt.Sprintf("m%d;", i+n)}
		}
		s.must(t, "SendMessageBatch", map[string]any{"QueueUrl": urlOf("plain"), "Entries": entries})
	}
	all.Wait()
	close(answers)
	got := map[string]bool{}
	for body := range answers {
		for i := range polls {
			if m := fmt.Sprintf("m%d;", i); strings.Contains(body, m) {
				got[m] = true
			}
		}
	}
	if len(got) != polls {
		t.Errorf("%d polls got %d different messages, want one each", polls, len(got))
	}
	until(t, "the goroutines of the polls have gone", func() bool { return runtime.NumGoroutine() <= goroutines+10 })
}

// TestTenThousandQueues makes queues through both providers, lists them page by page, deletes them, and looks whether
// memory and goroutines come back.
func TestTenThousandQueues(t *testing.T) {
	s := open(t)
	const queues, page = 10_000, 1000
	goroutines := runtime.NumGoroutine()
	s.eachQueue("first", queues, (*site).makeNumbered) // so that whatever keeps the size it once had, has it
	s.eachQueue("first", queues, (*site).deleteNumbered)
	until(t, "the last sweep is over", func() bool { return runtime.NumGoroutine() <= goroutines })
	before := heap()
	s.eachQueue("q", queues, (*site).makeNumbered)
	t.Logf("%d bytes a queue", (heap()-before)/queues)

	names := map[string]bool{}
	token := ""
	for range queues / page {
		in := map[string]any{"MaxResults": page}
		if token != "" {
			in["NextToken"] = token
		}
		out := s.must(t, "ListQueues", in)
		for _, url := range out["QueueUrls"].([]any) {
			names[url.(string)] = true
		}
		token, _ = out["NextToken"].(string)
	}
	if len(names) != queues || token != "" {
		t.Errorf("ten pages name %d queues, and the token of the next is %q, want %d and none", len(names), token, queues)
	}
	if all := s.must(t, "ListQueues", map[string]any{})["QueueUrls"].([]any); len(all) != page {
		t.Errorf("a list without pages names %d queues, want %d", len(all), page)
	}
	clear(names)

	s.eachQueue("q", queues, (*site).deleteNumbered)
	until(t, "the last sweep is over", func() bool { return runtime.NumGoroutine() <= goroutines })
	const room = 64
	if kept := (heap() - before) / queues; kept > room {
		t.Errorf("%d bytes of memory are still in use for each queue that is deleted, want at most %d", kept, room)
	}
	if left := s.must(t, "ListQueues", map[string]any{})["QueueUrls"]; left != nil {
		t.Errorf("queues after their deletion = %v, want none", left)
	}
}

// heap returns the bytes in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// eachQueue does something for a number of queues, half of them through each provider. It goes past the network, which
// has no part in this.
func (s *site) eachQueue(prefix string, n int, do func(s *site, name string, i int)) {
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := worker; i < n; i += 4 {
				do(s, fmt.Sprintf("%s-%d", prefix, i), i)
			}
		})
	}
	all.Wait()
}

func (s *site) makeNumbered(name string, i int) {
	if i%2 == 0 {
		s.serve(jsonRequest("CreateQueue", map[string]any{"QueueName": name}))
		return
	}
	r := httptest.NewRequest(http.MethodPut, "/queues/"+name, strings.NewReader("<Queue/>"))
	s.serve(r)
}

func (s *site) deleteNumbered(name string, i int) {
	if i%4 < 2 {
		s.serve(jsonRequest("DeleteQueue", map[string]any{"QueueUrl": name}))
		return
	}
	s.serve(httptest.NewRequest(http.MethodDelete, "/queues/"+name, nil))
}

func jsonRequest(operation string, in any) *http.Request {
	body, _ := json.Marshal(in) // maps and texts always can
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	return r
}

// serve gives a request to the handler directly.
func (s *site) serve(r *http.Request) reply {
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}
