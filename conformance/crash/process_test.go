package crash_test

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// startLimit is how long a process may take to be ready.
const startLimit = 20 * time.Second

// process is the program, serving the data directory of a campaign.
type process struct {
	cmd    *exec.Cmd
	url    string
	stdout *bufio.Reader
	stderr bytes.Buffer
	wires  []wire
	killed bool
}

// launch starts the program and does not wait until it is ready.
func (c *campaign) launch(t *testing.T) *process {
	t.Helper()
	p := &process{cmd: exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--data", c.dir, "--sync", c.sync)}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewReader(out)
	t.Cleanup(func() { p.kill(t) })
	return p
}

// start starts the program and waits until it listens.
func (c *campaign) start(t *testing.T) *process {
	t.Helper()
	p := c.launch(t)
	watchdog := time.AfterFunc(startLimit, func() { _ = p.cmd.Process.Kill() })
	defer watchdog.Stop()
	line, err := p.stdout.ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), " on ")
	if err != nil || !ok {
		p.kill(t)
		t.Fatalf("the program said %q (%v) instead of being ready, and %q", line, err, p.stderr.String())
	}
	p.url = url
	return p
}

// kill ends the process as a power button would end the program. What it complained of until then fails the test:
// no client does anything here that is the server's fault.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if p.killed {
		return
	}
	p.killed = true
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	if complaint := p.stderr.String(); complaint != "" {
		t.Errorf("the program wrote to stderr:\n%s", complaint)
	}
}

// clients returns one client of each protocol.
func (p *process) clients() []wire {
	if p.wires == nil {
		h := &host{url: p.url, client: &http.Client{
			Timeout:   30 * time.Second,
			Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		}}
		p.wires = []wire{&jsonWire{h}, &queryWire{h}, &mnsWire{h}}
	}
	return p.wires
}

func (p *process) json() *jsonWire { return p.clients()[0].(*jsonWire) }

// makeQueues makes the queues of a campaign. Those that MNS receives from have a short timeout by default, as it has
// no other for a receive.
func (c *campaign) makeQueues(t *testing.T, p *process) {
	t.Helper()
	h := p.json()
	create := func(name string, attributes map[string]string) {
		attributes["VisibilityTimeout"] = "1"
		var out struct{ QueueUrl string }
		if err := h.call(t.Context(), "CreateQueue", map[string]any{"QueueName": name, "Attributes": attributes}, &out); err != nil {
			t.Fatalf("CreateQueue(%q) = %v, want nil", name, err)
		}
	}
	create("storm", map[string]string{})
	create("calm", map[string]string{})
	create("dead", map[string]string{})
	create("worn", map[string]string{
		"RedrivePolicy": `{"deadLetterTargetArn":"` + deadARN + `","maxReceiveCount":2}`,
	})
	create("orders.fifo", map[string]string{"FifoQueue": "true"})
	create("parts.fifo", map[string]string{
		"FifoQueue": "true", "ContentBasedDeduplication": "true", "DeduplicationScope": "messageGroup",
	})
}

// crew is workers that all have to come home before their history is looked at.
type crew struct{ sync.WaitGroup }

// work runs step until it reports that there is no sense in going on, or ctx ends.
func (c *crew) work(ctx context.Context, step func() bool) {
	c.Go(func() {
		for ctx.Err() == nil && step() {
		}
	})
}
