package replay_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/replay"
)

// remote is a target behind a server that answers with the handler.
func remote(t *testing.T, h http.Handler) replay.Target {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	target, err := replay.Remote("remote", srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestServersThatAnswerBadlyAreReported(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the connection is not noticed
		<-r.Context().Done()
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   []replay.Class
		got    string
	}{
		{"hangs", hang, []replay.Class{replay.Transport}, "no answer, or not all of it, within 100ms"},
		{"hangs in the middle of a body", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"__type":`)
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		}, []replay.Class{replay.Transport}, "no answer, or not all of it, within 100ms"},
		{"closes the connection", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, []replay.Class{replay.Transport}, "EOF"},
		{"ends a body early", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
		}, []replay.Class{replay.Transport}, "unexpected EOF"},
		{"speaks no HTTP", func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				fmt.Fprint(c, "220 mail.example.com ESMTP\r\n\r\n")
				c.Close()
			}
		}, []replay.Class{replay.Transport}, "malformed HTTP"},
		{
			"500 as a page", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>oops", 500) },
			[]replay.Class{replay.Status, replay.HeaderMissing, replay.HeaderChanged, replay.HeaderMissing, replay.Body},
			"500 <html>oops",
		},
		{
			"another language", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `<?xml version="1.0"?><Error/>`) },
			[]replay.Class{replay.Status, replay.HeaderMissing, replay.HeaderChanged, replay.HeaderMissing, replay.Body},
			"200 <?xml",
		},
		{
			"nothing", func(http.ResponseWriter, *http.Request) {},
			[]replay.Class{replay.Status, replay.HeaderMissing, replay.HeaderMissing, replay.HeaderMissing, replay.Body},
			"200 ",
		},
		{
			"elsewhere", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) },
			[]replay.Class{replay.Status, replay.HeaderMissing, replay.HeaderMissing, replay.HeaderMissing, replay.Body},
			"302 ",
		},
		{
			"a deep body", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("[", 1<<20)) },
			[]replay.Class{replay.Status, replay.HeaderMissing, replay.HeaderChanged, replay.HeaderMissing, replay.Body},
			"200 [[[",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := remote(t, tt.answer)
			if strings.HasPrefix(tt.name, "hangs") {
				target.Timeout = 100 * time.Millisecond // the others have all the time that a busy machine takes
			}
			report, err := (&replay.Suite{Scenarios: []*replay.Scenario{recording(t, noQueue)}}).Run(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			var classes []replay.Class
			for _, d := range report.Results[0].Differences {
				classes = append(classes, d.Class)
			}
			if !slices.Equal(classes, tt.want) || !strings.Contains(report.Results[0].Differences[0].Got, tt.got) {
				t.Errorf("Run() = %+v, want classes %q, the first with %q", report.Results[0].Differences, tt.want, tt.got)
			}
		})
	}
}

func TestServerThatNeverAnswersIsGivenUp(t *testing.T) {
	all, _ := corpus(t)
	target := remote(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	suite := &replay.Suite{Scenarios: all, MaxWait: time.Nanosecond, Parallel: 1}
	report, err := suite.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	last := report.Results[len(report.Results)-1].Differences
	const mostTried = 40
	if tried := len(report.Results) - untried(report); tried != mostTried || len(last) != 1 || last[0].Class != replay.Transport {
		t.Errorf("Run(a server that hangs up) tried %d scenarios, the last: %v; want %d and a difference of class transport", tried, last, mostTried)
	}
}

func untried(r *replay.Report) (n int) {
	for _, res := range r.Results {
		if strings.Contains(res.Differences[0].Got, "not tried") {
			n++
		}
	}
	return n
}

// A server that fails a while is not given up.
func TestServerThatComesBackIsTried(t *testing.T) {
	s := served(t)
	var calls atomic.Int32
	target := remote(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= 10 {
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	suite := &replay.Suite{Parallel: 1}
	for range 30 {
		suite.Scenarios = append(suite.Scenarios, recording(t, noQueue))
	}
	report, err := suite.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Score(); got.Passed < 20 || got.Passed == 30 {
		t.Errorf("Run() passed %d of 30 against a server that failed at first, want most but not all", got.Passed)
	}
}

// served is the handler of a server on the machine's clock.
func served(t *testing.T) http.Handler {
	t.Helper()
	s, err := sluice.Open(sluice.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.Handler()
}

// Scenarios do not depend on each other, nor on what others left behind, nor on being alone.
func TestCorpusHoldsTwiceAndShuffledOnOneServer(t *testing.T) {
	all, listed := corpus(t)
	target := remote(t, served(t))
	for _, seed := range []uint64{1, 2} {
		rand.New(rand.NewPCG(seed, seed)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		report, err := (&replay.Suite{Scenarios: all, Deviations: listed, MaxWait: time.Second}).Run(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			for _, d := range r.Differences {
				t.Errorf("round %d: %s.http %s", seed, r.Scenario.Name(), d.String())
			}
		}
		t.Logf("round %d: %d scenarios in %v, %d left out", seed, len(report.Results), report.Elapsed, len(report.LeftOut))
	}
}

func TestTargetsSayWhereTheirQueuesAre(t *testing.T) {
	s, err := sluice.Open(sluice.Options{SQS: sluice.Home{Account: "987654321098", Region: "eu-west-1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for name, h := range map[string]http.Handler{"both": s.Handler(), "query": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Target") != "" {
			http.Error(w, "Bad Request", http.StatusBadRequest)
			return
		}
		s.Handler().ServeHTTP(w, r)
	})} {
		target := remote(t, h)
		if err := target.Discover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := target.Places[replay.SQSQuery].Account, "987654321098"; got != want {
			t.Errorf("%s: account = %s, want %s", name, got, want)
		}
		if got := target.Places[replay.MNS]; got != replay.Places()[replay.MNS] {
			t.Errorf("%s: MNS is in %v, want the usual place", name, got)
		}
	}
	for address, want := range map[string]replay.Place{
		"https://sqs.eu-west-1.amazonaws.com":                            {Account: "000000000000", Region: "eu-west-1"},
		"https://1234000056780000.mns.cn-shanghai-internal.aliyuncs.com": {Account: "1234000056780000", Region: "cn-shanghai"},
	} {
		target, err := replay.Remote("x", address)
		if err != nil {
			t.Fatal(err)
		}
		dialect := replay.SQSJSON
		if strings.Contains(address, "mns") {
			dialect = replay.MNS
		}
		if got := target.Places[dialect]; got != want {
			t.Errorf("Remote(%q) is in %v, want %v", address, got, want)
		}
	}
}
