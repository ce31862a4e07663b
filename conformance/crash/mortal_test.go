package crash_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/badger"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/all"
	"github.com/sluicemq/sluice/protocols/authority"
	"github.com/sluicemq/sluice/protocols/mns"
)

// moment is when a process is killed.
type moment string

// The moments. All but the first need a process that knows when it commits: the test itself, started once more.
const (
	anyMoment    moment = "at random"
	beforeCommit moment = "before a commit"
	duringCommit moment = "during a commit"
	afterCommit  moment = "after a commit, before its answers"
	duringFlush  moment = "during a flush or compaction of the store"
)

var moments = []moment{anyMoment, beforeCommit, duringCommit, afterCommit, duringFlush}

// The environment of a process that is to serve like the program does.
const (
	childData = "SLUICE_CRASH_DATA"
	childSync = "SLUICE_CRASH_SYNC"
)

// mortal is a store that ends its own process, with the signal that cannot be caught, at a moment it is told.
type mortal struct {
	persistence.Store
	dir string

	mu     sync.Mutex
	moment moment
	left   int           // commits until the moment
	took   time.Duration // the commit before
	rng    *rand.Rand
}

// arm reads a moment, a number of commits and a seed.
func (m *mortal) arm(order string) error {
	var left int
	var from uint64
	var at moment
	for _, at = range moments {
		if n, _ := fmt.Sscanf(order, string(at)+": %d %d", &left, &from); n == 2 {
			break
		}
	}
	if from == 0 {
		return fmt.Errorf("%q is no order", order)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moment, m.left, m.rng = at, left, rand.New(rand.NewPCG(from, 0))
	return nil
}

// now returns the moment that the next commit is to meet, if it is to meet one.
func (m *mortal) now() moment {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.moment == "" {
		return ""
	}
	if m.left--; m.left > 0 {
		return ""
	}
	return m.moment
}

func (m *mortal) Commit(b *persistence.Batch) error {
	at := m.now()
	switch at {
	case beforeCommit:
		die()
	case duringCommit:
		part := m.part(m.took)
		go func() {
			spin(part)
			die()
		}()
	}
	began := time.Now()
	err := m.Store.Commit(b)
	m.took = time.Since(began) // commits come one at a time
	switch at {
	case afterCommit:
		die()
	case duringFlush:
		m.dieInFlush()
	}
	return err
}

// die ends the process and does not return.
func die() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

// part returns a part of d, by chance.
func (m *mortal) part(d time.Duration) time.Duration {
	return time.Duration(m.rng.Float64() * float64(d))
}

// spin waits more exactly than a sleep would.
func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// ballast begins the keys of records that the engine does not read.
const ballast = "~"

// dieInFlush writes until the store begins a new log, which is when it starts to make the old one a table, and dies some
// time after.
func (m *mortal) dieInFlush() {
	logs := m.logs()
	body := make([]byte, 1<<20-100)
	for i := 0; m.logs() == logs; i++ {
		var b persistence.Batch
		b.Put(fmt.Appendf(nil, "%s%d", ballast, i), body)
		if err := m.Store.Commit(&b); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	spin(m.part(40 * time.Millisecond))
	die()
}

func (m *mortal) logs() string {
	names, _ := filepath.Glob(filepath.Join(m.dir, "*.mem")) // the pattern is fine
	return fmt.Sprint(names)
}

// drop removes the ballast of an earlier process.
func (m *mortal) drop() error {
	var b persistence.Batch
	err := m.Load([]byte(ballast), nil, func(key, _ []byte) error {
		b.Delete([]byte(string(key)))
		return nil
	})
	return errors.Join(err, m.Store.Commit(&b))
}

// serveAsChild does what the program does, but on a store that is mortal, and takes orders from its standard input.
func serveAsChild(dir string, sync sluice.Sync) error {
	complain := func(err error) { fmt.Fprintln(os.Stderr, err) }
	store, err := badger.Open(dir, badger.Options{Sync: sync == sluice.SyncAlways, OnError: complain})
	if err != nil {
		return err
	}
	m := &mortal{Store: store, dir: dir}
	if err := m.drop(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h, err := handlerOn(m, dir, sluice.URL(l.Addr()), complain)
	if err != nil {
		return err
	}
	go func() {
		for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
			if err := m.arm(orders.Text()); err != nil {
				complain(err)
			}
		}
	}()
	fmt.Println("serving on", sluice.URL(l.Addr()))
	return sluice.NewHTTPServer(h).Serve(l)
}

// handlerOn wires an engine to the dialects as sluice.Open does, on a store of our own and with a body budget so small
// that bodies come from the store.
func handlerOn(store persistence.Store, dir, url string, complain func(error)) (http.Handler, error) {
	site := &protocols.Site{
		SQS: sluice.DefaultSQS, MNS: sluice.DefaultMNS,
		Bridges: map[core.Namespace]core.Namespace{sluice.DefaultMNS.Namespace(): sluice.DefaultSQS.Namespace()},
	}
	ca, err := authority.Open(filepath.Join(dir, "tls"))
	if err != nil {
		return nil, err
	}
	pusher := mns.NewPusher(mns.PushOptions{
		Site: site, Now: clock.System{}.Now, Authority: ca, Dir: dir,
		CertificateURL: func() string { return url + mns.CertificatePath },
	})
	engine, err := core.Open(store, core.Options{
		Clock: clock.System{}, BodyBudget: 64 << 10, Pusher: pusher, Render: mns.Render(site), OnError: complain,
	})
	if err != nil {
		return nil, err
	}
	site.Broker = engine.Under
	return protocols.NewHandler(all.Dialects(site), func(_ *protocols.Call, err error) { complain(err) }), nil
}

// asChild serves if the environment asks for it, and reports whether it did.
func asChild() bool {
	dir, asked := os.LookupEnv(childData)
	if !asked {
		return false
	}
	if err := serveAsChild(dir, sluice.Sync(os.Getenv(childSync))); err != nil && !errors.Is(err, fs.ErrClosed) {
		fmt.Fprintln(os.Stderr, err)
	}
	return true
}
