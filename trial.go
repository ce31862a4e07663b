package sluice

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/policy"
)

// Check returns everything that is wrong with options, where Open would stop at the first: what is wrong with resources as
// *ResourceError, all of it joined. The resources are declared in memory, as if nothing were there yet; the data directory
// is not looked at.
func (o Options) Check() error {
	wrong := o.validate()
	o = o.withDefaults()
	return errors.Join(wrong, tryOut(context.Background(), o.Clock, o.site(), &o.Resources, nil))
}

// Doubts returns what is right in options and does not do what it says: the parts of policies that are not understood. An
// Allow with one of them allows nothing, and a Deny denies whatever the rest of it matches.
func (o Options) Doubts() []string {
	var all []string
	note := func(whose string, d *policy.Document, err error) {
		if err != nil {
			return // Check tells it
		}
		for _, part := range d.Unknown() {
			all = append(all, fmt.Sprintf("%s: the policy has %s, which is not understood: an Allow with it allows nothing, a Deny "+
				"denies all that the rest of it matches", whose, part))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o.Credentials)) {
		if text := o.Credentials[key].Policy; text != "" {
			d, err := policy.ParseIdentity(text)
			note("access key "+key, d, err)
		}
	}
	for i := range o.Resources.Queues {
		q := &o.Resources.Queues[i]
		if text := q.Attributes["Policy"]; text != "" {
			d, err := policy.ParseResource(text)
			note("queue "+q.Name, d, err)
		}
	}
	return all
}

// tryOut declares resources in a copy, in memory, of what they are about, and returns everything that is wrong with them.
// So it is known before anything has changed. A nil engine stands for one without anything.
func tryOut(ctx context.Context, c clock.Clock, site *protocols.Site, r *Resources, actual *core.Engine) error {
	if len(r.Queues)+len(r.Topics)+len(r.Subscriptions) == 0 {
		return nil
	}
	engine, err := core.Open(memory.New(), core.Options{Clock: c, BodyBudget: -1})
	if err != nil {
		return err
	}
	d := newDeclaration(site, engine.Under)
	if actual != nil {
		err = d.copyFrom(ctx, actual.Under(core.Rules{}), r)
	}
	if err == nil {
		err = d.declare(ctx, r)
	}
	return errors.Join(err, engine.Close())
}

// copyFrom makes, without what is in them, those of the actual queues and topics that a declaration is about. Topics come
// first: a subscription of a FIFO topic may have got a queue by now that it could not be made for.
func (d *declaration) copyFrom(ctx context.Context, actual core.Broker, r *Resources) error {
	copied := d.broker(core.Rules{})
	d.redrives = map[core.QueueKey]*core.Redrive{}
	for i := range r.Topics {
		if err := copyTopic(ctx, actual, copied, d.topicKey(r.Topics[i].Namespace, r.Topics[i].Name)); err != nil {
			return err
		}
	}
	for i := range r.Subscriptions {
		if err := copyTopic(ctx, actual, copied, d.topicKey(r.Subscriptions[i].Namespace, r.Subscriptions[i].Topic)); err != nil {
			return err
		}
	}
	for _, key := range d.concerned(r) {
		info, err := actual.Queue(ctx, key)
		if errors.Is(err, &core.Error{Kind: core.QueueNotFound}) {
			continue
		}
		if err == nil {
			d.redrives[key] = info.Settings.Redrive
			_, _, err = copied.Create(ctx, key, sameAs(&info.Settings), info.Tags)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// concerned are the queues of a declaration, and those on whose settings it depends whether that can be.
func (d *declaration) concerned(r *Resources) []core.QueueKey {
	var keys []core.QueueKey
	for i := range r.Queues {
		q := &r.Queues[i]
		if keys = append(keys, d.key(q)); q.DeadLetter != nil {
			keys = append(keys, d.named(q, q.DeadLetter.Queue))
		}
	}
	for i := range r.Subscriptions {
		if s, err := d.settings(&r.Subscriptions[i]); err == nil && s.Endpoint.Kind == core.EndpointQueue {
			keys = append(keys, s.Endpoint.Queue)
		}
	}
	return keys
}

// sameAs returns what makes a queue like another one. Its dead-letter queue is left out: the copy could not name one that has
// been deleted since, or that allows it no more, which the queue itself keeps.
func sameAs(s *core.Settings) core.Patch {
	p := core.Patch{
		Delay: &s.Delay, Visibility: &s.Visibility, Retention: &s.Retention, Wait: &s.Wait, MaxSize: &s.MaxSize,
		FIFO: &s.FIFO, RedriveAllow: &s.RedriveAllow, Notes: pointers(s.Notes),
	}
	if s.FIFO {
		p.ContentDedup, p.DedupPerGroup, p.GroupLimit = &s.ContentDedup, &s.DedupPerGroup, &s.GroupLimit
	} else {
		p.TenantRate = &s.TenantRate
	}
	return p
}

func pointers(notes map[string]string) map[string]*string {
	all := make(map[string]*string, len(notes))
	for name, note := range notes {
		all[name] = &note
	}
	return all
}

// copyTopic copies a topic with its subscriptions, if there is one and it was not copied before.
func copyTopic(ctx context.Context, actual, copied core.Broker, key core.TopicKey) error {
	info, err := actual.Topic(ctx, key)
	if errors.Is(err, &core.Error{Kind: core.TopicNotFound}) {
		return nil
	}
	if err != nil {
		return err
	}
	s := &info.Settings
	_, made, err := copied.CreateTopic(ctx, key, core.TopicPatch{MaxSize: &s.MaxSize, FIFO: &s.FIFO, Notes: pointers(s.Notes)})
	if err != nil || !made {
		return err
	}
	const page = 1000
	all, more, err := actual.Subscriptions(ctx, key, "", "", page)
	for {
		for i := range all {
			if _, _, err := copied.Subscribe(ctx, key, all[i].Name, all[i].Settings); err != nil {
				return err
			}
		}
		if err != nil || !more || len(all) == 0 {
			return err
		}
		all, more, err = actual.Subscriptions(ctx, key, "", all[len(all)-1].Name, page)
	}
}
