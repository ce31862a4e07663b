package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/record"
)

// recordFlags are the flags of record.
type recordFlags struct{ upstream, listen, out, har, cassette string }

func recordCommand() *cobra.Command {
	c := &cobra.Command{
		Annotations: map[string]string{ownVariables: "RECORD_"},
		Use:         "record",
		Short:       "Record traffic with a provider, without what is secret in it",
		Long: `Record traffic with a provider, without what is secret in it.

It passes requests on to --upstream as they are and writes recordings below --out, one for each protocol, until it is
interrupted; a session of more than 500 requests goes on in another file. Credentials, signatures, tokens, cookies and
account ids are left out, and all headers that are not known to be harmless. What messages say is kept: use messages
that anybody may read.

Amazon's signature covers the host: give its clients an endpoint of http://sqs.REGION.amazonaws.com and this program as
their HTTP proxy (HTTP_PROXY=http://127.0.0.1:9326), with --upstream https://sqs.REGION.amazonaws.com. Clients of MNS can
also use it as their endpoint. It looks into no HTTPS: a client that asks it for a tunnel (CONNECT) is refused, and so are
requests to any other host. Requests that got no answer, and those of other services, are not recorded.

With --har or --cassette it turns an HTTP archive or a cassette of go-vcr into recordings instead.`,
		Args: cobra.NoArgs,
	}
	f := &recordFlags{}
	c.Flags().StringVar(&f.upstream, "upstream", "", "provider to pass requests on to, such as https://sqs.eu-west-1.amazonaws.com")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:9326", "address to listen on, or a port of this machine")
	c.Flags().StringVar(&f.out, "out", "recordings", "directory to write to")
	c.Flags().StringVar(&f.har, "har", "", "HTTP archive to turn into recordings")
	c.Flags().StringVar(&f.cassette, "cassette", "", "cassette of go-vcr to turn into recordings")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
	}
	return c
}

func (f *recordFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case f.har != "":
		return f.convert(f.har, record.FromHAR, stdout)
	case f.cassette != "":
		return f.convert(f.cassette, record.FromCassette, stdout)
	case f.upstream == "":
		return errors.New("record needs --upstream, --har or --cassette")
	}
	return f.proxy(ctx, stdout, stderr)
}

func (f *recordFlags) convert(file string, read func([]byte) ([]*record.Exchange, error), stdout io.Writer) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	all, err := read(data)
	if err != nil {
		return err
	}
	recordings := record.Recordings(filepath.Base(file), all)
	if len(recordings) == 0 {
		return fmt.Errorf("%s: no exchange with SQS or MNS", file)
	}
	for dialect, texts := range recordings {
		for i, text := range texts {
			name := filepath.Base(file)
			if i > 0 {
				name += "-" + strconv.Itoa(i+1)
			}
			name = filepath.Join(f.out, dialect, "Session", name+".http")
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				return err
			}
			fmt.Fprintln(stdout, name)
		}
	}
	return nil
}

func (f *recordFlags) proxy(ctx context.Context, stdout, stderr io.Writer) error {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	p, err := record.NewProxy(f.upstream, f.out, time.Now, func(err error) { log.Error("not recorded", "err", err) })
	if err != nil {
		return err
	}
	l, err := listen(f.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "recording %s on %s\n", f.upstream, sluice.URL(l.Addr()))
	srv := sluice.NewHTTPServer(p)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		// A client that still polls must not hold the end up.
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if srv.Shutdown(grace) != nil {
			err = srv.Close()
		}
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, p.Close())
}
