package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/certs"
)

// running is what a SIGHUP changes.
type running struct {
	settings     settings
	doors        *doors
	server       *sluice.Server
	certificates certs.Source // nil without TLS
	log          *slog.Logger
	done         []func() // to be called in the end
}

// hangups returns what tells of SIGHUP, from now on: one that comes before the server is ready must not end it. Many of
// them that come while one is being obeyed are obeyed together, afterwards.
func hangups() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

// reloadOn reads settings and certificates again at each signal, until the returned function is called.
func (r *running) reloadOn(ctx context.Context, signals <-chan os.Signal) (stop func()) {
	done, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case <-signals:
				r.reload(ctx)
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-finished
		for _, done := range r.done {
			done()
		}
	}
}

// reload applies what can change in a running server and says what cannot. If anything is wrong, everything stays as it is.
func (r *running) reload(ctx context.Context) {
	waiting, err := r.apply(ctx)
	if err != nil {
		r.log.Error("the settings stay as they are", "err", oneLine(err))
		return
	}
	if len(waiting) > 0 {
		r.log.Warn("these settings wait for the next start", "settings", strings.Join(waiting, ", "))
	}
	r.log.Info("settings applied")
}

// apply does first what can fail and be undone, and then, all or nothing, what the server makes of the settings.
func (r *running) apply(ctx context.Context) (waiting []string, err error) {
	next, err := r.read()
	if err != nil {
		return nil, err
	}
	if next.file != nil && next.file.empty && !r.settings.file.empty {
		return nil, &problem{path: next.path, err: errors.New("the file is empty by now; it is to say {} if that is meant")}
	}
	if files := r.settings.security; files.cert != "" {
		if _, err := certs.OpenFiles(files.cert, files.key); err != nil {
			return nil, err
		}
	}
	move, err := r.doors.prepare(next.listen)
	if err != nil {
		return nil, err
	}
	source, err := r.sourceFor(move, next.listen)
	if err != nil {
		move.abandon()
		return nil, err
	}
	next.reachedAt(move.after[0].url())
	next.options.Admin = &sluice.Admin{Endpoints: urls(move.after)}
	if waiting, err = r.server.Reload(ctx, next.options); err != nil {
		move.abandon()
		return nil, next.placed(err)
	}
	waiting = append(waiting, r.waits(&next, move)...)
	r.doors.make(move, source, r.log)
	r.certificates = source
	if source != nil {
		if err := source.Reload(); err != nil { // it was right a moment ago
			r.log.Error("the certificate stays the one that was read before", "err", oneLine(err))
		}
	}
	r.settings.listen, r.settings.file = next.listen, next.file
	return waiting, nil
}

// read reads the settings again. What they are read from may keep it waiting, such as a named pipe that nobody writes to: that
// must not hold up the end of serving.
func (r *running) read() (settings, error) {
	var next settings
	done := make(chan error, 1)
	go func() {
		var err error
		next, err = r.settings.again()
		done <- err
	}()
	select {
	case err := <-done:
		return next, err
	case <-r.doors.ctx.Done():
		return settings{}, errors.New("serving ends while they are being read")
	}
}

// waits names the settings that are others than at the start and that the program itself does not change while it runs.
func (r *running) waits(next *settings, m *move) (waiting []string) {
	for _, fixed := range []struct {
		name  string
		apart bool
	}{
		{"tls", next.security != r.settings.security || m.respoken},
		{"admin", next.admin != r.settings.admin},
		{"admin-hosts", !slices.Equal(next.adminHosts, r.settings.adminHosts)},
		{"log-format and log-requests", next.logs != r.settings.logs},
	} {
		if fixed.apart {
			waiting = append(waiting, fixed.name)
		}
	}
	return waiting
}

// sourceFor returns the certificates of addresses that are opened. An authority has to know their names.
func (r *running) sourceFor(m *move, addresses []string) (certs.Source, error) {
	s := r.settings.security
	switch {
	case len(m.opened) == 0 || s.cert != "":
		return r.certificates, nil
	case r.certificates != nil:
		return certs.NewLocal(r.server.Authority(), hostsOf(addresses), time.Now), nil
	}
	source, done, err := s.open(addresses, r.server.Authority(), r.log)
	r.done = append(r.done, done)
	m.respoken = source != nil && slices.ContainsFunc(m.after, func(l *listener) bool { return l.scheme == "" && !slices.Contains(m.opened, l) })
	return source, err
}
