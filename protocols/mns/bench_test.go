package mns

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
)

// BenchmarkDecode measures what a request costs before the engine is asked.
func BenchmarkDecode(b *testing.B) {
	engine, err := core.Open(memory.New(), core.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()
	d := XML(&protocols.Site{Broker: engine.Under})
	for name, c := range map[string][3]string{
		"send":    {"POST", "/queues/q/messages", benchmarkDocuments()["Message"]},
		"receive": {"GET", "/queues/q/messages?numOfMessages=16&waitseconds=0", ""},
		"delete":  {"DELETE", "/queues/q/messages?ReceiptHandle=" + handleOf(someID, "AAAAAAAAAAAAAAAAAAAAAAAAAAA"), ""},
	} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest(c[0], c[1], nil)
			r.ContentLength = int64(len(c[2]))
			r.Host = labHost
			body := strings.NewReader("")
			b.ReportAllocs()
			for b.Loop() {
				body.Reset(c[2])
				r.Body = reader{body}
				if _, err := d.Decode(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type reader struct{ *strings.Reader }

func (reader) Close() error { return nil }
