package mns

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// A waiting receive, with its answer.
func (l *lab) wait(ctx context.Context, target string) <-chan *answer {
	done := make(chan *answer, 1)
	r := httptest.NewRequestWithContext(ctx, "GET", target, nil)
	r.Host = labHost
	go func() {
		w := httptest.NewRecorder()
		l.handler.ServeHTTP(w, r)
		done <- &answer{l.t, w.Code, w.Header(), w.Body.String(), "GET " + target}
	}()
	synctest.Wait()
	return done
}

// arrived returns the answer if it is there.
func arrived(done <-chan *answer) *answer {
	synctest.Wait()
	select {
	case a := <-done:
		return a
	default:
		return nil
	}
}

func TestReceiveWaitsForAMessage(t *testing.T) {
	for name, target := range map[string]string{
		"one":                 "/queues/q/messages?waitseconds=10",
		"batch":               "/queues/q/messages?waitseconds=10&numOfMessages=16",
		"by the queue's wait": "/queues/q/messages",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t)
				l.create("q", "<PollingWaitSeconds>10</PollingWaitSeconds>")
				done := l.wait(t.Context(), target)
				if a := arrived(done); a != nil {
					t.Fatalf("the receive has not waited: %s", a.body)
				}
				l.clock.Advance(9 * time.Second)
				l.send("q", "x")
				if a := arrived(done); a == nil || a.status != 200 {
					t.Fatalf("the receive has not ended with the message: %+v", a)
				}
				done = l.wait(t.Context(), target)
				l.clock.Advance(10 * time.Second)
				if a := arrived(done); a == nil {
					t.Fatal("the receive has not ended with the wait")
				} else {
					a.wantError(404, "MessageNotExist", "Message not exist.")
				}
			})
		})
	}
}

func TestGivenWaitWinsOverTheQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.create("q", "<PollingWaitSeconds>30</PollingWaitSeconds>")
		if a := arrived(l.wait(t.Context(), "/queues/q/messages?waitseconds=0")); a == nil || a.status != 404 {
			t.Errorf("a receive with waitseconds=0 waits: %+v", a)
		}
	})
}

func TestPeekDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.create("q", "<PollingWaitSeconds>30</PollingWaitSeconds>")
		if a := arrived(l.wait(t.Context(), "/queues/q/messages?peekonly=true")); a == nil || a.status != 404 {
			t.Errorf("a peek waits: %+v", a)
		}
	})
}

func TestDeletingTheQueueEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.create("q", "")
		done := l.wait(t.Context(), "/queues/q/messages?waitseconds=30")
		l.do("DELETE", "/queues/q", "").want(204)
		if a := arrived(done); a == nil {
			t.Error("the receive goes on waiting")
		} else {
			a.wantError(404, "QueueNotExist", "The queue name you provided is not exist.")
		}
	})
}

func TestLeavingClientIsNoFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t) // fails for faults
		l.create("q", "")
		ctx, leave := context.WithCancel(t.Context())
		done := l.wait(ctx, "/queues/q/messages?waitseconds=30")
		leave()
		if arrived(done) == nil {
			t.Error("the receive goes on waiting")
		}
		l.send("q", "x")
		l.receive("q")
	})
}
