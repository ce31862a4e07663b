package histories_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/model"
	"github.com/sluicemq/sluice/core/clock"
)

// How much happens in a concurrent history: about a second and a half of it.
const (
	clients   = 3 // one of each protocol: each more makes judging a history many times as long
	verbs     = 45
	pauses    = 50 * time.Millisecond // at most, between two verbs of a client
	shortHide = time.Second           // timeouts that end within the history
	longHide  = 2 * time.Second       // and those that mostly do not
)

// scenario is a queue, with or without a dead-letter queue, and what is sent to it.
type scenario struct {
	name     string
	settings model.Settings
}

var scenarios = []scenario{
	{"standard", model.Settings{Visibility: shortHide, Retention: time.Hour}},
	{"standard with dead letters", model.Settings{Visibility: shortHide, Retention: time.Hour, DeadLetters: "dead", MaxReceives: 2}},
	{"FIFO", model.Settings{FIFO: true, ContentDedup: true, Visibility: shortHide, Retention: time.Hour}},
	{"FIFO per group", model.Settings{FIFO: true, ContentDedup: true, DedupPerGroup: true, Visibility: shortHide, Retention: time.Hour}},
	{"FIFO with dead letters", model.Settings{FIFO: true, ContentDedup: true, Visibility: shortHide, Retention: time.Hour, DeadLetters: "dead.fifo", MaxReceives: 2}},
}

func TestConcurrentHistories(t *testing.T) {
	first := *seed
	if first == 0 {
		first = rand.Uint64N(1_000_000) + 1
	}
	for n := range *rounds {
		for i, s := range scenarios {
			from := first + uint64(n)
			t.Run(fmt.Sprintf("%s/seed=%d", s.name, from), func(t *testing.T) {
				t.Parallel()
				o := sluice.Options{}
				if (uint64(i)+from)%2 == 0 {
					o.Data = filepath.Join(t.TempDir(), "data")
				}
				newCrowd(t, o, s, from).run()
			})
		}
	}
}

// crowd is clients of one queue.
type crowd struct {
	*testing.T
	scenario
	seed   uint64
	queue  string
	start  *model.World
	record *recorder
	voices []voice
}

// newCrowd serves on a port of this machine and makes the queues.
func newCrowd(t *testing.T, o sluice.Options, s scenario, seed uint64) *crowd {
	t.Helper()
	server := openServer(t, o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.running.Serve(ctx, l) }()
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
		if err := <-served; err != nil {
			t.Errorf("Serve() = %v", err)
		}
	})
	c := &crowd{T: t, scenario: s, seed: seed, queue: "q", start: model.NewWorld(model.Limits{}, time.Time{}), record: newRecorder()}
	if s.settings.FIFO {
		c.queue = "q.fifo"
	}
	host, attributes := l.Addr().String(), &ledger{tb: t}
	web := &http.Client{Transport: transport}
	for range clients / 3 {
		c.voices = append(c.voices,
			newSQS(attributes, web, host, false), newSQS(attributes, web, host, true), &mnsVoice{ledger: attributes, doer: web, host: host})
	}
	c.make()
	return c
}

func (c *crowd) make() {
	c.Helper()
	admin := c.voices[0].(*sqsVoice)
	made := []model.Created{}
	if dead := c.settings.DeadLetters; dead != "" {
		s := c.settings
		s.DeadLetters, s.MaxReceives = "", 0
		made = append(made, admin.create(dead, s))
	}
	made = append(made, admin.create(c.queue, c.settings))
	for _, e := range made {
		worlds, err := c.start.After(e)
		if err != nil {
			c.Fatalf("%s: %v", described(e), err)
		}
		c.start = worlds[0]
	}
}

// run lets the clients loose, then empties the queues and holds the history against the model.
func (c *crowd) run() {
	c.Helper()
	var all sync.WaitGroup
	for i, v := range c.voices {
		all.Go(func() {
			p := &client{crowd: c, voice: v, number: i, rng: rand.New(rand.NewPCG(c.seed, uint64(i)))}
			for range verbs {
				p.verb()
				p.pause()
			}
			p.removeAll()
		})
	}
	all.Wait()
	c.drain()
	check(c.T, c.start, c.record.history())
}

// queues are all that there are, for the last look.
func (c *crowd) queues() []string {
	if dead := c.settings.DeadLetters; dead != "" {
		return []string{c.queue, dead}
	}
	return []string{c.queue}
}

// drain receives and deletes until nothing is left, which is an event as well: what was lost is missing there.
func (c *crowd) drain() {
	p := &client{crowd: c, voice: c.voices[0], number: clients, rng: rand.New(rand.NewPCG(c.seed, clients))}
	for _, queue := range c.queues() {
		for range 20 {
			p.receive(queue, asking{max: new(10), wait: 1})
			p.removeAll()
			if e := p.look(queue); e.Visible+e.InFlight+e.Delayed == 0 {
				break
			}
		}
	}
}

// client is one of the crowd and what it holds.
type client struct {
	*crowd
	voice  voice
	number int
	rng    *rand.Rand
	held   []model.Receipt
	sends  int
}

func (p *client) pause() {
	reached, _ := clock.System{}.Until(clock.System{}.Now().Add(time.Duration(p.rng.Int64N(int64(pauses)))))
	<-reached
}

func (p *client) verb() {
	queue := p.queue
	if dead := p.settings.DeadLetters; dead != "" && p.rng.IntN(6) == 0 {
		queue = dead
	}
	switch n := p.rng.IntN(20); {
	case n < 6:
		p.send(p.queue)
	case n < 12:
		a := asking{max: new(1 + p.rng.IntN(10))}
		if p.settings.DeadLetters != "" {
			a.max = new(10) // what is worn out is then dead-lettered for sure, or far more would have to be tried
		}
		if p.voice.provider() == "SQS" && p.rng.IntN(3) > 0 {
			a.visibility = new([]time.Duration{0, shortHide, longHide}[p.rng.IntN(3)])
		}
		if p.rng.IntN(6) == 0 {
			a.wait = 1
		}
		p.receive(queue, a)
	case n < 17:
		p.remove()
	case n < 19:
		p.change()
	default:
		p.look(queue)
	}
}

func (p *client) send(queue string) {
	var all []outgoing
	var delay *time.Duration
	if p.rng.IntN(4) == 0 && (p.voice.provider() == "MNS" || !p.settings.FIFO) {
		delay = new(shortHide)
	}
	n := 1 + p.rng.IntN(3)
	for range n {
		p.sends++
		o := outgoing{Outgoing: model.Outgoing{Body: fmt.Sprintf("client %d number %d", p.number, p.sends), Delay: delay}}
		if p.settings.FIFO {
			o.Group = new(string(rune('a' + p.rng.IntN(3))))
			if p.rng.IntN(3) == 0 {
				o.Body = fmt.Sprint("one of ten, ", p.rng.IntN(10)) // which others send, too
			}
		}
		all = append(all, o)
	}
	p.record.did(p.number, func(timer int) done {
		e := p.voice.send(queue, n > 1, all)
		e.Timer = timer
		if delay == nil {
			return done{event: e, queue: queue}
		}
		for _, r := range e.Results {
			if r.Handle != "" {
				p.held = append(p.held, model.Receipt{Queue: queue, ID: r.ID, Handle: r.Handle, Born: 1})
			}
		}
		return done{event: e, queue: queue, hidden: *delay}
	})
}

func (p *client) receive(queue string, a asking) {
	p.record.did(p.number, func(timer int) done {
		e := p.voice.receive(queue, a)
		e.Timer = timer
		for _, m := range e.Messages {
			p.held = append(p.held, model.Receipt{Queue: queue, ID: m.ID, Handle: m.Handle, Born: 1})
		}
		d := done{event: e, queue: queue, looks: p.looks(&e)}
		if len(e.Messages) > 0 {
			d.hidden = p.settings.Visibility
			if a.visibility != nil {
				d.hidden = *a.visibility
			}
			d.at = receivedAt(&e.Messages[0], d.hidden)
		}
		return d
	})
}

// looks is how many looks there may have been before the last one of a receive.
func (p *client) looks(e *model.Received) int {
	switch {
	case p.settings.DeadLetters == "" || e.Queue != p.queue:
		return 0
	case e.Waited:
		return 3
	case len(e.Messages) > 0:
		return 1
	}
	return 0
}

// receivedAt is when a message was received, if that can be told from what it shows.
func receivedAt(m *model.Seen, hidden time.Duration) time.Time {
	switch {
	case !m.Next.IsZero():
		return m.Next.Add(-hidden)
	case m.Receives == 1:
		return m.First
	}
	return time.Time{}
}

// some takes up to n of the receipts that the client holds, all of one queue; others stay for later.
func (p *client) some(n int) []model.Receipt {
	var some []model.Receipt
	for len(p.held) > 0 && len(some) < n && (len(some) == 0 || p.held[0].Queue == some[0].Queue) {
		some = append(some, p.held[0])
		p.held = p.held[1:]
	}
	return some
}

func (p *client) remove() {
	if some := p.some(1 + p.rng.IntN(4)); len(some) > 0 {
		p.removeThese(some)
	}
}

func (p *client) removeAll() {
	for len(p.held) > 0 {
		p.removeThese(p.some(10))
	}
}

func (p *client) removeThese(some []model.Receipt) {
	queue := some[0].Queue
	p.record.did(p.number, func(int) done {
		var all model.Together
		for _, e := range p.voice.remove(queue, len(some) > 1, some) {
			all = append(all, e)
		}
		return done{event: all, queue: queue}
	})
}

func (p *client) change() {
	some := p.some(1)
	if len(some) == 0 {
		return
	}
	r, timeout := some[0], []time.Duration{0, shortHide, shortHide, longHide}[p.rng.IntN(4)]
	p.record.did(p.number, func(timer int) done {
		e := p.voice.change(r.Queue, false, []model.Changed{{Queue: r.Queue, Rules: p.voice.rules(), Receipt: r, Timeout: timeout, Timer: timer}})[0]
		if e.Handle != "" {
			r.Handle = e.Handle
		}
		p.held = append(p.held, r)
		if e.Refused != model.None {
			timeout = 0
		}
		return done{event: e, queue: r.Queue, hidden: timeout}
	})
}

func (p *client) look(queue string) (e model.Counted) {
	p.record.did(p.number, func(int) done {
		e = p.voice.counts(queue)
		return done{event: e, queue: queue}
	})
	return e
}
