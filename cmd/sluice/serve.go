package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
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
A flag wins over its variable, a variable over the file. A variable that is empty counts as unset, and one that there
is not is told in the log. SIGHUP applies the file anew.`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{settles: "true"},
	}
	f := c.Flags()
	f.Var(&listenFlag{addresses: []string{"127.0.0.1:9324"}}, "listen",
		"address to listen on, several times for several of them; port 0 takes a free one")
	f.String("data", "./sluice-data", "directory to keep the queues in, or memory to keep nothing")
	f.Var(syncChoice(), "sync", "when a change is durable: os survives a killed process, always a power loss too")
	f.Bool("account-per-key", false, "give each access key an account of its own, so that test runs can share a server")
	f.Bool("strict", false, "hold the providers' wait rules too, such as 60 s between purges")
	f.Var(newChoice("", authOff, authVerify), "auth",
		"whether signatures are verified with the credentials of the file; by default they are if it lists any")
	f.Var(newChoice(tlsOff, tlsOff, tlsGenerated), "tls", "whether the addresses answer HTTPS too, with certificates of an authority in the data directory")
	f.String("tls-cert", "", "PEM file with a certificate: the addresses answer HTTPS too")
	f.String("tls-key", "", "PEM file with the key of that certificate")
	f.Var(newChoice(sluice.QueueURLHost, sluice.QueueURLHost, sluice.QueueURLPath, sluice.QueueURLStandard, sluice.QueueURLDomain), "queue-url-style",
		"form of queue URLs in answers: the provider's path, or one of LocalStack's strategies")
	f.Var(newChoice(logText, logText, logJSON), "log-format", "form of the log on standard error")
	f.Bool("log-requests", false, "log a line for each request")
	adminFlags(f)
	f.String("config", "", "YAML file with these and more settings")
	c.RunE = func(c *cobra.Command, _ []string) error {
		signals, ignore := hangups()
		defer ignore()
		s, err := settle(c, os.LookupEnv)
		if err != nil {
			return err
		}
		s.strangers = strangers(c.Root(), os.Environ())
		return serve(c.Context(), s, signals, c.OutOrStdout(), c.ErrOrStderr())
	}
	return c
}

// serve listens first: a busy port must not touch the data, and a client that comes early waits instead of failing.
func serve(ctx context.Context, s settings, signals <-chan os.Signal, stdout, stderr io.Writer) error {
	collectLazily()
	if s.options.Data != sluice.Memory {
		spareProcessor()
	}
	listeners, err := listenOn(s.listen)
	if err != nil {
		return err
	}
	defer closeAll(listeners)

	log := newLog(s.logs.format, stderr)
	s.options.OnFault = logFaults(log)
	s.reachedAt(listeners[0].url())
	admin, err := s.admin.listen(&s.options)
	if err != nil {
		return err
	}
	defer admin.close()
	admin.point(&s.options, listeners)
	telemetry, err := newTelemetry(ctx, telemetryOptions{signals: s.signals, scraped: admin.there(), log: log, requests: s.logs.requests}, &s.options)
	if err != nil {
		return err
	}
	defer telemetry.close(log)
	admin.measure(&s.options, telemetry)
	server, err := sluice.Open(s.options)
	if err != nil {
		return s.placed(err)
	}
	telemetry.opened(server)
	certificates, done, err := s.security.open(s.listen, server.Authority(), log)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	defer done()
	for _, l := range listeners {
		l.secure(certificates)
	}
	warn(log, s.strangers)
	defer admin.serve(ctx, server.Admin(), log)()
	if err := announce(stdout, listeners, admin); err != nil {
		return errors.Join(err, server.Close())
	}
	go forgetStart()
	r := &running{settings: s, server: server, certificates: certificates, log: log, doors: newDoors(ctx, server, listeners)}
	defer r.reloadOn(ctx, signals)()
	return errors.Join(r.doors.wait(), server.Close())
}

// forgetStart gives back the memory that only the start has needed.
func forgetStart() {
	debug.FreeOSMemory()
	_ = dropCode() // of no matter to anybody but who looks at the size of the process
}

// reachedAt says where receivers of pushes find the certificate, on a server that listens at a URL.
func (s *settings) reachedAt(url string) { s.options.PushURL = cmp.Or(s.options.PublicURL, url) }

// announce says that the server is ready, first of all where it listens first: harnesses wait for that line.
// All is written at once, since some of them read no further and a second write to a closed pipe would end the program.
func announce(stdout io.Writer, listeners []*listener, a *admin) error {
	lines := fmt.Appendf(nil, "Ready. Listening on %s\n", listeners[0].url())
	for _, l := range listeners[1:] {
		lines = fmt.Appendf(lines, "Also listening on %s\n", l.url())
	}
	_, err := stdout.Write(a.announce(lines))
	return err
}

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
