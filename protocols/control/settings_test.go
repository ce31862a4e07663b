package control_test

import (
	"fmt"
	"strings"
	"testing"
)

// Whatever is too long for a record is refused, before the engine has to.
func TestSettingsThatFitIntoNoRecordAreRefused(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	source := func(name string) string {
		return `{"account":"000000000000","region":"us-east-1","name":"` + name + `"}`
	}
	d := newDesk(t, nil)
	d.ask("PUT", orders, "").want(201)
	for _, tt := range []struct{ field, body string }{
		{"tags", `{"tags":{"a":"` + long + `"}}`},
		{"tags", `{"tags":{"` + long + `":null}}`},
		{"notes", `{"notes":{"a":"` + long + `"}}`},
		{"deadLetterAllow", `{"deadLetterAllow":{"denyAll":false,"sources":[` + source(long) + `]}}`},
		{"deadLetterAllow", `{"deadLetterAllow":{"denyAll":false,"sources":[` + source("a") + strings.Repeat(","+source("a"), 10) + `]}}`},
	} {
		d.ask("PATCH", orders, tt.body).want(400, "error.field", tt.field)
		d.ask("PUT", queues+"other", tt.body).want(400, "error.field", tt.field)
	}
	notes := func(from int) string {
		var b []byte
		for i := range 30 {
			b = fmt.Appendf(b, `,"n%d":"x"`, from+i)
		}
		return `{"notes":{` + string(b[1:]) + `}}`
	}
	d.ask("PATCH", orders, notes(0)).want(200)
	d.ask("PATCH", orders, notes(0)).want(200)
	d.ask("PATCH", orders, notes(30)).want(400, "error.field", "notes")
}

func TestTagsWithoutValuesCountOnce(t *testing.T) {
	var b []byte
	for i := range 50 {
		b = fmt.Appendf(b, `,"t%d":""`, i)
	}
	full := `{"tags":{` + string(b[1:]) + `}}`
	d := newDesk(t, nil)
	d.ask("PUT", orders, full).want(201)
	d.ask("PATCH", orders, full).want(200)
	d.ask("PATCH", orders, `{"tags":{"t0":null,"new":""}}`).want(200, "tags.t0", nil, "tags.new", "")
	d.ask("PATCH", orders, `{"tags":{"more":""}}`).want(400)
}
