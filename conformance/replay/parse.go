package replay

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits on a recording, so that a wrong file is an error and not a burden.
const (
	maxFile  = 16 << 20
	maxSteps = 500
)

// Parse reads the recording that stands at dialect/operation/case.http. Its errors name the file and the line.
func Parse(name, text string) (*Scenario, error) {
	s := &Scenario{}
	if err := s.place(name); err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: %d bytes, want at most %d", name, len(text), maxFile)
	}
	p := &parser{lines: strings.Split(text, "\n")}
	if err := p.scenario(s); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.at+1, err)
	}
	return s, nil
}

func (s *Scenario) place(name string) error {
	parts := strings.Split(strings.TrimSuffix(name, path.Ext(name)), "/")
	if len(parts) != 3 || path.Ext(name) != ".http" {
		return fmt.Errorf("%s: want dialect/operation/case.http", name)
	}
	s.Dialect, s.Operation, s.Case = parts[0], parts[1], parts[2]
	if !slices.Contains(Dialects(), s.Dialect) {
		return fmt.Errorf("%s: there is no dialect %q", name, s.Dialect)
	}
	return nil
}

type parser struct {
	lines []string
	at    int
}

func (p *parser) done() bool   { return p.at >= len(p.lines) }
func (p *parser) line() string { return strings.TrimSuffix(p.lines[p.at], "\r") }
func (p *parser) blank() bool  { return !p.done() && p.line() == "" }

func (p *parser) skipBlank() {
	for p.blank() {
		p.at++
	}
}

// opens reports whether the current line begins a step.
func (p *parser) opens() bool { return strings.HasPrefix(p.line(), "### ") }

// answers reports whether the current line is a status line.
func (p *parser) answers() bool { return strings.HasPrefix(p.line(), "HTTP/1.1 ") }

func (p *parser) scenario(s *Scenario) error {
	if err := p.provenance(s); err != nil {
		return err
	}
	calls := 0
	for p.skipBlank(); !p.done(); p.skipBlank() {
		step, err := p.step()
		if err != nil {
			return err
		}
		if step.Kind == Call {
			calls++
		}
		if s.Steps = append(s.Steps, step); len(s.Steps) > maxSteps {
			return fmt.Errorf("more than %d steps", maxSteps)
		}
	}
	if calls == 0 {
		return errors.New("no call: nothing would be compared")
	}
	return nil
}

func (p *parser) provenance(s *Scenario) error {
	p.skipBlank()
	bytes, needs := "", ""
	for ; !p.done() && !p.blank(); p.at++ {
		key, value, ok := strings.Cut(p.line(), ":")
		value = strings.TrimSpace(value)
		if !ok {
			return fmt.Errorf("%q is not a line of the provenance", p.line())
		}
		switch key {
		case "title":
			s.Title = value
		case "source":
			s.Source = value
		case "date":
			s.Date = value
		case "evidence":
			s.Evidence = Evidence(value)
		case "bytes":
			bytes = value
		case "unordered":
			s.Unordered = setOf(strings.Fields(value))
		case "needs":
			needs, s.Verified = value, value == "signatures"
		case "note":
			s.Notes = append(s.Notes, value)
		default:
			return fmt.Errorf("the provenance has no %q", key)
		}
	}
	s.Exact = bytes == "exact"
	return s.checkProvenance(bytes, needs)
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

func (s *Scenario) checkProvenance(bytes, needs string) error {
	for key, value := range map[string]string{"title": s.Title, "source": s.Source, "date": s.Date} {
		if value == "" {
			return fmt.Errorf("no %s", key)
		}
	}
	if !slices.Contains(evidenceLevels, s.Evidence) {
		return fmt.Errorf("evidence is %q, want recorded, documented or derived", s.Evidence)
	}
	if bytes != "exact" && bytes != "parsed" {
		return fmt.Errorf("bytes is %q, want exact or parsed", bytes)
	}
	if needs != "" && !s.Verified {
		return fmt.Errorf("needs is %q, want signatures", needs)
	}
	return nil
}

func (p *parser) step() (Step, error) {
	if !p.opens() {
		return Step{}, fmt.Errorf("%q: want a step, ### setup, call, advance or cleanup", short(p.line()))
	}
	step := Step{Line: p.at + 1}
	head := strings.TrimPrefix(p.line(), "### ")
	kind, words, _ := strings.Cut(head, ":")
	step.Kind, step.Words = StepKind(strings.TrimSpace(kind)), strings.TrimSpace(words)
	p.at++
	if pass, ok := strings.CutPrefix(head, string(Advance)+" "); ok {
		pass, step.Words, _ = strings.Cut(pass, ":")
		step.Kind = Advance
		d, err := time.ParseDuration(strings.TrimSpace(pass))
		if err != nil || d <= 0 {
			return step, fmt.Errorf("%q is no time to pass", pass)
		}
		step.Pass = d
		return step, nil
	}
	if step.Kind != Setup && step.Kind != Call && step.Kind != Cleanup {
		return step, fmt.Errorf("a step cannot be %q", kind)
	}
	return step, p.exchange(&step)
}

func (p *parser) exchange(step *Step) error {
	p.skipBlank()
	if p.done() || p.opens() {
		return errors.New("a step without a request")
	}
	m := requestLine().FindStringSubmatch(p.line())
	if m == nil {
		return fmt.Errorf("%q is not a request line", short(p.line()))
	}
	step.Request = &Message{Method: m[1], Path: m[2]}
	p.at++
	if err := p.rest(step.Request); err != nil {
		return err
	}
	if !p.done() && p.answers() {
		if err := p.answer(step); err != nil {
			return err
		}
	}
	if step.Kind == Call && step.Response == nil {
		return errors.New("a call without an answer")
	}
	return nil
}

var requestLine = Pattern(`^([A-Z]+) ((?:/|\{\{)\S*) HTTP/1\.1$`)

func (p *parser) answer(step *Step) error {
	code, _, _ := strings.Cut(strings.TrimPrefix(p.line(), "HTTP/1.1 "), " ")
	status, err := strconv.Atoi(code)
	if err != nil || status < 100 || status > 599 {
		return fmt.Errorf("%q is not a status line", p.line())
	}
	step.Response = &Message{Status: status}
	p.at++
	return p.rest(step.Response)
}

// rest reads headers and body. The body ends before the empty lines in front of the next step or answer.
func (p *parser) rest(m *Message) error {
	for ; !p.done() && !p.blank() && !p.opens() && !p.answers(); p.at++ {
		name, value, ok := strings.Cut(p.line(), ":")
		if !ok || name == "" || strings.ContainsAny(name, " {<") {
			return fmt.Errorf("%q is not a header", short(p.line()))
		}
		m.Headers = append(m.Headers, Header{Name: name, Value: strings.TrimSpace(value)})
	}
	p.skipBlank()
	var body []string
	for ; !p.done() && !p.opens() && !p.answers(); p.at++ {
		body = append(body, p.line())
	}
	m.Body = strings.TrimRight(strings.Join(body, "\n"), "\n")
	return nil
}

// short keeps a text quotable.
func short(s string) string {
	const most = 160
	if len(s) <= most {
		return s
	}
	return s[:most] + fmt.Sprintf("… (%d bytes)", len(s))
}
