package core

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// TopicSettings are what a topic is configured with.
type TopicSettings struct {
	MaxSize int  // bytes of the largest publication
	FIFO    bool // fixed when the topic is created: every publication has a group, every subscriber is a FIFO queue

	// Notes are attributes that the engine keeps and compares but does not interpret.
	Notes map[string]string
}

// TopicPatch is a partial TopicSettings: a nil field is one that the caller did not name.
type TopicPatch struct {
	MaxSize *int
	FIFO    *bool              // CreateTopic only; AmendTopic ignores it
	Notes   map[string]*string // a nil value removes the note
}

// TopicInfo describes a topic at one instant.
type TopicInfo struct {
	Key      TopicKey
	Settings TopicSettings
	Created  time.Time
	Modified time.Time // when the settings last changed
	Messages int       // publications that some subscription has not got yet
}

// topic is the state of a topic: its subscriptions, and what they have not got yet. All fields but stale are guarded
// by mu. The engine's lock comes before it and the locks of queues after it.
//
// A publication reaches queues and the outbox in the commit that stores it. Whatever has to wait, a push to somebody
// outside or what is too much for one commit, becomes a delivery: a small record beside the publication, which the
// postman works off and which is gone when the subscription has got the publication or has been given up.
type topic struct {
	mu                sync.Mutex
	id                uint32
	key               TopicKey
	settings          TopicSettings // its notes are replaced, never changed
	created, modified instant

	subscriptions []*subscription // sorted by name
	pending       map[uint64]*publication

	deleted bool
	shut    bool // the engine is closed
	stale   atomic.Bool
}

// subscription is the state of a subscription, guarded by its topic's lock.
type subscription struct {
	id                uint64
	topic             *topic
	name              SubscriptionName
	settings          SubscriptionSettings
	created, modified instant

	pending  map[uint64]*parcel // by the publication
	waiting  heap[*parcel]      // those of them that are not under way, by the next attempt
	underway int                // attempts, also of deliveries that are not pending any more
	failing  bool               // its last attempt has failed
	resumeAt instant            // no attempt before that, since the store has failed
	gone     bool

	alarm   instant // when the postman looks at it next; guarded, like alarmAt, by the postman's lock
	alarmAt int
}

// publication is what is kept in memory of one that some subscription waits for. It never changes but for deliveries.
type publication struct {
	sequence   uint64
	id         MessageID
	at         instant
	until      instant // given up then
	deliveries int
}

// parcel is what one subscription has not got yet.
type parcel struct {
	publication *publication
	attempts    int     // that have failed
	at          instant // of the next one
	index       int     // in waiting, -1 while it is under way
}

// never is later than every instant that a clock shows.
const never = instant(1) << 52

func newSubscription(t *topic, id uint64) *subscription {
	s := &subscription{topic: t, id: id, alarmAt: -1}
	s.clear()
	return s
}

// clear forgets what the subscription has not got.
func (s *subscription) clear() {
	s.pending = map[uint64]*parcel{}
	s.waiting = heap[*parcel]{
		less: func(a, b *parcel) bool {
			return a.at < b.at || a.at == b.at && a.publication.sequence < b.publication.sequence
		},
		place: func(d *parcel, i int) { d.index = i },
	}
}

func (s *subscription) info() SubscriptionInfo {
	return SubscriptionInfo{
		Topic: s.topic.key, Name: s.name, Settings: s.settings, Created: s.created.time(), Modified: s.modified.time(),
	}
}

// add makes a subscription wait for a publication.
func (s *subscription) add(d *parcel) {
	d.index = -1
	d.publication.deliveries++
	s.pending[d.publication.sequence] = d
	s.waiting.push(d)
}

// waits reports whether the subscription still has to get what an attempt is under way for.
func (s *subscription) waits(d *parcel) bool {
	return !s.gone && s.pending[d.publication.sequence] == d
}

func (t *topic) info() TopicInfo {
	return TopicInfo{
		Key: t.key, Settings: t.settings, Created: t.created.time(), Modified: t.modified.time(), Messages: len(t.pending),
	}
}

// find returns where the subscription of a name stands or would stand.
func (t *topic) find(name SubscriptionName) (int, bool) {
	return slices.BinarySearchFunc(t.subscriptions, name, func(s *subscription, name SubscriptionName) int {
		return cmp.Compare(s.name, name)
	})
}

// subscription returns the subscription of a name. Returns SubscriptionNotFound.
func (t *topic) subscription(name SubscriptionName) (*subscription, error) {
	if i, ok := t.find(name); ok {
		return t.subscriptions[i], nil
	}
	return nil, &Error{Kind: SubscriptionNotFound}
}

// list describes up to limit subscriptions in the order of their names: those with the prefix, after a name.
func (t *topic) list(prefix string, after SubscriptionName, limit int) (infos []SubscriptionInfo, more bool) {
	for _, s := range t.subscriptions {
		if !strings.HasPrefix(string(s.name), prefix) || after != "" && s.name <= after {
			continue
		}
		if len(infos) == limit {
			return infos, true
		}
		infos = append(infos, s.info())
	}
	return infos, false
}

// done takes a delivery off what a subscription and the topic wait for, and out of the store.
func (t *topic) done(s *subscription, d *parcel, c *changes) {
	p := d.publication
	delete(s.pending, p.sequence)
	c.batch.Delete(deliveryKey(t.id, s.id, p.sequence))
	if p.deliveries--; p.deliveries == 0 {
		delete(t.pending, p.sequence)
		c.batch.Delete(messageKey(publicationPrefix, t.id, p.sequence))
	}
}

// abandon takes all deliveries of a subscription off and returns the keys of the publications that nobody waits for
// any more. The deliveries stay in the store.
func (t *topic) abandon(s *subscription) (orphans [][]byte) {
	for sequence, d := range s.pending {
		if d.publication.deliveries--; d.publication.deliveries == 0 {
			delete(t.pending, sequence)
			orphans = append(orphans, messageKey(publicationPrefix, t.id, sequence))
		}
	}
	s.clear()
	s.gone = true
	return orphans
}
