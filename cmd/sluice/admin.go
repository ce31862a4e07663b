package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/spf13/pflag"

	"github.com/sluicemq/sluice"
)

const (
	adminNone    = "none"
	adminDefault = "127.0.0.1:9325"
)

// adminSettings say where the control API is.
type adminSettings struct {
	address string
	asked   bool // for this very address
	token   string
}

func adminFlags(f *pflag.FlagSet) {
	f.String("admin", adminDefault, "address of the control API and the page, or none")
	f.String("admin-token", "", "token that requests to the control API have to bring; one is made up if it listens on more than this machine")
}

func settleAdmin(f *pflag.FlagSet) adminSettings {
	return adminSettings{address: value(f, "admin"), asked: f.Changed("admin"), token: value(f, "admin-token")}
}

func (s *adminSettings) validate() error {
	if _, host := splitAddress(s.address); s.address != adminNone && !hasPort(host) {
		return fmt.Errorf("admin is %q, want %s or host:port", s.address, adminNone)
	}
	return nil
}

// admin is the control API of a program that serves.
type admin struct {
	net.Listener        // nil: there is none
	missing      string // why not, where it was wanted
	token        string
	invited      bool // the token was made up, so it has to be told
}

func (a *admin) there() bool { return a.Listener != nil }

// listen listens for the control API and prepares the options of the server for it. If nobody has asked for the
// address, it may be taken: a second server on this machine has to start all the same.
func (s *adminSettings) listen(o *sluice.Options) (*admin, error) {
	configured := o.Admin
	if o.Admin = nil; s.address == adminNone {
		return &admin{}, nil
	}
	_, host := splitAddress(s.address)
	l, err := net.Listen("tcp", host)
	switch {
	case err != nil && s.asked:
		return nil, fmt.Errorf("cannot listen on %s for the control API: %w", host, plain(err))
	case err != nil:
		return &admin{missing: "cannot listen on " + host + ": " + plain(err).Error()}, nil
	}
	a := &admin{Listener: l, token: s.token}
	if ip, ok := l.Addr().(*net.TCPAddr); a.token == "" && (!ok || !ip.IP.IsLoopback()) {
		a.token, a.invited = rand.Text(), true
	}
	o.Admin = &sluice.Admin{Token: a.token}
	if configured != nil {
		o.Admin.Hosts = configured.Hosts
	}
	return a, nil
}

// point lets the control API say where clients of the providers find the server.
func (a *admin) point(o *sluice.Options, listeners []*listener) {
	if a.there() {
		o.Admin.Endpoints = urls(listeners)
	}
}

// measure lets the control API show the metrics.
func (a *admin) measure(o *sluice.Options, t *telemetry) {
	if a.there() {
		o.Admin.Metrics = t.Metrics
	}
}

// serve answers until the returned function is called, which ends open streams as well. Where there is nothing to serve
// it says why; not before, since a start that fails says no more than one line.
func (a *admin) serve(ctx context.Context, h http.Handler, log *slog.Logger) (stop func()) {
	if a.missing != "" {
		log.Warn("there is no control API", "err", a.missing)
	}
	if !a.there() {
		return func() {}
	}
	srv := sluice.NewHTTPServer(h)
	srv.BaseContext = func(net.Listener) context.Context { return ctx }
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := srv.Serve(a.Listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the control API has ended", "err", err)
		}
	}()
	return func() {
		_ = srv.Close()
		<-done
	}
}

// announce appends where the control API is.
func (a *admin) announce(lines []byte) []byte {
	if !a.there() {
		return lines
	}
	url := sluice.URL(a.Addr())
	lines = fmt.Appendf(lines, "Admin on %s\n", url)
	if a.invited {
		lines = fmt.Appendf(lines, "Admin token %s, page %s/?token=%s\n", a.token, url, a.token)
	}
	return lines
}

// close gives the address back where serve was never called.
func (a *admin) close() {
	if a.there() {
		_ = a.Listener.Close()
	}
}
