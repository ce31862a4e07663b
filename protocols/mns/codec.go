package mns

import (
	"net/http"
	"net/url"
	"reflect"
)

// codec is the language of the bodies.
type codec interface {
	// read reads the body of a request. Its errors are *faults.
	read(raw []byte) (body, error)
	// write appends a value of the plan's shape as the body of an answer.
	write(b []byte, p *plan, v reflect.Value) []byte
	// malformed is the error of a body that is not in this language.
	malformed() *fault
	// contentType and format are what the headers of answers say of the language.
	contentType() []string
	format() []string
}

// body is the body of a request.
type body interface {
	// is reports whether the body is the structure of that name, such as Messages.
	is(name string) bool
	// bind fills the body fields of a shape. Its errors are *faults.
	bind(p *plan, v reflect.Value) error
}

// request is what the table sees of a request.
type request struct {
	http    *http.Request
	codec   codec
	vars    map[string]string // of the path, with their percent escapes
	query   query
	raw     []byte
	cut     error // why there is no body to be read
	body    body  // nil for a request without one
	bodyErr error
}

// is reports whether the request has a body of that name.
func (r *request) is(name string) bool { return r.body != nil && r.body.is(name) }

// bind fills a shape.
func (r *request) bind(p *plan, v reflect.Value) error {
	for i := range p.line {
		if err := r.bindLine(&p.line[i], v.FieldByIndex(p.line[i].index)); err != nil {
			return err
		}
	}
	switch {
	case p.root == "":
		return nil
	case r.bodyErr != nil:
		return r.bodyErr
	case r.body != nil:
		return r.body.bind(p, v)
	case p.optional:
		return nil
	}
	return r.codec.malformed()
}

// bindLine fills a field from path, query or headers, if it is there.
func (r *request) bindLine(f *field, v reflect.Value) error {
	text, ok := r.argument(f)
	if !ok {
		return nil
	}
	if f.source == inPath {
		name, err := url.PathUnescape(text)
		if err != nil {
			return errInvalidURL
		}
		text = name
	}
	if !setText(v, text) {
		setBeyond(v)
	}
	return nil
}

func (r *request) argument(f *field) (string, bool) {
	if f.source == inPath {
		return r.vars[f.name], true
	}
	if f.source == inQuery {
		return r.query.get(f.name)
	}
	text := r.http.Header.Get(f.name)
	return text, text != ""
}
