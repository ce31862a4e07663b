package control

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/sluicemq/sluice/core"
)

func (a *API) health(*http.Request) (int, any, error) {
	return http.StatusOK, &healthShape{"ok", a.o.Version}, nil
}

func (a *API) overview(*http.Request) (int, any, error) {
	n := a.engine.Count(core.QueueFilter{}, true)
	last, listeners, messages := a.watcher.numbers()
	return http.StatusOK, &overviewShape{
		Version: a.o.Version, Now: stamp(a.broker.Now()), Clock: a.clockNow(), Queues: n.Queues, Topics: n.Topics,
		Counts: newCounts(n.Visible, n.InFlight, n.Delayed, n.Worn),
		Events: overviewEvents{last, a.o.Dropped(), listeners, messages}, Offers: a.offers(),
		Endpoints: append([]string{}, a.o.Endpoints()...), Namespaces: a.homes(),
	}, nil
}

// homes are the namespaces that the server was set up with.
func (a *API) homes() []namespaceShape {
	all := a.o.Namespaces()
	list := make([]namespaceShape, len(all))
	for i, ns := range all {
		list[i] = namespaceShape{ns.Account, ns.Region, a.o.Speaks(ns)}
	}
	return list
}

func (a *API) listQueues(r *http.Request) (int, any, error) {
	p, err := readListing(r)
	if err != nil {
		return 0, nil, err
	}
	found, last, err := a.search(r.Context(), p)
	if err != nil {
		return 0, nil, err
	}
	list := queuePage{
		Queues: make([]queueShape, len(found)),
		Total:  a.engine.Count(core.QueueFilter{Account: p.account, Region: p.region}, false).Queues,
	}
	now := a.broker.Now()
	for i := range found {
		list.Queues[i] = a.shownQueue(&found[i], now)
	}
	if last != (core.QueueKey{}) {
		list.Next = new(refOf(last).text())
	}
	return http.StatusOK, &list, nil
}

func (a *API) getQueue(r *http.Request) (int, any, error) {
	key := queueOf(r)
	s, err := a.engine.Status(key)
	if err != nil {
		return 0, nil, err
	}
	detail := queueDetail{queueShape: a.shownQueue(&s, a.broker.Now())}
	sources, _, err := a.broker.RedriveSources(r.Context(), key, "", 100)
	if err != nil {
		return 0, nil, err
	}
	detail.DeadLetterSources = refs(sources)
	moves, err := a.broker.Moves(r.Context(), key, 1)
	if err != nil {
		return 0, nil, err
	}
	if len(moves) > 0 && (moves[0].Status == core.MoveInProgress || moves[0].Status == core.MoveCancelling) {
		detail.Running = new(shownMove(&moves[0]))
	}
	return http.StatusOK, &detail, nil
}

// shown returns a queue as it is now.
func (a *API) shown(status int, key core.QueueKey) (int, any, error) {
	s, err := a.engine.Status(key)
	if err != nil {
		return 0, nil, err
	}
	return status, new(a.shownQueue(&s, a.broker.Now())), nil
}

func (a *API) shownQueue(s *core.QueueStatus, now time.Time) queueShape {
	q := queueShape{
		queueRef: refOf(s.Key), Speaks: a.o.Speaks(s.Key.Namespace), FIFO: s.Settings.FIFO, Created: stamp(s.Created), Modified: stamp(s.Modified),
		Counts: newCounts(s.Visible, s.InFlight, s.Delayed, s.Worn), OldestAt: stampIf(s.Oldest),
		WaitingReceivers: s.Waiting, Settings: shownSettings(&s.Settings), Tags: s.Tags,
	}
	if !s.Oldest.IsZero() {
		q.OldestAgeSeconds = new(now.Sub(s.Oldest).Round(time.Millisecond).Seconds())
	}
	return q
}

func shownSettings(s *core.Settings) settings {
	out := settings{
		DelaySeconds: s.Delay.Seconds(), VisibilitySeconds: s.Visibility.Seconds(), RetentionSeconds: s.Retention.Seconds(),
		WaitSeconds: s.Wait.Seconds(), MaxSizeBytes: s.MaxSize, FIFO: s.FIFO, ContentDedup: s.ContentDedup,
		DedupPerGroup: s.DedupPerGroup, GroupLimit: s.GroupLimit, TenantRate: s.TenantRate, Notes: s.Notes,
		DeadLetterAllow: deadLetterAllow{s.RedriveAllow.DenyAll, refs(s.RedriveAllow.Sources)},
	}
	if s.Redrive != nil {
		out.DeadLetter = &deadLetter{refOf(s.Redrive.Target), s.Redrive.MaxReceives}
	}
	return out
}

func (a *API) createQueue(r *http.Request) (int, any, error) {
	key := queueOf(r)
	if err := checkName(key); err != nil {
		return 0, nil, err
	}
	var in settingsPatch
	if err := read(r, false, &in); err != nil {
		return 0, nil, err
	}
	p, err := in.patch()
	if err == nil && with(nil, in.Notes) > maxNotes {
		err = invalid("notes", "A queue has at most %d notes.", maxNotes)
	}
	if err != nil {
		return 0, nil, err
	}
	if p.FIFO == nil {
		p.FIFO = new(strings.HasSuffix(string(key.Name), ".fifo"))
	}
	tags := map[string]string{}
	for name, value := range in.Tags {
		if value != nil {
			tags[name] = *value
		}
	}
	_, made, err := a.broker.Create(r.Context(), key, p, tags)
	if err != nil {
		return 0, nil, err
	}
	if made {
		return a.shown(http.StatusCreated, key)
	}
	return a.shown(http.StatusOK, key)
}

// The longest names that any provider has: Documented, 80 for one, 120 for the other.
const (
	maxName      = 120
	maxNamespace = 64
)

// checkName refuses names that no provider's protocol could give.
func checkName(k core.QueueKey) error {
	good := func(s string, most int, extra string) bool {
		return s != "" && len(s) <= most && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"+extra) == ""
	}
	switch {
	case !good(k.Namespace.Account, maxNamespace, ""):
		return invalid("account", "%q is no account.", k.Namespace.Account)
	case !good(k.Namespace.Region, maxNamespace, ""):
		return invalid("region", "%q is no region.", k.Namespace.Region)
	case !good(strings.TrimSuffix(string(k.Name), ".fifo"), maxName, "_"):
		return invalid("queue", "%q is no name for a queue, want letters, digits, - and _.", k.Name)
	}
	return nil
}

func (a *API) amendQueue(r *http.Request) (int, any, error) {
	key := queueOf(r)
	var in settingsPatch
	if err := read(r, true, &in); err != nil {
		return 0, nil, err
	}
	p, err := in.patch()
	if err != nil {
		return 0, nil, err
	}
	err = a.broker.Amend(r.Context(), key, func(q core.QueueInfo) (core.Patch, error) {
		if p.FIFO != nil && *p.FIFO != q.Settings.FIFO {
			return p, invalid("fifo", "Whether a queue is a FIFO queue is fixed when it is made.")
		}
		if with(q.Tags, in.Tags) > rules.MaxTags {
			return p, &core.Error{Kind: core.TooManyTags}
		}
		if with(q.Settings.Notes, in.Notes) > maxNotes {
			return p, invalid("notes", "A queue has at most %d notes.", maxNotes)
		}
		return p, nil
	})
	if err == nil && len(in.Tags) > 0 {
		err = a.tag(r, key, in.Tags)
	}
	if err != nil {
		return 0, nil, err
	}
	return a.shown(http.StatusOK, key)
}

// with returns how many texts there are once some are changed.
func with(texts map[string]string, patch map[string]*string) int {
	n := len(texts)
	for name, value := range patch {
		if _, known := texts[name]; known && value == nil {
			n--
		} else if !known && value != nil {
			n++
		}
	}
	return n
}

// Limits of what the engine takes at any length, so that all of it fits into a record. Documented for SQS: those of tags,
// and that a queue names at most 10 sources; its largest policy has 8 KiB.
const (
	maxTagName, maxTagValue = 128, 256
	maxNotes, maxNote       = 50, 16 << 10
	maxSources              = 10
)

// checkLengths refuses what would not fit.
func (in *settingsPatch) checkLengths() error {
	for name, value := range in.Tags {
		if len(name) > maxTagName || value != nil && len(*value) > maxTagValue {
			return invalid("tags", "A tag has a name of up to %d bytes and a value of up to %d.", maxTagName, maxTagValue)
		}
	}
	for name, value := range in.Notes {
		if len(name) > maxTagName || value != nil && len(*value) > maxNote {
			return invalid("notes", "A note has a name of up to %d bytes and a value of up to %d.", maxTagName, maxNote)
		}
	}
	if in.DeadLetterAllow == nil {
		return nil
	}
	long := func(s queueRef) bool { return len(s.Account)+len(s.Region)+len(s.Name) > 2*maxNamespace+maxName }
	if sources := in.DeadLetterAllow.Sources; len(sources) > maxSources || slices.ContainsFunc(sources, long) {
		return invalid("deadLetterAllow", "A queue names at most %d sources, by names that queues can have.", maxSources)
	}
	return nil
}

func (a *API) tag(r *http.Request, key core.QueueKey, patch map[string]*string) error {
	set := map[string]string{}
	var remove []string
	for name, value := range patch {
		if value == nil {
			remove = append(remove, name)
		} else {
			set[name] = *value
		}
	}
	return a.broker.Tag(r.Context(), key, set, remove)
}

// patch is what the engine makes of it.
func (in *settingsPatch) patch() (core.Patch, error) {
	p := core.Patch{
		MaxSize: in.MaxSizeBytes, FIFO: in.FIFO, ContentDedup: in.ContentDedup, DedupPerGroup: in.DedupPerGroup,
		GroupLimit: in.GroupLimit, TenantRate: in.TenantRate, Notes: in.Notes,
	}
	if err := in.checkLengths(); err != nil {
		return p, err
	}
	for _, d := range []struct {
		field string
		given *float64
		into  **time.Duration
	}{
		{"delaySeconds", in.DelaySeconds, &p.Delay},
		{"visibilitySeconds", in.VisibilitySeconds, &p.Visibility},
		{"retentionSeconds", in.RetentionSeconds, &p.Retention},
		{"waitSeconds", in.WaitSeconds, &p.Wait},
	} {
		var err error
		if *d.into, err = duration(d.field, d.given); err != nil {
			return p, err
		}
	}
	if allow := in.DeadLetterAllow; allow != nil {
		p.RedriveAllow = &core.RedriveAllow{DenyAll: allow.DenyAll}
		for _, s := range allow.Sources {
			p.RedriveAllow.Sources = append(p.RedriveAllow.Sources, s.key())
		}
	}
	return p, in.redrive(&p)
}

// redrive reads the dead-letter queue, which null removes.
func (in *settingsPatch) redrive(p *core.Patch) error {
	if in.DeadLetter == nil {
		return nil
	}
	var none *core.Redrive
	if p.Redrive = &none; isNull(in.DeadLetter) {
		return nil
	}
	var d deadLetter
	if err := json.Unmarshal(in.DeadLetter, &d, json.RejectUnknownMembers(true)); err != nil {
		return invalid("deadLetter", "deadLetter wants account, region, name and maxReceives, or null.")
	}
	if d.MaxReceives < 1 {
		return invalid("deadLetter", "maxReceives is %d, want at least 1.", d.MaxReceives)
	}
	p.Redrive = new(&core.Redrive{Target: d.key(), MaxReceives: d.MaxReceives})
	return nil
}

func (a *API) deleteQueue(r *http.Request) (int, any, error) {
	return http.StatusNoContent, nil, a.broker.DeleteQueue(r.Context(), queueOf(r))
}

func (a *API) purgeQueue(r *http.Request) (int, any, error) {
	return http.StatusNoContent, nil, a.broker.Purge(r.Context(), queueOf(r))
}
