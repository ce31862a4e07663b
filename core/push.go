package core

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Pusher takes publications to the endpoints of the kind EndpointPush.
type Pusher interface {
	// Push returns nil when the endpoint has taken the publication. It is called from many goroutines, and has to
	// return soon after ctx ends. A push may come again after a crash, even if it was taken.
	Push(ctx context.Context, d Delivery) error
}

// errExpired is why a publication is given up that nobody could take for as long as it is kept.
var errExpired = errors.New("core: the publication's retention is over")

// These bound the pushes that are under way: all of them, those of a subscription, and those of a subscription whose
// last one has failed, so that a few endpoints that hang leave room for everybody else. A queue or the outbox is
// served by one, in the order of publishing.
const (
	maxPushes             = 64
	maxPushesSubscription = 4
)

const (
	defaultPushTimeout = 5 * time.Second
	faultPause         = time.Second // without attempts, after the store has failed
)

// postman works off deliveries. Each subscription with an attempt to begin stands in its heap once, by the instant of
// the attempt. One goroutine takes the first whose instant has come, as long as there is room for another attempt, and
// starts a goroutine that makes it; nothing runs while there is nothing to do.
type postman struct {
	e       *Engine
	pusher  Pusher
	timeout time.Duration
	ctx     context.Context // ends when the engine is closed
	stop    context.CancelFunc
	running sync.WaitGroup

	mu   sync.Mutex
	due  heap[*subscription]
	busy int           // attempts under way
	kick chan struct{} // there may be something to begin
}

func newPostman(e *Engine, pusher Pusher, timeout time.Duration) *postman {
	p := &postman{e: e, pusher: pusher, timeout: timeout, kick: make(chan struct{}, 1)}
	if p.timeout == 0 {
		p.timeout = defaultPushTimeout
	}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.due = heap[*subscription]{
		less:  func(a, b *subscription) bool { return a.alarm < b.alarm },
		place: func(s *subscription, i int) { s.alarmAt = i },
	}
	return p
}

// start begins to work. All subscriptions that wait have been set by then.
func (p *postman) start() { p.running.Go(p.run) }

// close ends all attempts; the next Open makes them again.
func (p *postman) close() {
	p.stop()
	p.running.Wait()
}

// set says when an attempt for a subscription is to begin; 0: not until it is set again. The lock of its topic is held.
func (p *postman) set(s *subscription, at instant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.alarm = at
	switch known := s.alarmAt >= 0; {
	case at == 0 && known:
		p.due.remove(s.alarmAt)
	case at == 0:
	case known:
		p.due.fix(s.alarmAt)
	default:
		p.due.push(s)
	}
	if s.alarmAt == 0 {
		p.wake()
	}
}

func (p *postman) wake() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// next returns when the next attempt for a subscription may begin, 0 when there is none to wait for. Its topic is
// locked.
func (p *postman) next(s *subscription) instant {
	if s.gone || s.waiting.len() == 0 || s.underway >= s.bound() {
		return 0
	}
	d := s.waiting.min()
	at := d.at
	if p.pusher == nil && s.settings.Endpoint.Kind == EndpointPush {
		at = d.publication.until // all that can happen to it
	}
	if at == never {
		return 0
	}
	return max(at, s.resumeAt)
}

// bound returns how many attempts for a subscription may be under way.
func (s *subscription) bound() int {
	if s.failing || s.settings.Endpoint.Kind != EndpointPush {
		return 1
	}
	return maxPushesSubscription
}

func (p *postman) run() {
	for {
		s, at := p.pop()
		if s != nil {
			p.begin(s)
			continue
		}
		var reached <-chan struct{}
		giveUp := func() {}
		if at != 0 {
			reached, giveUp = p.e.clock.Until(at.time())
		}
		select {
		case <-reached:
		case <-p.kick:
		case <-p.ctx.Done():
			giveUp()
			return
		}
		giveUp()
	}
}

// pop returns the subscription whose attempt is to begin now and counts it as busy, or else the instant to wait for.
func (p *postman) pop() (*subscription, instant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy == maxPushes || p.due.len() == 0 || p.ctx.Err() != nil {
		return nil, 0
	}
	s := p.due.min()
	if s.alarm > p.e.now() {
		return nil, s.alarm
	}
	p.due.remove(0)
	p.busy++
	return s, 0
}

// rest ends what pop has counted.
func (p *postman) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	p.wake()
}

// begin starts the next attempt for a subscription.
func (p *postman) begin(s *subscription) {
	t := s.topic
	err := p.e.lockTopic(t)
	if err != nil {
		if errors.Is(err, errStale) {
			p.set(s, p.e.now().add(faultPause))
		}
		p.rest()
		return
	}
	defer t.mu.Unlock()
	if at := p.next(s); at == 0 || at > p.e.now() { // what it was woken for is gone
		p.set(s, at)
		p.rest()
		return
	}
	d := s.waiting.min()
	s.waiting.remove(d.index)
	s.underway++
	trip := &trip{p: p, s: s, d: d, info: s.info(), attempt: d.attempts + 1}
	p.set(s, p.next(s))
	p.running.Go(trip.run)
}

// trip is one attempt.
type trip struct {
	p       *postman
	s       *subscription
	d       *parcel
	info    SubscriptionInfo
	attempt int
}

func (t *trip) run() {
	defer t.p.rest()
	m, found, err := t.fetch()
	if err == nil && found {
		d := t.d.publication.delivery(t.info, &m, t.attempt)
		failure := t.push(d)
		if failure == nil || t.p.ctx.Err() == nil { // what the closing of the engine has ended will come again
			err = t.settle(&d, failure)
		}
	}
	if kind, _ := kindOf(err); err != nil && kind != TopicNotFound {
		t.p.e.onError(err)
	}
	t.end(err != nil || !found)
}

// fetch reads the publication, once it is durable. It is not found when its commit has failed, or when nobody waits
// for it any more.
func (t *trip) fetch() (m Publication, found bool, err error) {
	_ = t.p.e.journal.barrier() // what failed need not be this one: the store knows
	key := messageKey(publicationPrefix, t.s.topic.id, t.d.publication.sequence)
	return readPublication(t.p.e.journal.store, key)
}

// push takes a publication to its endpoint, unless its end has come. Queues and the outbox are served by settle.
func (t *trip) push(d Delivery) error {
	if d.Subscription.Settings.Endpoint.Kind != EndpointPush {
		return nil
	}
	if t.d.publication.until <= t.p.e.now() {
		return errExpired
	}
	ctx, cancel := context.WithTimeout(t.p.ctx, t.p.timeout)
	defer cancel()
	return t.p.pusher.Push(ctx, d)
}

// settle stores what has come of the attempt.
func (t *trip) settle(d *Delivery, failure error) error {
	reach := func() []*subscription { return []*subscription{t.s} }
	return t.p.e.post(t.s.topic, reach, func(o *posting) error {
		if !t.s.waits(t.d) {
			return nil
		}
		if t.s.settings.Endpoint.Kind != EndpointPush {
			if err := o.deliver(t.s, d); err != nil {
				o.giveUp(t.s, d, err)
			}
			o.topic.done(t.s, t.d, &o.c)
			return nil
		}
		t.s.failing = failure != nil
		if failure != nil && o.retry(t.s, t.d, d, failure) {
			return nil
		}
		if failure != nil {
			o.giveUp(t.s, d, failure)
		} else {
			o.pushed(t.s, d)
		}
		o.topic.done(t.s, t.d, &o.c)
		return nil
	})
}

// retry sets the next attempt of a delivery, or reports that there is none.
func (o *posting) retry(s *subscription, d *parcel, public *Delivery, failure error) bool {
	wait, ok := s.settings.Strategy.wait(d.attempts + 1)
	if !ok || d.publication.until <= o.now {
		return false
	}
	d.attempts++
	d.at = min(o.now.add(wait), d.publication.until)
	o.c.batch.Put(deliveryKey(o.topic.id, s.id, d.publication.sequence), encodeParcel(d))
	if o.e.watched {
		event := s.event(EventPushFailed, public, o.now)
		event.Err, event.Until = failure, d.at.time()
		o.c.events = append(o.c.events, event)
	}
	return true
}

// end makes room for the subscription's next attempt, which may be another of the same delivery. After a fault of the
// store that takes a while.
func (t *trip) end(fault bool) {
	s := t.s
	s.topic.mu.Lock()
	defer s.topic.mu.Unlock()
	s.underway--
	if fault {
		s.resumeAt = t.p.e.now().add(faultPause)
	}
	if s.waits(t.d) {
		s.waiting.push(t.d)
	}
	at := t.p.next(s)
	if at == 0 && s.topic.stale.Load() {
		at = s.resumeAt // by then it may be read back
	}
	t.p.set(s, at)
}
