package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLoadIsBounded(t *testing.T) {
	good := Load{Protocol: SQSJSON, Workload: Cycle}.Defaults()
	if err := good.Check(); err != nil {
		t.Fatalf("Check() of the defaults = %v", err)
	}
	for _, tt := range []struct {
		name   string
		change func(l *Load)
		want   string
	}{
		{"protocol", func(l *Load) { l.Protocol = "amqp" }, `protocol is "amqp", want sqs-json, sqs-query, mns`},
		{"workload", func(l *Load) { l.Workload = "" }, `workload is "", want send`},
		{"fifo of mns", func(l *Load) { l.Protocol, l.Workload = MNS, FIFO }, "not known to protocol mns"},
		{"no connection", func(l *Load) { l.Concurrency = 0 }, "concurrency is 0, want 1 to 1024"},
		{"connections", func(l *Load) { l.Concurrency = MaxConcurrency + 1 }, "concurrency is 1025"},
		{"body", func(l *Load) { l.Body = MaxBody + 1 }, "body is 65537, want 1 to 65536"},
		{"count", func(l *Load) { l.Count = -1 }, "count is -1"},
		{"depth", func(l *Load) { l.Depth = MaxDepth + 1 }, "depth is"},
		{"queues", func(l *Load) { l.Queues = MaxQueues + 1 }, "queues is"},
		{"groups", func(l *Load) { l.Groups = 0 }, "groups is 0"},
		{"deleted", func(l *Load) { l.Deleted = 0 }, "deleted is 0, want 1 to"},
		{"parked", func(l *Load) { l.Parked = MaxParked + 1 }, "parked is 10001, want 0 to 10000"},
		{"no parked", func(l *Load) { l.Parked = -1 }, "parked is -1, want 0 to 10000"},
		{"no time", func(l *Load) { l.Duration = 0 }, "duration is 0s, want up to 10m0s"},
		{"duration", func(l *Load) { l.Duration = MaxDuration + 1 }, "duration is"},
		{"warmup", func(l *Load) { l.Warmup = -time.Second }, "warmup is -1s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := good
			tt.change(&l)
			if err := l.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Check() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestNamesAreParsed(t *testing.T) {
	if got, err := ParseProtocols([]string{"all"}); err != nil || !cmp.Equal(got, Protocols) {
		t.Errorf("ParseProtocols(all) = %v, %v", got, err)
	}
	if got, err := ParseWorkloads([]string{"send", "depth"}); err != nil || !cmp.Equal(got, []Workload{Send, Depth}) {
		t.Errorf("ParseWorkloads(send, depth) = %v, %v", got, err)
	}
	if _, err := ParseProtocols([]string{"kafka"}); err == nil || !strings.Contains(err.Error(), `protocol is "kafka", want all, sqs-json`) {
		t.Errorf("ParseProtocols(kafka) = %v", err)
	}
}

func TestLoadsPassOverWhatAProtocolDoesNotKnow(t *testing.T) {
	var got []string
	for _, l := range Loads(Load{}, Protocols, []Workload{FIFO, Send}, []int{1}) {
		got = append(got, string(l.Protocol)+" "+string(l.Workload))
	}
	want := []string{"sqs-json fifo", "sqs-query fifo", "sqs-json send", "sqs-query send", "mns send"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Loads() (-want +got):\n%s", diff)
	}
	if only := Loads(Load{}, []Protocol{MNS}, []Workload{FIFO}, []int{1}); len(only) != 1 {
		t.Errorf("Loads() of nothing else = %v, want it kept so that Check tells", only)
	}
}

func TestLabelTellsTheSizeThatAWorkloadIsAbout(t *testing.T) {
	for w, want := range map[Workload]string{
		Send: "send", Cycle: "cycle", Batch: "batch", FIFO: "fifo 1", Queues: "queues 2", Depth: "depth 3", Drain: "drain 3",
		Deleted: "deleted 4", LongPoll: "longpoll 5",
	} {
		l := Load{Workload: w, Groups: 1, Queues: 2, Depth: 3, Deleted: 4, Parked: 5}
		if got := l.label(); got != want {
			t.Errorf("label() = %q, want %q", got, want)
		}
	}
	if got := (&Load{Workload: LongPoll}).label(); got != "longpoll" {
		t.Errorf("label() without parked polls = %q, want longpoll", got)
	}
}

func TestEveryWorkloadHasAPlan(t *testing.T) {
	for _, w := range Workloads {
		if plans[w].turn == nil {
			t.Errorf("plans[%q] is missing", w)
		}
	}
	if len(plans) != len(Workloads) {
		t.Errorf("there are %d plans for %d workloads", len(plans), len(Workloads))
	}
}
