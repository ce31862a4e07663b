package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// How long a child may take to say that it is ready, which a full data directory delays, and to end.
const (
	startLimit = 60 * time.Second
	stopLimit  = 20 * time.Second
)

// ready is what comes before the URL in a child's first line.
const ready = " http://"

// StartChild starts a program that prints a line with its URL on stdout once it is ready, as "sluice serve" does.
// Returns it with a function that asks it to end, waits, and kills it if it does not.
func StartChild(ctx context.Context, command *exec.Cmd) (Endpoint, func() error, error) {
	out, err := command.StdoutPipe()
	if err != nil {
		return Endpoint{}, nil, err
	}
	if err := command.Start(); err != nil {
		return Endpoint{}, nil, fmt.Errorf("cannot start %s: %w", command.Path, err)
	}
	stop := func() error { return stopChild(clock.System{}, command) }
	line, err := firstLine(ctx, out)
	_, address, found := strings.Cut(line, ready)
	if err != nil || !found {
		return Endpoint{}, nil, errors.Join(fmt.Errorf("%s does not say where it listens but %q", command.Path, line), err, stop())
	}
	return Endpoint{URL: "http://" + address, PID: command.Process.Pid}, stop, nil
}

// firstLine reads a line; the rest is thrown away, so that the child can go on writing.
func firstLine(ctx context.Context, out io.Reader) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	lines := make(chan string, 1)
	go func() {
		in := bufio.NewReader(out)
		line, _ := in.ReadString('\n')
		lines <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, in) // ends with the child
	}()
	select {
	case line := <-lines:
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func stopChild(c clock.Clock, command *exec.Cmd) error {
	if command.Process.Signal(syscall.SIGTERM) != nil { // a system without signals
		_ = command.Process.Kill()
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	reached, giveUp := c.Until(c.Now().Add(stopLimit))
	defer giveUp()
	select {
	case err := <-ended:
		return exitOf(err)
	case <-reached:
		_ = command.Process.Kill()
		<-ended
		return fmt.Errorf("%s did not end within %v", command.Path, stopLimit)
	}
}

// exitOf lets the signal that we sent pass as an end without errors.
func exitOf(err error) error {
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGTERM {
		return nil
	}
	return fmt.Errorf("the server ended with %s", failed.ProcessState)
}

// Data returns the --data and --sync of a mode, and a function that removes the directory it made, if it made one.
func Data(m Mode) (data, sync string, remove func() error, err error) {
	if m == Memory {
		return "memory", "os", func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp("", "sluice-bench-")
	if err != nil {
		return "", "", nil, fmt.Errorf("no place for the queues: %w", err)
	}
	return dir, string(m), func() error { return os.RemoveAll(dir) }, nil
}
