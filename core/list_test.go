package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestQueuesPages(t *testing.T) {
	w := newWorld(t, forgiving())
	var all []string
	for _, name := range []string{"b", "a", "ab", "abc", "B", "ac", "b.fifo", "a-1", "a_1", "c"} {
		w.create(name, Patch{})
		all = append(all, name)
	}
	if _, _, err := w.Create(t.Context(), QueueKey{Namespace{home.Account, "there"}, "abroad"}, Patch{}, nil); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	for _, prefix := range []string{"", "a", "ab", "b", "z", "abcd"} {
		var want []string
		for _, name := range all {
			if strings.HasPrefix(name, prefix) {
				want = append(want, name)
			}
		}
		for limit := 1; limit <= len(all)+1; limit++ {
			var got []string
			for after, more := QueueName(""), true; more; {
				page, again, err := w.Queues(t.Context(), home, prefix, after, limit)
				if err != nil || len(page) > limit || again && len(page) < limit {
					t.Fatalf("Queues(%q, %q, %d) = %d queues, %v, %v", prefix, after, limit, len(page), again, err)
				}
				for _, i := range page {
					got = append(got, string(i.Key.Name))
					after = i.Key.Name
				}
				more = again
			}
			if !slices.Equal(got, want) {
				t.Errorf("Queues(%q) by %d = %v, want %v", prefix, limit, got, want)
			}
		}
	}
	if page, _, _ := w.Queues(t.Context(), home, "a", "aa", 10); len(page) != 3 || page[0].Key.Name != "ab" {
		t.Errorf("Queues() after a name that is not there = %v", page)
	}
}

func TestQueuesCountsMessages(t *testing.T) {
	w := newWorld(t, forgiving())
	q := w.create("q", Patch{})
	w.send(q, "1", "2")
	w.one(q)
	page, _, err := w.Queues(t.Context(), home, "", "", 10)
	if err != nil || len(page) != 1 || page[0].Visible != 1 || page[0].InFlight != 1 {
		t.Errorf("Queues() = %+v, %v", page, err)
	}
}

func TestRedriveSourcesPages(t *testing.T) {
	w := newWorld(t, forgiving())
	dead := w.create("dead", Patch{})
	var want []QueueKey
	for i := range 7 {
		want = append(want, w.create(fmt.Sprint("q", i), Patch{Redrive: new(&Redrive{dead, 1})}))
		w.create(fmt.Sprint("other", i), Patch{})
	}
	w.amend(dead, Patch{Redrive: new(&Redrive{dead, 1})})
	want = append([]QueueKey{dead}, want...)
	var got []QueueKey
	for after, more := QueueName(""), true; more; {
		page, again, err := w.RedriveSources(t.Context(), dead, after, 3)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
		after, more = page[len(page)-1].Name, again
	}
	if !slices.Equal(got, want) {
		t.Errorf("RedriveSources() = %v, want %v", got, want)
	}
	if page, more, err := w.RedriveSources(t.Context(), want[1], "", 3); len(page) != 0 || more || err != nil {
		t.Errorf("RedriveSources() of a queue without = %v, %v, %v", page, more, err)
	}
}
