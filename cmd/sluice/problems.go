package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicemq/sluice"
)

// problem is one thing that is wrong with the configuration.
type problem struct {
	path string // of the file; empty: it is not in one
	line int    // 0: it is nowhere in particular
	err  error
}

// Error says where, in the form that editors and terminals make a link of, and what.
func (p *problem) Error() string {
	switch {
	case p.path == "":
		return p.err.Error()
	case p.line == 0:
		return p.path + ": " + p.err.Error()
	}
	return fmt.Sprintf("%s:%d: %v", p.path, p.line, p.err)
}

// Unwrap returns what.
func (p *problem) Unwrap() error { return p.err }

// problems are an error if there are any.
type problems []*problem

// mostShown is how many problems one line names.
const mostShown = 10

// Error says all of it in one line, as the log and a failed start have it. What is too much for a line is counted.
func (p problems) Error() string {
	shown := make([]string, 0, mostShown+1)
	for i, each := range p {
		if i == mostShown {
			shown = append(shown, fmt.Sprintf("and %d more, see sluice config check", len(p)-i))
			break
		}
		shown = append(shown, oneLine(each))
	}
	return strings.Join(shown, "; ")
}

// Unwrap returns each of them.
func (p problems) Unwrap() []error {
	all := make([]error, len(p))
	for i := range p {
		all[i] = p[i]
	}
	return all
}

// err returns the problems in the order of the file, or nil without any.
func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b *problem) int { return cmp.Compare(a.line, b.line) })
	return p
}

// place is an entry of one of the lists of the file. The zero value is what is in none of them.
type place struct {
	section string
	index   int
}

// maxProblems is how many problems of a file are told: whoever has more has given another kind of file.
const maxProblems = 1000

// full reports whether no more problems are noted.
func (c *config) full() bool { return len(c.problems) > maxProblems }

// wrong notes a problem. It is dropped if an earlier look at the file has found one in the same entry, which it most likely
// comes from.
func (c *config) wrong(line int, at place, err error) {
	if at != (place{}) {
		if look, known := c.damaged[at]; known && look < c.look {
			return
		}
		if c.damaged == nil {
			c.damaged = map[place]int{}
		}
		c.damaged[at] = c.look
	}
	if c.full() {
		return
	}
	if len(c.problems) == maxProblems {
		err = errors.New("there is more wrong from here on, which is told once the rest is right")
	}
	c.problems = append(c.problems, &problem{path: c.path, line: line, err: err})
}

// wrongText notes a problem with a value.
func (c *config) wrongText(t *text, at place, format string, args ...any) {
	c.wrong(t.line, at, fmt.Errorf(format, args...))
}

// lineOf is the line of an entry, or 0 if that is not known.
func (c *config) lineOf(at place) int {
	if lines := c.lines[at.section]; at.index < len(lines) {
		return lines[at.index]
	}
	return 0
}

// placed returns errors of the embedding API by the lines of the file that they come from, if there is a file.
func (s *settings) placed(err error) error {
	if s.file == nil || err == nil {
		return err
	}
	s.file.problems = nil
	s.file.look++
	s.file.place(err)
	return s.file.problems.err()
}

// place notes each error of the embedding API.
func (c *config) place(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			c.place(each)
		}
		return
	}
	wrong, ok := errors.AsType[*sluice.ResourceError](err)
	if !ok {
		c.wrong(0, place{}, err)
		return
	}
	at := place{wrong.Section, wrong.Index}
	line := c.lineOf(at)
	if name := c.Resources.nameOf(at); name != nil {
		line = name.line
	}
	c.wrong(line, at, err)
}
