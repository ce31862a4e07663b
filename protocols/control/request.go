package control

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// maxBody bounds a request: a message of the largest size in which every byte is escaped, and some.
const maxBody = 8 << 20

// read reads the body of a request into a shape. An empty one is an empty object, unless it is required. The content type
// does not count: curl -d says that it is a form.
func read(r *http.Request, required bool, into any) error {
	body, err := protocols.ReadBody(r, maxBody)
	switch {
	case errors.Is(err, protocols.ErrBodyTooLarge):
		return &problem{http.StatusRequestEntityTooLarge, "TooLarge", "The request is too large.", ""}
	case err != nil:
		return invalid("", "The request cannot be read.")
	case len(body) == 0 && !required:
		return nil
	}
	err = json.Unmarshal(body, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return invalid("", "The request is not JSON.")
	}
	field := strings.TrimPrefix(string(wrong.JSONPointer), "/")
	if errors.Is(err, json.ErrUnknownName) {
		return invalid(field, "There is no member %s.", field)
	}
	return invalid(field, "The member %s is of the wrong type.", field)
}

// isNull reports whether a member was given as null.
func isNull(v jsontext.Value) bool { return v.Kind() == 'n' }

// queueOf returns the queue of a path.
func queueOf(r *http.Request) core.QueueKey {
	return queueRef{r.PathValue("account"), r.PathValue("region"), r.PathValue("queue")}.key()
}

// readRef reads account/region/name.
func readRef(field, text string) (queueRef, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return queueRef{}, invalid(field, "%s is %q, want account/region/name.", field, text)
	}
	return queueRef{parts[0], parts[1], parts[2]}, nil
}

// parameters are those of a query. The first that is wrong is kept.
type parameters struct {
	values url.Values
	err    error
}

func newParameters(r *http.Request) *parameters { return &parameters{values: r.URL.Query()} }

// text returns a parameter, empty when it is absent.
func (p *parameters) text(name string) string { return p.values.Get(name) }

// number returns a parameter between two bounds.
func (p *parameters) number(name string, otherwise, least, most int) int {
	text := p.values.Get(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		p.fail(invalid(name, "%s is %q, want a number from %d to %d.", name, text, least, most))
		return otherwise
	}
	return n
}

// oneOf returns a parameter that has one of several values.
func (p *parameters) oneOf(name, otherwise string, values ...string) string {
	text := p.values.Get(name)
	if text == "" {
		return otherwise
	}
	if !slices.Contains(values, text) && text != otherwise {
		p.fail(invalid(name, "%s is %q, want one of %s.", name, text, strings.Join(append(values, otherwise), ", ")))
	}
	return text
}

// list returns a parameter of several values with commas between them.
func (p *parameters) list(name string) []string {
	if text := p.values.Get(name); text != "" {
		return strings.Split(text, ",")
	}
	return nil
}

// byName returns what has a name in a table of names.
func byName[K comparable](names map[K]string, name string) (k K, known bool) {
	for k, n := range names {
		if n == name {
			return k, true
		}
	}
	return k, false
}

func (p *parameters) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// listing are the parameters of a list of queues or topics.
type listing struct {
	account, region, prefix string
	contains                string // only of queues
	after                   queueRef
	limit                   int
}

func readListing(r *http.Request) (listing, error) {
	p := newParameters(r)
	g := listing{
		account: p.text("account"), region: p.text("region"), prefix: p.text("prefix"), contains: p.text("contains"),
		limit: p.number("limit", 100, 1, 1000),
	}
	if after := p.text("after"); after != "" {
		var err error
		if g.after, err = readRef("after", after); err != nil {
			p.fail(err)
		}
	}
	return g, p.err
}
