package sqs

import (
	"context"
	"strconv"

	"github.com/sluicemq/sluice/core"
)

// checkBatch makes the checks of a whole batch, of which nothing is done if one fails: there are entries, not more
// than ten, each with an id, the ids are well-formed and distinct. The order is a guess; all but the missing id are
// Recorded or validated. The name is that of an entry in the Query protocol.
func checkBatch[E any](name string, entries []E, id func(*E) *string) error {
	switch n := len(entries); {
	case entries == nil:
		empty := emptyBatchRequest.say("There should be at least one %s in the request.", name)
		return &fault{shape: missingParameter, text: missing("Entries").text, query: empty}
	case n == 0:
		return emptyBatchRequest.say("There should be at least one %s in the request.", name)
	case n > maxBatchEntries:
		return tooManyEntries.say("Maximum number of entries per request are 10. You have sent %d.", n)
	}
	for i := range entries {
		if id(&entries[i]) == nil {
			return missing(entryMember(name, i, "Id")) // seen in a public issue for deletions
		}
	}
	for i := range entries {
		if !isName(*id(&entries[i]), maxBatchID) {
			return invalidBatchEntryID.say("A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.")
		}
	}
	seen := make(map[string]bool, len(entries))
	for i := range entries {
		text := *id(&entries[i])
		if seen[text] {
			return batchEntryIDsNotDistinct.say("Id %s repeated.", text)
		}
		seen[text] = true
	}
	return nil
}

// entryMember names a member of an entry as the Query protocol does, counting from 1.
func entryMember(name string, i int, member string) string {
	return name + "." + strconv.Itoa(i+1) + "." + member
}

// entryErrors gathers what went wrong with the entries of a batch, in the order of the request.
type entryErrors []error

// pending returns the places of the entries that are still good.
func (e entryErrors) pending() []int {
	var places []int
	for i, err := range e {
		if err == nil {
			places = append(places, i)
		}
	}
	return places
}

// eachGood gives the entries without an error to a verb, all at once, and enters the errors that it returns for them.
func eachGood[E any](ctx context.Context, s *service, key core.QueueKey, entries []E, errs entryErrors, verb func(good []E) ([]error, error)) error {
	places := errs.pending()
	if len(places) == 0 {
		_, err := s.broker.Queue(ctx, key)
		return err
	}
	good := make([]E, len(places))
	for n, i := range places {
		good[n] = entries[i]
	}
	failures, err := verb(good)
	if err != nil {
		return err
	}
	for n, i := range places {
		errs[i] = failures[n]
	}
	return nil
}

// results is the answer of a batch whose entries have no result but that they succeeded.
func (e entryErrors) results(id func(i int) string) (successful []resultEntry, failures []batchError) {
	for i, err := range e {
		if err != nil {
			failures = append(failures, failed(id(i), err))
		} else {
			successful = append(successful, resultEntry{id(i)})
		}
	}
	return successful, failures
}

// failed is the answer for an entry. The fault is the client's unless it is an internal one.
func failed(id string, err error) batchError {
	f := faultOf(err, subject{entry: true})
	return batchError{ID: id, Code: f.code, Message: f.text, SenderFault: !f.IsFault()}
}
