package crash_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
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
	volume *volume
	stdin  io.Writer
	url    string
	stdout *bufio.Reader
	stderr bytes.Buffer
	wires  []wire
	killed bool

	mayComplain bool // its disk is made to fail
}

// launch starts the program and does not wait until it is ready.
func (c *campaign) launch(t *testing.T) *process {
	t.Helper()
	return c.launchAs(t, exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--admin", "none", "--data", c.dir, "--sync", c.sync))
}

func (c *campaign) launchAs(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, volume: c.volume}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
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
	p.await(t)
	return p
}

// startMortal starts a process that can be told to die at a moment, which is the program if any will do.
func (c *campaign) startMortal(t *testing.T, at moment) *process {
	t.Helper()
	if at == anyMoment {
		return c.start(t)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childData+"="+c.dir, childSync+"="+c.sync)
	p := c.launchAs(t, cmd)
	p.await(t)
	return p
}

// await waits until the process listens.
func (p *process) await(t *testing.T) {
	t.Helper()
	watchdog := time.AfterFunc(startLimit, func() { _ = p.cmd.Process.Kill() })
	defer watchdog.Stop()
	line, err := p.stdout.ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), " on ")
	if err != nil || !ok {
		p.kill(t)
		t.Fatalf("the program said %q (%v) instead of being ready, and %q", line, err, p.stderr.String())
	}
	p.url = url
}

// die tells a mortal process to end itself after so many commits, and waits until it has.
func (p *process) die(t *testing.T, at moment, commits int, seed uint64) {
	t.Helper()
	watchdog := time.AfterFunc(startLimit, func() {
		t.Errorf("the process has not died %s", at)
		_ = p.cmd.Process.Kill()
	})
	defer watchdog.Stop()
	if _, err := fmt.Fprintf(p.stdin, "%s: %d %d\n", at, commits, seed|1); err != nil {
		t.Errorf("telling the process to die = %v, want nil", err)
	}
	_, _ = p.stdout.ReadString('\n') // its end
}

// kill ends the process as a power button would end the program. What it complained of until then fails the test:
// no client does anything here that is the server's fault.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if p.killed {
		return
	}
	p.killed = true
	if p.volume != nil {
		if err := stop(p.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("stopping the process = %v, want nil", err)
		}
		if err := p.volume.cut(); err != nil {
			t.Fatalf("cutting the power = %v, want nil", err)
		}
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	if p.volume != nil {
		if err := p.volume.recover(); err != nil {
			t.Fatalf("mounting what is left = %v, want nil", err)
		}
	}
	if complaint := p.stderr.String(); complaint != "" && !p.mayComplain {
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
