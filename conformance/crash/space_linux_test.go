package crash_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

// The full measurement: go test ./conformance/crash -v -timeout 1h -run Space -messages 1000000 -size 1024
var (
	messages = flag.Int("messages", 4_000, "how many messages come and go in the measurement of space")
	size     = flag.Int("size", 8192, "bytes of each")
)

// mostLeft is how much may be left on the disk when all messages have gone.
const mostLeft = 200_000_000

// TestSpaceOfMessagesThatAreGoneComesBack lets messages come and go in three ways and waits until the disk is small
// again, without a restart and without anybody asking for it. It prints how much was written for them.
func TestSpaceOfMessagesThatAreGoneComesBack(t *testing.T) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "sync\tmessages\tbodies MB\twritten MB\tamplification\tmost on disk MB\tleft MB\tmessages/s\t  ")
	syncs := []string{"os"}
	if *messages > 100_000 {
		syncs = append(syncs, "always")
	}
	for _, sync := range syncs {
		for _, way := range []struct {
			name string
			run  func(*spaceRun, *testing.T)
		}{
			{"sent, received and deleted at once", (*spaceRun).churn},
			{"all sent, then all received and deleted", (*spaceRun).fillAndDrain},
			{"all sent, then purged while others send", (*spaceRun).fillAndPurge},
		} {
			t.Run(sync+" "+way.name, func(t *testing.T) {
				c := &campaign{sync: sync, dir: t.TempDir()}
				p := c.start(t)
				c.makeQueues(t, p)
				r := &spaceRun{p: p, dir: c.dir, body: strings.Repeat("x", *size)}
				stop := r.watch()
				began := time.Now()
				way.run(r, t)
				took := time.Since(began)
				left := r.shrink(t)
				stop()
				written, bodies := writtenBy(t, p), int64(*messages)*int64(*size)
				fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f\t%d\t%d\t%.0f\t  %s\n", sync, *messages, bodies/1e6, written/1e6,
					float64(written)/float64(bodies), r.most.Load()/1e6, left/1e6, float64(*messages)/took.Seconds(), way.name)
				p.kill(t)
			})
		}
	}
	_ = w.Flush()
	t.Log("\n" + table.String())
}

// spaceRun is a program whose disk is watched.
type spaceRun struct {
	p    *process
	dir  string
	body string
	most atomic.Int64
}

const senders = 8

// watch notes the most that is on the disk until it is stopped.
func (r *spaceRun) watch() (stop func()) {
	end := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			r.most.Store(max(r.most.Load(), onDisk(r.dir)))
			select {
			case <-end:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	})
	return func() { close(end); watching.Wait() }
}

// each runs n turns of ten messages, in several workers.
func (r *spaceRun) each(turns int, do func() error) error {
	var all sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(turns))
	failure := make(chan error, senders)
	for range senders {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := do(); err != nil {
					failure <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failure)
	return <-failure
}

func (r *spaceRun) send(t *testing.T, queue string) error {
	ten := slices.Repeat([]outgoing{{body: r.body}}, 10)
	_, err := r.p.json().send(t.Context(), queue, ten)
	return err
}

func (r *spaceRun) take(t *testing.T) error {
	got, err := r.p.json().receive(t.Context(), "storm", receiveRequest{limit: 10, timeout: 600 * time.Second})
	if err != nil || len(got) == 0 {
		return err
	}
	receipts := make([]string, len(got))
	for i, d := range got {
		receipts[i] = d.receipt
	}
	errs, err := r.p.json().remove(t.Context(), "storm", receipts)
	return cmp.Or(append(errs, err)...)
}

// churn has at most a few messages in the queue at any time.
func (r *spaceRun) churn(t *testing.T) {
	err := r.each(*messages/10, func() error { return cmp.Or(r.send(t, "storm"), r.take(t)) })
	if err != nil {
		t.Fatal(err)
	}
	r.drain(t)
}

func (r *spaceRun) fillAndDrain(t *testing.T) {
	r.fill(t)
	r.drain(t)
}

func (r *spaceRun) fill(t *testing.T) {
	t.Helper()
	if err := r.each(*messages/10, func() error { return r.send(t, "storm") }); err != nil {
		t.Fatal(err)
	}
}

func (r *spaceRun) drain(t *testing.T) {
	t.Helper()
	for r.counts(t).visible > 0 {
		if err := r.each(*messages/10, func() error { return r.take(t) }); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *spaceRun) counts(t *testing.T) counts {
	t.Helper()
	c, err := r.p.json().counts(t.Context(), "storm")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fillAndPurge sends to another queue during the purge and what it leaves to be removed: no request of others fails.
func (r *spaceRun) fillAndPurge(t *testing.T) {
	r.fill(t)
	var others sync.WaitGroup
	var mu sync.Mutex
	var took []time.Duration
	purged := make(chan struct{})
	for range senders {
		others.Go(func() {
			for n := 0; n < 100 || open(purged); n++ {
				began := time.Now()
				if _, err := r.p.json().send(t.Context(), "calm", []outgoing{{body: "x"}}); err != nil {
					t.Errorf("send to another queue during the purge = %v, want nil", err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	if err := r.p.json().call(t.Context(), "PurgeQueue", map[string]any{"QueueUrl": queueURL("storm")}, nil); err != nil {
		t.Error(err)
	}
	close(purged)
	others.Wait()
	if c := r.counts(t); c.visible != 0 {
		t.Errorf("%d messages are left after the purge", c.visible)
	}
	slices.Sort(took)
	t.Logf("%d sends to another queue during the purge: median %v, 99 %% within %v, slowest %v",
		len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
}

func open(c chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

// shrink waits until the disk is small and returns what is left.
func (r *spaceRun) shrink(t *testing.T) int64 {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		left := onDisk(r.dir)
		if left <= mostLeft {
			return left
		}
		if time.Now().After(deadline) {
			t.Errorf("%d bytes are left on the disk of messages that are gone, want at most %d", left, mostLeft)
			return left
		}
	}
}

// onDisk returns what the files of a directory take, without their holes.
func onDisk(dir string) (bytes int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*")) // the pattern is fine
	for _, path := range files {
		var s syscall.Stat_t
		if syscall.Stat(path, &s) == nil { // or it has gone
			bytes += s.Blocks * 512
		}
	}
	return bytes
}

// writtenBy returns how many bytes the kernel counts as sent to the disk for a process: pages as they become dirty.
func writtenBy(t *testing.T, p *process) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", p.cmd.Process.Pid))
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nwrite_bytes: ")
	if _, err := fmt.Sscan(rest, &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}
