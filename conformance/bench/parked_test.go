package bench

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// leaping is a clock on which whoever waits for an instant has it at once.
type leaping struct{ *clock.Manual }

func newLeaping() leaping { return leaping{clock.NewManual(time.Unix(0, 0))} }

func (l leaping) Until(at time.Time) (<-chan struct{}, func()) {
	l.Advance(max(0, at.Sub(l.Now())))
	return l.Manual.Until(at)
}

// patient is a server that answers sends only once so many polls are parked, and those never.
func patient(t *testing.T, polls int64) Endpoint {
	t.Helper()
	var held atomic.Int64
	all := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch target, text := r.Header.Get("X-Amz-Target"), string(body); {
		case strings.HasSuffix(target, ".CreateQueue"):
			name, _, _ := strings.Cut(strings.TrimPrefix(text, `{"QueueName":"`), `"`)
			fmt.Fprintf(w, `{"QueueUrl":"http://h/1/%s"}`, name)
		case strings.HasSuffix(target, ".SendMessage"):
			select {
			case <-all:
			case <-r.Context().Done():
			}
		case strings.Contains(text, "parked-") && strings.Contains(text, `"WaitTimeSeconds":20`):
			if held.Add(1) == polls {
				close(all)
			}
			<-r.Context().Done()
		}
	}))
	t.Cleanup(s.Close)
	return Endpoint{URL: s.URL}
}

func TestPollsStayParkedWhileWakeUpsAreMeasured(t *testing.T) {
	l := short(SQSJSON, LongPoll)
	l.Concurrency, l.Count, l.Parked = 1, 5, 40 // more than there are helpers
	if s, err := Measure(t.Context(), newLeaping(), patient(t, 40), l); err != nil || s.Requests != 10 {
		t.Errorf("Measure() = %d requests, %v, want 5 sends and 5 polls", s.Requests, err)
	}
}

func TestParkedPollsDisturbNothingAndLeaveNothing(t *testing.T) {
	e := real(t)
	l := short(SQSJSON, LongPoll)
	l.Concurrency, l.Parked = 1, 30
	e.PID = os.Getpid()
	got, err := Measure(t.Context(), newLeaping(), e, l)
	if err != nil || got.Messages != l.Count || got.Requests != 3*l.Count || got.Refused != 0 {
		t.Fatalf("Measure() = %d messages in %d requests, %d refused, %v", got.Messages, got.Requests, got.Refused, err)
	}
	if (got.Parked != nil) != (runtime.GOOS == "linux") {
		t.Errorf("what parked polls cost is %v", got.Parked)
	}
	if left := list(t, e); left != "{}" {
		t.Errorf("queues are left: %s", left)
	}
}

func TestParkedPollThatIsNotHeldIsAnError(t *testing.T) {
	e, c := fake(t, good)
	l := short(SQSJSON, LongPoll)
	l.Count = 1
	_, err := Measure(t.Context(), leaping{c}, e, l)
	if err == nil || !strings.Contains(err.Error(), "a parked poll was held for") {
		t.Errorf("Measure() = %v, want that polls are not held", err)
	}
}

func TestParkingFailsInOneLine(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		answer string
		want   string
	}{
		{"refused", 503, "busy", `cannot park 3 polls: the answer for a queue without messages has status 503: "busy"`},
		{"message", 200, `{"ReceiptHandle":"r"}`, `cannot park 3 polls: the answer for a queue without messages has status 200: "{\"ReceiptHandle\"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, c := fake(t, func(target string) (int, string) {
				if target == "ReceiveMessage" {
					return tt.status, tt.answer
				}
				return good(target)
			})
			_, err := Measure(t.Context(), c, e, short(SQSJSON, LongPoll))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Measure() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTooFewDescriptorsAreToldWithTheWayOut(t *testing.T) {
	err := parkingError(1000, fmt.Errorf("cannot reach h:1: %w", os.NewSyscallError("socket", syscall.EMFILE)))
	want := "cannot park 1000 polls: cannot reach h:1: socket: too many open files; the limit of open files (ulimit -n) has to be above 1000"
	if err.Error() != want || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("parkingError() = %v, want %s", err, want)
	}
}
