package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sluicemq/sluice"
)

func serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve queues until SIGTERM or SIGINT",
		Long: `Serve queues until SIGTERM or SIGINT.

Each flag can also be given as a variable, such as SLUICE_LISTEN for --listen, or in the configuration file.
A flag wins over its variable, a variable over the file. A variable that is empty counts as unset.`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.String("listen", "127.0.0.1:9324", "address to listen on; port 0 takes a free one")
	f.String("data", "./sluice-data", "directory to keep the queues in, or memory to keep nothing")
	mode := syncFlag(sluice.SyncOS)
	f.Var(&mode, "sync", "when a change is durable: os survives a killed process, always a power loss too")
	f.Bool("strict", false, "hold the providers' wait rules too, such as 60 s between purges")
	f.Var(new(authFlag), "auth",
		"whether signatures are verified with the credentials of the file; by default they are if it lists any")
	f.String("config", "", "YAML file with these and more settings")
	c.RunE = func(c *cobra.Command, _ []string) error {
		s, err := settle(f, os.LookupEnv)
		if err != nil {
			return err
		}
		return serve(c.Context(), s, c.OutOrStdout(), c.ErrOrStderr())
	}
	return c
}

// serve listens first: a busy port must not touch the data, and a client that comes early waits instead of failing.
func serve(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	l, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", s.listen, plain(err))
	}
	defer l.Close()

	faults := slog.New(slog.NewTextHandler(stderr, nil))
	s.options.OnFault = func(f *sluice.Fault) {
		faults.Error(f.Err.Error(), "operation", f.Operation, "request", f.RequestID)
	}
	url := sluice.URL(l.Addr())
	s.options.PushURL = cmp.Or(s.options.PublicURL, url)
	server, err := sluice.Open(s.options)
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(make([]byte, ballast))
	if _, err := fmt.Fprintf(stdout, "Ready. Listening on %s\n", url); err != nil {
		return errors.Join(err, server.Close())
	}
	return errors.Join(server.Serve(ctx, l), server.Close())
}

// ballast is memory that is never touched, so it costs no room; it makes the garbage collector see a heap that is worth
// collecting less often. Without it a fifth of the processor went into collecting a heap of a few MiB, over and over.
const ballast = 32 << 20

// plain drops the address that net's errors repeat.
func plain(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return failed.Err
	}
	return err
}
