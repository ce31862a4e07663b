// Package crash_test kills the real program with SIGKILL in the middle of a storm of requests, again and again over the
// same data directory, and compares what the next process shows with what clients were told before. It is killed at
// random, and before, during and after commits, by a store that ends its own process (mortal_test.go). Where a volume
// can be mounted, the power is cut as well: all that was written and not synced is gone (volume_linux_test.go).
//
// The clients speak all three protocols and keep a history: of each message what was sent, what was acknowledged, and
// how long it was to stay hidden. A request that was never answered may have happened or not; all others must have.
// The history is in history_test.go, the storm in storm_test.go and fifostorm_test.go, the comparison in check_test.go
// and fifocheck_test.go.
//
// A campaign, which prints what it has checked: go test ./conformance/crash -v -timeout 3h -rounds 500 -seed 7
//
// The seed fixes what the clients decide. When a process dies depends on the machine as well, so a failure need not
// come back with its seed at the first try.
package crash_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

var (
	seed   = flag.Uint64("seed", 0, "what the clients decide; 0 takes a new one")
	rounds = flag.Int("rounds", len(moments), "how often the program is killed in each of the two ways to sync")
	cuts   = flag.Int("cuts", 2, "how often the power is cut")
)

// binary is the program, built once.
var binary string

func TestMain(m *testing.M) {
	if asChild() {
		return
	}
	flag.Parse()
	dir, err := os.MkdirTemp("", "sluice-crash-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "sluice")
	build := exec.Command("go", "build", "-o", binary, "github.com/sluicemq/sluice/cmd/sluice")
	build.Stderr = os.Stderr
	status := 1
	if err := build.Run(); err == nil {
		status = m.Run()
		checked.print(os.Stdout, status == 0)
	}
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

func TestAcknowledgedWorkSurvivesBeingKilled(t *testing.T) {
	for _, sync := range []string{"os", "always"} {
		t.Run("sync="+sync, func(t *testing.T) {
			newCampaign(t, sync, nil).run(t, *rounds)
		})
	}
}

// With sync=always nothing that was answered may be lost with the power either.
func TestAcknowledgedWorkSurvivesAPowerCut(t *testing.T) {
	newCampaign(t, "always", newVolume(t)).run(t, *cuts)
}

// campaign is a data directory that outlives many processes, and what clients know of it.
type campaign struct {
	rng    *rand.Rand
	sync   string
	dir    string
	volume *volume // that the directory is on, if its power is cut with every kill
	plains []*plainQueue
	fifos  []*fifoQueue
	admins []*adminQueue
	topic  *topic
}

func newCampaign(t *testing.T, sync string, v *volume) *campaign {
	t.Helper()
	from := *seed
	if from == 0 {
		from = rand.Uint64N(1e6) + 1
	}
	t.Logf("seed %d", from)
	c := &campaign{rng: rand.New(rand.NewPCG(from, uint64(len(sync)))), sync: sync, volume: v}
	if v != nil {
		c.dir = filepath.Join(v.dir, "data")
	} else {
		c.dir = t.TempDir()
	}
	c.plains = []*plainQueue{
		{names: []string{"storm"}},
		{names: []string{"calm"}, calm: true},
		{names: []string{"worn", "dead"}},
	}
	c.fifos = []*fifoQueue{
		newFIFOQueue("orders.fifo", false),
		newFIFOQueue("parts.fifo", true),
	}
	for _, q := range c.plains {
		q.history = newHistory()
	}
	for i := range 4 {
		c.admins = append(c.admins, &adminQueue{name: fmt.Sprintf("admin-%d", i)})
	}
	c.topic = newTopic()
	t.Cleanup(c.topic.receiver.Close)
	p := c.start(t)
	c.makeQueues(t, p)
	c.topic.set(t, p.json().host)
	p.kill(t)
	return c
}

func (c *campaign) run(t *testing.T, rounds int) {
	t.Helper()
	for round := range rounds {
		if !c.round(t, round, round == rounds-1) {
			return
		}
	}
}

// round lets a storm begin, kills the program in it, and checks what the next process has. It reports whether the next
// round makes sense.
func (c *campaign) round(t *testing.T, number int, last bool) bool {
	t.Helper()
	at := moments[number%len(moments)]
	p := c.startMortal(t, at)
	killed := c.storm(t, p, at)
	if c.rng.IntN(3) == 0 {
		c.interruptRecovery(t)
	}
	began := time.Now()
	p = c.start(t)
	restart := time.Since(began)
	checked.restarted(restart)
	var all crew
	for _, q := range c.plains {
		all.Go((&plainCheck{t: t, q: q, c: p.clients(), rng: c.fork(), killed: killed, last: last}).run)
	}
	for _, q := range c.fifos {
		all.Go((&fifoCheck{t: t, q: q, c: p.clients(), rng: c.fork(), killed: killed, last: last}).run)
	}
	all.Go(func() { c.topic.check(t, p.json()) })
	for _, q := range c.admins {
		all.Go(func() { q.check(t, t.Context(), p.json()) })
	}
	all.Wait()
	p.kill(t)
	t.Logf("round %d: killed %s; restart in %v; %s", number, at, restart.Round(time.Millisecond), c.summary())
	return !t.Failed()
}

// fork returns a source of decisions of its own for each goroutine.
func (c *campaign) fork() *rand.Rand { return rand.New(rand.NewPCG(c.rng.Uint64(), c.rng.Uint64())) }

// storm runs all workers against the program and kills it in their midst. Workers of calm queues stop before, so that
// everything they did was answered.
func (c *campaign) storm(t *testing.T, p *process, at moment) (killed time.Time) {
	t.Helper()
	length := 150*time.Millisecond + time.Duration(c.rng.Int64N(int64(450*time.Millisecond)))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	calm, settle := context.WithTimeout(ctx, length*2/3)
	defer settle()
	var all, quiet crew
	for _, q := range c.plains {
		for _, w := range p.clients() {
			if q.calm {
				q.join(t, &quiet, ctx, calm, w, c)
			} else {
				q.join(t, &all, ctx, ctx, w, c)
			}
		}
	}
	for _, q := range c.fifos {
		for _, w := range p.clients() {
			q.join(t, &all, ctx, w, c)
		}
	}
	c.topic.join(t, &all, ctx, p.json().host, c)
	for _, q := range c.admins {
		q.join(t, &all, ctx, p.json(), c)
	}
	time.Sleep(length) // a real wait, for a real process that has to be busy when it dies
	quiet.Wait()
	if at != anyMoment {
		p.die(t, at, 1+c.rng.IntN(30), c.rng.Uint64())
	}
	p.kill(t)
	checked.ended(at, c.volume != nil)
	killed = time.Now()
	stop()
	all.Wait()
	return killed
}

// interruptRecovery kills a process that has just begun to read what the last one left.
func (c *campaign) interruptRecovery(t *testing.T) {
	t.Helper()
	p := c.launch(t)
	time.Sleep(time.Duration(c.rng.Int64N(int64(60 * time.Millisecond))))
	p.kill(t)
}

func (c *campaign) summary() string {
	text, steps := "", 0
	for _, q := range c.plains {
		text += fmt.Sprintf("%s %d sent, %d deleted, %d left; ", q.names[0], q.sent, q.deleted, len(q.messages))
	}
	for _, q := range c.fifos {
		text += fmt.Sprintf("%s %d sent, %d deleted; ", q.name, q.sent, q.deleted)
	}
	for _, q := range c.admins {
		steps += q.steps
	}
	return text + fmt.Sprintf("%d steps of administration; %d published", steps, c.topic.tokens)
}
