package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/certs"
)

// running is what a SIGHUP changes.
type running struct {
	settings     settings
	server       *sluice.Server
	certificates certs.Source // nil without TLS
	log          *slog.Logger
}

// reloadOnHangup reads settings and certificates again at each SIGHUP, until the returned function is called.
func reloadOnHangup(ctx context.Context, r *running) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	done, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case <-hangups:
				r.reload(ctx)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(done)
		<-finished
	}
}

// reload applies what can change in a running server and says what cannot. What is wrong leaves things as they are.
func (r *running) reload(ctx context.Context) {
	if r.certificates != nil {
		if err := r.certificates.Reload(); err != nil {
			r.log.Error("the certificate stays the one that was read before", "err", oneLine(err))
		}
	}
	next, err := r.settings.again()
	if err != nil {
		r.log.Error("the settings stay as they are", "err", oneLine(err))
		return
	}
	waiting, err := r.server.Reload(ctx, next.options)
	if err != nil {
		r.log.Error("not all of the settings could be applied", "err", oneLine(next.placed(err)))
		return
	}
	for _, fixed := range []struct {
		name  string
		apart bool
	}{
		{"listen", !slices.Equal(next.listen, r.settings.listen)},
		{"tls", next.security != r.settings.security},
		{"admin", next.admin != r.settings.admin},
		{"log-format and log-requests", next.logs != r.settings.logs},
	} {
		if fixed.apart {
			waiting = append(waiting, fixed.name)
		}
	}
	if len(waiting) > 0 {
		r.log.Warn("these settings wait for the next start", "settings", strings.Join(waiting, ", "))
	}
	r.log.Info("settings applied")
}
