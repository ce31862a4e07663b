package sluice

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/all"
)

// watchedDialect, watchedBroker and watchedStore are decorators that do nothing.
type (
	watchedDialect struct{ protocols.Dialect }
	watchedBroker  struct{ core.Broker }
	watchedStore   struct{ persistence.Store }
)

func TestDecoratorsStandAroundEveryPart(t *testing.T) {
	var dialects []string
	var brokers, stores int
	o := Options{Decorate: Decorators{
		Store:  func(s persistence.Store) persistence.Store { stores++; return watchedStore{s} },
		Broker: func(b core.Broker) core.Broker { brokers++; return watchedBroker{b} },
		Dialect: func(d protocols.Dialect) protocols.Dialect {
			dialects = append(dialects, d.Name())
			return watchedDialect{d}
		},
	}}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if stores != 1 || brokers < len(dialects) || len(dialects) < 3 {
		t.Errorf("%d stores, %d brokers and the dialects %q were decorated, want all there are", stores, brokers, dialects)
	}
	made := len(dialects)
	if _, err := s.Reload(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	if len(dialects) != 2*made || stores != 1 {
		t.Errorf("after Reload %d dialects and %d stores were decorated, want %d and 1", len(dialects), stores, 2*made)
	}
	if got := s.Dropped(); len(got) != 0 {
		t.Errorf("Dropped() = %v, want nothing, as nobody observes", got)
	}
}

func TestUndecoratedPartsHaveNothingAroundThem(t *testing.T) {
	store := persistence.Store(memory.New())
	if got := decorated(nil, store); got != store {
		t.Errorf("decorated(nil, store) = %v, want the store itself", got)
	}
	for _, d := range (&Decorators{}).dialects(all.Dialects(&protocols.Site{Broker: func(core.Rules) core.Broker { return nil }})) {
		if _, ok := d.(watchedDialect); ok {
			t.Errorf("%s is decorated", d.Name())
		}
	}
}

// faultyStore fails every commit once a queue has been made.
type faultyStore struct {
	persistence.Store
	commits int
}

func (s *faultyStore) Commit(b *persistence.Batch) error {
	if s.commits++; s.commits > 1 {
		return persistence.ErrFull
	}
	return s.Store.Commit(b)
}

func TestFaultsCarryTheContextOfTheirRequest(t *testing.T) {
	type key struct{}
	var seen any
	s, err := Open(Options{
		Decorate: Decorators{Store: func(s persistence.Store) persistence.Store { return &faultyStore{Store: s} }},
		OnFault: func(f *Fault) {
			if f.Context != nil {
				seen = f.Context.Value(key{})
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"a", "b"} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("Action=CreateQueue&QueueName="+name))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r = r.WithContext(context.WithValue(t.Context(), key{}, name))
		s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
	if seen != "b" {
		t.Errorf("the fault's context is that of request %v, want b", seen)
	}
}
