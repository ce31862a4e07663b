package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Protocol is a wire language.
type Protocol string

// The protocols.
const (
	SQSJSON  Protocol = "sqs-json"
	SQSQuery Protocol = "sqs-query"
	MNS      Protocol = "mns"
)

// Protocols are all protocols, the one that the others are compared with first.
var Protocols = []Protocol{SQSJSON, SQSQuery, MNS}

// Workload is what each connection does in turn.
type Workload string

// The workloads. All but Send leave the queue as they found it.
const (
	Send     Workload = "send"     // send a message
	Cycle    Workload = "cycle"    // send a message, receive one, delete it
	Batch    Workload = "batch"    // the same with the largest batch: 10, in MNS 16
	FIFO     Workload = "fifo"     // cycle on a FIFO queue, over Groups groups
	LongPoll Workload = "longpoll" // send to a receiver that waits, beside Parked others; latency is from the send to its answer
	Drain    Workload = "drain"    // receive and delete Depth messages in batches, until none is left
	Queues   Workload = "queues"   // cycle, each time on another one of Queues queues
	Depth    Workload = "depth"    // cycle with Depth messages in the queue all the while
	Deleted  Workload = "deleted"  // cycle on a queue to which Deleted messages have come and from which they have gone
)

// Workloads are all workloads.
var Workloads = []Workload{Send, Cycle, Batch, FIFO, LongPoll, Drain, Queues, Depth, Deleted}

// Bounds of a load. Whatever is asked for, a measurement ends.
const (
	MaxDuration    = 10 * time.Minute
	MaxCount       = 100_000_000
	MaxConcurrency = 1024
	MaxBody        = 64 << 10 // so that the largest batch is within the 1 MiB that SQS takes
	MaxDepth       = 5_000_000
	MaxQueues      = 20_000
	MaxGroups      = 1_000_000
	MaxParked      = 10_000
	MaxRuns        = 99
)

// Load is one thing to measure. Zero numbers stand for the defaults of Defaults.
type Load struct {
	Protocol    Protocol      `json:"protocol"`
	Workload    Workload      `json:"workload"`
	Concurrency int           `json:"concurrency"` // connections, each with one request under way
	Body        int           `json:"body"`        // bytes of a message's body
	Duration    time.Duration `json:"duration"`    // how long to measure, in ns
	Warmup      time.Duration `json:"warmup"`      // how long to run before, in ns
	Count       int64         `json:"count"`       // turns after which to stop earlier
	Depth       int           `json:"depth"`       // messages before the start; drain and depth
	Queues      int           `json:"queues"`      // queues
	Groups      int           `json:"groups"`      // fifo
	Deleted     int           `json:"deleted"`     // messages that have come and gone before the start; deleted
	Parked      int           `json:"parked"`      // further connections whose polls no message answers, 0 being none; longpoll
}

// Defaults returns the load with its zero numbers replaced.
func (l Load) Defaults() Load {
	l.Concurrency = cmp.Or(l.Concurrency, 16)
	l.Body = cmp.Or(l.Body, 1024)
	l.Duration = cmp.Or(l.Duration, 2*time.Second)
	l.Count = cmp.Or(l.Count, MaxCount)
	l.Depth = cmp.Or(l.Depth, 20_000)
	l.Queues = cmp.Or(l.Queues, 1000)
	l.Groups = cmp.Or(l.Groups, 1000)
	l.Deleted = cmp.Or(l.Deleted, 100_000)
	return l
}

// Check returns an error in one line that names the flag, if the load is none that can be run.
func (l Load) Check() error {
	if !slices.Contains(Protocols, l.Protocol) {
		return fmt.Errorf("protocol is %q, want %s", l.Protocol, listed(Protocols))
	}
	if !slices.Contains(Workloads, l.Workload) {
		return fmt.Errorf("workload is %q, want %s", l.Workload, listed(Workloads))
	}
	if l.unknown() {
		return fmt.Errorf("workload %s is not known to protocol %s", FIFO, MNS)
	}
	for _, b := range []struct {
		name            string
		value, min, max int64
	}{
		{"concurrency", int64(l.Concurrency), 1, MaxConcurrency},
		{"body", int64(l.Body), 1, MaxBody},
		{"count", l.Count, 1, MaxCount},
		{"depth", int64(l.Depth), 1, MaxDepth},
		{"queues", int64(l.Queues), 1, MaxQueues},
		{"groups", int64(l.Groups), 1, MaxGroups},
		{"deleted", int64(l.Deleted), 1, MaxDepth},
		{"parked", int64(l.Parked), 0, MaxParked},
	} {
		if b.value < b.min || b.value > b.max {
			return fmt.Errorf("%s is %d, want %d to %d", b.name, b.value, b.min, b.max)
		}
	}
	return l.checkTimes()
}

func (l Load) checkTimes() error {
	if l.Duration <= 0 || l.Duration > MaxDuration {
		return fmt.Errorf("duration is %v, want up to %v", l.Duration, MaxDuration)
	}
	if l.Warmup < 0 || l.Warmup > MaxDuration {
		return fmt.Errorf("warmup is %v, want 0s to %v", l.Warmup, MaxDuration)
	}
	return nil
}

// size is the number that the workload is about, nil if it is about none.
func (l *Load) size() *int {
	switch l.Workload {
	case Depth, Drain:
		return &l.Depth
	case Queues:
		return &l.Queues
	case FIFO:
		return &l.Groups
	case Deleted:
		return &l.Deleted
	case LongPoll:
		return &l.Parked
	default:
		return nil
	}
}

// label names the workload, and its size where it has one.
func (l *Load) label() string {
	if n := l.size(); n != nil && *n > 0 {
		return fmt.Sprintf("%s %d", l.Workload, *n)
	}
	return string(l.Workload)
}

// unknown reports whether the load is one that the protocol has no words for, so that "all" can pass over it.
func (l Load) unknown() bool { return l.Workload == FIFO && l.Protocol == MNS }

// ParseProtocols reads names of protocols; "all" stands for all of them.
func ParseProtocols(names []string) ([]Protocol, error) { return parse("protocol", names, Protocols) }

// ParseWorkloads reads names of workloads; "all" stands for all of them.
func ParseWorkloads(names []string) ([]Workload, error) { return parse("workload", names, Workloads) }

func parse[T ~string](what string, names []string, known []T) ([]T, error) {
	var out []T
	for _, name := range names {
		switch {
		case name == "all":
			out = append(out, known...)
		case slices.Contains(known, T(name)):
			out = append(out, T(name))
		default:
			return nil, fmt.Errorf("%s is %q, want all, %s", what, name, listed(known))
		}
	}
	return out, nil
}

func listed[T ~string](names []T) string {
	text := make([]string, len(names))
	for i, n := range names {
		text[i] = string(n)
	}
	return strings.Join(text, ", ")
}

// Loads returns a load for each protocol, workload and number of connections, as the template has the rest. It leaves
// out what a protocol has no words for, unless nothing would be left.
func Loads(template Load, protocols []Protocol, workloads []Workload, concurrency []int) []Load {
	var all, known []Load
	for _, c := range concurrency {
		for _, w := range workloads {
			for _, p := range protocols {
				l := template
				l.Protocol, l.Workload, l.Concurrency = p, w, c
				all = append(all, l)
				if !l.unknown() {
					known = append(known, l)
				}
			}
		}
	}
	if len(known) == 0 {
		return all
	}
	return known
}
