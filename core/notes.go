package core

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
)

// notebook holds the notes of namespaces: settings of an account that the engine keeps but does not interpret.
type notebook struct {
	mu    sync.Mutex // after every other lock
	notes map[Namespace]map[string]string
	stale atomic.Bool
}

func (b *notebook) staleness() *atomic.Bool { return &b.stale }

func (b *notebook) load(e *Engine) error {
	b.notes = map[Namespace]map[string]string{}
	return e.journal.store.Load([]byte{notePrefix}, nil, func(_, value []byte) error { return b.read(value) })
}

// read takes over the notes of a namespace that the store holds.
func (b *notebook) read(value []byte) error {
	r := newReader(value)
	ns := Namespace{Account: r.text(), Region: r.text()}
	b.notes[ns] = decodeTexts(r)
	return r.err
}

func (b *notebook) reread(e *Engine) error {
	return e.rereadSmall(b, &b.mu, b.load, "the notes of namespaces")
}

func (b *notebook) lock(e *Engine) error { return e.lockSmall(b, &b.mu) }

// Notes implements Broker.
func (v *view) Notes(_ context.Context, ns Namespace) (map[string]string, error) {
	b := &v.e.notebook
	if err := b.lock(v.e); err != nil {
		return nil, err
	}
	notes := maps.Clone(b.notes[ns])
	b.mu.Unlock()
	if err := v.e.journal.barrier(); err != nil {
		return nil, err
	}
	return notes, nil
}

// AmendNotes implements Broker.
func (v *view) AmendNotes(_ context.Context, ns Namespace, change map[string]*string) error {
	b := &v.e.notebook
	if err := b.lock(v.e); err != nil {
		return err
	}
	notes := maps.Clone(b.notes[ns])
	applyNotes(&notes, change)
	c := changes{parts: []part{b}}
	if len(notes) == 0 {
		delete(b.notes, ns)
		c.batch.Delete(noteKey(ns))
	} else {
		b.notes[ns] = notes
		c.batch.Put(noteKey(ns), encodeNotes(ns, notes))
	}
	return v.e.journal.commit(&c, &b.mu)
}

func encodeNotes(ns Namespace, notes map[string]string) []byte {
	w := newWriter(64)
	w.text(ns.Account)
	w.text(ns.Region)
	encodeTexts(w, notes)
	return w.b
}
