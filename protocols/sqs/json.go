package sqs

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

const (
	jsonType     = "application/x-amz-json-1.0"
	formType     = "application/x-www-form-urlencoded"
	targetHeader = "X-Amz-Target"
	targetPrefix = "AmazonSQS."
)

type jsonDialect struct{ *service }

func (d *jsonDialect) Name() string { return "sqs-json" }

// Claims goes by the content type. A form is Query even with an X-Amz-Target header, which an old Perl client sends;
// without either type the target decides.
func (d *jsonDialect) Claims(r *http.Request) bool {
	switch contentType(r) {
	case jsonType:
		return true
	case formType:
		return false
	}
	return strings.HasPrefix(r.Header.Get(targetHeader), targetPrefix)
}

func contentType(r *http.Request) string {
	header := r.Header.Get("Content-Type")
	if header == jsonType {
		return jsonType
	}
	t, _, _ := mime.ParseMediaType(header)
	return t
}

func (d *jsonDialect) Decode(r *http.Request) (*protocols.Call, error) {
	x := &exchange{from: newCaller(d.site, r)}
	call := &protocols.Call{RequestID: newRequestID(), Request: r, Detail: x}
	body, err := readBody(r)
	if err != nil {
		return call, err
	}
	if err := d.verify(x.from, d.digest(body)); err != nil {
		return call, err
	}
	name, ours := strings.CutPrefix(r.Header.Get(targetHeader), targetPrefix)
	if err := d.admit(x.from, name); err != nil {
		return call, err
	}
	o, known := operations[name]
	if !ours || !known || r.Method != http.MethodPost {
		return call, unknownOperation.say("") // Recorded: status, type and code; UNVERIFIED: that there is no text
	}
	call.Operation, x.operation = name, o
	if len(body) == 0 {
		body = []byte("{}")
	}
	in, err := o.fromJSON(body)
	if err != nil {
		return call, malformed(err)
	}
	x.in = in
	call.Run = func(ctx context.Context) (any, error) { return o.run(ctx, d.service, x.from, in) }
	return call, nil
}

// Encode answers operations without content with an empty body, not with an empty object (Recorded).
func (d *jsonDialect) Encode(w http.ResponseWriter, c *protocols.Call, result any) error {
	o := detail(c).operation
	return answer(w, c, jsonType, http.StatusOK, func(b []byte) []byte {
		if o.silent {
			return b
		}
		return o.json(b, result)
	})
}

func (d *jsonDialect) Fail(w http.ResponseWriter, c *protocols.Call, err error) {
	f := detail(c).fault(err)
	w.Header()["x-amzn-query-error"] = []string{f.code + ";" + f.blame()}
	// An answer to a client that is gone is nobody's error.
	_ = answer(w, c, jsonType, f.status, f.appendJSON)
}

// appendJSON appends an error: its type first, then its text if there is one.
func (f *fault) appendJSON(b []byte) []byte {
	namespace, message := "com.amazonaws.sqs#", "message"
	if f.coral {
		namespace = "com.amazon.coral.service#"
	}
	if f.loud {
		message = "Message"
	}
	b = append(b, `{"__type":`...)
	b = wire.AppendJSONText(b, namespace+f.name)
	if f.text != "" {
		b = append(b, `,"`+message+`":`...)
		b = wire.AppendJSONText(b, f.text)
	}
	return append(b, '}')
}
