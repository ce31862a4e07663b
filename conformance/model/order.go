package model

import (
	"fmt"
	"slices"
)

// before reports whether a standard queue has to deliver a before b: a smaller priority number goes first, then what is
// visible for longer. UNVERIFIED: the providers promise no order; this is the one that ours does.
func before(a, b *message) bool {
	return a.priority < b.priority || a.priority == b.priority && a.sinceMost.Before(b.sinceMin)
}

// noisy reports whether a tenant may have so much in flight that messages of others go first, so that the age of
// messages does not tell their order.
func (q *queue) noisy(got []*message) bool {
	count := map[string]int{}
	for _, m := range q.messages {
		if m.group != "" && (m.state == inFlight || slices.Contains(got, m)) {
			count[m.group]++
		}
	}
	for _, n := range count {
		if n >= noisyInFlight {
			return true
		}
	}
	return false
}

// receive checks a delivery. The messages of sure have been dead-lettered; those of each part of open may have been,
// together or not at all.
func (q *queue) receive(got []*message, most int, worn func(*message) bool) (sure []*message, open [][]*message, err error) {
	if q.s.FIFO {
		return q.receiveFIFO(got, most, worn)
	}
	return q.receiveStandard(got, most, worn)
}

// receiveStandard checks a delivery from a standard queue: as many messages as there are and were asked for, none of
// which others had to precede. Messages that are worn out and were passed on the way have been dead-lettered.
func (q *queue) receiveStandard(got []*message, most int, worn func(*message) bool) (sure []*message, open [][]*message, err error) {
	var old, fresh []*message
	for _, m := range q.messages {
		switch {
		case m.state != visible:
		case worn(m):
			old = append(old, m)
		default:
			fresh = append(fresh, m)
		}
	}
	if err := q.complete(got, fresh, most); err != nil {
		return nil, nil, err
	}
	for _, m := range old {
		switch last := len(got) - 1; {
		case most == 0:
		case len(got) < most || before(m, got[last]) && !q.noisy(got):
			sure = append(sure, m)
		case !before(got[last], m) || q.noisy(got):
			open = append(open, []*message{m})
		}
	}
	return sure, open, nil
}

// complete checks that of what a standard queue can deliver the right messages came, in a right order.
func (q *queue) complete(got, fresh []*message, most int) error {
	if want := min(most, len(fresh)); len(got) != want {
		return fmt.Errorf("%d messages came, want %d of %v", len(got), want, fresh)
	}
	precedes := before
	if q.noisy(got) {
		precedes = func(a, b *message) bool { return a.priority < b.priority }
	}
	for i, m := range got {
		if !slices.Contains(fresh, m) {
			return fmt.Errorf("%s came, which was to be dead-lettered", m)
		}
		for _, o := range fresh {
			if at := slices.Index(got, o); (at < 0 || at > i) && precedes(o, m) {
				return fmt.Errorf("%s came, but not before it %s", m, o)
			}
		}
	}
	return nil
}

// run is what a group of a FIFO queue can deliver: what stands before its first hidden message.
type run struct{ all, fresh []*message }

func (q *queue) runs(worn func(*message) bool) map[string]*run {
	runs := map[string]*run{}
	closed := map[string]bool{}
	for _, m := range q.messages {
		if closed[m.group] = closed[m.group] || m.state != visible; closed[m.group] {
			continue
		}
		if runs[m.group] == nil {
			runs[m.group] = &run{}
		}
		r := runs[m.group]
		r.all = append(r.all, m)
		if !worn(m) {
			r.fresh = append(r.fresh, m)
		}
	}
	return runs
}

// receiveFIFO checks a delivery from a FIFO queue: of each group what comes first, a group as far as possible before
// the next one (Recorded 2024-04), and as many messages as there are and were asked for. The order of groups is free.
func (q *queue) receiveFIFO(got []*message, most int, worn func(*message) bool) (sure []*message, open [][]*message, err error) {
	runs := q.runs(worn)
	all := 0
	for _, r := range runs {
		all += len(r.fresh)
	}
	if want := min(most, all); len(got) != want {
		return nil, nil, fmt.Errorf("%d messages came, want %d", len(got), want)
	}
	done := map[string]int{} // of each group, in messages that came
	for i, m := range got {
		r, n := runs[m.group], done[m.group]
		switch {
		case r == nil || n == len(r.fresh) || r.fresh[n] != m:
			return nil, nil, fmt.Errorf("%s came, which is not the next of its group", m)
		case i > 0 && got[i-1].group != m.group && (n > 0 || done[got[i-1].group] < len(runs[got[i-1].group].fresh)):
			return nil, nil, fmt.Errorf("%s came before the group of the previous message was done", m)
		}
		done[m.group]++
	}
	for group, r := range runs {
		passed := slices.DeleteFunc(slices.Clone(r.all), func(m *message) bool { return !worn(m) })
		switch {
		case most == 0 || len(passed) == 0:
		case len(got) < most || done[group] > 0 && got[len(got)-1].group != group:
			sure = append(sure, passed...)
		case done[group] > 0:
			sure = append(sure, ahead(r.all, got[len(got)-1], worn)...)
		case len(r.fresh) == 0:
			open = append(open, passed)
		}
	}
	return sure, open, nil
}

// ahead returns the worn messages that stand before one.
func ahead(all []*message, last *message, worn func(*message) bool) (passed []*message) {
	for _, m := range all {
		if m == last {
			break
		}
		if worn(m) {
			passed = append(passed, m)
		}
	}
	return passed
}
