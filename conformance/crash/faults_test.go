package crash_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/badger"
	"github.com/sluicemq/sluice/persistence/persistencetest"
)

// TestStorageFaultsAreTheProvidersServerErrors lets a store fail under a server: each write in each protocol is answered
// with that provider's own server error, nothing of it has happened, what was acknowledged before is all there, and once
// the fault is gone everything works again.
func TestStorageFaultsAreTheProvidersServerErrors(t *testing.T) {
	for _, fault := range []struct {
		name  string
		err   error
		reads bool // fail as well
	}{
		{"a full disk", fmt.Errorf("%w: /data has 12 MiB free", persistence.ErrFull), false},
		{"an I/O error", fmt.Errorf("commit: %w", syscall.EIO), false},
		{"an I/O error of reads as well", fmt.Errorf("commit: %w", syscall.EIO), true},
		{"a short write", fmt.Errorf("commit: %w", io.ErrShortWrite), false},
		{"a disk that is read-only now", fmt.Errorf("commit: %w", syscall.EROFS), false},
	} {
		t.Run(fault.name, func(t *testing.T) {
			s := newFaultySite(t)
			for i, w := range s.wires {
				s.makeScene(t, w, i)
			}
			s.store.Break(fault.err)
			if fault.reads {
				s.store.FailReads(fault.err)
			}
			for i, w := range s.wires {
				s.refuseWrites(t, w, i)
			}
			if s.faults.Load() == 0 {
				t.Error("no fault was reported")
			}
			s.store.Repair()
			for i, w := range s.wires {
				s.wantScene(t, w, i)
			}
		})
	}
}

// faultySite is a server on a store that fails on demand, and a client of each protocol.
type faultySite struct {
	store  *persistencetest.Faulty
	wires  []wire
	faults atomic.Int64
	held   map[string]delivery // by queue: a message in flight
}

func newFaultySite(t *testing.T) *faultySite {
	t.Helper()
	dir := t.TempDir()
	inner, err := badger.Open(dir, badger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &faultySite{store: persistencetest.NewFaulty(inner), held: map[string]delivery{}}
	h, err := handlerOn(s.store, dir, "", func(error) { s.faults.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.Close()
		if err := inner.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &process{url: server.URL}
	s.wires = p.clients()
	return s
}

// sceneQueues are a queue of each type for one protocol.
func sceneQueues(i int) []string {
	return []string{fmt.Sprintf("faulty-%d", i), fmt.Sprintf("faulty-%d.fifo", i)}
}

// sceneMessage is a message with a deduplication id of its own, where the queue is a FIFO one.
func sceneMessage(queue, body string) outgoing {
	if strings.HasSuffix(queue, ".fifo") {
		return outgoing{body: body, group: body, dedup: body}
	}
	return outgoing{body: body}
}

// makeScene makes queues, each with a message that is in flight and one that is visible. MNS has no deduplication ids,
// so its FIFO queue goes by content.
func (s *faultySite) makeScene(t *testing.T, w wire, i int) {
	t.Helper()
	for n, name := range sceneQueues(i) {
		attributes := map[string]string{"VisibilityTimeout": "600"}
		if n == 1 {
			attributes["FifoQueue"], attributes["ContentBasedDeduplication"] = "true", "true"
		}
		in := map[string]any{"QueueName": name, "Attributes": attributes}
		if err := s.wires[0].(*jsonWire).call(t.Context(), "CreateQueue", in, nil); err != nil {
			t.Fatalf("CreateQueue(%s) = %v, want nil", name, err)
		}
		for _, body := range []string{"held", "visible"} {
			if _, err := w.send(t.Context(), name, []outgoing{sceneMessage(name, body)}); err != nil {
				t.Fatalf("%v: send to %s = %v, want nil", w, name, err)
			}
		}
		got, err := w.receive(t.Context(), name, receiveRequest{limit: 1, timeout: 600 * time.Second})
		if err != nil || len(got) != 1 {
			t.Fatalf("%v: receive from %s = %v, %v, want a message", w, name, got, err)
		}
		s.held[name] = got[0]
	}
}

// refuseWrites does everything that a protocol can write, in vain.
func (s *faultySite) refuseWrites(t *testing.T, w wire, i int) {
	t.Helper()
	for _, name := range sceneQueues(i) {
		held := s.held[name].receipt
		for what, do := range map[string]func() error{
			"send": func() error {
				_, err := w.send(t.Context(), name, []outgoing{sceneMessage(name, "new")})
				return err
			},
			"send of a batch": func() error {
				_, err := w.send(t.Context(), name, []outgoing{sceneMessage(name, "new-1"), sceneMessage(name, "new-2")})
				return err
			},
			"receive": func() error {
				_, err := w.receive(t.Context(), name, receiveRequest{limit: 10, timeout: 600 * time.Second})
				return err
			},
			"change": func() error {
				_, _, err := w.change(t.Context(), name, held, time.Hour)
				return err
			},
			"delete": func() error {
				errs, err := w.remove(t.Context(), name, []string{held})
				return errors.Join(append(errs, err)...)
			},
		} {
			wantServerError(t, w, what+" on "+name, do())
		}
	}
	if j, ok := w.(*jsonWire); ok {
		on := map[string]any{"QueueUrl": queueURL(sceneQueues(i)[0])}
		for operation, in := range map[string]map[string]any{
			"PurgeQueue": on, "DeleteQueue": on, "CreateQueue": {"QueueName": "other"},
		} {
			wantServerError(t, w, operation, j.call(t.Context(), operation, in, nil))
		}
	}
}

// wantServerError checks that an error is the one that the provider has for its own faults.
func wantServerError(t *testing.T, w wire, what string, err error) {
	t.Helper()
	codes := map[string]string{
		"SQS JSON": "com.amazon.coral.service#InternalFailure", "SQS Query": "InternalFailure", "MNS": "InternalError",
	}
	r, ok := errors.AsType[*refusal](err)
	if !ok || r.status != http.StatusInternalServerError || r.code != codes[w.String()] {
		t.Errorf("%v: %s = %v, want 500 %s", w, what, err, codes[w.String()])
	}
}

// wantScene checks that the queues are as they were made, and that they work.
func (s *faultySite) wantScene(t *testing.T, w wire, i int) {
	t.Helper()
	for _, name := range sceneQueues(i) {
		c, err := s.wires[0].(*jsonWire).counts(t.Context(), name)
		if err != nil || c.visible != 1 || c.inFlight != 1 || c.delayed != 0 {
			t.Errorf("%s has %+v, %v, want one visible message and one in flight", name, c, err)
		}
		if _, err := w.send(t.Context(), name, []outgoing{sceneMessage(name, "new")}); err != nil {
			t.Errorf("%v: send to %s after the fault = %v, want nil", w, name, err)
		}
		got := map[string]int{}
		for range 2 { // a FIFO queue gives one group after another in one answer, or not
			deliveries, err := w.receive(t.Context(), name, receiveRequest{limit: 10, timeout: 600 * time.Second})
			if err != nil {
				t.Errorf("%v: receive from %s after the fault = %v, want nil", w, name, err)
			}
			for _, d := range deliveries {
				got[d.body] = d.count
			}
		}
		if len(got) != 2 || got["visible"] != 1 || got["new"] != 1 {
			t.Errorf("%v: receive from %s after the fault = %v, want two messages, each for the first time", w, name, got)
		}
		if errs, err := w.remove(t.Context(), name, []string{s.held[name].receipt}); errors.Join(append(errs, err)...) != nil {
			t.Errorf("%v: delete from %s by the receipt from before = %v, %v, want nil", w, name, errs, err)
		}
	}
}
