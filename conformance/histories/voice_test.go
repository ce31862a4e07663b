package histories_test

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sluicemq/sluice/conformance/model"
)

// voice speaks one protocol and tells what it asked and heard as events of the model.
type voice interface {
	rules() *model.Rules
	provider() string // receipt handles of one are no good for the other
	send(queue string, batch bool, messages []outgoing) model.Sent
	receive(queue string, a asking) model.Received
	remove(queue string, batch bool, receipts []model.Receipt) []model.Deleted
	change(queue string, batch bool, changes []model.Changed) []model.Changed // answers are filled in
	counts(queue string) model.Counted
}

// doer sends requests: over a connection or without one.
type doer interface {
	Do(r *http.Request) (*http.Response, error)
}

// outgoing is a message to be sent, with attributes, of which the model knows nothing.
type outgoing struct {
	model.Outgoing
	attributes []attribute
}

// attribute is one of a message; kind is String, Number or Binary.
type attribute struct{ name, kind, value string }

// asking is what a receive asks for. What is nil is not said.
type asking struct {
	max        *int
	visibility *time.Duration // SQS
	attempt    string         // SQS
	wait       int            // seconds
}

// ledger knows with which attributes messages were sent.
type ledger struct {
	tb
	sent sync.Map // of attributes, by the ids of messages
}

// note keeps the attributes of a message; those of a duplicate are not sent.
func (l *ledger) note(results []model.SendResult, messages []outgoing) {
	for i, r := range results {
		if r.Refused == model.None {
			l.sent.LoadOrStore(r.ID, messages[i].attributes)
		}
	}
}

// check compares the attributes that a received message shows, in the order of their names.
func (l *ledger) check(id string, got []attribute) {
	l.Helper()
	want, known := l.sent.Load(id)
	slices.SortFunc(got, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	if known && len(got)+len(want.([]attribute)) > 0 && !reflect.DeepEqual(got, want) {
		l.Errorf("message %s has the attributes %v, want %v", id, got, want)
	}
}

// said is an error as a client heard it. In an answer about one message of several, only code and text are said.
type said struct {
	kind   string // SQS: the name of the modelled error
	status int
	code   string
	text   string
}

// refusals are a provider's words for refusals.
type refusals map[model.Refusal]said

// of returns which refusal an error is. What it is about is filled into the texts. Words that are no refusal's are
// returned as one that the model does not know.
func (r refusals) of(got said, about ...string) model.Refusal {
	fill := strings.NewReplacer(about...)
	for refusal, words := range r {
		words.text = fill.Replace(words.text)
		if words == got {
			return refusal
		}
	}
	return model.Refusal("in unknown words: " + strings.Join([]string{got.kind, http.StatusText(got.status), got.code, got.text}, "; "))
}

// with returns the words with some replaced.
func (r refusals) with(others refusals) refusals {
	all := refusals{}
	for refusal, words := range r {
		all[refusal] = words
	}
	for refusal, words := range others {
		all[refusal] = words
	}
	return all
}

// plainID writes message ids of both providers in one form.
func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

// seconds is a number of them.
func seconds(d time.Duration) int { return int(d / time.Second) }
