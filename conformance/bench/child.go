package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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

// What comes before the URLs in a child's announcement.
const (
	ready = " http://"
	admin = "Admin on "
)

// Server is an endpoint with what ends it.
type Server struct {
	Endpoint
	Stop func() error // asks it to end, waits, and kills it if it does not
	Kill func() error // ends it at once: what it has not written yet it never will
}

// StartChild starts a program that prints a line with its URL on stdout once it is ready, as "sluice serve" does.
func StartChild(ctx context.Context, command *exec.Cmd) (Server, error) {
	out, err := command.StdoutPipe()
	if err != nil {
		return Server{}, err
	}
	if err := command.Start(); err != nil {
		return Server{}, fmt.Errorf("cannot start %s: %w", command.Path, err)
	}
	s := Server{
		Stop: func() error { return stopChild(clock.System{}, command) },
		Kill: func() error { return killChild(command) },
	}
	lines, err := announcement(ctx, out)
	_, address, found := strings.Cut(lines[0], ready)
	if err != nil || !found {
		return Server{}, errors.Join(fmt.Errorf("%s does not say where it listens but %q", command.Path, lines[0]), err, s.Stop())
	}
	s.Endpoint = Endpoint{URL: "http://" + address, PID: command.Process.Pid}
	for _, line := range lines[1:] {
		if url, found := strings.CutPrefix(line, admin); found {
			s.Admin = url
		}
	}
	return s, nil
}

// announcement reads a line, which may be empty, and those that were written together with it. The rest is thrown
// away, so that the child can go on writing.
func announcement(ctx context.Context, out io.Reader) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	announced := make(chan []string, 1)
	go func() {
		in := bufio.NewReader(out)
		var lines []string
		for len(lines) == 0 || in.Buffered() > 0 {
			line, err := in.ReadString('\n')
			lines = append(lines, strings.TrimSpace(line))
			if err != nil {
				break
			}
		}
		announced <- lines
		_, _ = io.Copy(io.Discard, in) // ends with the child
	}()
	select {
	case lines := <-announced:
		return lines, nil
	case <-ctx.Done():
		return []string{""}, ctx.Err()
	}
}

func killChild(command *exec.Cmd) error {
	err := command.Process.Kill()
	_ = command.Wait() // it tells that the child was killed
	return err
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
