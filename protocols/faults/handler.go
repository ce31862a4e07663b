package faults

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/protocols"
)

// ruleJSON is a rule as the control API has it. The names are those of the configuration file, but for the delay, which
// is in seconds here as all durations of the API are.
type ruleJSON struct {
	Name      string   `json:"name"`
	Kind      Kind     `json:"kind"`
	Provider  string   `json:"provider,omitempty"`
	Operation string   `json:"operation,omitempty"`
	Queue     string   `json:"queue,omitempty"`
	Rate      *float64 `json:"rate,omitempty"`
	After     int      `json:"after,omitzero"`
	Count     *int     `json:"count,omitempty"`
	Seed      uint64   `json:"seed,omitzero"`
	Error     string   `json:"error,omitempty"`
	At        Moment   `json:"at,omitempty"`
	Delay     *float64 `json:"delaySeconds,omitempty"`
	Copies    *int     `json:"copies,omitempty"`
}

type statusJSON struct {
	ruleJSON
	Picked int `json:"picked"`
	Fired  int `json:"fired"`
}

type listJSON struct {
	Faults []statusJSON `json:"faults"`
}

type putJSON struct {
	Faults *[]ruleJSON `json:"faults"`
}

func (j *ruleJSON) rule() (Rule, error) {
	r := Rule{
		Name: j.Name, Kind: j.Kind, Provider: j.Provider, Operation: j.Operation, Queue: j.Queue, Rate: j.Rate,
		After: j.After, Count: j.Count, Seed: j.Seed, Error: j.Error, At: j.At, Copies: j.Copies,
	}
	if j.Delay != nil {
		if !(*j.Delay > 0 && *j.Delay <= maxDelay.Seconds()) { // before it overflows
			return r, &Invalid{Rule: r.Name, Field: "delaySeconds", Text: "is not between 0.001 and 900"}
		}
		r.Delay = new(time.Duration(*j.Delay * float64(time.Second)))
	}
	return r, nil
}

func shownRule(r *Rule) ruleJSON {
	j := ruleJSON{
		Name: r.Name, Kind: r.Kind, Provider: r.Provider, Operation: r.Operation, Queue: r.Queue, Rate: r.Rate,
		After: r.After, Count: r.Count, Seed: r.Seed, Error: r.Error, At: r.At, Copies: r.Copies,
	}
	if r.Delay != nil {
		j.Delay = new(r.Delay.Seconds())
	}
	return j
}

func shownStatus(s *Status) statusJSON {
	return statusJSON{ruleJSON: shownRule(&s.Rule), Picked: s.Picked, Fired: s.Fired}
}

// maxBody bounds the body of a request: that of MaxRules rules is well below it.
const maxBody = 256 << 10

// Handler returns the rules as a part of the control API, for paths that end in /faults (GET lists the rules, PUT
// replaces them all, DELETE removes them) or in /faults/{name} (GET, PUT, PATCH, DELETE). A rule that is set or changed
// begins anew; the others go on.
func (s *Set) Handler() http.Handler { return http.HandlerFunc(s.serve) }

func (s *Set) serve(w http.ResponseWriter, r *http.Request) {
	_, rest, found := strings.Cut(r.URL.Path, "/faults")
	name, one := strings.CutPrefix(rest, "/")
	switch {
	case !found || rest != "" && !one || strings.Contains(name, "/"):
		refuse(w, http.StatusNotFound, "NotFound", "There is nothing at this path.", "")
	case name == "":
		s.serveAll(w, r)
	default:
		s.serveOne(w, r, name)
	}
}

func (s *Set) serveAll(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.answerAll(w)
	case http.MethodPut:
		s.putAll(w, r)
	case http.MethodDelete:
		_ = s.Replace(nil) // no rules cannot be wrong
		w.WriteHeader(http.StatusNoContent)
	default:
		refuseMethod(w, "GET, HEAD, PUT, DELETE")
	}
}

func (s *Set) answerAll(w http.ResponseWriter) {
	list := s.List()
	shown := listJSON{Faults: make([]statusJSON, len(list))}
	for i := range list {
		shown.Faults[i] = shownStatus(&list[i])
	}
	reply(w, http.StatusOK, shown)
}

func (s *Set) putAll(w http.ResponseWriter, r *http.Request) {
	var in putJSON
	if !read(w, r, &in) {
		return
	}
	if in.Faults == nil {
		refuse(w, http.StatusBadRequest, "Invalid", "The list of rules is missing.", "faults")
		return
	}
	rules := make([]Rule, len(*in.Faults))
	for i := range rules {
		var err error
		if rules[i], err = (*in.Faults)[i].rule(); err != nil {
			refuseRule(w, err)
			return
		}
	}
	if err := s.Replace(rules); err != nil {
		refuseRule(w, err)
		return
	}
	s.answerAll(w)
}

func (s *Set) serveOne(w http.ResponseWriter, r *http.Request, name string) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		for _, status := range s.List() {
			if status.Name == name {
				reply(w, http.StatusOK, shownStatus(&status))
				return
			}
		}
		refuseRule(w, errNoRule)
	case http.MethodPut:
		s.setOne(w, r, name, func(Rule, bool) (ruleJSON, error) { return ruleJSON{Name: name}, nil })
	case http.MethodPatch:
		s.setOne(w, r, name, func(now Rule, exists bool) (ruleJSON, error) {
			if !exists {
				return ruleJSON{}, errNoRule
			}
			return shownRule(&now), nil
		})
	case http.MethodDelete:
		if !s.Remove(name) {
			refuseRule(w, errNoRule)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		refuseMethod(w, "GET, HEAD, PUT, PATCH, DELETE")
	}
}

// setOne sets a rule to what the body says on top of a base. A null takes a member away.
func (s *Set) setOne(w http.ResponseWriter, r *http.Request, name string, base func(Rule, bool) (ruleJSON, error)) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	added, now, err := s.amend(name, func(rule Rule, exists bool) (Rule, error) {
		in, err := base(rule, exists)
		if err != nil {
			return rule, err
		}
		if err := json.Unmarshal(body, &in, json.RejectUnknownMembers(true)); err != nil {
			return rule, &Invalid{Rule: name, Field: fieldOf(err), Text: "cannot be read"}
		}
		if in.Name != name {
			return rule, &Invalid{Rule: name, Field: "name", Text: "is another one than in the path"}
		}
		return in.rule()
	})
	switch {
	case err != nil:
		refuseRule(w, err)
	case added:
		reply(w, http.StatusCreated, shownStatus(&now))
	default:
		reply(w, http.StatusOK, shownStatus(&now))
	}
}

var errNoRule = errors.New("faults: there is no rule of that name")

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	body, ok := readBody(w, r)
	if !ok {
		return false
	}
	if err := json.Unmarshal(body, into, json.RejectUnknownMembers(true)); err != nil {
		refuse(w, http.StatusBadRequest, "Invalid", "The body is no JSON in the form of the request.", fieldOf(err))
		return false
	}
	return true
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := protocols.ReadBody(r, maxBody)
	switch {
	case errors.Is(err, protocols.ErrBodyTooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, "TooLarge", "The body is larger than "+strconv.Itoa(maxBody)+" bytes.", "")
	case err != nil:
		refuse(w, http.StatusBadRequest, "Invalid", "The body cannot be read.", "")
	}
	return body, err == nil
}

// fieldOf returns the last name of the place in a body where something is wrong.
func fieldOf(err error) string {
	var at jsontext.Pointer
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		at = wrong.JSONPointer
	} else if broken, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = broken.JSONPointer
	}
	return at.LastToken()
}

// errorJSON is the shape of all errors of the control API.
type errorJSON struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Field   string `json:"field,omitempty"`
	} `json:"error"`
}

func refuseRule(w http.ResponseWriter, err error) {
	if wrong, ok := errors.AsType[*Invalid](err); ok {
		refuse(w, http.StatusBadRequest, "Invalid", wrong.Error(), wrong.Field)
		return
	}
	refuse(w, http.StatusNotFound, "FaultNotFound", "There is no fault of that name.", "")
}

func refuseMethod(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed", "This path has the methods "+allowed+".", "")
}

func refuse(w http.ResponseWriter, status int, code, message, field string) {
	var out errorJSON
	out.Error.Code, out.Error.Message, out.Error.Field = code, message, field
	reply(w, status, out)
}

func reply(w http.ResponseWriter, status int, out any) {
	b, err := json.Marshal(out)
	if err != nil {
		status, b = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(b, '\n'))
}
