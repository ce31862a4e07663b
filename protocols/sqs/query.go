package sqs

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

const (
	xmlType       = "text/xml"
	plainType     = "application/json"
	latestVersion = "2012-11-05"
)

// versions of the API, each with an XML namespace of its own.
var versions = map[string]bool{"2008-01-01": true, "2009-02-01": true, "2011-10-01": true, latestVersion: true}

type queryDialect struct{ *service }

func (d *queryDialect) Name() string { return "sqs-query" }

// Claims recognises forms and query strings with an Action.
func (d *queryDialect) Claims(r *http.Request) bool {
	return contentType(r) == formType || strings.Contains("&"+r.URL.RawQuery, "&Action=")
}

func (d *queryDialect) Decode(r *http.Request) (*protocols.Call, error) {
	x := &exchange{from: newCaller(d.site, r), version: latestVersion}
	call := &protocols.Call{RequestID: newRequestID(), Request: r, Detail: x}
	body, err := readForm(r)
	if err != nil {
		return call, err
	}
	digest := d.digest(body)
	form, err := parseForm(r, body)
	if err != nil {
		return call, err
	}
	action, given := form.Get("Action")
	if !given || !asks(r.Method) {
		return call, withoutAction(r)
	}
	if err := d.verify(x.from, digest); err != nil {
		return call, err
	}
	if err := d.admit(x.from, action); err != nil {
		return call, err
	}
	o, err := x.choose(r, form, action)
	if err != nil {
		return call, err
	}
	call.Operation, x.operation = action, o
	in, err := o.fromForm(form)
	if err != nil {
		return call, malformed(err)
	}
	x.in = in
	call.Run = func(ctx context.Context) (any, error) { return o.run(ctx, d.service, x.from, in) }
	return call, nil
}

// choose finds the operation of a request, and how it wants its answer.
func (x *exchange) choose(r *http.Request, form wire.Form, action string) (*operation, error) {
	x.plain = r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), plainType)
	if version, given := form.Get("Version"); given {
		if !versions[version] {
			return nil, noSuchVersion.say("The requested version ( %s ) of service AmazonSQS does not exist", version)
		}
		x.version = version
	}
	o, known := operations[action]
	if !known || o.notOnQueues && isQueuePath(r.URL.Path) {
		return nil, unknownOperation.say("The action %s is not valid for this endpoint.", action) // validated
	}
	return o, nil
}

// asks reports whether a method is one of the two that the protocol has (documented). Others must change nothing: a
// browser sends OPTIONS by itself.
func asks(method string) bool { return method == http.MethodGet || method == http.MethodPost }

// readForm reads the body of a POST. Those of other methods say nothing, and are not covered by a signature.
func readForm(r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		return nil, nil
	}
	return readBody(r)
}

// parseForm gathers the parameters of the query string and of the body, which count more. The body is used up.
func parseForm(r *http.Request, body []byte) (wire.Form, error) {
	form, err := wire.ParseForm([]byte(r.URL.RawQuery), body)
	switch {
	case errors.Is(err, wire.ErrFormTooLong):
		return nil, requestTooLarge.say("Request has too many parameters.")
	case err != nil:
		return nil, malformedQueryString.say("The query string contains a syntax error.")
	}
	return form, nil
}

// nothingAsked is the answer to a request that asks for nothing, such as a browser's on a queue URL: a bare element
// in place of a document (Recorded).
var nothingAsked = general("UnknownOperationException", "UnknownOperationException", 404).say("")

func withoutAction(r *http.Request) *fault {
	if r.Method == http.MethodPost {
		return missingAction.say("The request must contain the parameter Action.") // UNVERIFIED: the text
	}
	return nothingAsked
}

func (d *queryDialect) Encode(w http.ResponseWriter, c *protocols.Call, result any) error {
	x := detail(c)
	if x.plain {
		return answer(w, c, plainType, http.StatusOK, func(b []byte) []byte { return x.appendPlain(b, c.RequestID, result) })
	}
	return answer(w, c, xmlType, http.StatusOK, func(b []byte) []byte { return x.appendXML(b, c.RequestID, result) })
}

// appendXML appends an answer, all on one line. An operation without content has no result element; a result without
// members is an empty element (Recorded).
func (x *exchange) appendXML(b []byte, requestID string, result any) []byte {
	name := x.operation.name
	b = x.appendRoot(b, name+"Response")
	if !x.operation.silent {
		b = append(b, "<"+name+"Result>"...)
		start := len(b)
		b = x.operation.xml(b, result)
		if len(b) == start {
			b = append(b[:start-1], "/>"...)
		} else {
			b = append(b, "</"+name+"Result>"...)
		}
	}
	b = append(b, "<ResponseMetadata><RequestId>"...)
	b = append(b, requestID...)
	return append(b, "</RequestId></ResponseMetadata></"+name+"Response>"...)
}

func (x *exchange) appendRoot(b []byte, name string) []byte {
	b = append(b, `<?xml version="1.0"?><`...)
	b = append(b, name...)
	b = append(b, ` xmlns="http://queue.amazonaws.com/doc/`...)
	b = append(b, x.version...)
	return append(b, `/">`...)
}

// appendPlain appends an answer in JSON, as clients get it that ask for it (validated for the names of the outer
// keys and of messages).
func (x *exchange) appendPlain(b []byte, requestID string, result any) []byte {
	name := x.operation.name
	b = append(b, `{"`+name+`Response":{`...)
	metadata := `"ResponseMetadata":{"RequestId":"` + requestID + `"}`
	if x.operation.silent {
		return append(b, metadata+"}}"...)
	}
	before := "ResponseMetadata" < name+"Result"
	if before {
		b = append(b, metadata+","...)
	}
	b = append(b, `"`+name+`Result":`...)
	b = x.operation.plain(b, result)
	if !before {
		b = append(b, ","+metadata...)
	}
	return append(b, "}}"...)
}

func (d *queryDialect) Fail(w http.ResponseWriter, c *protocols.Call, err error) {
	x := detail(c)
	f := x.fault(err)
	if f.query != nil {
		f = f.query
	}
	contentType, fill := xmlType, func(b []byte) []byte { return x.appendFault(b, c.RequestID, f) }
	switch {
	case f == nothingAsked:
		fill = func(b []byte) []byte { return append(b, "<UnknownOperationException/>"...) }
	case x.plain:
		contentType, fill = plainType, func(b []byte) []byte { return appendPlainFault(b, c.RequestID, f) }
	}
	// An answer to a client that is gone is nobody's error.
	_ = answer(w, c, contentType, f.status, fill)
}

func (x *exchange) appendFault(b []byte, requestID string, f *fault) []byte {
	b = x.appendRoot(b, "ErrorResponse")
	b = append(b, "<Error><Type>"+f.blame()+"</Type><Code>"+f.code+"</Code><Message>"...)
	b = wire.AppendXMLText(b, f.text)
	b = append(b, "</Message><Detail/></Error><RequestId>"...)
	b = append(b, requestID...)
	return append(b, "</RequestId></ErrorResponse>"...)
}

// appendPlainFault appends an error in JSON (validated for code and text; UNVERIFIED: the rest).
func appendPlainFault(b []byte, requestID string, f *fault) []byte {
	b = append(b, `{"Error":{"Code":"`+f.code+`","Message":`...)
	b = wire.AppendJSONText(b, f.text)
	return append(b, `,"Type":"`+f.blame()+`"},"RequestId":"`+requestID+`"}`...)
}
