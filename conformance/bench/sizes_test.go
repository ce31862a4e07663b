package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// metrics is a control API that counts a commit more each time.
func metrics(t *testing.T) string {
	t.Helper()
	var commits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "# TYPE x histogram\n%s{scope=\"a b\"} %d\n%s_other 99\n", commitCount, commits.Add(1), commitCount)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// sized is a harness whose servers count as this very process.
func sized(t *testing.T) *Harness {
	admin := metrics(t)
	start := inProcess(t)
	return &Harness{Clock: newLeaping(), Runs: 2, Start: func(ctx context.Context, m Mode, data string) (Server, error) {
		s, err := start(ctx, m, data)
		s.PID, s.Admin = os.Getpid(), admin
		return s, err
	}}
}

func sizedLoad() Load {
	l := Load{}.Defaults()
	l.Count, l.Body = 100, 16
	return l
}

func TestSizesMeasuresEachFigureAgainstItsDemand(t *testing.T) {
	found, err := sized(t).Sizes(t.Context(), sizedLoad(), 20)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range found {
		got = append(got, fmt.Sprintf("%s, %s, %v %s", v.Mode, v.Name, v.Demand, v.Unit))
		if v.Value == nil && runtime.GOOS == "linux" {
			t.Errorf("%s %s was not measured", v.Mode, v.Name)
		}
		if v.Name == "commits a message, send c 64" && *v.Value != 0.01 {
			t.Errorf("%s = %v, want one commit of 100 messages", v.Name, *v.Value)
		}
	}
	want := []string{
		"memory, start to first answer, 30 ms",
		"memory, resident when idle, 25 MB",
		"os, start to first answer, empty directory, 100 ms",
		"os, resident when idle, 25 MB",
		"memory, idle CPU, 20 queues, 0.1 %",
		"os, idle CPU, 20 queues, 0.1 %",
		"memory, wake-up p99, 20 parked polls, 5 ms",
		"memory, a parked poll of 20, 25 KiB",
		"memory, idle CPU, 20 parked polls, 0 %",
		"always, commits a message, send c 64, 0.1 ",
		"memory, a stored message of 20 beyond its body, 0 bytes",
		"os, a stored message of 20 beyond the budget of bodies, 250 bytes",
		"os, start to first answer after a kill, 20 messages of 1 KiB, 4 s",
		"os, disk after 20 messages of 1 KiB have come and gone, 200 MB",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Sizes() (-want +got):\n%s", diff)
	}
	var table strings.Builder
	if err := WriteSizes(&table, found); err != nil || strings.Count(table.String(), "\n") != 1+len(found) {
		t.Errorf("WriteSizes() = %v:\n%s", err, &table)
	}
}

func TestSizesAreNotKnownOfAProcessThatIsNot(t *testing.T) {
	h := sized(t)
	h.Start = inProcess(t)
	found, err := h.Sizes(t.Context(), sizedLoad(), 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		if v.Unit == "MB" && !strings.HasPrefix(v.Name, "disk") || v.Unit == "%" || v.Unit == "KiB" || v.Unit == "bytes" || v.Unit == "" {
			if v.Value != nil {
				t.Errorf("%s %s = %v, want that it is not known", v.Mode, v.Name, *v.Value)
			}
		}
	}
}

func TestProbesRunAsOftenAsTheyAreWorth(t *testing.T) {
	values := []float64{1, 5, 3}
	runs := 0
	p := probe{figures: []finding{{"x", "", 4}}, measure: func(*trial, context.Context) ([]*float64, error) {
		runs++
		return []*float64{new(values[runs-1])}, nil
	}}
	h := (&Harness{Runs: 3}).withDefaults()
	tr := &trial{Harness: &h}
	found, err := tr.run(t.Context(), p)
	if err != nil || runs != 3 || *found[0].Value != 3 || !found[0].Met() {
		t.Errorf("run() = %v, %v after %d runs, want the median of 3", found, err, runs)
	}
	runs, p.once = 0, true
	if found, err = tr.run(t.Context(), p); err != nil || runs != 1 || *found[0].Value != 1 {
		t.Errorf("run() of what takes minutes = %v, %v after %d runs, want 1", found, err, runs)
	}
}

func TestMessagesThatAKillHasLostAreAnError(t *testing.T) {
	h := sized(t)
	forgetful := h.Start
	h.Start = func(ctx context.Context, m Mode, _ string) (Server, error) { return forgetful(ctx, m, "") }
	_, err := h.Sizes(t.Context(), sizedLoad(), 20)
	if err == nil || !strings.Contains(err.Error(), "after a kill, 20 messages of 1 KiB: the messages are lost") {
		t.Errorf("Sizes() = %v, want that messages are lost", err)
	}
}

func TestSizesEndWithTheFirstError(t *testing.T) {
	h := &Harness{Runs: 1, Start: func(context.Context, Mode, string) (Server, error) { return Server{}, errors.New("no") }}
	if _, err := h.Sizes(t.Context(), sizedLoad(), 20); err == nil || err.Error() != "memory, start to first answer: no" {
		t.Errorf("Sizes() = %v, want which probe has failed", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sized(t).Sizes(ctx, sizedLoad(), 20); !errors.Is(err, context.Canceled) {
		t.Errorf("Sizes() = %v, want %v", err, context.Canceled)
	}
}

func TestCommitsAreAddedUp(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       float64
		wrong      bool
	}{
		{"none", "other 3\n", 0, false},
		{"one", commitCount + " 3", 3, false},
		{"with failures", commitCount + "{a=\"} 9\"} 3 1700000000\n" + commitCount + "{error_type=\"_OTHER\"} 1e2\n", 103, false},
		{"longer name", commitCount + "er 3\n", 0, false},
		{"no value", commitCount + "{}\n", 0, true},
		{"no number", commitCount + " x\n", 0, true},
		{"cut", commitCount, 0, false},
	} {
		if got, err := sum(tt.text, commitCount); got != tt.want || (err != nil) != tt.wrong {
			t.Errorf("%s: sum() = %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestCommitsThatAreNotToldAreAnError(t *testing.T) {
	none := httptest.NewServer(http.NotFoundHandler())
	defer none.Close()
	for url, want := range map[string]string{none.URL: "metrics have status 404", "nowhere": "want http://host:port", "http://127.0.0.1:1": "cannot reach"} {
		if _, err := commitsOf(t.Context(), url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("commitsOf(%s) = %v, want %q", url, err, want)
		}
	}
}
