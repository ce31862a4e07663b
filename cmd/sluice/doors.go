package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/certs"
)

// doors are the addresses at which a server is reached. They can change while it serves.
type doors struct {
	server *sluice.Server
	ctx    context.Context // of all of them
	stop   context.CancelFunc
	closed sync.WaitGroup

	mu     sync.Mutex
	open   []*listener // in the order of the settings
	over   bool        // nothing is opened any more
	failed error
}

// newDoors serves on all listeners until ctx ends or one of them fails.
func newDoors(ctx context.Context, server *sluice.Server, all []*listener) *doors {
	d := &doors{server: server, open: all}
	d.ctx, d.stop = context.WithCancel(ctx)
	for _, l := range all {
		d.serve(l)
	}
	return d
}

// wait returns when all are closed, with what has failed.
func (d *doors) wait() error {
	<-d.ctx.Done()
	d.stop()
	d.mu.Lock()
	d.over = true
	d.mu.Unlock()
	d.closed.Wait()
	return d.failed
}

// serve opens one.
func (d *doors) serve(l *listener) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ctx context.Context
	ctx, l.leave = context.WithCancel(d.ctx)
	if d.over {
		l.leave()
		_ = l.Close()
		return
	}
	d.closed.Go(func() {
		defer l.leave()
		if err := d.server.Serve(ctx, l); err != nil {
			d.mu.Lock()
			d.failed = errors.Join(d.failed, err)
			d.mu.Unlock()
			d.stop()
		}
	})
}

// move is the way from some addresses to others. Those in both stay open, with all connections.
type move struct {
	after    []*listener // in the order of the settings
	opened   []*listener // of them; not served yet
	closing  []*listener
	respoken bool // one that stays open would speak something else if it were opened now
}

// prepare listens on the addresses that are new, on all of them or on none.
func (d *doors) prepare(addresses []string) (*move, error) {
	m := &move{closing: slices.Clone(d.open)}
	for _, address := range addresses {
		scheme, host := splitAddress(address)
		if i := slices.IndexFunc(m.closing, func(l *listener) bool { return l.host == host }); i >= 0 {
			m.respoken = m.respoken || m.closing[i].scheme != scheme
			m.after = append(m.after, m.closing[i])
			m.closing = slices.Delete(m.closing, i, i+1)
			continue
		}
		l, err := listen(address)
		if err != nil {
			m.abandon()
			return nil, fmt.Errorf("%w; if one of the present addresses is in the way, the next start can change it", err)
		}
		m.after, m.opened = append(m.after, l), append(m.opened, l)
	}
	return m, nil
}

// abandon closes what was opened.
func (m *move) abandon() { closeAll(m.opened) }

// make serves on the new addresses and closes the old ones, where what runs has the time that it has at the end of serve.
func (d *doors) make(m *move, certificates certs.Source, log *slog.Logger) {
	for _, l := range m.opened {
		l.secure(certificates)
		d.serve(l)
		log.Info("listening on " + l.url())
	}
	for _, l := range m.closing {
		l.leave()
		<-l.closed // the next reload may want the address again
		log.Info("no longer listening on " + l.url())
	}
	d.open = m.after
}

// urls are where programs on this machine reach listeners.
func urls(all []*listener) []string {
	list := make([]string, len(all))
	for i, l := range all {
		list[i] = l.url()
	}
	return list
}
