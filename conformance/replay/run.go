package replay

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// Result is what came of a scenario.
type Result struct {
	Scenario    *Scenario
	Differences []Difference // that are not listed
	Deviations  []Deviation  // those of the list that were met
	Elapsed     time.Duration

	unheard bool // no answer came at all
}

// Passed reports whether nothing differs but what is listed.
func (r *Result) Passed() bool { return len(r.Differences) == 0 }

// Clean reports whether nothing differs at all.
func (r *Result) Clean() bool { return r.Passed() && len(r.Deviations) == 0 }

// requestLimit is how long the answer of a server in memory may take, however busy the machine is.
const requestLimit = 60 * time.Second

// errStop ends a scenario whose difference has been noted.
var errStop = errors.New("the scenario cannot go on")

// begin opens the server of a scenario and replays what stands before its first call.
func begin(ctx context.Context, t *Target, s *Scenario) *runner {
	r := &runner{ctx: ctx, t: t, s: s, began: clock.System{}.Now(), going: true}
	if err := r.open(); err != nil {
		r.note(0, Difference{Class: Transport, Got: err.Error()})
		r.going, r.next = false, len(s.Steps)
		return r
	}
	for r.next < len(s.Steps) && s.Steps[r.next].Kind != Call {
		r.one()
	}
	return r
}

// end replays the rest and closes the server.
func (r *runner) end() Result {
	for r.next < len(r.s.Steps) {
		r.one()
	}
	if r.e != nil {
		if err := r.e.close(); err != nil {
			r.note(len(r.s.Steps)-1, Difference{Class: Transport, Where: "close", Got: err.Error()})
		}
	}
	return Result{Scenario: r.s, Differences: r.found, Elapsed: clock.System{}.Now().Sub(r.began), unheard: !r.heard}
}

func (r *runner) restart() {
	if r.e == nil {
		return
	}
	if err := r.e.restart(); err != nil {
		r.note(r.next, Difference{Class: Transport, Where: "restart", Got: err.Error()})
		r.going = false
	}
}

type runner struct {
	ctx   context.Context
	t     *Target
	s     *Scenario
	e     endpoint
	b     *binder
	found []Difference
	began time.Time
	next  int  // step
	going bool // nothing has failed that later steps need
	heard bool // an answer came

	places map[string]Place
	keys   map[string]Key
}

func (r *runner) open() (err error) {
	e, err := r.t.open(r.s)
	if err != nil {
		return err
	}
	r.e = e
	r.places, r.keys = r.t.Places, r.t.Keys
	if r.places == nil {
		r.places = Places()
	}
	if r.keys == nil {
		r.keys = Keys(AnyKey, AnyKey)
	}
	u, place := r.e.url(), r.places[r.s.Dialect]
	r.b = &binder{unique: uniqueName, now: r.e.now, values: map[string]string{
		"host": u.Host, "scheme": u.Scheme, "account": place.Account, "region": place.Region,
	}}
	return nil
}

// uniqueName makes a name of 16 characters that nobody else has.
func uniqueName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return "q" + hex.EncodeToString(b[:])[1:]
}

func (r *runner) note(step int, d Difference) {
	d.Step = step + 1
	if step >= 0 && step < len(r.s.Steps) {
		d.Line = r.s.Steps[step].Line
	}
	r.found = append(r.found, d)
}

// one does the next step. Once something has failed, only what cleans up is still done.
func (r *runner) one() {
	i, step := r.next, &r.s.Steps[r.next]
	r.next++
	switch {
	case step.Kind == Cleanup:
		r.cleanup(step)
	case r.going && r.ctx.Err() == nil:
		r.going = r.step(i, step) == nil
	}
}

func (r *runner) step(i int, step *Step) error {
	if step.Kind == Advance {
		return r.e.pass(r.ctx, step.Pass)
	}
	got, err := r.exchange(r.ctx, step.Request)
	if err != nil {
		class := Transport
		if errors.Is(err, errUnbound) {
			class = Unbound
		}
		if class == Unbound && len(r.found) > 0 {
			return errStop
		}
		r.note(i, Difference{Class: class, Got: err.Error()})
		return errStop
	}
	if step.Kind == Setup {
		return r.setup(i, step, got)
	}
	c := &comparison{b: r.b, exact: r.s.Exact, unordered: r.s.Unordered}
	c.answer(step.Response, got)
	for _, d := range c.found {
		// Where a value was to be bound something else differed, and that has been said.
		if d.Class != Unbound || len(r.found) == 0 {
			r.note(i, d)
		}
	}
	return nil
}

// setup takes what the scenario needs from an answer, and demands no more than that.
func (r *runner) setup(i int, step *Step, got answer) error {
	want := strconv.Itoa(got.status)
	if step.Response == nil && (got.status < 200 || got.status > 299) {
		want = "2xx"
	}
	if step.Response != nil {
		want = strconv.Itoa(step.Response.Status)
	}
	if want != strconv.Itoa(got.status) {
		r.note(i, Difference{Class: SetupFailed, Want: want, Got: short(strconv.Itoa(got.status) + " " + got.body)})
		return errStop
	}
	if step.Response == nil {
		return nil
	}
	c := &comparison{b: r.b}
	for _, h := range step.Response.Headers {
		c.header(h, got.header)
	}
	if step.Response.Body != "" {
		c.body(step.Response.Body, got.body)
	}
	for _, d := range c.found {
		if d.Class == ValueForm {
			r.note(i, d)
		}
		if slices.Contains(fatalInSetup, d.Class) {
			d.Where, d.Class = string(d.Class)+" "+d.Where, SetupFailed
			r.note(i, d)
			return errStop
		}
	}
	return nil
}

// fatalInSetup are the differences by which a value that later steps need may be missing.
var fatalInSetup = []Class{HeaderMissing, KeyMissing, ElementMissing, JSONType, Body, NotRenewed, Unbound}

// cleanup goes on when the run was given up: what was made has to go.
func (r *runner) cleanup(step *Step) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 5*time.Second)
	defer cancel()
	_, _ = r.exchange(ctx, step.Request) // what is left behind can be what the scenario was to show
}

// errUnbound is the cause when a request needs a value that no answer has given.
var errUnbound = errors.New("a value is missing")

func (r *runner) exchange(ctx context.Context, m *Message) (answer, error) {
	req, body, err := r.request(ctx, m)
	if err != nil {
		return answer{}, err
	}
	limit := r.t.limit(r.s, req, body)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	got, err := r.e.do(req.WithContext(ctx), body)
	r.heard = r.heard || err == nil
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer, or not all of it, within %v", limit)
	}
	return got, err
}

func (r *runner) request(ctx context.Context, m *Message) (*http.Request, string, error) {
	dialect := r.s.dialectOf(m)
	path, err := r.b.expand(m.Path, url.QueryEscape)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", errUnbound, err)
	}
	written, escape := m.Body, escapeXML
	switch dialect {
	case SQSQuery:
		written, escape = strings.ReplaceAll(written, "\n&", "&"), url.QueryEscape
	case SQSJSON:
		escape = escapeJSON
	}
	body, err := r.b.expand(written, escape)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", errUnbound, err)
	}
	base := r.e.url()
	req, err := http.NewRequestWithContext(ctx, m.Method, base.Scheme+"://"+base.Host+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	return req, body, r.headers(req, m, dialect, body)
}

// headers sets those that are written down, and those that every client of the dialect sends. The last of them is the
// signature, unless one is written down.
func (r *runner) headers(req *http.Request, m *Message, dialect, body string) error {
	for _, h := range usual(dialect, body != "", r.e.now()) {
		if _, written := m.header(h.Name); !written {
			req.Header.Set(h.Name, h.Value)
		}
	}
	for _, h := range m.Headers {
		if h.Value == absent || wrongSigners[h.Value] != nil {
			continue
		}
		v, err := r.b.expand(h.Value, nil)
		if err != nil {
			return fmt.Errorf("%w: %w", errUnbound, err)
		}
		if strings.EqualFold(h.Name, "Host") {
			req.Host = v
			continue
		}
		req.Header.Add(h.Name, v)
	}
	key, place := r.keys[dialect], r.places[dialect]
	if how, written := m.header("Authorization"); wrongSigners[how] != nil {
		wrongSigners[how](&key, &place)
	} else if written {
		return nil
	}
	if dialect == MNS {
		signAlibaba(req, key, place.Region, r.e.now())
		return nil
	}
	err := signAmazon(req, body, key, place.Region, r.e.now())
	if v, _ := m.header("X-Amz-Date"); v == absent {
		req.Header.Del("X-Amz-Date")
	}
	return err
}

// wrongSigners are values of Authorization that sign a request in a way that a server must refuse.
var wrongSigners = map[string]func(k *Key, p *Place){
	"{{stranger}}": func(k *Key, _ *Place) { *k = Key{ID: "NOBODYSKEY0000000000", Secret: "secret"} },
	"{{forger}}":   func(k *Key, _ *Place) { k.Secret += "x" },
	"{{abroad}}":   func(_ *Key, p *Place) { p.Region = "elsewhere" },
}

// usual are the headers of every client of a dialect.
func usual(dialect string, hasBody bool, now time.Time) []Header {
	var all []Header
	types := map[string]string{SQSJSON: "application/x-amz-json-1.0", SQSQuery: "application/x-www-form-urlencoded", MNS: "text/xml"}
	if hasBody {
		all = append(all, Header{"Content-Type", types[dialect]})
	}
	if dialect == MNS {
		return append(all, Header{"Date", now.UTC().Format(http.TimeFormat)}, Header{"x-mns-version", "2015-06-06"})
	}
	return append(all, Header{"X-Amz-Date", now.UTC().Format(amazonTime)})
}
