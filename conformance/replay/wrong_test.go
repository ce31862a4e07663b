package replay_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/replay"
	"github.com/sluicemq/sluice/core/clock"
)

// The recordings of testdata, and where each belongs.
const (
	hiddenMessage = "sqs-json/ReceiveMessage/hidden-until-timeout.http"
	noQueue       = "sqs-json/GetQueueUrl/no-queue-json.http"
	sendQuery     = "sqs-query/SendMessage/send-query.http"
	renewedHandle = "mns/ChangeMessageVisibility/renews-handle.http"
)

func recording(t *testing.T, name string) *replay.Scenario {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", filepath.Base(name)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := replay.Parse(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lie changes an answer. earlier are the bodies of the answers before it.
type lie func(w *httptest.ResponseRecorder, body string, earlier []string) string

// lying is a server whose every answer a lie has changed.
func lying(l lie) replay.Target {
	return replay.InMemory("lying", func(c clock.Clock) (http.Handler, func() error, error) {
		s, err := sluice.Open(sluice.Options{Clock: c})
		if err != nil {
			return nil, nil, err
		}
		var earlier []string
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			real := httptest.NewRecorder()
			s.Handler().ServeHTTP(real, r)
			was := real.Body.String()
			body := l(real, was, earlier)
			earlier = append(earlier, was)
			for name, values := range real.Header() {
				w.Header()[name] = values
			}
			w.WriteHeader(real.Code)
			fmt.Fprint(w, body)
		}), s.Close, nil
	})
}

func swap(old, with string) lie {
	return func(_ *httptest.ResponseRecorder, body string, _ []string) string {
		return strings.ReplaceAll(body, old, with)
	}
}

func pattern(old, with string) lie {
	re := regexp.MustCompile(old)
	return func(_ *httptest.ResponseRecorder, body string, _ []string) string {
		return re.ReplaceAllString(body, with)
	}
}

func header(change func(h http.Header)) lie {
	return func(w *httptest.ResponseRecorder, body string, _ []string) string {
		change(w.Header())
		return body
	}
}

// drop removes a header however its name is written.
func drop(name string) lie {
	return header(func(h http.Header) {
		for n := range h {
			if strings.EqualFold(n, name) {
				delete(h, n)
			}
		}
	})
}

// keepHandle gives the receipt of the first answer that had one again.
func keepHandle(form string) lie {
	re := regexp.MustCompile(form)
	return func(_ *httptest.ResponseRecorder, body string, earlier []string) string {
		for _, e := range earlier {
			if first := re.FindString(e); first != "" {
				return re.ReplaceAllLiteralString(body, first)
			}
		}
		return body
	}
}

func TestEveryKindOfWrongAnswerIsCaught(t *testing.T) {
	truth := func(_ *httptest.ResponseRecorder, body string, _ []string) string { return body }
	for _, tt := range []struct {
		name, recording string
		lie             lie
		want            []replay.Class
	}{
		{"truth", hiddenMessage, truth, nil},
		{"truth, an error", noQueue, truth, nil},
		{"truth, Query", sendQuery, truth, nil},
		{"truth, MNS", renewedHandle, truth, nil},

		{"another status", noQueue, func(w *httptest.ResponseRecorder, body string, _ []string) string {
			w.Code = 404
			return body
		}, []replay.Class{replay.Status}},
		{"another type of an error", noQueue, swap("QueueDoesNotExist", "QueueMissing"), []replay.Class{replay.ErrorCode}},
		{"another code in a header", noQueue, header(func(h http.Header) {
			for n := range h {
				if strings.EqualFold(n, "x-amzn-query-error") {
					h[n] = []string{"QueueDoesNotExist;Sender"}
				}
			}
		}), []replay.Class{replay.ErrorCode}},
		{"another text", noQueue, swap("does not exist.", "is not there."), []replay.Class{replay.Text}},
		{"a header dropped", noQueue, drop("x-amzn-query-error"), []replay.Class{replay.HeaderMissing}},
		{"a header changed", noQueue, header(func(h http.Header) { h.Set("Content-Type", "application/json") }), []replay.Class{replay.HeaderChanged}},
		{"a header of another provider", noQueue, header(func(h http.Header) { h.Set("X-Mns-Version", "1") }), []replay.Class{replay.HeaderExtra}},

		{"a key dropped", hiddenMessage, pattern(`"MD5OfBody":"[^"]*",`, ""), []replay.Class{replay.KeyMissing}},
		{"a key added", hiddenMessage, swap(`{"Body"`, `{"Attributes":{},"Body"`), []replay.Class{replay.KeyExtra}},
		{"an empty list", hiddenMessage, swap(`{}`, `{"Messages":[]}`), []replay.Class{replay.KeyExtra}},
		{"keys swapped", hiddenMessage, pattern(`("Body":"hello"),("MD5OfBody":"[^"]*")`, "$2,$1"), []replay.Class{replay.KeyOrder}},
		{"a number for a text", hiddenMessage, swap(`"Body":"hello"`, `"Body":1`), []replay.Class{replay.JSONType}},
		{"blanks between keys", hiddenMessage, swap(`,"MD5OfBody"`, `, "MD5OfBody"`), []replay.Class{replay.Layout}},
		{"another body", hiddenMessage, swap(`"Body":"hello"`, `"Body":"hallo"`), []replay.Class{replay.Value}},
		{"a message id in another form", hiddenMessage, pattern(`("MessageId":")[^"]*`, "${1}1234"), []replay.Class{replay.ValueForm}},
		{"another message id", hiddenMessage, pattern(`(\{"Body".*"MessageId":"........-....-4...-....-)[^"]*`, "${1}000000000000"), []replay.Class{replay.BoundChanged}},
		{"the handle of the first receive", hiddenMessage, keepHandle(`"ReceiptHandle":"[^"]*"`), []replay.Class{replay.NotRenewed}},
		{"no body", hiddenMessage, pattern(`^\{\}$`, ""), []replay.Class{replay.Body}},
		{"half a body", hiddenMessage, pattern(`^\{\}$`, "{"), []replay.Class{replay.Body}},

		{"an element dropped", sendQuery, pattern(`<MD5OfMessageBody>.*</MD5OfMessageBody>`, ""), []replay.Class{replay.ElementMissing}},
		{"an element added", sendQuery, swap(`</SendMessageResult>`, `<SequenceNumber/></SendMessageResult>`), []replay.Class{replay.ElementExtra}},
		{"elements swapped", sendQuery, pattern(`(<MessageId>.*</MessageId>)(<MD5OfMessageBody>.*</MD5OfMessageBody>)`, "$2$1"), []replay.Class{replay.ElementOrder}},
		{"no namespace", sendQuery, pattern(` xmlns="[^"]*"`, ""), []replay.Class{replay.ElementMissing}},
		{"another namespace", sendQuery, swap("2012-11-05", "2009-02-01"), []replay.Class{replay.Value}},
		{"an encoding declared", sendQuery, swap(`version="1.0"?>`, `version="1.0" encoding="UTF-8"?>`), []replay.Class{replay.Layout}},
		{"a message id in another form, Query", sendQuery, pattern(`<MessageId>[^<]*`, "<MessageId>1234"), []replay.Class{replay.ValueForm}},
		{"two request ids", sendQuery, pattern(`(<RequestId>........-....-5...-....-)[^<]*`, "${1}000000000000"), []replay.Class{replay.BoundChanged}},

		{"the old handle", renewedHandle, keepHandle(`<ReceiptHandle>[^<]*</ReceiptHandle>`), []replay.Class{replay.NotRenewed}},
		{"a time in microseconds", renewedHandle, pattern(`(<NextVisibleTime>[0-9]*)`, "${1}000"), []replay.Class{replay.Value}},
		{"a time that is off", renewedHandle, pattern(`<NextVisibleTime>[0-9]{4}`, "<NextVisibleTime>1999"), []replay.Class{replay.Value}},
		{"indented by tabs", renewedHandle, swap("\n  ", "\n\t"), []replay.Class{replay.Layout}},
		{"a handler that panics", renewedHandle, func(*httptest.ResponseRecorder, string, []string) string { panic("gone") }, []replay.Class{replay.Transport}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			suite := &replay.Suite{Scenarios: []*replay.Scenario{recording(t, tt.recording)}}
			report, err := suite.Run(t.Context(), lying(tt.lie))
			if err != nil {
				t.Fatal(err)
			}
			var got []replay.Class
			for _, d := range report.Results[0].Differences {
				if !slices.Contains(got, d.Class) {
					got = append(got, d.Class)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("classes of differences = %q, want %q\n%+v", got, tt.want, report.Results[0].Differences)
			}
		})
	}
}
