package faults_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/faults"
)

// echo is a dialect whose operation and queue stand in the path: /Operation/queue. It counts the work that is done.
type echo struct {
	name string
	done int
	err  error // of its work
}

func (e *echo) Name() string              { return e.name }
func (e *echo) Claims(*http.Request) bool { return true }

func (e *echo) Decode(r *http.Request) (*protocols.Call, error) {
	operation, queue, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	c := &protocols.Call{Operation: operation, RequestID: queue, Request: r}
	if operation == "" {
		return c, word("refused")
	}
	c.Run = func(context.Context) (any, error) { e.done++; return "done", e.err }
	return c, nil
}

func (e *echo) Encode(w http.ResponseWriter, _ *protocols.Call, result any) error {
	_, err := w.Write([]byte(result.(string)))
	return err
}

func (e *echo) Fail(w http.ResponseWriter, _ *protocols.Call, err error) {
	if w, ok := errors.AsType[word](err); ok {
		err = w
	}
	w.Write([]byte(err.Error()))
}

// coded is an echo that knows the codes of its errors.
type coded struct{ *echo }

func (c coded) Code(call *protocols.Call, err error) string {
	return call.Operation + "." + err.Error()
}

func TestCodesAreThoseOfTheDialect(t *testing.T) {
	set := newSet(t, faults.Rule{Name: "r", Kind: faults.Throttle})
	for _, tt := range []struct {
		name  string
		inner protocols.Dialect
		want  string
	}{
		{"of a dialect with codes", coded{&echo{name: "sqs-test"}}, "SendMessage.throttled"},
		{"of one without", &echo{name: "sqs-test"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := set.Dialect(tt.inner)
			c, err := d.Decode(httptest.NewRequest("POST", "/SendMessage/q", nil))
			if err != nil {
				t.Fatal(err)
			}
			_, failed := c.Run(t.Context())
			coder, ok := d.(protocols.Coder)
			if !ok || failed == nil {
				t.Fatalf("%T is a Coder: %v; Run() = %v, want the fault", d, ok, failed)
			}
			if got := coder.Code(c, failed); got != tt.want {
				t.Errorf("Code(%v) = %q, want %q", failed, got, tt.want)
			}
		})
	}
}

const closed = "(the connection was closed)"

// ask returns the answer to a request.
func ask(t *testing.T, set *faults.Set, e *echo, path string) (answer string) {
	t.Helper()
	h := protocols.NewHandler([]protocols.Dialect{set.Dialect(e)}, func(_ *protocols.Call, err error) {
		if e.err == nil {
			t.Errorf("fault: %v", err)
		}
	})
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler {
				panic(p)
			}
			answer = closed
		}
	}()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
	return w.Body.String()
}

func TestFaultsAroundTheWork(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rule   faults.Rule
		answer string
		done   int
	}{
		{"throttled", faults.Rule{Kind: faults.Throttle}, faults.Throttled, 0},
		{"throttled in other words", faults.Rule{Kind: faults.Throttle, Error: "Own"}, "Own", 0},
		{"an error", faults.Rule{Kind: faults.Fail}, faults.Internal, 0},
		{"an error before the work", faults.Rule{Kind: faults.Fail, Error: faults.Unavailable, At: faults.Before}, faults.Unavailable, 0},
		{"an error after the work", faults.Rule{Kind: faults.Fail, Error: faults.Unavailable, At: faults.After}, faults.Unavailable, 1},
		{"a lost answer", faults.Rule{Kind: faults.LostAnswer}, closed, 1},
		{"the limit of receives", faults.Rule{Kind: faults.OverLimit}, "done", 1},
		{"never", faults.Rule{Kind: faults.Throttle, Rate: new(0.0)}, "done", 1},
		{"another provider", faults.Rule{Kind: faults.Throttle, Provider: "mns"}, "done", 1},
		{"another operation", faults.Rule{Kind: faults.Throttle, Operation: "Receive*"}, "done", 1},
		{"another queue", faults.Rule{Kind: faults.Throttle, Queue: "p"}, "done", 1},
		{"this operation and queue", faults.Rule{Kind: faults.Throttle, Provider: "sqs", Operation: "Send*", Queue: "?"}, faults.Throttled, 0},
		{"later", faults.Rule{Kind: faults.Throttle, After: 1}, "done", 1},
		{"duplicates", faults.Rule{Kind: faults.Duplicate}, "done", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.rule.Name = "r"
			e := &echo{name: "sqs-test"}
			if got := ask(t, newSet(t, tt.rule), e, "/SendMessage/q"); got != tt.answer || e.done != tt.done {
				t.Errorf("answer %q, work done %d times; want %q, %d", got, e.done, tt.answer, tt.done)
			}
		})
	}
}

func TestOverLimitRefusesReceivesOfTheProviderThatHasIt(t *testing.T) {
	set := newSet(t, faults.Rule{Name: "r", Kind: faults.OverLimit})
	for provider, want := range map[string]string{"sqs-test": faults.TooMany, "mns": "done", "other": "done"} {
		if got := ask(t, set, &echo{name: provider}, "/ReceiveMessage/q"); got != want {
			t.Errorf("answer of %s = %q, want %q", provider, got, want)
		}
	}
}

func TestWhatTheDialectRefusesHasNoFaults(t *testing.T) {
	set := newSet(t, faults.Rule{Name: "r", Kind: faults.Throttle})
	e := &echo{name: "sqs-test", err: word("own")}
	if got := ask(t, set, e, "/"); got != "refused" {
		t.Errorf("answer = %q, want the dialect's", got)
	}
	if n := set.List()[0].Picked; n != 0 {
		t.Errorf("the rule was asked %d times", n)
	}
}

func TestAnErrorAfterTheWorkLeavesTheErrorOfTheWorkAlone(t *testing.T) {
	set := newSet(t, faults.Rule{Name: "r", Kind: faults.Fail, At: faults.After})
	if got := ask(t, set, &echo{name: "sqs-test", err: word("own")}, "/SendMessage/q"); got != "own" {
		t.Errorf("answer = %q, want that of the work", got)
	}
}

func TestTheSameSeedHasTheSameFaults(t *testing.T) {
	pattern := func(rules ...faults.Rule) string {
		var b strings.Builder
		set := newSet(t, rules...)
		for range 60 {
			if ask(t, set, &echo{name: "sqs-test"}, "/SendMessage/q") == "done" {
				b.WriteByte('.')
			} else {
				b.WriteByte('x')
			}
		}
		return b.String()
	}
	third := faults.Rule{Name: "third", Kind: faults.Throttle, Rate: new(1.0 / 3)}
	first := pattern(third)
	if n := strings.Count(first, "x"); n < 10 || n > 30 {
		t.Errorf("%d of 60 requests failed, want about 20: %s", n, first)
	}
	if again := pattern(third); again != first {
		t.Errorf("the second time:\n%s\nthe first time:\n%s", again, first)
	}
	if among := pattern(faults.Rule{Name: "other", Kind: faults.Latency, Delay: new(time.Second), Queue: "p"}, third); among != first {
		t.Errorf("with another rule:\n%s\nwithout:\n%s", among, first)
	}
	seeded := third
	seeded.Seed = 7
	if other := pattern(seeded); other == first {
		t.Errorf("another seed changes nothing: %s", other)
	}
	spared := third
	spared.After, spared.Count = 10, new(3)
	if got := pattern(spared); strings.Contains(got[:10], "x") || strings.Count(got, "x") != 3 || got[10:30] != first[10:30] && strings.Count(first[10:30], "x") <= 3 {
		t.Errorf("after 10 and 3 times at most:\n%s\nof\n%s", got, first)
	}
}

func TestRulesCount(t *testing.T) {
	set := newSet(t, faults.Rule{Name: "r", Kind: faults.Throttle, Operation: "Send*", Count: new(2)})
	for _, path := range []string{"/SendMessage/q", "/SendMessage/q", "/DeleteMessage/q", "/SendMessage/q"} {
		ask(t, set, &echo{name: "sqs-test"}, path)
	}
	if got := set.List()[0]; got.Picked != 3 || got.Fired != 2 {
		t.Errorf("picked %d, fired %d, want 3 and 2", got.Picked, got.Fired)
	}
}

func TestLatencyIsThatOfTheEnginesClock(t *testing.T) {
	for _, at := range []faults.Moment{faults.Before, faults.After} {
		t.Run(string(at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				manual := clock.NewManual(epoch)
				set := faults.NewSet(providers, manual, func() {})
				slow := faults.Rule{Name: "slow", Kind: faults.Latency, At: at, Delay: new(2 * time.Second)}
				slower := slow
				slower.Name = "slower"
				if err := set.Replace([]faults.Rule{slow, slower}); err != nil {
					t.Fatal(err)
				}
				e, answered := &echo{name: "sqs-test"}, make(chan string, 1)
				go func() { answered <- ask(t, set, e, "/SendMessage/q") }()
				synctest.Wait()
				if want := map[faults.Moment]int{faults.Before: 0, faults.After: 1}[at]; e.done != want {
					t.Errorf("work done %d times at once, want %d", e.done, want)
				}
				manual.Advance(3 * time.Second)
				synctest.Wait()
				if len(answered) != 0 {
					t.Error("answered after 3 s, want 4 s: delays add up")
				}
				manual.Advance(time.Second)
				if got := <-answered; got != "done" || e.done != 1 {
					t.Errorf("answer %q, work done %d times", got, e.done)
				}
			})
		})
	}
}
