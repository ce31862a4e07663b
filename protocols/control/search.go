package control

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/sluicemq/sluice/core"
)

// namesPerPage bounds the work for a page of a search within names, which nothing is sorted for: once it has looked at so
// many, the page ends with what it has found.
const namesPerPage = 5000

// search returns the queues of a page and, if the list goes on, the queue after which it does.
func (a *API) search(ctx context.Context, p listing) (found []core.QueueStatus, last core.QueueKey, err error) {
	if p.contains != "" {
		return a.searchWithin(ctx, p)
	}
	found, more, err := a.engine.Statuses(core.QueueFilter{
		Account: p.account, Region: p.region, Prefix: p.prefix, After: p.after.key(), Limit: p.limit,
	})
	if more && len(found) > 0 {
		last = found[len(found)-1].Key
	}
	return found, last, err
}

// searchWithin finds the queues whose names contain a text, in upper or lower case.
func (a *API) searchWithin(ctx context.Context, p listing) (found []core.QueueStatus, last core.QueueKey, err error) {
	text, looked := strings.ToLower(p.contains), 0
	for key, err := range a.queueKeys(ctx, p) {
		if err != nil {
			return nil, core.QueueKey{}, err
		}
		if looked == a.names {
			return found, last, nil
		}
		looked, last = looked+1, key
		if !strings.Contains(strings.ToLower(string(key.Name)), text) {
			continue
		}
		if len(found) == p.limit {
			return found, found[p.limit-1].Key, nil
		}
		s, err := a.engine.Status(key)
		if errors.Is(err, &core.Error{Kind: core.QueueNotFound}) {
			continue // deleted since it was found
		}
		if err != nil {
			return nil, core.QueueKey{}, err
		}
		found = append(found, s)
	}
	return found, core.QueueKey{}, nil
}

// queueKeys goes through the queues of a listing, whatever they contain and however many there are.
func (a *API) queueKeys(ctx context.Context, p listing) iter.Seq2[core.QueueKey, error] {
	const atOnce = 500
	return func(yield func(core.QueueKey, error) bool) {
		for _, ns := range a.namespaces(p) {
			after, more := core.QueueName(p.afterIn(ns)), true
			for more {
				infos, goesOn, err := a.broker.Queues(ctx, ns, p.prefix, after, atOnce)
				if err != nil {
					yield(core.QueueKey{}, err)
					return
				}
				for i := range infos {
					after = infos[i].Key.Name
					if !yield(infos[i].Key, nil) {
						return
					}
				}
				more = goesOn && len(infos) > 0
			}
		}
	}
}
