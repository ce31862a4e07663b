package sqs

import "strconv"

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

// failed is the answer for an entry. The fault is the client's unless it is an internal one.
func failed(id string, err error) batchError {
	f := faultOf(err, subject{entry: true})
	return batchError{ID: id, Code: f.code, Message: f.text, SenderFault: !f.IsFault()}
}
